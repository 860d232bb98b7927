"""FIDE's tournament report file (TRF16, and what TRF26 adds) of a Swiss for two: other engines can judge ours. Pure.

What the file can't say is lost: what the games count and by how much they were won, the order of the tables, options,
clocks; names are cut at 33 characters. Entrants are numbered by their order at the start. A table that was annulled
stands as two zero-point byes, and as a comment that is read again. Written are the rounds that everybody has an entry
for: a round that is being played is not in the file.

Engines for pairing read extensions of their own (`XXR`, `XXS`, `XXC`, `XXZ`); what TRF26 says is written for them too.
"""

from services.tournament.trf.columns import Unreadable
from services.tournament.trf.reading import Report, read
from services.tournament.trf.writing import write

__all__ = ["Report", "Unreadable", "read", "write"]
