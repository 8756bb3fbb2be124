"""The scan for prompt injections as one more policy. Pure.

1. What an agent says to guard is scanned where the action is about to happen: the goal, the type, and every text in
   metadata with the names in it. History is not scanned, since it happened already, and a halted organization looks
   at nothing else.
2. It comes behind the local policies and before the webhooks (its reasons behind those of local policies that block),
   and may only raise severity, as a webhook's answer may.
3. What is to be blocked is blocked, or warned of where the service is set so. A warning is a decision `warn`.
4. An observed policy changes nothing about that: `would_decide` is raised together with the decision.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from assent.contract.control.guard import Decision
from assent.contract.control.injection import SCAN_POLICY, ScanRecommendation
from assent_service.control.guard.context import Facts
from assent_service.control.guard.verdict import Verdict, with_reasons
from assent_service.control.injection import Mode, Noticed

_ORDER = tuple(Decision)
METADATA = "metadata"


def scanned_texts(facts: Facts) -> Iterator[tuple[str, object]]:
    """What is scanned, by the name of its member."""
    yield "declared_goal", facts.declared_goal
    yield "action_type", facts.action_type
    yield METADATA, facts.fields.get(METADATA)


def effect(noticed: Noticed, mode: Mode) -> Decision:
    """The decision of the scan alone."""
    if noticed.recommendation is ScanRecommendation.ALLOW:
        return Decision.ALLOW
    blocks = noticed.recommendation is ScanRecommendation.BLOCK and mode is Mode.BLOCK
    return Decision.BLOCK if blocks else Decision.WARN


def join(verdict: Verdict, noticed: Noticed, mode: Mode) -> Verdict:
    """The verdict of the local policies and the scan."""
    decision = effect(noticed, mode)
    if decision is Decision.ALLOW:
        return verdict
    blocks = decision is Decision.BLOCK
    if blocks:
        verdict = with_reasons(verdict, noticed.says, blocks=True)
    return replace(
        verdict,
        decision=_worst(verdict.decision, decision),
        warnings=verdict.warnings + (() if blocks else noticed.says),
        matched_policies=(*verdict.matched_policies, SCAN_POLICY),
        would_decide=None if verdict.would_decide is None else _worst(verdict.would_decide, decision),
    )


def _worst(one: Decision, other: Decision) -> Decision:
    return max(one, other, key=_ORDER.index)
