"""Learning in words: a number never without what it leaves open, and "not enough data" where there is none."""

from __future__ import annotations

import polars as pl

from assent.contract.analysis.learning import (
    DataStatus,
    LearningDirection,
    LearningPeriod,
    LearningSummary,
    LearningVelocity,
)
from assent_analytics.charts.learning import Measure
from assent_dashboard.views import words

NOT_ENOUGH = "not enough data"
MINUS = "\N{MINUS SIGN}"
UNITS = {LearningPeriod.DAILY: "a day", LearningPeriod.WEEKLY: "a week"}
DIRECTIONS = {
    "better": "getting better",
    "worse": "getting worse",
    "unclear": "cannot be told yet",
    "hours": "cannot be told from other hours",
    "": NOT_ENOUGH,
}
ICONS = {
    "better": ":material/trending_up:",
    "worse": ":material/trending_down:",
    "unclear": ":material/trending_flat:",
    "hours": ":material/trending_flat:",
    "": ":material/hourglass_empty:",
}
MEASURES: dict[str, Measure] = {
    "Success": "success_rate",
    "Score": "avg_score",
    "Time": "avg_duration_ms",
    "Cost": "avg_cost",
}
_BANDS = {"success_rate": "success", "avg_score": "score", "avg_duration_ms": "duration", "avg_cost": "cost"}
TOLD = 3
"""So many curves are put into words."""


def share(value: float | None, low: float | None, high: float | None) -> str:
    """Of 0 to 1: `88.8 % (95 %: 87.3 to 90.1)`."""
    if value is None or low is None or high is None:
        return NOT_ENOUGH
    return f"{words.percent(100 * value)} (95 %: {100 * low:.1f} to {100 * high:.1f})"


def between(value: float | None, low: float | None, high: float | None, form: str = ".1f") -> str:
    """For a cell of a table whose heading says 95 %: `87.1 (86.0 to 88.2)`."""
    return number(value, low, high, form).replace("95 %: ", "")


def number(value: float | None, low: float | None, high: float | None, form: str = ".1f") -> str:
    """`87.1 (95 %: 86.0 to 88.2)`; without an interval `87.1 (too few for an interval)`."""
    if value is None:
        return NOT_ENOUGH
    if low is None or high is None:
        return f"{signed(value, form)} (too few for an interval)"
    return f"{signed(value, form)} (95 %: {signed(low, form)} to {signed(high, form)})"


def signed(value: float, form: str) -> str:
    """With a minus sign that is one, and no negative zero."""
    text = format(value, form)
    if not any(digit in text for digit in "123456789"):
        text = text.lstrip("-+")
    return text.replace("-", MINUS)


def direction(velocity: LearningVelocity) -> str:
    """`better`, `worse`, `unclear`, `hours` where only one of the two fits tells a direction, or nothing where too
    little has happened for an interval."""
    low, high = velocity.standardized_low, velocity.standardized_high
    if velocity.status is not DataStatus.OK or low is None or high is None:
        return ""
    if velocity.direction is LearningDirection.UNCLEAR:
        return "unclear" if low <= 0 <= high else "hours"
    return "better" if velocity.direction is LearningDirection.IMPROVING else "worse"


def mix(velocity: LearningVelocity) -> str:
    """How much of the trend is other work: `of +0.12, +0.10 is easier work`."""
    if velocity.velocity is None or velocity.mix is None:
        return NOT_ENOUGH
    other = signed(velocity.mix, "+.2f")
    if other == "0.00":
        return f"of {signed(velocity.velocity, '+.2f')}, nothing is other work"
    return f"of {signed(velocity.velocity, '+.2f')}, {other} is {'easier' if velocity.mix > 0 else 'harder'} work"


def rests(clusters: int | None, basis: str | None, unmatched: int | None = None) -> str:
    """What an interval rests on: `8 (5 days)`, and how many episodes are at hours that were not compared."""
    if not clusters or not basis:
        return NOT_ENOUGH
    alone = f", without {words.amount(unmatched)} at hours or on days of one half only" if unmatched else ""
    return f"{words.amount(clusters)} ({basis}){alone}"


def released(stopped: int, cancelled: int, least: float | None, most: float | None) -> str:
    """That it was learned from actions that ran to an end only, with bounds where others were stopped or cancelled."""
    untold = [
        f"{words.several(number, 'action')} {what}"
        for number, what in ((stopped, "stopped"), (cancelled, "cancelled while they ran"))
        if number
    ]
    if not untold or least is None or most is None:
        return "Learned from released actions only; none was stopped."
    return (
        f"Learned from released actions only. {' and '.join(untold)}, whose outcome nobody knows: "
        f"with them, success would lie between {words.percent(100 * least)} and {words.percent(100 * most)}."
    )


def headline(summary: LearningSummary) -> str:
    """Who gets better, in one sentence."""
    told = [
        f"{words.several(count, 'agent')} {said}"
        for count, said in ((summary.improving, "getting better"), (summary.declining, "getting worse"))
        if count
    ]
    if summary.unclear:
        told.append(f"whether {words.several(summary.unclear, 'agent')} get better cannot be told yet")
    text = "; ".join(told)
    return f"{text[:1].upper()}{text[1:]}." if text else "No agent has an episode in this window."


def trends(velocities: list[LearningVelocity], period: LearningPeriod) -> str:
    """The picture of trends for somebody who cannot see it."""
    known = [each for each in velocities if each.standardized is not None]
    if not known:
        return "No agent has enough episodes for a trend."
    each_said = [
        f"{words.clean(each.agent_id)} "
        f"{number(each.standardized, each.standardized_low, each.standardized_high, '+.2f')}"
        f"{'' if each.mix is None else f', {mix(each)}'}"
        for each in sorted(known, key=lambda each: each.standardized or 0.0, reverse=True)[:8]
    ]
    return f"Points of score gained {UNITS[period]} at the same work, with 95 % intervals: {'; '.join(each_said)}."


def curves(steps: pl.DataFrame, measure: Measure) -> str:
    """The curves for somebody who cannot see them: where the longest of them began and where they are."""
    if steps.is_empty():
        return "No episodes, so no curve."
    band = _BANDS[measure]
    told = []
    pairs = steps.group_by("agent_id", "action_type").agg(pl.col("n").sum()).sort("n", descending=True)
    for agent, kind, _ in pairs.head(TOLD).iter_rows():
        points = steps.filter(agent_id=agent, action_type=kind).sort("exposure_from")
        first, last = points.row(0, named=True), points.row(-1, named=True)
        told.append(
            f"{words.clean(agent)}, {words.clean(kind)}: {_of(first, measure, band)} in episodes "
            f"{first['exposure_from']} to {first['exposure_to']}, {_of(last, measure, band)} in episodes "
            f"{last['exposure_from']} to {last['exposure_to']}"
        )
    name = next(name for name, value in MEASURES.items() if value == measure)
    return f"{name} by experience, {words.several(pairs.height, 'curve')}. {'. '.join(told)}."


def _of(point: dict[str, object], measure: Measure, band: str) -> str:
    value, low, high = (_float(point[name]) for name in (measure, f"{band}_low", f"{band}_high"))
    if measure == "success_rate":
        return share(value, low, high)
    if measure == "avg_duration_ms":
        value, low, high = (None if each is None else each / 1000 for each in (value, low, high))
        return f"{number(value, low, high, '.2f')} s"
    if measure == "avg_cost":
        return f"${number(value, low, high, '.4f')}"
    return number(value, low, high)


def _float(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
