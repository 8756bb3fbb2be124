"""What a grant covers, each case worked out by hand; and that the proof's second implementation says the same."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from assent.contract.control.grants import Grant, GrantState, condition_of, state_of
from assent.contract.control.guard import Decision, PredictiveRisk, RecordedDecision, Runtime, Source, StatisticalRisk
from assent.contract.control.policies import Mode, Policy
from assent.contract.control.rules import AlwaysAsk
from assent.contract.names import RULE, named
from assent.proof.deciding import Recorded, fields_of
from assent.proof.matching import holds
from assent_service.control.grants.coverage import Conditions, LiveGrant, asks_anyway, covering, facts_of
from assent_service.control.guard import PolicySet

AT = datetime(2026, 11, 20, 12, tzinfo=UTC)
NO_HISTORY = PredictiveRisk(
    statistical=StatisticalRisk(
        adjustment=0, failure_rate=0, total_actions=0, avg_historical_risk=None, velocity=0
    ),
    total_adjustment=0,
)  # fmt: skip


def policy(number: int = 1, always_ask: AlwaysAsk = AlwaysAsk.NEVER, kind: str = "require_approval") -> Policy:
    asks: dict[str, Any] = {"action_types": ["pay"]}
    rules: dict[str, Any] = asks if kind == "require_approval" else {"url": "https://outside.invalid/"}
    return Policy(
        org_id="org_1", policy_id=f"pol_{number}", name=f"p{number}", policy_type=kind, rules=rules, active=True,
        agent_ids=[], mode=Mode.ENFORCE, version=1, created_at=AT, created_by="key_1", updated_at=AT,
        updated_by="key_1", deleted_at=None, always_ask=always_ask,
    )  # fmt: skip


def decision(context: dict[str, Any] | None = None, **changed: Any) -> RecordedDecision:
    said = {"action_type": "pay", "declared_goal": "Pay", **(context or {})}
    recorded = RecordedDecision(
        org_id="org_1", decision_id="dec_1", agent_id="payer", action_type="pay", declared_goal=said["declared_goal"],
        decision=Decision.REQUIRE_APPROVAL, would_decide=None, reason=None, reasons=(), warnings=(),
        matched_policies=("pol_1",), observed_policies=(), policy_version=1, risk_score=40.0, agent_risk_score=None,
        risk_breakdown={"base": 20.0, "irreversible": 20.0}, predictive_risk=NO_HISTORY, runtime=Runtime.SDK_SERVICE,
        session_id=None, source=Source.LIVE, context=said, context_digest="sha256:", evaluated_at=AT, occurred_at=AT,
        created_at=AT, name_rule=RULE, destructive=False,
    )  # fmt: skip
    return msgspec.structs.replace(recorded, **changed)


def grant(**changed: Any) -> Grant:
    given = Grant(
        org_id="org_1", grant_id="grant_1", agent_ids=["payer"], action_type="pay", when=None, max_risk=40.0,
        max_uses=2, used=0, expires_at=AT + timedelta(seconds=1), reason="r", from_action_id=None, created_at=AT,
        created_by="key_1", created_by_name="Olga", last_use=None, revoked_at=None, revoked_by=None,
        revoked_reason=None,
    )  # fmt: skip
    return msgspec.structs.replace(given, **changed)


def left_out(found: RecordedDecision, **bounds: Any) -> list[str]:
    conditions, facts = Conditions.of(grant(**bounds)), facts_of(found)
    told = conditions.left_out_by(facts, found)
    assert conditions.cover(facts, found) is (told == [])
    return told


def replayed(found: RecordedDecision, when: dict[str, Any]) -> bool | None:
    """Whether the conditions hold, as a proof says."""
    recorded = msgspec.convert(
        msgspec.to_builtins(found) | {"policy_digest": "sha256:", "reasons": [], "warnings": []}, Recorded
    )
    condition = condition_of(when)
    assert condition is not None
    return holds(named(condition), fields_of(recorded))


def test_each_bound_is_told_by_its_place() -> None:
    assert left_out(decision()) == []
    assert left_out(decision(agent_id="other")) == ["agent_ids"]
    assert left_out(decision(agent_id=None)) == ["agent_ids"]
    assert left_out(decision(agent_id="ＰＡＹＥＲ", action_type="PAY")) == []
    assert left_out(decision(action_type="send")) == ["action_type"]
    assert left_out(decision(risk_score=40.001)) == ["max_risk"]
    small = {"field": "parameters.amount", "op": "lte", "value": 50}
    assert left_out(decision({"parameters": {"amount": 51}}), when=small) == ["when"]
    both = {"all": [small, {"field": "systems_touched", "op": "contains", "value": "Bank"}]}
    assert left_out(decision({"parameters": {"amount": 51}}), when=both) == ["when.all[0]", "when.all[1]"]
    held = {"parameters": {"amount": 50}, "systems_touched": ["BANK"]}
    assert left_out(decision(held), when=both) == []


# SHA-256 of `[]`, `null` and `1`, by sha256sum.
OF_EMPTY = "sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"
OF_NULL = "sha256:74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b"
OF_ONE = "sha256:6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b"
CASES: list[tuple[dict[str, Any], dict[str, Any], bool]] = [
    ({"field": "risk_score", "op": "lte", "value": 40}, {}, True),
    ({"field": "risk_factors", "op": "contains", "value": "irreversible"}, {}, True),
    ({"field": "risk_factors", "op": "contains", "value": "base"}, {}, False),
    ({"field": "destructive", "op": "eq", "value": False}, {}, True),
    ({"field": "reversible", "op": "eq", "value": True}, {"reversible": True}, True),
    ({"field": "reversible", "op": "eq", "value": True}, {}, False),
    ({"not": {"field": "reversible", "op": "eq", "value": True}}, {}, True),
    ({"field": "tool", "op": "eq", "value": "Wire"}, {"tool": " wire "}, True),
    ({"field": "metadata.tool", "op": "in", "value": ["Wire"]}, {"metadata": {"tool": "WIRE"}}, True),
    ({"field": "parameters.to", "op": "eq", "value": "Acme"}, {"parameters": {"to": "acme"}}, False),
    ({"field": "agent_id", "op": "eq", "value": "PAYER"}, {}, True),
    ({"field": "parameters.to", "digest": OF_EMPTY}, {"parameters": {"to": []}}, True),
    ({"field": "parameters.to", "digest": OF_EMPTY}, {"parameters": {"to": [[]]}}, False),
    ({"field": "parameters.to", "digest": OF_EMPTY}, {"parameters": {}}, False),
    ({"field": "parameters.to", "digest": OF_NULL}, {"parameters": {"to": None}}, False),
    ({"field": "parameters.to", "digest": OF_ONE}, {"parameters": {"to": 1.0}}, True),
    ({"field": "parameters.to", "digest": OF_ONE}, {"parameters": {"to": True}}, False),
    ({"field": "parameters.to", "digest": OF_ONE}, {"parameters": {"to": 2**60}}, False),
    ({"field": "parameters", "members": ["a", "b"]}, {"parameters": {"b": 1, "a": None}}, True),
    ({"field": "parameters", "members": ["a", "b"]}, {"parameters": {"a": 1}}, False),
    ({"field": "parameters", "members": ["a"]}, {"parameters": {"a": 1, "b": 1}}, False),
    ({"field": "parameters", "members": ["a"]}, {"parameters": ["a"]}, False),
    ({"field": "parameters", "members": ["a"]}, {}, False),
    ({"not": {"field": "parameters", "members": ["a"]}}, {}, True),
]


@pytest.mark.parametrize(("when", "context", "fits"), CASES)
def test_the_conditions_look_at_what_policies_look_at_and_the_proof_agrees(
    when: dict[str, Any], context: dict[str, Any], fits: bool
) -> None:
    found = decision(context)
    assert (left_out(found, when=when) == []) is fits
    assert replayed(found, when) is fits


def asks(found: RecordedDecision, *policies: Policy) -> str | None:
    return asks_anyway(found, facts_of(found), PolicySet(policies or [policy()]))


def test_what_no_grant_covers() -> None:
    assert asks(decision()) is None
    assert "history" in str(asks(decision(source=Source.IMPORT)))
    assert "guard decided block" in str(asks(decision(decision=Decision.BLOCK)))
    assert "no agent" in str(asks(decision(agent_id=None)))
    assert "find out" in str(asks(decision(explored=True)))
    assert "always asks (p1" in str(asks(decision(), policy(1, AlwaysAsk.ALWAYS)))
    hooked = decision(matched_policies=("pol_1", "pol_2"))
    assert "pol_2 is decided outside" in str(asks(hooked, policy(), policy(2, kind="webhook_check")))
    assert "pol_2" in str(asks(hooked, policy())), "a policy that is not there any more"
    wiping = decision({"declared_goal": "Delete all customer data"})
    assert asks(wiping) is None
    assert "destruction" in str(asks(wiping, policy(1, AlwaysAsk.DESTRUCTIVE)))
    assert asks(decision(), policy(1, AlwaysAsk.DESTRUCTIVE)) is None


def chosen(*grants: Grant, not_of: str | None = None, at: datetime = AT) -> str | None:
    found = decision()
    taken = covering([LiveGrant.of(each) for each in grants], found, facts_of(found), at, not_of)
    return None if taken is None else taken.grant_id


def test_the_one_that_ends_soonest_is_used_then_the_oldest() -> None:
    later = AT + timedelta(days=1)
    old = grant(grant_id="grant_old", created_at=AT - timedelta(days=1))
    assert chosen(grant(grant_id="grant_long", expires_at=later), grant(), old) == "grant_old"
    assert chosen(grant(used=2), grant(grant_id="grant_long", expires_at=later)) == "grant_long"
    assert chosen(grant(used=1)) == "grant_1"
    assert chosen(grant(agent_ids=["other"])) is None


def test_a_grant_is_good_up_to_its_last_microsecond() -> None:
    end = grant().expires_at
    assert chosen(grant(), at=end - timedelta(microseconds=1)) == "grant_1"
    assert chosen(grant(), at=end) is None


def test_a_key_whose_own_requests_are_refused_finds_no_grant_of_its_own() -> None:
    assert chosen(grant(), not_of="key_1") is None
    assert chosen(grant(), grant(grant_id="grant_2", created_by="key_2"), not_of="key_1") == "grant_2"


def test_the_state_of_a_grant() -> None:
    assert state_of(grant(), AT) is GrantState.LIVE
    assert state_of(grant(used=2), AT) is GrantState.USED_UP
    assert state_of(grant(used=2), AT + timedelta(seconds=1)) is GrantState.EXPIRED
    assert state_of(grant(revoked_at=AT), AT + timedelta(seconds=1)) is GrantState.REVOKED
