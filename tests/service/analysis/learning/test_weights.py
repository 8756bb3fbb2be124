"""The weights of an episode's score as settings: the table `[episodes]`."""

from __future__ import annotations

from pathlib import Path

import pytest

from assent_analytics.episodes import WEIGHTS
from assent_service.core.settings import SettingsError, load


def written(home: Path, text: str) -> str:
    (home / "assent.toml").write_text(text, encoding="utf-8")
    return str(home)


def test_without_the_table_they_are_as_published(tmp_path: Path) -> None:
    assert load({}, home=str(tmp_path)).episodes is None


def test_some_are_set_and_the_others_stay(tmp_path: Path) -> None:
    weights = load({}, home=written(tmp_path, "[episodes]\nfailed = -50\nshort_ms = 1000\n")).episodes
    assert weights is not None
    assert (weights.failed, weights.short_ms, weights.completed) == (-50.0, 1000.0, WEIGHTS.completed)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("failed = 'much'", "failed"),
        ("failed = nan", "failed"),
        ("failed = inf", "failed"),
        ("faild = 1", "faild"),
        ("short_ms = 400000", "short_ms, medium_ms, long_ms are 400000, 300000"),
    ],
)
def test_what_cannot_be_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        load({}, home=written(tmp_path, f"[episodes]\n{text}\n"))
