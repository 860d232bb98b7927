"""Between the messages of a tournament's log and the types of its rules."""

from google.protobuf.any_pb2 import Any as AnyMessage

from meydan.match.v1 import envelope_pb2
from meydan.tournament.v1 import tournament_pb2 as pb
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
from shared.kernel import Malformed, Places, Seat
from shared.match import terms

_SYSTEMS = {pb.System.Value(f"SYSTEM_{system.name}"): system for system in System}
_TIE_BREAKS = {pb.TieBreak.Value(f"TIE_BREAK_{one.name}"): one for one in TieBreak}
_SYSTEM_NUMBERS = {system: number for number, system in _SYSTEMS.items()}
_TIE_BREAK_NUMBERS = {one: number for number, one in _TIE_BREAKS.items()}
# How many go on where a plan does not say: of a group, and of a table of a bracket.
_ADVANCING = {System.GROUPS: 2}


def plan_of(message: pb.Plan) -> Plan:
    """The plan. Whether it can be played is not looked at here."""
    system = _SYSTEMS.get(message.system)
    if system is None:
        raise Malformed("plan.system", "A plan names one of the systems.")
    return Plan(
        name=message.name,
        system=system,
        game=message.game,
        options=message.options.SerializeToString() if message.HasField("options") else b"",
        seats=message.seats,
        rounds=message.rounds,
        legs=message.legs or 1,
        groups=message.groups,
        advancing=message.advancing or _ADVANCING.get(system, 1),
        has_third_place=message.has_third_place,
        scoring=_scoring_of(message.scoring) if message.HasField("scoring") else Scoring(),
        tie_breaks=tuple(map(_tie_break_of, message.tie_breaks)),
        control=terms.time_control(message.clock) if message.HasField("clock") else None,
        no_show_seconds=message.no_show_seconds,
        late_until=message.late_until,
        needs_check_in=message.needs_check_in,
        fill_level=message.fill_level,
        fill_to=message.fill_to,
        arena_seconds=message.arena_seconds,
        has_streaks=message.has_streaks,
    )


def _scoring_of(message: pb.Scoring) -> Scoring:
    draw = message.draw if message.HasField("draw") else None
    return Scoring(tuple(message.places), draw, message.bye)


def _tie_break_of(number: pb.TieBreak.ValueType) -> TieBreak:
    if number not in _TIE_BREAKS:
        raise Malformed("plan.tie_breaks", "This is no tie-break.")
    return _TIE_BREAKS[number]


def plan_message(plan: Plan) -> pb.Plan:
    """The plan as clients see it, with everything said that it had left out."""
    scoring = pb.Scoring(places=plan.scoring.places, draw=plan.scoring.draw, bye=plan.scoring.bye)
    return pb.Plan(
        name=plan.name,
        system=_SYSTEM_NUMBERS[plan.system],
        game=plan.game,
        options=AnyMessage.FromString(plan.options) if plan.options else None,
        seats=plan.seats,
        rounds=plan.rounds,
        legs=plan.legs,
        groups=plan.groups,
        advancing=plan.advancing,
        has_third_place=plan.has_third_place,
        scoring=scoring,
        tie_breaks=[_TIE_BREAK_NUMBERS[one] for one in plan.tie_breaks],
        clock=None if plan.control is None else terms.clock_message(plan.control),
        no_show_seconds=plan.no_show_seconds,
        late_until=plan.late_until,
        needs_check_in=plan.needs_check_in,
        fill_level=plan.fill_level,
        fill_to=plan.fill_to,
        arena_seconds=plan.arena_seconds,
        has_streaks=plan.has_streaks,
    )


def draw_of(message: pb.Draw) -> Draw:
    """A round as it was paired."""
    tables = tuple([Table(tuple(map(Number, table.seats)), label=table.label) for table in message.tables])
    return Draw(tables, tuple(map(Number, message.byes)), _certificate_of(message.certificate))


def _certificate_of(message: pb.Certificate) -> Certificate:
    return Certificate(
        message.method,
        tuple(message.criteria),
        tuple(message.value),
        tuple(message.bound),
        _proof_of(message.proof) if message.HasField("proof") else Proof(),
    )


def _proof_of(message: pb.Proof) -> Proof:
    if len(message.numbers) != len(message.potentials):
        raise Malformed("certificate.proof", "A proof has as many potentials as entrants that they are of.")
    return Proof(
        tuple(zip(map(Number, message.numbers), message.potentials, strict=True)),
        tuple([(line.score, line.weight) for line in message.lines]),
        tuple(map(_odd_set_of, message.odd_sets)),
        message.scale or 1,
    )


def _odd_set_of(message: pb.OddSet) -> OddSet:
    above = message.above if message.HasField("above") else None
    return OddSet(tuple(map(Number, message.members)), message.weight, above)


def draw_message(draw: Draw) -> pb.Draw:
    """The same as a message."""
    return pb.Draw(
        tables=[pb.Table(seats=table.seats, label=table.label) for table in draw.tables],
        byes=draw.byes,
        certificate=certificate_message(draw.certificate),
    )


def certificate_message(certificate: Certificate) -> pb.Certificate:
    proof = certificate.proof
    return pb.Certificate(
        method=certificate.method,
        criteria=certificate.criteria,
        value=certificate.value,
        bound=certificate.bound,
        proof=None if proof == Proof() else _proof_message(proof),
    )


def _proof_message(proof: Proof) -> pb.Proof:
    return pb.Proof(
        numbers=[number for number, _ in proof.potentials],
        potentials=[value for _, value in proof.potentials],
        lines=[pb.Line(score=score, weight=weight) for score, weight in proof.lines],
        odd_sets=[pb.OddSet(members=one.members, weight=one.weight, above=one.above) for one in proof.odd_sets],
        scale=proof.scale,
    )


def places_of(groups: "list[envelope_pb2.Place]") -> Places:
    """Places of seats, the winners first."""
    return tuple(tuple(map(Seat, place.seats)) for place in groups)


def places_message(places: Places) -> list[envelope_pb2.Place]:
    return [envelope_pb2.Place(seats=tied) for tied in places]
