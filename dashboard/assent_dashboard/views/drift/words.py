"""What an alert and a comparison say, in words. Knows nothing of Streamlit.

What strangers wrote is not escaped here: it goes through `views.words` where it is drawn.
"""

from __future__ import annotations

from assent.contract.analysis.drift import ComparedMetric, DriftAlert, DriftDirection, DriftMetric, DriftSeverity
from assent_analytics.charts.metrics import named
from assent_dashboard.views import words

ALL_TYPES = "all types"
NO_AGENT = "an agent without a name"
SIZES = {
    DriftSeverity.CRITICAL: ("large", ":material/priority_high:", "red"),
    DriftSeverity.WARNING: ("middling", ":material/warning:", "orange"),
    DriftSeverity.INFO: ("small", ":material/info:", "gray"),
}
"""By how many standard deviations the mean moved: 3, 2, less; with icon and colour."""
ARROWS = {
    DriftDirection.UP: ":material/trending_up:",
    DriftDirection.DOWN: ":material/trending_down:",
    DriftDirection.CHANGED: ":material/swap_vert:",
}
_CLUSTERS = {
    "session": "sessions",
    "hour": "groups of one hour",
    "session, else hour": "sessions or groups of one hour",
    None: "groups",
}
WENT = {DriftDirection.UP: "went up", DriftDirection.DOWN: "went down", DriftDirection.CHANGED: "spreads otherwise"}
EFFECTS = {
    "cliffs_delta": "Cliff's delta",
    "difference": "difference of shares",
    "cramers_v": "Cramér's V",
}


def value(unit: str | None, number: float | None) -> str:
    """A value of a metric, as a person writes it."""
    if number is None:
        return words.NOTHING
    match unit:
        case "ms":
            return words.exact(number / 1000)
        case "USD":
            return f"${number:.3g}"
        case "share":
            return words.percent(100 * number)
        case "tokens":
            return words.amount(round(number))
        case _:
            return f"{number:.1f}"


def judged(direction: str | None, metric: DriftMetric | None) -> str:
    """`worse`, `better` or `different`: what a move in this direction means for this metric."""
    if metric is None or direction not in ("up", "down") or metric.worse not in ("up", "down"):
        return "different"
    return "worse" if direction == metric.worse else "better"


def moved(alert: DriftAlert, unit: str | None) -> str:
    """`went up from 79.5 to 86.9`."""
    before, since = value(unit, alert.baseline_mean), value(unit, alert.recent_mean)
    if alert.direction is DriftDirection.CHANGED:
        return f"{WENT[alert.direction]}: a mean of {before} before, {since} since"
    return f"{WENT[alert.direction]} from {before} to {since}"


def headline(alert: DriftAlert, unit: str | None) -> str:
    """`Established: risk of payer on pay went up from 33.0 to 53.0, about 3 Nov 2026, 12:00:00 UTC.` As plain text."""
    sure = "Established" if alert.established else "A hint"
    name = titled(alert.metric, alert.agent_id, alert.action_type)
    return (
        f"{sure}: {name[:1].lower()}{name[1:]} {moved(alert, unit)}, about {words.moment(alert.change_estimated_at)}."
    )


def when(alert: DriftAlert) -> str:
    """The estimated moment, and how long it took until the change was certain: the moment lies somewhere there."""
    later = (alert.detected_at - alert.change_estimated_at).total_seconds()
    return (
        f"Began about {words.moment(alert.change_estimated_at)}, after {words.several(alert.baseline_n, 'value')}; "
        f"certain {words.span(later)} and {words.several(alert.recent_n, 'value')} later"
    )


def between(alert: DriftAlert) -> str | None:
    """The interval of that moment; None of a hint, which has none."""
    if alert.change_earliest_at is None or alert.change_latest_at is None:
        return None
    earliest, latest = words.moment(alert.change_earliest_at), words.moment(alert.change_latest_at)
    return f"With a confidence of 95% it began between {earliest} and {latest}"


def counted(alert: DriftAlert) -> str | None:
    """What an established alert rests on; None of a hint."""
    if alert.clusters is None or alert.n_effective is None:
        return None
    values, n = words.several(alert.n, "value"), words.amount(round(alert.n_effective))
    return (
        f"n: {values} in {words.amount(alert.clusters)} {_CLUSTERS[alert.basis]}, which count as {n} independent ones"
    )


def sure(alert: DriftAlert) -> str:
    """How much speaks for a change."""
    return f"Evidence {_odds(alert.e_value)} : 1 against “nothing changed”, an alert needs {_odds(alert.threshold)} : 1"


def verdict(row: ComparedMetric) -> str:
    """What one row of a comparison says."""
    if row.status != "ok":
        return "not enough data"
    return "drifted" if row.drifted else "not shown to drift"


def compared(found: int, tested: int, few: int) -> str:
    """What a whole comparison says."""
    if not tested:
        return f"Nothing could be compared: {words.several(few, 'row')} with not enough data."
    more = f"; {words.amount(few)} more have not enough data" if few else ""
    return f"{words.amount(found)} of {words.several(tested, 'comparison')} drifted{more}."


def title(metric: str) -> str:
    """`Risk`."""
    name = named(metric)
    return name[:1].upper() + name[1:]


def titled(metric: str, agent_id: str | None, action_type: str | None) -> str:
    """`Risk of payer on pay`, as plain text."""
    return f"{title(metric)} of {agent_id or NO_AGENT} on {action_type or ALL_TYPES}"


def explained(metric: DriftMetric) -> str:
    """`The risk of an action, 0 to 100. Up is worse.`"""
    meaning = metric.meaning[:1].upper() + metric.meaning[1:]
    worse = {"up": " Up is worse.", "down": " Down is worse."}.get(metric.worse, "")
    seen = "" if metric.watched else " Not watched value by value; compared below."
    return f"{meaning}.{worse}{seen}"


def _odds(number: float) -> str:
    return words.amount(round(number)) if number < 1_000_000 else "over 1 000 000"
