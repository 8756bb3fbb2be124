"""A history is what its parameters say, the same again for the same parameters, and in pieces what it is whole."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from assent.contract.control.actions import ActionStatus
from assent.contract.control.approvals import ApprovalState
from assent_analytics.simulate import BLOCK, History, Metric, PlantedChange, batches, make_plan, simulate

UNTIL = datetime(2026, 3, 18, 16, 30, tzinfo=UTC)
FRAMES = ("actions", "decisions", "approvals", "assumptions")


def fingerprint(history: History) -> list[int]:
    """One number for each frame, from all its rows in order."""
    frames = [getattr(history, name) for name in FRAMES] + [history.truth.actions, history.truth.approvals]
    return [frame.hash_rows(seed=1).hash(seed=2).implode().hash(seed=3).item() for frame in frames]


def test_the_same_seed_draws_the_same_history() -> None:
    one, other = (simulate(11, until=UNTIL, actions=3000, waiting=4) for _ in range(2))
    assert fingerprint(one) == fingerprint(other)
    for name in FRAMES:
        assert_frame_equal(getattr(one, name), getattr(other, name))
        assert_frame_equal(getattr(one.with_text(), name), getattr(other.with_text(), name))


def test_another_seed_draws_another_history() -> None:
    one, other = (fingerprint(simulate(seed, until=UNTIL, actions=3000)) for seed in (11, 12))
    assert not set(one) & set(other)


def test_a_history_in_pieces_is_the_whole() -> None:
    actions = BLOCK + 20_000
    whole = simulate(5, until=UNTIL, actions=actions, waiting=3)
    pieces = list(batches(make_plan(5, until=UNTIL, actions=actions, waiting=3)))
    assert [len(piece.actions) for piece in pieces] == [BLOCK, 20_000]
    for name in FRAMES:
        assert_frame_equal(pl.concat([getattr(piece, name) for piece in pieces]), getattr(whole, name))
    counted = whole.actions.with_columns(ran=pl.col("status").cast(pl.String).is_in(["completed", "failed", "running"]))
    earlier = counted.select(k=(pl.col("ran").cum_sum() - pl.col("ran")).over("agent_id", "action_type"))["k"]
    assert (earlier == whole.truth.actions["exposure"]).all()
    last = pieces[-1].with_text().actions
    assert_frame_equal(last, whole.with_text().actions.tail(20_000))


@pytest.fixture(scope="module")
def history() -> History:
    return simulate(3, until=UNTIL, agents=9, days=20, actions=20_000, waiting=5)


def test_the_numbers_are_those_that_were_asked_for(history: History) -> None:
    assert len(history.actions) == len(history.decisions) == len(history.truth.actions) == 20_000
    assert history.actions["number"].to_list() == list(range(20_000))
    assert history.actions["agent_id"].n_unique() == 9
    assert history.actions["timestamp_start"].is_sorted()
    start = history.actions["timestamp_start"]
    assert UNTIL - timedelta(days=20) <= start[0] < start[-1] <= UNTIL


def test_nothing_lies_after_the_end(history: History) -> None:
    for name in FRAMES:
        frame: pl.DataFrame = getattr(history, name)
        for column, kind in frame.schema.items():
            if kind == pl.Datetime("us", "UTC") and column != "expires_at":
                assert frame[column].drop_nulls().max() <= UNTIL, f"{name}.{column}"  # type: ignore[operator]  # a time


def test_every_row_says_that_it_is_simulated(history: History) -> None:
    for name in FRAMES:
        assert getattr(history, name)["source"].cast(pl.String).unique().to_list() == ["simulated"], name


def test_an_action_says_how_far_it_came(history: History) -> None:
    actions = history.actions.join(history.approvals.select("number", "state"), on="number", how="left")
    rows = actions.group_by(pl.col("decision", "state").cast(pl.String)).agg(pl.col("status").cast(pl.String).unique())
    found = {(decision, state): set(status) for decision, state, status in rows.rows()}
    ran = {"completed", "failed", "running"}
    assert found == {
        ("allow", None): ran,
        ("warn", None): ran,
        ("block", None): {"blocked"},
        ("require_approval", "approved"): ran,
        ("require_approval", "denied"): {"cancelled"},
        ("require_approval", "expired"): {"cancelled"},
        ("require_approval", "awaiting"): {"pending_approval"},
    }
    assert {status for each in found.values() for status in each} <= set(ActionStatus)
    # Nobody takes a question back in the model.
    assert {state for _, state in found if state} == set(ApprovalState) - {ApprovalState.WITHDRAWN}


def test_what_ended_has_a_duration_and_what_runs_has_none(history: History) -> None:
    ended = pl.col("status").cast(pl.String).is_in(["completed", "failed"])
    closed = ended | pl.col("status").cast(pl.String).is_in(["blocked", "cancelled"])
    actions = history.actions
    for name in ("duration_ms", "cost_estimate", "tokens_in", "tokens_out"):
        assert actions.select((pl.col(name).is_not_null() == ended).all()).item(), name
    assert actions.select((pl.col("timestamp_end").is_not_null() == closed).all()).item()
    begun = pl.coalesce("approved_at", "timestamp_start")
    lasted = (pl.col("timestamp_end") - begun).dt.total_milliseconds()
    assert actions.filter(ended).select((lasted == pl.col("duration_ms")).all()).item()


def test_planted_approvals_wait_at_the_end_from_young_to_old(history: History) -> None:
    planted = history.truth.approvals.filter("planted").join(history.approvals, on="number")
    ages = [(UNTIL - at).total_seconds() for at in planted["requested_at"]]
    assert planted["state"].cast(pl.String).unique().to_list() == ["awaiting"]
    assert ages == sorted(ages, reverse=True)
    assert ages[0] == pytest.approx(19.5 * 3600, abs=1)
    assert ages[-1] == pytest.approx(180, abs=1)
    assert len(ages) == 5
    assert (planted["expires_at"] > UNTIL).all()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"agents": 0}, "agents is 0; give 1 to 1000"),
        ({"agents": 1001}, "agents is 1001"),
        ({"days": 0}, "days is 0; give 1 to 3650"),
        ({"days": 3651}, "days is 3651"),
        ({"actions": 0}, "actions is 0"),
        ({"actions": 5, "waiting": 6}, "waiting is 6; give 0 to 5"),
        ({"seed": -1}, "seed is -1"),
        ({"until": datetime(2026, 1, 1)}, "no time zone"),  # noqa: DTZ001 - that is what is wrong with it
        ({"changes": [PlantedChange(agent_id="nobody", metric=Metric.RISK, at=0.5, size=1)]}, "agent 'nobody'"),
        ({"changes": [PlantedChange(agent_id="refund-desk", metric=Metric.RISK, at=1.5, size=1)]}, "1.5 of the window"),
    ],
)
def test_numbers_that_cannot_be_are_refused(given: dict[str, object], said: str) -> None:
    parameters: dict[str, object] = {"seed": 1, "until": UNTIL, **given}
    with pytest.raises(ValueError, match=said):
        simulate(**parameters)  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize(("agents", "actions", "waiting"), [(1, 1, 0), (1, 1, 1), (1000, 500, 2), (2, 40, 40)])
def test_small_and_odd_numbers_work(agents: int, actions: int, waiting: int) -> None:
    history = simulate(2, until=UNTIL, agents=agents, days=1, actions=actions, waiting=waiting)
    assert len(history.with_text().actions) == actions
    assert history.approvals["decided_at"].null_count() >= waiting
