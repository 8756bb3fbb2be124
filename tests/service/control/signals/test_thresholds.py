"""Thresholds come from the settings file, are checked there, and are documented as they are."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from assent_service.core.settings import Levels, SettingsError, Thresholds, load
from tests.architecture.sources import TOP


def written(home: Path, text: str) -> Path:
    (home / "assent.toml").write_text(text, encoding="utf-8")
    return home


def test_they_are_read_from_the_file(tmp_path: Path) -> None:
    home = written(tmp_path, "[signals]\nagent_silent_minutes = 3\n[signals.stale_loop_hours]\namber = 1\nred = 2.5\n")
    found = load({}, home=str(home)).signals
    assert found == Thresholds(agent_silent_minutes=3, stale_loop_hours=Levels(amber=1, red=2.5))


@pytest.mark.parametrize(
    "text",
    [
        "[signals.autonomy_spike]\namber = 5\n",
        "[signals.autonomy_spike]\namber = 5\nred = 4\n",
        "[signals.autonomy_spike]\namber = -1\nred = 4\n",
        "[signals.autonomy_spikes]\namber = 1\nred = 4\n",
        '[signals.high_impact]\namber = "high"\nred = 90\n',
        "[signals]\nagent_silent_minutes = 0\n",
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError, match="signals"):
        load({}, home=str(written(tmp_path, text)))


def test_the_documented_ones_are_those_that_hold() -> None:
    page = (TOP / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| `([\d.]+)` \| (?:`([\d.]+)`)? *\|", page, re.MULTILINE)
    told = {name: (float(amber), float(red) if red else None) for name, amber, red in rows}
    held = {}
    for field in msgspec.structs.fields(Thresholds):
        value = field.default
        held[field.name] = (value.amber, value.red) if isinstance(value, Levels) else (value, None)
    assert {name: told[name] for name in held} == held
