"""Scales out of history, by the rules of `assent_analytics.calibration.scales`."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import polars as pl

from assent.contract.calibration import AutoCalibrate, AutoCalibration, CalibrationStatus, ScaleSuggestion
from assent.contract.guard import Source
from assent.contract.prepared import prepared
from assent_analytics import calibration
from assent_analytics.calibration.scales import AT, FEWEST_ACTIONS
from assent_service.core.principal import Principal
from assent_service.core.window import rows_within, window_of
from assent_service.store.ledger import Ledger

_ACTIONS = """
    SELECT duration_ms, cost_estimate, tokens_in, tokens_out, risk_score, confidence, source
    FROM actions WHERE {chosen}
"""


async def auto_calibrate(ledger: Ledger, principal: Principal, said: AutoCalibrate, now: int) -> AutoCalibration:
    """Raises `projection_behind`."""
    window = window_of(f"{said.lookback_days}d", now)
    chosen = rows_within(window, "timestamp_start", principal, said.agent_id)
    chosen.add("action_type = ?", said.action_type)
    actions = await ledger.frame(_ACTIONS.format(chosen=chosen.where), chosen.parameters)
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
