"""Whatever is changed in a tournament's log shows, and where: though links hold, and somebody has signed it anew."""

import json

import pytest

from meydan.tournament.v1 import tournament_pb2 as pb
from services.tournament import verify
from services.tournament.wire import NAME, WIRE
from shared import export
from shared.envelope import Envelope, hash_of, redact
from shared.kernel import EVERYTHING, SPECTATOR, Viewer
from shared.proof.heads import sign
from shared.proof.keys import SigningKey
from shared.verify import Wrong
from tests.conformance.recording import rechained
from tests.tournament.core import cheating
from tests.tournament.core.recording import LIFECYCLE, TOURNAMENT_ID, Recorder, person, plan
from tests.tournament.core.test_refusals import swapped

KEY, OTHER = SigningKey.generate(), SigningKey.generate()
KEYS = {KEY.public.id: KEY.public}


def honest() -> list[Envelope]:
    """A Swiss of eight: some registered, some did not come, computer players filled up."""
    recorder = Recorder(plan(needs_check_in=True, fill_level="greedy", fill_to=8, rounds=3))
    for name in "abcdef":
        recorder.do("register", [person(name, entropy=name.encode())])
    for number in range(5):
        recorder.do("check_in", number)
    recorder.do("start")
    recorder.play_on(lambda board: [[0], [1]] if board.seats[0] < board.seats[1] else [[1], [0]])
    return recorder.envelopes


HONEST = honest()


def renumbered(log: list[Envelope]) -> list[Envelope]:
    """With versions and links that hold."""
    return rechained([envelope._replace(version=version) for version, envelope in enumerate(log, 1)])


def exported(log: list[Envelope], viewer: Viewer = EVERYTHING, key: SigningKey = KEY) -> list[str]:
    """The log as a file, signed."""
    head = sign(key, TOURNAMENT_ID, len(log), hash_of(log[-1]))
    lines = [export.envelope_line(WIRE, redact(envelope, viewer)) for envelope in log]
    return [export.header_line(NAME, head, key.public), *lines]


def test_an_honest_log_passes() -> None:
    """What follows would mean nothing otherwise."""
    assert verify.verify(renumbered(HONEST)).version == len(HONEST)
    found = verify.audited(exported(HONEST), KEYS)
    assert found.tournament == verify.verify(HONEST)
    assert len(list(verify.steps(HONEST))) == len({(one.command_id, one.time_micros) for one in HONEST})


@pytest.mark.parametrize("cheat", cheating.CHEATS, ids=lambda cheat: cheat.__name__)
def test_a_cheat_shows(cheat: cheating.Cheat) -> None:
    """At the event that can't be, with a sentence; whoever has signed it."""
    log = list(HONEST)
    version = cheat(log)
    with pytest.raises(Wrong) as wrong:
        verify.verify(renumbered(log))
    assert wrong.value.version == version, wrong.value
    assert len(wrong.value.message) > 20
    for keys in (KEYS, None):
        with pytest.raises(Wrong):
            verify.audited(_written(renumbered(log), OTHER), keys)


def _written(log: list[Envelope], key: SigningKey) -> list[str]:
    """As a file, also of an event that the platform would not write."""
    known = [one if one.type.startswith("meydan.tournament.") else one._replace(type=HONEST[-1].type) for one in log]
    return exported(known, key=key)


def test_another_key_is_not_the_platforms() -> None:
    """An honest log, signed by somebody else."""
    with pytest.raises(Wrong, match="not a published one"):
        verify.audited(exported(HONEST, key=OTHER), KEYS)
    assert verify.audited(exported(HONEST, key=OTHER)).tournament.version == len(HONEST)


def test_a_changed_link_shows() -> None:
    """Without new links, the change shows in the next event at the latest."""
    for place in range(len(HONEST) - 1):
        log = list(HONEST)
        log[place] = log[place]._replace(time_micros=log[place].time_micros + 1)
        with pytest.raises(Wrong) as wrong:
            verify.verify(log)
        assert place + 1 <= wrong.value.version <= place + 2


def test_every_event_that_is_dropped_shows() -> None:
    """With all links made anew. But for one: a match may end before anybody says that it has begun."""
    for place in range(len(HONEST) - 1):
        log = renumbered([*HONEST[:place], *HONEST[place + 1 :]])
        if HONEST[place].type.endswith("MatchesStarted"):
            assert verify.verify(log).version == len(log)
            continue
        with pytest.raises(Wrong) as wrong:
            verify.verify(log)
        assert wrong.value.version >= place + 1


def test_every_event_that_is_doubled_shows() -> None:
    """At its place."""
    for place in range(len(HONEST)):
        log = [*HONEST[: place + 1], HONEST[place], *HONEST[place + 1 :]]
        with pytest.raises(Wrong) as wrong:
            verify.verify(renumbered(log))
        assert wrong.value.version >= place + 1


def test_a_log_that_is_not_over_passes_without_its_seed() -> None:
    """At every length; and lots are believed only as far as they must be."""
    for length in range(1, len(HONEST)):
        log = [redact(envelope, SPECTATOR) for envelope in HONEST[:length]]
        assert verify.verify(log).version == length
    hidden = [redact(envelope, SPECTATOR) for envelope in HONEST[:-1]]
    assert verify.audited(exported(HONEST[:-1], SPECTATOR), KEYS).tournament.version == len(hidden)


@pytest.mark.parametrize(
    "cheat",
    [
        cheating.a_changed_result,
        cheating.swapped_tables,
        cheating.another_value,
        cheating.nobody_checked_in_late,
        cheating.a_computer_player_more,
        cheating.a_second_result,
        cheating.an_entrant_less,
        cheating.a_start_that_is_dropped,
    ],
    ids=lambda cheat: cheat.__name__,
)
def test_a_cheat_shows_in_a_log_whose_seed_is_hidden(cheat: cheating.Cheat) -> None:
    """All but the lots themselves is decided again there too."""
    log = list(HONEST)
    version = cheat(log)
    hidden = [redact(envelope, SPECTATOR) for envelope in log[:-1]]
    with pytest.raises(Wrong) as wrong:
        verify.verify(renumbered(hidden))
    assert wrong.value.version == version, wrong.value


def _order(change: object) -> list[Envelope]:
    log = list(HONEST)
    cheating.changed(log, cheating.at(log, pb.TournamentStarted), change)  # type: ignore[arg-type]
    return renumbered([redact(envelope, SPECTATOR) for envelope in log[: cheating.at(log, pb.TournamentStarted) + 1]])


def test_an_order_in_which_somebody_is_missing_shows_while_the_seed_is_hidden() -> None:
    """Or is there twice. An order that might have been drawn is believed until the seed is known."""
    for change in (lambda event: event.order.pop(), lambda event: event.order.append(0)):
        with pytest.raises(Wrong, match="BAD_ORDER"):
            verify.verify(_order(change))
    assert verify.verify(_order(lambda event: event.order.reverse())).order


def test_an_order_that_is_not_by_rating_shows_while_the_seed_is_hidden() -> None:
    """Whatever was drawn, the better one is before the other."""
    recorder = Recorder(people=4)
    recorder.do("start")
    log = list(recorder.envelopes)
    version = cheating.changed(log, len(log) - 1, lambda event: event.order.reverse())
    with pytest.raises(Wrong) as wrong:
        verify.verify(renumbered([redact(envelope, SPECTATOR) for envelope in log]))
    assert wrong.value.version == version


def test_a_second_start_shows_while_the_seed_is_hidden() -> None:
    """Nothing starts twice."""
    place = cheating.at(HONEST, pb.TournamentStarted)
    log = [redact(envelope, SPECTATOR) for envelope in (*HONEST[: place + 1], HONEST[place])]
    with pytest.raises(Wrong, match="ALREADY_STARTED"):
        verify.verify(renumbered(log))


def test_a_seed_can_not_be_hidden_after_the_end() -> None:
    """To have less checked."""
    with pytest.raises(Wrong):
        verify.verify([redact(envelope, SPECTATOR) for envelope in HONEST])


def test_commands_with_the_same_id_at_the_same_time_are_told_apart() -> None:
    """A player may call a command as the organiser calls the start, in the same microsecond."""
    recorder = Recorder(plan(fill_level="greedy", fill_to=6))
    same = recorder.stamp("same")
    recorder.take(LIFECYCLE.register(recorder.tournament, [person("a")], same))
    recorder.take(LIFECYCLE.register(recorder.tournament, [pb.Entrant(name="greedy 2", ai_level="greedy")], same))
    recorder.take(LIFECYCLE.withdraw(recorder.tournament, 0, same))  # type: ignore[arg-type]
    recorder.take(LIFECYCLE.start(recorder.tournament, same))
    recorder.play_on()
    assert verify.verify(recorder.envelopes) == recorder.tournament


def test_a_file_of_something_else_is_no_tournament() -> None:
    """Another game's name, another id, another format."""
    header = json.loads(exported(HONEST)[0])
    with pytest.raises(Wrong, match="not of a tournament"):
        verify.audited([json.dumps(header | {"game": "domino"}) + "\n", *exported(HONEST)[1:]], KEYS)
    other = sign(KEY, "01HZZZZZZZZZZZZZZZZZZZZZZ0", len(HONEST), hash_of(HONEST[-1]))
    with pytest.raises(Wrong, match="another tournament"):
        verify.audited([export.header_line(NAME, other, KEY.public), *exported(HONEST)[1:]], KEYS)
    with pytest.raises(export.BrokenFile):
        verify.audited(["{}\n"], KEYS)


def test_the_log_vouches_for_the_matches_that_count() -> None:
    """And for none that was superseded."""
    recorder = swapped()
    old = list(recorder.tournament.matches)
    recorder.start_matches()
    recorder.record_all()
    vouched = verify.matches_of(recorder.envelopes)
    assert set(vouched) == {recorder.match(0), recorder.match(1)}
    assert not set(vouched) & set(old)
    assert vouched[recorder.match(0)] == (7, recorder.events(pb.ResultRecorded)[0].result.head)
