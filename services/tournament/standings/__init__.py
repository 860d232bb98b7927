"""Who stands where, and why. Pure."""
