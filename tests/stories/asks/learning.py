"""Who may do what with learning: everybody reads (agents their own), agents say what became of recommendations,
operators switch these off."""

from __future__ import annotations

from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant

ANALYTICS = "/api/learning/analytics"
RECOMMENDATIONS = "/api/learning/recommendations"


def _one(owner: Tenant) -> str:
    """The id of a recommendation: five actions make one."""
    for _ in range(5):
        owner.call("PATCH", f"/api/actions/{owner.create(agent_id='bot')}", {"status": "completed"})
    return str(owner.call("GET", f"{RECOMMENDATIONS}?include_inactive=true")["recommendations"][0]["id"])


def _said(owner: Tenant) -> Ask:
    return Ask(f"{RECOMMENDATIONS}/events", {"events": [{"recommendation_id": _one(owner), "event_type": "applied"}]})


ASKS: dict[str, Asking] = {
    "get_learning_velocity": Asking("aoum", lambda _: Ask(f"{ANALYTICS}/velocity")),
    "compute_learning_velocity": Asking("aoum", lambda _: Ask(f"{ANALYTICS}/velocity", {"period": "weekly"})),
    "get_learning_curves": Asking("aoum", lambda _: Ask(f"{ANALYTICS}/curves")),
    "compute_learning_curves": Asking("aoum", lambda _: Ask(f"{ANALYTICS}/curves", {"lookback_days": 7})),
    "get_learning_analytics_summary": Asking("aoum", lambda _: Ask(f"{ANALYTICS}/summary")),
    "get_maturity_levels": Asking("aoum", lambda _: Ask(f"{ANALYTICS}/maturity")),
    "get_lessons": Asking("aoum", lambda _: Ask("/api/learning/lessons")),
    "get_recommendations": Asking("aoum", lambda _: Ask(RECOMMENDATIONS)),
    "get_recommendation": Asking("aoum", lambda owner: Ask(f"{RECOMMENDATIONS}/{_one(owner)}")),
    "rebuild_recommendations": Asking("aoum", lambda _: Ask(RECOMMENDATIONS, {"min_samples": 3})),
    "set_recommendation_active": Asking(
        " o m", lambda owner: Ask(f"{RECOMMENDATIONS}/{_one(owner)}", {"active": False})
    ),
    "record_recommendation_events": Asking("ao m", _said),
    "get_recommendation_metrics": Asking("aoum", lambda _: Ask(f"{RECOMMENDATIONS}/metrics")),
}
