"""Dashboard, alerts and scraping are held to the metrics that there are, and to the containers that there are."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from services import registry
from services.tournament.server import SERVICE as TOURNAMENT_SERVICE
from services.workers.outcomes import Outcome
from services.workers.tasks import match_ended, play_turn
from services.workers.tournaments import pair_round, record_result, start_matches
from shared.host.rpc import MATCH_SERVICE
from shared.metrics import COMMAND_CALLS, REGISTRY

DEPLOY = Path(__file__).parents[2] / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY.parent / "docker-compose.yml").read_text())
SCRAPING: dict[str, Any] = yaml.safe_load((DEPLOY / "prometheus.yml").read_text())
GROUPS: list[dict[str, Any]] = yaml.safe_load((DEPLOY / "prometheus-rules.yml").read_text())["groups"]
ALERTS: list[dict[str, Any]] = [rule for group in GROUPS for rule in group["rules"]]
DASHBOARD: dict[str, Any] = json.loads((DEPLOY / "grafana-dashboard.json").read_text())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]

TASKS = (play_turn, match_ended, pair_round, start_matches, record_result)
SUFFIXES = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_count", "_sum")}
# The names of the samples of each metric, and the labels of each sample.
SAMPLES = {family.name: {family.name + end for end in SUFFIXES[family.type]} for family in REGISTRY.collect()}
EVERY_SAMPLE = set().union(*SAMPLES.values())
LABELS = {
    name: set(getattr(metric, "_labelnames", ()))
    for metric, names in REGISTRY._collector_to_names.items()
    for name in names
}
# Those of Prometheus itself, and the one that prometheus.yml adds.
THEIR_SAMPLES = {"up"}
# What is written in the values of these labels. Results are of commands, audits, work and tasks.
_RESULTS = {"accepted", "repeated", "unavailable", "passed", "failed", "hit", "miss", "unreadable", *Outcome}
WORDS = {"task": {task.__name__ for task in TASKS}, "result": _RESULTS}
THEIR_LABELS = {"instance", "job", "le", "process"}

OPERATORS = {"and", "or", "unless", "offset", "bool"}
LABEL_LIST = r"\b(?:by|without|on|ignoring)\s*\(([^)]*)\)"


def without_strings(expression: str) -> str:
    """An expression with nothing in its quotes."""
    return re.sub(r'"[^"]*"', '""', expression)


def metrics_in(expression: str) -> set[str]:
    """The names of all series that an expression reads."""
    text = re.sub(LABEL_LIST, " ", without_strings(expression))
    text = re.sub(r"\{[^}]*\}|\[[^\]]*\]", " ", text)
    words = re.findall(r"(?<!\w)[A-Za-z_:][\w:]*(?![\w:]*\s*\()", text)
    return set(words) - OPERATORS


def labels_in(expression: str) -> set[str]:
    """The names of all labels that an expression chooses or groups by."""
    text = without_strings(expression)
    grouped = [name.strip() for names in re.findall(LABEL_LIST, text) for name in names.split(",")]
    chosen = [name for matchers in re.findall(r"\{([^}]*)\}", text) for name in re.findall(r"(\w+)\s*[=!]", matchers)]
    return {*grouped, *chosen}


DASHBOARD_QUERIES = {
    f"{panel['title']} {target['refId']}": str(target["expr"]) for panel in PANELS for target in panel["targets"]
}
EVERY_QUERY = {alert["alert"]: str(alert["expr"]) for alert in ALERTS} | DASHBOARD_QUERIES
each_query = pytest.mark.parametrize("expression", EVERY_QUERY.values(), ids=EVERY_QUERY.keys())


def test_names_are_found_in_an_expression() -> None:
    """Functions, labels, durations and texts are no metrics."""
    expression = (
        'sum by (le, game) (rate(a_bucket{game=~"$game",x!="b"}[5m])) > 5 * up unless c:d offset 10m or vector(0)'
    )
    assert metrics_in(expression) == {"a_bucket", "up", "c:d"}
    assert labels_in(expression) == {"le", "game", "x"}


@each_query
def test_every_metric_that_is_named_exists(expression: str) -> None:
    """A panel or an alert without data looks like peace."""
    named = metrics_in(expression)
    assert named
    assert named <= EVERY_SAMPLE | THEIR_SAMPLES


@each_query
def test_every_label_that_is_named_exists(expression: str) -> None:
    """A matcher of a label that is not there matches nothing."""
    known = [LABELS.get(name, set()) for name in metrics_in(expression)]
    assert labels_in(expression) <= THEIR_LABELS.union(*known)


@pytest.mark.parametrize("file", ["prometheus-rules.yml", "grafana-dashboard.json"])
def test_nothing_else_in_the_files_names_a_metric_that_does_not_exist(file: str) -> None:
    """Such as the list of games that one can choose from."""
    assert set(re.findall(r"\bmeydan_\w+", (DEPLOY / file).read_text())) <= EVERY_SAMPLE


def test_every_metric_of_ours_is_on_the_dashboard() -> None:
    """What is counted is looked at."""
    shown = set().union(*map(metrics_in, DASHBOARD_QUERIES.values()))
    ours = {name: samples for name, samples in SAMPLES.items() if name.startswith("meydan_")}
    assert ours
    assert [name for name, samples in ours.items() if not samples & shown] == []


def test_every_metric_has_our_prefix_and_tells_what_it_is() -> None:
    """But for those of the process, which are called the same everywhere."""
    families = [family for family in REGISTRY.collect() if not family.name.startswith("process_")]
    assert [family.name for family in families if not family.name.startswith("meydan_")] == []
    assert [family.name for family in families if not family.documentation.endswith(".")] == []


def test_commands_are_calls_of_the_services() -> None:
    """A renamed call would not be counted as a command any more."""
    methods = {*MATCH_SERVICE.methods_by_name, *TOURNAMENT_SERVICE.methods_by_name}
    assert methods >= COMMAND_CALLS


def test_every_command_to_a_tournament_is_counted_when_it_is_refused() -> None:
    """Those that are accepted are: they are what has an acknowledgement, but for a file, which is no command."""
    answers = {method.name: method.output_type.fields_by_name for method in TOURNAMENT_SERVICE.methods}
    commands = {name for name, fields in answers.items() if "acknowledgement" in fields}
    assert commands - COMMAND_CALLS == {"ImportTournament"}


@each_query
def test_every_word_that_a_query_looks_for_is_one_that_is_counted(expression: str) -> None:
    """A task or an end of one that was renamed would never be found."""
    for label, words in WORDS.items():
        matchers = re.findall(rf'\b{label}=~?"([^"$]*)"', expression)
        assert {word for matcher in matchers for word in matcher.split("|")} <= words


@pytest.mark.parametrize("alert", ALERTS, ids=lambda alert: str(alert["alert"]))
def test_an_alert_says_what_is_the_matter_and_what_to_do(alert: dict[str, Any]) -> None:
    """In a sentence each, and how bad it is."""
    assert set(alert) <= {"alert", "expr", "for", "labels", "annotations"}
    assert alert["labels"]["severity"] in ("critical", "warning")
    for name in ("summary", "runbook"):
        assert re.fullmatch(r"[A-Z0-9{].*\.", alert["annotations"][name])


@pytest.mark.parametrize("alert", ALERTS, ids=lambda alert: str(alert["alert"]))
def test_an_alert_speaks_of_labels_that_it_has(alert: dict[str, Any]) -> None:
    """A label that was summed away leaves a hole in the sentence."""
    spoken = set(re.findall(r"\$labels\.(\w+)", alert["annotations"]["summary"]))
    groups = re.findall(r"\bby\s*\(([^)]*)\)", alert["expr"])
    assert all(spoken <= set(group.split(", ")) for group in groups)


def test_alerts_have_names_of_their_own() -> None:
    """Two of one name could not be told apart."""
    names = [alert["alert"] for alert in ALERTS]
    assert len(set(names)) == len(names)


def test_every_panel_can_be_read() -> None:
    """It has a title, a sentence about it, a unit, and a name for each line."""
    for panel in PANELS:
        assert panel["title"]
        assert panel["description"].endswith("."), panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"], panel["title"]
        names = [target["legendFormat"] for target in panel["targets"]]
        assert panel["type"] == "stat" or all(names), panel["title"]
        assert len(set(names)) == len(names), panel["title"]


def test_a_line_is_named_by_labels_that_its_query_has() -> None:
    """`{{level}}` of a query that is not by level would show nothing."""
    for panel in PANELS:
        for target in panel["targets"]:
            named = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
            assert named <= labels_in(target["expr"]), panel["title"]


def test_panels_do_not_lie_on_each_other() -> None:
    """Each has its place on the 24 columns."""
    taken: dict[tuple[int, int], str] = {}
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                assert taken.setdefault((x, y), panel["title"]) == panel["title"]


def test_the_dashboard_has_a_row_for_each_part() -> None:
    """In the order in which one looks."""
    rows = [panel["title"] for panel in DASHBOARD["panels"] if panel["type"] == "row"]
    assert rows == ["Moves", "Log", "Computer players", "Tournaments", "Watchers", "Clocks", "Limits", "Processes"]


def test_every_process_is_looked_at() -> None:
    """Each container of the platform, at the port that it serves its metrics on, which nobody publishes."""
    [job] = SCRAPING["scrape_configs"]
    [found] = job["dns_sd_configs"]
    processes = [*registry.SERVICES, "dispatcher", "worker"]
    assert sorted(found["names"]) == sorted(processes)
    for name in processes:
        container = COMPOSE["services"][name]
        assert container["environment"]["MEYDAN_METRICS_PORT"] == found["port"]
        assert container["environment"]["MEYDAN_METRICS_LISTEN"] == "0.0.0.0"
        assert not [port for port in container.get("ports", ()) if str(found["port"]) in port]


def test_prometheus_and_grafana_read_these_files_and_only_when_asked_for() -> None:
    """Every file is mounted where the other one looks for it."""
    prometheus, grafana = COMPOSE["services"]["prometheus"], COMPOSE["services"]["grafana"]
    assert prometheus["profiles"] == grafana["profiles"] == ["sight"]
    mounted = dict(mount.split(":")[:2] for mount in [*prometheus["volumes"], *grafana["volumes"]])
    targets = {Path(source).name: target for source, target in mounted.items()}
    assert targets["prometheus.yml"] == "/etc/prometheus/prometheus.yml"
    assert SCRAPING["rule_files"] == [targets["prometheus-rules.yml"]]
    home = grafana["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
    assert home == targets["grafana-dashboard.json"]
    assert all((DEPLOY.parent / source).exists() for source in mounted if source.startswith("."))
