"""The main stories, gone through by an agent in Python and by one in Node, which has the packed package."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import node
from tests.stories.agents import LANGUAGES, Agent, NodeAgent, PythonAgent, Raised, node_process
from tests.stories.lossy import Lossy, lossy
from tests.stories.proxy import proxy
from tests.stories.tenant import Tenant
from tests.tiers import deep

pytestmark = deep("packs and installs the Node client; the Python client's stories are in the quick tier already")

DEPLOY = {"action_type": "deploy", "declared_goal": "Put build 4711 on staging", "systems_touched": ["staging"]}
PAY = {"action_type": "pay", "declared_goal": "Pay invoice 7", "systems_touched": ["bank"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return node.installed(tmp_path_factory)


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def agent(language: str, tenant: Tenant, request: pytest.FixtureRequest) -> Iterator[Agent]:
    yield from _agents(language, tenant.service.base_url, tenant.keys["agent"], request)


def _agents(language: str, base_url: str, key: str, request: pytest.FixtureRequest) -> Iterator[Agent]:
    if language == "python":
        one = PythonAgent(base_url, key)
        yield one
        one.close()
    else:
        with node_process(request.getfixturevalue("folder")) as process:
            yield NodeAgent(process, base_url, key)


def test_the_loop(agent: Agent) -> None:
    asked = agent.do("guard", DEPLOY)
    # deploy is 75 by itself, the goal says nothing, and an agent without history adds 5.
    assert (asked["decision"], asked["risk_score"], asked["agent_id"]) == ("allow", 80, "bot")
    created = agent.do("create_action", {**DEPLOY, "decision_id": asked["decision_id"]})
    assert created["action"]["decision_id"] == asked["decision_id"]
    agent.do("record_assumption", {"action_id": created["action_id"], "assumption": "Staging is free"})
    done = agent.do("update_outcome", created["action_id"], {"status": "completed", "output_summary": "up"})
    assert done["action"]["status"] == "completed"
    kept = agent.do("get_action", created["action_id"])
    assert kept["action"]["output_summary"] == "up"
    assert [each["assumption"] for each in kept["assumptions"]] == ["Staging is free"]


def test_what_is_blocked_raises_and_stays_as_evidence(agent: Agent, tenant: Tenant) -> None:
    tenant.governed()
    for way in ("guard", "create_action"):
        with pytest.raises(Raised) as blocked:
            agent.do(way, {"action_type": "wipe"})
        assert blocked.value.name == "GuardBlockedError"
        assert any("Nobody wipes" in reason for reason in blocked.value.members["reasons"])
    (kept,) = tenant.call("GET", "/api/actions?status=blocked")["actions"]
    assert kept["action_type"] == "wipe"


def test_an_error_has_its_name_code_and_places(agent: Agent) -> None:
    with pytest.raises(Raised) as missing:
        agent.do("get_action", "act_0192f3c17a2e7bd09c1d4e5f60718293")
    found = missing.value
    assert (found.name, found.members["code"], found.members["status"]) == ("NotFound", "action_not_found", 404)
    with pytest.raises(Raised) as wrong:
        agent.do("update_outcome", "act_0192f3c17a2e7bd09c1d4e5f60718293", {"status": "done"})
    assert (wrong.value.name, wrong.value.members["status"]) == ("InvalidRequest", 400)
    assert any("status" in place for place in wrong.value.members["details"])


@pytest.mark.parametrize("verdict", ["allow", "deny"])
def test_an_approval_is_waited_for_and_said_with_its_link(agent: Agent, tenant: Tenant, verdict: str) -> None:
    tenant.governed()
    created = agent.do("create_action", PAY)
    assert created["action"]["status"] == "pending_approval"
    waiting = agent.begin("wait_for_approval", created["action_id"], 30)
    time.sleep(0.5)
    body = {"decision": verdict, "reasoning": "as agreed"}
    tenant.call("POST", f"/api/actions/{created['action_id']}/approve", body, key="operator")
    if verdict == "allow":
        assert waiting.result(10)["status"] == "running"
    else:
        with pytest.raises(Raised) as denied:
            waiting.result(10)
        assert (denied.value.name, denied.value.members["reasoning"]) == ("ApprovalDeniedError", "as agreed")
    (line,) = agent.said
    assert line.endswith(f"/replay/{created['action_id']}")
    assert created["action_id"] in line.partition(": ")[0]


def test_a_wait_that_takes_too_long_leaves_the_question(agent: Agent, tenant: Tenant) -> None:
    tenant.governed()
    created = agent.do("create_action", PAY)
    with pytest.raises(Raised) as late:
        agent.do("wait_for_approval", created["action_id"], 0.3)
    assert late.value.name == "ApprovalTimeoutError"
    assert tenant.action(created["action_id"])["status"] == "pending_approval"


def test_an_approval_is_claimed_once_and_for_what_was_approved(agent: Agent, tenant: Tenant) -> None:
    tenant.governed()
    action_id = agent.do("create_action", {**PAY, "parameters": {"amount": 70}})["action_id"]
    tenant.call("POST", f"/api/actions/{action_id}/approve", {"decision": "allow"}, key="operator")
    with pytest.raises(Raised) as other:
        agent.do("claim_action", action_id, {**PAY, "parameters": {"amount": 700}})
    assert other.value.name == "Conflict"
    claimed = agent.do("claim_action", action_id, {**PAY, "parameters": {"amount": 70.0}})
    assert (claimed["approval"]["action_id"], claimed["approval"]["claimed_by"] is not None) == (action_id, True)
    with pytest.raises(Raised) as used:
        agent.do("claim_action", action_id, {**PAY, "parameters": {"amount": 70}})
    assert used.value.members["code"] == "receipt_used"


def test_events_go_on_after_the_last_one(language: str, tenant: Tenant, request: pytest.FixtureRequest) -> None:
    """The connection is cut in the middle: what was delivered is not delivered again, and nothing is left out."""
    tenant.create("look")
    tenant.create("look")
    with proxy(tenant.service.port) as between:
        for agent in _agents(language, between.base_url, tenant.keys["agent"], request):
            first = agent.do("events", 0, 3)
            reading = agent.begin("events", first[0]["id"], 9)
            time.sleep(0.5)
            between.cut()
            for _ in range(4):
                tenant.create("look")
            found = reading.result(30)
    assert found[:2] == first[1:]
    ids = [each["id"] for each in found]
    assert ids == sorted(set(ids))
    assert [each["event"] for each in found].count("action.created") >= 3


@pytest.mark.parametrize("path", ["/api/guard", "/api/actions"])
def test_a_lost_answer_is_asked_for_again_and_doubles_nothing(
    language: str, tenant: Tenant, path: str, request: pytest.FixtureRequest
) -> None:
    with lossy(tenant.service.port, path) as between:
        for agent in _agents(language, between.base_url, tenant.keys["agent"], request):
            agent.do("guard" if path == "/api/guard" else "create_action", DEPLOY)
    assert between.lost == 1
    assert len(set(between.keys)) == 1
    assert len(between.keys) == 2
    listed = tenant.call("GET", "/api/guard" if path == "/api/guard" else "/api/actions")
    assert listed["total"] == 1


def test_an_outcome_whose_answer_is_lost_is_recorded_once(
    language: str, tenant: Tenant, request: pytest.FixtureRequest
) -> None:
    action_id = tenant.create("look")
    with lossy(tenant.service.port, f"/api/actions/{action_id}") as between:
        for agent in _agents(language, between.base_url, tenant.keys["agent"], request):
            agent.do("update_outcome", action_id, {"status": "completed"})
    assert (between.lost, len(between.keys), len(set(between.keys))) == (1, 2, 1)
    changes = tenant.call("GET", f"/api/actions/{action_id}/trace")["trace"]["changes"]
    assert [each["kind"] for each in changes] == ["outcome"]


@pytest.mark.parametrize("how", ["swap", "strip"])
def test_the_answer_to_another_question_lets_nothing_through(
    language: str, tenant: Tenant, how: str, request: pytest.FixtureRequest
) -> None:
    between: Lossy
    with lossy(tenant.service.port, "/api/guard", how=how) as between:
        for agent in _agents(language, between.base_url, tenant.keys["agent"], request):
            if how == "swap":  # thrown away, and asked again
                assert agent.do("guard", DEPLOY)["decision"] == "allow"
                assert len(between.keys) == 2
            else:
                with pytest.raises(Raised) as unbound:
                    agent.do("guard", DEPLOY)
                assert unbound.value.name == "UnboundAnswer"
                assert len(between.keys) == 1


def test_a_proof_verifies_and_a_forged_one_does_not(agent: Agent, tenant: Tenant) -> None:
    tenant.governed()
    action_id = agent.do("create_action", PAY)["action_id"]
    tenant.call("POST", f"/api/actions/{action_id}/approve", {"decision": "allow"}, key="operator")
    agent.do("update_outcome", action_id, {"status": "completed", "output_summary": "paid 70"})
    bundle = tenant.call("GET", f"/api/governance/proof?action_id={action_id}&format=bundle")
    keys = tenant.call("GET", f"/.well-known/jwks.json?org_id={tenant.org_id}")
    found = agent.do("verify", bundle, keys)
    assert (found["ok"], found["signer"]) == (True, "trusted")
    assert found["certificate"]["outcome"]["output_summary"] == "paid 70"
    assert agent.do("verify", bundle, None)["signer"] == "unknown"
    for event in bundle["events"]:
        event["body"] = re.sub("paid 70", "paid 77", event["body"])
    forged = agent.do("verify", bundle, keys)
    assert not forged["ok"]
    failed = {each["name"] for each in forged["checks"] if each["status"] == "fail"}
    assert failed == {"bundle_id", "inclusion"}


def test_track_reports_how_the_work_ended(agent: Agent, tenant: Tenant) -> None:
    done = agent.do("track", {"action_type": "look", "declared_goal": "Read the log"}, False)
    kept = tenant.action(done)
    assert (kept["status"], kept["duration_ms"] is not None) == ("completed", True)
    with pytest.raises(Raised, match="WorkError"):
        agent.do("track", {"action_type": "look", "declared_goal": "Divide"}, True)
    (failed,) = tenant.call("GET", "/api/actions?status=failed")["actions"]
    assert failed["declared_goal"] == "Divide"
    assert "Error: " in failed["error_message"]


def test_a_governed_function_runs_once_it_may(agent: Agent, tenant: Tenant) -> None:
    tenant.governed()
    assert agent.do("governed", "look", {"at": "log"}) == {"ran": [{"at": "log"}]}
    with pytest.raises(Raised) as blocked:
        agent.do("governed", "wipe", "customers")
    assert blocked.value.name == "GuardBlockedError"
    paying = agent.begin("governed", "pay", 70)
    while not (waiting := tenant.call("GET", "/api/actions?status=pending_approval")["actions"]):
        time.sleep(0.05)
    tenant.call("POST", f"/api/actions/{waiting[0]['action_id']}/approve", {"decision": "allow"}, key="operator")
    assert paying.result(20) == {"ran": [70]}
    detail = tenant.call("GET", f"/api/actions/{waiting[0]['action_id']}")
    assert detail["action"]["status"] == "completed"
    assert detail["approval"]["claimed_at"] is not None


def test_agents_are_there_and_talk(agent: Agent, tenant: Tenant) -> None:
    agent.do("heartbeat")
    (there,) = tenant.call("GET", "/api/agents")["agents"]
    assert (there["agent_id"], there["metadata"]) == ("bot", {"queue": 3})
    inbox = agent.do("message", "Build 4711 is up")
    assert [each["body"] for each in inbox["messages"]] == ["Build 4711 is up"]
