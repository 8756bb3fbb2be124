"""Digests of plain records: what was recorded on a day, and what belongs to a session, both from the tables."""

from __future__ import annotations

from datetime import UTC, date, datetime

from assent.contract.exchange.digest import GET_DAILY_DIGEST, Digest, DigestPart, DigestQuery, DigestTokens
from assent.contract.exchange.sessions import GET_SESSION_EVENTS, SESSION, SessionEvent, SessionEvents
from assent.contract.problems import Code, FieldError
from assent_service.base.clock import DAY, Clock, microseconds, moment, naive
from assent_service.base.problem import refuse
from assent_service.core.call import Call
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.exchange.records.records import Records
from assent_service.store.ledger import Ledger
from assent_service.store.spelling import name_is

ASSUMPTION = "CASE WHEN validated THEN 'validated' WHEN invalidated THEN 'invalidated' ELSE 'open' END"
THE_AGENTS = name_is("agent_id")
NOBODYS = f"({THE_AGENTS} OR agent_id IS NULL)"


class Digests:
    """Counts what was recorded on a day."""

    def __init__(self, ledger: Ledger, clock: Clock) -> None:
        self._ledger, self._clock = ledger, clock

    async def of(self, principal: Principal, query: DigestQuery) -> Digest:
        """Raises `invalid_query` for a day that the calendar does not have, and `agent_mismatch`."""
        day = _day(query.date, self._clock())
        agent_id = query.agent_id if principal.sees(None) else principal.speaks_for(query.agent_id)
        between = [principal.org_id, naive(day), naive(day + DAY)]
        return Digest(
            date=moment(day).date().isoformat(),
            agent_id=agent_id,
            actions=await self._part("actions", "status", between, agent_id),
            decisions=await self._part("guard_decisions", "decision", between, agent_id),
            approvals=await self._part("approvals", "state", between, agent_id),
            assumptions=await self._part("assumptions", ASSUMPTION, between, agent_id),
            loops=await self._part("loops", "status", between, agent_id),
            records=await self._part("records", "kind", between, agent_id, NOBODYS, "deleted_at IS NULL"),
            tokens=await self._spent(between, agent_id),
        )

    async def _part(
        self, table: str, by: str, between: list[object], agent_id: str | None, whose: str = THE_AGENTS, only: str = ""
    ) -> DigestPart:
        where, parameters = _where(between, agent_id, whose, only)
        rows = await self._ledger.read(
            f"SELECT {by} AS what, count(*) FROM {table} WHERE {where} GROUP BY 1 ORDER BY 1", parameters
        )
        counts = {str(what): int(str(n)) for what, n in rows}
        return DigestPart(n=sum(counts.values()), by=counts)

    async def _spent(self, between: list[object], agent_id: str | None) -> DigestTokens:
        where, parameters = _where(between, agent_id, NOBODYS, "")
        ((n, tokens_in, tokens_out, cost),) = await self._ledger.read(
            "SELECT count(*), coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0), "
            f"coalesce(sum(cost_estimate), 0.0) FROM token_usage WHERE {where}",
            parameters,
        )
        return DigestTokens(
            n=int(str(n)),
            tokens_in=int(str(tokens_in)),
            tokens_out=int(str(tokens_out)),
            cost_estimate=float(str(cost)),
        )


def _where(between: list[object], agent_id: str | None, whose: str, only: str) -> tuple[str, list[object]]:
    conditions = ["org_id = ?", "created_at >= ?", "created_at < ?"]
    parameters = list(between)
    if only:
        conditions.append(only)
    if agent_id is not None:
        conditions.append(whose)
        parameters.append(agent_id)
    return " AND ".join(conditions), parameters


def _day(said: str | None, now: int) -> int:
    """The microsecond in which the day begins, in UTC."""
    if said is None:
        return now - now % DAY
    try:
        day = microseconds(datetime.combine(date.fromisoformat(said), datetime.min.time()))
        moment(day + DAY)
        return day
    except (ValueError, OverflowError):
        raise refuse(
            Code.INVALID_QUERY,
            f"date is {said!r}, which is no day; give one as YYYY-MM-DD.",
            FieldError(place="date", message="no day of the calendar"),
        ) from None


# What was recorded of a session: its own events, and those of the actions that name it.


MOST = 1000


async def events_of(records: Records, ledger: Ledger, principal: Principal, session_id: str) -> SessionEvents:
    """Raises `record_not_found`. A key that is bound to an agent sees the events of that agent's actions only."""
    await records.visible(principal, SESSION, session_id)
    org_id = principal.org_id
    own = "SELECT action_id FROM actions WHERE org_id = ? AND session_id = ?"
    of_actions: list[object] = [org_id, session_id]
    if not principal.sees(None):
        own += f" AND {THE_AGENTS}"
        of_actions.append(principal.agent_id)
    rows = await ledger.read(
        "SELECT n, type, subject, action_id, actor, created_at, count(*) OVER () FROM events "
        f"WHERE org_id = ? AND (subject = ? OR action_id IN ({own})) ORDER BY n DESC LIMIT {MOST}",
        [org_id, session_id, *of_actions],
    )
    found = [
        SessionEvent(
            n=int(str(n)),
            type=str(type_),
            subject=str(subject),
            action_id=None if action_id is None else str(action_id),
            actor=str(actor),
            created_at=_aware(at),
        )
        for n, type_, subject, action_id, actor, at, _ in reversed(rows)
    ]
    return SessionEvents(events=found, total=int(str(rows[0][-1])) if rows else 0)


def _aware(at: object) -> datetime:
    assert isinstance(at, datetime)
    return at.replace(tzinfo=UTC)


def digest_routes(records: Records, digests: Digests, ledger: Ledger) -> tuple[Route, ...]:
    @serves(GET_SESSION_EVENTS)
    async def session_events(call: Call[None, None], session_id: str) -> SessionEvents:
        return await events_of(records, ledger, call.principal, session_id)

    @serves(GET_DAILY_DIGEST)
    async def digest(call: Call[None, DigestQuery]) -> Digest:
        return await digests.of(call.principal, call.query)

    return session_events, digest
