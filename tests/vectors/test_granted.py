"""A bundle of an action that a standing grant let through: a stranger verifies that the grant gave the approval. Each
way in which it did not is found, though whoever holds the key signed it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from assent.contract.evidence.proofs import CheckStatus, ProofVerification
from assent.proof.policies import policy_digest
from assent.proof.verify import verify
from tests.vectors.recorded import ORG, POLICIES, Written, action, approval, at, decision, write
from tests.vectors.sealing import JWKS, Setting

Row = dict[str, Any]
GIVEN: Row = {
    "org_id": ORG, "grant_id": "grant_1", "agent_ids": ["agent-6", "Agent-7"], "action_type": "refund",
    "when": {"all": [
        {"field": "metadata.amount", "op": "lte", "value": 200},
        {"field": "systems_touched", "op": "contains", "value": "Stripe"},
    ]},
    "max_risk": 55, "max_uses": 3, "used": 0, "expires_at": at(30), "reason": "The sale.", "from_action_id": None,
    "created_at": at(-5), "created_by": "key_olga", "created_by_name": "Olga", "last_use": None, "revoked_at": None,
    "revoked_by": None, "revoked_reason": None,
}  # fmt: skip
USE: Row = {
    "number": 3, "action_id": "act_1", "approval_id": "apr_1", "decision_id": "dec_1", "at": at(0),
    "self_decided": False,
}  # fmt: skip
RECEIPT: Row = {
    "state": "approved", "decided_at": at(0), "decided_by": "Olga", "decided_by_key": "key_olga",
    "reasoning": "The sale.", "valid_until": at(30), "self_decided": False, "grant_id": "grant_1",
}  # fmt: skip


def granted(
    *,
    bounds: Row | None = None,
    given: Row | None = None,
    used: Row | None = None,
    use: Row | None = None,
    receipt: Row | None = None,
    decided: Row | None = None,
    late: bool = False,
) -> list[Written]:
    """`bounds` changes the grant from the start, `given` only as it was given, `used` only as it was used; with `late`
    it was given after it was used."""
    first = GIVEN | (bounds or {})
    after = first | {"used": 3, "last_use": USE | (use or {})} | (used or {})
    runs = action(status="running", approved_by="Olga", approved_at=at(0))
    return sorted(
        [
            write(60 if late else 9, "grant.created", "grant_1", first | (given or {}), action=None, minutes=-5,
                  actor="key_olga"),
            write(17, "guard.decision.created", "dec_1", decision(name_rule=2, **(decided or {})), action=None,
                  minutes=0),
            write(18, "action.created", "act_1", runs, action="act_1", minutes=0),
            write(19, "grant.used", "grant_1", after, action=None, minutes=0),
            write(20, "approval.granted", "apr_1", approval(**RECEIPT | (receipt or {})), action="act_1", minutes=0),
        ],
        key=lambda event: event.n,
    )  # fmt: skip


def found(events: list[Written], **members: Any) -> ProofVerification:
    return verify(Setting(events, **members).seal(), keys=JWKS)


def wrong(result: ProofVerification) -> dict[str, str]:
    return {check.name.value: check.detail for check in result.checks if check.status is CheckStatus.FAIL}


def test_a_granted_action_verifies_and_says_by_which_grant() -> None:
    result = found(granted())
    assert wrong(result) == {}
    (receipt,) = (check for check in result.checks if check.name == "approval_receipt")
    assert receipt.status is CheckStatus.PASS
    assert "Olga approved it in advance, by grant grant_1: use 3 of at most 3" in receipt.detail
    assert result.certificate is not None
    assert result.certificate["approval"]["grant_id"] == "grant_1"


def without(*types: str) -> list[Written]:
    return [event for event in granted() if not any(f'"type":"{each}"' in event.header for each in types)]


FORGED: dict[str, tuple[Callable[[], list[Written]], str]] = {
    "used up": (lambda: granted(bounds={"max_uses": 2}), "used up"),
    "counted from nowhere": (lambda: granted(used={"used": 2}), "number of the use"),
    "the zeroth use": (lambda: granted(used={"used": 0}, use={"number": 0}), "used up"),
    "expired": (lambda: granted(bounds={"expires_at": at(0)}, receipt={"valid_until": at(0)}), "not live"),
    "given later": (lambda: granted(bounds={"created_at": at(1)}), "not live"),
    "recorded later": (lambda: granted(late=True), "before it was given"),
    "revoked": (lambda: granted(used={"revoked_at": at(-1), "revoked_by": "key_olga"}), "revoked"),
    "revoked from the start": (lambda: granted(given={"revoked_at": at(-5)}), "revoked when it was given"),
    "wider when it was used": (lambda: granted(used={"max_risk": 100}, given={"max_risk": 50}), "max_risk"),
    "prolonged": (lambda: granted(given={"expires_at": at(-1)}), "expires_at"),
    "with more uses": (lambda: granted(given={"max_uses": 1}), "max_uses"),
    "with other conditions": (lambda: granted(given={"when": None}), "when"),
    "of another maker": (lambda: granted(bounds={"created_by": "key_mallory"}), "key that decided"),
    "of another name": (lambda: granted(receipt={"decided_by": "Mallory"}), "who decided"),
    "another grant": (lambda: granted(receipt={"grant_id": "grant_2"}), "the grant"),
    "for another action": (lambda: granted(use={"action_id": "act_2"}), "the action of the use"),
    "for another approval": (lambda: granted(use={"approval_id": "apr_2"}), "the approval of the use"),
    "under another decision": (lambda: granted(use={"decision_id": "dec_2"}), "the decision of the use"),
    "at another time": (lambda: granted(use={"at": at(1)}), "the moment of the use"),
    "good for longer": (lambda: granted(receipt={"valid_until": at(31)}), "how long"),
    "for other agents": (lambda: granted(bounds={"agent_ids": ["agent-6"]}), "other agents"),
    "for another type": (lambda: granted(bounds={"action_type": "wire"}), "another type"),
    "above its risk": (lambda: granted(bounds={"max_risk": 54.9}), "risk"),
    "beyond its conditions": (
        lambda: granted(bounds={"when": {"field": "metadata.amount", "op": "lt", "value": 100.5}}),
        "do not hold",
    ),
    "on what is missing": (
        lambda: granted(bounds={"when": {"field": "parameters.amount", "op": "lte", "value": 200}}),
        "do not hold",
    ),
    "marked wrongly": (lambda: granted(use={"self_decided": True}), "one key"),
    "without the grant": (lambda: without("grant.created"), "expected 1"),
    "without the use": (lambda: without("grant.used"), "expected 1"),
    "without both": (lambda: without("grant.created", "grant.used"), "expected 1"),
    "without its receipt": (lambda: granted(receipt={"grant_id": None}), "names none"),
    "of history": (lambda: granted(decided={"source": "import"}), "where the decision comes from"),
    "no grant at all": (lambda: granted(given={"max_uses": "many"}), "is no grant"),
}


@pytest.mark.parametrize("name", FORGED)
def test_an_approval_that_the_grant_did_not_give_is_found(name: str) -> None:
    forged, says = FORGED[name]
    result = found(forged())
    assert not result.ok
    assert set(wrong(result)) == {"approval_receipt"}
    assert says in wrong(result)["approval_receipt"]


@pytest.mark.parametrize(("always_ask", "goal", "holds"), [
    ("never", "Delete all tables", True),
    ("destructive", "Refund order 4711", True),
    ("destructive", "Delete all tables", False),
    ("always", "Refund order 4711", False),
])  # fmt: skip
def test_a_policy_that_always_asks_is_found(always_ask: str, goal: str, holds: bool) -> None:
    asks = [each | {"always_ask": always_ask} if each["policy_id"] == "pol_refund" else each for each in POLICIES]
    said = {"policy_digest": policy_digest(asks), "destructive": goal.startswith("Delete"), "destructive_table": "x"}
    result = found(granted(decided=said), policies=asks)
    assert wrong(result).keys() == (set() if holds else {"approval_receipt"})


def test_what_the_scan_asked_about_is_found() -> None:
    result = found(granted(decided={"matched_policies": ["pol_refund", "pol_rate", "builtin:prompt_injection"]}))
    assert "a webhook or the scan" in wrong(result)["approval_receipt"]


def test_a_grant_of_another_organization_is_found() -> None:
    foreign = write(9, "grant.created", "grant_1", GIVEN, action=None, minutes=-5, org="org_other")
    events = [foreign, *without("grant.created")]
    with pytest.raises(ValueError, match="org_other"):
        Setting(events).seal()
    inside = write(9, "grant.created", "grant_1", GIVEN | {"org_id": "org_other"}, action=None, minutes=-5)
    with pytest.raises(ValueError, match="org_other"):
        Setting([inside, *without("grant.created")]).seal()


def test_a_grant_says_nothing_for_an_action_without_an_approval() -> None:
    result = found(without("approval.granted"))
    assert "no receipt names it" in wrong(result)["approval_receipt"]
