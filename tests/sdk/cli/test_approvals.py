"""An operator's commands: deciding, losing a race, and the inbox."""

import builtins
from collections.abc import Iterator
from datetime import timedelta

import pytest

from assent.cli.connection import Connection
from assent.cli.exits import Exit
from assent.cli.inbox import Decide, Quit, Refresh, Waiting, list_lines, parse_command
from assent.cli.output import Output
from assent.cli.session import Session
from assent.cli.waiting import find_waiting, sit
from assent.contract.approvals import Verdict
from tests.sdk.cli.desk import Desk
from tests.sdk.data.fake_service import NOW, URL


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def session(desk: Desk) -> Iterator[Session]:
    with desk.client() as client:
        connection = Connection(base_url=URL, api_key="k")
        yield Session(client=client, output=Output(json=False), connection=connection)


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


def test_an_expired_approval_has_its_own_code(desk: Desk) -> None:
    action_id = desk.waits("deploy")
    desk.approvals[action_id]["state"] = "expired"
    assert desk.run("approve", action_id).exit_code == Exit.DENIED


def test_in_a_pipe_everything_that_waits_is_listed_oldest_first(desk: Desk) -> None:
    ids = [desk.waits("deploy", f"goal {number}\tx") for number in range(130)]
    for number, action_id in enumerate(ids):
        desk.actions[action_id]["created_at"] = NOW + timedelta(seconds=number)
    lines = desk.run("approvals").stdout.splitlines()
    assert lines[0].split("\t") == [
        "action_id", "type", "agent", "goal", "risk", "why", "requested_at", "expires_at"
    ]  # fmt: skip
    assert [line.split("\t")[0] for line in lines[1:]] == ids
    assert lines[1].split("\t")[1:] == [
        "deploy", "agent-1", "goal 0 x", "10", "policy says require_approval",
        "2026-05-01T09:00:00Z", "2026-05-02T09:00:00Z",
    ]  # fmt: skip


def test_the_inbox_shows_what_matters_on_one_line(desk: Desk, session: Session) -> None:
    desk.waits("deploy", "g" * 80)
    waiting = find_waiting(session)
    assert list_lines(waiting, NOW + timedelta(hours=1), 200) == [
        f"  1  deploy | agent-1 | {'g' * 59}… | risk 10 | policy says require_approval | expires in 23h"
    ]
    by_itself = Waiting(action=waiting[0].action, approval=None)
    assert list_lines([by_itself], NOW, 200)[0].endswith("the agent asked for it | no expiry")
    (narrow,) = list_lines(waiting, NOW, 135)
    assert len(narrow) == 135
    assert narrow.endswith("| policy says require_a… | expires in 1d")


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("a 2 looks right", Decide(number=2, verdict=Verdict.ALLOW, reasoning="looks right")),
        ("d 1", Decide(number=1, verdict=Verdict.DENY, reasoning=None)),
        (" D3  no ", Decide(number=3, verdict=Verdict.DENY, reasoning="no")),
    ],
)
def test_a_line_decides(line: str, command: Decide) -> None:
    assert parse_command(line, 3) == command


def test_other_lines() -> None:
    assert isinstance(parse_command("r", 0), Refresh)
    assert isinstance(parse_command("", 0), Refresh)
    assert isinstance(parse_command(" Q ", 0), Quit)
    for line in ("a", "a 0", "a 4", "d -1", "x 1", "approve 1", "a 1x", "a 99999999"):
        with pytest.raises(ValueError, match=r"is no command|there is no number"):
            parse_command(line, 3)


def test_sitting_at_the_inbox(
    desk: Desk, session: Session, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, third = (desk.waits("deploy", f"goal {number}") for number in range(3))
    for number, action_id in enumerate((first, second, third)):
        desk.actions[action_id]["created_at"] = NOW + timedelta(seconds=number)

    def lines() -> Iterator[str]:
        yield "what?"
        yield "a 2 fine"
        yield "a 2"
        desk.settle(third, "allow", "bob")
        yield "d 3 no"
        yield "r"
        yield "d 1 never"
        yield "q"

    typed = lines()
    monkeypatch.setattr(builtins, "input", lambda _: next(typed))
    sit(session, watch=False)
    out = capsys.readouterr().out
    assert "'what?' is no command" in out
    assert f"Approved: {second} by operator-key" in out
    assert f"Error: {second} was approved already, by operator-key" in out
    assert f"Error: {third} was approved already, by bob" in out
    assert out.count("goal 1") == 1  # gone when the list was read again
    assert desk.approvals[first] | {"state": "denied", "reasoning": "never"} == desk.approvals[first]
    assert next(typed, None) is None


def test_the_end_of_input_leaves_the_inbox(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(_: str) -> str:
        raise EOFError

    monkeypatch.setattr(builtins, "input", ended)
    sit(session, watch=False)


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
