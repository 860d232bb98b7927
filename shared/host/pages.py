"""Page tokens: where a list goes on. They can't be read: it may be after a match that the caller must not know of."""

from base64 import urlsafe_b64encode

from cryptography.fernet import Fernet, InvalidToken

from shared.kernel import Malformed
from shared.proof.chain import sha256
from shared.proof.keys import SigningKey


class PageTokens:
    """Makes and reads page tokens; those of one process are good for any other with the same key."""

    def __init__(self, key: SigningKey) -> None:
        self._cipher = Fernet(urlsafe_b64encode(sha256(b"meydan page tokens" + key.key.private_bytes_raw())))

    def token(self, match_id: str) -> str:
        """Goes on after this match."""
        return self._cipher.encrypt(match_id.encode()).decode()

    def read(self, token: str) -> str:
        """The match after which the list goes on."""
        try:
            return self._cipher.decrypt(token).decode()
        except (InvalidToken, ValueError):
            raise Malformed("page_token", "A page token comes from the answer before.") from None
