"""Tournaments on the real platform: people with clients of their own, computer players, arbiters, and every system."""

import re
import shutil
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, combinations, product
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import Message

from meydan.domino.v1 import domino_pb2
from meydan.match.v1 import envelope_pb2
from meydan.tournament.v1 import tournament_pb2 as pb
from meydan.tournament.v1 import tournament_service_pb2 as api
from services import registry
from services.launcher import Launcher
from services.tournament import records
from services.tournament.model import POINT, Kind, Number
from services.tournament.state import Pairing, Tournament
from shared.access.tokens import Scope
from shared.settings import Settings
from tests.e2e.hosting import Event, Player, Venue
from tests.e2e.printed import MOST_SECONDS, begun, blocks, run
from tests.e2e.proving import check_pushed, proved

ROOT = Path(__file__).parents[2]
DOC = (ROOT / "docs" / "tournaments.md").read_text()


@pytest.fixture(scope="module")
def venue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Venue]:
    """The platform, up, for all tests of this module."""
    ports = dict.fromkeys(registry.SERVICES, 0)
    folder = tmp_path_factory.mktemp("platform")
    settings = Settings(data_dir=folder, ports=ports, redis_url="", broker_url="")
    with Launcher(settings) as platform:
        yield Venue(platform, settings)


def domino(name: str, system: pb.System.ValueType, hand_size: int = 5, **more: Any) -> pb.Plan:
    """Matches for two. With hands of two tiles they are very short: the starter may win before the other has a turn."""
    options = AnyMessage()
    options.Pack(domino_pb2.Options(hand_size=hand_size))
    return pb.Plan(name=name, system=system, game="domino", options=options, seats=2, **more)


def test_people_and_computer_players_play_a_swiss(venue: Venue) -> None:
    """Four people come, one does not check in, four computer players fill up; then all goes by itself, to the end."""
    plan = domino(
        "Open",
        pb.SYSTEM_SWISS,
        rounds=3,
        needs_check_in=True,
        fill_level="greedy",
        fill_to=8,
        tie_breaks=[pb.TIE_BREAK_BUCHHOLZ, pb.TIE_BREAK_GAME_POINTS],
    )
    event = venue.host(plan)
    people = [venue.player(event, name) for name in ("Ada", "Bo", "Cleo", "Dora", "Late Riser")]
    for player in people:
        player.register()
    *present, absent = people
    for player in present:
        player.event.do("CheckIn", number=player.number)
    with ThreadPoolExecutor(1) as pool:
        pushed = pool.submit(venue.onlooker(event).pushed_standings)
        event.do("StartTournament")
        take_part(*present)
    tournament, happened = proved(event)
    assert absent.number not in tournament.order
    assert len(tournament.order) == 8
    assert [len(player.played) for player in present] == [3, 3, 3, 3]
    assert Counter(type(one) for one in happened)[pb.RoundPaired] == 3
    assert sum(row.units for row in event.standings()) == 3 * 4 * POINT
    check_pushed(pushed.result(), event.standings())


def test_who_does_not_come_forfeits_and_people_may_go_return_and_come_late(venue: Venue) -> None:
    """An odd field: the bye goes round, who is away has no points, who comes late has none for what they missed."""
    event = venue.host(domino("Comings and goings", pb.SYSTEM_SWISS, rounds=3, no_show_seconds=5, late_until=2))
    ada, bo, cleo = (venue.player(event, name) for name in ("Ada", "Bo", "Cleo"))
    invite(event, ada, 3000)
    invite(event, bo, 2000)
    event.add_computer_players(1000, 900, 800)
    event.do("StartTournament")
    seat = ada.find_and_sit_down()
    event.until(lambda: any(table.forfeits for table in event.round(1).tables))
    [missed] = [table for table in event.round(1).tables if bo.number in table.seating.seats]
    assert [missed.seating.seats[seat] for seat in missed.forfeits] == [bo.number]
    [other] = set(missed.seating.seats) - {bo.number}
    [resting] = event.round(1).byes
    units = {row.number: row.units for row in event.standings()}
    assert (units[other], units[bo.number], units[resting]) == (POINT, 0, POINT)
    bo.event.do("Withdraw", number=bo.number)
    cleo.register()
    ada.play(seat)
    seat = ada.find_and_sit_down()
    second = event.round(2)
    seated = [number for table in second.tables for number in table.seating.seats]
    assert sorted([*seated, *second.byes]) == sorted({*range(6)} - {bo.number})
    assert list(second.byes) not in ([resting], [])
    bo.event.do("Return", number=bo.number)
    ada.play(seat)
    take_part(ada, bo, cleo)
    tournament, _ = proved(event)
    kinds = {player.number: [entry.kind for entry in player.entries] for player in records.players(tournament)}
    assert kinds[Number(bo.number)] == [Kind.FORFEIT_LOSS, Kind.ABSENT, Kind.PLAYED]
    assert kinds[Number(cleo.number)][0] is Kind.ABSENT
    assert kinds[Number(other)][0] is Kind.FORFEIT_WIN
    assert Counter([kind for own in kinds.values() for kind in own])[Kind.BYE] == 2
    assert [table.forfeits for table in event.round(3).tables if table.forfeits] == []


def invite(event: Event, player: Player, rating: int) -> None:
    """The organiser registers somebody, whose rating they know."""
    entrant = pb.Entrant(name=player.name, player_id=player.name.lower(), rating=rating)
    player.number = event.do("RegisterEntrants", entrants=[entrant]).number


def take_part(*players: Player) -> None:
    """Each with a client of their own, to the end of the tournament."""
    with ThreadPoolExecutor(len(players)) as pool:
        for one in [pool.submit(player.take_part) for player in players]:
            one.result()


def test_an_arbiter_rules_while_the_next_round_is_played(venue: Venue) -> None:
    """What is overridden, undone and annulled counts at once, in whatever round; nobody else can rule."""
    event, ada = with_one_person(venue)
    arbiter = event.arbiter("judge")
    ada.play(ada.find_and_sit_down())
    seat = ada.find_and_sit_down()
    [table] = [one for one in event.round(1).tables if ada.number not in one.seating.seats]
    event.until(lambda: event.summary().open_tables == 1)
    before = event.standings()
    winner = 1 if list(table.places[0].seats) == [0] else 0
    places = [envelope_pb2.Place(seats=[winner]), envelope_pb2.Place(seats=[1 - winner])]
    override = pb.Ruling(override=pb.Override(round=1, table=table.table, places=places))
    for somebody in (ada.event, venue.host(domino("Another", pb.SYSTEM_SWISS, rounds=1)).arbiter("judge")):
        with pytest.raises(grpc.RpcError) as refused:
            event.as_seen_by(somebody.person).do("MakeRuling", ruling=override, reason="I say so")
        assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED
    number = arbiter.do("MakeRuling", ruling=override, reason="A seat was taken by another").number
    ruled = event.round(1).tables[table.table]
    assert (ruled.ruling, list(ruled.places)) == (number, places)
    units = {row.number: row.units for row in before}
    won, lost = table.seating.seats[winner], table.seating.seats[1 - winner]
    now = {row.number: row.units for row in event.standings()}
    assert now[won] > units[won]
    assert now[lost] < units[lost]
    arbiter.do("UndoRuling", number=number, reason="It was not")
    assert event.standings() == before
    assert event.round(1).tables[table.table] == table
    annulment = pb.Ruling(annulment=pb.Annulment(round=1, table=table.table))
    arbiter.do("MakeRuling", ruling=annulment, reason="The table was in the dark")
    assert event.round(1).tables[table.table].status == api.TABLE_STATUS_ANNULLED
    now = {row.number: row.units for row in event.standings()}
    assert units[won] + units[lost] - now[won] - now[lost] == POINT
    ada.play(seat)
    ada.take_part()
    _, happened = proved(event)
    rulings = [(one.number, one.arbiter_id) for one in happened if isinstance(one, pb.RulingMade)]
    assert rulings == [(1, "judge"), (2, "judge")]
    assert [one.number for one in happened if isinstance(one, pb.RulingUndone)] == [1]


def with_one_person(venue: Venue) -> tuple[Event, Player]:
    """A Swiss of three rounds with Ada and three computer players, which has begun: no round ends without her."""
    event = venue.host(domino("One against three", pb.SYSTEM_SWISS, rounds=3))
    ada = venue.player(event, "Ada")
    invite(event, ada, 3000)
    event.add_computer_players(2000, 1000, 500)
    event.do("StartTournament")
    return event, ada


def test_nothing_new_begins_in_a_pause(venue: Venue) -> None:
    """What is played is played on; the round that is due comes when it goes on, though the workers have had time."""
    event, ada = with_one_person(venue)
    arbiter = event.arbiter("judge")
    seat = ada.find_and_sit_down()
    arbiter.do("PauseTournament")
    ada.play(seat)
    event.until(lambda: event.summary().open_tables == 0)
    # The same workers do all that follows in another tournament.
    played(venue, domino("Meanwhile", pb.SYSTEM_SINGLE_ELIMINATION), 2)
    assert (event.summary().round, event.summary().is_paused) == (1, True)
    arbiter.do("ResumeTournament")
    ada.take_part()
    _, happened = proved(event)
    order = [type(one) for one in happened]
    pause, resumption = order.index(pb.TournamentPaused), order.index(pb.TournamentResumed)
    assert order[pause:resumption].count(pb.ResultRecorded) >= 1
    assert {pb.RoundPaired, pb.MatchesStarted}.isdisjoint(order[pause:resumption])
    assert order[resumption:].count(pb.RoundPaired) == 2


def played(venue: Venue, plan: pb.Plan, computer_players: int) -> tuple[Tournament, list[Message]]:
    """A tournament of computer players alone, which nobody rated: from its creation to its proof."""
    event = venue.host(plan)
    event.add_computer_players(*[0] * computer_players)
    event.do("StartTournament")
    event.until_the_end()
    return proved(event)


def test_a_field_that_does_not_divide_plays_at_tables_of_different_sizes(venue: Venue) -> None:
    """Kingdomino at tables of four, for ten: one full table and two of three, and as few meet again as is said."""
    plan = pb.Plan(name="Kings", system=pb.SYSTEM_SWISS, game="kingdomino", seats=4, rounds=2)
    plan.scoring.places.extend([3 * POINT, 2 * POINT, POINT])
    plan.tie_breaks.append(pb.TIE_BREAK_GAME_POINTS)
    tournament, _ = played(venue, plan, 10)
    first, second = map(tables_of, tournament.rounds)
    assert [sorted(map(len, tables)) for tables in (first, second)] == [[3, 3, 4], [3, 3, 4]]
    again = sum(len(one & other) * (len(one & other) - 1) // 2 for one, other in product(first, second))
    certificate = tournament.rounds[1].certificate
    at = certificate.criteria.index("repeats")
    # Four who were together can't all be parted at three tables.
    assert certificate.value[at] == again >= max(certificate.bound[at], 1)


def tables_of(pairing: Pairing) -> list[frozenset[Number]]:
    """Who sat together in a round."""
    return [frozenset(board.seats) for board in pairing.boards.values()]


def test_a_single_elimination_of_six_has_two_byes_and_a_game_for_the_third_place(venue: Venue) -> None:
    """Three rounds; the places are those of the final and of the game for the third."""
    tournament, _ = played(venue, domino("Cup", pb.SYSTEM_SINGLE_ELIMINATION, has_third_place=True), 6)
    assert [labels(pairing) for pairing in tournament.rounds] == [
        ["quarter-final"] * 2,
        ["semi-final"] * 2,
        ["final", "third place"],
    ]
    assert [len(pairing.byes) for pairing in tournament.rounds] == [2, 0, 0]
    assert tournament.places is not None
    final, third = (frozenset(tournament.rounds[-1].boards[table].seats) for table in (0, 1))
    assert [frozenset(chain(*tournament.places[at : at + 2])) for at in (0, 2)] == [final, third]


def labels(pairing: Pairing) -> list[str]:
    """What the tables of a round are for."""
    return [pairing.boards[table].label for table in range(len(pairing.boards))]


def test_two_groups_of_three_send_two_each_to_a_bracket(venue: Venue) -> None:
    """Three rounds of groups, each with a bye in both; then semi-finals and a final."""
    tournament, _ = played(venue, domino("World cup", pb.SYSTEM_GROUPS, groups=2, advancing=2), 6)
    assert [labels(pairing) for pairing in tournament.rounds] == [
        *[["group A", "group B"]] * 3,
        ["semi-final"] * 2,
        ["final"],
    ]
    assert [len(pairing.byes) for pairing in tournament.rounds] == [2, 2, 2, 0, 0]


def test_in_a_round_robin_of_four_everybody_meets_everybody_once(venue: Venue) -> None:
    """Six tables in three rounds."""
    tournament, _ = played(venue, domino("League", pb.SYSTEM_ROUND_ROBIN), 4)
    met = sorted(tuple(sorted(table)) for table in chain(*map(tables_of, tournament.rounds)))
    assert met == list(combinations(range(4), 2))
    assert len(tournament.rounds) == 3


def test_an_arena_pairs_whoever_is_free_until_its_time_is_over(venue: Venue) -> None:
    """Everybody plays several times; it closes by itself, what is played then counts, and nothing begins after that."""
    tournament, happened = played(
        venue, domino("Arena", pb.SYSTEM_ARENA, hand_size=2, arena_seconds=4, has_streaks=True), 6
    )
    games = Counter(chain(*chain(*map(tables_of, tournament.rounds))))
    assert min(games[number] for number in tournament.order) > 1
    order = [type(one) for one in happened]
    assert order.count(pb.ArenaClosed) == 1
    assert pb.RoundPaired not in order[order.index(pb.ArenaClosed) :]
    assert all(pairing.open_tables == 0 for pairing in tournament.rounds)


def test_six_play_by_the_dutch_system(venue: Venue) -> None:
    """Three rounds, and nobody meets anybody twice."""
    tournament, _ = played(venue, domino("Dutch", pb.SYSTEM_DUTCH, rounds=3), 6)
    met = list(chain(*map(tables_of, tournament.rounds)))
    assert len(set(met)) == len(met) == 9
    assert {pairing.certificate.method for pairing in tournament.rounds} == {"dutch"}


def test_the_printed_programs_host_and_play_a_tournament(venue: Venue, tmp_path: Path) -> None:
    """docs/tournaments.md: both exit with 0, the player has played each round, and the host prints the standings."""
    (host, player), programs = (blocks(DOC, language, "A client") for language in ("sh", "python"))
    for name, program in zip(("host.py", "player.py"), programs, strict=True):
        (tmp_path / name).write_text(program)
    shutil.copytree(ROOT / "protos", tmp_path / "protos")
    environment = {"MEYDAN_DATA_DIR": str(venue.settings.data_dir)}
    with begun(here(venue, host), tmp_path, environment) as hosting:
        assert hosting.stdout is not None
        word, tournament_id = hosting.stdout.readline().split()
        played = run(here(venue, player).replace("TOURNAMENT", tournament_id), tmp_path, environment)
        output, errors = hosting.communicate(timeout=MOST_SECONDS)
    assert (word, hosting.returncode) == ("tournament", 0), errors
    assert re.findall(r"^round (\d): .*Ada", played, re.MULTILINE) == ["1", "2", "3"]
    rows = Event(venue.person("somebody", Scope.PUBLIC), tournament_id).standings()
    printed = re.findall(r"^place (\d+): entrant (\d+), (.*) with (\S+)\. ", output, re.MULTILINE)
    rows.sort(key=lambda row: (row.place, row.number))
    assert printed == [(str(row.place), str(row.number), row.name, row.points) for row in rows]


def here(venue: Venue, commands: str) -> str:
    """The commands with the addresses of this platform in place of the printed ones."""
    for printed, name in (("127.0.0.1:50550", registry.TOURNAMENT), ("127.0.0.1:50551", "domino")):
        commands = commands.replace(printed, venue.platform.addresses[name])
    return commands
