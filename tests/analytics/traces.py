"""Traces of actions as JSON, as far as a timeline reads them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


def after(seconds: float) -> str:
    return (START + timedelta(seconds=seconds)).isoformat()


def trace(status: str = "completed", decision: str = "allow", end: float | None = 20, **more: Any) -> dict[str, Any]:
    action = {
        "decision": decision,
        "status": status,
        "source": "live",
        "created_at": after(0),
        "timestamp_start": after(0),
        "timestamp_end": None if end is None else after(end),
        "updated_at": after(20),
        "error_message": None,
        "output_summary": "refunded" if status == "completed" else None,
    }
    return {"action": action, "approval": None, "trace": {"assumptions": {"items": []}, "changes": []}, **more}


def approval(state: str, decided: float | None) -> dict[str, Any]:
    by = "Mia" if state in {"approved", "denied"} else None
    at = None if decided is None else after(decided)
    return {"state": state, "requested_at": after(1), "decided_at": at, "decided_by": by, "reasoning": None}
