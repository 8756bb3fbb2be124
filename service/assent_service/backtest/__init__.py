"""Backtest: what other policies would have decided on what is recorded."""

from assent_service.backtest.backtests import Backtests
from assent_service.backtest.routes import routes

__all__ = ["Backtests", "routes"]
