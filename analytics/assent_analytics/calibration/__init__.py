"""Calibration: what is usual, whether what was stated came true, and which rules of risk the failures suggest.

`scales` turns history into percentile scales, `reliability` and `quality` hold stated confidence and risk against
outcomes, `suggest_template` fits the points of a risk template to failures.
"""

from assent_analytics.calibration.bins import bounds, reliability
from assent_analytics.calibration.quality import clustered_base, quality
from assent_analytics.calibration.scales import METRICS, scales, suggested_scale
from assent_analytics.calibration.suggestion import RuleEvidence, SuggestedTemplate, suggest_template

__all__ = [
    "METRICS",
    "RuleEvidence",
    "SuggestedTemplate",
    "bounds",
    "clustered_base",
    "quality",
    "reliability",
    "scales",
    "suggest_template",
    "suggested_scale",
]
