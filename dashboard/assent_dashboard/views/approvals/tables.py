"""What the page shows as tables, for the export: what waits, and what was decided. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
import polars as pl

from assent_dashboard.views.approvals.inbox import Inbox, Item

TIME = pl.Datetime("us", "UTC")
SCHEMA: dict[str, Any] = {
    "action_id": pl.String,
    "approval_id": pl.String,
    "agent_id": pl.String,
    "agent_name": pl.String,
    "action_type": pl.String,
    "declared_goal": pl.String,
    "systems_touched": pl.List(pl.String),
    "reversible": pl.Boolean,
    "risk_score": pl.Float64,
    "agent_risk_score": pl.Float64,
    "source": pl.String,
    "status": pl.String,
    "reasons": pl.List(pl.String),
    "matched_policies": pl.List(pl.String),
    "metadata": pl.String,
    "parameters_digest": pl.String,
    "requested_at": TIME,
    "expires_at": TIME,
    "state": pl.String,
    "decided_at": TIME,
    "decided_by": pl.String,
    "reasoning": pl.String,
    "conditions": pl.List(pl.String),
    "valid_until": TIME,
    "claimed_at": TIME,
    "context_digest": pl.String,
}
ON_ACTION = frozenset(
    {"agent_name", "reversible", "risk_score", "agent_risk_score", "source", "status", "metadata", "systems_touched"}
)


def tables(inbox: Inbox) -> dict[str, pl.DataFrame]:
    return {"waiting": table(inbox.waiting), "decided": table(inbox.decided)}


def table(items: Sequence[Item]) -> pl.DataFrame:
    return pl.DataFrame([_row(item) for item in items], schema=SCHEMA)


def _row(item: Item) -> dict[str, Any]:
    row = {name: _value(getattr(item.action if name in ON_ACTION else item.approval, name, None)) for name in SCHEMA}
    return row | {"context_digest": item.context_digest}


def _value(value: Any) -> Any:
    if isinstance(value, dict):
        return msgspec.json.encode(value).decode()
    return value if isinstance(value, datetime) else msgspec.to_builtins(value)
