"""The steps of a session, from the tables: what it was told, and the questions that guard was asked in it.

Steps are in the order of time; of one moment what was told stands first, by its number, then the questions by their
ids. A question belongs to the session that it names, or to the one in which that was begun. A key that sees one agent's
rows only sees that agent's sessions, and of these its own questions.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec.structs import replace

from assent.contract.control.flow_steps import (
    LONGEST_CONTEXT,
    FlowAsked,
    FlowEntry,
    FlowStep,
    FlowSteps,
    FlowStepsQuery,
)
from assent.contract.control.flows import FlowSession
from assent.contract.prepared import prepared
from assent.contract.problems import Code
from assent.flows.session import UNTRUSTED
from assent_service.base.clock import Clock, moment, naive
from assent_service.base.problem import refuse
from assent_service.control.flows.rows import FlowStatement
from assent_service.control.flows.state import FLOW_SESSIONS, FLOW_TOLD
from assent_service.core.body import not_a_cursor
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter, of_caller, read_cursor, record, select, write_cursor
from assent_service.store.ledger import Ledger

_INSIDE = "SELECT session_id FROM flow_sessions WHERE org_id = ? AND root_id = ?"
_BELONGS = f"""created_at >= ? AND (session_id IN ({_INSIDE})
    OR (flow IS NOT NULL AND json_extract_string(context, '$.parent_session_id') IN ({_INSIDE})))"""
_ASKED = """
    SELECT d.created_at, d.decision_id, d.session_id, d.agent_id, a.action_id, d.action_type, d.declared_goal,
        d.decision, d.would_decide, d.reason, d.risk_score, d.source, a.status, p.state, p.decided_by,
        CAST(d.flow AS VARCHAR), CASE WHEN length(CAST(d.context AS VARCHAR)) <= ? THEN CAST(d.context AS VARCHAR) END
    FROM (
        SELECT * FROM guard_decisions WHERE {where} ORDER BY created_at DESC, decision_id DESC LIMIT ?
    ) AS d
    LEFT JOIN actions AS a ON a.org_id = d.org_id AND a.decision_id = d.decision_id
    LEFT JOIN approvals AS p ON p.org_id = a.org_id AND p.action_id = a.action_id
"""
_MEMBERS = (
    *("decision_id", "session_id", "agent_id", "action_id", "action_type", "declared_goal", "decision"),
    *("would_decide", "reason", "risk_score", "source", "status", "approval", "decided_by"),
)


async def steps_of(
    ledger: Ledger, clock: Clock, principal: Principal, flow_id: str, query: FlowStepsQuery
) -> FlowSteps:
    """Raises `flow_not_found`."""
    root = await _root(ledger, principal, flow_id)
    inside = [root.org_id, root.flow_id]
    told = Filter(root.org_id)
    told.add("flow_id = ?", root.flow_id)
    asked = of_caller(principal)
    asked.add_all(_BELONGS, [root.created_at.astimezone(UTC).replace(tzinfo=None), *inside, *inside])
    kept, questions = await _count(ledger, "flow_told", told), await _count(ledger, "guard_decisions", asked)
    before = kept + questions
    if query.cursor is not None:
        _begin_before(query.cursor, told, asked)
        before = await _count(ledger, "flow_told", told) + await _count(ledger, "guard_decisions", asked)
    rows = await ledger.read(
        f"SELECT {select(FLOW_TOLD)} FROM flow_told WHERE {told.where} ORDER BY created_at DESC, number DESC LIMIT ?",
        [*told.parameters, query.limit],
    )
    steps = [_told(record(FLOW_TOLD, row, FlowStatement)) for row in rows]
    steps += await _asked(ledger, asked, query.limit)
    steps.sort(key=_place)
    steps = steps[-query.limit :]
    before -= len(steps)
    missing = root.told - kept
    return FlowSteps(
        flow=replace(root, complete=root.complete and not missing),
        steps=steps,
        before=before,
        total=kept + questions,
        missing=missing,
        next_cursor=_cursor(steps[0]) if before > 0 and steps else None,
        lastUpdated=moment(clock()),
    )


def _place(step: FlowStep) -> tuple[datetime, bool, int, str]:
    # What was told at the moment of a question was told before it, or there would have been no telling.
    number = step.told.number if step.told else 0
    return step.at, step.asked is not None, number, step.asked.decision_id if step.asked else ""


def _cursor(step: FlowStep) -> str:
    """For the steps before this one."""
    return write_cursor(step.at, f"told {step.told.number}" if step.told else f"asked {_place(step)[-1]}")


def _begin_before(cursor: str, told: Filter, asked: Filter) -> None:
    """Leave out what does not stand before the step of the cursor. Raises `invalid_query`."""
    at, key = read_cursor(cursor)
    kind, _, name = key.partition(" ")
    if kind == "told" and name.isascii() and name.isdecimal() and len(name) < len(str(2**63)):
        told.add_all("(created_at, number) < (?, ?)", [naive(at), int(name)])
        asked.add_all("created_at < ?", [naive(at)])
    elif kind == "asked" and name:
        told.add_all("created_at <= ?", [naive(at)])
        asked.add_all("(created_at, decision_id) < (?, ?)", [naive(at), name])
    else:
        raise not_a_cursor(cursor)


async def _count(ledger: Ledger, table: str, chosen: Filter) -> int:
    ((count,),) = await ledger.read(f"SELECT count(*) FROM {table} WHERE {chosen.where}", chosen.parameters)
    return int(str(count))


async def _root(ledger: Ledger, principal: Principal, flow_id: str) -> FlowSession:
    own = await _session(ledger, principal, flow_id)
    found = own if own is None or own.root_id == own.flow_id else await _session(ledger, principal, own.root_id)
    if found is None:
        raise refuse(Code.FLOW_NOT_FOUND, f"No session {flow_id!r} of this organization was told anything.")
    return found


async def _session(ledger: Ledger, principal: Principal, flow_id: str) -> FlowSession | None:
    chosen = of_caller(principal)
    chosen.add("flow_id = ?", flow_id)
    rows = await ledger.read(
        f"SELECT {select(FLOW_SESSIONS)} FROM flow_sessions WHERE {chosen.where}", chosen.parameters
    )
    return record(FLOW_SESSIONS, rows[0], FlowSession) if rows else None


async def _asked(ledger: Ledger, chosen: Filter, limit: int) -> list[FlowStep]:
    rows = await ledger.read(_ASKED.format(where=chosen.where), [LONGEST_CONTEXT, *chosen.parameters, limit])
    found: list[FlowStep] = []
    for at, *members, flow, context in rows:
        assert isinstance(at, datetime)
        asked: dict[str, Any] = dict(zip(_MEMBERS, members, strict=True))
        asked["flow"] = None if flow is None else msgspec.json.decode(str(flow))
        asked["context"] = None if context is None else msgspec.json.decode(str(context))
        found.append(FlowStep(at=at.replace(tzinfo=UTC), told=None, asked=msgspec.convert(asked, prepared(FlowAsked))))
    return found


def _told(row: FlowStatement) -> FlowStep:
    return FlowStep(
        at=row.created_at,
        asked=None,
        told=FlowEntry(
            number=row.number,
            kind=row.kind,
            session_id=row.session_id,
            agent_id=row.agent_id,
            action_id=row.action_id,
            call=row.call,
            tool=row.tool,
            text=row.text,
            page=row.page,
            complete=row.complete,
            # As the session folds it: a text of somebody else puts its label on by itself.
            labels=sorted({*row.labels, UNTRUSTED} if row.text else row.labels),
            reason=row.reason,
            by=row.created_by,
        ),
    )
