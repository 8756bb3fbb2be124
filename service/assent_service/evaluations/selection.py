"""Which actions a run looks at. Pure.

- Those that fit every filter and were recorded before the run began.
- `from` and `to` bound `timestamp_start`, when an action happened, inclusive. A day as `from` begins it, as `to` ends
  it; a time without a zone is UTC. `date_from` and `date_to` are other names for them.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time

from assent.contract.evaluations import ActionFilters
from assent.contract.problems import Code, FieldError
from assent_service.core.clock import naive
from assent_service.core.moments import EARLIEST, LATEST
from assent_service.core.problem import Refusal, refuse
from assent_service.core.rows import Filter


def chosen_by(filters: ActionFilters, org_id: str, now: int) -> Filter:
    """Raises `invalid_body` for a time that is none, and for a window that ends before it begins."""
    since = _moment("from", _once("from", filters.from_, filters.date_from), time.min)
    until = _moment("to", _once("to", filters.to, filters.date_to), time.max)
    if since is not None and until is not None and since > until:
        raise _invalid("from", f"is {since.isoformat()}, which is after to, {until.isoformat()}")
    chosen = Filter(org_id)
    chosen.add("agent_id = ?", filters.agent_id)
    chosen.add("action_type = ?", filters.action_type)
    chosen.add("status = ?", filters.status.value if filters.status else None)
    chosen.add("source = ?", filters.source.value if filters.source else None)
    chosen.add("timestamp_start >= ?", None if since is None else since.replace(tzinfo=None))
    chosen.add("timestamp_start <= ?", None if until is None else until.replace(tzinfo=None))
    chosen.add("created_at <= ?", naive(now))
    return chosen


def _once(name: str, value: str | None, other: str | None) -> str | None:
    if value is not None and other is not None:
        raise _invalid(name, f"is given twice, as {name} and as date_{name}; give it once")
    return other if value is None else value


def _moment(name: str, text: str | None, of_day: time) -> datetime | None:
    if text is None:
        return None
    try:
        if len(text) <= len("2026-01-31"):
            return _within(name, datetime.combine(date.fromisoformat(text), of_day, UTC))
        at = datetime.fromisoformat(text)
        return _within(name, at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC))
    except (ValueError, OverflowError):
        raise _invalid(name, f"is {text!r}; give a day such as 2026-01-31, or a time in RFC 3339") from None


def _within(name: str, at: datetime) -> datetime:
    if not EARLIEST <= at < LATEST:
        raise _invalid(name, f"is {at.isoformat()}; give a time from 1970 to 9998")
    return at


def _invalid(name: str, message: str) -> Refusal:
    place = f"action_filters.{name}"
    return refuse(Code.INVALID_BODY, f"{place} {message}.", FieldError(place=place, message=message))
