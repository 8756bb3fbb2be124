"""Signals over time, counted by hand."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import polars as pl
import pytest
from scipy import stats

from assent_analytics.signals import by_day, rates

AT = datetime(2026, 11, 20, 23, 30, tzinfo=UTC)
SCHEMA: dict[str, Any] = {
    "type": pl.String,
    "severity": pl.String,
    "agent_id": pl.String,
    "created_at": pl.Datetime("us", "UTC"),
}


def signal(kind: str, agent: str | None, hours: float = 0, severity: str = "amber") -> dict[str, Any]:
    return {"type": kind, "severity": severity, "agent_id": agent, "created_at": AT + timedelta(hours=hours)}


def detected(*rows: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=SCHEMA)


SIGNALS = detected(
    signal("stale_loop", "a"),
    signal("stale_loop", "a", 1, "red"),
    signal("stale_loop", "b", 1),
    signal("agent_silent", "a", 2, "red"),
    signal("stale_loop", None, 3),
)
ACTIONS = pl.DataFrame(
    {"agent_id": ["a", "a", "b", "c", None], "source": ["live", "simulated", "live", "import", "live"]}
    | {"n": [40, 500, 10, 700, 30]}
)


def test_days_are_counted_by_type_and_agent() -> None:
    assert by_day(SIGNALS).collect().rows() == [
        (date(2026, 11, 20), "stale_loop", "a", 1),
        (date(2026, 11, 21), "agent_silent", "a", 1),
        (date(2026, 11, 21), "stale_loop", None, 1),
        (date(2026, 11, 21), "stale_loop", "a", 1),
        (date(2026, 11, 21), "stale_loop", "b", 1),
    ]


def test_rates_are_of_live_actions() -> None:
    silent, stale = sorted(rates(SIGNALS, ACTIONS).collect().to_dicts(), key=lambda row: row["type"])
    assert (stale["n"], stale["red"], stale["amber"], stale["agents"]) == (4, 1, 3, 2)
    assert stale["last_at"] == AT + timedelta(hours=3)
    assert stale["actions"] == silent["actions"] == 80
    assert stale["per_100"] == pytest.approx(5.0)
    low, high = stats.chi2.ppf(0.025, 8) / 2, stats.chi2.ppf(0.975, 10) / 2
    assert (stale["per_100_low"], stale["per_100_high"]) == (pytest.approx(low / 0.8), pytest.approx(high / 0.8))
    assert (stale["status"], silent["status"]) == ("ok", "ok")


def test_an_agent_is_set_against_its_own_actions() -> None:
    found = {row["agent_id"]: row for row in rates(SIGNALS, ACTIONS, ["agent_id"]).collect().to_dicts()}
    assert {name: (row["n"], row["actions"], row["status"]) for name, row in found.items()} == {
        "a": (3, 40, "ok"),
        "b": (1, 10, "insufficient_data"),
        None: (1, 30, "ok"),
    }
    assert found["a"]["per_100"] == pytest.approx(7.5)
    assert found["b"]["per_100"] is found["b"]["per_100_low"] is found["b"]["per_100_high"] is None


def test_both_at_once_come_most_frequent_first() -> None:
    found = rates(SIGNALS, ACTIONS, ["type", "agent_id"]).collect()
    assert found.select("type", "agent_id", "n").rows() == [
        ("stale_loop", "a", 2),
        ("agent_silent", "a", 1),
        ("stale_loop", None, 1),
        ("stale_loop", "b", 1),
    ]


def test_in_all_there_is_one_row_even_of_none() -> None:
    (row,) = rates(SIGNALS, ACTIONS, ()).collect().to_dicts()
    assert (row["n"], row["actions"]) == (5, 80)
    (row,) = rates(detected(), ACTIONS, ()).collect().to_dicts()
    assert (row["n"], row["per_100"], row["per_100_low"], row["last_at"]) == (0, 0.0, 0.0, None)
    assert row["per_100_high"] == pytest.approx(stats.chi2.ppf(0.975, 2) / 2 / 0.8)
    (row,) = rates(detected(), ACTIONS.clear(), ()).collect().to_dicts()
    assert (row["n"], row["actions"], row["per_100"], row["status"]) == (0, 0, None, "insufficient_data")


@pytest.mark.parametrize("by", [["type"], ["agent_id"], ["type", "agent_id"]])
def test_of_none_there_is_none(by: list[str]) -> None:
    assert rates(detected(), ACTIONS, by).collect().height == 0
    assert by_day(detected()).collect().height == 0


def test_actions_row_by_row_count_the_same_as_counted_ones() -> None:
    apart = pl.concat(
        [
            pl.DataFrame({"agent_id": [row["agent_id"]] * row["n"], "source": row["source"]})
            for row in ACTIONS.to_dicts()
        ]
    )
    for by in ((), ("type",), ("agent_id",), ("type", "agent_id")):
        assert rates(SIGNALS, apart, by).collect().equals(rates(SIGNALS, ACTIONS, by).collect())
    assert rates(SIGNALS, apart.drop("source"), ()).collect()["actions"].item() == 1280


def test_a_frame_that_lacks_something_is_named() -> None:
    with pytest.raises(ValueError, match="signals lack severity"):
        rates(SIGNALS.drop("severity"), ACTIONS)
    with pytest.raises(ValueError, match="actions lack agent_id"):
        rates(SIGNALS, ACTIONS.drop("agent_id"))
    with pytest.raises(ValueError, match="by has severity"):
        rates(SIGNALS, ACTIONS, ["severity"])
    with pytest.raises(ValueError, match="signals lack created_at"):
        by_day(SIGNALS.drop("created_at"))
