"""The inbox and `assent watch` as an operator has them: in a real terminal, with a real service behind them."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from assent import Client
from assent.cli.inbox.triage import REPEATED
from tests.live import LiveService, start_service
from tests.sdk.cli.inbox.terminal import TMUX, WAIT, Terminal, terminal
from tests.tiers import deep

if TMUX is None:
    if os.environ.get("ASSENT_REQUIRE_TERMINAL"):
        raise RuntimeError("ASSENT_REQUIRE_TERMINAL is set, and there is no tmux")
    pytest.skip("there is no tmux; apt-get install tmux", allow_module_level=True)

ASSENT = str(Path(sys.executable).with_name("assent"))


def ask(service: LiveService, goal: str) -> str:
    """An agent asks by itself for an operator; the action's id."""
    with Client(service.base_url, service.admin_key) as client:
        made = client.create_action(
            "release", goal, agent_id="ship-bot", systems_touched=["ci"], status="pending_approval", reversible=False
        )
        assert made.action.status == "pending_approval", made.action.status
        return made.action_id


def decide(service: LiveService, action_id: str, decision: str, reasoning: str) -> None:
    with Client(service.base_url, service.admin_key) as client:
        client.approve_action(action_id, decision, reasoning)


@pytest.fixture
def opened(live_service: LiveService, tmp_path: Path) -> Iterator[Terminal]:
    environment = {"ASSENT_BASE_URL": live_service.base_url, "ASSENT_API_KEY": live_service.admin_key}
    with terminal(tmp_path, [ASSENT, "approvals"], environment) as window:
        yield window


def test_an_operator_denies_with_a_reason(live_service: LiveService, opened: Terminal) -> None:
    action_id = ask(live_service, "Release the new checkout")
    opened.shows("Approvals: 1 waiting")
    opened.shows("> ")
    opened.shows("CANNOT BE UNDONE")
    opened.shows(f"{live_service.base_url}/replay/{action_id}")
    opened.shows("Before")
    opened.shows_no_more("reading…")
    opened.opens("d", "DENY this action?")
    opened.sends("Say why.")
    opened.write("No plan to take it back")
    opened.press("Enter")
    opened.write("ask again.")
    with Client(live_service.base_url, live_service.admin_key) as client:
        assert client.get_action(action_id).action.status == "pending_approval", "Enter has decided"
        opened.press("C-s")
        opened.shows_no_more("DENY this action?")
        opened.shows("u takes the last one back")
        opened.shows("denied by")
        approval = client.get_action(action_id).approval
    assert approval is not None
    assert (approval.state, approval.reasoning) == ("denied", "No plan to take it back\nask again.")
    opened.shows("Nothing waits")
    opened.press("q")
    opened.shows("ended with 0")


@deep("a terminal of its own; one story is in the quick tier")
def test_what_somebody_else_decides_leaves_while_one_looks(live_service: LiveService, opened: Terminal) -> None:
    first, second = ask(live_service, "Release one"), ask(live_service, "Release two")
    opened.shows("Approvals: 2 waiting")
    opened.shows(f"/replay/{second}")
    decide(live_service, second, "deny", "Not on a Friday")
    opened.shows("Approvals: 1 waiting")
    opened.shows("Not on a Friday")
    opened.shows("Ended denied by")
    opened.press("j")
    opened.shows(f"/replay/{first}")
    opened.shows_no_more("reading…")
    opened.opens("A", "ALLOW this action?")
    decide(live_service, first, "deny", "Quicker than you")
    opened.shows("Already decided: denied by")
    opened.shows("Quicker than you")
    opened.press("Escape")
    opened.shows_no_more("ALLOW this action?")  # a key right behind an Escape is another key
    opened.shows("Approvals: 0 waiting")
    opened.shows("Ended denied by")
    opened.press("j")
    opened.shows("Nothing waits")


@deep("a terminal of its own; one story is in the quick tier")
def test_it_follows_the_size_of_the_terminal(live_service: LiveService, opened: Terminal) -> None:
    for number in range(12):
        ask(live_service, f"Release part {number} of the reworked checkout to every region")
    opened.shows("Approvals: 12 waiting")
    for columns, lines in ((80, 24), (60, 15)):
        opened.resize(columns, lines)
        for text in ("CANNOT BE UNDONE", "Stopped", "RISK", "a allow d deny", "12 waiting"):
            opened.shows(text)
        assert len(opened.screen.splitlines()) <= lines
        opened.press("G")
        opened.until(lambda words: "> " in words, "the cursor is seen")
        opened.shows_no_more("reading…")
        opened.opens("d", "DENY this action?")
        for text in ("Reason", "Deny (Ctrl+S)", "Leave (Esc)"):
            opened.shows(text)
        opened.press("Escape")
        opened.shows_no_more("DENY this action?")
    opened.resize(150, 40)
    opened.shows("WAITS")


@deep("a terminal of its own; one story is in the quick tier")
def test_at_24_lines_nothing_is_allowed_before_its_arguments_were_seen_to_their_end(
    live_service: LiveService, opened: Terminal
) -> None:
    opened.resize(80, 24)
    with Client(live_service.base_url, live_service.admin_key) as client:
        client.create_policy("Ask about payments", "require_approval", {"action_types": ["pay"]})
        given = {f"argument{number}": f"value {number}" for number in range(40)}
        made = client.create_action("pay", "Pay " * 30, agent_id="pay-bot", parameters=given)
        assert made.action.status == "pending_approval"
    opened.shows("Stopped")
    opened.shows("argument0: value 0")
    opened.shows_no_more("reading…")
    for _ in range(2):
        opened.press("a")
        opened.shows("to their end; J shows the rest")
        time.sleep(2 * REPEATED)
    assert state_of(live_service, made.action_id) == "awaiting"
    while "argument39: value 39" not in opened.words:
        shown = arguments_in(opened.words)
        opened.press("J")
        # What flashes by was not seen: each page is drawn before the next key.
        opened.until(partial(shows_others, shown), "the next arguments are shown")
        time.sleep(2 * REPEATED)
    opened.opens("a", "allow “Pay Pay")
    opened.shows("allowed by")
    assert state_of(live_service, made.action_id) == "approved"
    opened.press("q")
    opened.shows("ended with 0")


def arguments_in(words: str) -> set[str]:
    return set(re.findall(r"argument\d+", words))


def shows_others(shown: set[str], words: str) -> bool:
    return arguments_in(words) != shown


@deep("a terminal of its own; one story is in the quick tier")
def test_a_form_that_is_sent_in_the_same_write_is_refused(live_service: LiveService, opened: Terminal) -> None:
    action_id = ask(live_service, "Release the new checkout")
    opened.shows(f"/replay/{action_id}")
    opened.shows_no_more("reading…")
    time.sleep(2 * REPEATED)
    opened.press("A", "C-s")
    opened.shows("the form was not on the screen yet")
    assert state_of(live_service, action_id) == "awaiting"
    opened.sends("allowed by")
    assert state_of(live_service, action_id) == "approved"


@deep("a terminal of its own; one story is in the quick tier")
def test_a_service_that_was_killed_is_waited_for(live_service: LiveService, opened: Terminal) -> None:
    ask(live_service, "Release before")
    opened.shows("Release before")
    live_service.kill()
    opened.shows("! The service does not answer since")
    assert "Release before" in opened.words
    opened.press("a")
    opened.shows("Nothing can be decided while")
    with start_service(live_service.home, port=live_service.port) as again:
        opened.shows_no_more("! The service does not answer")
        ask(again, "Release afterwards")
        opened.shows("Approvals: 2 waiting")
        opened.shows("Release afterwards")
        opened.press("C-c")
        opened.shows("ended with 130")


@deep("a terminal of its own; one story is in the quick tier")
def test_what_is_decided_can_be_taken_back_and_leaving_sends_the_rest(
    live_service: LiveService, tmp_path: Path
) -> None:
    first, second = ask(live_service, "Release one"), ask(live_service, "Release two")
    with held_long(live_service, tmp_path) as window:
        window.shows("Approvals: 2 waiting")
        window.shows(f"/replay/{second}")
        window.shows_no_more("reading…")
        window.opens("a", "allow “Release two” in")
        window.shows(f"/replay/{first}")
        window.shows_no_more("reading…")
        time.sleep(2 * REPEATED)  # sooner it would be a key that is held down
        window.opens("a", "allow “Release one” in")
        window.press("u")
        window.shows("“Release one” waits again.")
        window.shows_no_more("allow “Release one” in")
        assert (state_of(live_service, first), state_of(live_service, second)) == ("awaiting", "awaiting")
        window.press("q")
        window.shows("Sending 1 decision…")
        window.shows("“Release two”: allowed by")
        window.shows("ended with 0")
    assert (state_of(live_service, first), state_of(live_service, second)) == ("awaiting", "approved")


@deep("a terminal of its own; one story is in the quick tier")
@pytest.mark.parametrize(
    ("end", "opens", "state"),
    [
        ("the window is closed", "", "approved"),
        ("the window is closed", "?", "approved"),
        ("TERM", "", "approved"),
        ("TERM", "?", "approved"),
        ("KILL", "", "awaiting"),
    ],
)
def test_a_terminal_that_closes_sends_what_was_decided_and_a_kill_sends_nothing(
    live_service: LiveService, tmp_path: Path, end: str, opens: str, state: str
) -> None:
    action_id = ask(live_service, "Release it")
    with held_long(live_service, tmp_path) as window:
        window.shows(f"/replay/{action_id}")
        window.shows_no_more("reading…")
        window.opens("a", "allow “Release it” in")
        if opens:
            window.opens(opens, "These lines.")
        process = process_of(window)
        if end == "the window is closed":
            window.run("kill-session", "-t", "inbox")
        else:
            os.kill(process, getattr(signal, f"SIG{end}"))
        deadline = time.monotonic() + WAIT
        while Path(f"/proc/{process}").exists():
            assert time.monotonic() < deadline, "it does not end"
            time.sleep(0.05)
    assert state_of(live_service, action_id) == state


@deep("a terminal of its own; one story is in the quick tier")
def test_a_terminal_that_takes_nothing_any_more_keeps_no_decision_back(live_service: LiveService) -> None:
    action_id = ask(live_service, "Release it")
    ours, theirs = pty.openpty()
    environment = {"ASSENT_BASE_URL": live_service.base_url, "ASSENT_API_KEY": live_service.admin_key, "TERM": "xterm"}
    process = subprocess.Popen(
        [ASSENT, "approvals"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, **environment, "ASSENT_UNDO_SECONDS": "60"},
        start_new_session=True,
    )
    with process:
        try:
            resized(theirs, 100)
            reads(ours, b"/replay/")
            time.sleep(4 * REPEATED)
            os.write(ours, b"a")
            reads(ours, b"Release it", b"u takes")
            for number in range(300):  # nobody reads what is drawn anew
                resized(theirs, 90 + number % 20)
                process.send_signal(signal.SIGWINCH)
                time.sleep(0.01)
            process.terminate()
            assert process.wait(WAIT) == 128 + signal.SIGTERM
        finally:
            process.kill()
    assert state_of(live_service, action_id) == "approved"


def resized(terminal: int, columns: int) -> None:
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("4H", 40, columns, 0, 0))


def reads(terminal: int, *texts: bytes) -> None:
    """Until all of these were drawn."""
    drawn, deadline = b"", time.monotonic() + WAIT
    while not all(text in drawn for text in texts):
        assert time.monotonic() < deadline, drawn[-2000:]
        if select.select([terminal], [], [], 0.2)[0]:
            drawn += os.read(terminal, 65536)


@contextmanager
def held_long(service: LiveService, folder: Path) -> Iterator[Terminal]:
    """The inbox, which holds what is decided for a minute."""
    environment = {"ASSENT_BASE_URL": service.base_url, "ASSENT_API_KEY": service.admin_key}
    with terminal(folder, [ASSENT, "approvals"], environment | {"ASSENT_UNDO_SECONDS": "60"}) as window:
        yield window


def process_of(window: Terminal) -> int:
    """The inbox itself: the child of the shell in the window."""
    shell = window.run("display-message", "-p", "-t", "inbox", "#{pane_pid}").strip()
    (child,) = Path(f"/proc/{shell}/task/{shell}/children").read_text(encoding="utf-8").split()
    return int(child)


def state_of(service: LiveService, action_id: str) -> str:
    with Client(service.base_url, service.admin_key) as client:
        approval = client.get_action(action_id).approval
    assert approval is not None
    return str(approval.state)


@deep("a terminal of its own; one story is in the quick tier")
def test_watching_goes_on_after_the_service_was_away(live_service: LiveService, tmp_path: Path) -> None:
    environment = {"ASSENT_BASE_URL": live_service.base_url, "ASSENT_API_KEY": live_service.admin_key}
    with terminal(tmp_path, [ASSENT, "watch", "--types", "action.created"], environment, (140, 30)) as window:
        window.shows("Following")
        first = ask(live_service, "Before it went")
        window.shows(first)
        live_service.kill()
        window.shows("The service does not answer since")
        with start_service(live_service.home, port=live_service.port) as again:
            second = ask(again, "After it came back")
            window.shows("The service answers again")
            window.shows(second)
            assert window.screen.count(first) == 1, "no event twice"
            window.press("C-c")
            window.shows("ended with 130")
