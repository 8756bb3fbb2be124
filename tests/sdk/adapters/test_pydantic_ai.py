"""Governed tools of Pydantic AI, with the real package in a process of its own and a real service."""

from __future__ import annotations

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

SCRIPT = "pydantic_ai_runs.py"
SECRET = "hunter2-hunter2"
KINDS = pytest.mark.parametrize("kind", ["capability", "toolset"])


def started(runs: Runs, *words: str, **env: str) -> Agent:
    return runs("pydantic-ai", SCRIPT, *words, **env)


def ended(runs: Runs, *words: str, **env: str) -> dict[str, Any]:
    [said] = started(runs, *words, **env).end()
    return said


@KINDS
def test_many_calls_of_one_turn(runs: Runs, tenant: Tenant, kind: str) -> None:
    agent = started(runs, kind, "many")
    waited = decide(tenant, "allow", count=2)  # both at the same time, so one does not hold up the other
    [said] = agent.end()
    assert said["ran"] == ["buy 1 paper", "counted no", "look a.txt", "pay 5", "pay 7"]
    told = said["told"]
    assert told["c-look"] == ["contents of a.txt", "success"]
    assert told["c-pay-5"] == ["paid 5", "success"]
    assert told["c-counted"] == ["nono", "success"]
    recorded = {each["action_type"]: each for each in actions(tenant)}
    text, outcome = told["c-wipe"]
    assert outcome == "failed"
    assert text.startswith("wipe did not run: it is not allowed.")
    assert recorded["wipe"]["action_id"] in text
    assert recorded["wipe"]["status"] == "blocked"
    assert recorded["wipe"]["declared_goal"] == "wipe(host='db-1', password=[REDACTED:password])"
    assert recorded["counted"]["declared_goal"] == "counted(word='no')", "the run's context is no argument"
    assert "paper" in recorded["buy"]["declared_goal"]
    assert recorded["look"]["status"] == "completed"
    assert recorded["look"]["duration_ms"] >= 0
    assert recorded["look"]["metadata"]["tool_description"] == "Read something."
    assert {each["declared_goal"] for each in waited} == {"pay(amount=5)", "pay(amount=7)"}
    assert {each["status"] for each in actions(tenant, "pay")} == {"completed"}
    assert SECRET not in str(actions(tenant))
    assert len(actions(tenant)) == 7


@KINDS
@pytest.mark.parametrize("way", ["tells", "fails"])
def test_a_session_is_told_what_tools_gave(runs: Runs, tenant: Tenant, kind: str, way: str) -> None:
    tenant.policy("Where values come from", "flow", {})
    said = ended(runs, kind, way, ASSENT_TELL_SESSIONS="1")
    check_the_bill_is_asked_about(tenant, "error:read_file" if way == "fails" else "read_file")
    assert said["ran"] == ["send GB29NWBK60161331926819"]
    assert said["told"]["c-send_money-theirs"][0].startswith("send_money did not run: nobody has approved it yet.")


def test_output_functions_are_asked_about(runs: Runs, tenant: Tenant) -> None:
    tenant.policy("Nobody wipes all", "block_action_type", {"action_types": ["wipe_all"]})
    agent = started(runs, "capability", "outputs")
    ask(tenant, "Less?")
    decide(tenant, "allow")
    [said] = agent.end()
    told = said["told"]
    for each in ("function", "tool output", "native"):
        assert told[each][-1].startswith("wipe did not run: it is not allowed."), each
    assert told["text output"][-1].startswith("wipe_all did not run: it is not allowed.")
    assert told["several"][0].startswith("UserError: Assent cannot tell which of several output functions would run")
    assert told["allowed"] == ["a"]
    assert told["approved"] == ["paid 3"]
    assert told["again"] == ["printed"]
    assert told["no function"] == ["what='paper' count=1"]
    assert said["ran"] == ["look_at a 2", "pay 3", "retried 2"]
    recorded = {each["action_type"]: each for each in actions(tenant)}
    goals = {each["declared_goal"] for each in actions(tenant, "wipe")}
    assert goals == {f"wipe(host='{host}', password=[REDACTED:password])" for host in ("db-1", "a")}
    assert recorded["look_at"]["declared_goal"] == "look_at(path='a', count=2)"
    assert {each["status"] for each in actions(tenant, "shy")} == {"failed", "completed"}
    assert SECRET not in str(actions(tenant))


def test_an_output_function_runs_once_with_the_whole(runs: Runs, tenant: Tenant) -> None:
    said = ended(runs, "capability", "streamed")
    assert said == {"told": ["abc"], "ran": ["shown abc"]}
    assert [each["action_type"] for each in actions(tenant)] == ["shown"]


@KINDS
def test_a_tool_that_asks_the_model_to_try_again_has_failed(runs: Runs, tenant: Tenant, kind: str) -> None:
    said = ended(runs, kind, "again")
    assert said["ran"] == ["retried 2"]
    assert said["told"] == {"c-retried-1": ["there is no page 1", "retried"], "c-retried-2": ["printed", "success"]}
    first, second = actions(tenant)
    assert (first["status"], first["error_message"]) == ("failed", "ModelRetry: there is no page 1")
    assert second["status"] == "completed"


@KINDS
def test_a_session_around_and_a_question_that_is_answered_by_another_amount(
    runs: Runs, tenant: Tenant, kind: str
) -> None:
    agent = started(runs, kind, "asked")
    question = ask(tenant, "Why so much?")
    decide(tenant, "allow")
    [said] = agent.end()
    assert said["ran"] == ["look a.txt", "pay 3"]
    assert said["told"]["c-pay-5"] == ["paid 3", "success"]
    first, second = actions(tenant, "pay")
    assert (question["action_id"], question["replaced_by"]) == (first["action_id"], second["action_id"])
    assert [first["status"], second["status"], second["declared_goal"]] == ["cancelled", "completed", "pay(amount=3)"]
    goals = ("look(path='a.txt')", "pay(amount=5)", "pay(amount=3)")
    assert in_sessions(tenant) == dict.fromkeys(goals, ("clerk", "ticket 1"))


@KINDS
def test_sub_agents_in_sessions_of_their_own(runs: Runs, tenant: Tenant, kind: str) -> None:
    said = ended(runs, kind, "delegated")
    assert said["ran"] == ["look begin", "look end", "look reader", "look writer"]
    sub_agents_in_sessions_of_their_own(tenant)


@pytest.mark.parametrize(("kind", "verdict"), [("capability", "allow"), ("toolset", "allow"), ("capability", "deny")])
def test_an_interrupted_run_goes_on_when_the_service_says_so_and_not_before(
    runs: Runs, tenant: Tenant, tmp_path: Path, kind: str, verdict: str
) -> None:
    agent = started(runs, kind, "interrupted")
    until = time.monotonic() + WAIT
    while not (tmp_path / "home" / "lied").exists() and time.monotonic() < until:
        time.sleep(0.05)
    waited = {each["action_id"]: each for each in decide(tenant, verdict, "seen by hand", count=2)}
    [said] = agent.end()
    assert said["before"] == ["look a.txt"]
    assert said["lied"] == ["look a.txt"], "it ran on the word of who resumed the run"
    for values in (said["said"], said["again"]):
        assert {each["action_id"] for each in values.values()} == set(waited), "the same actions, found again"
        for each in values.values():
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
        assert "seen by hand" in said["told"]["c-pay-5"][0]
        assert said["told"]["c-pay-5"][1] == "failed"


def test_the_capability_is_innermost_whatever_its_place_in_the_list(runs: Runs, tenant: Tenant) -> None:
    said = ended(runs, "capability", "beside")
    assert said["ran"] == ["look b.txt", "look b.txt"]
    assert [each["declared_goal"] for each in actions(tenant)] == ["look(path='b.txt')"] * 2


@KINDS
def test_a_tool_that_ends_the_run_by_itself_did_not_fail(runs: Runs, tenant: Tenant, kind: str) -> None:
    said = ended(runs, kind, "pauses")
    assert said["waits"] == [["handed"], ["sure"]]
    assert said["told"] == {"c-handed": ["done elsewhere", "success"], "c-sure": ["b", "success"]}
    assert said["ran"] == ["sure b"]
    assert [each["status"] for each in actions(tenant, "handed")] == ["completed"]
    assert [each["status"] for each in actions(tenant, "sure")] == ["cancelled", "completed"]


@KINDS
def test_a_tool_that_gives_work_still_to_come_has_failed_and_it_does_not_run(
    runs: Runs, tenant: Tenant, kind: str
) -> None:
    said = ended(runs, kind, "later")
    assert said["ran"] == []
    assert [text.split(",")[0] for text in said["raised"]] == ["rows gave a generator", "beside gave a generator"]
    assert {each["action_type"]: each["status"] for each in actions(tenant)} == {"rows": "failed", "beside": "failed"}


def test_ways_to_refuse(runs: Runs, tenant: Tenant) -> None:
    short, observed, raising, mistakes = started(runs, "capability", "short", "observed", "raising", "mistakes").end()
    assert "nobody has approved it yet" in short["told"]["c-pay-5"][0]
    assert [each["status"] for each in actions(tenant, "pay")] == ["cancelled"]
    assert short["ran"] == []
    assert observed == {"told": {"c-wipe": ["wiped", "success"]}, "ran": ["wipe db-1"]}
    refused, own = raising["raised"]
    assert refused.startswith("GuardBlockedError: guard blocked wipe")
    assert own == "RuntimeError: the printer is on fire"
    assert raising["ran"] == []
    [failed] = actions(tenant, "broken")
    assert (failed["status"], failed["error_message"]) == ("failed", "RuntimeError: the printer is on fire")
    kinds = ["TypeError", *["ValueError"] * 4, "TypeError"]
    assert [error.split(":")[0] for error in mistakes["errors"]] == kinds
    parts = ["cannot be governed", "governed already", "'later'", "'ignore'", "no call does", "Client"]
    assert [part for part, error in zip(parts, mistakes["errors"], strict=True) if part not in error] == []
    assert mistakes["ran"] == ["look free"]
    assert actions(tenant, "look") == [], "the toolset itself is not governed"


@KINDS
def test_a_dead_service_stops_everything(runs: Runs, tenant: Tenant, tmp_path: Path, kind: str) -> None:
    with start_service(tmp_path / "other") as dead:
        base_url = dead.base_url
    said = ended(runs, kind, "many", ASSENT_BASE_URL=base_url)
    assert said["ran"] == []
    assert len(said["told"]) == 7
    for text, outcome in said["told"].values():
        assert outcome == "failed"
        assert "did not run: Assent could not allow it" in text


def test_the_example(runs: Runs, tenant: Tenant) -> None:
    tenant.policy("Nobody wipes disks", "block_action_type", {"action_types": ["wipe_disk"]})
    agent = runs("pydantic-ai", ROOT / "sdk" / "examples" / "pydantic_ai_example.py")
    decide(tenant, "allow")
    output = agent.output()
    assert "invoice 17: 120 EUR" in output
    assert "wipe_disk did not run: it is not allowed" in output
    assert "paid 120 EUR for invoice 17" in output
    assert output.endswith("Invoice 17 is done.\n")


def test_the_quickstart(runs: Runs, tenant: Tenant, tmp_path: Path) -> None:
    follow("pydantic_ai_agent.py", "pydantic-ai", runs, tmp_path)
    # Both are of one turn of the model, and may begin in one millisecond.
    assert sorted(each["status"] for each in actions(tenant)) == ["blocked", "completed"]
