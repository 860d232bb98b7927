"""From the outbox to the workers: what must happen next happens, whoever dies in between."""
