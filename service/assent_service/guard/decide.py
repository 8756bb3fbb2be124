"""The decision: what the policies of an organization say to one proposed action. Pure.

1. A halted organization blocks everything, as the policy `builtin:halt`; nothing else is looked at.
2. Every policy that applies to the agent and matches is reported, in the order of the policies' creation; none
   cuts another short. The decision is the most severe of allow < warn < require_approval < block.
3. Observed policies never change the decision. When one matches, `would_decide` says what enforcing them too
   would have given.
4. A rate limit counts the agent's action records newer than its window; a call without an agent has none.
5. What has to ask somebody outside is listed and merged afterwards: an answer may only raise severity. For a
   webhook that fails or is late, `on_timeout` stands in the place of the answer.

Which policies match is a set; the verdict is made from it in `verdict`, once for each set, and shared.
"""

from bisect import bisect_right
from typing import Protocol

from msgspec.structs import replace

from assent.contract.guard import Decision
from assent_service.guard.context import Facts
from assent_service.guard.index import Bounds, PolicySet
from assent_service.guard.risk import Risk
from assent_service.guard.verdict import Verdict

HALT_POLICY = "builtin:halt"
MAX_ANSWER_TEXTS = 20
MAX_ANSWER_TEXT = 800  # the policy's name of up to 256 included

_ORDER = tuple(Decision)  # from mildest to most severe
_SEVERITY = {decision.value: severity for severity, decision in enumerate(_ORDER)}


class Rates(Protocol):
    """What the decision needs to know about the past; RateWindow is one."""

    def count(self, agent_id: str, since_us: int) -> int:
        """That agent's action records strictly newer than `since_us`."""
        ...


class Answer(Protocol):
    """What one webhook said, or its `on_timeout`; the texts already start with the policy's name."""

    @property
    def policy_id(self) -> str: ...
    @property
    def decision(self) -> Decision: ...
    @property
    def reasons(self) -> tuple[str, ...]: ...
    @property
    def warnings(self) -> tuple[str, ...]: ...


def decide(
    facts: Facts, risk: Risk, policies: PolicySet, rates: Rates, now_us: int, halted: str | None = None
) -> Verdict:
    """The verdict of the first phase. `now_us` is UTC in microseconds, `halted` the reason of the kill switch."""
    if halted is not None:
        return Verdict(decision=Decision.BLOCK, reasons=(f"Halted: {halted}",), matched_policies=(HALT_POLICY,))
    scope = policies.scope(facts.agent_id)
    applying = scope.applying
    matched = policies.by_type.get(facts.action_type, 0) & applying
    for bounds in scope.bounds:
        thresholds = bounds.thresholds
        matched |= thresholds.reached[bisect_right(thresholds.bounds, risk.score)]
        if bounds.rates and facts.agent_id is not None:
            matched |= _exceeded(bounds, facts.agent_id, rates, now_us)
    if policies.probes is not None:
        fields = {
            **facts.fields,
            "risk_score": risk.score,
            "agent_risk_score": facts.agent_risk_score,
            "risk_factors": risk.factor_names,
        }
        matched |= policies.probes.hits(fields, applying)
    return policies.verdicts.of(matched, scope.number, scope.webhooks)


def merge(verdict: Verdict, answer: Answer) -> Verdict:
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
    return replace(
        verdict,
        decision=_worst(verdict.decision, answer.decision),
        reasons=verdict.reasons + (reasons if severe else ()),
        warnings=verdict.warnings + (() if severe else reasons) + warnings,
        matched_policies=verdict.matched_policies + matched,
        would_decide=_worst(before, answer.decision) if verdict.would_decide else None,
    )


def _exceeded(bounds: Bounds, agent_id: str, rates: Rates, now_us: int) -> int:
    """The set of rate limits that are reached."""
    # Windows come longest first and a shorter one holds no more actions, so one count usually settles all.
    found = 0
    for group in bounds.rates:
        count = rates.count(agent_id, now_us - group.window_us)
        if count < bounds.quiet_below:
            break
        found |= group.limits.reached[bisect_right(group.limits.bounds, count)]
    return found


def _worst(one: Decision, other: Decision) -> Decision:
    return _ORDER[max(_SEVERITY[one.value], _SEVERITY[other.value])]


def _cut(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(text[:MAX_ANSWER_TEXT] for text in texts[:MAX_ANSWER_TEXTS])
