"""The log of every match: append if nothing else was appended, read from anywhere, hear of news."""
