"""Who meets whom, and the proof that it could not be better. Pure."""
