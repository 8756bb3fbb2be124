"""Stated confidence and risk against outcomes, by the rules of `assent_analytics.calibration`.

The database gives alike actions once, with their number.
"""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import polars as pl

from assent.contract.calibration import CalibrationQuery, CalibrationReport, PredictionQuality, Predictor
from assent.contract.prepared import prepared
from assent_analytics import calibration
from assent_analytics.calibration.bins import PREDICTORS
from assent_service.core.principal import Principal
from assent_service.core.window import rows_within, window_of
from assent_service.store.ledger import Ledger

_ACTIONS = """
    SELECT status, confidence, risk_score, source, count(*) AS n
    FROM actions WHERE {chosen} GROUP BY 1, 2, 3, 4
"""


async def calibration_report(
    ledger: Ledger, principal: Principal, query: CalibrationQuery, now: int
) -> CalibrationReport:
    """Raises `invalid_query` for a window that is none, and `projection_behind`."""
    window = window_of(query.window, now)
    chosen = rows_within(window, "timestamp_start", principal, query.agent_id)
    chosen.add("action_type = ?", query.action_type)
    actions = await ledger.frame(_ACTIONS.format(chosen=chosen.where), chosen.parameters)
    confidence, risk = await asyncio.to_thread(_both, actions, query.bins)
    return CalibrationReport(
        window=window.text,
        since=window.since,
        until=window.until,
        agent_id=query.agent_id,
        action_type=query.action_type,
        confidence=confidence,
        risk_score=risk,
    )


def _both(actions: pl.DataFrame, bins: int) -> tuple[PredictionQuality, PredictionQuality]:
    return _one(actions, Predictor.CONFIDENCE, bins), _one(actions, Predictor.RISK_SCORE, bins)


def _one(actions: pl.DataFrame, of: Predictor, bins: int) -> PredictionQuality:
    found: dict[str, Any] = {
        **calibration.quality(actions, of.value, bins=bins).row(0, named=True),
        "predicts": "success" if PREDICTORS[of.value] else "failure",
        "bins": calibration.reliability(actions, of.value, bins=bins).to_dicts(),
    }
    return msgspec.convert(found, prepared(PredictionQuality))
