"""The active policies of one organization, compiled once and never scanned one by one for a call.

A call asks for the *plan* of its agent and action type. Plans are made when first asked for and kept. An agent
or a type that no policy names shares one plan with all the others that none names, so their number depends on
the policies and not on what agents send. What a plan holds, sets of policies being numbers (see `verdict`):

- those that match every such call (block_action_type, require_approval, conditions that ask for nothing else);
- conditions, without what the plan's agent and type already settle, behind probes;
- the agent's *scope*, which all its plans share: risk thresholds, sorted, with the set that each step adds up to;
  rate limits by window, longest first, in the same form; webhook checks for the second phase.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from operator import or_

from msgspec import Struct

from assent.contract.conditions import Compare, Op, describe
from assent.contract.policies import (
    BlockActionType,
    ConditionRules,
    Effect,
    Mode,
    Policy,
    RateLimit,
    RequireApproval,
    RiskThreshold,
    Rules,
    WebhookCheck,
    parse_rules,
)
from assent_service.guard.matching import value_test
from assent_service.guard.probes import Conjunct, Probes, conjuncts
from assent_service.guard.verdict import Match, Verdicts, Webhook

MAX_PLANS = 4096
_MINUTE_US = 60_000_000
_SETTLED_FIELDS = ("action_type", "agent_id")


class Steps(Struct, frozen=True, eq=False):
    """Policies with a bound: `reached[k]` is the set of the k lowest `bounds`."""

    bounds: list[float]
    reached: list[int]


class RateGroup(Struct, frozen=True, eq=False):
    """The rate limits of one window."""

    window_us: int
    limits: Steps


class Scope(Struct, frozen=True, eq=False):
    """What depends on the agent alone. No rate limit is reached by fewer than `quiet_below` actions in the longest
    window; `number` is unique within the PolicySet."""

    number: int
    thresholds: Steps
    rates: list[RateGroup]
    quiet_below: int
    webhooks: tuple[Webhook, ...]


class Plan(Struct, frozen=True, eq=False):
    """What a call of one agent and action type has to look at; `probes` is None without conditions."""

    scope: Scope
    always: int
    probes: Probes | None


class _Compiled(Struct, frozen=True, eq=False):
    """A policy with its rules parsed; for a condition, what agent and type settle, and the rest of it."""

    bit: int
    policy: Policy
    rules: Rules
    agents: frozenset[str]
    settled: tuple[Compare, ...] = ()
    parts: tuple[Conjunct, ...] = ()


class PolicySet:
    """The policies of one organization in one version; a change makes a new one.

    `policies` come in the order of their creation; inactive ones are left out here. Raises PolicyError or
    ConditionError for rules that would not have passed `parse_rules` and `check_rules` at the door.
    """

    def __init__(self, policies: Sequence[Policy], version: int = 0) -> None:
        self.version = version
        active = [policy for policy in policies if policy.active]
        self._compiled = [_compile(1 << number, policy) for number, policy in enumerate(active)]
        self.verdicts = Verdicts([_match(compiled) for compiled in self._compiled])
        self._agents = frozenset[str]().union(*(_named(c, "agent_id") for c in self._compiled))
        self._types = frozenset[str]().union(*(_named(c, "action_type") for c in self._compiled))
        self._scopes: dict[str | None, Scope] = {}
        self._scopes_made = 0
        self._plans: dict[tuple[str | None, str | None], Plan] = {}

    @property
    def max_actions(self) -> int:
        """The largest limit of any rate limit, 0 without one: how far back a RateWindow has to remember."""
        return max((c.rules.max_actions for c in self._compiled if isinstance(c.rules, RateLimit)), default=0)

    def plan(self, agent_id: str | None, action_type: str) -> Plan:
        """The plan of an agent and an action type, made on first use."""
        key = (
            agent_id if agent_id in self._agents else None,
            action_type if action_type in self._types else None,
        )
        return self._plans.get(key) or self._make(*key)

    def _make(self, agent: str | None, action_type: str | None) -> Plan:
        if len(self._plans) >= MAX_PLANS:
            self._plans.clear()
            self._scopes.clear()
        applying = [c for c in self._compiled if not c.agents or agent in c.agents]
        scope = self._scopes.get(agent)
        if scope is None:
            self._scopes_made += 1
            scope = self._scopes[agent] = _scope(self._scopes_made, applying)
        always, probes = _conditions(applying, {"agent_id": agent, "action_type": action_type})
        for c in applying:
            if isinstance(c.rules, BlockActionType | RequireApproval) and action_type in c.rules.action_types:
                always |= c.bit
        plan = self._plans[agent, action_type] = Plan(scope, always, probes)
        return plan


def _compile(bit: int, policy: Policy) -> _Compiled:
    rules = parse_rules(policy.policy_type, policy.rules)
    agents = frozenset(policy.agent_ids)
    if not isinstance(rules, ConditionRules):
        return _Compiled(bit, policy, rules, agents)
    parts = conjuncts(rules.when, "rules.when")
    settled = tuple(part.tree for part in parts if isinstance(part.tree, Compare) and _is_settled(part.tree))
    rest = tuple(part for part in parts if part.tree not in settled)
    return _Compiled(bit, policy, rules, agents, settled, rest)


def _is_settled(leaf: Compare) -> bool:
    return leaf.field in _SETTLED_FIELDS and leaf.op in (Op.EQ, Op.IN)


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


def _named(compiled: _Compiled, field: str) -> set[str]:
    """The agents or types for which this policy may behave differently than for any other."""
    names: set[str] = set(compiled.agents) if field == "agent_id" else set()
    if field == "action_type" and isinstance(compiled.rules, BlockActionType | RequireApproval):
        names.update(compiled.rules.action_types)
    for leaf in compiled.settled:
        if leaf.field == field:
            values = leaf.value if isinstance(leaf.value, tuple) else (leaf.value,)
            names.update(value for value in values if isinstance(value, str))
    return names


def _scope(number: int, applying: Sequence[_Compiled]) -> Scope:
    windows: dict[int, list[tuple[float, int]]] = {}
    for c in applying:
        if isinstance(c.rules, RateLimit):
            windows.setdefault(c.rules.window_minutes, []).append((c.rules.max_actions, c.bit))
    limits = [limit for group in windows.values() for limit, _ in group]
    return Scope(
        number=number,
        thresholds=_steps([(c.rules.threshold, c.bit) for c in applying if isinstance(c.rules, RiskThreshold)]),
        rates=[RateGroup(minutes * _MINUTE_US, _steps(windows[minutes])) for minutes in sorted(windows, reverse=True)],
        quiet_below=int(min(limits, default=0)),
        webhooks=tuple(
            Webhook(c.policy.policy_id, c.policy.name, c.rules, c.policy.mode is Mode.OBSERVE)
            for c in applying
            if isinstance(c.rules, WebhookCheck)
        ),
    )


def _steps(bounded: list[tuple[float, int]]) -> Steps:
    bounded.sort()
    return Steps([bound for bound, _ in bounded], list(accumulate((bit for _, bit in bounded), or_, initial=0)))


def _conditions(applying: Iterable[_Compiled], known: dict[str, str | None]) -> tuple[int, Probes | None]:
    """The set that agent and type alone make hold, and what is left to ask the fields."""
    always, probes, any_left = 0, Probes(), False
    for c in applying:
        if not isinstance(c.rules, ConditionRules):
            continue
        if not all(value_test(leaf.op, leaf.value)(known[leaf.field]) for leaf in c.settled):
            continue
        if c.parts:
            probes.add(c.bit, c.parts)
            any_left = True
        else:
            always |= c.bit
    probes.seal()
    return always, probes if any_left else None
