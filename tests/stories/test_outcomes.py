"""An outcome is said once: agents that try again hear how it ended the first time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from assent import Conflict, InvalidRequest, NotFound, OutcomeSpooled
from assent.spool import Survey
from tests.stories.tenant import Tenant


def report(tenant: Tenant, action_id: str, **said: Any) -> Any:
    return tenant.send("POST", f"/api/actions/{action_id}/outcome", said, key="agent")


def outcome(tenant: Tenant, action_id: str) -> dict[str, Any]:
    return tenant.call("GET", f"/api/actions/{action_id}/outcome", key="auditor")


def test_the_first_report_stands(tenant: Tenant) -> None:
    action_id = tenant.create("look")
    pending = outcome(tenant, action_id)
    assert (pending["status"], pending["outcome_at"], pending["reported_by"]) == ("pending", None, None)
    reply = report(tenant, action_id, status="failed", error_message="no disk", summary="tried")
    assert reply.status == 200
    action = tenant.action(action_id)
    assert (action["status"], action["error_message"], action["output_summary"]) == ("failed", "no disk", "tried")
    again = report(tenant, action_id, status="completed")
    assert (again.status, again.code, again.body["current_status"]) == (409, "outcome_exists", "failed")
    found = outcome(tenant, action_id)
    assert (found["status"], found["error_message"], found["summary"]) == ("failed", "no disk", "tried")
    assert found["reported_by"] == tenant.key_ids["agent"]
    assert found["elapsed_ms"] == action["duration_ms"] >= 0
    # A correction moves the action; what was said once stays said.
    tenant.call("PATCH", f"/api/actions/{action_id}", {"status": "completed"})
    assert outcome(tenant, action_id)["status"] == "failed"


def test_a_partial_outcome_leaves_the_action_running(tenant: Tenant) -> None:
    action_id = tenant.create("look")
    assert report(tenant, action_id, status="partial", progress={"rows": 3}).body["action"]["status"] == "running"
    found = outcome(tenant, action_id)
    assert (found["status"], found["progress"]) == ("partial", {"rows": 3})
    assert report(tenant, action_id, status="completed").code == "outcome_exists"
    tenant.call("PATCH", f"/api/actions/{action_id}", {"status": "completed"})
    assert tenant.action(action_id)["status"] == "completed"


def test_what_ended_otherwise_has_its_outcome_already(tenant: Tenant) -> None:
    tenant.governed()
    done = tenant.create("look")
    tenant.call("PATCH", f"/api/actions/{done}", {"status": "completed", "output_summary": "seen"})
    assert (outcome(tenant, done)["status"], outcome(tenant, done)["summary"]) == ("completed", "seen")
    assert report(tenant, done, status="failed", error_message="x").body["current_status"] == "completed"
    waiting = tenant.create("pay")
    assert report(tenant, waiting, status="completed").code == "awaiting_approval"
    assert outcome(tenant, waiting)["status"] == "pending"
    tenant.call("POST", f"/api/actions/{waiting}/approve", {"decision": "deny"}, key="operator")
    assert outcome(tenant, waiting)["status"] == "failed"
    assert report(tenant, waiting, status="completed").body["current_status"] == "cancelled"


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ({"status": "failed"}, "error_message"),
        ({"status": "failed", "error_message": ""}, "error_message"),
        ({"status": "partial"}, "progress"),
        ({"status": "partial", "progress": {}}, "progress"),
        ({"status": "pending"}, "status"),
        ({"status": "done"}, "status"),
        ({}, "body"),
        ({"status": "partial", "progress": {"n": 2**60}}, "progress"),
    ],
)
def test_a_report_that_does_not_say_enough(tenant: Tenant, said: dict[str, Any], place: str) -> None:
    action_id = tenant.create("look")
    before = tenant.recorded()
    reply = report(tenant, action_id, **said)
    assert (reply.status, reply.code) == (400, "invalid_body")
    assert reply.places[0].startswith(place)
    assert tenant.recorded() == before


def test_of_many_reports_at_once_one_is_taken(tenant: Tenant) -> None:
    action_id = tenant.create("look")
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda n: report(tenant, action_id, status="completed", summary=str(n)), range(8)))
    statuses = sorted(reply.status for reply in replies)
    assert statuses == [200, *[409] * 7]
    (won,) = [reply for reply in replies if reply.status == 200]
    assert outcome(tenant, action_id)["summary"] == won.body["outcome"]["summary"]


def test_the_graph_shows_what_led_to_an_action_and_what_it_stands_on(tenant: Tenant) -> None:
    tenant.governed()
    parent = tenant.create("look")
    paid = tenant.create("pay", parent_action_id=parent, declared_goal="Pay the bill")
    tenant.call("POST", f"/api/actions/{paid}/approve", {"decision": "allow"}, key="operator")
    believed = tenant.call("POST", "/api/assumptions", {"action_id": paid, "assumption": "It is due"})
    loop = tenant.call(
        "POST", "/api/actions/loops", {"action_id": paid, "loop_type": "followup", "description": "Get a receipt"}
    )
    child = tenant.create("look", parent_action_id=paid)
    graph = tenant.call("GET", f"/api/actions/{paid}/graph", key="auditor")
    action = tenant.action(paid)
    nodes = {node["id"]: node for node in graph["nodes"]}
    assert len(nodes) == len(graph["nodes"])
    edges = {(edge["source"], edge["target"], edge["type"]) for edge in graph["edges"]}
    policy = next(node["id"] for node in graph["nodes"] if node["type"] == "policy")
    assert edges == {
        (parent, paid, "caused"),
        (paid, child, "caused"),
        (action["decision_id"], paid, "decided"),
        (policy, action["decision_id"], "matched"),
        (action["approval_id"], paid, "allowed_or_denied"),
        (paid, believed["assumption_id"], "assumed"),
        (paid, loop["loop_id"], "left_open"),
    }
    assert {end for source, target, _ in edges for end in (source, target)} == set(nodes)
    assert (nodes[paid]["label"], nodes[paid]["status"]) == ("Pay the bill", "running")
    assert nodes[action["approval_id"]]["status"] == "approved"


def test_a_report_that_is_sent_again_is_answered_with_the_record(tenant: Tenant) -> None:
    action_id = tenant.create("look")
    path, said = f"/api/actions/{action_id}/outcome", {"status": "completed", "summary": "seen"}
    first = tenant.send("POST", path, said, key="agent", idempotency_key="once")
    before = tenant.recorded()
    again = tenant.send("POST", path, said, key="agent", idempotency_key="once")
    assert (first.status, again.status, again.body) == (200, 200, first.body)
    # Without the key, or under another one, the same words are a second report: the work may have been done twice.
    assert tenant.send("POST", path, said, key="agent").code == "outcome_exists"
    assert tenant.send("POST", path, said, key="agent", idempotency_key="twice").code == "outcome_exists"
    other = tenant.send("POST", path, {"status": "completed"}, key="agent", idempotency_key="once")
    assert (other.status, other.code) == (422, "idempotency_mismatch")
    assert tenant.recorded() == before


class Gateway(httpx.HTTPTransport):
    """Passes on what is asked, but answers reports itself while it is `closed`."""

    closed = True

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self.closed and request.method == "PATCH":
            return httpx.Response(404, headers={"content-type": "text/html"}, content=b"default backend - 404")
        return super().handle_request(request)


def test_only_the_services_own_answer_lets_go_of_an_outcome(tenant: Tenant, tmp_path: Path) -> None:
    gateway, ask = Gateway(), {"action_types": ["pay"]}
    tenant.call("POST", "/api/policies", {"name": "Ask", "policy_type": "require_approval", "rules": ask})
    with httpx.Client(transport=gateway) as http, tenant.client("agent", http=http, spool=str(tmp_path)) as client:
        made = client.create_action("look")
        with pytest.raises(OutcomeSpooled):
            client.update_outcome(made.action_id, "completed", output_summary="done")
        assert client.get_action(made.action_id).action.status == "running"
        gateway.closed = False
        tenant.client("agent", http=http, spool=str(tmp_path)).get_halt()
        assert client.get_action(made.action_id).action.output_summary == "done"
        for action_id, status, error in (
            ("act_nope", "completed", NotFound),
            (client.create_action("pay").action_id, "completed", Conflict),
            (made.action_id, "blocked", InvalidRequest),
        ):
            with pytest.raises(error):
                client.update_outcome(action_id, status)
        assert (Survey(tmp_path).waiting, Survey(tmp_path).aside) == ([], [])
