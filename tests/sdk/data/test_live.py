"""A transcript replayed live: what waits, what is refused, what goes on."""

import json
from pathlib import Path

import pytest

from assent.data.live import LiveSummary, replay_live
from assent.data.records import Origin
from assent.data.transcripts import read_episodes
from tests.sdk.data.fake_service import FakeService
from tests.sdk.data.test_history import EPISODES, verdict


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "demo.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in EPISODES), encoding="utf-8")
    return path


def replay(service: FakeService, file: Path, said: list[str], timeout: float = 5.0) -> LiveSummary:
    calls = [call for episode in read_episodes(file) for call in episode.calls]
    origin = Origin(dataset="demo", source_file=file.name, agent_id="demo-agent")
    with service.client() as client:
        return replay_live(client, calls, origin, {}, said.append, timeout)


def test_approved_calls_run_and_denied_and_blocked_ones_leave_nothing_more(file: Path) -> None:
    service = FakeService(verdict)
    answers = iter(["deny", "allow"])
    service.on_wait = lambda action_id: service.settle(action_id, next(answers), "ann", "not today")
    said: list[str] = []
    summary = replay(service, file, said)
    assert summary.calls == 5
    assert summary.verdicts == {"allow": 1, "warn": 1, "require_approval": 2, "block": 1}
    assert summary.endings == {
        "completed": 3, "failed": 0, "unanswered": 0, "blocked": 1, "denied": 1, "undecided": 0
    }  # fmt: skip
    states = {action["session_id"] + action["metadata"]["tool"]: action for action in service.actions.values()}
    assert states["demo:1/0cancel"]["status"] == "blocked"
    assert states["demo:2/0book"]["status"] == "cancelled"
    assert states["demo:3/0book"]["status"] == "completed"
    assert all(action["source"] == "live" for action in service.actions.values())
    denied = states["demo:2/0book"]["action_id"]
    assert denied not in {item["action_id"] for item in service.assumptions.values()}
    text = "\n".join(said)
    assert f"waits for approval of {denied}: policy says require_approval" in text
    assert "denied (not today)" in text
    assert "blocked (policy says block)" in text


def test_nobody_deciding_is_said_and_the_replay_goes_on(file: Path) -> None:
    service = FakeService(verdict)
    summary = replay(service, file, [], timeout=0.0)
    assert (summary.calls, summary.endings["undecided"]) == (5, 2)
    waiting = [action for action in service.actions.values() if action["status"] == "pending_approval"]
    assert len(waiting) == 2


def test_a_second_replay_makes_new_actions(file: Path) -> None:
    service = FakeService()
    replay(service, file, [])
    replay(service, file, [])
    assert len(service.actions) == 10
