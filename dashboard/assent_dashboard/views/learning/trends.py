"""Who gets better: the headline numbers, each agent's trend, and how mature it is."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import streamlit as st

from assent.contract.learning import LearningVelocity, MaturityLevel
from assent_analytics.charts import estimates
from assent_dashboard.views import words
from assent_dashboard.views.learning import said
from assent_dashboard.views.learning.data import Learned
from assent_dashboard.views.picture import picture
from assent_dashboard.views.scope import Scope

TREND = (
    "Each finished action is an episode with a score of 0 to 100. The trend is the slope of the mean scores "
    "(Theil and Sen's, which one wild day does not move); only an interval that leaves out 0 says that somebody gets "
    "better or worse."
)


def draw_headline(learned: Learned, scope: Scope) -> None:
    summary = learned.summary
    with st.container(key="learning_headline"):
        st.markdown(f"**{said.headline(summary)}**")
        if summary.simulated:
            st.caption(
                f":violet-badge[simulated] {words.amount(summary.simulated)} of the "
                f"{words.several(summary.total_episodes, 'episode')} were made by a simulator. They never happened."
            )
        if scope.action_type:
            st.caption("Episodes, trends, maturity and the week are of all types; curves and advice of this one.")
        tiles = (
            ("Episodes", words.amount(summary.total_episodes), f"Of {words.several(summary.total_agents, 'agent')}."),
            (
                "Success",
                words.percent(None if summary.success_rate is None else 100 * summary.success_rate),
                said.share(summary.success_rate, summary.success_low, summary.success_high),
            ),
            (
                "Mean score",
                words.NOTHING if summary.avg_score is None else f"{summary.avg_score:.1f}",
                said.number(summary.avg_score, summary.avg_low, summary.avg_high) + ", of 0 to 100",
            ),
        )
        for column, (label, value, meaning) in zip(st.columns(len(tiles)), tiles, strict=True):
            with column.container(border=True, height="stretch"):
                st.metric(label, value)
                st.caption(meaning)


def draw_trends(learned: Learned) -> None:
    st.header("Who gets better", anchor=False)
    st.caption(TREND)
    summary, unit = learned.summary, said.UNITS[learned.period]
    rows = trend_rows(summary.velocity)
    with st.container(border=True, key="learning_trends"):
        if not rows.is_empty():
            chart = estimates(
                rows,
                title=f"Score gained {unit}",
                axis=f"points of score {unit}",
                form="+.1f",
                reference=0,
                n=summary.total_episodes,
                what="episodes",
                simulated=summary.simulated,
            )
            picture(chart, said.trends(summary.velocity, learned.period), key="learning_trend")
        st.dataframe(
            agent_rows(summary.velocity, unit),
            hide_index=True,
            key="learning_agents",
            alt=f"One row for each agent: episodes, success, score, trend and maturity. {said.headline(summary)}",
        )


def trend_rows(velocities: list[LearningVelocity]) -> pl.DataFrame:
    """The trends that have an interval, the steepest first."""
    known = [each for each in velocities if said.direction(each)]
    return pl.DataFrame(
        {
            "name": [words.clean(each.agent_id) for each in known],
            "value": [each.slope for each in known],
            "low": [each.slope_low for each in known],
            "high": [each.slope_high for each in known],
            "n": [each.episode_count for each in known],
        },
        schema={"name": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "n": pl.Int64},
    ).sort("value", descending=True)


def agent_rows(velocities: list[LearningVelocity], unit: str) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                "Agent": words.clean(each.agent_id),
                "Direction": said.DIRECTIONS[said.direction(each)],
                f"Points {unit} (95 %)": said.between(each.slope, each.slope_low, each.slope_high, "+.2f"),
                "Maturity": each.maturity_level,
                "Episodes": each.episode_count,
                "Success % (95 %)": said.between(
                    100 * each.success_rate, 100 * each.success_low, 100 * each.success_high
                ),
                "Mean score (95 %)": said.between(each.avg_score, each.avg_low, each.avg_high),
            }
            for each in velocities
        ]
    )


def draw_maturity(learned: Learned) -> None:
    st.header("Maturity", anchor=False)
    st.caption(
        "An agent is at the highest level of which it reaches all three: episodes in this window, success rate and "
        "mean score."
    )
    rows = level_rows(learned.levels, learned.summary.by_maturity)
    with st.container(key="learning_maturity"):
        st.dataframe(
            rows,
            hide_index=True,
            key="learning_levels",
            alt="The levels of maturity, what each asks for, and how many agents are there.",
        )


def level_rows(levels: Sequence[MaturityLevel], agents: dict[str, int]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                "Level": each.level,
                "Agents": agents.get(each.level, 0),
                "Episodes": f"{words.amount(each.min_episodes)} or more",
                "Success": f"{words.percent(100 * each.min_success_rate)} or more",
                "Mean score": f"{each.min_avg_score:.0f} or more",
            }
            for each in levels
        ]
    )
