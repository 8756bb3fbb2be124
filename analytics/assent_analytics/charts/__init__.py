"""Pictures of what the functions beside it give; the only part that draws. Each takes a `width` in pixels, or
`container`; an empty frame gives a picture that says so. Backgrounds are left to the theme."""

from assent_analytics.charts.approvals import approval_backlog, approval_latency
from assent_analytics.charts.checkpoints import checkpoint_funnel
from assent_analytics.charts.decisions import decision_mix
from assent_analytics.charts.inclusion import inclusion_tree
from assent_analytics.charts.palette import APPROVALS, CHECKPOINT_STATUSES, CHECKPOINTS, DECISIONS, STATUSES, TIMELINE
from assent_analytics.charts.replay import replay_gantt

__all__ = [
    "APPROVALS",
    "CHECKPOINTS",
    "CHECKPOINT_STATUSES",
    "DECISIONS",
    "STATUSES",
    "TIMELINE",
    "approval_backlog",
    "approval_latency",
    "checkpoint_funnel",
    "decision_mix",
    "inclusion_tree",
    "replay_gantt",
]
