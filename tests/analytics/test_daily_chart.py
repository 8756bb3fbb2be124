"""The picture of a number day by day: where a change is marked, and how far it reaches."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from typing import Any

import polars as pl

from assent_analytics.charts import MeanLevel, daily

FIRST = date(2026, 11, 1)
CHANGED = datetime(2026, 11, 11, 16, tzinfo=UTC)


def days(*numbers: tuple[int, float, float | None, float | None]) -> pl.DataFrame:
    rows = [
        {"day": FIRST + timedelta(days=at), "n": n, "mean": mean, "low": low, "high": high, "simulated": 0}
        for at, (n, mean, low, high) in enumerate(numbers)
    ]
    schema = {"day": pl.Date, "n": pl.Int64, **dict.fromkeys(("mean", "low", "high"), pl.Float64)}
    return pl.DataFrame(rows, schema={**schema, "simulated": pl.Int64})


def spec(frame: pl.DataFrame, **more: Any) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(daily(frame, title="Risk by day", axis={}, words="risk", **more).to_json())
    return made


def reach(made: dict[str, Any]) -> list[float]:
    """The domain of the number's axis."""
    (found,) = {
        tuple(layer["encoding"]["y"]["scale"]["domain"])
        for layer in made["layer"]
        if "scale" in layer.get("encoding", {}).get("y", {})
    }
    return list(found)


def texts(made: dict[str, Any]) -> list[str]:
    return [row["name"] for rows in made["datasets"].values() for row in rows if set(row) == {"name", "at"}]


def test_two_values_of_a_day_do_not_flatten_the_others() -> None:
    low, high = reach(spec(days((40, 30, 28, 32), (2, 31, -400, 460), (40, 30, 27, 33))))
    assert 20 < low < 27
    assert 33 < high < 40


def test_a_level_is_inside_the_picture() -> None:
    level = MeanLevel("mean since", 60.0, CHANGED, None)
    assert reach(spec(days(*[(40, 30.0, 28.0, 32.0)] * 20), levels=(level,)))[1] > 60


def test_a_change_within_the_days_is_marked_and_one_before_them_is_not() -> None:
    twenty = days(*[(40, 30.0, 28.0, 32.0)] * 20)
    assert texts(spec(twenty, marks={"changed": CHANGED})) == ["changed"]
    assert texts(spec(twenty, marks={"changed": CHANGED - timedelta(days=90)})) == []


def test_a_change_after_the_last_day_is_inside_the_picture() -> None:
    made = spec(days((40, 30, 28, 32)), marks={"changed": CHANGED})
    end = made["layer"][0]["encoding"]["x"]["scale"]["domain"][1]
    assert (end["month"], end["date"], end["hours"]) == (11, 11, 16)


def test_what_every_day_says_is_counted() -> None:
    said = spec(days((40, 30, 28, 32), (2, 31, None, None)))["title"]["subtitle"]
    assert "n = 42 values" in " ".join(said)
    assert "hollow: below 5" in " ".join(said)
