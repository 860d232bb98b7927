"""What lets anybody check a match: the seed and its commitment, the chain, the signatures. docs/proof.md has it all."""
