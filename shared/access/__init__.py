"""Who may do what: tokens, and what each of them opens."""
