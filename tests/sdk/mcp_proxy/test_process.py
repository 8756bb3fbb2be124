"""`assent mcp proxy` as hosts start it: a process of its own, with the server as its child."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters, stdio_client
from typer.testing import CliRunner

from assent.cli.app import app
from assent.cli.failures import Exit
from tests.live import WAIT
from tests.sdk.mcp_proxy.host import SCRIPT, actions, tool
from tests.stories.tenant import Tenant
from tests.tiers import deep

ASSENT = str(Path(sys.executable).with_name("assent"))


class Started:
    """The proxy before the scripted server, and the folder of both."""

    def __init__(self, tenant: Tenant, folder: Path) -> None:
        self.folder = folder
        (folder / "pages.json").write_text(json.dumps([[tool("echo"), tool("wipe")]]))
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "ASSENT_BASE_URL": tenant.service.base_url,
            "ASSENT_API_KEY": tenant.keys["agent"],
            "ASSENT_AGENT_ID": "bot",
        }
        server = [sys.executable, SCRIPT, str(folder / "pages.json"), str(folder / "heard.jsonl")]
        self.arguments = ["mcp", "proxy", "--name", "scripted", "--", *server]
        self._errors = (folder / "stderr").open("wb+")
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [ASSENT, *self.arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, env=self.env
        )
        self.processes.append(process)
        return process

    @property
    def errors(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode()

    def end(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                assert pipe is not None
                pipe.close()
        self._errors.close()


@pytest.fixture
def started(tenant: Tenant, tmp_path: Path) -> Iterator[Started]:
    made = Started(tenant, tmp_path)
    yield made
    made.end()


def call(number: int, name: str) -> bytes:
    params = {"name": name, "arguments": {}}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode() + b"\n"


def status(tenant: Tenant, process: subprocess.Popen[bytes], wanted: str) -> None:
    """Wait for the one action to have it."""
    end = time.monotonic() + WAIT
    while [each["status"] for each in actions(tenant)] != [wanted]:
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.05)


async def test_a_host_sees_the_server_and_its_tools_are_governed(tenant: Tenant, started: Started) -> None:
    server = StdioServerParameters(command=ASSENT, args=started.arguments, env=started.env)
    async with Client(stdio_client(server), mode="legacy") as host:
        assert host.server_info is not None
        assert host.server_info.name == "scripted"
        assert [each.name for each in (await host.list_tools()).tools] == ["echo", "wipe"]
        allowed = await host.call_tool("echo", {"a": 1})
        assert allowed.content[0].text == '["echo", {"a": 1}]'  # type: ignore[union-attr]
        blocked = await host.call_tool("wipe", {})
        assert blocked.is_error
        assert "Nobody wipes" in blocked.content[0].text  # type: ignore[union-attr]
    done = {each["action_type"]: each for each in actions(tenant)}
    assert {name: each["status"] for name, each in done.items()} == {
        "mcp.scripted.echo": "completed",
        "mcp.scripted.wipe": "blocked",
    }
    # One connection is one session.
    (session,) = {each["session_id"] for each in done.values()}
    assert session.startswith("mcp-")
    pinned = json.loads((started.folder / ".local" / "state" / "assent" / "mcp" / "scripted.json").read_bytes())
    assert sorted(pinned["server"]["tools"]) == ["echo", "wipe"]


@deep("a process for each")
def test_what_was_asked_before_the_host_went_is_done(tenant: Tenant, started: Started) -> None:
    process = started.start()
    out, _ = process.communicate(call(1, "echo"), timeout=WAIT)
    assert json.loads(out)["id"] == 1
    assert (process.returncode, [each["status"] for each in actions(tenant)]) == (0, ["completed"])


@deep("a process for each")
def test_a_host_that_goes_with_its_answers_leaves_no_outcome_behind(tenant: Tenant, started: Started) -> None:
    process = started.start()
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"".join(call(number, "echo") for number in range(20)))
    process.stdin.flush()
    answers = [json.loads(process.stdout.readline())["id"] for _ in range(20)]
    process.stdin.close()
    assert (sorted(answers), process.wait(WAIT)) == (list(range(20)), 0)
    assert [each["status"] for each in actions(tenant)] == ["completed"] * 20


@deep("a process for each")
def test_a_proxy_that_is_killed_leaves_what_ran_as_running(tenant: Tenant, started: Started) -> None:
    process = started.start()
    assert process.stdin is not None
    process.stdin.write(call(1, "silent"))
    process.stdin.flush()
    status(tenant, process, "running")
    process.kill()
    process.wait(WAIT)
    assert [each["status"] for each in actions(tenant)] == ["running"]
    another = started.start()
    out, _ = another.communicate(call(1, "echo"), timeout=WAIT)
    assert json.loads(out)["id"] == 1
    assert [each["status"] for each in actions(tenant)] == ["completed", "running"]


@deep("a process for each")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_withdraws_what_waits(tenant: Tenant, started: Started, number: signal.Signals, code: int) -> None:
    process = started.start()
    assert process.stdin is not None
    process.stdin.write(call(1, "pay"))
    process.stdin.flush()
    status(tenant, process, "pending_approval")
    process.send_signal(number)
    assert process.wait(WAIT) == code
    assert [each["status"] for each in actions(tenant)] == ["cancelled"]


@deep("a process for each")
def test_it_ends_with_its_server(tenant: Tenant, started: Started) -> None:
    process = started.start()
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(call(1, "die"))
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["result"]["isError"] is True
    assert process.wait(WAIT) == 3
    assert [each["status"] for each in actions(tenant)] == ["failed"]


@deep("a process that writes until it is cut off")
def test_an_answer_without_an_end_is_an_error_to_the_host(tenant: Tenant, started: Started) -> None:
    process = started.start()
    assert process.stdin is not None
    assert process.stdout is not None
    other = {"jsonrpc": "2.0", "id": "list", "method": "resources/list", "params": {}}
    process.stdin.write(call(1, "endless"))
    process.stdin.flush()
    status(tenant, process, "running")
    process.stdin.write(json.dumps(other).encode() + b"\n")
    process.stdin.flush()
    answers = [json.loads(process.stdout.readline()) for _ in range(2)]
    by_id = {each["id"]: each for each in answers}
    assert "was not passed on: it has" in json.dumps(by_id[1])
    assert "the server has ended before it answered" in by_id["list"]["error"]["message"]
    process.wait(WAIT)
    assert [each["status"] for each in actions(tenant)] == ["failed"]


@deep("a process for each")
@pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])
async def test_both_generations_of_the_protocol(tenant: Tenant, started: Started, mode: str) -> None:
    """The server behind is our own, which is the official package's and speaks both."""
    inner = ["env", f"ASSENT_API_KEY={tenant.keys['agent']}", ASSENT, "mcp"]
    arguments = ["mcp", "proxy", "--name", "inner", "--", *inner]
    server = StdioServerParameters(command=ASSENT, args=arguments, env=started.env)
    async with Client(stdio_client(server), mode=mode) as host:
        assert "guard" in [each.name for each in (await host.list_tools()).tools]
        answer = await host.call_tool("guard", {"action_type": "look"})
        assert not answer.is_error
        assert answer.structured_content is not None
        assert answer.structured_content["may_act"] is True
    assert [each["action_type"] for each in actions(tenant)] == ["mcp.inner.guard"]


def refused(*arguments: str, **env: str | None) -> Any:
    """The command in this process; it does not come as far as serving."""
    nothing = dict.fromkeys(("ASSENT_API_KEY", "ASSENT_BASE_URL", "ASSENT_AGENT_ID"))
    return CliRunner().invoke(app, ["mcp", "proxy", *arguments], env=nothing | {"ASSENT_API_KEY": "assent_key"} | env)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "which server?"),
        (["--url", "http://127.0.0.1:1", "--", "a"], "which server?"),
        (["--url", "ftp://here"], "--url"),
        (["--mode", "observe", "--results", "hold", "--", "a"], "observe holds nothing"),
        (["--mode", "observe", "--changes", "hold", "--", "a"], "observe holds nothing"),
        (["--url", "http://127.0.0.1:1", "--header", "authorization"], "NAME=VARIABLE"),
        (["--url", "http://127.0.0.1:1", "--header", "a b=PATH"], "no header can carry"),
        (["--wait", "3601", "--", "a"], "--wait"),
    ],
)
def test_what_cannot_be_is_named(arguments: list[str], words: str) -> None:
    done = refused(*arguments)
    assert (done.exit_code, done.stdout) == (Exit.USAGE, "")
    assert words in done.stderr


def test_without_a_key_nothing_is_started() -> None:
    done = refused("--", "true", ASSENT_API_KEY=None)
    assert (done.exit_code, done.stdout) == (Exit.UNAUTHORIZED, "")
    assert "assent keys create" in done.stderr


@deep("a process for each")
@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["--name", "x", "--", "/no/such/server"], "cannot be started"),
        (["--", "npx", "-y"], "--name"),
        (["--name", "a__b", "--", "true"], "'a__b'"),
    ],
)
def test_a_server_that_cannot_be_started(started: Started, command: list[str], words: str) -> None:
    started.arguments = ["mcp", "proxy", *command]
    process = started.start()
    assert (process.wait(WAIT), process.communicate()[0]) == (Exit.USAGE, b"")
    assert words in started.errors
