"""Calibration: scales out of history, and whether what was stated came true."""

from __future__ import annotations

from collections.abc import Sequence

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.calibration import (
    AUTO_CALIBRATE,
    GET_CALIBRATION,
    AutoCalibrate,
    AutoCalibration,
    CalibrationMetric,
    CalibrationQuery,
    CalibrationReport,
)


class CalibrationOperations(Caller):
    @operation
    def auto_calibrate(
        self,
        action_type: str | None = None,
        agent_id: str | None = None,
        lookback_days: int | None = None,
        metrics: Sequence[CalibrationMetric | str] | None = None,
    ) -> Flow[AutoCalibration]:
        """Percentiles of each metric over the last `lookback_days` (30 when not given), with 95% intervals, and the
        scale and weight that they suggest for a scoring profile. Fewer than 10 actions are `insufficient_data`.

        Raises InvalidRequest for a metric that is none.
        """
        given = {"action_type": action_type, "agent_id": agent_id, "lookback_days": lookback_days, "metrics": metrics}
        return (yield from send(AUTO_CALIBRATE, body=members(AutoCalibrate, given, "auto_calibrate")))

    @operation
    def get_calibration(
        self,
        window: str = "30d",
        agent_id: str | None = None,
        action_type: str | None = None,
        bins: int | None = None,
    ) -> Flow[CalibrationReport]:
        """Whether stated confidence came true as success, and risk as failure, over the finished actions of the window
        (`<n>d`, 1d to 3650d back from now): a reliability diagram of `bins` (10), Brier score and calibration error.

        Raises InvalidRequest for another window.
        """
        given = {"window": window, "agent_id": agent_id, "action_type": action_type, "bins": bins}
        return (yield from send(GET_CALIBRATION, query=members(CalibrationQuery, given, "get_calibration")))
