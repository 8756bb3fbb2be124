"""The airline transcripts: the file, the API and the analytics functions over frames all count the same."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pytest

from assent import Client
from assent_analytics import approvals, decisions, pcaa
from tests.stories.tenant import Tenant
from tests.stories.test_import import ASKED, BLOCKED, FILE, calls, counted, imported, verdict
from tests.tiers import deep

pytestmark = [
    pytest.mark.skipif(not FILE.is_file(), reason="the airline transcripts are not beside the repository"),
    deep("whole transcripts"),
]

WINDOW = "365d"
Counts = dict[str, dict[str, int]]


@pytest.fixture
def airline(tenant: Tenant) -> Tenant:
    tenant.policy("No cancellations", "block_action_type", {"action_types": sorted(BLOCKED)})
    tenant.policy("Ask before booking", "require_approval", {"action_types": sorted(ASKED)})
    imported(tenant)
    return tenant


def every_action(client: Client) -> list[dict[str, Any]]:
    """All of them, page by page, as the list gives them."""
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    while True:
        page = client.get_actions(limit=200, cursor=cursor)
        found += [
            {
                "status": str(each.status),
                "start": each.timestamp_start,
                "goal": each.declared_goal,
                "words": each.output_summary or each.error_message,
            }
            for each in page.actions
        ]
        cursor = page.next_cursor
        if cursor is None:
            return found


def by_hand(actions: list[dict[str, Any]], now: datetime) -> tuple[Counts, float, float]:
    """Counts, coverage and evidence of imported history, which owes no assumption and no approval."""
    outcomes: Counter[str] = Counter()
    coverage = evidence = 0.0
    for each in actions:
        age = now - each["start"]
        over = each["status"] in {"completed", "failed"}
        late = "missing" if age > timedelta(hours=24) else "pending" if age > timedelta(hours=1) else "not_required"
        outcome = "complete" if over else late
        outcomes[outcome] += 1
        expected = 2 + (outcome != "not_required")
        coverage += (2 + over) / expected
        evidence += (1 + bool(each["goal"]) + bool(over and each["words"])) / expected
    n = len(actions)
    statuses = ("complete", "pending", "missing", "not_required", "denied")
    counts = {name: dict.fromkeys(statuses, 0) for name in ("pre_action_admissibility", "action_open")}
    counts["pre_action_admissibility"]["complete"] = counts["action_open"]["complete"] = n
    for name in ("assumption_capture", "approval"):
        counts[name] = dict.fromkeys(statuses, 0) | {"not_required": n}
    counts["outcome_closure"] = dict.fromkeys(statuses, 0) | outcomes
    return counts, 100 * coverage / n, 100 * evidence / n


def test_file_api_and_frames_count_the_same(airline: Tenant) -> None:
    every = list(calls())
    verdicts = counted(Counter(map(verdict, every)))
    with airline.client("auditor") as client:
        health = client.get_pcaa_health(WINDOW)
        mix = client.get_decision_mix(WINDOW)
        insight = client.get_approval_insight(WINDOW)
        total = client.get_actions(limit=1).total
        actions, beliefs, asked, decided = (
            client.frame(name, window=WINDOW) for name in ("actions", "assumptions", "approvals", "decisions")
        )
        listed = every_action(client)

    assert len(every) == total == health.n.checkpointCoverage == actions.height == len(listed)
    assert len(every) == mix.n == decided.height == beliefs.height
    assert {name: getattr(mix, name) for name in verdicts} == verdicts
    assert (insight.asked, asked.height, health.approvalRate, health.simulated) == (0, 0, 0.0, 0)

    states = pcaa.checkpoint_states(actions, beliefs, asked, health.until)
    from_frames = {row.pop("id"): row for row in pcaa.checkpoint_counts(states).collect().to_dicts()}
    from_api = {
        each.id.value: {name: each[name] for name in each.__struct_fields__ if name != "id"}
        for each in health.checkpoints
    }
    hand, coverage, evidence = by_hand(listed, health.until)
    assert from_api == from_frames == hand
    numbers = pcaa.health(states).collect().row(0, named=True)
    assert health.checkpointCoverage == pytest.approx(coverage) == numbers["checkpoint_coverage"]
    assert health.evidenceCompletion == pytest.approx(evidence) == numbers["evidence_completion"]

    frame_mix = decisions.mix(decided).collect().row(0, named=True)
    assert {name: frame_mix[name] for name in verdicts} == verdicts
    days = decisions.mix_by_day(decided).drop("n", "simulated").collect()
    assert days.rows() == [tuple(each[name] for name in each.__struct_fields__) for each in mix.days]
    assert days.select(pl.sum_horizontal(pl.exclude("day")).sum()).item() == len(every)
    assert approvals.insight(asked).collect()["asked"].item() == 0


def test_approvals_made_live_count_alike(tenant: Tenant) -> None:
    tenant.governed()
    for said in ("allow", "deny", None):
        action = tenant.create("pay", agent_id="bot")
        if said is not None:
            tenant.call("POST", f"/api/actions/{action}/approve", {"decision": said}, key="operator")
    with tenant.client("auditor") as client:
        insight = client.get_approval_insight("1d")
        health = client.get_pcaa_health("1d")
        asked = client.frame("approvals", window="1d")
        actions, beliefs = client.frame("actions", window="1d"), client.frame("assumptions", window="1d")
    found = approvals.insight(asked).collect().row(0, named=True)
    assert (insight.asked, insight.approved, insight.denied, insight.awaiting, insight.expired) == (3, 1, 1, 1, 0)
    assert {name: insight[name] for name in found} == {name: pytest.approx(each) for name, each in found.items()}
    assert [each.operator for each in insight.by_operator] == ["the operator"]
    assert health.approvalRate == 100.0
    states = pcaa.checkpoint_states(actions, beliefs, asked, datetime.now(UTC))
    assert pcaa.health(states).collect()["approval_rate"].to_list() == [100.0]
