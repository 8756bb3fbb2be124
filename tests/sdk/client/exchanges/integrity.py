"""Open loops and signals, written down by hand from the wire."""

from __future__ import annotations

from typing import Any

from tests.sdk.client import samples
from tests.sdk.client.case import Case

LOOP: dict[str, Any] = {
    "org_id": "org_1",
    "loop_id": "loop_1",
    "action_id": "act_0192",
    "agent_id": "agent-7",
    "agent_name": None,
    "declared_goal": "ship it",
    "action_type": "deploy",
    "loop_type": "dependency",
    "description": "the bank's answer",
    "status": "open",
    "priority": "medium",
    "owner": None,
    "resolution": None,
    "metadata": {},
    "source": "live",
    "created_at": samples.NOW,
    "updated_at": samples.NOW,
    "resolved_at": None,
    "resolved_by": None,
}
LOOPS = {
    "loops": [LOOP],
    "total": 1,
    "stats": {"open_count": 1, "resolved_count": 0, "cancelled_count": 0, "critical_open": 0, "high_open": 0},
    "lastUpdated": samples.NOW,
    "next_cursor": None,
}
SIGNALS = {
    "signals": [
        {
            "type": "autonomy_spike",
            "severity": "red",
            "label": "Agent 'bot' acted 22 times within an hour",
            "detail": "22 live actions.",
            "help": "Look.",
            "agent_id": "bot",
            "action_id": None,
            "loop_id": None,
            "assumption_id": None,
            "since": samples.NOW,
        }
    ],
    "counts": {"red": 1, "amber": 0, "total": 1},
    "not_shown": {"stale_loop": 3},
    "lastUpdated": samples.NOW,
}

CASES: list[Case] = [
    Case(
        "register_open_loop",
        "POST",
        "/api/actions/loops",
        {"action_id": "act_0192", "loop_type": "dependency", "description": "the bank's answer"},
        {"loop": LOOP, "loop_id": "loop_1"},
        ("act_0192", "dependency", "the bank's answer"),
        status=201,
    ),
    Case(
        "register_open_loop",
        "POST",
        "/api/actions/loops",
        {
            "action_id": "act_0192",
            "loop_type": "question",
            "description": "which account?",
            "priority": "high",
            "owner": "finance",
            "loop_id": "mine",
            "metadata": {"ticket": 7},
        },
        {"loop": LOOP, "loop_id": "loop_1"},
        ("act_0192", "question", "which account?"),
        {"priority": "high", "owner": "finance", "loop_id": "mine", "metadata": {"ticket": 7}},
        status=201,
        same=" with everything",
    ),
    Case(
        "resolve_open_loop",
        "PATCH",
        "/api/actions/loops/loop_1",
        {"status": "resolved", "resolution": "it came"},
        {"loop": LOOP},
        ("loop_1", "resolved", "it came"),
    ),
    Case(
        "resolve_open_loop",
        "PATCH",
        "/api/actions/loops/loop_1",
        {"status": "cancelled"},
        {"loop": LOOP},
        ("loop_1", "cancelled"),
        same=" as cancelled",
    ),
    Case(
        "get_open_loops",
        "GET",
        "/api/actions/loops?status=open&priority=high&limit=5",
        answer=LOOPS,
        kwargs={"status": "open", "priority": "high", "limit": 5},
    ),
    Case("get_signals", "GET", "/api/actions/signals", answer=SIGNALS),
    Case("get_signals", "GET", "/api/actions/signals?agent_id=bot", answer=SIGNALS, args=("bot",), same=" of one"),
    Case(
        "guard",
        "POST",
        "/api/guard?include_signals=true",
        {"agent_id": "agent-7", "action_type": "deploy"},
        samples.decision(),
        ({"action_type": "deploy"},),
        {"include_signals": True},
        same=" with signals",
        key="key-1",
    ),
]
