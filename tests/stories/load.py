"""Agents and an operator at work on a running service, who write down exactly what they were told.

Each of the connections is a thread with its own HTTP connection. It asks guard, creates actions under ids and
idempotency keys of its own making, reports outcomes and decides approvals, until it is stopped or the service is gone.
What it was told goes into `Heard`; a request that got no whole answer is doubtful: it may have been recorded or not,
but not twice.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from typing import Any

from tests.live import WAIT, LiveService

CONNECTIONS = 16
POLICIES: tuple[dict[str, Any], ...] = (
    {"name": "ask", "policy_type": "require_approval", "rules": {"action_types": ["refund"]}},
    {"name": "never", "policy_type": "block_action_type", "rules": {"action_types": ["drop_table"]}},
    {
        "name": "often",
        "policy_type": "rate_limit",
        "rules": {"max_actions": 40, "window_minutes": 60, "action": "warn"},
    },
)
KINDS = ("lookup", "lookup", "lookup", "refund", "drop_table")


@dataclass
class Heard:
    """What was acknowledged: ids of decisions and actions, `(action id, revision)` of outcomes, action ids of decided
    approvals. `refused` are sessions of guard calls and action ids that were answered with 503, `codes` counts such
    answers, `doubtful` are the bodies of creations that were not answered, `unexpected` what should not happen."""

    decisions: list[str] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    outcomes: list[tuple[str, int]] = field(default_factory=list)
    approvals: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    doubtful: list[dict[str, Any]] = field(default_factory=list)
    codes: dict[str, int] = field(default_factory=dict)
    unexpected: list[str] = field(default_factory=list)

    @property
    def acknowledged(self) -> int:
        return len(self.decisions) + len(self.actions) + len(self.outcomes) + len(self.approvals)

    def add(self, other: Heard) -> None:
        for name in ("decisions", "actions", "outcomes", "approvals", "refused", "doubtful", "unexpected"):
            getattr(self, name).extend(getattr(other, name))
        for code, number in other.codes.items():
            self.codes[code] = self.codes.get(code, 0) + number


def set_policies(service: LiveService) -> None:
    for policy in POLICIES:
        status, answer = service.call("POST", "/api/policies", policy)
        assert status in {200, 201}, answer


class Load:
    """Starts at once; `stop` ends it in good order, `join` waits for the service's end to end it."""

    def __init__(self, service: LiveService, name: str, connections: int = CONNECTIONS, padding: int = 0) -> None:
        self._stopping = threading.Event()
        self._workers = [_Worker(service, f"{name}-{n}", self._stopping, padding) for n in range(connections)]
        self._threads = [
            threading.Thread(target=worker.run, name=f"load-{n}") for n, worker in enumerate(self._workers)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def heard(self) -> Heard:
        everything = Heard()
        for worker in self._workers:
            everything.add(worker.heard)
        return everything

    def work(self, seconds: float) -> Heard:
        """So many seconds from when all of it has happened once, and an end in good order."""
        deadline = time.monotonic() + WAIT
        while not (heard := self.heard).decisions or not heard.actions or not heard.outcomes or not heard.approvals:
            assert time.monotonic() < deadline, "the service has not done one of each"
            time.sleep(0.01)
        time.sleep(seconds)
        return self.stop()

    def stop(self) -> Heard:
        self._stopping.set()
        return self.join()

    def join(self) -> Heard:
        for thread in self._threads:
            thread.join(2 * WAIT)
            assert not thread.is_alive(), f"{thread.name} hangs"
        return self.heard


class _Worker:
    def __init__(self, service: LiveService, name: str, stopping: threading.Event, padding: int) -> None:
        self._service, self._name, self._stopping = service, name, stopping
        self._padding = "".join(random.Random(name).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=padding))
        self._chance = random.Random(name)
        self._number = 0
        self._running: list[str] = []
        self._waiting: list[str] = []
        self._connection = HTTPConnection("127.0.0.1", service.port, timeout=WAIT)
        self.heard = Heard()

    def run(self) -> None:
        """One request after the other; the first that gets no whole answer is the last."""
        try:
            while not self._stopping.is_set():
                self._number += 1
                self._next()()
        except (OSError, HTTPException, ValueError):
            return
        finally:
            self._connection.close()

    def _next(self) -> Callable[[], None]:
        dice = self._chance.random()
        if dice < 0.25 and self._running:
            return self._report
        if dice < 0.35 and self._waiting:
            return self._approve
        return self._guard if dice < 0.6 else self._create

    def _guard(self) -> None:
        session = f"ses_{self._name}-{self._number}"
        status, answer = self._send("POST", "/api/guard", self._context() | {"session_id": session})
        if status == 200:
            self.heard.decisions.append(answer["decision_id"])
        else:
            self._not_done(status, answer, session)

    def _create(self) -> None:
        action_id = f"act_{self._name}-{self._number}"
        body = self._context() | {"action_id": action_id, "idempotency_key": f"key-{action_id}", "metadata": {"é": "✓"}}
        self.heard.doubtful.append(body)
        status, answer = self._send("POST", "/api/actions", body)
        self.heard.doubtful.pop()
        if status not in {201, 202, 403}:
            self._not_done(status, answer, action_id)
            return
        action = answer["action"]
        self.heard.actions.append(action["action_id"])
        self.heard.decisions.append(action["decision_id"])
        {201: self._running, 202: self._waiting, 403: []}[status].append(action_id)

    def _report(self) -> None:
        action_id = self._running.pop()
        report = {"status": self._chance.choice(["completed", "failed"]), "output_summary": f"Done by {self._name}."}
        status, answer = self._send("PATCH", f"/api/actions/{action_id}", report)
        if status == 200:
            self.heard.outcomes.append((action_id, answer["action"]["revision"]))
        else:
            self._running.append(action_id)
            self._not_done(status, answer, "")

    def _approve(self) -> None:
        action_id = self._waiting.pop()
        verdict = {"decision": self._chance.choice(["allow", "deny"]), "reasoning": "Looked at it."}
        status, answer = self._send("POST", f"/api/actions/{action_id}/approve", verdict)
        if status == 200:
            self.heard.approvals.append(action_id)
        else:
            self._waiting.append(action_id)
            self._not_done(status, answer, "")

    def _context(self) -> dict[str, Any]:
        kind = self._chance.choice(KINDS)
        context = {
            "action_type": kind,
            "agent_id": self._name,
            "declared_goal": f"Goal {self._number}",
            "risk_score": 30,
        }
        # So many bytes that nothing compresses away, for tests that want to fill a disk.
        cut = self._chance.randrange(len(self._padding) + 1)
        return context | ({"padding": self._padding[cut:] + self._padding[:cut]} if self._padding else {})

    def _not_done(self, status: int, answer: dict[str, Any], name: str) -> None:
        code = str(answer.get("code"))
        self.heard.codes[code] = self.heard.codes.get(code, 0) + 1
        if status != 503:
            self.heard.unexpected.append(f"{status}: {answer.get('detail')}")
        elif name:
            self.heard.refused.append(name)

    def _send(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        headers = {"x-api-key": self._service.admin_key, "content-type": "application/json"}
        self._connection.request(method, path, json.dumps(body), headers)
        response = self._connection.getresponse()
        answer: dict[str, Any] = json.loads(response.read())
        return response.status, answer
