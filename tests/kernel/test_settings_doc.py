"""docs/settings.md says what shared/settings.py says. `python -m tests.kernel.test_settings_doc` writes it anew."""

from pathlib import Path

from pydantic.fields import FieldInfo

from shared.settings import Settings

DOC = Path(__file__).parents[2] / "docs" / "settings.md"
HEAD = """\
# Settings

Every process reads its settings from the environment. Those that are a table by game are written as JSON, such as
`MEYDAN_PORTS='{"domino": 50600}'`. This page is made from `shared/settings.py`.

| variable | default | meaning |
|---|---|---|
"""


def document() -> str:
    """The page as the model would have it."""
    return HEAD + "".join(row(name, field) for name, field in Settings.model_fields.items())


def row(name: str, field: FieldInfo) -> str:
    """One line of the table."""
    default = "" if str(field.default) in ("", "None") else f"`{field.default}`"
    return f"| `{Settings.model_config['env_prefix']}{name.upper()}` | {default} | {field.description} |\n"


def test_the_page_of_settings_is_what_the_model_says() -> None:
    """A setting that is added, changed or described anew is so in the page too."""
    assert DOC.read_text() == document()


def test_every_setting_has_a_meaning() -> None:
    """A row without one would help nobody."""
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


if __name__ == "__main__":
    DOC.write_text(document())
