"""A match, whatever its game: seats, start, who is out, the end. Pure, like the rules."""
