"""Exploring: what a policy that carries a share makes of a verdict, by one draw. Pure.

1. One draw, 0 to below 1, belongs to a key and an hour (UTC). It comes from the organization's seed, so that asking
   again, in other words or by another way, gets no other answer, and nobody outside can know it before.
2. Where the draw is below a policy's share, the policy takes its other effect: one that asks for approval lets pass
   with a warning, one that warns asks. The decision is the most severe, as always, so nothing passes that another
   policy stops, and no block is touched.
3. Nothing is explored unless the action is said to be reversible, its goal does not speak of destruction, its risk is
   below the organization's bound, every policy that matched is decided here (no webhook, no scan), and it happens now.
4. The propensity of a decision is the length of the draws that give it. Where every draw gives the same one nothing
   is explored, and nothing is recorded of it.
5. The texts of policies that took the other effect say so, and stand behind the others, in the order of the policies.
"""

from __future__ import annotations

from hashlib import sha256
from itertools import pairwise
from typing import NamedTuple

from msgspec.structs import replace

from assent.contract.control.exploration import ASKED, PASSED
from assent.contract.control.guard import Decision
from assent.contract.control.rules import Effect
from assent_service.base.clock import HOUR
from assent_service.control.guard.context import Facts
from assent_service.control.guard.index import PolicySet
from assent_service.control.guard.verdict import Match, Verdict

_EXPLORED = (Decision.WARN, Decision.REQUIRE_APPROVAL)
_ORDER = tuple(Decision)


class Exploration(NamedTuple):
    """How a decision came about where it was drawn: `propensity` is how probable it was, `explored` whether the draw
    made it another than the rules alone."""

    propensity: float
    explored: bool
    draw: float
    below: float


def draw_of(seed: str, key_id: str, now_us: int) -> float:
    """The draw of a key and hour: the first 53 bits of a SHA-256."""
    digest = sha256(f"{seed}\n{key_id}\n{now_us // HOUR}".encode()).digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / 2**53


def may_explore(facts: Facts, risk: float, below: float) -> bool:
    """Rule 3, of the action itself."""
    return facts.reversible is True and not facts.destructive and risk < below


def explore(verdict: Verdict, policies: PolicySet, below: float, draw: float) -> tuple[Verdict, Exploration] | None:
    """What the draw makes of the verdict of local policies; None where there is nothing to explore. Rule 3 was looked
    at."""
    if verdict.decision not in _EXPLORED or verdict.webhooks:
        return None
    matched = [policies.matches.get(each) for each in (*verdict.matched_policies, *verdict.observed_policies)]
    known = [each for each in matched if each is not None]
    exploring = [each for each in known if each.explore and not each.observed]
    if not exploring or len(known) < len(matched):
        return None
    enforced = [each for each in known if not each.observed]
    taken = _decided(enforced, draw)
    edges = [0.0, *sorted({each.explore for each in exploring}), 1.0]
    propensity = sum(end - begin for begin, end in pairwise(edges) if _decided(enforced, begin) is taken)
    if propensity >= 1:
        return None
    drawn = Exploration(propensity, taken is not verdict.decision, draw, below)
    other = [each for each in exploring if draw < each.explore]
    if not other:
        return verdict, drawn
    passed = tuple(f"{each.text}; {PASSED}" for each in other if each.effect is Effect.REQUIRE_APPROVAL)
    asked = tuple(f"{each.text}; {ASKED}" for each in other if each.effect is Effect.WARN)
    gone = {each.text for each in other}
    worst = max((Decision(each.effect.value) for each in known if each.observed), default=taken, key=_ORDER.index)
    return (
        replace(
            verdict,
            decision=taken,
            reasons=tuple(text for text in verdict.reasons if text not in gone) + asked,
            warnings=tuple(text for text in verdict.warnings if text not in gone) + passed,
            would_decide=max(taken, worst, key=_ORDER.index) if verdict.observed_policies else None,
        ),
        drawn,
    )


def _decided(enforced: list[Match], draw: float) -> Decision:
    return max((_effect(each, draw) for each in enforced), key=_ORDER.index)


def _effect(match: Match, draw: float) -> Decision:
    if draw >= match.explore:
        return Decision(match.effect.value)
    return Decision.WARN if match.effect is Effect.REQUIRE_APPROVAL else Decision.REQUIRE_APPROVAL
