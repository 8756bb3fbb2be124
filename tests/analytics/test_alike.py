"""Actions that are alike, counted and judged, are as each judged by itself: with keys that clash, too."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assent.contract.control.actions import ActionStatus
from assent.contract.control.approvals import ApprovalState
from assent.contract.control.guard import Decision, Runtime, Source
from assent_analytics import pcaa
from assent_analytics.alike import gather_alike
from assent_analytics.frames import Frame
from tests.analytics.tables import NOW, actions, approvals, assumptions

INSTANT = timedelta(microseconds=1)
HOUR = timedelta(hours=1)
# What a state says of its action beside the judgement.
SHOWN = ("action_id", "agent_id", "action_type", "runtime", "timestamp_start", "source", "n")
BORDERS = (HOUR, 24 * HOUR)
ids = st.sampled_from([None, "", *(f"act_{n}" for n in range(6))])
text = st.sampled_from([None, "", "said"])
moment = st.none() | st.tuples(st.sampled_from(BORDERS), st.sampled_from([-INSTANT, 0 * INSTANT, INSTANT])).map(
    lambda both: NOW - both[0] - both[1]
)
ACTIONS = st.fixed_dictionaries(
    {
        "action_id": ids,
        "decision": st.sampled_from([None, "perhaps", *map(str, Decision)]),
        "decision_id": text,
        "status": st.sampled_from([None, "on_the_moon", *map(str, ActionStatus)]),
        "risk_score": st.sampled_from([None, 0.0, 59.999, 60.0, 100.0]),
        "runtime": st.sampled_from([None, "toaster", *map(str, Runtime)]),
        "source": st.sampled_from([None, "dream", *map(str, Source)]),
        "declared_goal": text,
        "timestamp_start": moment,
        "approved_at": moment,
        "output_summary": text,
        "error_message": text,
    }
)
ASSUMPTIONS = st.fixed_dictionaries({"action_id": ids, "basis": text})
APPROVALS = st.fixed_dictionaries(
    {
        "action_id": ids,
        "state": st.sampled_from([None, "in_the_post", *map(str, ApprovalState)]),
        "decided_by": text,
    }
)
TABLES = st.tuples(
    st.lists(ACTIONS, min_size=1, max_size=10), st.lists(ASSUMPTIONS, max_size=8), st.lists(APPROVALS, max_size=6)
)
Rows = list[dict[str, Any]]
Tables = tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]


def tables(rows: tuple[Rows, Rows, Rows]) -> Tables:
    asked = [row | {"requested_at": NOW + n * INSTANT} for n, row in enumerate(rows[2])]
    return (
        actions(*rows[0]),
        assumptions(*rows[1]) if rows[1] else assumptions({}).clear(),
        approvals(*asked) if asked else approvals({}).clear(),
    )


def numbers(gathered: Frame) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """How many actions stand how, of each combination; and the numbers of health, whose sums are of fractions."""
    states = pcaa.judge(gathered, NOW).collect()
    times = pl.col("n").sum() if "n" in states.columns else pl.len().cast(pl.Int64)
    judged = [name for name in states.columns if name not in SHOWN]
    counted = states.group_by(judged).agg(times.alias("n")).sort(judged)
    return counted.to_dicts(), pcaa.health(states).collect().to_dicts()


def agree(three: Tables, hash_bits: int = 64) -> None:
    expected, health = numbers(pcaa.gather(*three))
    found, health_found = numbers(gather_alike(*three, NOW, hash_bits=hash_bits))
    assert found == expected
    assert health_found == [{name: pytest.approx(value, abs=1e-9) for name, value in health[0].items()}]


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(TABLES, st.sampled_from([0, 1, 2, 64]))
def test_alike_actions_are_judged_as_each_by_itself_however_many_keys_clash(
    rows: tuple[Rows, Rows, Rows], hash_bits: int
) -> None:
    agree(tables(rows), hash_bits)


def test_a_clash_of_keys_is_seen_where_it_would_change_a_number() -> None:
    """All keys are 0, so that an assumption and an approval would be everybody's."""
    owing = [{"action_id": f"act_{n}", "risk_score": 90.0, "status": "completed"} for n in range(4)]
    believed = [{"action_id": "act_1", "basis": "the record"}]
    agree(tables((owing, believed, [])), 0)
    agree(tables((owing, [], [{"action_id": "act_2", "state": "denied", "decided_by": "Mia"}])), 0)
    # Nobody's, and two of others with one key.
    agree(tables((owing, [{"action_id": "act_9", "basis": None}], [])), 0)
    agree(tables((owing, [*believed, {"action_id": "act_9", "basis": ""}], [])), 0)


def test_of_thousands_of_ids_each_finds_its_approval_and_its_assumption() -> None:
    """One in three was asked about, one in five believes something; who is passed over would miss a checkpoint."""
    acts = [
        {"action_id": f"act_{n}", "risk_score": 70.0 if n % 2 else 10.0, "status": "completed"} for n in range(3000)
    ]
    asked = [{"action_id": f"act_{n}", "state": "approved", "decided_by": "Mia"} for n in range(0, 3000, 3)]
    believed = [{"action_id": f"act_{n}", "basis": "the record"} for n in range(0, 3000, 5)]
    three = tables((acts, believed, asked))
    agree(three)
    judged = pcaa.judge(gather_alike(*three, NOW), NOW).select("n", "assumption_capture", "approval").collect()
    # Odd ones or those asked about owe an assumption: 1,500 + 500, of which 300 + 100 have one.
    found = {
        (row[1], row[2]): row[0]
        for row in judged.group_by("assumption_capture", "approval")
        .agg(pl.col("n").sum())
        .select("n", "assumption_capture", "approval")
        .iter_rows()
    }
    assert found == {
        ("complete", "complete"): 200,
        ("complete", "not_required"): 200,
        ("missing", "complete"): 800,
        ("missing", "not_required"): 800,
        ("not_required", "not_required"): 1000,
    }


def test_texts_of_categories_are_as_plain_ones() -> None:
    plain = tables(([{"status": "failed"}, {"status": "on_the_moon"}, {"status": None}], [], [{"state": "denied"}]))
    for dtype in (pl.Categorical, pl.Enum(["on_the_moon", "failed", "denied", "act_1"])):
        encoded = (
            plain[0].with_columns(pl.col("status").cast(dtype)),
            plain[1],
            plain[2].with_columns(pl.col("state", "action_id").cast(dtype)),
        )
        assert numbers(gather_alike(*encoded, NOW)) == numbers(gather_alike(*plain, NOW))


def test_a_million_alike_ones_are_one_row_and_rows_that_stand_for_many_stay_so() -> None:
    three = tables(([{"source": "live"}] * 3, [], []))
    assert gather_alike(*three, NOW)["n"].to_list() == [3]
    weighted = (three[0].with_columns(n=pl.Series([5, 1, 2])), *three[1:])
    assert gather_alike(*weighted, NOW)["n"].to_list() == [8]


def test_what_an_approval_decided_last_counts() -> None:
    both = [{"action_id": "act_1", "state": "denied", "decided_by": "Mia"}, {"action_id": "act_1", "state": "approved"}]
    agree(tables(([{"action_id": "act_1"}], [], both)))
    agree(tables(([{"action_id": "act_1"}], [], both[::-1])))


def test_no_actions_are_no_kinds() -> None:
    nothing = (actions({}).clear(), assumptions({}), approvals({}))
    assert gather_alike(*nothing, NOW).height == 0


def test_a_missing_column_is_told() -> None:
    three = tables(([{}], [], []))
    with pytest.raises(ValueError, match="assumptions lack basis"):
        gather_alike(three[0], three[1].drop("basis"), three[2], NOW)
