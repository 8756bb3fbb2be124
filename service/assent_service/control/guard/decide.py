"""The decision: what the policies of an organization say to one proposed action. Pure.

1. A halted organization blocks everything, as the policy `builtin:halt`; nothing else is looked at.
2. Every policy that applies to the agent and matches is reported, in the order of the policies' creation; none
   cuts another short. The decision is the most severe of allow < warn < require_approval < block. Reasons of policies
   that block stand before those of policies that ask, so that what is read first is what decided.
3. Observed policies never change the decision. When one matches, `would_decide` says what enforcing them too
   would have given.
4. A rate limit counts the agent's action records newer than its window; a call without an agent has none. Whoever
   holds an agents' key that is bound to none can name another agent with each call. So limits for all agents count that
   key's records too, under whatever names, and are reached when either count reaches them. What only the key's count
   reached says so (`limited_by_key`). A limit for some agents counts those alone. A decision that is used later meets
   the limits once more then (`limits_reached`): whoever asks first takes no place.
5. A flow policy is decided from what was seen of the call (`flows.Trace`), and says what it found. Where nothing was
   looked at, none matches.
6. What has to ask somebody outside is listed and merged afterwards: an answer may only raise severity. For a
   webhook that fails or is late, `on_timeout` stands in the place of the answer.

Which policies match is a set; the verdict is made from it in `verdict`, once for each set, and shared.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from assent.contract.control.guard import Decision, RecordedDecision
from assent.flows import Trace
from assent.proof.deciding import NO_FACTORS
from assent_service.control.guard.context import Facts
from assent_service.control.guard.index import Bounds, PolicySet
from assent_service.control.guard.risk import Risk
from assent_service.control.guard.trees import Present
from assent_service.control.guard.verdict import Verdict, with_reasons

HALT_POLICY = "builtin:halt"
MAX_ANSWER_TEXTS = 20
MAX_ANSWER_TEXT = 800  # the policy's name of up to 256 included

_ORDER = tuple(Decision)  # from mildest to most severe
_SEVERITY = {decision.value: severity for severity, decision in enumerate(_ORDER)}


class Rates(Protocol):
    """What the decision needs to know about the past; RateWindow is one."""

    def count(self, agent_key: str, since_us: int) -> int:
        """Action records strictly newer than `since_us` of the agent of that name, as it is compared."""
        ...


class WebhookVerdict(Protocol):
    """What one webhook said, or its `on_timeout`; the texts already start with the policy's name."""

    @property
    def policy_id(self) -> str: ...
    @property
    def decision(self) -> Decision: ...
    @property
    def reasons(self) -> tuple[str, ...]: ...
    @property
    def warnings(self) -> tuple[str, ...]: ...


class ByKey(NamedTuple):
    """An agents' key that is bound to none, and what is counted for such keys."""

    key_id: str
    rates: Rates


def decide(
    facts: Facts, risk: Risk, policies: PolicySet, rates: Rates, now_us: int, halted: str | None = None
) -> Verdict:
    """The verdict of the first phase, with nothing counted for keys; see `decide_by_key`."""
    return decide_by_key(facts, risk, policies, rates, now_us, halted)[0]


def decide_by_key(
    facts: Facts,
    risk: Risk,
    policies: PolicySet,
    rates: Rates,
    now_us: int,
    halted: str | None = None,
    by_key: ByKey | None = None,
    seen: Trace | None = None,
) -> tuple[Verdict, tuple[str, ...]]:
    """The verdict of the first phase, and the ids of the rate limits that only the key's count reached. `now_us` is UTC
    in microseconds, `halted` the reason of the kill switch, `by_key` None for a key that is not counted, `seen` what
    flow policies look at, None where none does."""
    if halted is not None:
        return Verdict(
            decision=Decision.BLOCK, reasons=(f"Halted: {halted}",), blocking=1, matched_policies=(HALT_POLICY,)
        ), ()
    agent_key = facts.agent_key
    scope = policies.scope(agent_key)
    applying = scope.applying
    matched = policies.of_type(facts.type_key) & applying
    for bounds in scope.bounds:
        thresholds = bounds.thresholds
        matched |= thresholds.reached[bisect_right(thresholds.bounds, risk.score)]
        if bounds.rates and agent_key is not None:
            matched |= _exceeded(bounds, agent_key, rates, now_us)
    fields: dict[str, object] = {}
    flows = policies.flows if seen is not None else None
    if policies.probes is not None or (flows is not None and flows.conditions):
        fields = _fields(facts, risk.score, risk.factor_names)
    if policies.probes is not None:
        matched |= policies.probes.hits(fields, applying)
    flowing: dict[int, str] = {}
    if seen is not None and flows is not None:
        now = Present(fields, seen, now_us / 1_000_000) if flows.conditions else None
        flowing = flows.traced(seen, applying) if now is None else flows.matched(now, applying)
    for bit in flowing:
        matched |= bit
    limited = 0
    if by_key is not None and policies.for_keys is not None:
        limited = _exceeded(policies.for_keys, by_key.key_id, by_key.rates, now_us) & ~matched
    verdict = policies.verdicts.of(matched | limited, scope.number, scope.webhooks)
    if flowing:
        verdict = policies.by_flow(verdict, flowing)
    return policies.by_key(verdict, limited) if limited else (verdict, ())


def flows_asking(
    facts: Facts, decided: RecordedDecision, policies: PolicySet, seen: Trace, now_us: int
) -> tuple[str, ...]:
    """The ids of the flow policies that match what is seen now, of a call whose risk was `decided` before."""
    if policies.flows is None:
        return ()
    factors = [name for name in decided.risk_breakdown if name not in NO_FACTORS]
    now = Present(_fields(facts, decided.risk_score, factors), seen, now_us / 1_000_000)
    return policies.ids(sum(policies.flows.matched(now, policies.scope(facts.agent_key).applying)))


def _fields(facts: Facts, risk_score: float, risk_factors: Sequence[str]) -> dict[str, object]:
    """What conditions look at."""
    return {
        **facts.fields,
        "risk_score": risk_score,
        "agent_risk_score": facts.agent_risk_score,
        "risk_factors": risk_factors,
    }


def limits_reached(
    facts: Facts, policies: PolicySet, rates: Rates, now_us: int, by_key: ByKey | None = None
) -> tuple[str, ...]:
    """The ids of the rate limits that are reached now, by the agent's count or by the key's; see `decide_by_key`."""
    reached, agent_key = 0, facts.agent_key
    if agent_key is not None:
        for bounds in policies.scope(agent_key).bounds:
            reached |= _exceeded(bounds, agent_key, rates, now_us)
    if by_key is not None and policies.for_keys is not None:
        reached |= _exceeded(policies.for_keys, by_key.key_id, by_key.rates, now_us)
    return policies.ids(reached) if reached else ()


def merge(verdict: Verdict, answer: WebhookVerdict) -> Verdict:
    """The verdict after one of its webhooks answered or failed; `webhooks` no longer lists it.

    The texts of an answer go where those of a policy go: reasons of block and require_approval to the reasons,
    all else to the warnings. That includes what an allowing answer says, or a webhook that failed open would
    leave no trace. They come from outside and are cut in number and length. Raises ValueError when the
    answer's policy is not among `verdict.webhooks`.
    """
    hook = next((hook for hook in verdict.webhooks if hook.policy_id == answer.policy_id), None)
    if hook is None:
        raise ValueError(f"policy {answer.policy_id} has no webhook left to answer for this verdict")
    verdict = replace(verdict, webhooks=tuple(other for other in verdict.webhooks if other is not hook))
    matched = (answer.policy_id,) if answer.decision is not Decision.ALLOW else ()
    before = verdict.would_decide or verdict.decision
    if hook.observed:
        observed = verdict.observed_policies + matched
        would = _worst(before, answer.decision) if observed else None
        return replace(verdict, would_decide=would, observed_policies=observed)
    severe = answer.decision in (Decision.REQUIRE_APPROVAL, Decision.BLOCK)
    reasons, warnings = _cut(answer.reasons), _cut(answer.warnings)
    if severe:
        verdict = with_reasons(verdict, reasons, blocks=answer.decision is Decision.BLOCK)
    return replace(
        verdict,
        decision=_worst(verdict.decision, answer.decision),
        warnings=verdict.warnings + (() if severe else reasons) + warnings,
        matched_policies=verdict.matched_policies + matched,
        would_decide=_worst(before, answer.decision) if verdict.would_decide else None,
    )


def _exceeded(bounds: Bounds, name: str, rates: Rates, now_us: int) -> int:
    """The set of rate limits that are reached by an agent, or by a key."""
    # Windows come longest first and a shorter one holds no more actions, so one count usually settles all.
    found = 0
    for group in bounds.rates:
        count = rates.count(name, now_us - group.window_us)
        if count < bounds.quiet_below:
            break
        found |= group.limits.reached[bisect_right(group.limits.bounds, count)]
    return found


def _worst(one: Decision, other: Decision) -> Decision:
    return _ORDER[max(_SEVERITY[one.value], _SEVERITY[other.value])]


def _cut(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(text[:MAX_ANSWER_TEXT] for text in texts[:MAX_ANSWER_TEXTS])
