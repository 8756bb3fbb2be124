"""Governed tools of LangChain and LangGraph, with the real packages in a process of its own and a real service."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.live import ROOT, start_service
from tests.sdk.adapters.conftest import Runs
from tests.sdk.adapters.environments import WAIT, Agent
from tests.sdk.adapters.quickstarts import follow
from tests.sdk.adapters.watching import (
    actions,
    ask,
    check_the_bill_is_asked_about,
    decide,
    in_sessions,
    sub_agents_in_sessions_of_their_own,
)
from tests.stories.tenant import Tenant

SCRIPT = "langchain_runs.py"
SECRET = "hunter2-hunter2"
KINDS = ("middleware", "tools", "node")


def started(runs: Runs, *words: str, **env: str) -> Agent:
    return runs("langchain", SCRIPT, *words, **env)


def ended(runs: Runs, *words: str, **env: str) -> dict[str, Any]:
    [said] = started(runs, *words, **env).end()
    return said


def await_the_lie(folder: Path) -> None:
    """Waits until the script has resumed its graph with an approval that nobody gave."""
    until = time.monotonic() + WAIT
    while not (folder / "home" / "lied").exists() and time.monotonic() < until:
        time.sleep(0.05)


@pytest.mark.parametrize(("kind", "way"), [("middleware", "sync"), ("tools", "async"), ("node", "async")])
def test_a_session_is_told_what_tools_gave(runs: Runs, tenant: Tenant, kind: str, way: str) -> None:
    tenant.policy("Where values come from", "flow", {})
    said = ended(runs, "tells", kind, way, ASSENT_TELL_SESSIONS="1")
    check_the_bill_is_asked_about(tenant)
    assert said["ran"] == ["send GB29NWBK60161331926819"]
    assert said["told"]["c-theirs"][0].startswith("send_money did not run: nobody has approved it yet.")


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_record_is_told_alike_however_it_is_given(runs: Runs, tenant: Tenant, way: str) -> None:
    """In a message it stands as JSON; what a tool puts beside it is told, too."""
    tenant.policy("Where values come from", "flow", {})
    said = ended(runs, "records", way, ASSENT_TELL_SESSIONS="1")
    alike = ("plain", "message", "agent")
    assert [said["gave"][each] for each in alike] == ["sent"] * 3
    assert said["gave"]["artifact"].startswith("send_money did not run: nobody has approved it yet.")
    flows = {each["session_id"]: each for each in tenant.call("GET", "/api/flows")["flows"]}
    assert [flows[each]["labels"] for each in alike] == [[]] * 3
    assert (flows["artifact"]["labels"], flows["artifact"]["complete"]) == (["untrusted_seen"], True)
    letter = [each for each in actions(tenant, "send_money") if each["status"] != "completed"]
    (reason,) = tenant.call("GET", f"/api/actions/{letter[0]['action_id']}")["approval"]["reasons"]
    assert (len(letter), "appears only in the text of what get_letter answered" in reason) == (1, True)


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("kind", KINDS)
def test_many_calls_of_one_turn(runs: Runs, tenant: Tenant, kind: str, way: str) -> None:
    agent = started(runs, kind, way)
    waited = decide(tenant, "allow", count=2)  # both at the same time, so one does not hold up the other
    [said] = agent.end()
    assert said["ran"] == ["handmade x", "look a.txt", "pay 5", "pay 7", "with_state x"]
    told = said["told"]
    assert told["c-look"] == ["contents of a.txt", "success"]
    assert told["c-five"] == ["paid 5", "success"]
    assert told["c-hand"] == ["X", "success"]
    recorded = {each["action_type"]: each for each in actions(tenant)}
    text, status = told["c-wipe"]
    assert status == "error"
    assert text.startswith("wipe did not run: it is not allowed.")
    assert recorded["wipe"]["action_id"] in text
    assert "Nobody wipes" in text
    assert recorded["wipe"]["status"] == "blocked"
    assert recorded["wipe"]["declared_goal"] == "wipe(host='db-1', password=[REDACTED:password])"
    assert recorded["with_state"]["declared_goal"] == "with_state(what='x')", "the graph's state is no argument"
    assert recorded["look"]["status"] == "completed"
    assert recorded["look"]["duration_ms"] >= 0
    assert recorded["look"]["metadata"]["tool_description"] == "Read something."
    assert {each["declared_goal"] for each in waited} == {"pay(amount=5)", "pay(amount=7)"}
    assert {each["status"] for each in actions(tenant, "pay")} == {"completed"}
    assert SECRET not in str(actions(tenant))
    assert len(actions(tenant)) == 6


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_session_around_and_a_question_that_is_answered_by_another_amount(
    runs: Runs, tenant: Tenant, kind: str, way: str
) -> None:
    agent = started(runs, "asked", kind, way)
    question = ask(tenant, "Why so much?")
    decide(tenant, "allow")
    [said] = agent.end()
    assert said["ran"] == ["look a.txt", "pay 3"]
    assert said["told"]["c-five"] == ["paid 3", "success"]
    first, second = actions(tenant, "pay")
    assert (question["action_id"], question["replaced_by"]) == (first["action_id"], second["action_id"])
    assert [first["status"], second["status"], second["declared_goal"]] == ["cancelled", "completed", "pay(amount=3)"]
    goals = ("look(path='a.txt')", "pay(amount=5)", "pay(amount=3)")
    assert in_sessions(tenant) == dict.fromkeys(goals, ("clerk", "ticket 1"))


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("kind", ["middleware", "tools"])
def test_sub_agents_in_sessions_of_their_own(runs: Runs, tenant: Tenant, kind: str, way: str) -> None:
    [said] = started(runs, "delegated", kind, way).end()
    assert sorted(said["ran"]) == ["look begin", "look end", "look reader", "look writer"]
    sub_agents_in_sessions_of_their_own(tenant)


def test_a_denial_stops_it(runs: Runs, tenant: Tenant) -> None:
    agent = started(runs, "tools", "async")
    decide(tenant, "deny", "not this month", count=2)
    [said] = agent.end()
    assert "pay 5" not in said["ran"]
    text, status = said["told"]["c-five"]
    assert (status, "not this month" in text) == ("error", True)


def test_nobody_decides_in_time(runs: Runs, tenant: Tenant) -> None:
    said = ended(runs, "middleware", "async", OPTIONS=json.dumps({"approval_timeout": 0.2}))
    assert "nobody has approved it yet" in said["told"]["c-five"][0]
    assert "pay 5" not in said["ran"]
    assert {each["status"] for each in actions(tenant, "pay")} == {"cancelled"}


@pytest.mark.parametrize(("kind", "way"), [("middleware", "sync"), ("tools", "async")])
def test_a_dead_service_stops_everything(runs: Runs, tmp_path: Path, kind: str, way: str) -> None:
    with start_service(tmp_path / "other") as dead:
        base_url = dead.base_url
    said = ended(runs, kind, way, ASSENT_BASE_URL=base_url)
    assert said["ran"] == []
    assert len(said["told"]) == 6
    for text, status in said["told"].values():
        assert status == "error"
        assert "did not run: Assent could not allow it" in text


def test_observing_stops_nothing(runs: Runs, tenant: Tenant) -> None:
    said = ended(runs, "middleware", "sync", OPTIONS=json.dumps({"mode": "observe"}))
    assert len(said["ran"]) == 6
    assert {each["action_type"] for each in actions(tenant)} == {"look", "with_state", "handmade"}


@pytest.mark.parametrize(
    ("kind", "way", "verdict"),
    [
        ("middleware", "sync", "allow"),
        ("tools", "async", "allow"),
        ("node", "sync", "allow"),
        ("middleware", "async", "deny"),
    ],
)
def test_an_interrupted_graph_goes_on_when_the_service_says_so_and_not_before(
    runs: Runs, tenant: Tenant, tmp_path: Path, kind: str, way: str, verdict: str
) -> None:
    agent = started(runs, "interrupted", kind, way)
    await_the_lie(tmp_path)
    waited = {each["action_id"]: each for each in decide(tenant, verdict, "seen by hand", count=2)}
    [said] = agent.end()
    assert said["before"] == ["look a.txt"]
    assert said["lied"] == ["look a.txt"], "it ran on the word of who resumed the graph"
    for values in (said["said"], said["again"]):
        assert {each["action_id"] for each in values} == set(waited), "the same actions, found again"
        for each in values:
            assert each["type"] == "assent.approval"
            assert each["declared_goal"] == waited[each["action_id"]]["declared_goal"]
            assert each["approve_with"] == f"assent approve {each['action_id']}"
    paid = {"allow": ["pay 5", "pay 7"], "deny": []}[verdict]
    assert said["ran"] == ["look a.txt", *paid]
    assert len(actions(tenant)) == 3, "nothing was asked twice"
    ended_as = {"allow": "completed", "deny": "cancelled"}[verdict]
    assert {each["status"] for each in actions(tenant, "pay")} == {ended_as}
    if verdict == "allow":
        for action_id in waited:
            assert tenant.call("GET", f"/api/actions/{action_id}")["approval"]["claimed_at"] is not None
    else:
        assert "seen by hand" in said["told"]["c-five"][0]


def test_calls_that_share_a_task_are_not_done_again_when_it_goes_on(runs: Runs, tenant: Tenant, tmp_path: Path) -> None:
    agent = started(runs, "interrupted", "node", "sync", "together")
    await_the_lie(tmp_path)
    if len(decide(tenant, "allow")) == 1:
        decide(tenant, "allow")
    [said] = agent.end()
    assert {each["status"] for each in actions(tenant)} == {"completed"}
    assert said["ran"] == ["look a.txt", "pay 5", "pay 7"], "each once"
    assert len(actions(tenant)) == 3
    for text, status in said["told"].values():
        assert status == "success" or "is completed already: this call was made before" in text


@pytest.mark.parametrize(
    ("approvals", "statuses"), [("wait", ["cancelled", "completed"]), ("interrupt", ["completed"])]
)
def test_a_tool_that_interrupts_by_itself_did_not_fail(
    runs: Runs, tenant: Tenant, approvals: str, statuses: list[str]
) -> None:
    said = ended(runs, "own_interrupt", approvals)
    assert said["asked"] == [{"question": "really?"}]
    assert said["told"] == {"c-asks": ["the user said yes", "success"]}
    assert said["ran"] == ["asks yes"]
    assert [each["status"] for each in actions(tenant)] == statuses


@pytest.mark.parametrize(("kind", "way"), [("tools", "sync"), ("middleware", "async")])
def test_what_an_approval_was_resumed_with_is_no_answer_to_a_tool(
    runs: Runs, tenant: Tenant, tmp_path: Path, kind: str, way: str
) -> None:
    agent = started(runs, "two_answers", kind, way)
    await_the_lie(tmp_path)
    decide(tenant, "allow")
    [said] = agent.end()
    assert said["ran"] == [], "the tool took the word to the graph for the user's"
    assert said["raised"].startswith("pay interrupted the graph by itself, in a call that was approved by an interrupt")
    (action,) = actions(tenant)
    assert (action["status"], action["error_message"]) == ("failed", said["raised"])


def test_the_last_of_several_middlewares_asks_about_what_runs_each_time(runs: Runs, tenant: Tenant) -> None:
    said = ended(runs, "beside")
    assert said["ran"] == ["look b.txt", "look b.txt"]
    assert [each["declared_goal"] for each in actions(tenant)] == ["look(path='b.txt')"] * 2


def test_what_was_approved_runs_although_the_input_changed_meanwhile(
    runs: Runs, tenant: Tenant, tmp_path: Path
) -> None:
    agent = started(runs, "changed")
    until = time.monotonic() + WAIT
    while not actions(tenant) and time.monotonic() < until:
        time.sleep(0.05)
    (tmp_path / "home" / "lied").touch()
    while not (tmp_path / "home" / "changed").exists() and time.monotonic() < until:
        time.sleep(0.05)
    (waited,) = decide(tenant, "allow")
    [said] = agent.end()
    assert (waited["declared_goal"], said["ran"]) == ("pay(amount=5)", ["pay 5"])


def test_the_function_of_a_tool_asks_as_well_and_a_run_asks_once(runs: Runs, tenant: Tenant) -> None:
    said = ended(runs, "functions")
    for each, text in said["told"].items():
        assert text.startswith("wipe did not run: it is not allowed."), each
    assert [each for each in said["ran"] if each in ("wipe", "erase", "by name", "custom h")] == []
    lets = said["lets"]
    assert (lets["look"], lets["slowly"]) == ("contents of a", "contents of b")
    assert [lets[each] for each in ("custom", "custom invoked", "custom awaited")] == ["c", "d", "e"]
    assert len(actions(tenant, "wipe")) == len(said["told"])
    assert {each: len(actions(tenant, each)) for each in ("look", "slowly", "custom", "with_state")} == {
        "look": 1,
        "slowly": 1,
        "custom": 3,
        "with_state": 1,
    }
    assert actions(tenant, "with_state")[0]["declared_goal"] == "with_state(what='f')", (
        "what the graph hands in is none"
    )


@pytest.mark.parametrize("way", ["sync", "async"])
def test_an_injected_argument_that_a_model_could_have_written_is_asked_about(
    runs: Runs, tenant: Tenant, way: str
) -> None:
    said = ended(runs, "injected", way)
    assert said["ran"] == [
        "send as zanzibar7731",
        "send in zanzibar7731 c",
        "send in zanzibar7731 c",
        "send to house",
        "send to zanzibar7731",
    ]
    assert [each["declared_goal"] for each in actions(tenant)] == [
        "send_to(owner='a', recipient='zanzibar7731')",
        "send_to(owner='b', recipient='house')",
        "send_in(owner='c', state={'recipient': 'zanzibar7731'})",
        "send_in(owner='d')",
        "send_as(owner='e', to={'name': 'zanzibar7731'})",
    ]


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_the_schema_makes_of_arguments_is_asked_about_and_runs(
    runs: Runs, tenant: Tenant, kind: str, way: str
) -> None:
    agent = started(runs, "parsed", kind, way)
    ask(tenant, "To whom?")
    decide(tenant, "allow")
    [said] = agent.end()
    assert said["told"] == {"c": ["paid", "success"]}
    assert said["ran"] == ["pay a!2 b"]
    goals = ["pay(owner='a!1', recipient='zanzibar7731')", "pay(owner='a!2', recipient='b')"]
    assert [each["declared_goal"] for each in actions(tenant, "pay")] == goals


@pytest.mark.parametrize("kind", ["plain", "message", "middleware", "node"])
def test_a_tool_that_gives_work_still_to_come_has_failed_and_it_does_not_run(
    runs: Runs, tenant: Tenant, kind: str
) -> None:
    said = ended(runs, "later", kind)
    assert said["ran"] == ["slowly a", "slowly b"]
    assert said["awaited"] == ["contents of a", "contents of b"]
    assert set(said["told"]) == {"rows", "slow", "gives", "artifact", "custom"}
    for name, text in said["told"].items():
        assert text.startswith(f"{name} gave a "), text
        assert "nothing of it ran" in text
    failed = {each["action_type"] for each in actions(tenant) if each["status"] == "failed"}
    assert failed == set(said["told"])


def test_tools_by_hand(runs: Runs, tenant: Tenant) -> None:
    said = ended(runs, "by_hand")
    assert said["before"] == ["look a", "look b", "look c", "slowly d", "plain e"]
    assert said["look"] == "contents of a"
    assert said["look awaited"] == "contents of b"
    assert said["message"] == "contents of c"
    assert (said["slowly"], said["plain"], said["schema"]) == ("contents of d", "e", True)
    assert said["wipe"].startswith("wipe did not run: it is not allowed.")
    assert said["raising"].startswith("GuardBlockedError: guard blocked wipe")
    assert said["raising awaited"].startswith("GuardBlockedError: guard blocked wipe")
    assert said["broken"] == "RuntimeError: the printer is on fire"
    assert said["outside"].startswith("RuntimeError: look was called outside of a LangGraph graph")
    assert said["hosted"].startswith("TypeError: {'type': 'web_search'} cannot be governed")
    assert said["option"] == "ValueError: approvals is 'later'; give one of wait, interrupt"
    assert "look original" in said["ran"]
    assert len(actions(tenant, "look")) == 3, "the original is not governed"
    (failed,) = actions(tenant, "broken")
    assert (failed["status"], failed["error_message"]) == ("failed", "RuntimeError: the printer is on fire")


def test_an_error_that_became_a_message_is_a_failure(runs: Runs, tenant: Tenant) -> None:
    said = ended(runs, "errors")
    assert said["middleware"]["c-one"] == said["tools"]["c-one"] == ["no paper", "error"]
    assert said["middleware"]["c-two"][1] == said["tools"]["c-two"][1] == "error"
    assert {each["status"] for each in actions(tenant)} == {"failed"}
    assert [each["error_message"] for each in actions(tenant)].count("no paper") == 2


def test_the_example_runs(runs: Runs, tenant: Tenant) -> None:
    lines = runs("langchain", ROOT / "sdk" / "examples" / "langchain_example.py").output()
    assert "tool look_up (success): Ada has been with us for three years." in lines
    assert "tool wipe (error): wipe did not run: it is not allowed." in lines
    assert "THE TABLE IS GONE" not in lines
    assert [each["status"] for each in actions(tenant)] == ["completed", "blocked"]


def test_the_example_of_a_graph_runs(runs: Runs, tenant: Tenant) -> None:
    agent = runs("langchain", ROOT / "sdk" / "examples" / "langgraph_example.py")
    (waited,) = decide(tenant, "allow")
    lines = agent.output()
    assert f"waits: pay(supplier='Paper Mill', amount=120.0); assent approve {waited['action_id']}" in lines
    assert "tool: 120.00 EUR went to Paper Mill." in lines
    assert [each["status"] for each in actions(tenant)] == ["completed"]


def test_the_quickstart(runs: Runs, tenant: Tenant, tmp_path: Path) -> None:
    follow("langchain_agent.py", "langchain", runs, tmp_path)
    # Both are of one turn of the model, and may begin in one millisecond.
    assert sorted(each["status"] for each in actions(tenant)) == ["blocked", "completed"]
