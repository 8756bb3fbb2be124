"""An agent in a process of its own that waits for an approval.

    python -m tests.stories.waiting_agent ACTION_ID INTERVAL [--awaited]

Address and key come from the environment, as an agent's do. It prints what it says while it waits, and then one line
of JSON: how the wait ended.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from assent import Action, ApprovalDeniedError, ApprovalError, AsyncClient, Client
from tests.live import ROOT, WAIT

MODULE = "tests.stories.waiting_agent"
NEVER = 600.0
"""Seconds between two polls, so many that only the stream can end the wait."""


class WaitingAgent:
    """The process, seen from the test."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        assert process.stdout is not None
        self.said = process.stdout.readline()

    def ended(self) -> dict[str, Any]:
        """How the wait ended; waits for it."""
        output, _ = self._process.communicate(timeout=WAIT)
        found: dict[str, Any] = json.loads(output.splitlines()[-1])
        return found

    def interrupt(self) -> int:
        """Press Ctrl-C; the code that the process ends with."""
        self._process.send_signal(signal.SIGINT)
        self._process.communicate(timeout=WAIT)
        return self._process.returncode

    @property
    def waits(self) -> bool:
        return self._process.poll() is None


@contextmanager
def waiting_agent(
    base_url: str, key: str, action_id: str, *, awaited: bool = False, interval: float = NEVER
) -> Iterator[WaitingAgent]:
    """Start one and wait until it has said that it waits. `interval` is in seconds."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ASSENT_")}
    environment |= {"ASSENT_BASE_URL": base_url, "ASSENT_API_KEY": key}
    command = [sys.executable, "-m", MODULE, action_id, str(interval), *(["--awaited"] if awaited else [])]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield WaitingAgent(process)
        finally:
            if process.poll() is None:
                process.kill()


def _wait(action_id: str, interval: float) -> Action:
    with Client(say=_say) as client:
        return client.wait_for_approval(action_id, timeout=WAIT, interval=interval)


async def _await(action_id: str, interval: float) -> Action:
    async with AsyncClient(say=_say) as client:
        return await client.wait_for_approval(action_id, timeout=WAIT, interval=interval)


def _say(text: str) -> None:
    print(text, flush=True)


def _end(action_id: str, interval: float, awaited: bool) -> dict[str, Any]:
    try:
        action = asyncio.run(_await(action_id, interval)) if awaited else _wait(action_id, interval)
    except ApprovalDeniedError as error:
        return {"error": type(error).__name__, "decision": error.decision, "reasoning": error.reasoning}
    except ApprovalError as error:
        return {"error": type(error).__name__, "action_id": error.action_id}
    return {"status": action.status.value, "approved_by": action.approved_by}


if __name__ == "__main__":
    # Whoever was begun in the background of a shell would ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print(json.dumps(_end(sys.argv[1], float(sys.argv[2]), "--awaited" in sys.argv)), flush=True)
