"""Exploring: a policy that now and then does the other thing, so that it can be known what it changes.

A policy that carries a share (`explore`) takes its other effect for that share of the hours of each key: one that asks
for approval lets pass with a warning, one that warns asks for approval. Whether it does is decided by one draw for each
key and hour, so asking again gets the same answer. It never does so for an action that is not said to be reversible,
that speaks of destruction or whose risk is at the organization's bound or above, nor where the organization has not
opted in, and it never touches a block.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from assent.contract.control.rules import ConditionRules, Effect, PolicyError, RequireApproval, RiskThreshold, Rules

MOST_EXPLORED = 0.5
Share = Annotated[float, Meta(ge=0, le=MOST_EXPLORED)]
PASSED = "let pass without asking, to find out what asking changes"
"""What the text of a policy that asks ends with where it let pass."""
ASKED = "asked about this time, to find out what asking changes"
"""What the text of a policy that warns ends with where it asked."""


def check_explore(rules: Rules, share: float) -> None:
    """Raises PolicyError for a policy that cannot explore: a block never does, nor what depends on others' answers, on
    how much was done before, or on a type being unknown."""
    if not share:
        return
    if not isinstance(rules, RequireApproval | RiskThreshold | ConditionRules):
        raise PolicyError("explore", "goes with require_approval, risk_threshold and condition only; leave it out")
    if not isinstance(rules, RequireApproval) and rules.action is Effect.BLOCK:
        raise PolicyError("explore", "goes with the actions warn and require_approval; a block is never explored")
