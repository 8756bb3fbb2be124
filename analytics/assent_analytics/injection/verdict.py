"""From evidence to a verdict.

- Every rule counts once, with its best evidence; the score is the sum of weights.
- Near words that speak of attacks halve a weight; so does a `not` before a rule that it turns around.
- What had to be decoded weighs `HIDDEN` more: nobody hides such words without a reason.
- A text that a tool brought weighs `FETCHED` times as much as the same words of a user, a system prompt's `SYSTEM`.
- `BLOCK` and `WARN` are scores, chosen on development data by leaving whole sources out.
"""

from __future__ import annotations

from enum import StrEnum

from assent_analytics.injection.view import Evidence

BLOCK = 4.0
WARN = 2.0
HIDDEN = 0.4
PROTECTED = (1.0, 0.5, 0.3, 0.2)
FETCHED = 1.25
SYSTEM = 0.6
MENTIONED = (1.0, 0.6, 0.35, 0.2)
NEGATED = 0.4
_TURNED = """
names_prompt reveal_prompt ask_prompt reveal_credential send_away secrecy override_instruction override_prior
stop_following role_play
"""
TURNED = frozenset(_TURNED.split())
"""Rules that a `not` before turns around: 'never reveal your instructions' asks for nothing."""


BROUGHT = ("tool", "doc", "web", "mail", "retriev", "rag", "file", "external", "fetch", "output", "search")
"""Parts of names of sources that something else brought."""


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


def weight(evidence: Evidence) -> float:
    """What one piece of evidence adds to the score of a user's text."""
    value = evidence.rule.weight * MENTIONED[min(evidence.mentions, len(MENTIONED) - 1)]
    if evidence.rule.name in TURNED:
        value *= NEGATED if evidence.negated else 1.0
        if evidence.rule.category == "data_exfiltration":
            value *= PROTECTED[min(evidence.protects, len(PROTECTED) - 1)]
    return value * (1 + HIDDEN) if evidence.via else value


def recommend(score: float) -> Recommendation:
    if score >= BLOCK:
        return Recommendation.BLOCK
    return Recommendation.WARN if score >= WARN else Recommendation.ALLOW
