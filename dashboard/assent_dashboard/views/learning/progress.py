"""The progress of agents, drawn: headline numbers, each agent's trend and maturity, learning curves, and the last week
beside the one before."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import streamlit as st

from assent.contract.analysis.learning import CurvesAnswer, LearningVelocity, MaturityLevel
from assent.contract.analysis.weekly import WeekCount, WeeklyDigest, WeekQuantile, WeekRate
from assent_analytics.charts import estimates, learning_curve
from assent_dashboard.views import words
from assent_dashboard.views.addresses import Scope
from assent_dashboard.views.blocks import picture
from assent_dashboard.views.export import draw_export
from assent_dashboard.views.learning import words as learning_words
from assent_dashboard.views.learning.data import Learned, frame, steps

TREND = (
    "Each finished action is an episode with a score of 0 to 100. The trend is what the mean score gains at the same "
    "work: action type, whether it can be taken back, and stated risk are compared with themselves, and what easier or "
    "harder work adds is told apart. So are other hours and days of the week, where they changed. Only an interval "
    "that leaves out 0 says that somebody gets better or worse. It rests on blocks of five days or more, or of shorter "
    "ones where there are fewer than 20 days, and difficulty that nobody recorded is not taken out."
)


def draw_headline(learned: Learned, scope: Scope) -> None:
    summary = learned.summary
    with st.container(key="learning_headline"):
        st.markdown(f"**{learning_words.headline(summary)}**")
        if summary.simulated:
            st.caption(
                f":violet-badge[simulated] {words.amount(summary.simulated)} of the "
                f"{words.several(summary.total_episodes, 'episode')} were made by a simulator. They never happened."
            )
        untold = summary.stopped, summary.cancelled
        st.caption(learning_words.released(*untold, summary.success_least, summary.success_most))
        if scope.action_type:
            st.caption("Episodes, trends, maturity and the week are of all types; curves and advice of this one.")
        tiles = (
            ("Episodes", words.amount(summary.total_episodes), f"Of {words.several(summary.total_agents, 'agent')}."),
            (
                "Success",
                words.percent(None if summary.success_rate is None else 100 * summary.success_rate),
                learning_words.share(summary.success_rate, summary.success_low, summary.success_high),
            ),
            (
                "Mean score",
                words.NOTHING if summary.avg_score is None else f"{summary.avg_score:.1f}",
                learning_words.number(summary.avg_score, summary.avg_low, summary.avg_high) + ", of 0 to 100",
            ),
        )
        for column, (label, value, meaning) in zip(st.columns(len(tiles)), tiles, strict=True):
            with column.container(border=True, height="stretch"):
                st.metric(label, value)
                st.caption(meaning)


def draw_trends(learned: Learned) -> None:
    st.header("Who gets better", anchor=False)
    st.caption(TREND)
    summary, unit = learned.summary, learning_words.UNITS[learned.period]
    rows = trend_rows(summary.velocity)
    with st.container(border=True, key="learning_trends"):
        if not rows.is_empty():
            chart = estimates(
                rows,
                title=f"Score gained {unit} at the same work",
                axis=f"points of score {unit}",
                form="+.1f",
                reference=0,
                n=summary.total_episodes,
                what="episodes",
                simulated=summary.simulated,
            )
            picture(chart, learning_words.trends(summary.velocity, learned.period), key="learning_trend")
        st.dataframe(
            agent_rows(summary.velocity, unit),
            hide_index=True,
            key="learning_agents",
            alt="One row for each agent: episodes, success, score, trend and maturity. "
            + learning_words.headline(summary),
        )


def trend_rows(velocities: list[LearningVelocity]) -> pl.DataFrame:
    """The trends that have an interval, the steepest first."""
    known = [each for each in velocities if learning_words.direction(each)]
    return pl.DataFrame(
        {
            "name": [words.clean(each.agent_id) for each in known],
            "value": [each.standardized for each in known],
            "low": [each.standardized_low for each in known],
            "high": [each.standardized_high for each in known],
            "n": [each.episode_count for each in known],
        },
        schema={"name": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "n": pl.Int64},
    ).sort("value", descending=True)


def agent_rows(velocities: list[LearningVelocity], unit: str) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                "Agent": words.clean(each.agent_id),
                "Direction": learning_words.DIRECTIONS[learning_words.direction(each)],
                f"Points {unit} (95 %)": learning_words.between(
                    each.standardized, each.standardized_low, each.standardized_high, "+.2f"
                ),
                "Other work": learning_words.mix(each),
                "Rests on": learning_words.rests(each.clusters, each.basis, each.unmatched),
                "Maturity": each.maturity_level,
                "Episodes": each.episode_count,
                "Success % (95 %)": learning_words.between(
                    100 * each.success_rate, 100 * each.success_low, 100 * each.success_high
                ),
                "Mean score (95 %)": learning_words.between(each.avg_score, each.avg_low, each.avg_high),
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


# Learning curves: how episodes change as an agent does more of a type.


CURVES = (
    "Each step has as many episodes as all before it. The band is the 95 % interval; a hollow point stands on too few "
    "episodes for a line. Choose an agent or a type above to see its own curves."
)
HEIGHT = 340
COLUMNS = ("agent_id", "action_type", "exposure_from", "exposure_to", "n")


def draw_curves(curves: CurvesAnswer, window: str) -> None:
    with st.container(border=True, key="learning_curves"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
            chosen = st.segmented_control(
                "What the curves show",
                list(learning_words.MEASURES),
                default="Success",
                required=True,
                key="learning_measure",
            )
            draw_export("learning_curves", {"by_experience": frame(curves.curves)}, window)
        measure = learning_words.MEASURES[chosen or "Success"]
        points = steps(curves)
        picture(
            learning_curve(points, measure=measure, height=HEIGHT),
            learning_words.curves(points, measure),
            points if points.is_empty() else points.select(*COLUMNS, measure, "status"),
            key="learning_curve",
        )
        if curves.total > len(curves.curves):
            st.caption(
                f"These are the first {words.amount(len(curves.curves))} of "
                f"{words.amount(curves.total)} steps; choose an agent or a type to see the others."
            )


# The last seven whole days beside the seven before them.


def draw_week(week: WeeklyDigest) -> None:
    st.header("The week beside the week before", anchor=False)
    st.caption(
        f"Whole days, UTC: {words.moment(week.since)} to {words.moment(week.until)}, beside the seven days before. A "
        f"change whose interval leaves out 0 is more than chance. {_counted(week)}"
    )
    rows = week_rows(week)
    with st.container(key="learning_week"):
        st.dataframe(rows, hide_index=True, key="learning_week_table", alt=in_words(rows))
        for what, found in (("agents", week.new_agents), ("types", week.new_types)):
            if found:
                named = ", ".join(f"{words.code(each.name)} ({words.amount(each.n)})" for each in found[:10])
                st.markdown(f"New {what} this week, with their actions: {named}")


def _counted(week: WeeklyDigest) -> str:
    """What the intervals of the shares count."""
    rate = week.actions.success
    if rate.clusters is None or rate.clustered_difference_low is None:
        return "Intervals count rows one by one, which is too narrow where those of a session are alike."
    return (
        "Changes of success and of guard's answers count what belongs together once, such as "
        f"{words.several(rate.clusters, 'cluster')} ({rate.basis}) for success; the others count rows one by one."
    )


def week_rows(week: WeeklyDigest) -> pl.DataFrame:
    cost = week.cost
    rows = [
        ("Actions", *_count(week.actions.all)),
        ("Success", *_rate(week.actions.success)),
        ("Guard asked a person", *_rate(week.decisions.require_approval)),
        ("Guard blocked", *_rate(week.decisions.block)),
        ("Approvals asked", *_count(week.approvals.asked)),
        ("Median time to decide", *_quantile(week.approvals.p50)),
        (
            "Mean cost of an action",
            _dollars(cost.mean, cost.mean_low, cost.mean_high),
            _dollars(cost.before_mean),
            words.NOTHING,
        ),
        ("Drift alerts raised in the week, acknowledged ones too", *_count(week.drift_alerts.all)),
        ("Signals", *_count(week.signals.all)),
    ]
    return pl.DataFrame(rows, schema=["What", "This week", "Week before", "Change (95 %)"], orient="row")


def in_words(rows: pl.DataFrame) -> str:
    """The table in a sentence."""
    return "; ".join(f"{what}: {now}, before {before}" for what, now, before, _ in rows.iter_rows()) + "."


def change(ratio: float | None, low: float | None, high: float | None) -> str:
    """A ratio as what it adds: `+5 % (−7 to +20)`."""
    if ratio is None or low is None or high is None:
        return learning_words.NOT_ENOUGH
    value, least, most = (learning_words.signed(100 * (each - 1), "+.0f") for each in (ratio, low, high))
    return f"{value} % ({least} to {most})"


def _count(count: WeekCount) -> tuple[str, str, str]:
    return (
        words.amount(count.n),
        words.amount(count.before),
        change(count.ratio, count.ratio_low, count.ratio_high),
    )


def _rate(rate: WeekRate) -> tuple[str, str, str]:
    before = words.NOTHING if rate.before_rate is None else words.percent(100 * rate.before_rate)
    if rate.difference is None or rate.difference_low is None or rate.difference_high is None:
        difference = learning_words.NOT_ENOUGH
    else:
        value, low, high = (learning_words.signed(100 * each, "+.1f") for each in (rate.difference, *_ends(rate)))
        difference = f"{value} points ({low} to {high})"
    return learning_words.share(rate.rate, rate.low, rate.high), before, difference


def _ends(rate: WeekRate) -> tuple[float, float]:
    """Of the difference, over clusters where these tell it."""
    low, high = rate.clustered_difference_low, rate.clustered_difference_high
    if low is not None and high is not None:
        return low, high
    assert rate.difference_low is not None
    assert rate.difference_high is not None
    return rate.difference_low, rate.difference_high


def _quantile(quantile: WeekQuantile) -> tuple[str, str, str]:
    def span(seconds: float | None) -> str:
        return words.NOTHING if seconds is None else words.span(seconds)

    value = span(quantile.value)
    if quantile.value is not None:
        low = "?" if quantile.low is None else span(quantile.low)
        high = "?" if quantile.high is None else span(quantile.high)
        value += f" (95 %: {low} to {high})"
    return value, span(quantile.before), words.NOTHING


def _dollars(value: float | None, low: float | None = None, high: float | None = None) -> str:
    if value is None:
        return words.NOTHING
    interval = "" if low is None or high is None else f" (95 %: {low:.4f} to {high:.4f})"
    return f"${value:.4f}{interval}"
