"""Every setting is in the README's table, with its default and its environment variable, and nothing else is."""

import re

import msgspec
import pytest

from assent_service.settings import ENVIRONMENT, Settings
from tests.architecture.sources import TOP, modules

FIELDS = msgspec.structs.fields(Settings)
VARIABLE = re.compile(r"ASSENT_[A-Z]+(?:_[A-Z]+)*")


def readme() -> str:
    return (TOP / "README.md").read_text(encoding="utf-8")


def rows() -> dict[str, str]:
    """Rows of the README's tables under the heading Settings, by the first word in backticks."""
    section = re.search(r"^#+ .*Settings.*?$(.*?)(?=^#|\Z)", readme(), re.MULTILINE | re.DOTALL | re.IGNORECASE)
    lines = section[1].splitlines() if section else []
    found = [(re.match(r"\| `(\w+)`", line), line) for line in lines]
    return {match[1]: line for match, line in found if match}


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_a_setting_is_documented(field: msgspec.structs.FieldInfo) -> None:
    row = rows().get(field.name)
    assert row is not None, f"README.md, Settings: no row begins with | `{field.name}` |"
    variables = [name for name, of in ENVIRONMENT.items() if of == field.name]
    assert all(f"`{name}`" in row for name in variables), f"{field.name}: {variables} should be in its row"


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_the_default_is_documented(field: msgspec.structs.FieldInfo) -> None:
    if field.default is None or field.name == "home":
        return
    value = field.default
    shown = str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)
    assert f"`{shown}`" in rows().get(field.name, ""), f"README.md, Settings, {field.name}: the default is `{shown}`"


def test_nothing_is_documented_that_is_no_setting() -> None:
    # The client's own are named by their variables, since they have no file.
    settings = {name for name in rows() if not name.startswith("ASSENT_")}
    assert settings <= {field.name for field in FIELDS}


def test_every_environment_variable_is_documented_and_exists() -> None:
    texts = [module.file.read_text(encoding="utf-8") for module in modules()]
    read = {name for text in texts for name in VARIABLE.findall(text)}
    told = set(VARIABLE.findall(readme()))
    assert read - told == set(), "these are read, but not in README.md"
    assert told - read == set(), "these are in README.md, but nothing reads them"


def test_every_variable_leads_to_a_setting() -> None:
    assert set(ENVIRONMENT.values()) <= {field.name for field in FIELDS}
