"""From the rounds so far to the next one, for every system. Pure."""
