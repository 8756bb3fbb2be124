"""One table of stories, two agents that go through them: one in Python, one in Node.

A story asks its agent for something by a name of VOCABULARY, with JSON, and looks at the JSON that comes back. What the
agent's client raises comes back as `Raised`, by the error's name.
"""

from __future__ import annotations

import json
import subprocess
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from assent import AssentError, Client, governed
from assent.contract.evidence.wallet import Jwks
from assent.proof.verify import verify
from tests import node

PROGRAM = Path(__file__).with_name("agent.mjs")
LANGUAGES = ("python", "node")
VOCABULARY = (
    *("guard", "create_action", "get_action", "record_assumption", "update_outcome", "wait_for_approval"),
    *("claim_action", "track", "governed", "events", "verify", "message", "heartbeat"),
)
PATIENCE = 60.0


class Raised(Exception):
    """`name` is the class of what was raised, `members` what it carries: code, status, details, reasons, reasoning."""

    def __init__(self, name: str, members: dict[str, Any]) -> None:
        super().__init__(f"{name}: {members}")
        self.name, self.members = name, members


class Agent(ABC):
    """Asks one thing after another. `said` is what its client printed."""

    said: list[str]

    @abstractmethod
    def do(self, name: str, *given: Any) -> Any:
        """Raises Raised."""

    def begin(self, name: str, *given: Any) -> Future[Any]:
        """The same, while the test goes on."""
        assert name in VOCABULARY
        pool = ThreadPoolExecutor(1)
        future = pool.submit(self.do, name, *given)
        pool.shutdown(wait=False)
        return future


class PythonAgent(Agent):
    def __init__(self, base_url: str, key: str) -> None:
        self.said = []
        self._client = Client(base_url, key, "bot", say=self.said.append, spool="off")

    def do(self, name: str, *given: Any) -> Any:
        try:
            return _plain(getattr(self, f"_{name}")(*given))
        except AssentError as error:
            members = {
                "code": getattr(error, "code", None),
                "status": getattr(error, "status", None),
                "details": [each.place for each in getattr(error, "errors", ())],
                "reasons": getattr(error, "reasons", None),
                "reasoning": getattr(error, "reasoning", None),
            }
            raise Raised(type(error).__name__, members) from error
        except ZeroDivisionError as error:
            raise Raised("WorkError", {}) from error

    def close(self) -> None:
        self._client.close()

    def _guard(self, context: dict[str, Any]) -> Any:
        return self._client.guard(context)

    def _create_action(self, action: dict[str, Any]) -> Any:
        return self._client.create_action(**action)

    def _get_action(self, action_id: str) -> Any:
        return self._client.get_action(action_id)

    def _record_assumption(self, assumption: dict[str, Any]) -> Any:
        return self._client.record_assumption(assumption)

    def _update_outcome(self, action_id: str, outcome: dict[str, Any]) -> Any:
        return self._client.update_outcome(action_id, outcome)

    def _wait_for_approval(self, action_id: str, seconds: float) -> Any:
        return self._client.wait_for_approval(action_id, timeout=seconds)

    def _claim_action(self, action_id: str, act: dict[str, Any]) -> Any:
        return self._client.claim_action(action_id, **act)

    def _track(self, action: dict[str, Any], failing: bool) -> Any:
        with self._client.track(**action) as tracked:
            tracked.record_assumption("It can be done")
            return 1 // 0 if failing else tracked.action_id

    def _governed(self, name: str, argument: Any) -> Any:
        ran: list[Any] = []

        def work(value: Any) -> Any:
            ran.append(value)
            return {"ran": ran}

        return governed(name, client=self._client)(work)(argument)

    def _events(self, after: int, count: int) -> Any:
        found = []
        for event in self._client.events(last_event_id=after):
            found.append({"id": event.id, "event": event.event})
            if len(found) == count:
                return found
        raise AssertionError("the stream ended")

    def _verify(self, bundle: dict[str, Any], keys: dict[str, Any] | None) -> Any:
        return verify(bundle, keys=None if keys is None else msgspec.convert(keys, Jwks))

    def _message(self, text: str) -> Any:
        self._client.send_message({"from_agent_id": "ops", "to": "bot", "type": "info", "body": text})
        return self._client.get_inbox(unread=True)

    def _heartbeat(self) -> Any:
        return self._client.heartbeat("busy", {"queue": 3})


class NodeAgent(Agent):
    """Over a process that `agent.mjs` is."""

    def __init__(self, process: subprocess.Popen[str], base_url: str, key: str) -> None:
        self.said = []
        self._process = process
        self._one_at_a_time = threading.Lock()
        self._ask({"become": {"baseUrl": base_url, "apiKey": key, "agentId": "bot"}})

    def do(self, name: str, *given: Any) -> Any:
        answer = self._ask({"name": name, "given": given})
        self.said += answer["said"]
        if "raised" in answer:
            raise Raised(answer["raised"].pop("name"), answer["raised"])
        return answer["result"]

    def any(self, name: str, *given: Any) -> Any:
        """A method of the client by its name, of the first generation too."""
        return self.do("any", name, *given)

    def _ask(self, said: dict[str, Any]) -> dict[str, Any]:
        with self._one_at_a_time:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.write(json.dumps(said) + "\n")
            self._process.stdin.flush()
            watch = threading.Timer(PATIENCE, self._process.kill)
            watch.start()
            line = self._process.stdout.readline()
            watch.cancel()
        assert line, "the agent in Node has ended, or did not come back and was killed"
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextmanager
def node_process(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """The agent in Node, in a folder that has the package."""
    program = folder / PROGRAM.name
    program.write_text(PROGRAM.read_text(encoding="utf-8"), encoding="utf-8")
    process = subprocess.Popen(
        [*node.runtime(), program.name], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def _plain(value: Any) -> Any:
    return json.loads(msgspec.json.encode(value))
