"""Calibration: scales out of history, and whether what was stated came true."""

from __future__ import annotations

from collections.abc import Sequence

from assent.client.method import Response, sends
from assent.client.operation import Caller
from assent.contract.analysis.calibration import (
    AUTO_CALIBRATE,
    GET_CALIBRATION,
    CalibrationMetric,
)


class CalibrationOperations(Caller):
    @sends(AUTO_CALIBRATE)
    def auto_calibrate(
        self,
        action_type: str | None = None,
        agent_id: str | None = None,
        lookback_days: int | None = None,
        metrics: Sequence[CalibrationMetric | str] | None = None,
    ) -> Response:
        """Percentiles of each metric over the last `lookback_days` (30 when not given), with 95% intervals, and the
        scale and weight that they suggest for a scoring profile. Fewer than 10 actions are `insufficient_data`.

        Raises InvalidRequest for a metric that is none.
        """

    @sends(GET_CALIBRATION)
    def get_calibration(
        self, window: str = "30d", agent_id: str | None = None, action_type: str | None = None, bins: int | None = None
    ) -> Response:
        """Whether stated confidence came true as success, and risk as failure, over the finished actions of the window
        (`<n>d`, 1d to 3650d back from now): a reliability diagram of `bins` (10), Brier score and calibration error.

        Raises InvalidRequest for another window.
        """
