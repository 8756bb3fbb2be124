"""Learning: whether agents get better, and at what."""

from __future__ import annotations

from assent.client.method import Response, sends
from assent.client.operation import Caller
from assent.contract.analysis.learning import (
    COMPUTE_LEARNING_CURVES,
    COMPUTE_LEARNING_VELOCITY,
    GET_LEARNING_ANALYTICS_SUMMARY,
    GET_LEARNING_CURVES,
    GET_LEARNING_VELOCITY,
    GET_MATURITY_LEVELS,
    CurveStep,
    LearningPeriod,
)


class LearningOperations(Caller):
    @sends(GET_LEARNING_VELOCITY)
    def get_learning_velocity(
        self,
        agent_id: str | None = None,
        limit: int = 30,
        *,
        lookback_days: int | None = None,
        period: LearningPeriod | str | None = None,
    ) -> Response:
        """How fast agents get better: the slope of the mean scores (0 to 100) of their daily or weekly episodes, by
        least squares and by Theil and Sen, each with its 95% interval where there is one, and their maturity. Agents
        with fewer than 3 episodes or 2 windows have `insufficient_data`. It is computed now, from the last
        `lookback_days` (30).

        Raises InvalidRequest for numbers that cannot be.
        """

    @sends(COMPUTE_LEARNING_VELOCITY)
    def compute_learning_velocity(
        self, agent_id: str | None = None, lookback_days: int | None = None, period: LearningPeriod | str | None = None
    ) -> Response:
        """The rows of `get_learning_velocity`, as published clients ask for them. Nothing is kept.

        Raises InvalidRequest for numbers that cannot be.
        """

    @sends(GET_LEARNING_CURVES)
    def get_learning_curves(
        self,
        agent_id: str | None = None,
        action_type: str | None = None,
        limit: int | None = None,
        *,
        lookback_days: int | None = None,
        by: CurveStep | str | None = None,
    ) -> Response:
        """How episodes of each action type change as an agent does more of them, by `week` or by `exposure` (steps
        that double): success rate, mean score and its quantiles, mean duration in ms and mean cost in US dollars, with
        their 95% intervals. It is computed now, from the last `lookback_days` (60).

        Raises InvalidRequest for numbers that cannot be.
        """

    @sends(COMPUTE_LEARNING_CURVES)
    def compute_learning_curves(
        self,
        agent_id: str | None = None,
        lookback_days: int | None = None,
        *,
        action_type: str | None = None,
        by: CurveStep | str | None = None,
    ) -> Response:
        """The points of `get_learning_curves`, as published clients ask for them. Nothing is kept.

        Raises InvalidRequest for numbers that cannot be.
        """

    @sends(GET_LEARNING_ANALYTICS_SUMMARY)
    def get_learning_analytics_summary(
        self,
        agent_id: str | None = None,
        *,
        lookback_days: int | None = None,
        period: LearningPeriod | str | None = None,
    ) -> Response:
        """What all agents' episodes come to, who gets better, who worse, and of whom that cannot be said yet.

        Raises InvalidRequest for numbers that cannot be.
        """

    @sends(GET_MATURITY_LEVELS)
    def get_maturity_levels(self) -> Response:
        """The levels of maturity, from the lowest on: how many episodes, which success rate (0 to 1) and which mean
        score (0 to 100) each asks for."""
