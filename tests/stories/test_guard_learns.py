"""An agent hears of its own outcomes with the next decision, and after the service was killed and started again."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.live import WAIT, LiveService, start_service

GOOD = {"status": "completed", "duration_ms": 30_000, "cost_estimate": 0.01}
"""50 + 30, risk of 20 or 25 4, reversible 5, a short time 6, a low cost 4: 99."""


def guard(service: LiveService) -> dict[str, Any]:
    status, body = service.call("POST", "/api/guard", {"action_type": "refund", "agent_id": "bot"})
    assert status == 200, body
    return body


def work(service: LiveService, outcome: dict[str, Any]) -> str:
    action_id = str(service.call("POST", "/api/actions", {"action_type": "refund", "agent_id": "bot"})[1]["action_id"])
    assert service.call("PATCH", f"/api/actions/{action_id}", outcome)[0] == 200
    return action_id


def until(service: LiveService, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """What guard says back, once it says what it should."""
    end = time.monotonic() + WAIT
    while True:
        found: dict[str, Any] = guard(service).get("learning") or {}
        if holds(found):
            return found
        assert time.monotonic() < end, found
        time.sleep(0.1)


def test_outcomes_come_back_with_the_next_decision(tmp_path: Path) -> None:
    with start_service(tmp_path) as service:
        assert "learning" not in guard(service)
        actions = [work(service, GOOD) for _ in range(6)]
        said = guard(service)["learning"]
        assert set(said) == {
            "recent_score_avg", "baseline_score_avg", "drift_status", "patterns", "feedback_summary",
        }  # fmt: skip
        assert (said["recent_score_avg"], said["baseline_score_avg"]) == (99.0, 99.0)
        assert said["drift_status"] == "insufficient_data"
        assert said["feedback_summary"] == {"positive": 0, "negative": 0}
        patterns = until(service, lambda found: bool(found["patterns"]))["patterns"]
        assert patterns[0].startswith("6 of 6 episodes of refund succeeded")
        service.call("POST", "/api/feedback", {"action_id": actions[0], "rating": 1})
        service.kill()
    with start_service(tmp_path) as service:
        found = until(service, lambda found: bool(found.get("patterns")))
        assert found == said | {"patterns": patterns, "feedback_summary": {"positive": 0, "negative": 1}}
        # Corrected: 50 - 35 + 4 + 5 + 6 + 4 in place of 99.
        assert service.call("PATCH", f"/api/actions/{actions[0]}", {"status": "failed"})[0] == 200
        average = round((5 * 99 + 34) / 6, 1)
        assert until(service, lambda found: found["recent_score_avg"] == average)["baseline_score_avg"] == average
