"""A backtest on the wire, written by hand."""

from __future__ import annotations

from typing import Any

from tests.sdk.client.case import Case
from tests.sdk.client.samples import NOW

DRAFT = {"name": "p", "policy_type": "risk_threshold", "rules": {"threshold": 60}}
TEMPLATE = {"name": "wires", "base_risk": 40, "rules": [{"condition": "amount > 5", "add": 20}]}
COSTS = {"interruption": 1.5, "failure": 20}
NONE = {"allow": 0, "warn": 0, "require_approval": 0, "block": 0}
PORTION = {"n": 1, "of": 1, "rate": 1, "low": 0.2, "high": 1, "status": "ok"}
LOAD = {"total": 0, "days": 7, "per_day": 0, "low": 0, "high": 0, "status": "ok"}
POINT = {
    "threshold": 0,
    "interruptions": 1,
    "missed": 0,
    "cost": 1.5,
    "low": 1.5,
    "high": 1.5,
    "per_day": 0.2,
    "per_day_low": 0.2,
    "per_day_high": 0.2,
    "per_1000": 1500,
    "per_1000_low": 1500,
    "per_1000_high": 1500,
    "unknown": 0,
    "most": 1.5,
    "most_high": 1.5,
    "per_day_most": 0.2,
    "per_day_most_high": 0.2,
    "per_1000_most": 1500,
    "per_1000_most_high": 1500,
}
CURVE: dict[str, Any] = {
    "interruption": 1.5,
    "failure": 20,
    "n": 1,
    "failures": 1,
    "days": 7,
    "resamples": 2000,
    "seed": 3,
    "never": 20,
    "best": 60,
    "best_low": 60,
    "best_high": 60,
    "unknown": 0,
    "possible_low": 60,
    "possible_high": 60,
    "identified": True,
    "points": [POINT],
    "status": "ok",
}
ANSWER: dict[str, Any] = {
    "status": "ok",
    "n": 1,
    "simulated": 0,
    "imported": 0,
    "halted": 0,
    "window": "7d",
    "since": NOW,
    "until": NOW,
    "before": NONE | {"allow": 1},
    "after": NONE | {"block": 1},
    "changed": 1,
    "transitions": {"allow": NONE | {"block": 1}, "warn": NONE, "require_approval": NONE, "block": NONE},
    "outcomes": {
        "known": 1,
        "unknown": 0,
        "failed": 1,
        "completed": 0,
        **dict.fromkeys(("failures_stopped", "failures_asked", "failures_released"), PORTION),
        **dict.fromkeys(("work_stopped", "work_asked", "work_released"), PORTION),
        **dict.fromkeys(("unknown_stopped", "unknown_asked", "unknown_released"), 0),
    },
    "approvals_before": LOAD,
    "approvals_after": LOAD,
    "policies": [
        {"index": 0, "policy_id": None, "name": "p", "policy_type": "risk_threshold", "mode": "enforce", "matched": 1}
    ],
    "not_replayed": [{"index": 1, "policy_id": "pol_1", "name": "w", "reason": "a webhook's answer cannot be had"}],
    "samples": [{"before": "allow", "after": "block", "n": 1, "decision_ids": ["dec_1"]}],
    "costs": CURVE,
    "causes": {"other_version": 1, "other_templates": 0, "webhook": 0, "unexplained": 0},
    "verdicts_total": 1,
    "changed_groups": 1,
    "verdicts": [
        {
            "decision_id": "dec_1",
            "agent_id": "bot",
            "action_type": "pay",
            "occurred_at": NOW,
            "before": "allow",
            "after": "block",
        }
    ],
    "changed_in": [{"agent_id": "bot", "action_type": None, "n": 2, "stricter": 1, "milder": 0}],
}
PATH = "/api/policies/backtest"

CASES: list[Case] = [
    Case(
        "backtest",
        "POST",
        PATH,
        {
            "policies": [DRAFT],
            "templates": [TEMPLATE],
            "window": "7d",
            "include": "changes",
            "limit": 5,
            "agent_id": "bot",
            "source": "live",
            "costs": COSTS,
            "history_as_live": True,
            "seed": 3,
        },
        ANSWER,
        ([DRAFT], "7d"),
        {
            "templates": [TEMPLATE],
            "include": "changes",
            "limit": 5,
            "agent_id": "bot",
            "source": "live",
            "costs": COSTS,
            "history_as_live": True,
            "seed": 3,
        },
    ),
    Case(
        "backtest",
        "POST",
        PATH,
        {"window": "30d", "include": "summary", "limit": 1000, "history_as_live": False, "seed": 0},
        ANSWER | {"costs": None, "causes": None},
        same=" of what is in force",
    ),
]
