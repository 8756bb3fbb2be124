"""What the page Drift is asked to look at besides its scope, as it stands in the address. Knows nothing of Streamlit.

- `alert_id` is the alert that is looked at; its agent, type and metric then count for what is drawn below.
- `metric` is what is looked at without one. Without either it is the first alert of the list.
- `recent` is the length of the recent window of the comparison; what the page's window has before it is the baseline.
- `alerts` is which list of alerts is shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from assent.contract.drift import DriftAlert
from assent.contract.window import days_of
from assent_analytics.drift import METRICS
from assent_dashboard.views.scope import LONGEST_NAME, Scope, read_text

DEFAULT_METRIC = "success_rate"
RECENTS = ("1d", "3d", "7d", "14d", "30d")
SERIES = tuple(name for name, metric in METRICS.items() if metric.kind != "category")
"""Metrics that have a mean, day by day."""


class Shown(StrEnum):
    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"


@dataclass(frozen=True)
class Asked:
    """None is what nobody said."""

    alert_id: str | None = None
    metric: str | None = None
    recent: str | None = None
    shown: Shown = Shown.OPEN


@dataclass(frozen=True)
class Focus:
    """One metric of an agent, of one type of action or of all; `alert` where that is of a change."""

    metric: str
    agent_id: str | None
    action_type: str | None
    alert: DriftAlert | None = None


def read(address: Mapping[str, str], scope: Scope) -> tuple[Asked, list[str]]:
    """What an address asks for, and a sentence for each value that means nothing."""
    problems: list[str] = []
    return Asked(
        alert_id=read_text(address, "alert_id", LONGEST_NAME, problems),
        metric=_metric(address, problems),
        recent=_recent(address, scope, problems),
        shown=_shown(address, problems),
    ), problems


def possible(days: int) -> list[str]:
    """The recent windows that leave a baseline within so many days."""
    return [each for each in RECENTS if days_of(each) < days]


def recent_of(asked: Asked, scope: Scope) -> str | None:
    """The recent window: what was asked for, else a quarter of the whole or a little less; None where the window is
    too short to have a baseline."""
    if asked.recent is not None:
        return asked.recent
    known = possible(scope.days)
    short = [each for each in known if 4 * days_of(each) <= scope.days] or known[:1]
    return short[-1] if short else None


def focus_of(asked: Asked, scope: Scope, alerts: Sequence[DriftAlert]) -> Focus:
    """What is looked at. `alerts` are those that are shown."""
    chosen = next((each for each in alerts if each.id == asked.alert_id), None)
    if chosen is None and asked.alert_id is None and asked.metric is None:
        chosen = next(iter(alerts), None)
    if chosen is not None:
        return Focus(chosen.metric, chosen.agent_id, chosen.action_type, chosen)
    return Focus(asked.metric or DEFAULT_METRIC, scope.agent_id, scope.action_type)


def _metric(address: Mapping[str, str], problems: list[str]) -> str | None:
    given = address.get("metric", "").strip()
    if given and given not in SERIES:
        problems.append(f"metric is {given[:40]!r}; it can be {', '.join(SERIES)}. Showing without it.")
        return None
    return given or None


def _recent(address: Mapping[str, str], scope: Scope, problems: list[str]) -> str | None:
    given = address.get("recent", "").strip()
    if not given:
        return None
    try:
        if days_of(given) < scope.days:
            return given
    except ValueError as error:
        problems.append(f"recent: {error}. Showing without it.")
    else:
        problems.append(f"recent is {given}, and has to be shorter than the window of {scope.window}.")
    return None


def _shown(address: Mapping[str, str], problems: list[str]) -> Shown:
    given = address.get("alerts", "").strip()
    try:
        return Shown(given) if given else Shown.OPEN
    except ValueError:
        problems.append(f"alerts is {given[:40]!r}; it can be {', '.join(Shown)}. Showing the open ones.")
        return Shown.OPEN
