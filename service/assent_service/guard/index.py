"""The active policies of one organization, compiled once and never scanned one by one for a call.

Sets of policies are numbers (see `verdict`). A call joins four of them, each found by look-up or bisection:

- by action type: block_action_type and require_approval, one look-up;
- by risk score: thresholds, sorted, with the set that each step adds up to;
- by the agent's count of actions: rate limits by window, longest first, in the same form;
- by its fields: conditions, behind probes.

What is for single agents lies in the *scope* of each such agent, apart from what is for everybody; agents that no
policy names share one scope. So the size of it all depends on the policies, and neither on what agents send nor on
agents times types. Webhook checks are listed by scope, for the second phase.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property, reduce
from itertools import accumulate
from operator import or_

from msgspec import Struct

from assent.contract.conditions import describe
from assent.contract.policies import Mode, Policy
from assent.contract.rules import (
    BlockActionType,
    ConditionRules,
    Effect,
    RateLimit,
    RequireApproval,
    RiskThreshold,
    Rules,
    WebhookCheck,
    parse_rules,
)
from assent.proof.canonical import CanonicalError
from assent.proof.policies import policy_digest, snapshot
from assent_service.guard.probes import Probes, conjuncts
from assent_service.guard.verdict import Match, Verdicts, Webhook

MAX_SCOPES = 4096
_MINUTE_US = 60_000_000


class Steps(Struct, frozen=True, eq=False):
    """Policies with a bound: `reached[k]` is the set of the k lowest `bounds`."""

    bounds: list[float]
    reached: list[int]


class RateGroup(Struct, frozen=True, eq=False):
    """The rate limits of one window."""

    window_us: int
    limits: Steps


class Bounds(Struct, frozen=True, eq=False):
    """Thresholds and rate limits, of everybody or of one agent. No rate limit among them is reached by fewer than
    `quiet_below` actions in the longest window."""

    thresholds: Steps
    rates: list[RateGroup]
    quiet_below: int


class Scope(Struct, frozen=True, eq=False):
    """What depends on the agent: `applying` is the set of policies that apply to it. `number` is unique within the
    PolicySet."""

    number: int
    applying: int
    bounds: tuple[Bounds, ...]
    webhooks: tuple[Webhook, ...]


class _Compiled(Struct, frozen=True, eq=False):
    bit: int
    policy: Policy
    rules: Rules


class PolicySet:
    """The policies of one organization in one version; a change makes a new one.

    `policies` come in the order of their creation; inactive ones are left out here. Raises PolicyError or
    ConditionError for rules that would not have passed `parse_rules` and `check_rules` at the door.
    """

    def __init__(self, policies: Sequence[Policy], version: int = 0) -> None:
        self.version = version
        active = self._active = [policy for policy in policies if policy.active]
        compiled = [_Compiled(1 << n, p, parse_rules(p.policy_type, p.rules)) for n, p in enumerate(active)]
        self.verdicts = Verdicts([_match(c) for c in compiled])
        self.by_type = _by_type(compiled)
        self.probes = _probes(compiled)
        self._limits = [c.rules.max_actions for c in compiled if isinstance(c.rules, RateLimit)]
        self._common = [c for c in compiled if not c.policy.agent_ids]
        self._own: dict[str, list[_Compiled]] = {}
        for c in compiled:
            for agent_id in dict.fromkeys(c.policy.agent_ids):
                self._own.setdefault(agent_id, []).append(c)
        self._common_bounds = _bounds(self._common)
        self._common_applying = _union(self._common)
        self._nobody = Scope(0, self._common_applying, _kept(self._common_bounds), _webhooks(self._common))
        self._scopes: dict[str, Scope] = {}
        self._scopes_made = 0

    @property
    def max_actions(self) -> int:
        """The largest limit of any rate limit, 0 without one: how far back a RateWindow has to remember."""
        return max(self._limits, default=0)

    @cached_property
    def digest(self) -> str | None:
        """What decisions name these policies by (`assent.proof.policies`), taken when the first one does; None when
        rules have no canonical form, as rules recorded by an older service may."""
        try:
            return policy_digest(snapshot(self._active))
        except CanonicalError:
            return None

    def scope(self, agent_id: str | None) -> Scope:
        """The scope of an agent, made on first use; None is a caller without an agent."""
        if agent_id not in self._own or agent_id is None:
            return self._nobody
        return self._scopes.get(agent_id) or self._make(agent_id)

    def _make(self, agent_id: str) -> Scope:
        if len(self._scopes) >= MAX_SCOPES:
            self._scopes.clear()
        self._scopes_made += 1
        own = self._own[agent_id]
        both = sorted((*self._common, *own), key=lambda c: c.bit)
        scope = self._scopes[agent_id] = Scope(
            self._scopes_made,
            self._common_applying | _union(own),
            _kept(self._common_bounds, _bounds(own)),
            _webhooks(both),
        )
        return scope


def _match(compiled: _Compiled) -> Match | None:
    match compiled.rules:
        case BlockActionType():
            effect, why = Effect.BLOCK, "actions of this type are blocked"
        case RequireApproval():
            effect, why = Effect.REQUIRE_APPROVAL, "actions of this type need approval"
        case RiskThreshold(threshold=threshold, action=effect):
            why = f"the risk score is {threshold} or more"
        case RateLimit(max_actions=limit, window_minutes=minutes, action=effect):
            why = f"{limit} or more actions in {minutes} minutes"
        case ConditionRules(when=when, action=effect):
            why = describe(when)
        case WebhookCheck():
            return None
    policy = compiled.policy
    return Match(policy.policy_id, effect, f"{policy.name}: {why}", policy.mode is Mode.OBSERVE)


def _by_type(compiled: Iterable[_Compiled]) -> dict[str, int]:
    found: dict[str, int] = {}
    for c in compiled:
        if isinstance(c.rules, BlockActionType | RequireApproval):
            for action_type in c.rules.action_types:
                found[action_type] = found.get(action_type, 0) | c.bit
    return found


def _probes(compiled: Iterable[_Compiled]) -> Probes | None:
    """None without conditions, so that calls need not gather their fields."""
    conditions = [(c.bit, c.rules.when) for c in compiled if isinstance(c.rules, ConditionRules)]
    if not conditions:
        return None
    probes = Probes()
    for bit, when in conditions:
        probes.add(bit, conjuncts(when, "rules.when"))
    probes.seal()
    return probes


def _bounds(compiled: Iterable[_Compiled]) -> Bounds:
    thresholds: list[tuple[float, int]] = []
    windows: dict[int, list[tuple[float, int]]] = {}
    for c in compiled:
        if isinstance(c.rules, RiskThreshold):
            thresholds.append((c.rules.threshold, c.bit))
        elif isinstance(c.rules, RateLimit):
            windows.setdefault(c.rules.window_minutes, []).append((c.rules.max_actions, c.bit))
    limits = [limit for group in windows.values() for limit, _ in group]
    rates = [RateGroup(minutes * _MINUTE_US, _steps(windows[minutes])) for minutes in sorted(windows, reverse=True)]
    return Bounds(_steps(thresholds), rates, int(min(limits, default=0)))


def _steps(bounded: list[tuple[float, int]]) -> Steps:
    bounded.sort()
    return Steps([bound for bound, _ in bounded], list(accumulate((bit for _, bit in bounded), or_, initial=0)))


def _kept(*bounds: Bounds) -> tuple[Bounds, ...]:
    return tuple(each for each in bounds if each.thresholds.bounds or each.rates)


def _union(compiled: Iterable[_Compiled]) -> int:
    return reduce(or_, (c.bit for c in compiled), 0)


def _webhooks(compiled: Iterable[_Compiled]) -> tuple[Webhook, ...]:
    return tuple(
        Webhook(c.policy.policy_id, c.policy.name, c.rules, c.policy.mode is Mode.OBSERVE)
        for c in compiled
        if isinstance(c.rules, WebhookCheck)
    )
