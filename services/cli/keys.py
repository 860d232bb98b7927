"""`meydan keys`: what the services sign with."""

import json

import typer
from rich.text import Text

from services import registry
from services.cli import lookup, show
from services.cli.client import Client
from services.cli.failures import Failure, Unreachable
from shared.audit import Keys
from shared.proof.keys import BadKey, PublicKey
from shared.settings import Settings

_ANSWER_SECONDS = 2.0


def keys(address: str | None, *, is_json: bool) -> None:
    """The published keys of the services that run, by their ids."""
    found = _of_all(address, lookup.settings())
    if is_json:
        typer.echo(as_json(found))
        return
    made = show.table("id", "public key (Ed25519)")
    for key in found.values():
        made.add_row(Text(key.id, style="bold green"), key.data.hex())
    out = show.console()
    out.print(made)
    show.say(out, Text("Keep them with --json: `meydan verify FILE --keys KEYS` checks exported matches by them."))


def as_json(found: Keys) -> str:
    """As `--keys` reads them."""
    return json.dumps({key.id: key.data.hex() for key in found.values()}, indent=2)


def published(client: Client, seconds: float = _ANSWER_SECONDS) -> dict[str, PublicKey]:
    """The keys of one service."""
    answered = client.keys(seconds).keys
    try:
        found = {key.id: key for key in (PublicKey(row.key) for row in answered)}
    except BadKey as error:
        raise Failure(f"{client.address} publishes something else than keys: {error}") from None
    if list(found) != [row.key_id for row in answered]:
        raise Failure(f"{client.address} publishes keys under ids that are not theirs.")
    return found


def _of_all(address: str | None, settings: Settings) -> dict[str, PublicKey]:
    """Of every game's service that answers; it is a failure only if none does."""
    found: dict[str, PublicKey] = {}
    away: Unreachable | None = None
    for name in registry.NAMES[:1] if address else registry.NAMES:
        with Client(registry.load(name), address or registry.address(name, settings), settings) as client:
            try:
                found |= published(client)
            except Unreachable as failure:
                away = failure
    if away is not None and not found:
        raise away
    return found
