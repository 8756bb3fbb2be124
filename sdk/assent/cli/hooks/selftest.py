"""Proof that the installed hook blocks: the very command line of the settings file is run as the host runs it, in a
shell, with a call that must not pass.

1. A call that a policy of the test's own blocks has to be denied with that policy's name: a hook that cannot reach the
   service stops everything, and proves nothing. The policy is there for the moment of the test alone, concerns nothing
   but the test's tool, and needs an admin key.
2. With a service that does not answer, and with input that is not JSON, the exit code has to be 2.
3. While observing, the same calls have to pass.
"""

from __future__ import annotations

import json
import os
import subprocess
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assent import Client

TOOL = "AssentSelfTest"
TIMEOUT_SECONDS = 30
NOBODY = "http://127.0.0.1:9"
"""The discard port, where nothing listens."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """`passed` is None for a check that could not be made; `detail` says why, or what came."""

    name: str
    passed: bool | None
    detail: str


def prove(command: str, agent_id: str, client: Client, *, enforce: bool, admin: bool) -> list[Check]:
    """Run the checks with the command of the event before a tool call."""
    checks = [
        _fails("unreachable service", command, enforce=enforce, environment={"ASSENT_BASE_URL": NOBODY}),
        _fails("input that is not JSON", command, enforce=enforce, text="no JSON"),
    ]
    if not admin:
        detail = "not made: only an admin key can add the policy for it; run `assent hooks test` with one"
        return [*checks, Check(name="blocked by a policy", passed=None, detail=detail)]
    with _blocking(client, agent_id) as policy:
        ran = _run(command, synthetic())
    verdict, reason, note = _said(ran.stdout)
    if enforce:
        passed = ran.returncode == 0 and verdict == "deny" and policy in reason
        return [*checks, Check(name="blocked by a policy", passed=passed, detail=_told(ran))]
    passed = ran.returncode == 0 and verdict is None and policy in note
    return [*checks, Check(name="noticed, and let through", passed=passed, detail=_told(ran))]


def synthetic() -> str:
    """A call of a tool that no host has."""
    return json.dumps(
        {
            "session_id": f"self-test-{uuid.uuid4().hex}",
            "cwd": str(os.getcwd()),  # noqa: PTH109  # as the host gives it
            "hook_event_name": "PreToolUse",
            "tool_name": TOOL,
            "tool_input": {},
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


def _fails(
    name: str, command: str, *, enforce: bool, environment: dict[str, str] | None = None, text: str | None = None
) -> Check:
    ran = _run(command, synthetic() if text is None else text, environment)
    wanted = 2 if enforce else 0
    return Check(name=name, passed=ran.returncode == wanted, detail=_told(ran))


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


def _said(line: str) -> tuple[str | None, str, str]:
    """Verdict, reason and note of a hook's answer; a verdict of None and empty texts where there are none."""
    try:
        said = json.loads(line)
        told = said.get("hookSpecificOutput") or {}
        return told.get("permissionDecision"), str(told.get("permissionDecisionReason")), str(said.get("systemMessage"))
    except (ValueError, AttributeError):
        return None, "", ""


def _told(ran: subprocess.CompletedProcess[str]) -> str:
    said = (ran.stdout.strip() or ran.stderr.strip()).splitlines()
    return f"exit code {ran.returncode}{': ' + said[0][:300] if said else ''}"
