"""Governed tools of Google's ADK, with the real ADK in a process of its own and a real service."""

from __future__ import annotations

import time
from pathlib import Path

from tests.live import ROOT, start_service
from tests.sdk.adapters.conftest import Runs
from tests.sdk.adapters.environments import WAIT, Agent
from tests.sdk.adapters.quickstarts import follow
from tests.sdk.adapters.watching import (
    actions,
    ask,
    decide,
    in_sessions,
    sub_agents_in_sessions_of_their_own,
)
from tests.stories.tenant import Tenant

SCRIPT = "google_adk_runs.py"
SECRET = "hunter2-hunter2"


def started(runs: Runs, *words: str, **env: str) -> Agent:
    return runs("google-adk", SCRIPT, *words, **env)


def test_many_calls_of_one_turn(runs: Runs, tenant: Tenant) -> None:
    agent = started(runs, "many")
    waited = decide(tenant, "allow", count=2)  # both at the same time, so one does not hold up the other
    [said] = agent.end()
    assert said["ran"] == ["handmade x", "look a.txt", "noted yes", "pay 5", "pay 7"]
    told = said["told"]
    assert told["c-look"] == {"result": "contents of a.txt"}
    assert told["c-pay-5"] == {"status": "paid 5"}
    assert told["c-noted"] == {"result": "clerk"}
    assert told["c-handmade"] == {"result": "X"}
    assert told["c-declared"] == {"error": "no such channel"}
    recorded = {each["action_type"]: each for each in actions(tenant)}
    assert set(told["c-wipe"]) == {"error"}
    assert told["c-wipe"]["error"].startswith("wipe did not run: it is not allowed.")
    assert recorded["wipe"]["action_id"] in told["c-wipe"]["error"]
    assert recorded["wipe"]["status"] == "blocked"
    assert recorded["wipe"]["declared_goal"] == "wipe(host='db-1', password=[REDACTED:password])"
    assert recorded["noted"]["declared_goal"] == "noted(word='yes')", "the run's context is no argument"
    assert (recorded["declared"]["status"], recorded["declared"]["error_message"]) == ("failed", "no such channel")
    assert recorded["look"]["status"] == "completed"
    assert recorded["look"]["duration_ms"] >= 0
    assert recorded["look"]["metadata"]["tool_description"] == "Read something."
    assert {each["declared_goal"] for each in waited} == {"pay(amount=5)", "pay(amount=7)"}
    assert {each["status"] for each in actions(tenant, "pay")} == {"completed"}
    assert SECRET not in str(actions(tenant))
    assert len(actions(tenant)) == 7


def test_a_session_around_and_a_question_that_is_answered_by_another_amount(runs: Runs, tenant: Tenant) -> None:
    agent = started(runs, "asked")
    question = ask(tenant, "Why so much?")
    decide(tenant, "allow")
    [said] = agent.end()
    assert said["ran"] == ["look a.txt", "pay 3"]
    assert said["told"]["c-pay-5"] == {"status": "paid 3"}
    first, second = actions(tenant, "pay")
    assert (question["action_id"], question["replaced_by"]) == (first["action_id"], second["action_id"])
    assert [first["status"], second["status"], second["declared_goal"]] == ["cancelled", "completed", "pay(amount=3)"]
    goals = ("look(path='a.txt')", "pay(amount=5)", "pay(amount=3)")
    assert in_sessions(tenant) == dict.fromkeys(goals, ("clerk", "ticket 1"))


def test_sub_agents_in_sessions_of_their_own(runs: Runs, tenant: Tenant) -> None:
    [said] = started(runs, "delegated").end()
    assert said["ran"] == ["look begin", "look end", "look reader", "look writer"]
    sub_agents_in_sessions_of_their_own(tenant)


def test_what_an_agent_that_is_a_tool_does_has_its_action_as_parent(runs: Runs, tenant: Tenant) -> None:
    [said] = started(runs, "agent_tool").end()
    assert said["ran"] == ["look a.txt"]
    assert said["told"]["c-reader"] == {"result": "done"}
    reader, look = actions(tenant)
    assert (reader["declared_goal"], reader["status"]) == ("reader(request='read')", "completed")
    assert look["parent_action_id"] == reader["action_id"]


def test_a_toolset_and_what_stands_before_a_tool(runs: Runs, tenant: Tenant) -> None:
    toolset, confirmed, callbacks = started(runs, "toolset", "confirmed", "callbacks").end()
    assert toolset["ran"] == ["look a.txt", "wipe db-1"]
    assert (toolset["own"], toolset["closed"]) == (["FunctionTool", "FunctionTool"], True)
    assert {each["action_type"] for each in actions(tenant)} == {"box_look", "box_wipe", "look"}

    assert confirmed["ran"] == []
    assert "requires confirmation" in confirmed["told"]["c-look"]["error"]

    assert callbacks["ran"] == ["look b.txt"]
    assert callbacks["told"]["c-look-known"] == {"result": "I know"}
    [look] = actions(tenant, "look")
    assert (look["declared_goal"], look["status"]) == ("look(path='b.txt')", "completed")


def test_ways_to_refuse(runs: Runs, tenant: Tenant) -> None:
    short, observed, raising, mistakes = started(runs, "short", "observed", "raising", "mistakes").end()
    assert short["ran"] == []
    assert "nobody has approved it yet" in short["told"]["c-pay-5"]["error"]
    assert [each["status"] for each in actions(tenant, "pay")] == ["cancelled"]
    assert observed["ran"] == ["wipe db-1"]
    assert observed["told"]["c-wipe"] == {"status": "wiped"}
    refused, own = raising["raised"]
    assert refused.startswith("GuardBlockedError: guard blocked wipe")
    assert own == "RuntimeError: the printer is on fire"
    [failed] = actions(tenant, "broken")
    assert (failed["status"], failed["error_message"]) == ("failed", "RuntimeError: the printer is on fire")
    kinds = [*["TypeError"] * 3, *["ValueError"] * 3, "TypeError"]
    assert [error.split(":")[0] for error in mistakes["errors"]] == kinds
    parts = [
        *("model's provider", "async generator", "give a function", "governed already", "governed already"),
        *("'ignore'", "Client"),
    ]
    assert [part for part, error in zip(parts, mistakes["errors"], strict=True) if part not in error] == []
    assert mistakes["same"] is True
    assert mistakes["ran"] == ["look free"]
    assert actions(tenant, "look") == [], "the tool itself is not governed"


def test_a_tool_that_gives_work_still_to_come_has_failed_and_it_does_not_run(runs: Runs, tenant: Tenant) -> None:
    [said] = started(runs, "later").end()
    assert said["ran"] == []
    assert [text.split(",")[0] for text in said["raised"]] == ["gives gave a coroutine", "held gave a coroutine"]
    assert {each["action_type"]: each["status"] for each in actions(tenant)} == {"gives": "failed", "held": "failed"}


def test_what_a_model_leaves_out_is_asked_about_with_its_default(runs: Runs, tenant: Tenant) -> None:
    [said] = started(runs, "left_out").end()
    assert said["ran"] == ["send c", "send zanzibar7731"]
    goals = sorted(each["declared_goal"] for each in actions(tenant))
    assert goals == ["send(owner='a', recipient='zanzibar7731')", "send(owner='b', recipient='c')"]


def test_a_reply_names_arguments_that_the_tool_has(runs: Runs, tenant: Tenant) -> None:
    tenant.policy("Ask before anything", "require_approval", {"action_types": ["handmade"]})
    agent = started(runs, "nonsense")
    asked: set[str] = set()
    until = time.monotonic() + WAIT
    while len(asked) < 2 and time.monotonic() < until:
        for each in tenant.call("GET", "/api/actions?status=pending_approval")["actions"]:
            if each["action_id"] not in asked:
                asked.add(each["action_id"])
                tenant.call("POST", f"/api/actions/{each['action_id']}/questions", {"text": "Why?"}, key="operator")
        time.sleep(0.05)
    [said] = agent.end()
    assert said["errors"] == [
        "'colour' is no argument of pay; give one of amount",
        "'colour' is no argument of handmade; give one of what",
    ]
    assert said["ran"] == []


def test_a_dead_service_stops_everything(runs: Runs, tenant: Tenant, tmp_path: Path) -> None:
    with start_service(tmp_path / "other") as dead:
        base_url = dead.base_url
    [said] = started(runs, "many", ASSENT_BASE_URL=base_url).end()
    assert said["ran"] == []
    told = {name: each for name, each in said["told"].items() if name != "text"}
    assert len(told) == 7
    assert all("did not run: Assent could not allow it" in each["error"] for each in told.values())


def test_the_example(runs: Runs, tenant: Tenant) -> None:
    tenant.policy("Nobody wipes disks", "block_action_type", {"action_types": ["wipe_disk"]})
    agent = runs("google-adk", ROOT / "sdk" / "examples" / "google_adk_example.py")
    decide(tenant, "allow")
    output = agent.output()
    assert "invoice 17: 120 EUR" in output
    assert "wipe_disk did not run: it is not allowed" in output
    assert "paid 120 EUR for invoice 17" in output
    assert output.endswith("Invoice 17 is done.\n")


def test_the_quickstart(runs: Runs, tenant: Tenant, tmp_path: Path) -> None:
    follow("google_adk_agent.py", "google-adk", runs, tmp_path)
    # Both are of one turn of the model, and may begin in one millisecond.
    assert sorted(each["status"] for each in actions(tenant)) == ["blocked", "completed"]
