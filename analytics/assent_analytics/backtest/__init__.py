"""Backtest: recorded decisions, decided again by other policies or risk templates, with what became of them."""

from assent_analytics.backtest.backtest import backtest, columns_needed
from assent_analytics.backtest.costs import cost_curve, curve_frame
from assent_analytics.backtest.database import PatternError
from assent_analytics.backtest.evaluation import columns_to_evaluate, evaluate_policy

__all__ = [
    "PatternError",
    "backtest",
    "columns_needed",
    "columns_to_evaluate",
    "cost_curve",
    "curve_frame",
    "evaluate_policy",
]
