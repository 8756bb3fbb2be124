"""Small tables as they are served, row by row."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl

TIME = pl.Datetime("us", "UTC")
NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)

ACTION: dict[str, Any] = {
    "action_id": "act_1",
    "agent_id": "bot",
    "action_type": "refund",
    "decision": "allow",
    "decision_id": "dec_1",
    "status": "completed",
    "risk_score": 20.0,
    "runtime": "sdk_service",
    "source": "live",
    "declared_goal": "refund the order",
    "timestamp_start": NOW - timedelta(minutes=10),
    "approved_at": None,
    "output_summary": "refunded",
    "error_message": None,
}
APPROVAL: dict[str, Any] = {
    "approval_id": "apr_1",
    "action_id": "act_1",
    "state": "approved",
    "requested_at": NOW - timedelta(minutes=9),
    "decided_at": NOW - timedelta(minutes=8),
    "decided_by": "Mia",
}
ASSUMPTION: dict[str, Any] = {"assumption_id": "asm_1", "action_id": "act_1", "basis": "the invoice"}
DECISION: dict[str, Any] = {
    "decision_id": "dec_1",
    "agent_id": "bot",
    "action_type": "refund",
    "decision": "allow",
    "source": "live",
    "occurred_at": NOW,
}
TIMES = ("timestamp_start", "approved_at", "requested_at", "decided_at", "occurred_at")


def table(like: dict[str, Any], *rows: dict[str, Any]) -> pl.DataFrame:
    """Rows like `like`, changed as each says."""
    types = {name: TIME if name in TIMES else pl.Float64 if name == "risk_score" else pl.String for name in like}
    return pl.DataFrame([like | row for row in rows], schema=types)


def actions(*rows: dict[str, Any]) -> pl.DataFrame:
    return table(ACTION, *rows)


def approvals(*rows: dict[str, Any]) -> pl.DataFrame:
    return table(APPROVAL, *rows)


def assumptions(*rows: dict[str, Any]) -> pl.DataFrame:
    return table(ASSUMPTION, *rows)


def decisions(*rows: dict[str, Any]) -> pl.DataFrame:
    return table(DECISION, *rows)
