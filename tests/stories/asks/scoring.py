"""Who may score: admins define profiles, whoever acts scores actions, everybody reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant

PROFILES, SCORE = "/api/scoring/profiles", "/api/scoring/score"
SPEED: dict[str, Any] = {"name": "speed", "data_source": "duration_ms"}


def profile(owner: Tenant) -> str:
    return str(owner.call("POST", PROFILES, {"name": "care", "dimensions": [SPEED]})["id"])


def dimension(owner: Tenant) -> str:
    made = owner.call("POST", PROFILES, {"name": "care", "dimensions": [SPEED]})
    return f"{PROFILES}/{made['id']}/dimensions/{made['dimensions'][0]['id']}"


def at(path: str) -> Callable[[Tenant], Ask]:
    return lambda _: Ask(path)


ASKS = {
    "create_scoring_profile": Asking("   m", lambda _: Ask(PROFILES, {"name": "care"})),
    "list_scoring_profiles": Asking("aoum", at(PROFILES)),
    "get_scoring_profile": Asking("aoum", lambda owner: Ask(f"{PROFILES}/{profile(owner)}")),
    "update_scoring_profile": Asking(
        "   m", lambda owner: Ask(f"{PROFILES}/{profile(owner)}", {"description": "what it is for"})
    ),
    "delete_scoring_profile": Asking("   m", lambda owner: Ask(f"{PROFILES}/{profile(owner)}")),
    "add_scoring_dimension": Asking("   m", lambda owner: Ask(f"{PROFILES}/{profile(owner)}/dimensions", SPEED)),
    "update_scoring_dimension": Asking("   m", lambda owner: Ask(dimension(owner), {"weight": 2})),
    "delete_scoring_dimension": Asking("   m", lambda owner: Ask(dimension(owner))),
    "score_with_profile": Asking(
        "ao m", lambda owner: Ask(SCORE, {"profile_id": profile(owner), "action": {"duration_ms": 10}})
    ),
    "get_profile_scores": Asking("aoum", at(SCORE)),
}
