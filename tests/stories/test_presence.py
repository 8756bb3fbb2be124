"""Who is there, as a running service records it by itself, and what it knows after a stop and after a crash."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from tests.live import WAIT, LiveService, start_service
from tests.tiers import deep

pytestmark = deep("many starts")


def listed(service: LiveService) -> list[dict[str, Any]]:
    status, answer = service.call("GET", "/api/agents")
    assert status == 200
    return list(answer["agents"])


def work(service: LiveService, agent_id: str) -> None:
    status, _ = service.call("POST", "/api/guard", {"action_type": "look", "agent_id": agent_id})
    assert status == 200


def test_a_stop_forgets_nobody(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with start_service(home) as service:
        work(service, "bot")
        service.call("POST", "/api/agents/heartbeat", {"agent_id": "beating", "status": "busy", "metadata": {"a": 1}})
        before = listed(service)
        service.stop()
    assert [(each["agent_id"], each["said"]) for each in before] == [("beating", "busy"), ("bot", None)]
    with start_service(home) as service:
        after = listed(service)
    moving = {"silent_seconds": None}
    assert [each | moving for each in after] == [each | moving for each in before]


def test_it_is_recorded_while_the_service_runs_so_that_a_crash_forgets_nobody(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "assent.toml").write_text("presence_write_seconds = 0.05\n")
    with start_service(home) as service:
        for number in range(20):
            work(service, f"bot-{number % 3}")
        deadline = time.monotonic() + WAIT
        while len(rows(service)) < 3:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        # Each of them once, however often it called.
        assert sorted(rows(service)) == ["bot-0", "bot-1", "bot-2"]
        service.kill()
    with start_service(home) as service:
        assert {each["agent_id"] for each in listed(service)} == {"bot-0", "bot-1", "bot-2"}


def rows(service: LiveService) -> list[str]:
    """The agents that events were recorded of, from the log itself."""
    lines = [line for log in (service.home / "log").glob("*.log") for line in log.read_bytes().splitlines()]
    seen = [line for line in lines if b'"type":"agent.heartbeat"' in line]
    return [line.split(b'"agent_id":"')[1].split(b'"')[0].decode() for line in seen]
