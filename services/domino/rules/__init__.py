"""The rules of Domino Double 6, D-1 to D-14, as pure functions."""
