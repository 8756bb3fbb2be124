"""Days of tables, the digest of a week and the history of signals on the wire, written by hand."""

from __future__ import annotations

from typing import Any

from tests.sdk.client.case import Case
from tests.sdk.client.samples import NOW

DAYS: dict[str, Any] = {
    "table": "prompt_runs",
    "window": "30d",
    "as_of": NOW,
    "time": "created_at",
    "key": "id",
    "layout": "aa",
    "columns": {"id": "text", "created_at": "time"},
    "state": "s1",
    "unchanged": False,
    "days": [{"date": "2026-11-20", "rows": 2, "version": "v1"}],
}
COUNT: dict[str, Any] = {"n": 3, "before": 6, "ratio": 0.5, "ratio_low": 0.1, "ratio_high": 1.8}
NEW_COUNT: dict[str, Any] = {"n": 3, "before": 0, "ratio": None, "ratio_low": 0.8, "ratio_high": None}
RATE: dict[str, Any] = {
    "count": 1,
    "n": 3,
    "rate": 0.25,
    "low": 0.1,
    "high": 0.8,
    "before_count": 0,
    "before_n": 0,
    "before_rate": None,
    "difference": None,
    "difference_low": None,
    "difference_high": None,
    "status": "insufficient_data",
}
QUANTILE: dict[str, Any] = {"value": 12.5, "low": None, "high": 30, "before": None}
RISK: dict[str, Any] = {
    "name": "bot",
    "n": 3,
    "mean": 40,
    "low": 30,
    "high": 50,
    "highest": 44,
    "simulated": 0,
}
SHARE: dict[str, Any] = {"per_100": 15, "per_100_low": 1, "per_100_high": 50.5, "status": "ok"}
DIGEST: dict[str, Any] = {
    "week": "2026-W46",
    "since": NOW,
    "until": NOW,
    "before_since": NOW,
    "before_until": NOW,
    "complete": True,
    "agent_id": None,
    "actions": {"all": COUNT, "by_status": {"completed": 3}, "success": RATE, "simulated": 0},
    "decisions": {
        "all": COUNT,
        **dict.fromkeys(("allow", "warn", "require_approval", "block"), RATE),
        "simulated": 0,
    },
    "approvals": {
        "asked": COUNT,
        "decided": NEW_COUNT,
        "awaiting": 0,
        "approved": RATE,
        "expired": RATE,
        "p50": QUANTILE,
        "p95": QUANTILE,
        "simulated": 0,
    },
    "cost": {
        "n": 3,
        "total": 1.5,
        "mean": 0.5,
        "mean_low": None,
        "mean_high": None,
        "before_n": 0,
        "before_total": 0,
        "before_mean": None,
    },
    "agents_by_risk": [RISK],
    "types_by_risk": [],
    "new_agents": [{"name": "bot", "first_seen": NOW, "n": 3}],
    "new_types": [],
    "drift_alerts": {
        "all": COUNT,
        "unacknowledged": 1,
        "by_severity": {"warning": 3},
        "by_metric": {"score": 3},
        "simulated": 0,
    },
    "signals": {"all": COUNT, "by_type": {"stale_loop": COUNT}, "actions": 20, **SHARE},
}
SIGNAL: dict[str, Any] = {
    "type": "stale_loop",
    "agent_id": None,
    "n": 3,
    "red": 1,
    "amber": 2,
    "agents": 2,
    "last_at": NOW,
    "actions": 20,
    **SHARE,
}
HISTORY: dict[str, Any] = {
    "window": "30d",
    "since": NOW,
    "until": NOW,
    "all": {**SIGNAL, "type": None},
    "by_type": [SIGNAL],
    "by_agent": [],
    "by_type_and_agent": [],
    "days": [{"day": "2026-11-20", "type": "stale_loop", "agent_id": "bot", "n": 3}],
    "not_shown": {},
}

CASES: list[Case] = [
    Case("get_table_days", "GET", "/api/data/prompt_runs/days", answer=DAYS, args=("prompt_runs",)),
    Case(
        "get_table_days",
        "GET",
        "/api/data/prompt_runs/days?window=7d&unless=s1",
        answer={**DAYS, "unchanged": True, "days": []},
        args=("prompt_runs", "7d", "s1"),
        same=" unless it is known",
    ),
    Case("get_signal_history", "GET", "/api/insight/signals?window=30d", answer=HISTORY),
    Case(
        "get_signal_history",
        "GET",
        "/api/insight/signals?window=7d&agent_id=a%26b",
        answer=HISTORY,
        args=("7d", "a&b"),
        same=" of one agent",
    ),
    Case("get_digest", "GET", "/api/insight/digest", answer={**DIGEST, "week": None}),
    Case(
        "get_digest",
        "GET",
        "/api/insight/digest?week=2026-W46&agent_id=bot",
        answer={**DIGEST, "agent_id": "bot"},
        args=("2026-W46",),
        kwargs={"agent_id": "bot"},
        same=" of one week and agent",
    ),
]
