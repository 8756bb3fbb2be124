"""Calibration of a window's actions: whether stated confidence and risk came true, and the scales that fit what
happened."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import polars as pl

from assent.contract.analysis.calibration import (
    AUTO_CALIBRATE,
    GET_CALIBRATION,
    AutoCalibrate,
    AutoCalibration,
    CalibrationQuery,
    CalibrationReport,
    CalibrationStatus,
    PredictionQuality,
    Predictor,
    ScaleSuggestion,
)
from assent.contract.control.guard import Source
from assent.contract.prepared import prepared
from assent_analytics import calibration
from assent_analytics.calibration.bins import PREDICTORS
from assent_analytics.calibration.scales import AT, FEWEST_ACTIONS
from assent_analytics.episodes import CANCELLED, RAN, STOPPED
from assent_service.base.clock import Clock
from assent_service.core.call import Call
from assent_service.core.foundation import Foundation
from assent_service.core.moments import window_of
from assent_service.core.principal import Principal
from assent_service.core.route import RECORDS_NOTHING, Route, serves
from assent_service.core.rows import rows_within
from assent_service.store.ledger import Ledger

__all__ = [
    "open_calibration",
]


# Stated confidence and risk against outcomes, by the rules of `assent_analytics.calibration`.
#
# The database gives alike actions once, with their number.


_ACTIONS = f"""
    SELECT status, confidence, risk_score, source, approval_id IS NOT NULL AS waited,
        approved_by IS NOT NULL AS approved, count(*) AS n
    FROM actions WHERE {{chosen}} AND ({RAN} OR {STOPPED} OR {CANCELLED}) GROUP BY 1, 2, 3, 4, 5, 6
"""
_CLUSTERS = f"""
    SELECT status, session_id, agent_id, date_trunc('hour', timestamp_start) AS timestamp_start,
        CASE WHEN confidence BETWEEN 0 AND 100 THEN 0 END AS confidence,
        CASE WHEN risk_score BETWEEN 0 AND 100 THEN 0 END AS risk_score, count(*) AS n
    FROM actions WHERE {{chosen}} AND {RAN} GROUP BY ALL
"""
"""Whether something was stated, and no more: only what belongs together is asked."""


async def calibration_report(
    ledger: Ledger, principal: Principal, query: CalibrationQuery, now: int
) -> CalibrationReport:
    """Raises `invalid_query` for a window that is none, and `projection_behind`."""
    window = window_of(query.window, now)
    chosen = rows_within(window, "timestamp_start", principal, query.agent_id)
    chosen.add("action_type = ?", query.action_type)
    actions = await ledger.frame(_ACTIONS.format(chosen=chosen.where), chosen.parameters)
    clusters = await ledger.frame(_CLUSTERS.format(chosen=chosen.where), chosen.parameters)
    confidence, risk = await asyncio.to_thread(_both, actions, clusters, query.bins)
    return CalibrationReport(
        window=window.text,
        since=window.since,
        until=window.until,
        agent_id=query.agent_id,
        action_type=query.action_type,
        confidence=confidence,
        risk_score=risk,
    )


def _both(actions: pl.DataFrame, clusters: pl.DataFrame, bins: int) -> tuple[PredictionQuality, PredictionQuality]:
    known = actions.with_columns(
        approval_id=pl.when("waited").then(pl.lit("")), approved_by=pl.when("approved").then(pl.lit(""))
    ).drop("waited", "approved")
    return _one(known, clusters, Predictor.CONFIDENCE, bins), _one(known, clusters, Predictor.RISK_SCORE, bins)


def _one(actions: pl.DataFrame, clusters: pl.DataFrame, of: Predictor, bins: int) -> PredictionQuality:
    by_bin = {row["bin"]: row for row in calibration.bounds(actions, of.value, bins=bins).to_dicts()}
    whole = calibration.bounds(actions, of.value, bins=1).to_dicts()
    base, basis = calibration.clustered_base(clusters, of.value)
    found: dict[str, Any] = {
        **calibration.quality(actions, of.value, bins=bins).row(0, named=True),
        "predicts": "success" if PREDICTORS[of.value] else "failure",
        "bins": [
            row | {name: by_bin[row["bin"]][name] for name in ("stopped", "cancelled", "least", "most")}
            for row in calibration.reliability(actions, of.value, bins=bins).to_dicts()
        ],
        "clusters": base.clusters,
        "basis": basis if base.n else None,
        "n_effective": base.n_effective if base.n else None,
        "clustered_low": base.low,
        "clustered_high": base.high,
        "stopped": whole[0]["stopped"] if whole else 0,
        "cancelled": whole[0]["cancelled"] if whole else 0,
        "base_least": whole[0]["least"] if whole else None,
        "base_most": whole[0]["most"] if whole else None,
    }
    return msgspec.convert(found, prepared(PredictionQuality))


# Scales out of history, by the rules of `assent_analytics.calibration.scales`.


_UNSCALED = """
    SELECT duration_ms, cost_estimate, tokens_in, tokens_out, risk_score, confidence, source, session_id, agent_id,
        timestamp_start
    FROM actions WHERE {chosen}
"""


async def auto_calibrate(ledger: Ledger, principal: Principal, said: AutoCalibrate, now: int) -> AutoCalibration:
    """Raises `projection_behind`."""
    window = window_of(f"{said.lookback_days}d", now)
    chosen = rows_within(window, "timestamp_start", principal, said.agent_id)
    chosen.add("action_type = ?", said.action_type)
    actions = await ledger.frame(_UNSCALED.format(chosen=chosen.where), chosen.parameters)
    rows = await asyncio.to_thread(_rows, actions, said)
    enough = actions.height >= FEWEST_ACTIONS
    return AutoCalibration(
        status=CalibrationStatus.OK if enough else CalibrationStatus.INSUFFICIENT_DATA,
        message=None
        if enough
        else f"{actions.height} actions in {said.lookback_days} days; {FEWEST_ACTIONS} are needed.",
        count=actions.height,
        simulated=int((actions["source"] == Source.SIMULATED.value).sum()),
        action_type=said.action_type,
        agent_id=said.agent_id,
        lookback_days=said.lookback_days,
        since=window.since,
        until=window.until,
        suggestions=[_suggestion(row) for row in rows if row["status"] == "ok"],
        left_out={row["metric"]: row["n"] for row in rows if row["status"] != "ok"},
    )


def _rows(actions: pl.DataFrame, said: AutoCalibrate) -> list[dict[str, Any]]:
    metrics = None if said.metrics is None else [metric.value for metric in said.metrics]
    return calibration.scales(actions, metrics).to_dicts()


def _suggestion(row: dict[str, Any]) -> ScaleSuggestion:
    found = {
        **row,
        "sample_size": row["n"],
        "distribution": row,
        "intervals": {name: (row[f"{name}_low"], row[f"{name}_high"]) for name in AT},
        "suggested_scale": calibration.suggested_scale(row),
    }
    return msgspec.convert(found, prepared(ScaleSuggestion))


def routes(ledger: Ledger, clock: Clock) -> tuple[Route, ...]:
    @serves(AUTO_CALIBRATE, unfenced=RECORDS_NOTHING)
    async def scales(call: Call[AutoCalibrate, None]) -> AutoCalibration:
        return await auto_calibrate(ledger, call.principal, call.body, clock())

    @serves(GET_CALIBRATION)
    async def report(call: Call[None, CalibrationQuery]) -> CalibrationReport:
        return await calibration_report(ledger, call.principal, call.query, clock())

    return scales, report


def open_calibration(on: Foundation) -> None:
    on.bring(routes=routes(on.ledger, on.clock))
