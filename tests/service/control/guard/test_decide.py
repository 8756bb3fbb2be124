"""One decision at a time, with verdicts written out by hand."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from assent.contract.conditions import ConditionError
from assent.contract.control.guard import Decision
from assent.contract.control.policies import Mode, Policy
from assent.contract.control.rules import PolicyError
from assent_service.control.guard.context import gather
from assent_service.control.guard.decide import MAX_ANSWER_TEXT, MAX_ANSWER_TEXTS, decide, merge
from assent_service.control.guard.index import PolicySet
from assent_service.control.guard.rates import RateWindow
from assent_service.control.guard.risk import Factor, Risk, RiskHistory, predict
from assent_service.control.guard.verdict import Verdict, Webhook

NOW = 1_800_000_000_000_000
MINUTE = 60_000_000
AT = datetime(2026, 11, 20, tzinfo=UTC)


def policy(
    policy_id: str,
    kind: str,
    rules: dict[str, Any],
    *,
    mode: Mode = Mode.ENFORCE,
    agents: tuple[str, ...] = (),
    active: bool = True,
) -> Policy:
    return Policy(
        org_id="org_1", policy_id=policy_id, name=policy_id.upper(), policy_type=kind, rules=rules, active=active,
        agent_ids=list(agents), mode=mode, version=1, created_at=AT, created_by="k", updated_at=AT, updated_by="k",
        deleted_at=None,
    )  # fmt: skip


def threshold(policy_id: str, at: float, action: str, mode: Mode = Mode.ENFORCE) -> Policy:
    return policy(policy_id, "risk_threshold", {"threshold": at, "action": action}, mode=mode)


def verdict_of(
    *policies: Policy,
    action_type: str = "deploy",
    agent: str | None = "a1",
    score: int = 50,
    ages: tuple[int, ...] = (),
    halted: str | None = None,
    **context: object,
) -> Verdict:
    subject = PolicySet(policies)
    rates = RateWindow(subject.max_actions)
    for age in ages:
        rates.reserve("a1", NOW - age)
    facts = gather(context, action_type=action_type, agent_id=agent)
    risk = Risk(
        score=score,
        base=20,
        factors=(Factor("destructive_goal", 20),),
        factor_names=("destructive_goal",),
        predictive=predict(RiskHistory()),
    )
    return decide(facts, risk, subject, rates, NOW, halted)


def test_without_policies_everything_is_allowed() -> None:
    assert verdict_of() == Verdict(decision=Decision.ALLOW)


def test_the_strongest_wins_and_all_that_match_are_reported_in_order_of_creation() -> None:
    verdict = verdict_of(
        threshold("p1", 40, "warn"),
        policy("p2", "block_action_type", {"action_types": ["deploy"]}),
        policy("p3", "block_action_type", {"action_types": ["refund"]}),
        policy("p4", "require_approval", {"action_types": ["x", "deploy"]}),
        threshold("p5", 50, "require_approval"),
        threshold("p6", 51, "block"),
        threshold("p7", 10, "warn"),
    )
    assert verdict == Verdict(
        decision=Decision.BLOCK,
        reasons=(
            "P2: actions of this type are blocked",
            "P4: actions of this type need approval",
            "P5: the risk score is 50 or more",
        ),
        blocking=1,
        warnings=("P1: the risk score is 40 or more", "P7: the risk score is 10 or more"),
        matched_policies=("p1", "p2", "p4", "p5", "p7"),
    )


def test_what_blocks_is_told_before_what_asks_whatever_came_first() -> None:
    verdict = verdict_of(
        policy("p1", "require_approval", {"action_types": ["deploy"]}),
        threshold("p2", 0, "block"),
        policy("p3", "require_approval", {"action_types": ["x", "deploy"]}),
        policy("p4", "block_action_type", {"action_types": ["deploy"]}),
    )
    assert [text.split(":")[0] for text in verdict.reasons] == ["P2", "P4", "P1", "P3"]
    assert verdict.blocking == 2
    assert verdict.matched_policies == ("p1", "p2", "p3", "p4")


def test_inactive_policies_and_those_of_other_agents_do_not_count() -> None:
    policies = (
        policy("p1", "block_action_type", {"action_types": ["deploy"]}, active=False),
        policy("p2", "block_action_type", {"action_types": ["deploy"]}, agents=("a2",)),
        policy("p3", "require_approval", {"action_types": ["deploy"]}, agents=("a2", "a1")),
    )
    assert verdict_of(*policies).matched_policies == ("p3",)
    assert verdict_of(*policies, agent="a2").matched_policies == ("p2", "p3")
    assert verdict_of(*policies, agent="a3").matched_policies == ()
    assert verdict_of(*policies, agent=None).matched_policies == ()


def test_observed_policies_only_say_what_would_have_been() -> None:
    verdict = verdict_of(
        threshold("p1", 40, "warn"),
        threshold("p2", 45, "block", Mode.OBSERVE),
        threshold("p3", 99, "block", Mode.OBSERVE),
    )
    assert verdict == Verdict(
        decision=Decision.WARN,
        warnings=("P1: the risk score is 40 or more",),
        matched_policies=("p1",),
        would_decide=Decision.BLOCK,
        observed_policies=("p2",),
    )
    same = verdict_of(threshold("p1", 40, "block"), threshold("p2", 40, "warn", Mode.OBSERVE))
    assert (same.decision, same.would_decide) == (Decision.BLOCK, Decision.BLOCK)
    quiet = verdict_of(threshold("p1", 40, "block"), threshold("p2", 60, "warn", Mode.OBSERVE))
    assert (quiet.would_decide, quiet.observed_policies) == (None, ())


@pytest.mark.parametrize("many", [4, 12, 13, 63, 64, 65, 140])
def test_all_that_match_are_told_however_many(many: int) -> None:
    """Few are put together one by one, many by neighbourhoods of 64."""
    policies = [
        threshold(f"p{n}", n % 100, "block" if n % 3 else "warn", Mode.OBSERVE if n % 2 else Mode.ENFORCE)
        for n in range(many)
    ]
    verdict = verdict_of(*policies, score=100)
    assert verdict.matched_policies == tuple(f"p{n}" for n in range(0, many, 2))
    assert verdict.observed_policies == tuple(f"p{n}" for n in range(1, many, 2))
    assert len(verdict.warnings) == len(range(0, many, 6))
    assert len(verdict.reasons) == len(verdict.matched_policies) - len(verdict.warnings)
    assert (verdict.decision, verdict.would_decide) == (Decision.BLOCK, Decision.BLOCK)


def test_the_same_policies_share_one_verdict() -> None:
    subject = PolicySet([threshold("p1", 40, "warn"), threshold("p2", 60, "block")])
    facts, rates = gather({}, action_type="deploy", agent_id="a1"), RateWindow(0)

    def at(score: int) -> Verdict:
        risk = Risk(score=score, base=20, factors=(), factor_names=(), predictive=predict(RiskHistory()))
        return decide(facts, risk, subject, rates, NOW, None)

    assert at(45) is at(50)
    assert at(45) != at(60)


def test_a_rate_limit_counts_records_newer_than_its_window() -> None:
    limit = policy("p1", "rate_limit", {"max_actions": 2, "window_minutes": 10, "action": "block"})
    assert verdict_of(limit, ages=(0,)).decision is Decision.ALLOW
    assert verdict_of(limit, ages=(0, 10 * MINUTE)).decision is Decision.ALLOW
    hit = verdict_of(limit, ages=(0, 10 * MINUTE - 1))
    assert (hit.decision, hit.reasons) == (Decision.BLOCK, ("P1: 2 or more actions in 10 minutes",))
    assert verdict_of(limit, ages=(0, 0, 0), agent="a2").decision is Decision.ALLOW
    assert verdict_of(limit, ages=(0, 0, 0), agent=None).decision is Decision.ALLOW


def test_without_an_agent_nothing_is_counted() -> None:
    class Untouched:
        def count(self, agent_id: str, since_us: int) -> int:
            raise AssertionError(f"asked for {agent_id}")

    subject = PolicySet([policy("p1", "rate_limit", {"max_actions": 1})])
    risk = Risk(score=0, base=0, factors=(), factor_names=(), predictive=predict(RiskHistory()))
    assert decide(gather({}, action_type="x"), risk, subject, Untouched(), NOW).decision is Decision.ALLOW


def test_rate_limits_of_several_windows_are_told_apart() -> None:
    limits = [
        policy("p1", "rate_limit", {"max_actions": 3, "window_minutes": 1}),
        policy("p2", "rate_limit", {"max_actions": 5, "window_minutes": 60}),
        policy("p3", "rate_limit", {"max_actions": 4, "window_minutes": 60}, agents=("a1",)),
        policy("p4", "rate_limit", {"max_actions": 1, "window_minutes": 1440}),
    ]
    in_an_hour = tuple(5 * MINUTE for _ in range(4))
    assert verdict_of(*limits, ages=in_an_hour).matched_policies == ("p3", "p4")
    assert verdict_of(*limits, ages=(0, 0, 0)).matched_policies == ("p1", "p4")
    assert verdict_of(*limits, ages=(*in_an_hour, 0)).matched_policies == ("p2", "p3", "p4")


def condition(policy_id: str, when: dict[str, Any]) -> Policy:
    return policy(policy_id, "condition", {"when": when, "action": "require_approval"})


def leaf(field: str, op: str, value: object) -> dict[str, object]:
    return {"field": field, "op": op, "value": value}


def test_conditions_see_the_open_context_and_what_the_service_knows() -> None:
    policies = (
        condition("p1", leaf("metadata.team", "eq", "ops")),
        condition("p2", leaf("risk_score", "gte", 50)),
        condition("p3", leaf("risk_factors", "contains", "destructive_goal")),
        condition("p4", leaf("agent_id", "in", ["a1"])),
        condition("p5", leaf("action_type", "eq", "refund")),
        condition("p6", leaf("agent_risk_score", "exists", True)),
        condition("p7", {"any": [leaf("amount", "gt", 10), leaf("action_type", "eq", "deploy")]}),
    )
    verdict = verdict_of(*policies, metadata={"team": "ops"}, risk_score=1, risk_factors=[], agent_risk_score=3)
    assert verdict.matched_policies == ("p1", "p2", "p3", "p4", "p7")
    assert verdict.reasons[0] == 'P1: metadata.team eq "ops"'


def test_webhooks_that_apply_are_listed_and_decide_nothing_yet() -> None:
    rules = {"url": "https://guard.example/a"}
    verdict = verdict_of(
        policy("p1", "webhook_check", rules),
        policy("p2", "webhook_check", rules, agents=("a2",)),
        policy("p3", "webhook_check", rules, agents=("a1",), mode=Mode.OBSERVE),
    )
    assert verdict.decision is Decision.ALLOW
    assert [(hook.policy_id, hook.observed) for hook in verdict.webhooks] == [("p1", False), ("p3", True)]


def test_a_halt_blocks_whatever_the_policies_say() -> None:
    assert verdict_of(threshold("p1", 0, "warn"), halted="exercise") == Verdict(
        decision=Decision.BLOCK, reasons=("Halted: exercise",), blocking=1, matched_policies=("builtin:halt",)
    )


def test_a_hundred_policies_that_match_together_keep_their_order() -> None:
    policies = [threshold(f"p{n}", n % 7, "warn" if n % 2 else "require_approval") for n in range(100)]
    verdict = verdict_of(*policies)
    assert verdict.matched_policies == tuple(f"p{n}" for n in range(100))
    assert [text.split(":")[0] for text in verdict.warnings] == [f"P{n}" for n in range(1, 100, 2)]
    assert [text.split(":")[0] for text in verdict.reasons] == [f"P{n}" for n in range(0, 100, 2)]


def test_rules_that_cannot_be_read_do_not_make_a_policy_set() -> None:
    with pytest.raises(PolicyError, match="threshold"):
        PolicySet([policy("p1", "risk_threshold", {"threshold": 200})])
    with pytest.raises(ConditionError, match="RE2"):
        PolicySet([condition("p1", leaf("note", "matches", "("))])


def test_max_actions_is_the_largest_limit_of_the_active_policies() -> None:
    limit = {"window_minutes": 1}
    policies = [
        policy("p1", "rate_limit", {**limit, "max_actions": 7}),
        policy("p2", "rate_limit", {**limit, "max_actions": 9}, agents=("a2",)),
        policy("p3", "rate_limit", {**limit, "max_actions": 99}, active=False),
    ]
    assert PolicySet(policies).max_actions == 9
    assert PolicySet([]).max_actions == 0


class Said(msgspec.Struct, frozen=True):
    policy_id: str
    decision: Decision
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def asked(*, observed: bool = False, local: str | None = None) -> Verdict:
    mode = Mode.OBSERVE if observed else Mode.ENFORCE
    hook = policy("w", "webhook_check", {"url": "https://guard.example"}, mode=mode)
    return verdict_of(hook, *([threshold("p", 0, local)] if local else []))


@pytest.mark.parametrize(
    ("local", "said", "final"),
    [
        (None, Decision.ALLOW, Decision.ALLOW),
        (None, Decision.WARN, Decision.WARN),
        ("warn", Decision.ALLOW, Decision.WARN),
        ("warn", Decision.REQUIRE_APPROVAL, Decision.REQUIRE_APPROVAL),
        ("block", Decision.WARN, Decision.BLOCK),
        ("require_approval", Decision.BLOCK, Decision.BLOCK),
    ],
)
def test_an_answer_only_raises_severity(local: str | None, said: Decision, final: Decision) -> None:
    merged = merge(asked(local=local), Said("w", said, ("W: why",)))
    assert merged.decision is final
    assert merged.webhooks == ()
    assert ("w" in merged.matched_policies) is (said is not Decision.ALLOW)
    assert merged.would_decide is None


def test_an_answer_that_blocks_is_told_before_what_only_asks() -> None:
    merged = merge(asked(local="require_approval"), Said("w", Decision.BLOCK, ("W: no", "W: never")))
    assert [text.split(":")[0] for text in merged.reasons] == ["W", "W", "P"]
    assert merged.blocking == 2


def test_texts_of_an_answer_go_where_those_of_a_policy_go() -> None:
    severe = merge(asked(), Said("w", Decision.BLOCK, ("W: no",), ("W: also",)))
    assert (severe.reasons, severe.warnings) == (("W: no",), ("W: also",))
    mild = merge(asked(), Said("w", Decision.WARN, ("W: hm",), ("W: also",)))
    assert (mild.reasons, mild.warnings) == ((), ("W: hm", "W: also"))


def test_a_webhook_that_failed_open_leaves_a_trace() -> None:
    merged = merge(asked(), Said("w", Decision.ALLOW, ("W: its webhook could not decide",)))
    assert merged.decision is Decision.ALLOW
    assert (merged.reasons, merged.warnings) == ((), ("W: its webhook could not decide",))


def test_an_observed_webhook_changes_only_what_would_have_been() -> None:
    before = asked(observed=True, local="warn")
    merged = merge(before, Said("w", Decision.BLOCK, ("W: no",)))
    assert (merged.decision, merged.reasons, merged.matched_policies) == (Decision.WARN, (), ("p",))
    assert (merged.would_decide, merged.observed_policies) == (Decision.BLOCK, ("w",))
    silent = merge(before, Said("w", Decision.ALLOW))
    assert (silent.would_decide, silent.observed_policies) == (None, ())


def test_an_enforced_answer_also_raises_what_would_have_been() -> None:
    hook = policy("w", "webhook_check", {"url": "https://guard.example"})
    verdict = verdict_of(hook, threshold("p", 0, "warn", Mode.OBSERVE))
    assert verdict.would_decide is Decision.WARN
    assert merge(verdict, Said("w", Decision.BLOCK)).would_decide is Decision.BLOCK


def test_long_answers_are_cut() -> None:
    merged = merge(asked(), Said("w", Decision.BLOCK, ("x" * 5000,) * 500))
    assert len(merged.reasons) == MAX_ANSWER_TEXTS
    assert {len(text) for text in merged.reasons} == {MAX_ANSWER_TEXT}


def test_each_webhook_answers_once() -> None:
    merged = merge(asked(), Said("w", Decision.ALLOW))
    with pytest.raises(ValueError, match="no webhook left"):
        merge(merged, Said("w", Decision.ALLOW))


def test_two_webhooks_are_merged_one_after_the_other() -> None:
    rules = {"url": "https://guard.example"}
    verdict = verdict_of(policy("w1", "webhook_check", rules), policy("w2", "webhook_check", rules))
    first = merge(verdict, Said("w2", Decision.WARN, ("W2: hm",)))
    assert [hook.policy_id for hook in first.webhooks] == ["w1"]
    assert all(isinstance(hook, Webhook) for hook in first.webhooks)
    both = merge(first, Said("w1", Decision.REQUIRE_APPROVAL, ("W1: ask",)))
    assert both == Verdict(
        decision=Decision.REQUIRE_APPROVAL,
        reasons=("W1: ask",),
        warnings=("W2: hm",),
        matched_policies=("w2", "w1"),
    )
