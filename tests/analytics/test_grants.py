"""Grants that a history speaks for; bounds worked out by hand from Clopper and Pearson's."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from assent_analytics.grants import FACTS, failure_bound, suggest_grants

ROW: dict[str, Any] = {
    "agent_id": "payer", "action_type": "pay", "decision": "require_approval", "source": "live", "state": "approved",
    "grant_id": None, "outcome": "completed", "risk_score": 30.0,
}  # fmt: skip


def rows(n: int, *, start: int = 0, **members: Any) -> list[dict[str, Any]]:
    """Each in a session of its own."""
    return [ROW | {"cluster": f"session:{start + number}"} | members for number in range(n)]


def suggested(*given: list[dict[str, Any]], **options: Any) -> list[dict[str, Any]]:
    frame = pl.DataFrame([row for each in given for row in each], infer_schema_length=None)
    return suggest_grants(frame, **options).to_dicts()


def test_without_a_failure_the_bound_is_the_root_of_five_percent() -> None:
    found = failure_bound([False] * 20, [str(n) for n in range(20)])
    assert found[:3] == (20, 0, 20)
    assert found.high == pytest.approx(1 - 0.05 ** (1 / 20))


def test_one_of_thirty_is_bounded_as_clopper_and_pearson_do() -> None:
    # The share p at which 1 or fewer of 30 fail with probability 0.05: (1-p)^30 + 30 p (1-p)^29 = 0.05.
    found = failure_bound([True] + [False] * 29, [str(n) for n in range(30)])
    assert (found.ran, found.failed, found.clusters) == (30, 1, 30)
    assert found.high is not None
    p = found.high
    assert (1 - p) ** 30 + 30 * p * (1 - p) ** 29 == pytest.approx(0.05, abs=2e-3)


def test_one_session_bounds_nothing_and_few_bound_little() -> None:
    assert failure_bound([False] * 50, ["s"] * 50).high is None
    assert failure_bound([], []) == (0, 0, 0, None)
    few = failure_bound([False] * 50, [str(n % 5) for n in range(50)]).high
    assert few is not None
    assert few > 1 - 0.05 ** (1 / 5) - 1e-9, "fifty rows of five sessions are no more than five"


def test_what_was_always_allowed_often_enough_is_proposed() -> None:
    (found,) = suggested(rows(20), rows(4, start=20, outcome=None, risk_score=55.0))
    assert found == {
        "agent_id": "payer", "action_type": "pay", "approved": 24, "ran": 20, "failed": 0, "no_outcome": 4,
        "clusters": 20, "failures_high": pytest.approx(0.1391, abs=1e-4), "max_risk": 55.0,
    }  # fmt: skip


@pytest.mark.parametrize("given", [
    [rows(19)],
    [rows(20), rows(1, start=20, state="denied", outcome=None)],
    [rows(20, cluster="session:1")],
    [rows(19), rows(1, start=20, outcome="failed")],
    [rows(20, grant_id="grant_1")],
    [rows(19), rows(5, start=20, grant_id="grant_1")],
    [rows(20, source="simulated")],
    [rows(20, decision="warn")],
    [rows(20, agent_id=None)],
    [rows(20, outcome=None)],
    [rows(19), rows(9, start=20, state="expired", outcome=None)],
])  # fmt: skip
def test_what_history_does_not_speak_for(given: list[list[dict[str, Any]]]) -> None:
    assert suggested(*given) == []


def test_the_most_asked_about_comes_first_and_bounds_can_be_others() -> None:
    found = suggested(
        rows(25, action_type="b"), rows(30, action_type="a"), rows(25, action_type="a", agent_id="other"),
        rows(3, action_type="rare"),
    )  # fmt: skip
    assert [(each["agent_id"], each["action_type"]) for each in found] == [
        ("payer", "a"), ("other", "a"), ("payer", "b"),
    ]  # fmt: skip
    assert len(suggested(rows(3), least=3, most_failures=0.7)) == 1
    assert suggested(rows(30), most_failures=0.09) == []


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="least is 0"):
        suggest_grants(pl.DataFrame(rows(1)), least=0)
    with pytest.raises(ValueError, match="grant_id"):
        suggest_grants(pl.DataFrame(rows(1)).drop("grant_id"))
    empty = pl.DataFrame(schema=dict.fromkeys(FACTS, pl.String))
    assert suggest_grants(empty).is_empty()
