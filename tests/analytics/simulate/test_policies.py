"""The decisions of a simulated history, against the policies by hand."""

from __future__ import annotations

import numpy as np
import pytest

from assent.contract.control.policies import PolicyDraft
from assent.contract.control.rules import parse_rules
from assent_analytics.simulate import DECISIONS, POLICIES
from assent_analytics.simulate.kinds import NAMES
from assent_analytics.simulate.policies import NOT_OBSERVED, judge


@pytest.mark.parametrize(
    ("kind", "risk", "matched", "decision", "would"),
    [
        ("lookup_order", 49, [], "allow", None),
        ("lookup_order", 50, [3], "warn", None),
        ("research", 79, [3], "warn", None),
        ("research", 80, [3, 4], "warn", "require_approval"),
        ("release", 59, [3], "warn", None),
        ("release", 60, [1, 3], "require_approval", None),
        ("config", 85, [1, 3, 4], "require_approval", "require_approval"),
        ("refund", 64, [3], "warn", None),
        ("refund", 65, [2, 3], "require_approval", None),
        ("delete_customers", 10, [0], "block", None),
        ("delete_customers", 90, [0, 3, 4], "block", "block"),
    ],
)
def test_policies_say(kind: str, risk: float, matched: list[int], decision: str, would: str | None) -> None:
    found = judge(np.array([NAMES.index(kind)], np.uint8), np.array([float(risk)]))
    assert int(found.matched[0]) == sum(1 << bit for bit in matched)
    assert DECISIONS[found.decision[0]] == decision
    assert (None if found.would[0] == NOT_OBSERVED else DECISIONS[found.would[0]]) == would


def test_policies_are_ones_that_a_service_takes() -> None:
    for policy in POLICIES:
        draft = PolicyDraft(**policy)
        parse_rules(draft.policy_type, draft.rules, strict=True)
    assert len({policy["name"] for policy in POLICIES}) == len(POLICIES)
