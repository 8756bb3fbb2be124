"""Read by mypy and basedpyright, never called: what the operations of calibration give, on both clients."""

from typing import assert_type

from assent import AsyncClient, Client
from assent.contract.analysis.calibration import AutoCalibration, CalibrationReport, PredictionQuality, ScaleSuggestion


def blocking(client: Client) -> None:
    assert_type(client.auto_calibrate("wire", lookback_days=7, metrics=["duration_ms"]), AutoCalibration)
    assert_type(client.auto_calibrate().suggestions, list[ScaleSuggestion])
    assert_type(client.get_calibration("90d", agent_id="bot", bins=5), CalibrationReport)
    assert_type(client.get_calibration().confidence, PredictionQuality)


async def awaiting(client: AsyncClient) -> None:
    assert_type(await client.auto_calibrate(), AutoCalibration)
    assert_type(await client.get_calibration(), CalibrationReport)
