"""Keys that a platform has published, as `meydan keys --json` prints them: a JSON object, keys by their ids."""

import json
from pathlib import Path

from shared.proof.keys import BadKey, PublicKey


def read(file: Path) -> dict[str, PublicKey]:
    """The keys in a file."""
    try:
        found = parse(file.read_text())
    except (OSError, UnicodeDecodeError):
        raise BadKey(f"{file} can't be read.") from None
    if not found:
        raise BadKey(f"{file} does not hold public keys as `meydan keys --json` prints them.")
    return found


def parse(text: str) -> dict[str, PublicKey]:
    """The keys in a text; none if it is not of that form, or a key is not the one that its id says."""
    try:
        keys = {str(key_id): PublicKey(bytes.fromhex(digits)) for key_id, digits in json.loads(text).items()}
    except (AttributeError, TypeError, ValueError):
        return {}
    return keys if all(key.id == key_id for key_id, key in keys.items()) else {}
