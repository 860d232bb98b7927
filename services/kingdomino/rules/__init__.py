"""The rules of Kingdomino: pure functions and values."""
