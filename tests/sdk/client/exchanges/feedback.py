"""What the operations of feedback send and are answered."""

from __future__ import annotations

from typing import Any

from tests.sdk.client.case import Case
from tests.sdk.client.samples import NOW

FEEDBACK: dict[str, Any] = {
    "id": "fb_1",
    "org_id": "org_1",
    "feedback_id": "fb_1",
    "action_id": "act_1",
    "agent_id": "bot",
    "action_type": "deploy",
    "rating": 5,
    "comment": "fast",
    "sentiment": "positive",
    "category": "general",
    "tags": ["performance"],
    "metadata": {},
    "source": "sdk",
    "resolved": False,
    "resolved_at": None,
    "resolved_by": None,
    "resolved_by_key": None,
    "created_by": "key_1",
    "created_at": NOW,
    "updated_at": NOW,
    "deleted_at": None,
}
STATS: dict[str, Any] = {
    "overall": {
        "total_feedback": 1,
        "rated_count": 1,
        "avg_rating": 5,
        "positive_count": 1,
        "negative_count": 0,
        "neutral_count": 0,
        "unresolved_count": 1,
        "today_count": 1,
    },
    "by_category": [{"category": "general", "count": 1, "avg_rating": None}],
    "by_agent": [{"agent_id": "bot", "count": 1, "avg_rating": 5, "positive": 1, "negative": 0}],
    "rating_distribution": [{"rating": 5, "count": 1}],
    "top_tags": [{"tag": "performance", "count": 1}],
}
EXCHANGES = {"rating": 5, "comment": "fast", "action_id": "act_1", "source": "sdk"}

CASES: list[Case] = [
    Case("submit_feedback", "POST", "/api/feedback", EXCHANGES, FEEDBACK, (5, "fast", "act_1"), status=201),
    Case(
        "submit_feedback",
        "POST",
        "/api/feedback",
        {
            "rating": 4.5,
            "comment": "fast",
            "action_id": "act_1",
            "agent_id": "other",
            "category": "speed",
            "tags": ["a"],
            "metadata": {"b": 1},
            "source": "user",
        },
        FEEDBACK,
        (4.5, "fast", "act_1", "other", "speed", ["a"], {"b": 1}),
        {"source": "user"},
        status=201,
        same=" with all of it, in the published order",
    ),
    Case(
        "submit_feedback",
        "POST",
        "/api/feedback",
        EXCHANGES | {"tags": ["x"]},
        FEEDBACK,
        ({"action_id": "act_1", "rating": 5, "comment": "slow", "category": None},),
        {"tags": ["x"], "comment": "fast"},
        status=201,
        same=" as a mapping",
    ),
    Case(
        "submit_feedback",
        "POST",
        "/api/feedback",
        {"comment": "so so", "agent_id": "agent-7", "source": "sdk"},
        FEEDBACK,
        kwargs={"comment": "so so"},
        status=201,
        same=" about the client's own agent",
    ),
    Case(
        "submit_feedback",
        "POST",
        "/api/feedback",
        {"rating": 1, "actionId": "act_1", "source": "sdk"},
        FEEDBACK,
        ({"rating": 1, "actionId": "act_1"},),
        status=201,
        same=" in another spelling",
    ),
    Case(
        "list_feedback",
        "GET",
        "/api/feedback?action_id=act_1&agent_id=a%26b&category=ux&sentiment=negative&resolved=false&limit=5&offset=10",
        answer={"feedback": [FEEDBACK], "total": 1, "next_cursor": None},
        args=("act_1", "a&b", "ux", "negative", False, 5, 10),
    ),
    Case(
        "list_feedback",
        "GET",
        "/api/feedback",
        answer={"feedback": [], "total": 0, "next_cursor": None},
        same=" of everybody",
    ),
    Case("get_feedback", "GET", "/api/feedback/fb_1", answer=FEEDBACK, args=("fb_1",)),
    Case("resolve_feedback", "PATCH", "/api/feedback/fb_1", {}, FEEDBACK, ("fb_1",)),
    Case(
        "resolve_feedback",
        "PATCH",
        "/api/feedback/fb_1",
        {"resolved_by": "Ann", "resolved": False},
        FEEDBACK,
        ("fb_1", "Ann"),
        {"resolved": False},
        same=" not",
    ),
    Case(
        "delete_feedback",
        "DELETE",
        "/api/feedback/fb_1",
        answer={"deleted": True, "feedback_id": "fb_1"},
        args=("fb_1",),
    ),
    Case("get_feedback_stats", "GET", "/api/feedback/stats?agent_id=bot", answer=STATS, args=("bot",)),
    Case("get_feedback_stats", "GET", "/api/feedback/stats", answer=STATS, same=" of all"),
]
