"""An observing hook costs a call little, whatever the service does, and tells what it did not see."""

from __future__ import annotations

import shlex
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.live import ADMIN_KEY, start_service
from tests.sdk.hooks.host import Assistant, Ran

ROOM = 1.0
"""Seconds that a busy machine may add."""


PATIENT = "import assent.breaker as b, assent.hooks as h, sys; b.OBSERVE_SECONDS = 20.0; sys.exit(h.main())"
"""The hook, for a service that is there: on a busy machine it does not answer within a third of a second."""


class BlackHole:
    """Accepts and never answers. `held` has the seconds for which each caller stayed."""

    def __init__(self, server: socket.socket) -> None:
        self.server, self.port = server, int(server.getsockname()[1])
        self.held: list[float] = []

    def accept(self) -> None:
        with suppress(OSError):  # it is closed
            while True:
                caller, _ = self.server.accept()
                began = time.monotonic()
                with caller:
                    while caller.recv(65_536):
                        pass
                self.held.append(time.monotonic() - began)

    def settle(self) -> None:
        """Who has come has left, a moment ago; nobody has come who had no time left when it began."""
        deadline = time.monotonic() + 2.0
        while not self.held and time.monotonic() < deadline:
            time.sleep(0.01)


@pytest.fixture
def black_hole() -> Iterator[BlackHole]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        hole = BlackHole(server)
        thread = threading.Thread(target=hole.accept)
        thread.start()
        yield hole
        server.shutdown(socket.SHUT_RDWR)
    thread.join()


def observer(folder: Path, port: int, **members: object) -> Assistant:
    settings = {"base_url": f"http://127.0.0.1:{port}", "api_key": ADMIN_KEY, "agent_id": "claude-code"}
    made = Assistant(folder / "work", settings | {"mode": "observe"} | members)
    made.write()
    return made


def timed(assistant: Assistant, event: str = "pre-tool", **more: Any) -> tuple[float, Ran]:
    began = time.monotonic()
    ran = assistant.run(event, assistant.call("Bash", {"command": "ls"}, **more))
    return time.monotonic() - began, ran


def patient(assistant: Assistant, **more: Any) -> Ran:
    program = f"{shlex.quote(sys.executable)} -c {shlex.quote(PATIENT)}"
    line = assistant.line("pre-tool").replace(shlex.quote(str(assistant.program)), program)
    return assistant.run("pre-tool", assistant.call("Bash", {"command": "ls"}, **more), line=line)


def test_a_service_that_never_answers_costs_a_third_of_a_second_once(tmp_path: Path, black_hole: BlackHole) -> None:
    assistant = observer(tmp_path, black_hole.port)
    _, ran = timed(assistant)
    assert (ran.runs, ran.code) == (True, 0)
    assert "could not record" in ran.err
    # What starting a process takes on a busy machine is no cost of the service: what counts is how long somebody stays.
    black_hole.settle()
    assert all(seconds < 0.3 + ROOM for seconds in black_hole.held)
    later = [timed(assistant) for _ in range(3)]
    assert all((each.runs, each.err, each.out) == (True, "", "") for _, each in later)
    after = [timed(assistant, "post-tool", tool_response={"stdout": "x"}) for _ in range(3)]
    assert min(seconds for seconds, _ in after) - min(seconds for seconds, _ in later) < ROOM
    assert len(black_hole.held) <= 1, "nobody else asked"


def test_who_enforces_is_stopped_whatever_the_breaker_says(tmp_path: Path, black_hole: BlackHole) -> None:
    timed(observer(tmp_path, black_hole.port))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        assistant = observer(tmp_path, free.getsockname()[1])
    timed(assistant)
    assistant.settings["mode"] = "enforce"
    assistant.write()
    _, ran = timed(assistant)
    assert (ran.runs, ran.code) == (False, 2)


def test_what_was_not_observed_is_told_by_the_next_call_that_is(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assistant = observer(tmp_path, port)
    for _ in range(3):
        assert timed(assistant)[1].runs
    with start_service(tmp_path / "home", port=port) as service:
        service.call("GET", "/api/actions?limit=1")
        (state,) = (tmp_path / "work" / "state").rglob("*.open")
        state.write_text(f"1 {time.time() + 30:.3f}")
        assert timed(assistant)[1].out == "", "it is left alone for a while"
        state.write_text(f"1 {time.time() - 1:.3f}")
        ran = patient(assistant)
        assert "4 calls from" in ran.said.get("systemMessage", ""), ran
        status, found = service.call("GET", "/api/actions?limit=10")
        assert status == 200
        (action,) = found["actions"]
        assert action["metadata"]["unobserved_calls"]["count"] == 4
        patient(assistant, tool_use_id="call-2")
        _, found = service.call("GET", "/api/actions?limit=10")
        assert ["unobserved_calls" in each["metadata"] for each in found["actions"]] == [False, True]
        assert list((tmp_path / "work" / "state").rglob("*.open")) == []
