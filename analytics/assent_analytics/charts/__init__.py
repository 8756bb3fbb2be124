"""Pictures of what the functions beside it give; the only part that draws. Each takes a `width` in pixels, or
`container`; an empty frame gives a picture that says so. Backgrounds are left to the theme.

What colour tells is told again: by shape or dash where marks stand alone, by a number or a label where they are cells,
by the legend's order where they are stacked.
"""

from assent_analytics.charts.approvals import approval_backlog, approval_latency, checkpoint_funnel, replay_gantt
from assent_analytics.charts.daily import MeanLevel, daily
from assent_analytics.charts.decisions import cost_curve, decision_mix, risk_map, verdict_changes
from assent_analytics.charts.drift import detector_trace, drift_overview, ecdf_comparison
from assent_analytics.charts.drivers import waterfall
from assent_analytics.charts.flow_steps import session_flow
from assent_analytics.charts.inclusion import inclusion_tree
from assent_analytics.charts.injection import cost_by_weight, injection_categories, injection_days, recall_curve
from assent_analytics.charts.learning import estimates, learning_curve, reliability_diagram
from assent_analytics.charts.palette import APPROVALS, CHECKPOINT_STATUSES, CHECKPOINTS, DECISIONS, STATUSES, TIMELINE

__all__ = [
    "APPROVALS",
    "CHECKPOINTS",
    "CHECKPOINT_STATUSES",
    "DECISIONS",
    "STATUSES",
    "TIMELINE",
    "MeanLevel",
    "approval_backlog",
    "approval_latency",
    "checkpoint_funnel",
    "cost_by_weight",
    "cost_curve",
    "daily",
    "decision_mix",
    "detector_trace",
    "drift_overview",
    "ecdf_comparison",
    "estimates",
    "inclusion_tree",
    "injection_categories",
    "injection_days",
    "learning_curve",
    "recall_curve",
    "reliability_diagram",
    "replay_gantt",
    "risk_map",
    "session_flow",
    "verdict_changes",
    "waterfall",
]
