"""Which requests triage takes part in, and what becomes of a decision that it made. Pure.

The rules are those of `assent.contract.control.triage`.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from assent.contract.control.actions import ActionStatus, CreateAction
from assent.contract.control.guard import Decision, RecordedDecision, TriageAnswer, TriageMark
from assent.contract.control.triage import AUDITED, PASSED
from assent_analytics.triage import Choice
from assent_service.control.grants import asks_anyway
from assent_service.control.guard import GuardQuestion, PolicySet

_ORDER = tuple(Decision)


class Chosen(NamedTuple):
    """What was chosen for a request: its decision from now on, and what its stratum is told with its record."""

    decision: RecordedDecision
    choice: Choice
    draw: float
    plan_id: str
    stratum: str
    number: int


def takes_part(asked: GuardQuestion, body: CreateAction, decision: RecordedDecision, policies: PolicySet) -> bool:
    """Rule 2, as far as the request and its decision tell."""
    facts = asked.facts
    return (
        decision.decision is Decision.REQUIRE_APPROVAL
        and facts.reversible is True
        and not facts.destructive
        and body.status in (None, ActionStatus.RUNNING)
        and decision.explore_draw is UNSET
        and not policies.scope(facts.agent_key).webhooks
        and asks_anyway(decision, facts, policies) is None
    )


def marked(
    decision: RecordedDecision, policies: PolicySet, mark: TriageMark, misspelt: tuple[str, ...]
) -> RecordedDecision:
    """The decision of a request that could pass: it passes with a warning, or is asked as an audit. `misspelt` are its
    last warnings, which no policy gave."""
    if mark.answer is TriageAnswer.AUDIT:
        reasons = tuple(f"{text}; {AUDITED}" for text in decision.reasons)
        return replace(decision, reasons=reasons, reason="; ".join(reasons), propensity=mark.share, triage=mark)
    said = decision.warnings[: len(decision.warnings) - len(misspelt)]
    warnings = (*said, *(f"{text}; {PASSED}" for text in decision.reasons))
    return replace(
        decision,
        decision=Decision.WARN,
        would_decide=_would(decision, policies),
        reasons=(),
        warnings=(*warnings, *misspelt),
        reason="; ".join(warnings),
        propensity=1 - mark.share,
        triage=mark,
    )


def _would(decision: RecordedDecision, policies: PolicySet) -> Decision | None:
    """What it would have been with every observed policy enforced."""
    if decision.would_decide is None:
        return None
    observed = [Decision(policies.matches[each].effect.value) for each in decision.observed_policies]
    return max((Decision.WARN, *observed), key=_ORDER.index)
