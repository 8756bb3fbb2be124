"""From evidence to a verdict.

- Every rule counts once, with its best evidence; the score is the sum of weights. What overlaps a heavier finding of
  its category says the same again; what stands far from a finding says little about it: a long text with a hint here
  and one there is no attack.
- Near words that speak of attacks halve a weight; so does a `not` before a rule that it turns around.
- What had to be decoded weighs `HIDDEN` more: nobody hides such words without a reason.
- A text that a tool brought weighs `FETCHED` times as much as the same words of a user, a system prompt's `SYSTEM`.
- `BLOCK` and `WARN` are scores, chosen on development data by leaving whole sources out.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from assent_analytics.injection.view import RuleMatch

AGAIN = 0.3
"""Share of its weight that counts of what overlaps a heavier finding of its category."""
REACH = 400
"""Characters from one finding to another that adds its whole weight."""
FAR = 0.3
"""Share of its weight that counts of what stands further away."""
CENTRES = 6
"""Heaviest findings around which a sum is tried."""
BLOCK = 3.5
WARN = 2.0
HIDDEN = 0.4
PROTECTED = (1.0, 0.5, 0.3, 0.2)
FETCHED = 1.25
SYSTEM = 0.6
MENTIONED = (1.0, 0.5, 0.25, 0.1)
NEGATED = 0.4
_TURNED = """
names_prompt reveal_prompt ask_prompt reveal_credential send_away secrecy override_instruction override_prior
stop_following role_play ask_confidential password_game prompt_probe leak to_attacker disable_safety
override_limit override_message
"""
TURNED = frozenset(_TURNED.split())
"""Rules that a `not` before turns around: 'never reveal your instructions' asks for nothing."""


BROUGHT = ("tool", "doc", "web", "mail", "retriev", "rag", "file", "external", "fetch", "output", "search")
"""Parts of names of sources that something else brought."""


class ScoredFinding(Protocol):
    """What the score asks of a finding."""

    @property
    def category(self) -> str: ...

    @property
    def position(self) -> int: ...

    @property
    def end(self) -> int: ...

    @property
    def weight(self) -> float: ...


class Recommendation(StrEnum):
    ALLOW = "allow"
    WARN = "warn"
    BLOCK = "block"


def factor(source: str) -> float:
    """How much more the words of a source weigh than a user's."""
    said = source.lower()
    if "system" in said and "prompt" in said:
        return SYSTEM
    return FETCHED if any(part in said for part in BROUGHT) else 1.0


def weight(evidence: RuleMatch) -> float:
    """What one piece of evidence adds to the score of a user's text."""
    value = evidence.rule.weight * MENTIONED[min(evidence.mentions, len(MENTIONED) - 1)]
    if evidence.rule.name in TURNED:
        value *= NEGATED if evidence.negated else 1.0
        if evidence.rule.category == "data_exfiltration":
            value *= PROTECTED[min(evidence.protects, len(PROTECTED) - 1)]
    return value * (1 + HIDDEN) if evidence.via else value


def total(findings: Sequence[ScoredFinding]) -> float:
    """The largest sum of weights around one finding; `findings` are heaviest first."""
    weights = [
        finding.weight * (AGAIN if any(_same(finding, other) for other in findings[:at]) else 1.0)
        for at, finding in enumerate(findings)
    ]
    return max(
        (
            sum(
                weight * (1.0 if abs(finding.position - centre.position) <= REACH else FAR)
                for finding, weight in zip(findings, weights, strict=True)
            )
            for centre in findings[:CENTRES]
        ),
        default=0.0,
    )


def _same(finding: ScoredFinding, other: ScoredFinding) -> bool:
    overlaps = other.position < finding.end and finding.position < other.end
    return overlaps and other.category == finding.category


def recommend(score: float) -> Recommendation:
    if score >= BLOCK:
        return Recommendation.BLOCK
    return Recommendation.WARN if score >= WARN else Recommendation.ALLOW
