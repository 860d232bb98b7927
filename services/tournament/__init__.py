"""Tournaments: pairing, standings and formats are pure; the service and its tasks are built on them."""
