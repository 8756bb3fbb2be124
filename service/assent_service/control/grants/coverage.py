"""Whether a standing grant covers a request that guard would have a person decide. Pure.

The rules are those of `assent.contract.control.grants`. Each of a grant's bounds is a *part* of its own, and so is each
branch of conditions that all have to hold: what leaves a request out can be told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import NamedTuple, Protocol

from msgspec import Struct

from assent.contract.conditions import All, Condition, describe
from assent.contract.control.grants import Grant, condition_of
from assent.contract.control.guard import Decision, RecordedDecision, Source
from assent.contract.control.rules import AlwaysAsk
from assent.contract.names import comparable, named
from assent_service.control.guard import Facts, PolicySet, compile_condition, gather

NO_FACTORS = frozenset({"base", "template", "history"})
"""Additions to the risk that are no factors of the action itself."""


class Pattern(Protocol):
    """What a grant covers; a grant is one, and so is one that is only thought of."""

    @property
    def agent_ids(self) -> Iterable[str]: ...
    @property
    def action_type(self) -> str: ...
    @property
    def when(self) -> dict[str, object] | None: ...
    @property
    def max_risk(self) -> float: ...


class Part(NamedTuple):
    """One bound: where it stands in the grant, what it says, and whether a request keeps to it."""

    place: str
    text: str
    keeps: Callable[[dict[str, object]], bool]


class Conditions(Struct, frozen=True):
    """A pattern, compiled. Raises ConditionError for conditions that cannot be read."""

    agents: frozenset[str]
    type_key: str
    max_risk: float
    parts: tuple[Part, ...]

    @classmethod
    def of(cls, pattern: Pattern) -> Conditions:
        return cls(
            frozenset(map(comparable, pattern.agent_ids)),
            comparable(pattern.action_type),
            pattern.max_risk,
            tuple(_parts(condition_of(pattern.when))),
        )

    def cover(self, facts: Facts, decision: RecordedDecision) -> bool:
        """Whether the request keeps to all bounds; the first that it does not keep to ends it, since a digest of what
        is large takes time."""
        if facts.agent_key not in self.agents or facts.type_key != self.type_key or decision.risk_score > self.max_risk:
            return False
        fields = fields_of(facts, decision) if self.parts else {}
        return all(part.keeps(fields) for part in self.parts)

    def left_out_by(self, facts: Facts, decision: RecordedDecision) -> list[str]:
        """The bounds that the request does not keep to, by their places; none where the pattern fits."""
        found = [] if facts.agent_key in self.agents else ["agent_ids"]
        if facts.type_key != self.type_key:
            found.append("action_type")
        if decision.risk_score > self.max_risk:
            found.append("max_risk")
        if self.parts:
            fields = fields_of(facts, decision)
            found += [part.place for part in self.parts if not part.keeps(fields)]
        return found


def _parts(when: Condition | None) -> Iterable[Part]:
    if when is None:
        return
    branches = when.branches if isinstance(when, All) else (when,)
    for at, branch in enumerate(branches):
        place = f"when.all[{at}]" if isinstance(when, All) else "when"
        yield Part(place, describe(branch), compile_condition(named(branch), place))


def fields_of(facts: Facts, decision: RecordedDecision) -> dict[str, object]:
    """What the conditions look at: what guard's policies do."""
    return {
        **facts.fields,
        "risk_score": decision.risk_score,
        "agent_risk_score": facts.agent_risk_score,
        "risk_factors": tuple(name for name in decision.risk_breakdown if name not in NO_FACTORS),
    }


def facts_of(decision: RecordedDecision) -> Facts:
    """What was asked, as it was recorded."""
    context = decision.context
    systems, reversible = context.get("systems_touched"), context.get("reversible")
    return gather(
        context,
        action_type=decision.action_type,
        agent_id=decision.agent_id,
        declared_goal=decision.declared_goal,
        systems_touched=tuple(systems) if isinstance(systems, list) else (),
        reversible=reversible if isinstance(reversible, bool) else None,
        agent_risk_score=decision.agent_risk_score,
    )


def asks_anyway(decision: RecordedDecision, facts: Facts, policies: PolicySet) -> str | None:
    """Why no grant covers the request, whatever its pattern; None where one may."""
    if decision.source is not Source.LIVE:
        return "it is history, which nobody decides on any more"
    if decision.decision is not Decision.REQUIRE_APPROVAL:
        return f"guard decided {decision.decision}, so there was nothing to approve"
    if facts.agent_key is None:
        return "it names no agent"
    if decision.explored:
        return "it was asked about to find out what asking changes"
    for policy_id in decision.matched_policies:
        match = policies.matches.get(policy_id)
        if match is None:
            return f"{policy_id} is decided outside guard's policies, or is not there any more"
        if match.always_ask is AlwaysAsk.ALWAYS:
            return f"a policy always asks ({match.text})"
        if match.always_ask is AlwaysAsk.DESTRUCTIVE and facts.destructive:
            return f"its goal speaks of destruction, about which a policy always asks ({match.text})"
    return None


class LiveGrant(Struct, frozen=True):
    """A grant that may let something through, with its conditions compiled."""

    grant: Grant
    conditions: Conditions

    @classmethod
    def of(cls, grant: Grant) -> LiveGrant:
        return cls(grant, Conditions.of(grant))


def covering(
    live: Iterable[LiveGrant], decision: RecordedDecision, facts: Facts, at: datetime, not_of: str | None
) -> Grant | None:
    """The grant that is used: of those that cover the request the one that ends soonest, then the oldest. None made by
    the key `not_of`. `asks_anyway` was looked at."""
    fitting = [
        each.grant
        for each in live
        if at < each.grant.expires_at
        and each.grant.used < each.grant.max_uses
        and each.grant.created_by != not_of
        and each.conditions.cover(facts, decision)
    ]
    return min(fitting, key=lambda grant: (grant.expires_at, grant.created_at, grant.grant_id), default=None)
