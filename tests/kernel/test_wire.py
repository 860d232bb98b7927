"""Events on their way into a log: each is stored as what it is, whatever else is like it."""

from services.kingdomino.rules.events import DominoChosen, DominoDiscarded
from services.registry import load
from shared.envelope import Envelope
from shared.kernel import Seat
from shared.match.wire import Wire

KINGDOMINO = load("kingdomino")
CHOSEN, DISCARDED = DominoChosen(Seat(1), 46), DominoDiscarded(Seat(1), 46)


def test_events_of_two_types_with_the_same_values_are_stored_as_two() -> None:
    """Named tuples with the same values are equal, so that a memory of one must not answer for the other."""
    assert tuple(CHOSEN) == tuple(DISCARDED)
    wire = Wire(KINGDOMINO)
    stored = [wire.encode(event) for event in (CHOSEN, DISCARDED, CHOSEN)]
    assert [form.type.rpartition(".")[2] for form in stored] == ["DominoChosen", "DominoDiscarded", "DominoChosen"]


def test_events_of_two_types_with_the_same_bytes_are_read_as_two() -> None:
    """The same of reading: what an event is, its type tells."""
    wire = Wire(KINGDOMINO)
    forms = [wire.encode(event) for event in (CHOSEN, DISCARDED)]
    assert forms[0].public == forms[1].public
    read = [wire.event(Envelope(1, 1, form.type, 0, "id", Seat(1), form.public, ())) for form in forms]
    assert [type(event) for event in read] == [DominoChosen, DominoDiscarded]
