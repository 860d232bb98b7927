"""Results: as rows of build/bench.json and as a table."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

BENCH_JSON = Path("build/bench.json")


@dataclass(frozen=True, slots=True)
class Result:
    """One figure, what it is compared with, and the ratio that is wanted: more is always better in a ratio."""

    name: str
    value: float
    unit: str
    baseline: float
    ratio: float
    bar: float
    against: str
    extra: dict[str, object] = field(default_factory=dict)

    @property
    def is_met(self) -> bool:
        return self.ratio >= self.bar

    def row(self) -> dict[str, object]:
        """As it is written to the file."""
        row: dict[str, object] = {key: value for key, value in asdict(self).items() if key != "extra"}
        return row | self.extra | {"is_met": self.is_met}


def write(results: Iterable[Result], file: Path = BENCH_JSON) -> None:
    """All results of a run."""
    file.parent.mkdir(parents=True, exist_ok=True)
    rows = [{key: _rounded(value) for key, value in result.row().items()} for result in results]
    file.write_text(json.dumps(rows, indent=1) + "\n")


def show(results: Iterable[Result], console: Console) -> None:
    """The results as a table."""
    table = Table(title="Meydan: benchmarks", title_justify="left")
    for column in ("name", "value", "baseline", "ratio", "wanted"):
        table.add_column(column, justify="left" if column == "name" else "right")
    for column in ("met", "baseline is", "more"):
        table.add_column(column)
    for result in results:
        table.add_row(*_cells(result))
    console.print(table)


def _cells(result: Result) -> tuple[str, ...]:
    return (
        result.name,
        f"{_text(result.value)} {result.unit}",
        _text(result.baseline),
        f"{result.ratio:.2f}",
        f">= {result.bar:.2f}",
        "[green]yes[/green]" if result.is_met else "[red]no[/red]",
        result.against,
        ", ".join(f"{key} {_text(value)}" for key, value in result.extra.items() if isinstance(value, int | float)),
    )


def _text(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}"


def _rounded(value: object) -> object:
    if isinstance(value, list):
        return list(map(_rounded, value))
    return round(value, 4) if isinstance(value, float) else value
