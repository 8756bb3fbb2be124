"""Which actions an evaluation run looks at, and the run as it is first recorded.

- Those that fit every filter and were recorded before the run began.
- `from` and `to` bound `timestamp_start`, when an action happened, inclusive. A day as `from` begins it, as `to` ends
  it; a time without a zone is UTC. `date_from` and `date_to` are other names for them.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time

import msgspec

from assent.contract.analysis.evaluations import ActionFilters, CreateEvalRun, EvalRun, RunStatus
from assent.contract.analysis.scorers import Scorer
from assent.contract.prepared import prepared
from assent.contract.problems import Code, FieldError
from assent_service.analysis.evaluations.config import read_config
from assent_service.analysis.evaluations.work import RunWork
from assent_service.base.clock import microseconds, moment, naive, new_id
from assent_service.base.problem import Refusal, refuse
from assent_service.control.actions import ACTIONS
from assent_service.core.moments import EARLIEST, LATEST
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter, Filters, count_rows
from assent_service.store.ledger import Ledger

FILTERS = Filters(ACTIONS, ActionFilters, dict.fromkeys(("from_", "to", "date_from", "date_to")))


def chosen_by(filters: ActionFilters, org_id: str, now: int) -> Filter:
    """Raises `invalid_body` for a time that is none, and for a window that ends before it begins."""
    since = _moment("from", _once("from", filters.from_, filters.date_from), time.min)
    until = _moment("to", _once("to", filters.to, filters.date_to), time.max)
    if since is not None and until is not None and since > until:
        raise _invalid("from", f"is {since.isoformat()}, which is after to, {until.isoformat()}")
    chosen = Filter(org_id)
    FILTERS.narrow(chosen, filters)
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


# How a run begins: which actions it will look at, and with what.


async def begun(ledger: Ledger, principal: Principal, said: CreateEvalRun, scorer: Scorer, now: int) -> EvalRun:
    """The run as it is first recorded. Raises `invalid_body` for a window that is none, and `projection_behind`."""
    filters = said.action_filters or ActionFilters()
    chosen = chosen_by(filters, principal.org_id, now)
    found = await count_rows(ledger, ACTIONS, chosen)
    total = min(found, filters.limit)
    at = moment(now)
    return EvalRun(
        id=new_id("er_", now),
        org_id=principal.org_id,
        name=said.name,
        scorer_id=scorer.id,
        scorer_name=scorer.name,
        scorer_type=scorer.scorer_type,
        scorer_config=scorer.config,
        action_filters=msgspec.to_builtins(filters),
        agent_id=filters.agent_id,
        status=RunStatus.RUNNING,
        total_actions=total,
        left_out_count=found - total,
        scored_count=0,
        skipped_count=0,
        skipped={},
        avg_score=None,
        summary=None,
        error_message=None,
        created_at=at,
        created_by=principal.key_id,
        started_at=at,
        updated_at=at,
        completed_at=None,
    )


def work_of(ledger: Ledger, run: EvalRun) -> RunWork:
    filters = msgspec.convert(run.action_filters, prepared(ActionFilters))
    chosen = chosen_by(filters, run.org_id, microseconds(run.created_at))
    return RunWork(ledger, run, read_config(run.scorer_type, run.scorer_config), chosen)
