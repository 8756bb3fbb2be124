"""What a change reaches, what is measured of a decision, and the answer in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pytest

from assent.contract.analysis.changes import ChangedMember, ChangeWhat, RuleChange, RuleKind
from assent.contract.control.policies import Mode, Policy
from assent.contract.control.risk_templates import RiskTemplate, TemplateStatus
from assent_analytics.changes import headline, history, measured, reach_in_words, reached

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
PAIRS = [("a", "deploy"), ("a", "refund"), ("b", "deploy"), ("b", "refund"), (None, "deploy")]


def policy(policy_type: str = "require_approval", rules: Any = None, **members: Any) -> Policy:
    given: dict[str, Any] = {
        "org_id": "org_1",
        "policy_id": "pol_1",
        "name": "p",
        "policy_type": policy_type,
        "rules": rules or {"action_types": ["deploy"]},
        "active": True,
        "agent_ids": [],
        "mode": Mode.ENFORCE,
        "version": 1,
        "created_at": NOW,
        "created_by": "key_1",
        "updated_at": NOW,
        "updated_by": "key_1",
        "deleted_at": None,
    }
    return Policy(**{**given, **members})


def template(**members: Any) -> RiskTemplate:
    given: dict[str, Any] = {
        "id": "rt_1",
        "org_id": "org_1",
        "name": "t",
        "description": None,
        "action_type": "refund",
        "base_risk": 10,
        "rules": [],
        "status": TemplateStatus.ACTIVE,
        "version": 1,
        "created_at": NOW,
        "created_by": "k",
        "updated_at": NOW,
        "updated_by": "k",
        "deleted_at": None,
    }
    return RiskTemplate(**{**given, **members})


def condition(*parts: dict[str, Any]) -> Policy:
    return policy("condition", {"when": {"all": list(parts)}, "action": "block"})


BOTH = {"action_types": ["deploy", "refund"]}
RISKY = {"field": "risk_score", "op": "gte", "value": 60}


@pytest.mark.parametrize(
    ("before", "after", "touched"),
    [
        (None, policy(), "d_d_d"),
        (policy(), policy(deleted_at=NOW), "d_d_d"),
        (policy(), policy(rules=BOTH), "_r_r_"),
        (policy(rules=BOTH), policy(rules=BOTH, mode=Mode.OBSERVE), "drdrd"),
        (policy(), policy(name="another name"), "_____"),
        (policy(active=False), policy(active=False, rules=BOTH), "_____"),
        (None, policy(agent_ids=["B"]), "__d__"),
        (policy(agent_ids=["a"]), policy(), "__d_d"),
        (policy("known_types", {"action_types": ["deploy"]}), policy("known_types", BOTH), "_r_r_"),
        (None, policy("known_types", {"action_types": ["deploy"]}), "_r_r_"),
        (None, policy("risk_threshold", {"threshold": 60}), "drdrd"),
        (policy("risk_threshold", {"threshold": 60}), policy("risk_threshold", {"threshold": 70}), "drdrd"),
        (None, condition({"field": "action_type", "op": "in", "value": ["DEPLOY"]}, RISKY), "d_d_d"),
        (None, condition({"field": "agent_id", "op": "eq", "value": "b"}, RISKY), "__dr_"),
        (None, condition({"field": "action_type", "op": "neq", "value": "deploy"}, RISKY), "drdrd"),
        (template(), template(base_risk=20), "_r_r_"),
        (template(), template(status=TemplateStatus.INACTIVE), "_r_r_"),
        (template(action_type=None), template(action_type=None, deleted_at=NOW), "drdrd"),
        (template(), template(description="other words"), "_____"),
    ],
)
def test_a_change_reaches_what_it_can_decide_otherwise(
    before: Policy | RiskTemplate | None, after: Policy | RiskTemplate, touched: str
) -> None:
    assert reached(before, after, PAIRS) == [each != "_" for each in touched]


def test_the_reach_is_told_by_type_by_agent_or_by_pairs() -> None:
    def words(hit: str) -> str:
        return reach_in_words(PAIRS, [each == "x" for each in hit])

    assert words("x_x_x") == "decisions of the type deploy"
    assert words("xx___") == "decisions of the agent a"
    assert words("x_xx_") == "decisions of 3 of 5 pairs of agent and type"
    assert words("xxxxx") == "every decision in this time"
    assert words("_____") == "no decision in this time"


def test_waiting_ends_with_the_answer_and_what_did_not_run_has_no_outcome() -> None:
    later = NOW + timedelta(minutes=90)
    rows = pl.DataFrame(
        [
            ("allow", "completed", None, None, None),
            ("require_approval", "failed", "approved", NOW, later),
            ("require_approval", "blocked", "denied", NOW, later),
            ("require_approval", "blocked", "expired", NOW, later),
            ("require_approval", "pending_approval", "awaiting", NOW, None),
            ("require_approval", None, None, None, None),
            ("block", None, None, None, None),
        ],
        schema={
            "decision": pl.String,
            "status": pl.String,
            "state": pl.String,
            **dict.fromkeys(("requested_at", "decided_at"), pl.Datetime("us", "UTC")),
        },
        orient="row",
    )
    found = measured(rows).collect()
    assert found["asked"].to_list() == [0, 1, 1, 1, 1, 1, 0]
    assert found["blocked"].to_list() == [0, 0, 0, 0, 0, 0, 1]
    assert found["waiting_minutes"].to_list() == [0, 90, 90, 90, None, None, 0]
    assert found["denied"].to_list() == [None, 0, 1, None, None, None, None]
    assert found["failed"].to_list() == [0, 1, None, None, None, None, None]
    with pytest.raises(ValueError, match="rows lack decided_at"):
        measured(rows.drop("decided_at"))


def test_a_history_is_a_frame_with_a_row_for_each_member() -> None:
    members = [
        ChangedMember(member="mode", before="observe", after="enforce"),
        ChangedMember(member="rules", before=None, after={"threshold": 60}),
    ]
    one = RuleChange(
        change_id="7",
        kind=RuleKind.POLICY,
        id="pol_1",
        name="No deletes",
        what=ChangeWhat.CHANGED,
        at=NOW,
        by="key_1",
        by_name="Ada",
        version=3,
        members=members,
    )
    gone = RuleChange(
        change_id="9",
        kind=RuleKind.RISK_TEMPLATE,
        id="rt_1",
        name="wires",
        what=ChangeWhat.REMOVED,
        at=NOW,
        by="key_1",
        by_name=None,
        version=2,
        members=[],
    )
    frame = history([one, gone])
    assert frame.select("change_id", "member", "before", "after").rows() == [
        ("7", "mode", '"observe"', '"enforce"'),
        ("7", "rules", None, '{"threshold":60}'),
        ("9", None, None, None),
    ]
    assert history([]).schema == frame.schema
    assert headline(one) == "policy No deletes: changed mode, rules"
    assert headline(gone) == "risk template wires: removed"
