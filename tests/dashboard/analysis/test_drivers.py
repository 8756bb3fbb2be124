"""The page of what moved a number: with a real service behind it, and its words and table."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest

from assent_analytics.drivers import METRICS, Drivers, changes, drivers
from assent_dashboard.views.addresses import DriversAddress
from assent_dashboard.views.drivers import (
    LONGEST,
    NAMES,
    UNTESTED,
    basis_in_words,
    groups,
    nothing_apart,
    so,
    table,
)
from tests.analytics.weeks import WEEKS, weeks
from tests.dashboard.looker import Looker
from tests.stories.tenant import Tenant

Look = Callable[..., Looker]
BOTH: dict[str, Any] = {"baseline": WEEKS.baseline, "recent": WEEKS.recent}


def at(looker: Looker, **query: str) -> Looker:
    for name, value in query.items():
        looker.page.query_params[name] = value
    return looker.draw()


def shown(looker: Looker) -> Any:
    return next(each.value for each in looker.page.dataframe if "Moved it by" in each.value)


@pytest.fixture
def moved(house: Tenant) -> Tenant:
    """Twelve sessions before and twelve after, each with a deployment and a mail: of the deployments 2 failed before
    and 11 after, of the mails 1 and 1."""
    now = datetime.now(UTC)
    for later in (False, True):
        for session in range(12):
            begun = (now - timedelta(days=3 if later else 10, minutes=session)).isoformat()
            failed = {"deploy": session < (11 if later else 2), "mail *a*": session == 0}
            for kind, wrong in failed.items():
                house.create(
                    kind,
                    agent_id="bot",
                    session_id=f"{'after' if later else 'before'}-{session}",
                    timestamp_start=begun,
                    status="failed" if wrong else "completed",
                )
    return house


def test_an_empty_workspace_says_what_to_do_next(look: Look, house: Tenant) -> None:
    looker = look(house, "drivers").draw()
    assert "Nothing to compare: no actions that ended in the last 7 days and as long before." in looker.words
    assert not looker.page.dataframe


def test_ten_rows_without_a_before_are_not_compared(look: Look, house: Tenant) -> None:
    for number in range(10):
        action_id = house.create("look", agent_id="bot")
        house.call("PATCH", f"/api/actions/{action_id}", {"status": "failed" if number < 4 else "completed"})
    looker = look(house, "drivers").draw()
    assert "cannot be compared: the window before has no actions that ended." in looker.words
    assert "With nothing in one of the windows, nothing can be taken apart." in looker.words
    assert "0 and 10 actions that ended" in looker.words
    assert not looker.page.dataframe


def test_what_moved_is_a_sentence_a_picture_and_a_table(look: Look, moved: Tenant) -> None:
    looker = look(moved, "drivers").draw()
    # 3 of 24 before, 12 of 24 after.
    assert "The share of what ran that failed rose from 12.5% to 50.0% (+37.5 points" in looker.words
    assert "type deploy went from 16.7% to 91.7%" in looker.words
    assert "24 and 24 actions that ended in 24 clusters (session)." in looker.words
    assert "independent ones. Before:" in looker.words
    rows = shown(looker)
    assert rows["Group"].tolist()[0] == "deploy"
    assert set(rows["By"]) == {"type"}
    rate = rows[(rows["Group"] == "deploy") & (rows["Part"] == "rate")].iloc[0]
    # Half of all rows are deployments, whose failures rose by 75 points.
    assert (rate["Before"], rate["After"], rate["Moved it by"]) == ("16.7%", "91.7%", "+37.5 points")
    assert (rate["Clusters"], rate["So"]) == (24, "a driver")
    looker.requests.take()
    looker.draw()
    assert looker.requests.take() == [], "a page that is drawn again asks nothing"


def test_another_number_and_another_column_are_chosen_in_the_address(look: Look, moved: Tenant) -> None:
    looker = at(look(moved, "drivers"), metric="block_rate", by="agent_id")
    assert "The share that guard blocked" in looker.words
    assert "All rows are of one agent, so there is nothing to take apart." in looker.words
    looker = at(look(moved, "drivers"), metric="luck", by="mood")
    assert "metric is 'luck'; it can be block_rate" in looker.words
    assert "by is 'mood'" in looker.words
    assert "failed rose from 12.5% to 50.0%" in looker.words


def test_a_window_without_room_before_it_is_said(look: Look, house: Tenant) -> None:
    looker = at(look(house, "drivers"), window=f"{LONGEST + 1}d")
    assert f"A window of {LONGEST + 1} days leaves none before it to compare with." in looker.words
    assert all("/api/data" not in each for each in looker.requests.take())


def found(frame: pl.DataFrame, metric: str = "failure_rate") -> Drivers:
    return drivers(frame, metric, **BOTH)


def test_every_number_has_a_name_and_every_effect_a_conclusion() -> None:
    assert NAMES.keys() == METRICS.keys()
    random = np.random.default_rng(7)
    few = weeks(random, sessions=6, actions=3)
    for frame in (weeks(random, planted="rate"), few, few.filter(pl.col("session_id") == "s0")):
        for each in changes(frame, both=WEEKS):
            for row in groups(each, None).iter_rows(named=True):
                assert so(row) in {"a driver", "chance can explain it", *UNTESTED.values()}
    assert so({"driver": False, "p_value": None, "status": "one_window"}).endswith("all of it is mix")


def test_the_table_has_the_units_of_the_number() -> None:
    frame = weeks(np.random.default_rng(3), planted="rate")
    costs = found(frame, "cost_estimate")
    rows = table(costs, groups(costs, "tool"))
    assert set(rows["By"]) == {"tool"}
    assert rows["Moved it by"].str.ends_with(" USD").all()
    mix = rows.filter(pl.col("Part") == "mix")
    assert mix["Before"].str.ends_with(" %").all()
    shares = mix["Before"].str.strip_suffix(" %").cast(pl.Float64)
    assert shares.sum() == pytest.approx(100, abs=0.2)


def test_what_it_rests_on_is_n_clusters_basis_and_windows() -> None:
    said = basis_in_words(found(weeks(np.random.default_rng(3))))
    assert "clusters (session)." in said
    assert "They are worth" in said
    assert said.endswith("After: 17 Nov 2026, 00:00:00 UTC to 24 Nov 2026, 00:00:00 UTC.")


@pytest.mark.parametrize("values", [[float("nan")] * 40, [5.0] * 40, [float("inf"), *[1.0] * 39]])
def test_values_that_tell_nothing_are_said(values: list[float]) -> None:
    """NaN everywhere, one value everywhere, and one that is no number: no effect is called a driver."""
    frame = weeks(np.random.default_rng(5), sessions=40, actions=1).head(40)
    frame = frame.with_columns(cost_estimate=pl.Series(values))
    answer = found(frame, "cost_estimate")
    assert not groups(answer, None)["driver"].any()
    assert "cannot be compared" in answer.sentence or "alike in all clusters" in answer.sentence
    if not any(answer.n):
        assert nothing_apart(answer, None).startswith("With nothing in one of the windows")


def test_rows_of_the_future_and_of_no_weight_do_not_count() -> None:
    frame = weeks(np.random.default_rng(5), sessions=60)
    ahead = frame.with_columns(pl.col("occurred_at") + timedelta(days=400))
    assert found(pl.concat([frame, ahead])).n == found(frame).n
    nothing = drivers(frame.with_columns(w=pl.lit(0.0)), "failure_rate", weights="w", **BOTH)
    assert nothing.n == (0, 0)


def test_its_address_keeps_what_was_chosen() -> None:
    address, problems = DriversAddress.read({"metric": "risk_score", "by": "tool"})
    assert (address.window, address.metric, address.by, problems) == ("7d", "risk_score", "tool", [])
    assert address.query() == {"window": "7d", "metric": "risk_score", "by": "tool"}
