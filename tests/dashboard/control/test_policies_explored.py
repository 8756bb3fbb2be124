"""What the page says of a policy that explores."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from assent import GuardDecision
from assent.contract.analysis.changes import RuleChanges
from assent.contract.analysis.observed import ObservedDecisions
from assent.contract.control.grants import Grants
from assent.contract.control.guard import Decision, Source
from assent.contract.control.policies import Mode, Policy
from assent.contract.people.rota import Duty
from assent_dashboard.views.policies.data import PolicyList
from assent_dashboard.views.policies.listing import explored_in_words

AT = datetime(2026, 11, 20, tzinfo=UTC)
NO_CHANGES = RuleChanges(changes=[], total=0)
NO_GRANTS = Grants(grants=[], total=0, at=AT, next_cursor=None)
NOTHING_OBSERVED = ObservedDecisions(
    since=AT, until=AT, n=0, simulated=0, imported=0, warned=0, asked=0, blocked=0, policies=[], not_shown=0, tools=[],
    decisions=[], total=0, sessions=0, limit=50, offset=0, next_cursor=None,
)  # fmt: skip
NO_DUTY = Duty(rota=None, groups=[], covered=False, next_at=None, lastUpdated=AT)


def policy(**members: Any) -> Policy:
    whole: dict[str, Any] = {
        "org_id": "org_1", "policy_id": "pol_1", "name": "p", "policy_type": "require_approval",
        "rules": {"action_types": ["pay"]}, "active": True, "agent_ids": [], "mode": Mode.ENFORCE, "version": 1,
        "created_at": AT, "created_by": "k", "updated_at": AT, "updated_by": "k", "deleted_at": None, "explore": 0.02,
    }  # fmt: skip
    return Policy(**whole | members)


def decision(decided: Decision, *, explored: bool, matched: str = "pol_1") -> GuardDecision:
    return GuardDecision(
        id="d", decision_id="d", org_id="org_1", agent_id="bot", action_type="pay", declared_goal=None,
        decision=decided, would_decide=None, reason=None, matched_policies=[matched], observed_policies=[],
        risk_score=20.0, agent_risk_score=None, policy_version=1, source=Source.LIVE, occurred_at=AT, created_at=AT,
        propensity=0.02 if explored else 0.98, explored=explored,
    )  # fmt: skip


PASSED = decision(Decision.WARN, explored=True)
ASKED = decision(Decision.REQUIRE_APPROVAL, explored=True)
PLAIN = decision(Decision.REQUIRE_APPROVAL, explored=False)
OTHERS = decision(Decision.WARN, explored=True, matched="pol_2")
SAYS = (
    "explores: does the other thing in 2 % of hours "
    "(if the organization has opted in, for reversible actions below its bound only)"
)


@pytest.mark.parametrize(
    ("mode", "lately", "says"),
    [
        (Mode.ENFORCE, [], f"{SAYS}, and did in none of the decisions"),
        (Mode.ENFORCE, [PLAIN, OTHERS], f"{SAYS}, and did in none of the newest 2 decisions"),
        (
            Mode.ENFORCE,
            [PASSED, PASSED, ASKED, PLAIN],
            f"{SAYS}; of the newest 4 decisions it let 2 pass and asked about 1 to find out",
        ),
        (Mode.OBSERVE, [PASSED], f"{SAYS} once it is enforced"),
    ],
)
def test_a_policy_says_that_it_explores_and_how_often_it_did(
    mode: Mode, lately: list[GuardDecision], says: str
) -> None:
    one = policy(mode=mode)
    listing = PolicyList(
        policies=(one,), version=1, people={}, newest=lambda: tuple(lately), history=lambda: NO_CHANGES,
        grants=lambda: NO_GRANTS, duty=lambda: NO_DUTY, observed=lambda: NOTHING_OBSERVED,
    )  # fmt: skip
    assert explored_in_words(one, listing) == says
