"""Whatever goes wrong, an enforcing hook stops the call and an observing one lets it run, by the host's own rule that
any exit code but 2 lets a call run; each through a shell, with the very command line that is installed."""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assent.contract.problems import PROBLEM_TYPE
from tests.sdk.hooks.host import GUARDED, Assistant, Ran
from tests.tiers import deep

ENFORCE, OBSERVE = "enforce", "observe"
CALL = json.dumps({"session_id": "s", "cwd": "/", "tool_name": "Bash", "tool_input": {"command": "ls"}})
Answering = Callable[[bytes | None], int]


@pytest.fixture
def answering() -> Iterator[Answering]:
    """A server that answers every connection with the same bytes, or never with None; gives its port."""
    listening: list[socket.socket] = []
    held: list[socket.socket] = []

    def start(answer: bytes | None) -> int:
        server = socket.create_server(("127.0.0.1", 0))
        listening.append(server)

        def serve() -> None:
            while True:
                try:
                    line, _ = server.accept()
                except OSError:
                    return
                held.append(line)
                if answer is not None:
                    line.recv(65536)
                    line.sendall(answer)
                    line.close()

        threading.Thread(target=serve, daemon=True).start()
        return int(server.getsockname()[1])

    yield start
    for each in (*listening, *held):
        each.close()


@pytest.fixture(params=[ENFORCE, OBSERVE])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def assistant_at(tmp_path: Path, base_url: str, mode: str, **members: object) -> Assistant:
    settings = {"base_url": base_url, "api_key": "oc_test", "mode": mode, **members}
    return Assistant(tmp_path / "work", settings)


def http(status: str, body: bytes, *headers: str) -> bytes:
    head = "\r\n".join([f"HTTP/1.1 {status}", f"content-length: {len(body)}", *headers])
    return head.encode() + b"\r\n\r\n" + body


def holds(ran: Ran, mode: str) -> None:
    """What the whole file is about."""
    if mode == ENFORCE:
        assert ran.code == 2, ran
        assert not ran.runs
        assert "Assent stopped this call: " in ran.err
        assert len(ran.err.strip().splitlines()) == 1
    else:
        assert ran.code == 0, ran
        assert ran.runs
    assert ran.out == ""


def test_nobody_listens(tmp_path: Path, mode: str) -> None:
    ran = assistant_at(tmp_path, "http://127.0.0.1:9", mode).run("pre-tool", CALL)
    holds(ran, mode)
    assert "is `assent serve` running?" in ran.err


GARBAGE = {
    "an error of its own": http("500 Internal Server Error", b'{"detail": "broken"}'),
    "not available": http("503 Service Unavailable", b'{"detail": "stopping"}'),
    "an unknown key": http("401 Unauthorized", b'{"detail": "no"}'),
    "a path that is not there": http("404 Not Found", b'{"code": "route_not_found"}'),
    "a body that is refused": http("400 Bad Request", b'{"code": "invalid_body", "detail": "metadata is too deep"}'),
    "too large a body": http("413 Content Too Large", b'{"detail": "too large"}'),
    "a conflict": http("409 Conflict", b'{"detail": "exists"}'),
    "too many": http("429 Too Many Requests", b'{"detail": "later"}'),
    "another site": http("200 OK", b"<html>hello</html>"),
    "nothing": http("200 OK", b""),
    "an empty object": http("200 OK", b"{}"),
    "a list": http("200 OK", b"[]"),
    "something else": http("200 OK", b'{"action": "yes", "decision": []}'),
    "somebody else's action": http(
        "201 Created", b'{"action": {"action_id": "act_1", "status": "running"}, "decision": {"decision": "allow"}}'
    ),
    "half an answer": b'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"a": 1',
    "a negative length": b"HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n{}",
    "no length at all": b"HTTP/1.1 200 OK\r\n\r\n{}",
    "bad chunks": b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}",
    "chunks that go back": b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n-1\r\n{}",
    "no HTTP": b"220 mail.example.com ESMTP\r\n",
    "nothing at all": b"",
    "a status that is no number": b"HTTP/1.1 yes OK\r\n\r\n{}",
    "deep JSON": http("200 OK", b"[" * 20_000),
    "a redirection": http("302 Found", b"{}", "location: http://127.0.0.1:9/"),
}


@pytest.mark.parametrize("answer", GARBAGE.values(), ids=GARBAGE.keys())
def test_what_answers_is_no_decision(tmp_path: Path, answering: Answering, answer: bytes, mode: str) -> None:
    holds(assistant_at(tmp_path, f"http://127.0.0.1:{answering(answer)}", mode).run("pre-tool", CALL), mode)


SAID = {
    "not JSON": b"no JSON",
    "nothing": b"",
    "a list": b"[]",
    "no tool": b"{}",
    "a tool that is no text": b'{"tool_name": 1}',
    "an input that is no object": b'{"tool_name": "Bash", "tool_input": "ls"}',
    "no text": b"\xff\xfe\x00",
    "deep JSON": b"[" * 100_000,
    "a deep input": b'{"tool_name": "Bash", "tool_input": {"a": ' + b"[" * 3000 + b"]" * 3000 + b"}}",
}


@pytest.mark.parametrize("text", SAID.values(), ids=SAID.keys())
def test_standard_input_is_malformed(tmp_path: Path, text: bytes, mode: str) -> None:
    holds(assistant_at(tmp_path, "http://127.0.0.1:9", mode).run("pre-tool", text), mode)


BAD_SETTINGS = (
    {"wait": "soon"},
    {"wait": 1e9},
    {"wait": float("nan")},
    {"approvals": "nobody"},
    {"allow": "maybe"},
    {"api_key": ""},
    {"api_key": "oc\r\nx: y"},
    {"api_key": None},
    {"base_url": "localhost"},
    {"base_url": "ftp://localhost"},
    {"base_url": "http://:80"},
    {"base_url": "http://a:b:c"},
    {"base_url": "http://127.0.0.1:99999"},
    {"state": "relative/folder"},
)


@pytest.mark.parametrize("members", BAD_SETTINGS, ids=str)
def test_settings_are_bad(tmp_path: Path, members: dict[str, object], mode: str) -> None:
    assistant = assistant_at(tmp_path, "http://127.0.0.1:9", mode)
    assistant.settings |= members
    holds(assistant.run("pre-tool", CALL), mode)


@pytest.mark.parametrize("raw", ["", "{", "[]", "null", '{"mode": "off"}', '{"mode": null}', '{"mode": "OBSERVE"}'])
def test_a_configuration_that_says_no_mode_is_enforced(tmp_path: Path, raw: str) -> None:
    assistant = assistant_at(tmp_path, "http://127.0.0.1:9", ENFORCE)
    assistant.raw = raw
    holds(assistant.run("pre-tool", CALL), ENFORCE)


def test_a_configuration_that_is_missing_is_enforced_unless_the_environment_observes(tmp_path: Path) -> None:
    assistant = assistant_at(tmp_path, "http://127.0.0.1:9", ENFORCE)
    line = assistant.line("pre-tool").replace("hook.json", "gone.json")
    holds(assistant.run("pre-tool", CALL, line=line), ENFORCE)
    holds(assistant.run("pre-tool", CALL, line=line.removesuffix(GUARDED), ASSENT_HOOK_MODE="observe"), OBSERVE)


@pytest.mark.parametrize("options", ["", "--host cursor", "--config", "--mode observe", "extra"])
def test_options_that_are_not_known(tmp_path: Path, options: str) -> None:
    assistant = assistant_at(tmp_path, "http://127.0.0.1:9", ENFORCE)
    event = "pre-tool" if options else "before-tool"
    holds(assistant.run("pre-tool", CALL, line=f"{shlex.quote(str(assistant.program))} {event} {options}"), ENFORCE)


def test_the_program_is_missing_or_cannot_be_run(tmp_path: Path, mode: str) -> None:
    broken = tmp_path / "assent-hook"
    for text, rights in ((None, 0), ("#!/nowhere/python\n", 0o755), ("x", 0o644), ("#!/bin/sh\nexit 1\n", 0o755)):
        if text is not None:
            broken.write_text(text)
            broken.chmod(rights)
        assistant = assistant_at(tmp_path, "http://127.0.0.1:9", mode)
        assistant.program = broken
        assert assistant.run("pre-tool", CALL).runs is (mode == OBSERVE)


def test_an_installation_that_is_broken_blocks_by_itself(tmp_path: Path) -> None:
    (tmp_path / "assent" / "hooks").mkdir(parents=True)
    (tmp_path / "assent" / "__init__.py").touch()
    good = Path(__file__).parents[3] / "sdk" / "assent" / "hooks" / "__init__.py"
    (tmp_path / "assent" / "hooks" / "__init__.py").write_text(good.read_text())
    (tmp_path / "assent" / "hooks" / "process.py").write_text("import nothing_of_that_name\n")
    code = "import sys; from assent.hooks import main; sys.exit(main())"
    ran = subprocess.run(
        [sys.executable, "-c", code, "pre-tool"], env={"PYTHONPATH": str(tmp_path)}, input=b"", check=False
    )
    assert ran.returncode == 2


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGKILL,
        signal.SIGTERM,
        *(
            pytest.param(each, marks=deep("two signals are in the quick tier"))
            for each in (signal.SIGINT, signal.SIGHUP, signal.SIGSEGV)
        ),
    ],
)
def test_killed_while_it_waits(tmp_path: Path, answering: Answering, mode: str, number: signal.Signals) -> None:
    assistant = assistant_at(tmp_path, f"http://127.0.0.1:{answering(None)}", mode)
    assistant.write()
    # One that observes waits for less than a second: it may have ended before it is killed.
    ends = (_killed_while_it_waits(assistant, number) for _ in range(50))
    code, said = next(end for end in ends if end is not None)
    assert "allow" not in said
    assert (code == 2) is (mode == ENFORCE), code


def _killed_while_it_waits(assistant: Assistant, number: signal.Signals) -> tuple[int, str] | None:
    """The code and what was said; None where it had ended by itself."""
    with subprocess.Popen(
        ["/bin/sh", "-c", f"echo $$; {assistant.line('pre-tool')}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=assistant.environment(),
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(CALL.encode())
        running.stdin.close()
        try:
            hook = _hook_of(running.pid, assistant)
            _wait_for_its_question(hook)
            os.kill(hook, number)
        except (FileNotFoundError, ProcessLookupError):
            return None
        finally:
            code = running.wait(60)
        return code, running.stdout.read().decode()


def _hook_of(shell: int, assistant: Assistant) -> int:
    """The process of the hook: the shell itself where it has turned into it, else its child."""
    program = str(assistant.program)
    for _ in range(200):
        children = Path(f"/proc/{shell}/task/{shell}/children").read_text().split()
        for each in (*map(int, children), shell):
            try:
                words = Path(f"/proc/{each}/cmdline").read_text().split("\0")
            except OSError:
                continue
            if program in words[:2] and words[0] != "/bin/sh":
                return each
        time.sleep(0.02)
    raise AssertionError("the hook did not start")


def _wait_for_its_question(hook: int) -> None:
    """Until it has read what the host said, and has a connection on which it asks the service."""
    for _ in range(500):
        held = Path(f"/proc/{hook}/fd").iterdir()
        if any(str(each.readlink()).startswith("socket:") for each in held if each.is_symlink()):
            time.sleep(0.1)
            return
        time.sleep(0.02)
    raise AssertionError("the hook did not ask")


@pytest.mark.parametrize("closed", [">&-", ">/dev/full", "2>&- >&-", "<&-", ">&- <&- 2>&-"])
def test_streams_are_closed_or_full(tmp_path: Path, answering: Answering, closed: str) -> None:
    # Blocked or not: an answer that nobody can read must not become a yes, with or without the shell's `|| exit 2`.
    denied = http("403 Forbidden", b'{"decision": {"decision": "block", "reasons": ["no"]}}')
    assistant = assistant_at(tmp_path, f"http://127.0.0.1:{answering(denied)}", ENFORCE)
    line = assistant.line("pre-tool")
    for each in (line.replace(GUARDED, f" {closed}{GUARDED}"), line.replace(GUARDED, f" {closed}")):
        assert assistant.run("pre-tool", CALL, line=each).code == 2


def test_a_reader_that_has_gone_is_no_yes(tmp_path: Path, answering: Answering) -> None:
    denied = http("403 Forbidden", b'{"decision": {"decision": "block", "reasons": ["no"]}}')
    assistant = assistant_at(tmp_path, f"http://127.0.0.1:{answering(denied)}", ENFORCE)
    line = assistant.line("pre-tool").removesuffix(GUARDED)
    code = tmp_path / "code"
    ran = assistant.run("pre-tool", CALL, line=f"{{ {line}; echo $? > {shlex.quote(str(code))}; }} | true; sleep 1")
    assert ran.out == ""
    assert code.read_text().strip() == "2"


def test_observing_an_answer_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    assistant = assistant_at(tmp_path, "http://127.0.0.1:9", OBSERVE)
    for closed in (">&-", "2>&- >&-", ">/dev/full 2>/dev/full"):
        assert assistant.run("pre-tool", CALL, line=f"{assistant.line('pre-tool')} {closed}").code == 0


def test_after_a_call_nothing_is_ever_stopped(tmp_path: Path, answering: Answering) -> None:
    for answer in (None, b"", http("500 x", b"{}"), http("200 OK", b"{}")):
        base_url = "http://127.0.0.1:9" if answer is None else f"http://127.0.0.1:{answering(answer)}"
        ran = assistant_at(tmp_path, base_url, ENFORCE).run("post-tool", CALL)
        assert ran.code == 0
    assert assistant_at(tmp_path, "http://127.0.0.1:9", ENFORCE).run("post-tool", "no JSON").code == 0


def test_an_outcome_that_something_in_between_answers_is_told_as_not_recorded(
    tmp_path: Path, answering: Answering
) -> None:
    def says(body: bytes) -> str:
        ran = assistant_at(tmp_path, f"http://127.0.0.1:{answering(http('404 Not Found', body))}", ENFORCE).run(
            "post-tool", CALL
        )
        assert ran.code == 0
        return ran.err + ran.out

    own = b'{"type": "%saction_not_found", "code": "action_not_found"}' % PROBLEM_TYPE.encode()
    assert says(own) == ""
    for foreign in (
        b"<html>no</html>",
        b'{"code": "action_not_found"}',
        b'{"type": "about:blank", "code": "no_route"}',
    ):
        assert "could not record this call" in says(foreign)


SHORT = (
    "import sys; sys.argv = ['assent-hook', 'pre-tool', '--config', {file!r}]; "
    "from assent.hooks.process import run; sys.exit(run(deadline={seconds}))"
)


def test_a_service_that_never_answers_runs_into_the_hooks_own_deadline(
    tmp_path: Path, answering: Answering, mode: str
) -> None:
    assistant = assistant_at(tmp_path, f"http://127.0.0.1:{answering(None)}", mode)
    code = SHORT.format(file=str(assistant.configuration), seconds=1.0)
    line = f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"
    began = time.monotonic()
    ran = assistant.run("pre-tool", CALL, line=line + (GUARDED if mode == ENFORCE else ""))
    holds(ran, mode)
    assert "out of time" in ran.err
    # Observing may take less than that: a third of a second.
    assert (0.8 if mode == ENFORCE else 0.25) < time.monotonic() - began < 30


@deep("processes that wait")
def test_a_host_that_never_closes_standard_input(tmp_path: Path) -> None:
    assistant = assistant_at(tmp_path, "http://127.0.0.1:9", ENFORCE)
    assistant.write()
    code = SHORT.format(file=str(assistant.configuration), seconds=1.0)
    running = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, env=assistant.environment()
    )
    try:
        assert running.wait(60) == 2
    finally:
        assert running.stdin is not None
        running.stdin.close()


@deep("processes that wait")
def test_a_process_that_hears_no_signal_is_ended_all_the_same(tmp_path: Path) -> None:
    # `getaddrinfo` of a name server that is silent: Python hears no signal before it returns.
    assistant = assistant_at(tmp_path, "http://127.0.0.1:9", ENFORCE)
    assistant.write()
    deaf = "import signal; signal.setitimer = lambda *_: None; import assent.hooks.service as s, time; "
    deaf += "s.connected = lambda *_: time.sleep(30); "
    code = deaf + SHORT.format(file=str(assistant.configuration), seconds=0.5)
    began = time.monotonic()
    ran = assistant.run("pre-tool", CALL, line=f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}")
    assert ran.code == 2
    assert time.monotonic() - began < 10


@deep("waits ten seconds")
def test_the_real_deadline_is_ten_seconds(tmp_path: Path, answering: Answering) -> None:
    assistant = assistant_at(tmp_path, f"http://127.0.0.1:{answering(None)}", ENFORCE)
    began = time.monotonic()
    holds(assistant.run("pre-tool", CALL), ENFORCE)
    assert 8.5 < time.monotonic() - began < 14
