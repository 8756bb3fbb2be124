"""The active policies of one organization, compiled once and never scanned one by one for a call. Names in them, of
types, agents, tools and systems, are folded here as those of a call are (`assent.contract.names`).

Sets of policies are numbers (see `verdict`). A call joins five of them, each found by look-up or bisection:

- by action type: block_action_type and require_approval, one look-up, and known_types, which match every other;
- by risk score: thresholds, sorted, with the set that each step adds up to;
- by the agent's count of actions: rate limits by window, longest first, in the same form;
- by its fields: conditions, behind probes;
- by where its values came from: flow policies (`flows`).

What is for single agents lies in the *scope* of each such agent, apart from what is for everybody; agents that no
policy names share one scope. So the size of it all depends on the policies, and neither on what agents send nor on
agents times types. Webhook checks are listed by scope, for the second phase.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, reduce
from itertools import accumulate
from operator import or_

from msgspec import Struct
from msgspec.structs import replace

from assent.contract.conditions import describe
from assent.contract.control.policies import Mode, Policy
from assent.contract.control.rules import (
    AlwaysAsk,
    BlockActionType,
    ConditionRules,
    Effect,
    FlowRules,
    KnownTypes,
    RateLimit,
    RequireApproval,
    RiskThreshold,
    Rules,
    WebhookCheck,
    parse_rules,
)
from assent.contract.names import comparable, named
from assent.contract.problems import Code, FieldError
from assent.flows import Pack, shipped_pack
from assent.proof.canonical import CanonicalError
from assent.proof.policies import policy_digest, snapshot
from assent_service.base.problem import refuse
from assent_service.control.guard.flows import FlowPolicies, read_flow_rules
from assent_service.control.guard.matching import compile_condition
from assent_service.control.guard.probes import Probes, conjuncts
from assent_service.control.guard.verdict import Match, Verdict, Verdicts, Webhook

MAX_SCOPES = 4096
OF_KEY = " with one key, which is bound to no agent"
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


class AgentScope(Struct, frozen=True, eq=False):
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
        self.explores = any(policy.explore and policy.mode is Mode.ENFORCE for policy in active)
        """Whether any of them does the other thing now and then."""
        self.by_type = _by_type(compiled)
        self._knowing = _union(c for c in compiled if isinstance(c.rules, KnownTypes))
        self._known = _known(compiled)
        self.probes = _probes(compiled)
        self.flows = _flows(compiled)
        """None without flow policies, so that nobody looks at sessions."""
        self._limits = [c.rules.max_actions for c in compiled if isinstance(c.rules, RateLimit)]
        self._common = [c for c in compiled if not c.policy.agent_ids]
        self._own: dict[str, list[_Compiled]] = {}
        for c in compiled:
            for agent_key in dict.fromkeys(map(comparable, c.policy.agent_ids)):
                self._own.setdefault(agent_key, []).append(c)
        self._common_bounds = _bounds(self._common)
        self.for_keys = self._common_bounds if self._common_bounds.rates else None
        """The rate limits that hold for every agent, and so for a key that can speak for any; None without one."""
        self._of_policy = [policy.policy_id for policy in active]
        self._common_applying = _union(self._common)
        self._nobody = AgentScope(0, self._common_applying, _kept(self._common_bounds), _webhooks(self._common))
        self._scopes: dict[str, AgentScope] = {}
        self._scopes_made = 0

    @property
    def pack(self) -> Pack:
        """What the flow policies say of tools and labels; without one, what is shipped."""
        return shipped_pack() if self.flows is None else self.flows.pack

    @cached_property
    def max_actions(self) -> int:
        """The largest limit of any rate limit, 0 without one: how far back a RateWindow has to remember."""
        return max(self._limits, default=0)

    @cached_property
    def matches(self) -> dict[str, Match]:
        """What each policy contributes that is decided here, by its id."""
        return {match.policy_id: match for match in self.verdicts.matches if match is not None}

    def of_type(self, type_key: str) -> int:
        """The policies that match an action type, by its compared name, whoever acts: those that name it, and those
        that know others only."""
        named = self.by_type.get(type_key, 0)
        return named | (self._knowing & ~self._known.get(type_key, 0)) if self._knowing else named

    @cached_property
    def digest(self) -> str | None:
        """What decisions name these policies by (`assent.proof.policies`), taken when the first one does; None when
        rules have no canonical form, as rules recorded by an older service may."""
        try:
            return policy_digest(snapshot(self._active))
        except CanonicalError:
            return None

    def ids(self, found: int) -> tuple[str, ...]:
        """The ids of a set of policies."""
        return tuple(each for n, each in enumerate(self._of_policy) if found >> n & 1)

    def by_key(self, verdict: Verdict, limited: int) -> tuple[Verdict, tuple[str, ...]]:
        """The verdict, which says of these rate limits that a key reached them, and their ids."""
        texts = {m.text for n, m in enumerate(self.verdicts.matches) if m is not None and limited >> n & 1}

        def marked(listed: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(text + OF_KEY if text in texts else text for text in listed)

        return replace(verdict, reasons=marked(verdict.reasons), warnings=marked(verdict.warnings)), self.ids(limited)

    def by_flow(self, verdict: Verdict, found: Mapping[int, str]) -> Verdict:
        """The verdict, in which each flow policy says what it found; by their places."""
        texts = dict[str, str]()
        for bit, text in found.items():
            match = self.verdicts.matches[bit.bit_length() - 1]
            if match is not None:
                texts[match.text] = text
        reasons, warnings = verdict.reasons, verdict.warnings
        return replace(
            verdict,
            reasons=tuple([texts.get(each, each) for each in reasons]) if reasons else (),
            warnings=tuple([texts.get(each, each) for each in warnings]) if warnings else (),
        )

    def scope(self, agent_key: str | None) -> AgentScope:
        """The scope of an agent, by its compared name, made on first use; None is a caller without an agent."""
        if agent_key not in self._own or agent_key is None:
            return self._nobody
        return self._scopes.get(agent_key) or self._make(agent_key)

    def _make(self, agent_key: str) -> AgentScope:
        if len(self._scopes) >= MAX_SCOPES:
            self._scopes.clear()
        self._scopes_made += 1
        own = self._own[agent_key]
        both = sorted((*self._common, *own), key=lambda c: c.bit)
        scope = self._scopes[agent_key] = AgentScope(
            self._scopes_made,
            self._common_applying | _union(own),
            _kept(self._common_bounds, _bounds(own)),
            _webhooks(both),
        )
        return scope


def check_rules(rules: Rules) -> None:
    """The part of checking a policy that needs RE2 or reads a pack. Raises ConditionError with a place such as
    `rules.when.all[0].value`, and PolicyError; to be called where a policy comes in, after `parse_rules`."""
    if isinstance(rules, ConditionRules):
        compile_condition(rules.when, "rules.when")
    if isinstance(rules, FlowRules):
        read_flow_rules(rules)


def check_name(name: str, policies: Iterable[Policy]) -> None:
    """Raises `policy_exists` for the name of one of these."""
    if any(policy.name == name for policy in policies):
        raise refuse(
            Code.POLICY_EXISTS,
            f"A policy named {name!r} exists already; change that one or choose another name.",
            FieldError(place="name", message="is taken"),
        )


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
        case KnownTypes(action=effect):
            why = "actions of this type are not among the known ones"
        case ConditionRules(when=when, action=effect):
            why = describe(when)
        case FlowRules(action=effect):
            why = "where a value came from"
        case WebhookCheck():
            return None
    policy = compiled.policy
    always = AlwaysAsk.ALWAYS if isinstance(compiled.rules, FlowRules) else policy.always_ask
    return Match(
        policy.policy_id,
        effect,
        f"{policy.name}: {why}",
        policy.mode is Mode.OBSERVE,
        policy.explore,
        always,
    )


def _by_type(compiled: Iterable[_Compiled]) -> dict[str, int]:
    found: dict[str, int] = {}
    for c in compiled:
        if isinstance(c.rules, BlockActionType | RequireApproval):
            for action_type in map(comparable, c.rules.action_types):
                found[action_type] = found.get(action_type, 0) | c.bit
    return found


def _known(compiled: Iterable[_Compiled]) -> dict[str, int]:
    """The policies that have a type among the known ones."""
    found: dict[str, int] = {}
    for c in compiled:
        if isinstance(c.rules, KnownTypes):
            for action_type in map(comparable, c.rules.action_types):
                found[action_type] = found.get(action_type, 0) | c.bit
    return found


def _probes(compiled: Iterable[_Compiled]) -> Probes | None:
    """None without conditions, so that calls need not gather their fields."""
    conditions = [(c.bit, named(c.rules.when)) for c in compiled if isinstance(c.rules, ConditionRules)]
    if not conditions:
        return None
    probes = Probes()
    for bit, when in conditions:
        probes.add(bit, conjuncts(when, "rules.when"))
    probes.seal()
    return probes


def _flows(compiled: Sequence[_Compiled]) -> FlowPolicies | None:
    found = [(c.bit, c.policy.policy_id, c.policy.name, c.rules) for c in compiled if isinstance(c.rules, FlowRules)]
    if not found:
        return None
    enforced = {c.bit for c in compiled if c.policy.mode is Mode.ENFORCE}
    return FlowPolicies(found, sum(enforced & {bit for bit, *_ in found}))


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
