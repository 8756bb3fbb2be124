"""Proof that the installed hook blocks: the very command line of the settings file is run as the host runs it, in a
shell, with calls whose answers are known.

1. A call that a policy of the test's own blocks has to be denied with that policy's name: a hook that cannot reach the
   service stops everything, and proves nothing. The policy is there for the moment of the test alone, concerns nothing
   but the test's tool, and needs an admin key.
2. With a service that does not answer, and with input that is not JSON, the exit code has to be 2.
3. While observing, the same calls have to pass.
4. Of calls that are let through the host may hear nothing, so that its own rules and questions go on; where the
   installation says otherwise, only the harmless one may be told to go ahead. What lets everything through here is a
   service of the test's own, which records nothing: no policy is in the way, and nobody reads of an `rm -rf /`.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assent.contract.control.guard import Decision
from assent.hooks.call import read
from assent.hooks.pre_tool import described
from assent.hooks.settings import Settings

if TYPE_CHECKING:
    from assent import Client

TOOL = "AssentSelfTest"
TIMEOUT_SECONDS = 30
NOBODY = "http://127.0.0.1:9"
"""The discard port, where nothing listens."""
HARMLESS, DESTRUCTIVE = "ls", "rm -rf /"
"""Two commands that are only ever told of; the hook gives them risk 5 and 95."""


@dataclass(frozen=True, kw_only=True)
class HookCheck:
    """`passed` is None for a check that could not be made; `detail` says why, or what came."""

    name: str
    passed: bool | None
    detail: str


def prove(command: str, agent_id: str, client: Client, *, enforce: bool, says: bool, admin: bool) -> list[HookCheck]:
    """Run the checks with the command of the event before a tool call. `says`: the host may be told to go ahead."""
    with _letting_through() as place:
        checks = [
            _leaves("a harmless call that is let through", command, HARMLESS, place, "allow" if says else None),
            _leaves("a destructive call that is let through", command, DESTRUCTIVE, place, None),
        ]
    checks += [
        _fails("unreachable service", command, enforce=enforce, environment={"ASSENT_BASE_URL": NOBODY}),
        _fails("input that is not JSON", command, enforce=enforce, text="no JSON"),
    ]
    if not admin:
        detail = "not made: only an admin key can add the policy for it; run `assent hooks test` with one"
        return [*checks, HookCheck(name="blocked by a policy", passed=None, detail=detail)]
    with _blocking(client, agent_id) as policy:
        ran = _run(command, synthetic())
    verdict, reason, note = _answer(ran.stdout)
    if enforce:
        passed = ran.returncode == 0 and verdict == "deny" and policy in reason
        return [*checks, HookCheck(name="blocked by a policy", passed=passed, detail=_output(ran))]
    passed = ran.returncode == 0 and verdict is None and policy in note
    return [*checks, HookCheck(name="noticed, and let through", passed=passed, detail=_output(ran))]


def is_destruction_stopped(client: Client, agent_id: str) -> bool:
    """Whether the organization's policies would block or hold `DESTRUCTIVE` as the hook would describe it. Nothing is
    recorded."""
    settings = Settings()
    settings.agent_id = agent_id
    action = described(read(synthetic("Bash", {"command": DESTRUCTIVE}).encode()), settings, str(Path.home()))
    result = client.test_policies({name: value for name, value in action.items() if name != "action_id"}).result
    return result is not None and result.decision in (Decision.BLOCK, Decision.REQUIRE_APPROVAL)


def synthetic(tool: str = TOOL, given: dict[str, Any] | None = None) -> str:
    """A call as a host tells of it; without an argument of a tool that no host has."""
    return json.dumps(
        {
            "session_id": f"self-test-{uuid.uuid4().hex}",
            "cwd": str(os.getcwd()),  # noqa: PTH109  # as the host gives it
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": given or {},
            "tool_use_id": uuid.uuid4().hex,
        }
    )


@contextmanager
def _blocking(client: Client, agent_id: str) -> Generator[str]:
    """A policy that blocks the call; its name, which no other has."""
    mine = [
        {"field": "action_type", "op": "eq", "value": "tool"},
        {"field": "metadata.tool", "op": "eq", "value": TOOL},
    ]
    rules = {"when": {"all": mine}, "action": "block"}
    name = f"Self-test {uuid.uuid4().hex[:8]} of the hooks of {agent_id}"[:120]
    made = client.create_policy(name, "condition", rules)
    try:
        yield name
    finally:
        client.delete_policy(made.policy.policy_id)


class _LetsThrough(BaseHTTPRequestHandler):
    """Guard as it would answer if no policy stood in the way, at a risk that by itself is no reason to ask."""

    def do_POST(self) -> None:
        said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        decision = {
            "decision": "allow",
            "decision_id": f"gd_{uuid.uuid4().hex}",
            "reasons": [],
            "warnings": [],
            "risk_score": 0.0,
            "risk_breakdown": {},
            "destructive": False,
        }
        action = {"action_id": said.get("action_id"), "status": "running"}
        body = decision if self.path.startswith("/api/guard") else {"action": action, "decision": decision}
        text = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("X-Request-Id", self.headers.get("X-Request-Id", ""))
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: its requests are the test's own."""


@contextmanager
def _letting_through() -> Generator[str]:
    """The address of a service on this machine that lets everything through and records nothing."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _LetsThrough)
    serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    serving.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        serving.join()


def _leaves(name: str, command: str, line: str, place: str, wanted: str | None) -> HookCheck:
    """Whether the host hears `wanted`, where None leaves the call to its own rules."""
    ran = _run(command, synthetic("Bash", {"command": line}), {"ASSENT_BASE_URL": place})
    verdict, _, _ = _answer(ran.stdout)
    return HookCheck(name=name, passed=ran.returncode == 0 and verdict == wanted, detail=_output(ran))


def _fails(
    name: str, command: str, *, enforce: bool, environment: dict[str, str] | None = None, text: str | None = None
) -> HookCheck:
    ran = _run(command, synthetic() if text is None else text, environment)
    wanted = 2 if enforce else 0
    return HookCheck(name=name, passed=ran.returncode == wanted, detail=_output(ran))


def _run(command: str, text: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(  # noqa: S602  # hosts run it in a shell, and what they run is what is tested
            command,
            shell=True,
            input=text,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_SECONDS,
            env=_environment() | (environment or {}),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, -1, "", f"no answer within {TIMEOUT_SECONDS} s")


def _environment() -> dict[str, str]:
    """Without what is meant for the `assent` that runs: an admin's key is not the one that the hook has to use."""
    return {name: value for name, value in os.environ.items() if not name.startswith("ASSENT_")}


def _answer(line: str) -> tuple[str | None, str, str]:
    """Verdict, reason and note of a hook's answer; a verdict of None and empty texts where there are none."""
    try:
        said = json.loads(line)
        told = said.get("hookSpecificOutput") or {}
        return told.get("permissionDecision"), str(told.get("permissionDecisionReason")), str(said.get("systemMessage"))
    except (ValueError, AttributeError):
        return None, "", ""


def _output(ran: subprocess.CompletedProcess[str]) -> str:
    said = (ran.stdout.strip() or ran.stderr.strip()).splitlines()
    return f"exit code {ran.returncode}{': ' + said[0][:300] if said else ''}"
