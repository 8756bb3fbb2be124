"""Scoring profiles, dimensions and profile scores on the wire, written by hand."""

from __future__ import annotations

from typing import Any

from tests.sdk.client.case import Case
from tests.sdk.client.samples import ID, NOW

SCALE = [
    {"label": "fast", "operator": "lt", "value": 1000, "score": 100},
    {"label": "fair", "operator": "between", "value": [1000, 5000], "score": 62.5},
]
DIMENSION: dict[str, Any] = {
    "id": "sd_1",
    "org_id": "org_1",
    "profile_id": "sp_1",
    "name": "speed",
    "description": None,
    "data_source": "duration_ms",
    "data_config": {},
    "scale": SCALE,
    "weight": 2,
    "sort_order": 0,
    "created_at": NOW,
    "created_by": "key_1",
    "updated_at": NOW,
    "updated_by": "key_1",
}
PROFILE: dict[str, Any] = {
    "id": "sp_1",
    "org_id": "org_1",
    "name": "care",
    "description": None,
    "action_type": "deploy",
    "composite_method": "minimum",
    "metadata": {},
    "status": "active",
    "created_at": NOW,
    "created_by": "key_1",
    "updated_at": NOW,
    "updated_by": "key_1",
    "dimensions": [DIMENSION],
}
BREAKDOWN = [
    {"dimension_id": "sd_1", "dimension_name": "speed", "weight": 2, "raw_value": 10, "score": 100, "label": "fast"},
    {
        "dimension_id": "sd_2",
        "dimension_name": "tone",
        "weight": 1,
        "raw_value": None,
        "score": None,
        "label": "no_data",
    },
]
SCORED: dict[str, Any] = {
    "id": "ps_1",
    "org_id": "org_1",
    "profile_id": "sp_1",
    "profile_name": "care",
    "action_id": ID,
    "agent_id": "agent-7",
    "action_type": "deploy",
    "composite_score": 100,
    "composite_method": "minimum",
    "dimensions": BREAKDOWN,
    "metadata": {},
    "source": "live",
    "batch_id": None,
    "scored_at": NOW,
}
STORED: dict[str, Any] = {
    **{name: value for name, value in SCORED.items() if name != "dimensions"},
    "dimension_scores": BREAKDOWN,
    "created_at": NOW,
    "created_by": "key_1",
}
NUMBERS: dict[str, Any] = {
    "avg_score": 100,
    "avg_low": 0,
    "avg_high": 100,
    "min_score": 100,
    "max_score": 100,
    "stddev_score": None,
    **dict.fromkeys(("p10", "p25", "p50", "p75", "p90"), 100),
    "simulated": 0,
    "status": "insufficient_data",
}
BATCH: dict[str, Any] = {
    "results": [{**SCORED, "batch_id": "pb_1"}, {"action_id": None, "error": "No dimension found a value."}],
    "summary": {"total": 2, "scored": 1, **NUMBERS},
}
STATS: dict[str, Any] = {
    "profile_id": "sp_1",
    "total_scores": 1,
    "n": 1,
    **NUMBERS,
    "unique_agents": 1,
    "unique_actions": 1,
    "unrecorded": 0,
    "since": NOW,
    "until": NOW,
}
PROFILES, SCORE = "/api/scoring/profiles", "/api/scoring/score"

CASES: list[Case] = [
    Case("create_scoring_profile", "POST", PROFILES, {"name": "care"}, PROFILE, ("care",), status=201),
    Case(
        "create_scoring_profile",
        "POST",
        PROFILES,
        {
            "name": "care",
            "action_type": "deploy",
            "composite_method": "minimum",
            "dimensions": [{"name": "speed", "data_source": "duration_ms", "scale": SCALE}],
        },
        PROFILE,
        ("care",),
        {
            "action_type": "deploy",
            "composite_method": "minimum",
            "dimensions": [{"name": "speed", "data_source": "duration_ms", "scale": SCALE}],
        },
        status=201,
        same=" with dimensions",
    ),
    Case(
        "list_scoring_profiles",
        "GET",
        f"{PROFILES}?action_type=deploy&status=all",
        answer={"profiles": [PROFILE], "total": 1, "next_cursor": None},
        kwargs={"action_type": "deploy", "status": "all"},
    ),
    Case("get_scoring_profile", "GET", f"{PROFILES}/sp_1", answer=PROFILE, args=("sp_1",)),
    Case(
        "update_scoring_profile",
        "PATCH",
        f"{PROFILES}/sp_1",
        {"name": "great care", "action_type": None},
        PROFILE,
        ("sp_1",),
        {"name": "great care", "action_type": None},
    ),
    Case(
        "delete_scoring_profile", "DELETE", f"{PROFILES}/sp_1", answer={"deleted": True, "id": "sp_1"}, args=("sp_1",)
    ),
    Case(
        "add_scoring_dimension",
        "POST",
        f"{PROFILES}/sp_1/dimensions",
        {"name": "speed", "data_source": "duration_ms", "weight": 2, "scale": SCALE},
        DIMENSION,
        ("sp_1", "speed", "duration_ms", 2),
        {"scale": SCALE},
        status=201,
    ),
    Case(
        "update_scoring_dimension",
        "PATCH",
        f"{PROFILES}/sp_1/dimensions/sd_1",
        {"weight": 3, "description": None},
        DIMENSION,
        ("sp_1", "sd_1"),
        {"weight": 3, "description": None},
    ),
    Case(
        "delete_scoring_dimension",
        "DELETE",
        f"{PROFILES}/sp_1/dimensions/sd_1",
        answer={"deleted": True, "id": "sd_1"},
        args=("sp_1", "sd_1"),
    ),
    Case(
        "score_with_profile",
        "POST",
        SCORE,
        {"profile_id": "sp_1", "action": {"action_id": ID, "duration_ms": 10}},
        SCORED,
        ("sp_1", {"action_id": ID, "duration_ms": 10}),
    ),
    Case(
        "score_with_profile",
        "POST",
        SCORE,
        {"profile_id": "sp_1", "action": ID, "metadata": {"round": 2}},
        SCORED,
        ("sp_1", ID, {"round": 2}),
        same=" by its id",
    ),
    Case(
        "batch_score_with_profile",
        "POST",
        SCORE,
        {"profile_id": "sp_1", "actions": [{"duration_ms": 10}, ID]},
        BATCH,
        ("sp_1", [{"duration_ms": 10}, ID]),
        of="score_with_profile",
        other=True,
    ),
    Case(
        "get_profile_scores",
        "GET",
        f"{SCORE}?profile_id=sp_1&agent_id=agent-7&limit=5",
        answer={"scores": [STORED], "total": 1, "next_cursor": None},
        kwargs={"profile_id": "sp_1", "agent_id": "agent-7", "limit": 5},
    ),
    Case(
        "get_profile_score_stats",
        "GET",
        f"{SCORE}?profile_id=sp_1&view=stats",
        answer=STATS,
        args=("sp_1",),
        of="get_profile_scores",
        other=True,
    ),
]
