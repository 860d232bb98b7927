"""Kingdomino as a client of its service has it: options, legal commands, turns in one command or in two."""

from collections.abc import AsyncIterator

import grpc
import pytest

from meydan.kingdomino.v1 import kingdomino_pb2
from meydan.match.v1 import match_service_pb2 as pb
from services.registry import load
from shared.eventlog.memory import MemoryLog
from tests.host.service import PATIENCE, Answer, Service, Table, human, new_table, packed, refusal, serving

KINGDOMINO = load("kingdomino")
SEED = b"kingdomino over gRPC"


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    """A service of Kingdomino."""
    async with serving(MemoryLog(), KINGDOMINO) as started:
        yield started


@pytest.fixture
async def other_service() -> AsyncIterator[Service]:
    """Another one, on which the same things happen to a match of the same seed."""
    async with serving(MemoryLog(), KINGDOMINO) as started:
        yield started


async def texts(table: Table) -> list[str]:
    """What the seat to act may do, as text in its order."""
    (seat,) = (await table.view()).match.to_act
    return [command.text for command in (await table.legal(seat)).commands]


async def say(table: Table, *commands: str) -> None:
    """Commands, each of the seat that is then to act."""
    for command in commands:
        (seat,) = (await table.view()).match.to_act
        await table.submit(table.submission(seat, command))


async def chosen(service: Service, seats: int = 4) -> Table:
    """A match whose first line has its kings: each went to the lowest domino that was free."""
    table = await new_table(service, seats, seed=SEED)
    while (first := (await texts(table))[0]).startswith("choose"):
        await say(table, first)
    return table


async def after(table: Table, version: int) -> list[tuple[int, str, bytes]]:
    """The log from a version on: seats, types and contents of its events."""
    return [(one.seat, one.event.type_url, one.event.value) for one in await table.history(after=version)]


async def test_it_describes_itself(service: Service) -> None:
    """K-2, K-18 to K-21: seats, commands, and every variant with its choices."""
    answer = await service.stub.DescribeGame(pb.DescribeGameRequest(), timeout=PATIENCE)
    assert (answer.title, answer.min_seats, answer.max_seats) == ("Kingdomino", 2, 4)
    commands = ["PlaceDomino", "DiscardDomino", "ChooseDomino"]
    assert list(answer.command_types) == [f"meydan.kingdomino.v1.{name}" for name in commands]
    assert [option.name for option in answer.options] == ["dynasty", "middle_kingdom", "harmony", "mighty_duel"]
    assert {(option.default_value, *option.choices) for option in answer.options} == {("false", "true", "false")}


async def test_the_first_thing_to_do_is_to_choose(service: Service) -> None:
    """K-6, Order: the dominoes of the first line by number, for the seat whose king was drawn first and nobody else."""
    table = await new_table(service, 4, seed=SEED)
    view = kingdomino_pb2.View()
    assert (await table.view()).view.Unpack(view)
    assert await texts(table) == [f"choose {one.domino.number}" for one in view.next_line]
    others = {*range(4)} - {view.turn}
    assert [list((await table.legal(seat)).commands) for seat in others] == [[], [], []]


async def test_placements_come_in_their_order_first_alone_and_then_with_each_choice(service: Service) -> None:
    """K-8, K-12, Order: halves by (x, y) of the first square, then of the second; whole turns after them, likewise."""
    table = await chosen(service)
    listed = await texts(table)
    view = kingdomino_pb2.View()
    assert (await table.view()).view.Unpack(view)
    number, free = view.line[0].domino.number, [one.domino.number for one in view.next_line]
    halves = [text for text in listed if " then " not in text]
    assert listed[: len(halves)] == halves
    assert listed[len(halves) :] == [f"{half} then {choice}" for half in halves for choice in free]
    assert halves[0] in {f"{number} at -2,0 east", f"{number} at -2,0 south"}
    steps = {"west": (-1, 0), "north": (0, -1), "south": (0, 1), "east": (1, 0)}
    cells = []
    for half in halves:
        _, _, where, direction = half.split()
        x, y = map(int, where.split(","))
        cells.append((x, y, x + steps[direction][0], y + steps[direction][1]))
    assert cells == sorted(cells)


async def test_the_messages_of_the_legal_commands_are_what_their_texts_say(service: Service) -> None:
    """K-8: either can be sent."""
    table = await chosen(service)
    (seat,) = (await table.view()).match.to_act
    for command in (await table.legal(seat)).commands:
        read = KINGDOMINO.notation.parse_command(command.text)
        message = kingdomino_pb2.PlaceDomino()
        assert command.command.Unpack(message)
        assert KINGDOMINO.codec.decode_command(message) == read


async def test_a_turn_in_one_command_leaves_the_log_that_two_commands_leave(
    service: Service, other_service: Service
) -> None:
    """K-8: the same events in the same order, and the same position; only who sent how much differs."""
    tables = [await chosen(one) for one in (service, other_service)]
    begun = (await tables[0].view()).match.version
    whole = (await texts(tables[0]))[-1]
    half, choice = whole.split(" then ")
    await say(tables[0], whole)
    await say(tables[1], half, f"choose {choice}")
    logs = [await after(table, begun) for table in tables]
    assert [kind.rpartition(".")[2] for _, kind, _ in logs[0]] == ["DominoPlaced", "DominoChosen"]
    assert logs[0] == logs[1]
    views = [(await table.view()).view.value for table in tables]
    assert views[0] == views[1]


async def test_a_kings_only_option_may_be_named_or_not(service: Service, other_service: Service) -> None:
    """K-6: nothing is asked for where a king has one option, but who names it says the same."""
    tables = [await chosen(one) for one in (service, other_service)]
    for _ in range(3):
        whole = (await texts(tables[0]))[-1]
        for table in tables:
            await say(table, whole)
    begun = (await tables[0].view()).match.version
    halves = await texts(tables[0])
    assert all(" then " not in half for half in halves)
    view = kingdomino_pb2.View()
    assert (await tables[0].view()).view.Unpack(view)
    [left] = [one.domino.number for one in view.next_line if not one.HasField("king")]
    await say(tables[0], halves[0])
    await say(tables[1], f"{halves[0]} then {left}")
    assert await after(tables[0], begun) == await after(tables[1], begun)


async def test_a_match_goes_to_its_end_over_the_wire(service: Service) -> None:
    """K-10, K-11: with places for all seats at the end."""
    table = await new_table(service, 3, seed=SEED)
    await table.play()
    match = (await table.view()).match
    assert match.status == pb.MATCH_STATUS_FINISHED
    assert sorted(seat for place in match.places for seat in place.seats) == [0, 1, 2]


async def refused(service: Service, table: Table, text: str) -> Answer:
    """How a command of the seat to act is refused."""
    (seat,) = (await table.view()).match.to_act
    return await refusal(service.stub.SubmitCommand(table.submission(seat, text), timeout=PATIENCE))


@pytest.mark.parametrize(
    ("where", "rule"),
    [
        pytest.param("0,0 east", "K-12", id="K-12: on the castle"),
        pytest.param("2,0 east", "K-13", id="K-13: away from everything"),
        pytest.param("4,0 east", "K-14", id="K-14: too far away"),
    ],
)
async def test_a_command_against_a_rule_names_the_rule(service: Service, where: str, rule: str) -> None:
    """And says why, and nothing is written."""
    table = await chosen(service)
    number, before = (await texts(table))[0].split()[0], (await table.view()).match.version
    answer = await refused(service, table, f"{number} at {where}")
    assert (answer.code, answer.rules) == (grpc.StatusCode.FAILED_PRECONDITION, (rule,))
    assert answer.message
    assert (await table.view()).match.version == before


@pytest.mark.parametrize("seats", [3, 4])
async def test_the_duel_with_more_than_two_is_refused(service: Service, seats: int) -> None:
    """K-21: INVALID_ARGUMENT, with the rule and a sentence; no match is made."""
    options = packed(kingdomino_pb2.Options(mighty_duel=True, dynasty=True))
    request = pb.CreateMatchRequest(seats=[human() for _ in range(seats)], options=options)
    answer = await refusal(service.stub.CreateMatch(request, timeout=PATIENCE))
    assert answer.code is grpc.StatusCode.INVALID_ARGUMENT
    assert (answer.reason, answer.fields) == ("K-21", ("options",))
    assert answer.message == f"The Mighty Duel is for 2 players, not {seats}."
    assert await service.log.list_ids(None, "", 10) == []
