"""Scores of actions by a profile, and what such scores add up to.

`score_frame` scores any number of actions at once; the service scores one and many by the same function. How values,
scales and composites are meant stands in `assent.contract.analysis.scales`.
"""

from assent.contract.analysis.scales import CompositeMethod, DataSource, Dimension, ScaleError, ScaleOperator, ScaleRule
from assent_analytics.scoring.profile import Profile, profile_of
from assent_analytics.scoring.score import breakdown, score_frame
from assent_analytics.scoring.stats import clustered_average, stats
from assent_analytics.scoring.values import with_eval_scores

__all__ = [
    "CompositeMethod",
    "DataSource",
    "Dimension",
    "Profile",
    "ScaleError",
    "ScaleOperator",
    "ScaleRule",
    "breakdown",
    "clustered_average",
    "profile_of",
    "score_frame",
    "stats",
    "with_eval_scores",
]
