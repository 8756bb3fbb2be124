"""Backtest: recorded decisions, decided again by other policies or risk templates, with what became of them."""

from assent_analytics.backtest.backtest import backtest, columns_needed
from assent_analytics.backtest.costs import cost_curve, curve_frame
from assent_analytics.backtest.database import PatternError

__all__ = ["PatternError", "backtest", "columns_needed", "cost_curve", "curve_frame"]
