"""One action with its replay, its proof and its states, over real HTTP; and who gets to see it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from assent import Gone, NotFound
from assent.contract.evidence.pcaa import CheckpointId, Enforceability
from assent.contract.evidence.pcaa_actions import PcaaAction
from assent.pcaa import PCAA_CHECKPOINTS, build_pcaa_checkpoint_states, facts_of, receipts_of
from tests.stories.tenant import Tenant
from tests.tiers import deep


@pytest.fixture
def paid(tenant: Tenant) -> str:
    """A payment that was approved, rests on an invoice and is done."""
    tenant.governed()
    reach = {"destination_visibility": "partner", "account_provenance": "delegated", "reversal_bound_seconds": 3600}
    action_id = tenant.create("pay", declared_goal="Pay invoice 7", agent_id="payer", externality=reach)
    tenant.call("POST", f"/api/actions/{action_id}/approve", {"decision": "allow"}, key="operator")
    believed = {"action_id": action_id, "assumption": "It is due", "basis": "The invoice"}
    tenant.call("POST", "/api/assumptions", believed, key="agent")
    tenant.call("PATCH", f"/api/actions/{action_id}", {"status": "completed", "output_summary": "Paid"}, key="agent")
    return action_id


def judged(found: PcaaAction) -> list[dict[str, Any]]:
    """The states by the portable helper, from what the answer itself carries."""
    replay = found.replay
    items, now = replay.trace.assumptions.items, found.proof.head.signed_at
    made: list[dict[str, Any]] = msgspec.to_builtins(
        build_pcaa_checkpoint_states(replay.action, items, replay.approval, now=now)
    )
    return list(made)


def test_an_action_that_left_every_receipt(tenant: Tenant, paid: str) -> None:
    with tenant.client("auditor", None) as client:
        found = client.get_pcaa_action(paid)
        trace = client.get_action_trace(paid)
    assert found.replay == trace
    assert [each.status.value for each in found.checkpoints] == ["complete"] * 5
    assert [each.id for each in found.checkpoints] == list(PCAA_CHECKPOINTS)
    (belief,) = trace.trace.assumptions.items
    assert [each.value for each in found.checkpoints] == [
        "require_approval",
        paid,
        belief.assumption_id,
        "approved",
        "completed",
    ]
    assert (found.enforceability, found.receipts.completeness) == (Enforceability.ENFORCE_BEFORE_EXECUTE, 1.0)
    assert found.receipts.expected == found.receipts.observed == list(CheckpointId)
    assert found.externality is not None
    assert found.externality.reversal_bound_seconds == 3600


@deep("one story of each kind is in the quick tier")
def test_the_answer_its_parts_and_the_helper_say_the_same(tenant: Tenant, paid: str) -> None:
    with tenant.client("operator", None) as client:
        found = client.get_pcaa_action(paid)
    assert found.proof.ok, found.proof.summary
    assert found.proof.digest == found.export.digest
    assert (found.proof.action_id, found.export.action_id, found.replay.action.action_id) == (paid, paid, paid)
    certificate = found.proof.certificate
    states = msgspec.to_builtins(found.checkpoints)
    assert states == certificate["checkpoints"] == judged(found)
    assert msgspec.to_builtins(found.receipts) == certificate["receipts"]
    facts = facts_of(found.replay.action, found.replay.trace.assumptions.items, found.replay.approval)
    assert receipts_of(facts, found.proof.head.signed_at) == found.receipts


@deep("one story of each kind is in the quick tier")
def test_an_observer_is_not_blamed(tenant: Tenant) -> None:
    tenant.governed()
    past = (datetime.now(UTC) - timedelta(days=3)).isoformat()
    history = {"agent_id": "bot", "source": "import", "occurred_at": past, "status": "completed", "risk_score": 95}
    action_id = tenant.create("pay", key="admin", declared_goal="Pay", output_summary="Paid", **history)
    tenant.call("PATCH", f"/api/actions/{action_id}", {"output_summary": "Paid"})
    with tenant.client("auditor", None) as client:
        found = client.get_pcaa_action(action_id)
    assert found.enforceability is Enforceability.OBSERVE_ONLY
    assert [each.status.value for each in found.checkpoints] == [
        "complete",
        "complete",
        "not_required",
        "not_required",
        "complete",
    ]
    assert found.receipts.completeness == 1.0


def test_a_blocked_attempt_has_its_proof_too(tenant: Tenant) -> None:
    tenant.governed()
    assert tenant.send("POST", "/api/actions", {"action_type": "wipe", "agent_id": "bot"}, key="agent").status == 403
    (action,) = tenant.call("GET", "/api/actions?status=blocked")["actions"]
    with tenant.client("operator", None) as client:
        found = client.get_pcaa_action(action["action_id"])
    assert [each.status.value for each in found.checkpoints] == [
        "denied",
        "complete",
        "not_required",
        "not_required",
        "not_required",
    ]
    assert found.proof.ok, found.proof.summary
    assert found.externality is None


def test_of_an_erased_action_only_the_proof_is_left(tenant: Tenant, paid: str) -> None:
    tenant.call("POST", f"/api/actions/{paid}/erase", {"reason": "The customer asked"})
    with tenant.client("auditor", None) as client, pytest.raises(Gone) as gone:
        client.get_pcaa_action(paid)
    assert gone.value.code == "action_erased"
    assert tenant.send("GET", f"/api/governance/proof?action_id={paid}", key="auditor").status == 200


@deep("one story of each kind is in the quick tier")
async def test_the_async_client_gets_the_same(tenant: Tenant, paid: str) -> None:
    with tenant.client("operator", None) as client:
        before = client.get_pcaa_action(paid)
    async with tenant.async_client("operator", None) as client:
        after = await client.get_pcaa_action(paid)
    assert (after.checkpoints, after.receipts, after.replay) == (before.checkpoints, before.receipts, before.replay)


def test_who_may_not_see_the_action_gets_404(tenant: Tenant, paid: str) -> None:
    tenant.add_key("stranger", "agent", "somebody-else")
    tenant.add_key("payer", "agent", "payer")
    another = Tenant(tenant.service, tenant.http)
    for key in (tenant.keys["stranger"], another.keys["admin"]):
        reply = tenant.send("GET", f"/api/pcaa/actions/{paid}", key=key)
        assert (reply.status, reply.code) == (404, "action_not_found")
    assert tenant.send("GET", f"/api/pcaa/actions/{paid}", key="payer").status == 200
    with tenant.client("operator", None) as client, pytest.raises(NotFound, match="act_nobody"):
        client.get_pcaa_action("act_nobody")
