"""An agent uses the approval that it was given: once, and for exactly what was approved."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from assent import Code, Conflict, Gone, NotFound
from assent.proof.act import act_digest, parameters_digest
from tests.live import WAIT, LiveService, start_service
from tests.stories.rush import at_once, request
from tests.stories.tenant import Reply, Tenant
from tests.tiers import deep

INVOICE = {"invoice": 7, "amount": 1250.5, "an": "Zoë €"}
OF_INVOICE = parameters_digest(INVOICE)
PAID: dict[str, Any] = {
    "action_type": "pay",
    "declared_goal": "Pay invoice 7",
    "systems_touched": ["bank", "ledger"],
    "parameters_digest": OF_INVOICE,
}
OTHERS: dict[str, Any] = {
    "action_type": "pays",
    "declared_goal": "Pay invoice 8",
    "systems_touched": ["ledger", "bank"],
    "parameters_digest": parameters_digest(INVOICE | {"amount": 1250.51}),
}


@pytest.fixture
def asking(tenant: Tenant) -> Tenant:
    tenant.governed()
    return tenant


def waits(tenant: Tenant, **members: Any) -> str:
    said = {name: value for name, value in PAID.items() if name not in {"action_type", "parameters_digest"}}
    return tenant.create("pay", agent_id="payer", parameters=INVOICE, **(said | members))


def decided(tenant: Tenant, action_id: str, decision: str = "allow", **members: Any) -> dict[str, Any]:
    body = {"decision": decision, **members}
    answer: dict[str, Any] = tenant.call("POST", f"/api/actions/{action_id}/approve", body, key="operator")
    return answer


def approved(tenant: Tenant, **members: Any) -> str:
    action_id = waits(tenant)
    decided(tenant, action_id, **members)
    return action_id


def claim(tenant: Tenant, action_id: str, *, key: str = "agent", repeat: str | None = None, **members: Any) -> Reply:
    headers = {} if repeat is None else {"idempotency_key": repeat}
    return tenant.send("POST", f"/api/actions/{action_id}/claim", PAID | members, key=key, **headers)


def receipt(tenant: Tenant, action_id: str) -> dict[str, Any]:
    found: dict[str, Any] = tenant.call("GET", f"/api/actions/{action_id}")["approval"]
    return found


def test_an_agent_claims_what_it_was_allowed(asking: Tenant) -> None:
    with asking.client("agent", "payer") as agent, asking.client("operator") as operator:
        created = agent.create_action("pay", "Pay invoice 7", systems_touched=["bank", "ledger"], parameters=INVOICE)
        assert created.action.parameters_digest == OF_INVOICE
        operator.approve_action(created.action_id, "allow", conditions=["Before noon"], valid_minutes=10)
        running = agent.wait_for_approval(created.action_id)
        claimed = agent.claim_action(
            running.action_id, running.action_type, running.declared_goal, running.systems_touched, INVOICE
        )
    assert claimed.act_digest == act_digest("pay", "Pay invoice 7", ["bank", "ledger"], OF_INVOICE)
    assert claimed.approval.conditions == ["Before noon"]
    assert claimed.approval.claimed_by == asking.key_ids["agent"]
    assert claimed.approval.decided_at is not None
    assert claimed.approval.valid_until is not None
    assert (claimed.approval.valid_until - claimed.approval.decided_at).total_seconds() == 600
    assert receipt(asking, created.action_id)["claimed_at"] is not None


@pytest.mark.parametrize("name", list(PAID))
def test_a_difference_in_any_one_member_is_refused_and_named(asking: Tenant, name: str) -> None:
    action_id = approved(asking)
    for count, other in enumerate((OTHERS[name], None), 1):
        if name == "action_type" and other is None:
            continue
        refused = claim(asking, action_id, **{name: other})
        assert (refused.status, refused.code, refused.places) == (409, "receipt_mismatch", [name])
        (message,) = [error["message"] for error in refused.body["errors"]]
        sides = [json.dumps(value, ensure_ascii=False, separators=(",", ":")) for value in (PAID[name], other)]
        if name == "systems_touched" and other is None:
            sides[1] = "[]"
        assert message == f"approved was {sides[0]}, claimed is {sides[1]}"
        assert refused.body["approval"]["refused_claims"] == count
    assert claim(asking, action_id).status == 200


@deep("one story of each kind is in the quick tier")
def test_the_parameters_themselves_are_claimed_as_well(asking: Tenant) -> None:
    """Whoever has no RFC 8785 sends them as they are, as with a creation: they count all the same."""
    without = asking.create("pay", agent_id="payer")
    asking.call("POST", f"/api/approvals/{without}", {"decision": "allow"}, key="operator")
    nothing: dict[str, Any] = {**dict.fromkeys(PAID), "action_type": "pay"}
    for parameters in ({}, INVOICE):
        refused = claim(asking, without, **nothing, parameters=parameters)
        assert (refused.status, refused.code, refused.places) == (409, "receipt_mismatch", ["parameters_digest"])
    action_id = approved(asking)
    other = claim(asking, action_id, parameters=INVOICE | {"amount": 1}, parameters_digest=None)
    assert (other.status, other.code, other.places) == (409, "receipt_mismatch", ["parameters_digest"])
    both = claim(asking, action_id, parameters=INVOICE | {"amount": 1})
    assert (both.status, both.code, both.places) == (400, "invalid_body", ["parameters_digest"])
    assert claim(asking, action_id, parameters=dict(reversed(INVOICE.items())), parameters_digest=None).status == 200


@deep("one story of each kind is in the quick tier")
def test_all_differences_are_named_at_once(asking: Tenant) -> None:
    refused = claim(asking, approved(asking), **OTHERS)
    assert refused.places == ["action_type", "declared_goal", "systems_touched", "parameters_digest"]


@deep("one story of each kind is in the quick tier")
def test_nothing_is_claimed_while_the_organization_is_halted(asking: Tenant) -> None:
    before, after, waiting = approved(asking), approved(asking), waits(asking)
    assert claim(asking, before, repeat="once").status == 200
    asking.call("POST", "/api/halt", {"reason": "Incident 4711"}, key="operator")
    for action_id, repeat in ((before, "once"), (after, "again"), (waiting, "third")):
        refused = claim(asking, action_id, repeat=repeat)
        assert (refused.status, refused.code) == (409, "halted")
        assert refused.body["detail"].startswith("Halted: Incident 4711. ")
    assert receipt(asking, after)["claimed_at"] is None
    with asking.client("agent", "payer") as agent, pytest.raises(Conflict) as found:
        agent.claim_action(after, "pay", "Pay invoice 7", ["bank", "ledger"], INVOICE)
    assert found.value.code == Code.HALTED
    asking.call("DELETE", "/api/halt", key="operator")
    assert claim(asking, after, repeat="again").status == 200
    assert claim(asking, before, repeat="once").status == 200


@deep("one story of each kind is in the quick tier")
def test_the_client_says_what_differs(asking: Tenant) -> None:
    action_id = approved(asking)
    with asking.client("agent", "payer") as agent:
        with pytest.raises(Conflict) as found:
            agent.claim_action(action_id, "pay", "Pay invoice 7", ["bank", "ledger"], INVOICE | {"invoice": 8})
        assert found.value.code == Code.RECEIPT_MISMATCH
        assert [error.place for error in found.value.errors] == ["parameters_digest"]
        with pytest.raises(ValueError, match="give one of the two"):
            agent.claim_action(action_id, "pay", parameters=INVOICE, parameters_digest="sha256:" + 64 * "0")
        agent.claim_action(action_id, "pay", "Pay invoice 7", ("bank", "ledger"), parameters_digest=OF_INVOICE)
        with pytest.raises(Conflict) as found:
            agent.claim_action(action_id, "pay", "Pay invoice 7", ["bank", "ledger"], INVOICE)
        assert found.value.code == Code.RECEIPT_USED
        with pytest.raises(NotFound):
            agent.claim_action("act_nobody", "pay")


@deep("one story of each kind is in the quick tier")
def test_a_used_receipt_says_when_and_by_whom(asking: Tenant) -> None:
    action_id = approved(asking)
    used = claim(asking, action_id, key="admin").body["approval"]
    refused = claim(asking, action_id)
    assert (refused.status, refused.code) == (409, "receipt_used")
    at = datetime.fromisoformat(used["claimed_at"]).astimezone(UTC).isoformat()
    assert f"was used at {at} by key {asking.key_ids['admin']}" in refused.body["detail"]
    assert refused.body["approval"] == used


@deep("one story of each kind is in the quick tier")
def test_the_same_idempotency_key_gets_the_first_answer_again(asking: Tenant) -> None:
    action_id = approved(asking)
    first = claim(asking, action_id, repeat="once")
    assert first.status == 200
    before = asking.recorded()
    assert claim(asking, action_id, repeat="once").body == first.body
    assert claim(asking, action_id, repeat="once", declared_goal="other").code == "idempotency_mismatch"
    assert claim(asking, action_id, repeat="once", key="operator").code == "receipt_used"
    assert asking.recorded() == before


@pytest.mark.parametrize("decision", [None, "deny"])
def test_what_was_not_allowed_cannot_be_claimed(asking: Tenant, decision: str | None) -> None:
    action_id = waits(asking)
    if decision:
        decided(asking, action_id, decision)
    refused = claim(asking, action_id)
    assert (refused.status, refused.code) == (409, "not_approved")
    assert ("denied by the operator" if decision else "still waits for an operator") in refused.body["detail"]
    assert refused.body["approval"]["state"] == ("denied" if decision else "awaiting")


@deep("one story of each kind is in the quick tier")
def test_an_action_that_asked_for_nothing_or_has_ended_cannot_be_claimed(asking: Tenant) -> None:
    free = asking.create("look")
    refused = claim(asking, free, action_type="look")
    assert (refused.status, refused.code) == (409, "not_approved")
    assert "asked for no approval" in refused.body["detail"]
    over = approved(asking)
    asking.call("PATCH", f"/api/actions/{over}", {"status": "completed"})
    refused = claim(asking, over)
    assert (refused.status, refused.code) == (409, "not_approved")
    assert "is completed now" in refused.body["detail"]


def test_fifty_claims_at_once_have_one_winner(asking: Tenant) -> None:
    action_id = approved(asking)
    before = asking.recorded()
    body = json.dumps(PAID).encode()
    path = f"/api/actions/{action_id}/claim"
    answers = at_once(
        asking.service.port, [request(path, body, asking.keys["agent"], f"try-{number}") for number in range(50)]
    )
    statuses = [status for status, _ in answers]
    assert (statuses.count(200), statuses.count(409)) == (1, 49)
    assert {content["code"] for status, content in answers if status == 409} == {"receipt_used"}
    (won,) = [content for status, content in answers if status == 200]
    assert won["approval"] == receipt(asking, action_id)
    assert asking.recorded() == before + 1


@deep("one story of each kind is in the quick tier")
def test_one_key_sent_fifty_times_at_once_is_one_claim(asking: Tenant) -> None:
    action_id = approved(asking)
    body = json.dumps(PAID).encode()
    path = f"/api/actions/{action_id}/claim"
    answers = at_once(asking.service.port, [request(path, body, asking.keys["agent"], "same")] * 50)
    assert [status for status, _ in answers] == [200] * 50
    assert len({json.dumps(content, sort_keys=True) for _, content in answers}) == 1


@deep("one story of each kind is in the quick tier")
def test_a_bound_key_claims_its_own_agents_actions_only(asking: Tenant, new_tenant: Callable[[], Tenant]) -> None:
    action_id = approved(asking)
    asking.add_key("other", "agent", "somebody-else")
    asking.add_key("desk", "operator", "somebody-else")
    asking.add_key("own", "agent", "payer")
    assert (claim(asking, action_id, key="other").status, claim(asking, action_id, key="other").code) == (
        404,
        "action_not_found",
    )
    assert claim(asking, action_id, key="desk").code == "agent_mismatch"
    assert claim(asking, action_id, key="auditor").status == 403
    assert claim(asking, action_id, key=new_tenant().keys["admin"]).code == "action_not_found"
    assert claim(asking, action_id, key="own").status == 200


@pytest.fixture
def killed(tmp_path: Path, http: httpx.Client) -> Iterator[tuple[LiveService, Tenant]]:
    home = tmp_path / "home"
    with start_service(home) as service:
        tenant = Tenant(service, http)
        tenant.governed()
        yield service, tenant


def again(service: LiveService, tenant: Tenant, module: str = "assent_service") -> LiveService:
    """The service killed, and started on the same home; the tenant speaks to the new one."""
    service.kill()
    anew = start_service(service.home, module=module)
    tenant.service = anew
    return anew


@deep("one story of each kind is in the quick tier")
def test_an_approval_outlives_kills_and_is_used_once_across_them(killed: tuple[LiveService, Tenant]) -> None:
    service, tenant = killed
    action_id = approved(tenant, conditions=["Kindly"], valid_minutes=60)
    assert claim(tenant, action_id, declared_goal="x").code == "receipt_mismatch"
    given = receipt(tenant, action_id)
    with again(service, tenant) as second:
        assert receipt(tenant, action_id) == given
        first = claim(tenant, action_id, repeat="once")
        assert first.status == 200
        assert first.body["approval"]["refused_claims"] == 1
        with again(second, tenant):
            assert claim(tenant, action_id, repeat="once").body == first.body
            assert claim(tenant, action_id).code == "receipt_used"
            assert claim(tenant, action_id, declared_goal="x").code == "receipt_used"


@deep("one story of each kind is in the quick tier")
def test_the_stream_tells_of_claims(asking: Tenant) -> None:
    action_id = approved(asking)
    claim(asking, action_id, declared_goal="x")
    claim(asking, action_id)
    with asking.client("admin") as admin:
        told = []
        for event in admin.events(types=["approval.claim_refused", "approval.claimed"], last_event_id=0):
            told.append(event)
            if len(told) == 2:
                break
    assert [event.event for event in told] == ["approval.claim_refused", "approval.claimed"]
    assert told[0].data["refusal"]["differing"] == ["declared_goal"]
    assert told[0].data["refusal"]["by"] == asking.key_ids["agent"]
    assert told[1].data == receipt(asking, action_id)


@deep("one story of each kind is in the quick tier")
def test_approvals_as_data_say_what_was_approved_and_used(asking: Tenant) -> None:
    action_id = approved(asking, conditions=["Kindly"])
    claim(asking, action_id, declared_goal="x")
    claim(asking, action_id, repeat="secret-repeat")
    text = asking.send("GET", "/api/data/approvals?window=1d&format=ndjson").content
    assert b"secret-repeat" not in text
    (row,) = [json.loads(line) for line in text.splitlines()]
    kept = receipt(asking, action_id)
    for name in ("act_digest", "parameters_digest", "claimed_by", "refused_claims"):
        assert row[name] == kept[name]
    assert (row["refused_claims"], row["claimed_by"]) == (1, asking.key_ids["agent"])


@deep("one story of each kind is in the quick tier")
@pytest.mark.parametrize(
    ("body", "places"),
    [
        ({}, ["body"]),
        ({"action_type": ""}, ["action_type"]),
        ({"action_type": "pay", "systems_touched": "bank"}, ["systems_touched"]),
        ({"action_type": "pay", "systems_touched": [1]}, ["systems_touched[0]"]),
        ({"action_type": "pay", "parameters_digest": "sha256:AB"}, ["parameters_digest"]),
        ({"action_type": "pay", "declared_goal": 7}, ["declared_goal"]),
        ([], []),
    ],
)
def test_a_wrong_claim_is_named_and_uses_nothing(asking: Tenant, body: Any, places: list[str]) -> None:
    action_id = approved(asking)
    refused = asking.send("POST", f"/api/actions/{action_id}/claim", body, key="agent")
    assert (refused.status, refused.places) == (400, places)
    assert receipt(asking, action_id)["refused_claims"] == 0


@deep("one story of each kind is in the quick tier")
@pytest.mark.parametrize(
    ("body", "places"),
    [
        ({"conditions": "gently"}, ["conditions"]),
        ({"conditions": [""]}, ["conditions[0]"]),
        ({"conditions": ["x" * 501]}, ["conditions[0]"]),
        ({"conditions": ["x"] * 21}, ["conditions"]),
        ({"valid_minutes": 0}, ["valid_minutes"]),
        ({"valid_minutes": 525_601}, ["valid_minutes"]),
        ({"valid_minutes": 1.5}, ["valid_minutes"]),
        ({"valid_minutes": "5"}, ["valid_minutes"]),
        ({"decision": "deny", "valid_minutes": 5, "conditions": ["x"]}, ["conditions", "valid_minutes"]),
    ],
)
def test_wrong_conditions_and_limits_are_named_and_decide_nothing(
    asking: Tenant, body: dict[str, Any], places: list[str]
) -> None:
    action_id = waits(asking)
    refused = asking.send("POST", f"/api/actions/{action_id}/approve", {"decision": "allow", **body}, key="operator")
    assert (refused.status, refused.places) == (400, places)
    assert receipt(asking, action_id)["state"] == "awaiting"


@deep("one story of each kind is in the quick tier")
def test_the_largest_that_may_be_said_with_an_approval(asking: Tenant) -> None:
    action_id = waits(asking)
    said = decided(asking, action_id, conditions=["ß" * 500] * 20, valid_minutes=525_600)["approval"]
    assert said["conditions"] == ["ß" * 500] * 20
    given = datetime.fromisoformat(said["valid_until"]) - datetime.fromisoformat(said["decided_at"])
    assert given.days == 365


@deep("one story of each kind is in the quick tier")
def test_a_limit_that_has_passed_is_gone(killed: tuple[LiveService, Tenant]) -> None:
    service, tenant = killed
    limited, unlimited, unanswered = (
        approved(tenant, valid_minutes=59),
        approved(tenant, valid_minutes=61),
        waits(tenant),
    )
    until = datetime.fromisoformat(receipt(tenant, limited)["valid_until"]).astimezone(UTC).isoformat()
    with again(service, tenant, module="tests.stories.late_service"):
        with tenant.client("agent", "payer") as agent, pytest.raises(Gone) as found:
            agent.claim_action(limited, "pay", "Pay invoice 7", ["bank", "ledger"], INVOICE)
        assert found.value.code is Code.RECEIPT_EXPIRED
        assert f"was good until {until}" in found.value.detail
        # Time is looked at before what is claimed, and neither is counted.
        assert claim(tenant, limited, declared_goal="x").code == "receipt_expired"
        kept = receipt(tenant, limited)
        assert (kept["refused_claims"], kept["claimed_at"], kept["state"]) == (0, None, "approved")
        assert tenant.action(limited)["status"] == "running"
        assert claim(tenant, unlimited).status == 200
        assert claim(tenant, unanswered).code == "not_approved"


@deep("one story of each kind is in the quick tier")
def test_nobody_decided_in_time(tmp_path: Path, http: httpx.Client) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "assent.toml").write_text("approval_hours = 0.0001\n")
    with start_service(home) as service:
        tenant = Tenant(service, http)
        tenant.governed()
        action_id = waits(tenant)
        deadline = time.monotonic() + WAIT
        while tenant.action(action_id)["status"] == "pending_approval" and time.monotonic() < deadline:
            time.sleep(0.05)
        refused = claim(tenant, action_id)
        assert (refused.status, refused.code) == (409, "not_approved")
        assert "expired at" in refused.body["detail"]
