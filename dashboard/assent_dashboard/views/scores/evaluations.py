"""What judges thought of actions: evaluation scores by scorer and by day, and feedback of people.

Keys: `scores_by_scorer` and `scores_by_day` are the pictures, `scores_ratings` the table of ratings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl
import streamlit as st

from assent import Client
from assent.contract.analysis.evaluations import EvalStats, ScoreDay, ScorerStats
from assent.contract.exchange.feedback import FeedbackStats
from assent_analytics.charts import daily, estimates
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import Scope, in_words
from assent_dashboard.views.answers import both
from assent_dashboard.views.blocks import empty, picture
from assent_dashboard.views.scores import words as score_words

PASSED = 0.5
SNIPPET = """client.create_score(action_id, "Reviewer", 0.8, reasoning="Right, and short")
client.submit_feedback(4, "Right, and short", action_id=action_id)"""


@dataclass(frozen=True)
class EvaluationsData:
    scores: EvalStats
    feedback: FeedbackStats


def load(client: Client, scope: Scope) -> EvaluationsData:
    scores, feedback = both(
        lambda: client.get_eval_stats(agent_id=scope.agent_id, days=scope.days),
        lambda: client.get_feedback_stats(scope.agent_id),
    )
    return EvaluationsData(scores, feedback)


def tables(found: EvaluationsData) -> dict[str, pl.DataFrame]:
    return {
        "scores_by_scorer": scorers_frame(found.scores.by_scorer),
        "scores_by_day": days_frame(found.scores.trends),
        "ratings": ratings_frame(found.feedback),
    }


def scorers_frame(scorers: Sequence[ScorerStats]) -> pl.DataFrame:
    rows = [
        (each.scorer_name, each.mean, each.mean_low, each.mean_high, each.n, each.pass_rate, each.simulated)
        for each in scorers
    ]
    schema = {
        "name": pl.String,
        **dict.fromkeys(("value", "low", "high"), pl.Float64),
        "n": pl.Int64,
        "pass_rate": pl.Float64,
        "simulated": pl.Int64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def days_frame(days: Sequence[ScoreDay]) -> pl.DataFrame:
    rows = [(each.date, each.n, each.mean, each.mean_low, each.mean_high, each.simulated) for each in days]
    schema = {
        "day": pl.Date,
        "n": pl.Int64,
        **dict.fromkeys(("mean", "low", "high"), pl.Float64),
        "simulated": pl.Int64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def ratings_frame(feedback: FeedbackStats) -> pl.DataFrame:
    rows = [(each.rating, each.count) for each in feedback.rating_distribution]
    return pl.DataFrame(rows, schema={"rating": pl.Int64, "count": pl.Int64}, orient="row")


def draw(session: Session, scope: Scope, found: EvaluationsData) -> None:
    if not found.scores.overall.n and not found.feedback.overall.total_feedback:
        empty(
            "Nobody judged an action in this window.",
            "Score actions with a judge of your own, let a scorer run over those that happened, or collect what people "
            "think.",
            SNIPPET,
            key="scores_no_judgement",
        )
        return
    _scores(scope, found.scores)
    _feedback(found.feedback)


def _scores(scope: Scope, stats: EvalStats) -> None:
    st.header("Evaluation scores", anchor=False)
    overall = stats.overall
    if not overall.n:
        st.info(f"No evaluation score in {in_words(scope.window)}.", icon=":material/info:")
        return
    mean = score_words.interval(overall.mean, overall.mean_low, overall.mean_high, ".2f")
    passed = words.NOTHING if overall.pass_rate is None else words.percent(100 * overall.pass_rate)
    summary = (
        f"{words.several(overall.n, 'score')} by {words.several(overall.unique_scorers, 'judge')}: mean {mean} of 1; "
        f"{passed} passed, with {PASSED} or more ({words.percent(100 * overall.pass_low)} to "
        f"{words.percent(100 * overall.pass_high)})."
    )
    st.markdown(summary)
    frame = scorers_frame(stats.by_scorer)
    by = "; ".join(
        f"{each.scorer_name} {score_words.interval(each.mean, each.mean_low, each.mean_high, '.2f')}"
        for each in stats.by_scorer
    )
    picture(
        estimates(
            frame,
            title="Mean score by judge",
            axis="score, 0 to 1",
            n=overall.n,
            what="scores",
            form=".2f",
            reference=PASSED,
            simulated=overall.simulated,
        ),
        f"Mean score of each judge with its 95% interval, {in_words(scope.window)}: {by}",
        frame,
        key="scores_by_scorer",
    )
    days = days_frame(stats.trends)
    picture(
        daily(
            days,
            title="Scores by day",
            axis={"format": ".2~f", "tickCount": 5},
            words="mean score, 0 to 1",
            what="scores",
        ),
        f"Mean score of each of {words.several(days.height, 'day')} with its 95% interval. {summary}",
        days,
        key="scores_by_day",
    )


def _feedback(stats: FeedbackStats) -> None:
    st.header("Feedback", anchor=False)
    overall = stats.overall
    if not overall.total_feedback:
        st.info("No feedback yet, of any time.", icon=":material/info:")
        return
    rated = (
        f"mean rating {overall.avg_rating:.1f} of 5 over {words.several(overall.rated_count, 'rating')}"
        if overall.avg_rating is not None
        else "no rating among them"
    )
    st.markdown(
        f"{words.several(overall.total_feedback, 'entry', 'entries')} of all time, {rated}; "
        f"{words.amount(overall.positive_count)} good, {words.amount(overall.negative_count)} bad, "
        f"{words.amount(overall.neutral_count)} neither; {words.amount(overall.unresolved_count)} not seen to yet."
    )
    st.caption("How far the mean can be trusted is not worked out here: who rates is not drawn at random.")
    frame = ratings_frame(stats).with_columns(stars=pl.lit("★").repeat_by("rating").list.join(""))
    st.dataframe(
        frame.select("stars", "rating", "count"),
        hide_index=True,
        key="scores_ratings",
        alt="How often each rating was given: "
        + ", ".join(f"{each.rating} {words.amount(each.count)} times" for each in stats.rating_distribution),
        column_config={
            "stars": "Stars",
            "rating": "Rating",
            "count": st.column_config.ProgressColumn(
                "Times", min_value=0, max_value=max(1, overall.rated_count), format="%d"
            ),
        },
    )
