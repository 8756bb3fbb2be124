"""A call that needs a person, from the first try to its outcome, with real processes and a real service."""

from __future__ import annotations

import re
import threading
import time
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.live import LiveService
from tests.sdk.hooks.conftest import Governed
from tests.sdk.hooks.host import Assistant, Ran
from tests.tiers import deep

DEPLOY = "terraform apply"


def action_of(service: LiveService, action_id: str) -> dict[str, Any]:
    status, said = service.call("GET", f"/api/actions/{action_id}")
    assert status == 200, said
    action: dict[str, Any] = said["action"]
    return action


def waiting_in(ran: Ran) -> str:
    """The id under which a call waits, as the reason names it."""
    assert ran.verdict == "deny"
    match = re.search(r"act_[0-9a-f]{32}", ran.reason)
    assert match is not None, ran.reason
    return match[0]


def decide(service: LiveService, action_id: str, decision: str, **more: Any) -> None:
    status, said = service.call("POST", f"/api/actions/{action_id}/approve", {"decision": decision, **more})
    assert status == 200, said


def test_what_is_allowed_runs_and_has_its_outcome_recorded(assistant: Assistant, service: LiveService) -> None:
    ran = assistant.before("ls", "call-a")
    assert (ran.out, ran.code, ran.runs) == ("", 0, True)
    listed = service.call("GET", f"/api/actions?session_id={assistant.session}")[1]["actions"]
    assert [action["status"] for action in listed] == ["running"]
    assert assistant.after("ls", "call-a").code == 0
    action = action_of(service, listed[0]["action_id"])
    assert (action["status"], action["output_summary"]) == ("completed", "stdout: 4 characters")
    assert (action["agent_id"], action["runtime"], action["declared_goal"]) == (
        "claude-code", "coding_assistant", "Run: ls"
    )  # fmt: skip


def test_what_is_blocked_does_not_run_and_says_why(assistant: Assistant, service: LiveService) -> None:
    ran = assistant.before("rm -rf ~", "call-b")
    assert not ran.runs
    assert "Nothing is destroyed" in ran.reason
    listed = service.call("GET", f"/api/actions?session_id={assistant.session}")[1]["actions"]
    assert [action["status"] for action in listed] == ["blocked"]


def test_approved_by_another_process_it_runs_once(assistant: Assistant, service: LiveService) -> None:
    first = assistant.before(DEPLOY, "call-1")
    action_id = waiting_in(first)
    assert waiting_in(assistant.before(DEPLOY, "call-2")) == action_id, "the same call does not ask twice"
    assert not assistant.before("terraform apply -auto-approve", "call-x").runs, "another call has no part in it"
    decide(service, action_id, "allow", conditions=["only the staging workspace"])
    used = assistant.before(DEPLOY, "call-3")
    assert used.verdict is None
    assert used.runs
    assert "only the staging workspace" in used.said["systemMessage"]
    anew = assistant.before(DEPLOY, "call-4")
    assert waiting_in(anew) != action_id
    assistant.after(DEPLOY, "call-3")
    action = action_of(service, action_id)
    assert action["status"] == "completed"
    assert service.call("GET", f"/api/actions/{action_id}")[1]["approval"]["claimed_at"] is not None


def test_an_approval_is_for_its_own_folder_and_session(governed: Governed, service: LiveService) -> None:
    assistant = governed()
    action_id = waiting_in(assistant.before(DEPLOY))
    decide(service, action_id, "allow")
    assistant.session += "-another"
    assert waiting_in(assistant.before(DEPLOY, "call-9")) != action_id


def test_a_forged_memory_does_not_use_somebody_elses_approval(assistant: Assistant, service: LiveService) -> None:
    action_id = waiting_in(assistant.before(DEPLOY))
    decide(service, action_id, "allow")
    waiting = next((assistant.folder / "state").rglob("waiting-*"))
    other = waiting_in(assistant.before("kubectl apply -f x", "call-2"))
    forged = next(file for file in waiting.parent.glob("waiting-*") if file.read_text() == other)
    forged.write_text(action_id)
    ran = assistant.before("kubectl apply -f x", "call-3")
    assert not ran.runs
    assert "cannot be used" in ran.reason
    assert assistant.before(DEPLOY, "call-4").runs, "what was approved can still be done"


def test_denied_it_does_not_run_and_says_who_and_why(assistant: Assistant, service: LiveService) -> None:
    decide(service, waiting_in(assistant.before(DEPLOY)), "deny", reasoning="not on a Friday")
    ran = assistant.before(DEPLOY, "call-2")
    assert not ran.runs
    assert "not on a Friday" in ran.reason
    assert "First admin key" in ran.reason
    assert waiting_in(assistant.before(DEPLOY, "call-3")), "and once more asks anew"


def test_an_approval_whose_time_is_over_asks_anew(assistant: Assistant, service: LiveService) -> None:
    action_id = waiting_in(assistant.before(DEPLOY))
    decide(service, action_id, "allow", valid_minutes=1)
    # The action has ended meanwhile: nothing is left that could be claimed.
    assert service.call("PATCH", f"/api/actions/{action_id}", {"status": "cancelled"})[0] == 200
    ran = assistant.before(DEPLOY, "call-2")
    assert not ran.runs


def test_what_waits_and_is_gone_asks_anew(assistant: Assistant) -> None:
    first = waiting_in(assistant.before(DEPLOY))
    waiting = next((assistant.folder / "state").rglob("waiting-*"))
    waiting.write_text("act_" + "0" * 32)
    again = waiting_in(assistant.before(DEPLOY, "call-2"))
    assert again not in (first, "act_" + "0" * 32)


def test_a_call_waits_for_the_operator_and_goes_on(governed: Governed, service: LiveService) -> None:
    assistant = governed(wait=20)

    def approve() -> None:
        for _ in range(200):
            found = service.call("GET", f"/api/actions?session_id={assistant.session}")[1]["actions"]
            if found:
                decide(service, found[0]["action_id"], "allow")
                return
            time.sleep(0.05)

    approving = threading.Thread(target=approve)
    approving.start()
    ran = assistant.before(DEPLOY)
    approving.join()
    assert ran.runs
    assert "approved this" in ran.said["systemMessage"]


@deep("each starts processes and waits; what a call waits for is in the quick tier")
def test_nobody_comes_while_a_call_waits(governed: Governed) -> None:
    began = time.monotonic()
    ran = governed(wait=1.5).before(DEPLOY)
    assert not ran.runs
    assert waiting_in(ran)
    assert 1.5 <= time.monotonic() - began < 15


@deep("each starts processes and waits; what a call waits for is in the quick tier")
def test_denied_while_it_waits(governed: Governed, service: LiveService) -> None:
    assistant = governed(wait=20)
    action_id = waiting_in(governed(wait=0).before(DEPLOY))
    threading.Timer(0.3, decide, (service, action_id, "deny")).start()
    ran = assistant.before(DEPLOY, "call-2")
    assert ran.verdict == "deny"
    assert "denied this" in ran.reason


@deep("each starts processes and waits; what a call waits for is in the quick tier")
def test_cancelled_or_done_while_it_waits_is_no_yes(governed: Governed, service: LiveService) -> None:
    action_id = waiting_in(governed().before(DEPLOY))
    decide(service, action_id, "allow")
    body = {"action_type": "shell", "declared_goal": f"Run: {DEPLOY}", "systems_touched": ["production", "shell"]}
    assistant = governed(wait=5)
    digest = action_of(service, action_id)["parameters_digest"]
    claimed = service.call("POST", f"/api/actions/{action_id}/claim", body | {"parameters_digest": digest})
    assert claimed[0] == 200, claimed
    assert waiting_in(assistant.before(DEPLOY, "call-2")) != action_id


def test_at_the_host_whoever_sits_there_approves(governed: Governed, service: LiveService, operator_key: str) -> None:
    assistant = governed(approvals="host", api_key=operator_key)
    ran = assistant.before(DEPLOY)
    assert ran.verdict == "ask"
    assert assistant.after(DEPLOY).out == ""
    found = service.call("GET", f"/api/actions?session_id={assistant.session}")[1]["actions"]
    assert [action["status"] for action in found] == ["completed"]
    approval = service.call("GET", f"/api/actions/{found[0]['action_id']}")[1]["approval"]
    assert approval["state"] == "approved"
    assert "coding assistant's own prompt" in approval["reasoning"]


@deep("each starts processes and waits; what a call waits for is in the quick tier")
def test_codex_is_only_ever_told_no(governed: Governed, service: LiveService, operator_key: str) -> None:
    codex = governed("codex", approvals="host", api_key=operator_key)
    assert codex.before("ls").out == ""
    action_id = waiting_in(codex.before(DEPLOY, "call-2"))
    decide(service, action_id, "allow")
    assert codex.before(DEPLOY, "call-3").verdict is None
    assert not codex.before("rm -rf ~", "call-4").runs


def test_observing_stops_nothing_and_leaves_no_action_for_what_would_be_stopped(
    governed: Governed, service: LiveService
) -> None:
    assistant = governed(mode="observe")
    assert assistant.before("ls", "call-1").runs
    for number, command in enumerate(("rm -rf ~", DEPLOY)):
        ran = assistant.before(command, f"call-{number + 2}")
        assert ran.runs
        assert ran.code == 0
        assert "Assent observes; enforcing, it would have" in ran.said["systemMessage"]
        assert assistant.after(command, f"call-{number + 2}").code == 0
    found = service.call("GET", f"/api/actions?session_id={assistant.session}")[1]["actions"]
    assert [action["declared_goal"] for action in found] == ["Run: ls"]


def test_a_session_is_a_thread_with_an_entry_for_each_call(assistant: Assistant, service: LiveService) -> None:
    for number, command in enumerate(("ls", "pwd")):
        assistant.before(command, f"call-{number}")
        assistant.after(command, f"call-{number}", {"is_error": number == 1})
    threads = service.call("GET", "/api/context/threads?limit=100")[1]["threads"]
    mine = [each for each in threads if each["name"] == f"Session {assistant.session}"]
    assert len(mine) == 1
    thread = service.call("GET", f"/api/context/threads/{mine[0]['thread_id']}")[1]
    entries = thread.get("entries") or thread["thread"]["entries"]
    assert {entry["content"] for entry in entries} == {"Run: ls: completed", "Run: pwd: failed"}


def test_the_same_call_again_is_another_call_where_the_host_gives_no_ids(
    assistant: Assistant, service: LiveService
) -> None:
    for _ in range(2):
        assert assistant.before("ls", None).runs
        assert assistant.after("ls", None).code == 0
    found = service.call("GET", f"/api/actions?session_id={assistant.session}")[1]["actions"]
    assert [action["status"] for action in found] == ["completed", "completed"]


def test_a_call_that_ran_already_is_not_said_yes_to_again(assistant: Assistant) -> None:
    assert assistant.before("ls").runs
    assert assistant.before("ls").runs, "a hook may be run twice before the call runs"
    assistant.after("ls")
    assert not assistant.before("ls").runs


def test_the_same_id_for_another_call_is_stopped(assistant: Assistant) -> None:
    assert assistant.before("ls").runs
    assert not assistant.before("pwd").runs


def test_secrets_stay_in_the_process(assistant: Assistant, service: LiveService) -> None:
    secret = "ghp_" + "a1B2" * 9
    line = f"curl -H 'Authorization: Bearer {secret}/x' --password {secret} 'https://u:{secret}@example.com/a?token={secret}'"
    assert assistant.before(line).runs
    found = service.call("GET", f"/api/actions?session_id={assistant.session}")[1]["actions"]
    assert secret not in str(found)
    assert "[REDACTED:" in found[0]["declared_goal"]
    assert "example.com" in found[0]["systems_touched"]


def test_a_question_is_what_the_call_is_denied_with_until_it_is_answered(
    assistant: Assistant, service: LiveService, agent_key: str
) -> None:
    action_id = waiting_in(assistant.before(DEPLOY, "call-1"))
    said = {"text": "Which workspace?", "conditions": ["in staging"]}
    status, made = service.call("POST", f"/api/actions/{action_id}/questions", said)
    assert status == 201
    question_id = made["question"]["question_id"]
    for attempt in ("call-2", "call-3"):
        asked = assistant.before(DEPLOY, attempt)
        assert not asked.runs
        assert all(words in asked.reason for words in ("Which workspace?", "in staging", f"answer {question_id}"))
    answer = {"answer": "staging"}
    assert service.call("POST", f"/api/questions/{question_id}/answer", answer, key=agent_key)[0] == 200
    assert waiting_in(assistant.before(DEPLOY, "call-4")) == action_id
    decide(service, action_id, "allow")
    assert assistant.before(DEPLOY, "call-5").runs


@deep("six processes of hooks")
def test_what_a_standing_grant_covers_runs_at_once_and_claims_its_approval(
    assistant: Assistant, service: LiveService
) -> None:
    waiting = waiting_in(assistant.before(DEPLOY, "call-g0"))
    kind = action_of(service, waiting)["action_type"]
    end = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    bounds = {"agent_ids": ["claude-code"], "action_type": kind, "max_risk": 100, "max_uses": 1, "expires_at": end}
    when = {"field": "declared_goal", "op": "contains", "value": "plan"}
    status, made = service.call("POST", "/api/grants", {**bounds, "when": when, "reason": "Plans are harmless."})
    assert status == 201, made
    other = "terraform apply plan.out"
    ran = assistant.before(other, "call-g1")
    assert ran.runs, ran.reason
    assert ran.verdict is None
    use = service.call("GET", f"/api/grants/{made['grant']['grant_id']}")[1]["uses"][0]
    assert service.call("GET", f"/api/actions/{use['action_id']}")[1]["approval"]["claimed_at"] is not None
    assert waiting_in(assistant.before(other, "call-g2")), "its one use is spent"
    assert waiting_in(assistant.before(DEPLOY, "call-g3")) == waiting, "what waits goes on waiting"
