"""The command line: `meydan`. It knows games through their records and matches through their services."""
