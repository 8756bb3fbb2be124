"""The service is killed while agents ask, act and report: each question is one decision, each outcome is recorded once,
and nobody has to do anything about it."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assent import Client
from assent.spool import Survey
from tests.live import ADMIN_KEY, WAIT, start_service
from tests.stories.evidence import read_log
from tests.tiers import deep

pytestmark = deep("test_kill has one in the quick tier")

AGENTS = 6
AGENT = """
import sys
from assent import Client, OutcomeSpooled

base_url, api_key, *action_ids = sys.argv[1:]
client = Client(base_url, api_key, "bot", retry_seconds=0)
for action_id in action_ids:
    for said in ({"tokens_in": 1}, {"status": "completed"}):
        try:
            client.update_outcome(action_id, **said)
        except OutcomeSpooled:
            continue
        raise AssertionError("nobody is there to take it")
"""


class Worker:
    """Asks, acts and reports, until it is told to stop. `asked` are the sessions of its questions and the decisions
    that it was given, `ended` the actions whose outcome was acknowledged."""

    def __init__(self, base_url: str, number: int, stop: threading.Event) -> None:
        self.client = Client(base_url, ADMIN_KEY, f"bot-{number}", say=lambda _: None)
        self.number, self.stop = number, stop
        self.asked: list[tuple[str, str]] = []
        self.ended: list[str] = []

    def work(self) -> None:
        while not self.stop.is_set():
            session = f"s-{self.number}-{len(self.asked)}"
            result = self.client.guard({"action_type": "look", "session_id": session})
            self.asked.append((session, result.decision_id))
            made = self.client.create_action("look", session_id=session)
            self.client.update_outcome(made.action_id, "completed", output_summary=session)
            self.ended.append(made.action_id)


def test_two_seconds_without_the_service_cost_nothing(tmp_path: Path) -> None:
    service = start_service(tmp_path / "home")
    stop = threading.Event()
    workers = [Worker(service.base_url, number, stop) for number in range(AGENTS)]
    with ThreadPoolExecutor(AGENTS) as threads:
        running = [threads.submit(worker.work) for worker in workers]
        try:
            _until(lambda: all(len(worker.ended) >= 5 for worker in workers))
            service.kill()
            before = [len(worker.asked) for worker in workers]
            time.sleep(2)
            service = start_service(tmp_path / "home", port=service.port)
            _until(lambda: all(len(w.asked) > n + 2 for w, n in zip(workers, before, strict=True)))
        finally:
            stop.set()
            failures = [error for each in running if (error := each.exception(WAIT)) is not None]
            service.stop()
            for worker in workers:
                worker.client.close()
    assert failures == []
    log = read_log(tmp_path / "home")
    # A creation asks guard too, under the decision of its own.
    of_actions = {event.data["decision_id"] for event in log if event.type == "action.created"}
    decisions = Counter(
        (str(event.data["session_id"]), event.subject)
        for event in log
        if event.type == "guard.decision.created" and event.subject not in of_actions
    )
    assert decisions == Counter(asked for worker in workers for asked in worker.asked)
    outcomes = Counter(event.subject for event in log if event.type == "action.updated")
    assert outcomes == Counter(action_id for worker in workers for action_id in worker.ended)


def test_what_processes_could_not_report_the_next_one_delivers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSENT_SPOOL", str(tmp_path / "spool"))
    with start_service(tmp_path / "home") as service:
        with Client(service.base_url, ADMIN_KEY, "bot", say=lambda _: None) as client:
            made = [client.create_action("look").action_id for _ in range(12)]
        service.kill()
        sharing = [made[number::4] for number in range(4)]
        processes = [
            subprocess.Popen([sys.executable, "-c", AGENT, service.base_url, ADMIN_KEY, *each]) for each in sharing
        ]
        assert [process.wait(WAIT) for process in processes] == [0] * 4
    assert len(Survey(tmp_path / "spool").waiting) == 24
    with (
        start_service(tmp_path / "home", port=service.port) as service,
        Client(service.base_url, ADMIN_KEY, "bot", say=lambda _: None) as fresh,
    ):
        fresh.get_halt()
        assert Survey(tmp_path / "spool").waiting == []
        assert all(fresh.get_action(action_id).action.status == "completed" for action_id in made)
    updates = [event for event in read_log(tmp_path / "home") if event.type == "action.updated"]
    assert Counter(event.subject for event in updates) == dict.fromkeys(made, 2)
    for action_id in made:
        told = [event.data["status"] for event in updates if event.subject == action_id]
        assert told == ["running", "completed"], "in the order in which they were said"


def _until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT
    while not true():
        assert time.monotonic() < deadline, "it does not come to an end"
        time.sleep(0.02)
