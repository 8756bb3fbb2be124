"""The policies of the simulated workspace, and what they say to an action. A service can be given them as they are.

    delete_customers                                  block
    release, config or deploy at risk 60 or more      require_approval
    refund at risk 65 or more                         require_approval
    anything at risk 50 or more                       warn
    anything at risk 80 or more                       require_approval, only observed: `would_decide`

The most severe that matches wins: allow < warn < require_approval < block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assent.contract.control.guard import Decision
from assent_analytics.simulate.kinds import NAMES

if TYPE_CHECKING:
    from numpy.typing import NDArray

ASKED_RELEASE, ASKED_REFUND, WARNED, OBSERVED = 60, 65, 50, 80
RELEASES = ("release", "config", "deploy")

POLICIES: tuple[dict[str, Any], ...] = (
    {
        "name": "Nobody deletes customer data",
        "policy_type": "block_action_type",
        "rules": {"action_types": ["delete_customers"]},
    },
    {
        "name": "Ask before a risky release",
        "policy_type": "condition",
        "rules": {
            "when": {
                "all": [
                    {"field": "action_type", "op": "in", "value": list(RELEASES)},
                    {"field": "risk_score", "op": "gte", "value": ASKED_RELEASE},
                ]
            },
            "action": "require_approval",
        },
    },
    {
        "name": "Ask before a risky refund",
        "policy_type": "condition",
        "rules": {
            "when": {
                "all": [
                    {"field": "action_type", "op": "eq", "value": "refund"},
                    {"field": "risk_score", "op": "gte", "value": ASKED_REFUND},
                ]
            },
            "action": "require_approval",
        },
    },
    {
        "name": "Warn from risk 50",
        "policy_type": "risk_threshold",
        "rules": {"threshold": WARNED, "action": "warn"},
    },
    {
        "name": "Trial: ask from risk 80",
        "policy_type": "risk_threshold",
        "rules": {"threshold": OBSERVED, "action": "require_approval"},
        "mode": "observe",
    },
)
"""In the order of their bits in `SimulatedVerdicts.matched`; each has the members of a policy draft."""

DECISIONS: tuple[str, ...] = tuple(decision.value for decision in Decision)
ALLOW, WARN, ASK, BLOCK = (DECISIONS.index(name) for name in ("allow", "warn", "require_approval", "block"))
NOT_OBSERVED = 255

_RELEASE_CODES = np.array([NAMES.index(name) for name in RELEASES if name in NAMES], dtype=np.uint8)
_REFUND, _DELETE = NAMES.index("refund"), NAMES.index("delete_customers")


class SimulatedVerdicts(NamedTuple):
    """By action: the set of policies that matched, bit i for `POLICIES[i]`; the code of the decision in `DECISIONS`;
    and that of the decision with every observed policy enforced, `NOT_OBSERVED` when none matched."""

    matched: NDArray[np.uint8]
    decision: NDArray[np.uint8]
    would: NDArray[np.uint8]


def asking_risk(kind: int) -> int | None:
    """From which risk on an action of this type needs an operator; None when it never does."""
    if kind in _RELEASE_CODES:
        return ASKED_RELEASE
    return ASKED_REFUND if kind == _REFUND else None


def judge(kind: NDArray[np.uint8], risk: NDArray[np.float64]) -> SimulatedVerdicts:
    """What the policies say; `kind` are codes in `NAMES`, `risk` scores from 0 to 100."""
    deletes = kind == _DELETE
    release = np.isin(kind, _RELEASE_CODES) & (risk >= ASKED_RELEASE)
    refund = (kind == _REFUND) & (risk >= ASKED_REFUND)
    warned, observed = risk >= WARNED, risk >= OBSERVED
    matched = np.zeros(len(kind), np.uint8)
    for bit, hits in enumerate((deletes, release, refund, warned, observed)):
        matched |= hits.astype(np.uint8) << np.uint8(bit)
    decision = np.select([deletes, release | refund, warned], [BLOCK, ASK, WARN], ALLOW).astype(np.uint8)
    would = np.where(observed, np.maximum(decision, ASK), NOT_OBSERVED).astype(np.uint8)
    return SimulatedVerdicts(matched, decision, would)
