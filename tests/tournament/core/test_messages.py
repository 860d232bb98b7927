"""Plans, rounds and certificates as messages: nothing is lost on the way."""

import pytest
from google.protobuf.any_pb2 import Any as AnyMessage
from hypothesis import given, settings
from hypothesis import strategies as st

from meydan.domino.v1 import domino_pb2
from meydan.tournament.v1 import tournament_pb2 as pb
from services.tournament import messages
from services.tournament.model import (
    Certificate,
    Draw,
    Number,
    OddSet,
    Plan,
    Proof,
    Scoring,
    System,
    Table,
    TieBreak,
)
from services.tournament.rounds import propose
from shared.kernel import Malformed
from shared.match.clocks import TimeControl
from tests.tournament.core.recording import plan, running
from tests.tournament.core.wandering import SYSTEMS

often = settings(max_examples=60, deadline=None, derandomize=True)
small = st.integers(0, 2**31 - 1)
numbers = st.lists(st.integers(0, 200_000).map(Number), max_size=6).map(tuple)
signed = st.integers(-(2**62), 2**62)


def options(target: int) -> bytes:
    """A game's options as they are in a plan."""
    packed = AnyMessage()
    packed.Pack(domino_pb2.Options(target=target))
    return packed.SerializeToString()


controls = st.one_of(
    st.none(),
    st.integers(1, 999).map(lambda seconds: TimeControl(move_micros=seconds * 1_000_000)),
    st.integers(1, 999).map(lambda seconds: TimeControl(base_micros=seconds * 1_000_000, increment_micros=2_000_000)),
)
scorings = st.builds(Scoring, st.lists(small, max_size=4).map(tuple), st.none() | small, small)
plans = st.builds(
    Plan,
    name=st.text(max_size=12),
    system=st.sampled_from(System),
    game=st.sampled_from(("domino", "kingdomino")),
    options=st.just(b"") | st.integers(1, 500).map(options),
    seats=small,
    rounds=small,
    legs=st.integers(1, 50),
    groups=small,
    advancing=st.integers(1, 50),
    has_third_place=st.booleans(),
    scoring=scorings,
    tie_breaks=st.lists(st.sampled_from(TieBreak), max_size=12).map(tuple),
    control=controls,
    no_show_seconds=small,
    late_until=small,
    needs_check_in=st.booleans(),
    fill_level=st.text(max_size=8),
    fill_to=small,
    arena_seconds=small,
    has_streaks=st.booleans(),
)
proofs = st.builds(
    Proof,
    st.lists(st.tuples(st.integers(-1, 9).map(Number), signed), max_size=5).map(tuple),
    st.lists(st.tuples(signed, signed), max_size=4).map(tuple),
    st.lists(st.builds(OddSet, numbers, signed, st.none() | signed), max_size=3).map(tuple),
    st.integers(1, 2**62),
)
values = st.lists(signed, max_size=6).map(tuple)
certificates = st.builds(
    Certificate, st.text(max_size=8), st.lists(st.text(max_size=8), max_size=5).map(tuple), values, values, proofs
)
tables = st.builds(Table, numbers, st.none(), st.text(max_size=8))
draws = st.builds(Draw, st.lists(tables, max_size=4).map(tuple), numbers, certificates)


@often
@given(wanted=plans)
def test_a_plan_is_the_same_after_it_was_a_message(wanted: Plan) -> None:
    """Through bytes, as in the log."""
    message = pb.Plan.FromString(messages.plan_message(wanted).SerializeToString())
    assert messages.plan_of(message) == wanted


@often
@given(draw=draws)
def test_a_round_is_the_same_after_it_was_a_message(draw: Draw) -> None:
    """Tables, byes, certificate, proof."""
    message = pb.Draw.FromString(messages.draw_message(draw).SerializeToString())
    assert messages.draw_of(message) == draw
    assert messages.draw_message(messages.draw_of(message)) == message


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_round_that_was_paired_is_the_same_after_it_was_a_message(name: str) -> None:
    """Of every system, with the certificate that it really has."""
    system, changes, people = SYSTEMS[name]
    draw = propose(running(plan(system, **changes), people).tournament)
    assert draw is not None
    assert messages.draw_of(pb.Draw.FromString(messages.draw_message(draw).SerializeToString())) == draw


def test_what_a_plan_leaves_out_is_said_in_the_log() -> None:
    """So that a later day's defaults change nothing."""
    message = pb.Plan(name="cup", system=pb.SYSTEM_GROUPS, game="domino", seats=2, groups=2)
    written = messages.plan_message(messages.plan_of(message))
    assert (written.legs, written.advancing) == (1, 2)
    assert list(written.scoring.places) == [24, 0]
    assert written.scoring.bye == 24
    message.system = pb.SYSTEM_SINGLE_ELIMINATION
    assert messages.plan_message(messages.plan_of(message)).advancing == 1


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (pb.Plan(), "plan.system"),
        (pb.Plan(system=99), "plan.system"),  # type: ignore[arg-type]
        (pb.Plan(system=pb.SYSTEM_SWISS, tie_breaks=[pb.TIE_BREAK_UNSPECIFIED]), "plan.tie_breaks"),
        (pb.Plan(system=pb.SYSTEM_SWISS, tie_breaks=[99]), "plan.tie_breaks"),  # type: ignore[list-item]
    ],
)
def test_what_is_no_plan_says_so(message: pb.Plan, field: str) -> None:
    """By the field."""
    with pytest.raises(Malformed) as error:
        messages.plan_of(message)
    assert error.value.field == field


def test_a_proof_whose_parts_do_not_fit_is_none() -> None:
    """As many potentials as entrants."""
    proof = pb.Proof(numbers=[1, 2], potentials=[3])
    with pytest.raises(Malformed):
        messages.draw_of(pb.Draw(certificate=pb.Certificate(proof=proof)))


def test_every_system_and_tie_break_has_a_name_in_the_log() -> None:
    """And nothing in the log is a name of nothing."""
    systems = {name.removeprefix("SYSTEM_") for name in dict(pb.System.items())} - {"UNSPECIFIED"}
    tie_breaks = {name.removeprefix("TIE_BREAK_") for name in dict(pb.TieBreak.items())} - {"UNSPECIFIED"}
    assert systems == {system.name for system in System}
    assert tie_breaks == {one.name for one in TieBreak}
