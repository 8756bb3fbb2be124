"""With ASSENT_TELL_SESSIONS=1 a coding assistant's calls show their parameters, and their session is told what they
gave before its model reads it; what could not be told has the next calls asked about. Quick: one service."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assent.hooks.call import HookCall
from assent.hooks.journal import Journal
from assent.hooks.service import Unanswered
from assent.hooks.settings import Settings
from assent.hooks.telling import begin, call_off, tell
from tests.live import LiveService
from tests.sdk.hooks.conftest import Governed
from tests.sdk.hooks.host import Assistant, Ran

IBAN, OURS = "DE89370400440532013000", "GB29NWBK60161331926819"
BILL = f"Dear customer, the open amount is 98.70; kindly pay it to {IBAN} by the end of the week."
SEND = "mcp__bank__send_money"


@pytest.fixture(scope="module", autouse=True)
def flow_policy(service: LiveService) -> Iterator[None]:
    status, said = service.call(
        "POST", "/api/policies", {"name": "Where values come from", "policy_type": "flow", "rules": {}}
    )
    assert status == 201, said
    yield
    service.call("DELETE", f"/api/policies/{said['policy']['policy_id']}")


@pytest.fixture
def assistant(governed: Governed, service: LiveService) -> Assistant:
    assistant = governed(tell_sessions="1")
    said = {"session_id": assistant.session, "agent_id": "claude-code", "user_text": f"Pay the bill, and {OURS}"}
    assert service.call("POST", "/api/flows", said)[0] == 201
    return assistant


def read_the_bill(assistant: Assistant, call_id: str = "read") -> Ran:
    before = assistant.run("pre-tool", assistant.call("Read", {"file_path": "bill.txt"}, call_id))
    assert before.runs, before
    response = {"type": "text", "file": {"filePath": "bill.txt", "content": BILL}}
    return assistant.run(
        "post-tool", assistant.call("Read", {"file_path": "bill.txt"}, call_id, tool_response=response)
    )


def send(assistant: Assistant, to: str, call_id: str) -> Ran:
    return assistant.run("pre-tool", assistant.call(SEND, {"recipient": to, "amount": 98.7}, call_id))


def flow(service: LiveService, assistant: Assistant) -> dict[str, Any]:
    (found,) = service.call("GET", f"/api/flows?session_id={assistant.session}")[1]["flows"]
    return dict(found)


def test_what_a_tool_gave_is_asked_about_where_another_one_sends_it(
    assistant: Assistant, service: LiveService, operator_key: str
) -> None:
    assert read_the_bill(assistant).out == ""
    assert (flow(service, assistant)["calls"], flow(service, assistant)["labels"]) == (1, ["untrusted_seen"])
    assert send(assistant, OURS, "ours").runs, "the user named it"
    asked = send(assistant, IBAN, "theirs")
    assert not asked.runs
    assert "appears only in the text of what Read answered" in asked.reason
    waits = next(word for word in asked.reason.split() if word.startswith("act_")).strip(":`,")
    status, said = service.call("POST", f"/api/actions/{waits}/approve", {"decision": "allow"}, key=operator_key)
    assert status == 200, said
    again = send(assistant, IBAN, "once more")
    assert (again.runs, "approved this" in str(again.said)) == (True, True), again
    assert service.call("GET", f"/api/actions/{waits}")[1]["approval"]["state"] == "approved"


def test_one_that_cannot_be_told_has_the_next_calls_asked_about(assistant: Assistant, service: LiveService) -> None:
    before = assistant.run("pre-tool", assistant.call("Read", {"file_path": "bill.txt"}, "read"))
    assert before.runs
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        away = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        after = assistant.run(
            "post-tool",
            assistant.call("Read", {"file_path": "bill.txt"}, "read", tool_response=BILL),
            ASSENT_BASE_URL=away,
        )
    assert (after.code, flow(service, assistant)["calls"]) == (0, 0)
    asked = send(assistant, OURS, "ours")
    assert not asked.runs
    assert "keeps its parameters to itself" in asked.reason


def test_one_whose_hook_is_killed_at_once_counts_as_a_text_that_was_read(
    assistant: Assistant, service: LiveService
) -> None:
    before = assistant.run("pre-tool", assistant.call("Read", {"file_path": "bill.txt"}, "read"))
    assert (before.runs, flow(service, assistant)["labels"]) == (True, [])
    assistant.run(
        "post-tool",
        assistant.call("Read", {"file_path": "bill.txt"}, "read", tool_response=BILL),
        line="kill -KILL $$",
    )
    asked = send(assistant, IBAN, "theirs")
    assert not asked.runs
    assert "text of somebody else was read before" in asked.reason
    assert flow(service, assistant)["labels"] == ["untrusted_seen"]


def test_a_call_that_is_answered_or_stopped_leaves_no_mark(assistant: Assistant, service: LiveService) -> None:
    assert read_the_bill(assistant).out == ""
    assert not send(assistant, IBAN, "theirs").runs
    told = flow(service, assistant)["told"]
    assert send(assistant, OURS, "ours").runs
    assert flow(service, assistant)["told"] == told, "no call had begun and not ended"
    assert send(assistant, OURS, "ours again").runs
    assert flow(service, assistant)["told"] == told + 1, "one had"


def test_without_a_service_that_hears_of_it_parameters_are_kept_back(tmp_path: Path) -> None:
    said: dict[str, Any] = {"session_id": "s", "tool_name": "Read", "tool_input": {"file_path": "a"}}
    one, two = HookCall(said | {"tool_use_id": "1"}), HookCall(said | {"tool_use_id": "2"})
    other = HookCall(said | {"session_id": "another", "tool_use_id": "1"})
    journal, settings = Journal(str(tmp_path)), Settings()
    service: Any = Told(0, 422, 201)
    assert begin(one, settings, service, journal)
    assert begin(one, settings, service, journal), "its own mark"
    assert begin(other, settings, service, journal), "a mark of another session"
    assert not begin(two, settings, service, journal), "nobody answers"
    assert not begin(two, settings, service, journal), "it is refused"
    assert begin(two, settings, service, journal)
    assert service.bodies == [{"session_id": "s", "user_text": "", "labels": ["untrusted_seen"]}] * 3
    call_off(two, journal)
    assert begin(one, settings, service, journal)
    journal.tidy()
    assert len(journal.names("begun", "")) == 2


def test_where_nothing_can_be_remembered_parameters_are_kept_back(assistant: Assistant, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    asked = assistant.run(
        "pre-tool", assistant.call(SEND, {"recipient": OURS}, "a"), ASSENT_HOOK_STATE=str(tmp_path / "file")
    )
    assert "keeps its parameters to itself" in asked.reason


def test_a_setting_that_says_neither_stops_the_call(assistant: Assistant) -> None:
    ran = assistant.run("pre-tool", assistant.call("Read", {"file_path": "a"}), ASSENT_TELL_SESSIONS="perhaps")
    assert (ran.code, "ASSENT_TELL_SESSIONS is 'perhaps'; give 1 or 0" in ran.err) == (2, True)


def test_without_the_setting_nothing_is_told(governed: Governed, service: LiveService) -> None:
    assistant = governed()
    assistant.run("post-tool", assistant.call("Read", {"file_path": "bill.txt"}, "read", tool_response=BILL))
    assert service.call("GET", f"/api/flows?session_id={assistant.session}")[1]["total"] == 0


class Told:
    """A service that keeps what is said, and answers with these statuses."""

    def __init__(self, *statuses: int) -> None:
        self.statuses, self.bodies = list(statuses), list[dict[str, Any]]()

    def ask(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        assert (method, path) == ("POST", "/api/flows")
        self.bodies.append(body)
        status = self.statuses.pop(0)
        if not status:
            raise Unanswered("away")
        return status, {"detail": "not so"}


@pytest.mark.parametrize(
    ("response", "statuses", "told", "gap"),
    [
        (BILL, [201], {"result": BILL}, False),
        ("x" * 1_000_001, [201], {"result": "x" * 1_000_000, "cut": True}, False),
        ({"stdout": "done"}, [404, 201], {"result": {"stdout": "done"}}, False),
        (BILL, [422], {"result": BILL}, True),
        (BILL, [0], {"result": BILL}, True),
    ],
    ids=["text", "long", "no action", "refused", "away"],
)
def test_what_is_told_and_when_a_gap_is_remembered(
    tmp_path: Path, response: object, statuses: list[int], told: dict[str, Any], gap: bool
) -> None:
    said: dict[str, Any] = {"session_id": "s", "tool_name": "Read", "tool_input": {"file_path": "a"}}
    call, settings, journal = HookCall(said | {"tool_response": response}), Settings(), Journal(str(tmp_path))
    service: Any = Told(*statuses)
    note = tell(call, "act_1", settings, service, journal)
    assert bool(note) is gap
    assert journal.any("untold", call.told) is gap
    assert not journal.any("untold", HookCall(said | {"session_id": "another"}).told)
    body = {"session_id": "s", "tool": "Read", "arguments": ["file_path"], **told}
    assert service.bodies == [body | {"action_id": "act_1"}, body][: len(statuses)]
    journal.tidy()
    assert journal.any("untold", call.told) is gap
    assert Journal(str(tmp_path / "gone")).any("untold", "a"), "what cannot be read may be there"


def test_names_within_an_argument_are_told_as_well(tmp_path: Path) -> None:
    given = {"request": {"path": "bill.txt"}, "limit": 3}
    said = {"session_id": "s", "tool_name": "mcp__files__read_file", "tool_input": given, "tool_response": BILL}
    service: Any = Told(201)
    assert tell(HookCall(said), "act_1", Settings(), service, Journal(str(tmp_path))) == ""
    assert service.bodies[0]["arguments"] == ["request", "limit", "path"]
