"""Small decisions and actions as they are served, and policies to ask about them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl

TIME = pl.Datetime("us", "UTC")
NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)

DECISION: dict[str, Any] = {
    "decision_id": "dec_0",
    "agent_id": "bot",
    "action_type": "refund",
    "declared_goal": None,
    "decision": "allow",
    "matched_policies": "[]",
    "observed_policies": "[]",
    "reasons": "[]",
    "policy_version": 1,
    "risk_score": 20.0,
    "agent_risk_score": None,
    "risk_breakdown": '{"base":20.0}',
    "source": "live",
    "context": "{}",
    "occurred_at": NOW,
    "created_at": NOW,
}
ACTION: dict[str, Any] = {
    "decision_id": "dec_0",
    "agent_id": "bot",
    "status": "completed",
    "source": "live",
    "created_at": NOW,
    "timestamp_start": NOW,
}
_TYPES: dict[str, pl.DataType | type[pl.DataType]] = {
    "risk_score": pl.Float64,
    "agent_risk_score": pl.Float64,
    "policy_version": pl.Int64,
    **dict.fromkeys(("occurred_at", "created_at", "timestamp_start"), TIME),
}


def decisions(*rows: dict[str, Any]) -> pl.DataFrame:
    """One for each, with ids dec_0, dec_1, ... and a second between them; a mapping for a context becomes its JSON."""
    made = []
    for at, row in enumerate(rows):
        when = {"occurred_at": NOW + timedelta(seconds=at), "created_at": NOW + timedelta(seconds=at)}
        whole = DECISION | {"decision_id": f"dec_{at}"} | when | row
        made.append({name: json.dumps(value) if isinstance(value, dict) else value for name, value in whole.items()})
    return pl.DataFrame(made, schema={name: _TYPES.get(name, pl.String) for name in DECISION})


def actions(*rows: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame([ACTION | row for row in rows], schema={name: _TYPES.get(name, pl.String) for name in ACTION})


def condition(when: dict[str, Any], action: str = "block", **more: Any) -> dict[str, Any]:
    rules = {"when": when, "action": action}
    return {"name": "condition", "policy_type": "condition", "rules": rules, **more}


def leaf(field: str, op: str, value: object) -> dict[str, Any]:
    return {"field": field, "op": op, "value": value}


def threshold(at: float, action: str = "block", **more: Any) -> dict[str, Any]:
    return {"name": "threshold", "policy_type": "risk_threshold", "rules": {"threshold": at, "action": action}, **more}


def limit(most: int, minutes: int, action: str = "block", **more: Any) -> dict[str, Any]:
    rules = {"max_actions": most, "window_minutes": minutes, "action": action}
    return {"name": "limit", "policy_type": "rate_limit", "rules": rules, **more}
