"""What guard lets through is the host's to ask about: with a service that has no policy in the way, real processes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assent.hooks.commands import INTENTS
from assent.hooks.pre_tool import described, may_go_ahead
from assent.hooks.settings import Settings
from tests.live import LiveService, start_service
from tests.sdk.hooks.host import Assistant, Ran
from tests.sdk.hooks.test_parts import call

WIPE = "rm -rf /"
SAYING: dict[str, Any] = {"version": 2, "allow": "say"}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    with start_service(tmp_path_factory.mktemp("service") / "home") as running:
        for policy in running.call("GET", "/api/policies")[1]["policies"]:
            assert running.call("DELETE", f"/api/policies/{policy['policy_id']}")[0] == 200
        warning = {"when": {"field": "metadata.programs", "op": "contains", "value": "pwd"}, "action": "warn"}
        said = running.call("POST", "/api/policies", {"name": "Warned", "policy_type": "condition", "rules": warning})
        assert said[0] == 201, said
        yield running


def assistant(service: LiveService, tmp_path: Path, host: str = "claude", **members: Any) -> Assistant:
    settings = {"base_url": service.base_url, "api_key": service.admin_key, "agent_id": "a", "mode": "enforce"}
    return Assistant(tmp_path / "work", settings | members, host)


def passed_on(ran: Ran) -> bool:
    """Whether the host goes on by its own rules: nothing is said, and nothing is stopped."""
    return ran.code == 0 and ran.verdict is None and ran.runs


@pytest.mark.parametrize("host", ["claude", "codex"])
@pytest.mark.parametrize(
    "members",
    [{"version": 2}, {}, {"allow": "say"}, {"version": 1, "allow": "say"}, {"version": "2", "allow": "say"}, SAYING],
    ids=["the default", "an older version", "its default", "its number", "no number", "chosen"],
)
def test_what_wipes_the_machine_is_never_said_yes_to(
    service: LiveService, tmp_path: Path, host: str, members: dict[str, Any]
) -> None:
    governed = assistant(service, tmp_path, host, **members)
    ran = governed.before(WIPE)
    assert passed_on(ran), ran
    assert ran.out == ""
    (action,) = service.call("GET", f"/api/actions?session_id={governed.session}")[1]["actions"]
    assert (action["decision"], action["status"], action["agent_risk_score"]) == ("allow", "running", 95)
    says = members == SAYING and host == "claude"
    assert governed.before("ls", "call-2").verdict == ("allow" if says else None)


def test_saying_yes_stops_at_warnings_risk_and_what_destroys(service: LiveService, tmp_path: Path) -> None:
    saying = assistant(service, tmp_path, **SAYING)
    assert saying.before("ls", "a").verdict == "allow"
    for number, command in enumerate(("pwd", "rm notes.txt", "git push --force", "sudo ls", "cat ~/.ssh/id_rsa")):
        assert passed_on(saying.before(command, f"call-{number}")), command
    assert "Warned" in saying.before("pwd", "again").said["systemMessage"]
    telling = saying.call("Task", {"description": "delete all customer data"}, "task")
    assert passed_on(saying.run("pre-tool", telling)), "the hook's table knows nothing of it, the service's does"
    harmless = saying.call("Task", {"description": "read the manual"}, "harmless")
    assert saying.run("pre-tool", harmless).verdict == "allow"
    deleting = saying.call("mcp__shop__delete_customer", {}, "mcp")
    assert passed_on(saying.run("pre-tool", deleting))


def test_what_came_of_a_call_that_the_host_decided_is_recorded(service: LiveService, tmp_path: Path) -> None:
    governed = assistant(service, tmp_path)
    assert passed_on(governed.before(WIPE))
    assert governed.after(WIPE, response={"is_error": True}).code == 0
    (action,) = service.call("GET", f"/api/actions?session_id={governed.session}")[1]["actions"]
    assert action["status"] == "failed"


ALLOWED = {
    "decision": "allow",
    "warnings": [],
    "risk_score": 20.0,
    "risk_breakdown": {"base": 20.0},
    "destructive": False,
}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, True),
        ({"risk_score": 69.9}, True),
        ({"risk_score": 70}, False),
        ({"risk_score": None}, False),
        ({"risk_score": "5"}, False),
        ({"risk_breakdown": None}, False),
        ({"risk_breakdown": {"destructive_goal": 20.0}}, False),
        ({"destructive": True}, False),
        ({"destructive": None}, False),
        ({"decision": "warn"}, False),
        ({"decision": "allow", "warnings": ["look"]}, False),
    ],
    ids=json.dumps,
)
def test_what_the_service_says_of_a_call(change: dict[str, Any], expected: bool) -> None:
    action = described(call(), Settings(), "/h")
    assert may_go_ahead(action, ALLOWED | change) is expected
    missing = {name: value for name, value in ALLOWED.items() if name not in change}
    assert may_go_ahead(action, missing) is (not change)


@pytest.mark.parametrize("name", sorted(INTENTS))
def test_what_the_hooks_own_table_says_of_a_call(name: str) -> None:
    destroys = {"delete", "rewrite_history", "destroy_data", "destroy_infrastructure", "wipe", "destroy_disk"}
    action = described(call(), Settings(), "/h") | {"risk_score": 10, "metadata": {"intents": ["read", name]}}
    assert may_go_ahead(action, ALLOWED) is (name not in destroys)
    assert not may_go_ahead(action | {"risk_score": 70, "metadata": {}}, ALLOWED)
