"""Adoption: what was said, what it belongs to, and how both sides went."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import polars as pl
import pytest

from assent_analytics.adoption import adoption
from assent_analytics.rates import wilson
from tests.analytics.histories import MONDAY, history

_TIME = pl.Datetime("us", "UTC")


def said(*rows: dict[str, Any]) -> pl.DataFrame:
    like = {
        "agent_id": "bot",
        "action_type": "refund",
        "event_type": "applied",
        "action_id": None,
        "created_at": MONDAY,
    }
    types = {name: _TIME if name == "created_at" else pl.String() for name in like}
    return pl.DataFrame([like | row for row in rows], schema=types)


def done(*rows: dict[str, Any]) -> pl.DataFrame:
    return history(*({"action_id": f"act_{at}", "started_at": MONDAY, **row} for at, row in enumerate(rows)))


def only(told: pl.DataFrame, episodes: pl.DataFrame) -> dict[str, Any]:
    (row,) = adoption(told, episodes).collect().to_dicts()
    return row


def minutes(number: float) -> datetime:
    return MONDAY + timedelta(minutes=number)


def test_rates_are_wilsons() -> None:
    told = said(
        *({"action_id": f"act_{at}"} for at in range(6)), {"event_type": "overridden"}, {"event_type": "fetched"}
    )
    episodes = done(*({"success": at not in (0, 7, 8)} for at in range(12)))
    row = only(told, episodes)
    assert (row["fetched"], row["applied"], row["overridden"]) == (1, 6, 1)
    assert (row["adoption_rate"], row["adoption_low"], row["adoption_high"]) == pytest.approx((6 / 7, *wilson(6, 7)))
    assert (row["with_n"], row["with_rate"], row["with_low"], row["with_high"]) == pytest.approx(
        (6, 5 / 6, *wilson(5, 6))
    )
    assert (row["without_n"], row["without_rate"]) == (6, pytest.approx(4 / 6))
    assert row["status"] == "ok"


@pytest.mark.parametrize(("start", "counts"), [(0, True), (0.1, True), (10, True), (10.1, False), (-0.1, False)])
def test_without_an_action_it_is_of_the_next_within_ten_minutes(start: float, counts: bool) -> None:
    row = only(said({}), done({"started_at": minutes(start)}))
    assert (row["with_n"], row["without_n"]) == ((1, 0) if counts else (0, 1))


def test_it_is_of_the_first_that_follows_only() -> None:
    row = only(said({}), done({"started_at": minutes(2)}, {"started_at": minutes(1)}, {"started_at": minutes(3)}))
    assert (row["with_n"], row["without_n"]) == (1, 2)


def test_others_do_not_count() -> None:
    episodes = done({"agent_id": "other"}, {"action_type": "deploy"}, {})
    row = only(said({"action_id": "act_0"}, {"action_id": "act_1"}), episodes)
    assert (row["with_n"], row["without_n"], row["applied"]) == (0, 1, 2)


def test_an_action_counts_once_however_often_it_is_said() -> None:
    row = only(said({"action_id": "act_0"}, {"action_id": "act_0"}, {}), done({}, {"success": False}))
    assert row["with_n"] + row["without_n"] == 2


def test_nothing_said_or_done() -> None:
    assert adoption(said(), done({})).collect().height == 0
    row = only(said({"event_type": "fetched"}), done({}).clear())
    assert (row["with_n"], row["with_rate"], row["with_low"], row["with_high"]) == (0, None, 0, 1)
    assert (row["adoption_rate"], row["status"], row["simulated"]) == (None, "insufficient_data", 0)
    with pytest.raises(ValueError, match="what was said lack event_type"):
        adoption(said({}).drop("event_type"), done({}))
