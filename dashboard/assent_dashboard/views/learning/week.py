"""The last seven whole days beside the seven before them."""

from __future__ import annotations

import polars as pl
import streamlit as st

from assent.contract.weekly import WeekCount, WeeklyDigest, WeekQuantile, WeekRate
from assent_dashboard.views import words
from assent_dashboard.views.learning import said


def draw_week(week: WeeklyDigest) -> None:
    st.header("The week beside the week before", anchor=False)
    st.caption(
        f"Whole days, UTC: {words.moment(week.since)} to {words.moment(week.until)}, beside the seven days before. A "
        "change whose interval leaves out 0 is more than chance."
    )
    rows = week_rows(week)
    with st.container(key="learning_week"):
        st.dataframe(rows, hide_index=True, key="learning_week_table", alt=told(rows))
        for what, found in (("agents", week.new_agents), ("types", week.new_types)):
            if found:
                named = ", ".join(f"{words.code(each.name)} ({words.amount(each.n)})" for each in found[:10])
                st.markdown(f"New {what} this week, with their actions: {named}")


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
        ("Drift alerts", *_count(week.drift_alerts.all)),
        ("Signals", *_count(week.signals.all)),
    ]
    return pl.DataFrame(rows, schema=["What", "This week", "Week before", "Change (95 %)"], orient="row")


def told(rows: pl.DataFrame) -> str:
    """The table in a sentence."""
    return "; ".join(f"{what}: {now}, before {before}" for what, now, before, _ in rows.iter_rows()) + "."


def change(ratio: float | None, low: float | None, high: float | None) -> str:
    """A ratio as what it adds: `+5 % (−7 to +20)`."""
    if ratio is None or low is None or high is None:
        return said.NOT_ENOUGH
    value, least, most = (said.signed(100 * (each - 1), "+.0f") for each in (ratio, low, high))
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
        difference = said.NOT_ENOUGH
    else:
        value, low, high = (
            said.signed(100 * each, "+.1f") for each in (rate.difference, rate.difference_low, rate.difference_high)
        )
        difference = f"{value} points ({low} to {high})"
    return said.share(rate.rate, rate.low, rate.high), before, difference


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
