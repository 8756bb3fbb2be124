"""An operator's commands: deciding, losing a race, and what waits as a pipe gets it. The inbox has tests of its own."""

import json
import subprocess
import sys
from datetime import timedelta

import pytest

from assent.cli.failures import Exit
from assent.cli.output import Output
from assent.contract.problems import Code
from tests.sdk.cli.desk import Desk
from tests.sdk.data.fake_service import NOW, URL


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.mark.parametrize(
    ("command", "word", "status"), [("approve", "Approved", "running"), ("deny", "Denied", "cancelled")]
)
def test_a_decision_says_who_when_and_where_to_look(desk: Desk, command: str, word: str, status: str) -> None:
    action_id = desk.waits("deploy")
    result = desk.run(command, action_id, "--reason", "because")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        f"{word}: {action_id} by operator-key at 2026-05-01T09:05:00Z",
        f"Replay: {URL}/replay/{action_id}",
    ]
    assert desk.actions[action_id]["status"] == status
    assert desk.approvals[action_id]["reasoning"] == "because"


def test_a_lost_race_names_the_winner(desk: Desk) -> None:
    action_id = desk.waits("deploy")
    desk.settle(action_id, "deny", "ann\x1b]0;", "too risky")
    result = desk.run("approve", action_id)
    assert result.exit_code == Exit.REFUSED
    assert result.stdout == ""
    assert result.stderr == (f"Error: {action_id} was denied already, by ann�]0; at 2026-05-01T09:05:00Z: too risky\n")


def test_under_the_kill_switch_the_services_words_are_said(desk: Desk) -> None:
    action_id = desk.waits("deploy")
    desk.refuse = Code.HALTED
    result = desk.run("approve", action_id)
    assert (result.exit_code, result.stdout) == (Exit.REFUSED, "")
    assert "as the test wants it" in result.stderr


def test_an_expired_approval_has_its_own_code(desk: Desk) -> None:
    action_id = desk.waits("deploy")
    desk.approvals[action_id]["state"] = "expired"
    assert desk.run("approve", action_id).exit_code == Exit.DENIED


def test_in_a_pipe_everything_that_waits_is_listed_what_expires_first_at_the_top(desk: Desk) -> None:
    ids = [desk.waits("deploy", f"goal {number}\tx") for number in range(130)]
    for number, action_id in enumerate(ids):
        desk.approvals[action_id]["expires_at"] = NOW + timedelta(days=1, seconds=number)
    desk.actions[ids[0]]["created_at"] = NOW + timedelta(hours=1)  # later than others, which expire after it
    lines = desk.run("approvals").stdout.splitlines()
    assert lines[0].split("\t") == [
        "action_id", "type", "agent", "goal", "risk", "why", "requested_at", "expires_at"
    ]  # fmt: skip
    assert [line.split("\t")[0] for line in lines[1:]] == ids
    assert lines[1].split("\t")[1:] == [
        "deploy", "agent-1", "goal 0 x", "10", "policy says require_approval",
        "2026-05-01T09:00:00Z", "2026-05-02T09:00:00Z",
    ]  # fmt: skip


def test_json_has_the_same_as_one_document(desk: Desk) -> None:
    action_id = desk.waits("deploy")
    document = json.loads(desk.run("approvals", "--json").stdout)
    assert document["total"] == 1
    assert document["approvals"][0]["action"]["action_id"] == action_id
    assert document["approvals"][0]["approval"]["state"] == "awaiting"


def test_without_textual_a_terminal_is_told_what_to_install(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Output, "interactive", property(lambda _: True))
    for name in [name for name in sys.modules if name.startswith("assent.cli.inbox.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "textual", None)
    desk.waits("deploy")
    result = desk.run("approvals")
    assert result.exit_code == Exit.USAGE
    assert "pip install 'assent[cli]'" in result.stderr


def test_neither_help_nor_a_pipe_brings_textual_along() -> None:
    script = (
        "import sys; from assent.cli.app import app; import assent.cli.approvals, assent.cli.watch;"
        "print([m for m in sys.modules if m.split('.')[0] in ('textual', 'httpx')])"
    )
    ran = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_conditions_and_a_limit_go_with_an_approval(desk: Desk) -> None:
    action_id = desk.waits("deploy")
    result = desk.run(
        "approve", action_id, "--condition", "Before noon", "--condition", "Only\x1b[31m once", "--valid-minutes", "90"
    )
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines() == [
        f"Approved: {action_id} by operator-key at 2026-05-01T09:05:00Z",
        "On condition: Before noon",
        "On condition: Only�[31m once",
        "To be claimed until 2026-05-01T10:35:00Z",
        f"Replay: {URL}/replay/{action_id}",
    ]
    assert desk.approvals[action_id]["conditions"] == ["Before noon", "Only\x1b[31m once"]


@pytest.mark.parametrize("minutes", ["0", "525601", "1.5", "soon"])
def test_a_limit_that_is_none_is_refused_before_anything_is_sent(desk: Desk, minutes: str) -> None:
    action_id = desk.waits("deploy")
    assert desk.run("approve", action_id, "--valid-minutes", minutes).exit_code == Exit.USAGE
    assert desk.approvals[action_id]["state"] == "awaiting"
