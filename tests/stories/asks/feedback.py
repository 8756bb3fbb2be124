"""Who may do what with feedback: whoever acts gives it and sees to it, operators take it out, everybody reads."""

from __future__ import annotations

from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant


def _one(owner: Tenant) -> str:
    made = owner.call("POST", "/api/feedback", {"rating": 2, "action_id": owner.create()})
    return f"/api/feedback/{made['feedback_id']}"


ASKS: dict[str, Asking] = {
    "submit_feedback": Asking("ao m", lambda _: Ask("/api/feedback", {"rating": 4})),
    "list_feedback": Asking("aoum", lambda _: Ask("/api/feedback")),
    "get_feedback_stats": Asking("aoum", lambda _: Ask("/api/feedback/stats")),
    "get_feedback": Asking("aoum", lambda owner: Ask(_one(owner))),
    "resolve_feedback": Asking("ao m", lambda owner: Ask(_one(owner), {"resolved_by": "sdk"})),
    "delete_feedback": Asking(" o m", lambda owner: Ask(_one(owner))),
}
