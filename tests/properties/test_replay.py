"""Policy replay against guard itself: what guard decides, replay agrees with, and with nothing else.

Guard's decision goes the whole way: question, risk, both phases, the recorded payload, its JSON, and back.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assent.contract.conditions import parse
from assent.contract.control.exploration import check_explore
from assent.contract.control.guard import Decision, GuardContext
from assent.contract.control.policies import Mode, Policy, PolicyDraft
from assent.contract.control.rules import PolicyError, parse_rules, rules_to_data
from assent.contract.roles import Role
from assent.proof import matching
from assent.proof.policies import snapshot
from assent.proof.replay import HALT_POLICY, NOT_DIGESTED, Replay, replay
from assent_service.control.guard.ask import NOT_DIGESTED as OF_GUARD
from assent_service.control.guard.ask import question, recorded
from assent_service.control.guard.decide import HALT_POLICY as GUARDS_HALT
from assent_service.control.guard.decide import decide, merge
from assent_service.control.guard.explore import explore, may_explore
from assent_service.control.guard.index import PolicySet
from assent_service.control.guard.rates import RateWindow
from assent_service.control.guard.risk import RiskHistory, assess
from assent_service.control.guard.verdict import Verdict
from assent_service.control.guard.webhook import WebhookAnswer
from assent_service.control.policies.change import made
from assent_service.core.principal import Principal
from tests.properties.test_decide import contexts, policy_lists
from tests.tiers import examples

NOW = 1_800_000_000_000_000
PRINCIPAL = Principal(org_id="org_1", key_id="key_1", name="operator", role=Role.ADMIN, agent_id=None)
Payload = dict[str, Any]

agents = st.sampled_from(["a1", "a2", "a3", "stranger", None])
kinds = st.sampled_from(["deploy", "read", "refund", "other"])
goals = st.sampled_from([None, "", "drop table users", "rotate the API_KEY", "push é 🦉"])
histories = st.sampled_from([RiskHistory(), RiskHistory(total=4, failed=3, mean_risk=50.0, last_hour=6)])
answers = st.lists(
    st.tuples(st.sampled_from(list(Decision)), st.lists(st.sampled_from(["why", "é: x"]), max_size=2)), max_size=12
)


@st.composite
def asked(draw: st.DrawFn) -> Payload:
    """A context as an agent may send it."""
    sent: Payload = {
        name: value for name, value in draw(contexts).items() if name not in ("amount", "reversible", "risk_score")
    }
    if not isinstance(sent.get("metadata", {}), dict):
        del sent["metadata"]
    amount = draw(st.sampled_from([None, 0, 1, 1.0, 60, 59.5, "60", True, [1], 1e21]))
    sent |= {"action_type": draw(kinds), "amount": amount, "agent_id": draw(agents), "declared_goal": draw(goals)}
    sent |= draw(st.fixed_dictionaries({}, optional={"reversible": st.booleans(), "risk_score": st.just(60.5)}))
    sent |= draw(st.fixed_dictionaries({}, optional={"systems_touched": st.just(["production", "x"])}))
    return {name: value for name, value in sent.items() if value is not None}


def decided(
    policies: list[Policy],
    sent: Payload,
    history: RiskHistory,
    past: int,
    said: Sequence[tuple[Decision, list[str]]] = (),
    halted: str | None = None,
    signals: Sequence[str] = (),
    body: GuardContext | None = None,
    drawn: tuple[float, float] | None = None,
) -> Payload:
    """The payload of guard's decision, as JSON gives it back; `body` where names in `sent` are settled first, `drawn`
    the draw and the bound of an organization that explores."""
    asking = question(PRINCIPAL, body or msgspec.convert(sent, GuardContext), sent, NOW)
    risk = assess(asking.facts, history)
    subject = PolicySet(policies)
    rates = RateWindow(subject.max_actions)
    for _ in range(past):
        rates.reserve(asking.agent_id or "nobody", NOW - 1)
    verdict = decide(asking.facts, risk, subject, rates, NOW, halted)
    exploration = None
    if drawn is not None and may_explore(asking.facts, risk.score, drawn[1]):
        found = explore(verdict, subject, drawn[1], drawn[0])
        verdict, exploration = (verdict, None) if found is None else found
    verdict = _answered(verdict, said)
    decision = recorded(asking, "dec_1", verdict, risk, 1, subject.digest, exploration=exploration)
    decision = msgspec.structs.replace(decision, warnings=(*decision.warnings, *signals))
    payload: Payload = msgspec.json.decode(msgspec.json.encode(decision))
    return payload


def _answered(verdict: Verdict, said: Sequence[tuple[Decision, list[str]]]) -> Verdict:
    for at, hook in enumerate(verdict.webhooks):
        decision, texts = said[at] if at < len(said) else (Decision.ALLOW, [])
        texts = texts or ([] if decision is Decision.ALLOW else ["its webhook answered"])
        prefixed = tuple(f"{hook.name}: {text}" for text in texts)
        answer = WebhookAnswer(
            policy_id=hook.policy_id, policy_name=hook.name, decision=decision, reasons=prefixed, warnings=()
        )
        verdict = merge(verdict, answer)
    return verdict


def again(payload: Payload, policies: list[Policy]) -> Replay:
    return replay(payload, msgspec.json.decode(msgspec.json.encode(snapshot(policies))))


def normal(policies: list[Policy]) -> list[Policy]:
    """With their rules as the service keeps them."""
    return [
        msgspec.structs.replace(policy, rules=rules_to_data(parse_rules(policy.policy_type, policy.rules)))
        for policy in policies
    ]


worlds = st.tuples(policy_lists().map(normal), asked(), histories, st.integers(0, 5), answers)


@examples(2)
@given(worlds, st.sampled_from([(), ("a signal",)]))
def test_replay_agrees_with_guard(world: Any, signals: tuple[str, ...]) -> None:
    policies, sent, history, past, said = world
    found = again(decided(policies, sent, history, past, said, signals=signals), policies)
    assert found.agrees, (found.detail, found.expected, found.found)
    assert found.undecided == []


SHARES = [0.0, 0.02, 0.25, 0.5]
draws = st.sampled_from([0.0, 0.019, 0.02, 0.2, 0.25, 0.4999, 0.5, 0.99])


def exploring(policies: list[Policy], shares: Sequence[float]) -> list[Policy]:
    """With a share each, where the policy may have one."""
    found = []
    for policy, share in zip(policies, shares, strict=False):
        try:
            check_explore(parse_rules(policy.policy_type, policy.rules), share)
        except PolicyError:
            share = 0.0
        found.append(msgspec.structs.replace(policy, explore=share))
    return found


shares = st.lists(st.sampled_from(SHARES), min_size=40, max_size=40)


@examples(2)
@given(worlds, shares, draws, st.sampled_from([30.0, 70.0]))
def test_replay_agrees_with_what_was_explored(world: Any, shares: list[float], draw: float, below: float) -> None:
    policies, sent, history, past, said = world
    policies, sent = exploring(policies, shares), sent | {"reversible": True}
    payload = decided(policies, sent, history, past, said, drawn=(draw, below))
    found = again(payload, policies)
    assert found.agrees, (found.detail, found.expected, found.found)
    assert ("the draw" in found.detail) is ("explore_draw" in payload)
    natural = decided(policies, sent, history, past, said)
    assert payload["explored"] is (payload["decision"] != natural["decision"])
    assert payload["matched_policies"] == natural["matched_policies"]
    if payload["explored"]:
        # By rules alone it would have been another; whoever writes the draw out of the record is found out.
        bare = {name: value for name, value in payload.items() if not name.startswith("explore")} | {"propensity": 1.0}
        assert not again(bare, policies).agrees


ASKS = {"field": "team", "op": "eq", "value": "red"}
PASSING: Payload = {"action_type": "read", "team": "red", "reversible": True, "declared_goal": "look"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"explore_draw": 0.3}, "the propensity"),
        ({"explore_draw": 1.5}, "a draw is from 0 to below 1"),
        ({"explore_below": 25.0}, "the risk is not below"),
        ({"propensity": 0.5}, "the propensity"),
        ({"explored": False}, "whether it was explored"),
        ({"destructive": True}, "destructive"),
        ({"explore_draw": None}, "cannot be read"),
    ],
)
def test_a_draw_that_the_rules_did_not_allow_disagrees(change: Payload, why: str) -> None:
    policies = [msgspec.structs.replace(policy(ASKS, action="require_approval"), explore=0.25)]
    payload = decided(policies, PASSING, RiskHistory(), 0, drawn=(0.1, 70.0))
    assert (payload["decision"], payload["propensity"], payload["explored"]) == ("warn", 0.25, True)
    assert payload["risk_score"] == 25.0
    assert again(payload, policies).agrees
    found = again(payload | change, policies)
    assert not found.agrees
    assert why in found.detail


def test_a_draw_of_what_cannot_be_taken_back_disagrees() -> None:
    policies = [msgspec.structs.replace(policy(ASKS, action="require_approval"), explore=0.25)]
    for said in ({"reversible": False}, {}):
        sent = {name: value for name, value in PASSING.items() if name != "reversible"} | said
        honest = decided(policies, sent, RiskHistory(), 0, drawn=(0.1, 70.0))
        assert (honest["decision"], honest["propensity"], "explore_draw" in honest) == ("require_approval", 1.0, False)
        taken = decided(policies, PASSING, RiskHistory(), 0, drawn=(0.1, 70.0))
        forged = taken | {"context": honest["context"], "context_digest": honest["context_digest"]}
        forged |= {"risk_score": 40.0, "risk_breakdown": honest["risk_breakdown"]}
        assert "reversible" in again(forged, policies).detail


def test_the_policys_share_is_part_of_what_a_decision_names() -> None:
    plain = [policy(ASKS, action="require_approval")]
    assert "explore" not in snapshot(plain)[0]
    more = [msgspec.structs.replace(plain[0], explore=0.25)]
    payload = decided(more, PASSING, RiskHistory(), 0, drawn=(0.1, 70.0))
    assert "the policies' digest" in again(payload, plain).detail


def destruction(goal: str) -> tuple[list[Policy], Payload]:
    """A policy on what a goal destroys, and what guard decides of one."""
    when = {"field": "destructive", "op": "eq", "value": True}
    rules = {"when": when, "action": "block"}
    policy = made(
        PolicyDraft(name="no destruction", policy_type="condition", rules=rules),
        org_id="org_1", policy_id="pol_0", by="k", now=NOW, version=1,
    )  # fmt: skip
    return [policy], decided([policy], {"action_type": "api", "declared_goal": goal}, RiskHistory(), 0)


@pytest.mark.parametrize("goal", ["delete all customer data", "delete the draft"])
def test_what_a_goal_destroys_is_worked_out_anew_by_the_table_that_told_it(goal: str) -> None:
    policies, payload = destruction(goal)
    assert payload["decision"] == ("block" if "customer" in goal else "allow")
    assert again(payload, policies).agrees
    forged = payload | {"destructive": not payload["destructive"]}
    assert "whether the goal is destructive" in again(forged, policies).detail
    # Told by another table it is taken as recorded, and said to be; the decision still has to follow from it.
    other = payload | {"destructive_table": "0123456789ab"}
    found = again(other, policies)
    assert found.agrees
    assert "by table 0123456789ab" in found.detail
    assert not again(other | {"destructive": not payload["destructive"]}, policies).agrees


def test_a_decision_from_before_there_was_a_table_is_replayed_as_it_was() -> None:
    """Then `destructive` was a member like any other that an agent may send."""
    policies, payload = destruction("delete all customer data")
    old = {name: value for name, value in payload.items() if not name.startswith("destructive")}
    assert not again(old, policies).agrees
    allowed = old | {"decision": "allow", "reason": None, "reasons": [], "matched_policies": []}
    assert again(allowed, policies).agrees


@given(worlds)
def test_replay_agrees_with_a_halt(world: Any) -> None:
    policies, sent, history, past, _ = world
    payload = decided(policies, sent, history, past, halted="fire")
    assert again(payload, policies).agrees
    assert not again(payload | {"decision": "allow"}, policies).agrees
    assert not again(payload | {"reasons": ["fire"]}, policies).agrees


@examples(2)
@given(worlds, st.randoms(use_true_random=False))
def test_any_change_makes_it_disagree(world: Any, random: Any) -> None:
    policies, sent, history, past, said = world
    hooks = any(policy.policy_type == "webhook_check" for policy in policies)
    payload = decided(policies, sent, history, past, said)
    forged, rules = deepcopy(payload), deepcopy(policies)
    what = random.choice(["decision", "would_decide", "reasons", "matched", "observed", "context", "rule", "risk"])
    match what:
        case "decision":
            forged["decision"] = random.choice([each for each in Decision if each.value != payload["decision"]]).value
            # Webhooks may raise severity, so only a milder decision is then surely wrong.
            assume(not hooks or _order(forged["decision"]) < _order(_local(policies, sent, history, past)["decision"]))
        case "would_decide":
            forged["would_decide"] = random.choice([x for x in (None, *Decision) if x != payload["would_decide"]])
            assume(not hooks)
        case "reasons":
            forged["reasons"] = [text + "!" for text in payload["reasons"]] or ["because"]
            assume(not hooks)
        case "matched" | "observed":
            name = f"{what}_policies"
            forged[name] = payload[name][1:] if payload[name] else ["pol_0"]
            _not_as_recorded(policies, set(payload[name]) ^ set(forged[name]))
        case "context":
            forged["context"]["amount"] = "another"
        case "rule":
            assume(any(policy.active for policy in policies))
            place = random.choice([at for at, policy in enumerate(policies) if policy.active])
            rules[place] = msgspec.structs.replace(rules[place], name=rules[place].name + "!")
        case "risk":
            assume(_raises(policies, payload))
            forged["risk_score"] = 100
        case _:
            raise AssertionError(what)
    assert not again(forged, rules).agrees, what


def _raises(policies: list[Policy], payload: Payload) -> bool:
    """Whether a threshold would be reached by the highest risk that this one does not reach."""
    agent, risk = payload["agent_id"], payload["risk_score"]
    return any(
        policy.policy_type == "risk_threshold"
        and (not policy.agent_ids or agent in policy.agent_ids)
        and float(str(policy.rules["threshold"])) > risk
        for policy in policies
        if policy.active
    )


def _local(policies: list[Policy], sent: Payload, history: RiskHistory, past: int) -> Payload:
    return decided(policies, sent, history, past)


def _order(decision: str) -> int:
    return list(Decision).index(Decision(decision))


def _not_as_recorded(policies: list[Policy], ids: set[str]) -> None:
    """Whether a rate limit was reached, or what a webhook said, is taken as recorded."""
    kinds = {policy.policy_id: policy.policy_type for policy in policies if policy.active}
    assume(not any(kinds.get(each) in ("rate_limit", "webhook_check") for each in ids))


def test_the_names_are_guards() -> None:
    assert NOT_DIGESTED == OF_GUARD
    assert HALT_POLICY == GUARDS_HALT


# Without RE2


def policy(when: dict[str, Any], number: int = 0, action: str = "block") -> Policy:
    at = datetime(2026, 11, 20, tzinfo=UTC)
    return Policy(
        org_id="org_1", policy_id=f"pol_{number}", name=f"policy {number}", policy_type="condition",
        rules={"when": when, "action": action}, active=True, agent_ids=[], mode=Mode.ENFORCE, version=1, created_at=at,
        created_by="key_1", updated_at=at, updated_by="key_1", deleted_at=None,
    )  # fmt: skip


MATCHES = {"field": "note", "op": "matches", "value": "^o"}
ABSENT = {"field": "nothing", "op": "exists", "value": True}


def test_a_pattern_without_re2_is_taken_as_recorded_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    policies = [policy(MATCHES), policy({"any": [MATCHES, {"not": ABSENT}]}, 1), policy({"all": [MATCHES, ABSENT]}, 2)]
    payload = _recorded_with_re2(policies)
    assert payload["matched_policies"] == ["pol_0", "pol_1"]
    monkeypatch.setitem(sys.modules, "re2", None)
    found = again(payload, policies)
    assert found.agrees
    assert found.undecided == ["pol_0"], "the others do not depend on the pattern"
    assert "google-re2" in found.detail
    missing = payload | {"matched_policies": ["pol_1"], "reasons": payload["reasons"][1:], "reason": None}
    assert again(missing | {"reason": missing["reasons"][0]}, policies).agrees, "nobody can tell"
    other = payload | {"matched_policies": ["pol_0"], "reasons": payload["reasons"][:1]}
    assert not again(other, policies).agrees, "pol_1 matches without the pattern"


def _recorded_with_re2(policies: list[Policy]) -> Payload:
    return decided(policies, {"action_type": "deploy", "note": "ops"}, RiskHistory(), 0)


def test_a_number_in_a_text_may_be_spelled_otherwise() -> None:
    policies = [policy({"field": "amount", "op": "gte", "value": 60.0})]
    payload = decided(policies, {"action_type": "deploy", "amount": 61}, RiskHistory(), 0)
    assert payload["reasons"] == ["policy 0: amount gte 60.0"]
    respelled = json.loads(json.dumps(snapshot(policies)).replace("60.0", "60"))
    assert replay(payload, respelled).agrees


@pytest.mark.parametrize("broken", [{}, {"context": None}, {"context": []}, {"reasons": 3}, {"risk_breakdown": None}])
def test_what_is_no_decision_does_not_agree(broken: Payload) -> None:
    policies = [policy(ABSENT)]
    payload = decided(policies, {"action_type": "deploy"}, RiskHistory(), 0)
    assert again(payload, policies).agrees
    assert not replay(payload | broken if broken else {}, snapshot(policies)).agrees


def test_matching_reads_patterns_as_guard_does() -> None:
    condition = parse(MATCHES)
    assert matching.holds(condition, {"note": "ops"}) is True
    assert matching.holds(condition, {"note": "no"}) is False
    assert matching.holds(condition, {"note": 1}) is False
