"""`assent start` and `assent dashboard` as people run them: processes, ports, a data folder, Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from assent import Client
from tests.live import ROOT, WAIT
from tests.stories.evidence import Recorded, read_log
from tests.tiers import deep

COMMAND = [sys.executable, "-c", "from assent.cli import main; main()"]
PROGRESS = re.compile(r"^\w+ \d+/\d+ \(\d+%\).*\n", re.MULTILINE)
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("ASSENT_")}


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The command in a process group of its own, as at a terminal; nothing of it is left behind."""
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=ROOT,
        env=ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def document(process: subprocess.Popen[str]) -> dict[str, Any]:
    """The one document of a command with --json."""
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        lines.append(line)
        if line.rstrip() == "}" or (line.startswith("{") and line.rstrip().endswith("}")):
            break
    found: dict[str, Any] = json.loads("".join(lines))
    return found


def interrupt(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Ctrl-C, which reaches every process at the terminal; the exit code and what was said to standard error, but for
    how far long work is, which a slow machine hears."""
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=WAIT)
    return process.returncode, PROGRESS.sub("", said)


def gone(address: str) -> bool:
    """Whether nobody listens there any more, soon."""
    deadline = time.monotonic() + WAIT
    host, port = address.removeprefix("http://").split(":")
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex((host, int(port))) != 0:
                return True
        time.sleep(0.05)
    return False


def written(home: Path) -> list[Recorded]:
    """What the log holds, but for drift alerts: those follow when the service has time, in this run or the next."""
    return [event for event in read_log(home) if event.type != "drift.alert"]


def start(home: Path, *more: str) -> list[str]:
    return ["start", "--home", str(home), "--port", "0", "--dashboard-port", "0", "--json", *more]


@deep("the first tutorial starts it in the quick tier")
def test_a_first_start_gives_a_workspace_to_look_at_and_a_second_one_changes_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with started(*start(home)) as process:
        first = document(process)
        with Client(base_url=first["base_url"], api_key=first["admin_key"]) as client:
            actions = client.get_actions(limit=1, days=31)
            waiting = client.get_pending_approvals()
            assert (actions.total, actions.actions[0].source) == (2000, "simulated")
            assert 0 < waiting.total == first["simulated"]["waiting"]
            (made,) = [key for key in client.get_keys().keys if key.agent_id == "sample-agent"]
            assert made.hint == first["agent_key"][-4:]
        entry = httpx.get(first["dashboard"], headers={"accept": "text/html"}, follow_redirects=True, trust_env=False)
        assert "Sign in" in entry.text
        replay = httpx.get(f"{first['base_url']}/replay/act_1", trust_env=False)
        assert replay.headers["location"] == f"{first['dashboard']}/ledger?action_id=act_1"
        code, said = interrupt(process)
    assert (code, said) == (0, ""), said
    assert gone(first["base_url"])
    assert gone(first["dashboard"])

    before = written(home)
    assert len(before) > 2000
    with started(*start(home)) as process:
        second = document(process)
        with Client(base_url=second["base_url"], api_key=first["admin_key"]) as client:
            assert client.get_actions(limit=1, days=31).total == 2000
        assert interrupt(process)[0] == 0
    assert not {"admin_key", "agent_key", "simulated"} & second.keys()
    assert written(home) == before


@deep("processes as people start them; the first start is in the quick tier")
def test_the_dashboard_ends_with_the_service_whatever_ends_it(tmp_path: Path) -> None:
    with started(*start(tmp_path / "home", "--empty")) as process:
        said = document(process)
        process.kill()
        process.wait(WAIT)
        assert gone(said["dashboard"])


@deep("processes as people start them; the first start is in the quick tier")
def test_an_empty_start_has_no_history(tmp_path: Path) -> None:
    with started(*start(tmp_path / "home", "--empty")) as process:
        said = document(process)
        assert "simulated" not in said
        with Client(base_url=said["base_url"], api_key=said["admin_key"]) as client:
            assert client.get_actions().total == 0
        interrupt(process)


@deep("processes as people start them; the first start is in the quick tier")
def test_whoever_waits_is_told_what_is_done(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with started(*(word for word in start(home, "--empty") if word != "--json")) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        assert next(process.stderr) == f"Starting the service on {home}, and the dashboard\n"
        listens = next(process.stdout)
        assert listens.startswith("Assent listens on http://127.0.0.1:")
        address = listens.split()[3].rstrip(",;.")
        assert any(
            line == f"Commands and clients ask here with: export ASSENT_BASE_URL={address}\n" for line in process.stdout
        )
        interrupt(process)


@deep("processes as people start them; the first start is in the quick tier")
@pytest.mark.parametrize(("option", "other"), [("--port", "--dashboard-port"), ("--dashboard-port", "--port")])
def test_a_taken_port_is_told_before_anything_is_made(option: str, other: str, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        arguments = ["start", "--home", str(tmp_path / "home"), option, port, other, "0"]
        ran = subprocess.run([*COMMAND, *arguments], env=ENVIRONMENT, capture_output=True, text=True, timeout=WAIT)
    assert ran.returncode == 2
    assert f"cannot listen on 127.0.0.1:{port}" in ran.stderr
    assert option in ran.stderr
    assert not (tmp_path / "home").exists()


@deep("processes as people start them; the first start is in the quick tier")
def test_the_dashboard_alone_says_where_it_is_and_which_service_it_is_for(tmp_path: Path) -> None:
    arguments = ["dashboard", "--base-url", "http://127.0.0.1:9", "--port", "0", "--json"]
    with started(*arguments) as process:
        said = document(process)
        assert said["base_url"] == "http://127.0.0.1:9"
        page = httpx.post(
            f"{said['dashboard']}/sign-in", data={"key": "assent_any"}, headers={"accept": "text/html"}, trust_env=False
        )
        assert page.status_code == 503
        assert "does not answer" in page.text
        code, errors = interrupt(process)
    assert (code, errors) == (0, ""), errors
