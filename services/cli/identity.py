"""Who the command line calls as, and `meydan token`."""

from collections.abc import Sequence

import typer
from rich.text import Text

from services import keyring
from services.cli import show
from services.cli.failures import Wrong, keys_in_a_sentence
from shared.access.tokens import Scope
from shared.settings import Settings

# What can be given away; tokens of seats and of one match's spectators come from its service.
_SCOPES = {
    Scope.ORGANISER: "makes matches",
    Scope.PLAYER: "takes seats",
    Scope.PUBLIC: "watches public matches",
}


def own_token(settings: Settings) -> str:
    """The configured token, or a development token made with the key of `make up`."""
    given = settings.token.get_secret_value().strip()
    if given:
        if not keyring.is_visible(given):
            raise Wrong("MEYDAN_TOKEN is not a token: a token has no spaces, and only ASCII characters.")
        return given
    file = keyring.token_key_file(settings)
    if not file.exists():
        raise Wrong(
            "This needs a token: set MEYDAN_TOKEN to one that `meydan token` has made where the platform runs,"
            f" or start a platform here with `make up`, which leaves its key in {file}."
        )
    with keys_in_a_sentence():
        return keyring.development_token(file)


def token(settings: Settings, scopes: Sequence[str], subject: str | None, hours: int) -> None:
    """Prints a token, and nothing else on standard output; what it is, is said on standard error."""
    wanted = [_scope(word) for word in scopes]
    holder = keyring.login_name() if subject is None else subject
    if not 1 <= len(holder) <= keyring.LONGEST_SUBJECT or not keyring.is_visible(holder):
        raise Wrong(f"A subject has 1 to {keyring.LONGEST_SUBJECT} visible ASCII characters.")
    file = keyring.token_key_file(settings)
    if not file.exists():
        raise Wrong(
            f"Tokens are made with the platform's key, which is not in {file}; MEYDAN_TOKEN_KEY names its file."
        )
    with keys_in_a_sentence():
        typer.echo(keyring.issue(file, holder, wanted, hours))
    what = " and ".join(_SCOPES[scope] for scope in wanted)
    notes = show.console(is_error=True)
    show.say(notes, Text(f"A token that {what}, for {hours} hours. Who has it is {holder}: keep it secret."))
    show.say(
        notes, Text("The command line reads it from MEYDAN_TOKEN; calls send it as `authorization: Bearer TOKEN`.")
    )


def _scope(word: str) -> Scope:
    scope = next((scope for scope in _SCOPES if scope.value == word), None)
    if scope is None:
        known = ", ".join(scope.value for scope in _SCOPES)
        raise Wrong(f"The scope of a token is one or more of {known}, not {word!r}.")
    return scope
