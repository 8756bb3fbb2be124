"""Governed tools of the AI SDK, LangGraph.js and LangChain.js, with the real packages in a process of its own and a
real service."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.docs.page import compare
from tests.live import ROOT, start_service
from tests.sdk.adapters.node_frameworks import MODULES, PINS, NodeAgent, beside_the_client
from tests.sdk.adapters.quickstarts import quickstart
from tests.sdk.adapters.watching import actions, decide
from tests.stories.tenant import Tenant

SECRET = "hunter2-hunter2"
NodeRuns = Callable[..., NodeAgent]
KINDS = pytest.mark.parametrize("kind", ["node", "agent", "middleware"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return beside_the_client(tmp_path_factory)


@pytest.fixture
def node_runs(folder: Path, tenant: Tenant, tmp_path: Path) -> Iterator[NodeRuns]:
    """Starts a script: `node_runs("script.mjs", "word", ...)`."""
    started: list[NodeAgent] = []

    def start(script: str | Path, *words: str, **env: str) -> NodeAgent:
        service = {"ASSENT_BASE_URL": tenant.service.base_url, "ASSENT_API_KEY": tenant.keys["bot"]}
        started.append(NodeAgent(folder, script, *words, home=tmp_path / "home", **(service | env)))
        return started[-1]

    yield start
    for agent in started:
        agent.stop()


def test_every_version_is_the_pinned_one(folder: Path) -> None:
    wanted = json.loads(PINS.read_text(encoding="utf-8"))["dependencies"]
    found = {name: json.loads((MODULES / name / "package.json").read_text())["version"] for name in wanted}
    assert found == wanted


def test_reaching_out_ends_a_script(node_runs: NodeRuns, tmp_path: Path) -> None:
    for attempt in ("fetch('http://192.0.2.1:8080/')", "fetch('http://example.com/')"):
        script = tmp_path / "script.mjs"
        script.write_text(f"console.log('began');\nawait {attempt}.catch(() => {{}});\nconsole.log('got there');\n")
        agent = node_runs(script)
        with pytest.raises(AssertionError, match="exit code 99"):
            agent.output()


def test_many_calls_of_one_step_of_the_ai_sdk(node_runs: NodeRuns, tenant: Tenant) -> None:
    agent = node_runs("ai_sdk_runs.mjs", "many", "streamed")
    waited = decide(tenant, "allow", count=2)  # both at the same time, so one does not hold up the other
    said, streamed = agent.end()
    assert said["ran"] == ["look a.txt", "pay 5", "pay 7", "steps x of c-steps"]
    assert said["text"] == "done"
    told = said["told"]
    assert told["c-look"] == ["contents of a.txt", "text"]
    assert told["c-pay-5"] == [{"paid": 5}, "json"]
    assert told["c-steps"] == ["done x", "text"]
    assert told["c-broken"] == ["the printer is on fire", "error-text"]
    assert told["c-remote"][0]["isError"] is True
    recorded = {each["action_type"]: each for each in actions(tenant) if "2" not in each["declared_goal"]}
    text, kind = told["c-wipe"]
    assert kind == "error-text"
    assert text.startswith("wipe did not run: it is not allowed.")
    assert recorded["wipe"]["action_id"] in text
    assert recorded["wipe"]["status"] == "blocked"
    assert recorded["wipe"]["declared_goal"] == 'wipe({"host":"db-1","password":"[REDACTED:password]"})'
    assert recorded["look"]["metadata"]["tool_description"] == "Read something."
    assert recorded["look"]["metadata"]["tool"] == "look"
    assert recorded["broken"]["error_message"] == "RangeError: the printer is on fire"
    assert "no such channel" in recorded["remote"]["error_message"]
    assert {recorded[name]["status"] for name in ("broken", "remote")} == {"failed"}
    assert {each["declared_goal"] for each in waited} == {'pay({"amount":5})', 'pay({"amount":7})'}
    assert {each["status"] for each in actions(tenant, "pay")} == {"completed"}
    assert SECRET not in str(actions(tenant))

    assert streamed["ran"] == ["look b.txt", "steps y of c-steps"]
    assert streamed["told"]["c-steps"] == ["done y", "text"]
    assert streamed["told"]["c-wipe"][1] == "error-text"
    assert streamed["kinds"].count("tool-error") == 1
    assert len(actions(tenant)) == 10


def test_ways_to_refuse_with_the_ai_sdk(node_runs: NodeRuns, tenant: Tenant) -> None:
    short, stopped, mistakes = node_runs("ai_sdk_runs.mjs", "short", "stopped", "mistakes").end()
    assert "nobody has approved it yet" in short["told"]["c-pay-5"][0]
    assert short["ran"] == stopped["ran"] == []
    first, second = actions(tenant, "pay")
    assert (first["status"], first["session_id"]) == ("cancelled", "ticket 1")
    assert second["status"] == "cancelled"
    assert [error.split(":")[0] for error in mistakes["errors"]] == ["TypeError", "TypeError"]
    assert "hosted has no execute" in mistakes["errors"][0]
    assert "governed already" in mistakes["errors"][1]
    assert mistakes["same"] is True
    assert mistakes["ran"] == ["look free"]
    assert actions(tenant, "look") == [], "the tool itself is not governed"


@KINDS
def test_many_calls_of_one_turn_of_a_graph(node_runs: NodeRuns, tenant: Tenant, kind: str) -> None:
    agent = node_runs("langgraph_runs.mjs", kind, "many")
    waited = decide(tenant, "allow", count=2)
    [said] = agent.end()
    assert said["ran"] == ["both abc", "look a.txt", "pay 5", "pay 7"]
    told = said["told"]
    assert told["c-look"] == ["contents of a.txt", "success", None]
    assert told["c-pay-5"] == ['{"paid":5}', "success", None]
    assert told["c-both"] == ["abc", "success", {"length": 3}]
    assert told["c-failed"][:2] == ["no such channel", "error"]
    recorded = {each["action_type"]: each for each in actions(tenant)}
    text, status, _ = told["c-wipe"]
    assert status == "error"
    assert text.startswith("wipe did not run: it is not allowed.")
    assert recorded["wipe"]["action_id"] in text
    assert recorded["wipe"]["status"] == "blocked"
    assert recorded["wipe"]["declared_goal"] == 'wipe({"host":"db-1","password":"[REDACTED:password]"})'
    assert recorded["look"]["metadata"]["tool_description"] == "Read something."
    assert (recorded["failed"]["status"], recorded["failed"]["error_message"]) == ("failed", "no such channel")
    assert {each["declared_goal"] for each in waited} == {'pay({"amount":5})', 'pay({"amount":7})'}
    assert {each["status"] for each in actions(tenant, "pay")} == {"completed"}
    assert SECRET not in str(actions(tenant))
    assert len(actions(tenant)) == 6


@KINDS
def test_a_tool_that_throws_and_one_that_interrupts(node_runs: NodeRuns, tenant: Tenant, kind: str) -> None:
    broken, interrupts, short = node_runs("langgraph_runs.mjs", kind, "broken", "interrupts", "short").end()
    assert "the printer is on fire" in str(broken)
    [failed] = actions(tenant, "broken")
    assert (failed["status"], failed["error_message"]) == ("failed", "RangeError: the printer is on fire")
    assert interrupts["asked"] == [{"question": "really?"}]
    assert interrupts["told"]["c-asks"][0] == "the user said yes"
    assert interrupts["ran"] == ["asks yes"]
    assert [each["status"] for each in actions(tenant, "asks")] == ["cancelled", "completed"]
    text, status, _ = short["told"]["c-pay-5"]
    assert (status, "nobody has approved it yet" in text) == ("error", True)
    [waits] = actions(tenant, "pay")
    assert (waits["status"], waits["session_id"]) == ("cancelled", "ticket 1")


@KINDS
def test_what_a_schema_makes_is_asked_about_and_runs(node_runs: NodeRuns, tenant: Tenant, kind: str) -> None:
    agent = node_runs("langgraph_runs.mjs", kind, "schema")
    [waited] = decide(tenant, "allow", count=1)
    [said] = agent.end()
    assert waited["declared_goal"] == 'pay({"amount":1000000})'
    assert said["ran"] == ["lend 1000000"]
    assert said["told"]["c-pay-nothing"][:2] == ["lent 1000000", "success"]
    text, status, _ = said["told"]["c-pay-wrong"]
    assert status == "error"
    assert "schema" in text
    assert len(actions(tenant)) == 1, "nobody is asked about arguments that do not fit"


def test_what_a_governed_tool_has_inside_asks_too(node_runs: NodeRuns, tenant: Tenant) -> None:
    [said] = node_runs("langgraph_runs.mjs", "node", "inside").end()
    assert said["errors"] == ["ToolRefused", "ToolRefused"]
    assert said["ran"] == []
    assert {each["status"] for each in actions(tenant, "wipe")} == {"blocked"}


def test_a_tool_by_hand(node_runs: NodeRuns, tenant: Tenant) -> None:
    said, mistakes = node_runs("langgraph_runs.mjs", "node", "by_hand", "mistakes").end()
    assert (said["look"], said["called"], said["message"]) == ("contents of a", "contents of b", ["contents of c", "m"])
    assert said["wipe"].startswith("wipe did not run: it is not allowed.")
    assert (said["same"], said["own"]) == (True, "contents of free")
    assert said["ran"] == ["look a", "look b", "look c", "look free"]
    assert len(actions(tenant, "look")) == 3, "the tool itself is not governed"
    assert [error.split(":")[0] for error in mistakes["errors"]] == ["TypeError", "TypeError"]
    assert 'web_search"} cannot be governed' in mistakes["errors"][0]
    assert "look is governed already" in mistakes["errors"][1]


def test_a_dead_service_stops_everything(node_runs: NodeRuns, tmp_path: Path) -> None:
    with start_service(tmp_path / "other") as dead:
        base_url = dead.base_url
    env = {"ASSENT_BASE_URL": base_url, "ASSENT_RETRY_SECONDS": "0"}
    for words in (("ai_sdk_runs.mjs", "many"), ("langgraph_runs.mjs", "agent", "many")):
        [said] = node_runs(*words, **env).end()
        assert said["ran"] == []
        assert len(said["told"]) in {6, 7}
        assert all("did not run: Assent could not allow it" in each[0] for each in said["told"].values())


@pytest.mark.parametrize("name", ["ai_sdk_example.mjs", "langgraph_js_example.mjs"])
def test_the_examples(node_runs: NodeRuns, tenant: Tenant, name: str) -> None:
    tenant.policy("Nobody wipes disks", "block_action_type", {"action_types": ["wipe_disk"]})
    agent = node_runs(ROOT / "sdk" / "examples" / name)
    decide(tenant, "allow")
    output = agent.output()
    assert "invoice 17: 120 EUR" in output
    assert "wipe_disk did not run: it is not allowed" in output
    assert "paid 120 EUR for invoice 17" in output
    assert output.endswith("Invoice 17 is done.\n")


@pytest.mark.parametrize("name", ["ai_sdk_agent.mjs", "langgraph_agent.mjs"])
def test_the_quickstarts(node_runs: NodeRuns, tenant: Tenant, tmp_path: Path, name: str) -> None:
    text, command, shown = quickstart(name)
    assert command == f"node {name}"
    script = tmp_path / name
    script.write_text(text, encoding="utf-8")
    compare(shown, node_runs(script).output(), command)
    # Both are of one turn of the model, and may begin in one millisecond.
    assert sorted(each["status"] for each in actions(tenant)) == ["blocked", "completed"]
