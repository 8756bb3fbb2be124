"""Everybody may ask what is usual and what came true; agents of what they did themselves."""

from __future__ import annotations

from tests.stories.ask import Ask, Asking

ASKS = {
    "auto_calibrate": Asking("aoum", lambda _: Ask("/api/scoring/calibrate", {"lookback_days": 7})),
    "get_calibration": Asking("aoum", lambda _: Ask("/api/scoring/calibration")),
}
