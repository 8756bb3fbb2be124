"""Calibration on the wire, written by hand."""

from __future__ import annotations

from typing import Any

from tests.sdk.client.case import Case
from tests.sdk.client.samples import NOW

SUGGESTION: dict[str, Any] = {
    "metric": "duration_ms",
    "data_source": "duration_ms",
    "lower_is_better": True,
    "sample_size": 40,
    "simulated": 0,
    "distribution": {"p10": 1, "p25": 2, "p50": 3, "p75": 4, "p90": 5, "min": 0, "max": 9.5},
    "intervals": {"p10": [0, 2], "p25": [1, 3], "p50": [2, 4], "p75": [3, 5], "p90": [4, 9.5]},
    "suggested_scale": [{"label": "excellent", "operator": "lte", "value": 2, "score": 100}],
    "suggested_weight": 0.2,
}
CALIBRATION: dict[str, Any] = {
    "status": "ok",
    "message": None,
    "count": 40,
    "simulated": 0,
    "action_type": "wire",
    "agent_id": None,
    "lookback_days": 7,
    "since": NOW,
    "until": NOW,
    "suggestions": [SUGGESTION],
    "left_out": {"tokens_total": 3},
}
NUMBERS = ("brier", "brier_low", "brier_high", "reliability", "resolution", "uncertainty", "within_bin")
BIN: dict[str, Any] = {
    "low": 0.8,
    "high": 0.9,
    "n": 40,
    "mean_predicted": 0.85,
    "observed": 0.9,
    "observed_low": 0.77,
    "observed_high": 0.96,
    "simulated": 0,
}


def quality(of: str, predicts: str) -> dict[str, Any]:
    return {
        "of": of,
        "predicts": predicts,
        "status": "ok",
        "n": 40,
        "simulated": 0,
        "base_rate": 0.9,
        "base_low": 0.77,
        "base_high": 0.96,
        **dict.fromkeys(NUMBERS, 0.1),
        **dict.fromkeys(("ece", "ece_low", "ece_high")),
        "bins": [BIN],
    }


CASES: list[Case] = [
    Case(
        "auto_calibrate",
        "POST",
        "/api/scoring/calibrate",
        {"action_type": "wire", "lookback_days": 7, "metrics": ["duration_ms"]},
        CALIBRATION,
        ("wire",),
        {"lookback_days": 7, "metrics": ["duration_ms"]},
    ),
    Case(
        "get_calibration",
        "GET",
        "/api/scoring/calibration?window=7d&action_type=wire&bins=5",
        answer={
            "window": "7d",
            "since": NOW,
            "until": NOW,
            "agent_id": None,
            "action_type": "wire",
            "confidence": quality("confidence", "success"),
            "risk_score": quality("risk_score", "failure"),
        },
        args=("7d",),
        kwargs={"action_type": "wire", "bins": 5},
    ),
]
