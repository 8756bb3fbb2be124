"""The events that happenings are recorded as, as live traffic makes them.

An event is recorded now and says so: its time, `created_at` and `updated_at` are now, and ids are made now. What lies
in the past is when it happened: `timestamp_start`, `occurred_at`, `requested_at`, `decided_at`, `timestamp_end`. The
one who records everything is the key of the simulator; who decided is named in the records.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from struct import iter_unpack

import msgspec

from assent.contract.control.actions import Action, ActionStatus
from assent.contract.control.approvals import Approval, ApprovalState
from assent.contract.control.assumptions import Assumption
from assent.contract.events import EventName
from assent_service.analysis.simulation import records
from assent_service.analysis.simulation.sessions import SimulatedSessions
from assent_service.analysis.simulation.timeline import (
    BELIEVED,
    DECIDED,
    JUDGED,
    OPENED,
    ActionRow,
    ApprovalRow,
    AssumptionRow,
    Slice,
)
from assent_service.base.clock import Clock, moment
from assent_service.control.actions import OUTCOME, Actions, changed, draft
from assent_service.control.approvals import requested
from assent_service.control.guard import PolicySet
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.store.event import Draft

# Ids that ascend in the order they are made, in the form of all the others.
#
# UUIDv7 with the bits after the time as a counter (RFC 9562, section 6.2, method 1), since many are made within one
# millisecond and pages are ordered by them.


COUNTER = 1 << 12
AT_ONCE = 512
"""Random parts fetched by one system call, of 8 bytes each."""


class IdSource:
    """Makes ids; one for each sequence that has to ascend."""

    def __init__(self) -> None:
        self._millisecond, self._counter = -1, 0
        self._random: list[int] = []

    def id(self, prefix: str, now: int) -> str:
        """`prefix` and 32 hex digits; `now`, in microseconds, must not fall. The counter begins anew with each
        millisecond, and goes on in the next one when it is full."""
        millisecond = max(now // 1000, self._millisecond)
        if millisecond > self._millisecond:
            self._counter = 0
        elif self._counter == COUNTER:
            millisecond, self._counter = millisecond + 1, 0
        self._millisecond = millisecond
        if not self._random:
            self._random = [bits >> 2 for (bits,) in iter_unpack("=Q", secrets.token_bytes(8 * AT_ONCE))]
        value = millisecond << 80 | 0x7 << 76 | self._counter << 64 | 0x2 << 62 | self._random.pop()
        self._counter += 1
        return f"{prefix}{value:032x}"


class SimulatedWorkspace(msgspec.Struct, frozen=True):
    """Where it is recorded: `policies` in the order of the simulation's."""

    principal: Principal
    policies: PolicySet
    actions: Actions
    clock: Clock
    flow_key: bytes
    """What digests of what sessions were told are made with."""


class SimulatedEvidence:
    """Turns slices into drafts, in order. It keeps what is still open, and the ids of all actions. `told` are the
    sessions that are told something, and whether the agent obeys a ticket there."""

    def __init__(self, workspace: SimulatedWorkspace, told: dict[str, bool]) -> None:
        self._at = workspace
        self._told = SimulatedSessions(told, workspace.principal, workspace.policies, workspace.flow_key)
        self._org_id, self._key_id = workspace.principal.org_id, workspace.principal.key_id
        self._source = IdSource()
        self._ids: list[str] = []
        self._open: dict[int, Action] = {}
        self._asked: dict[int, Approval] = {}
        self._believed: dict[int, Assumption] = {}
        self._now = 0

    def drafts(self, happened: Slice) -> list[Draft]:
        """The events of a slice; slices come in order. Raises ValueError when the workspace's policies decide
        otherwise than the simulation."""
        # One moment for all of a slice, as for all that one turn of a running service records; only what sessions are
        # told has moments of its own, by which its order is known.
        self._now = max(self._at.clock(), self._now + 1)
        opened, believed, decided = iter(happened.actions), iter(happened.believed), iter(happened.decided)
        judged, ended = iter(happened.judged), iter(happened.ended)
        drafts: list[Draft] = []
        for kind in happened.kinds:
            if kind == OPENED:
                drafts += self._opened(next(opened))
            elif kind == BELIEVED:
                drafts.append(self._believe(next(believed)))
            elif kind == DECIDED:
                drafts += self._decided(next(decided))
            elif kind == JUDGED:
                drafts.append(self._judged(next(judged)))
            else:
                drafts += self._ended(next(ended))
        return drafts

    def _opened(self, row: ActionRow) -> Iterator[Draft]:
        parameters, seen = None, None
        if self._told.has(row):
            yield from self._told.before(row, self._now + 1)
            self._now += 3
            parameters = self._told.parameters(row)
            seen = self._told.seen(row, parameters)
        decision_id, action_id, approval_id = (
            self._source.id(prefix, self._now) for prefix in ("dec_", "act_", "apr_")
        )
        decision = records.decide(
            row,
            self._at.policies,
            org_id=self._org_id,
            decision_id=decision_id,
            now=self._now,
            parameters=parameters,
            seen=seen,
        )
        action = records.open_action(
            row, decision, action_id=action_id, approval_id=approval_id, created_by=self._key_id
        )
        self._ids.append(action_id)
        yield self._draft(EventName.GUARD_DECISION_CREATED, decision_id, encode(decision), None)
        yield self._draft(EventName.ACTION_CREATED, action_id, encode(action), action_id)
        if action.status is not ActionStatus.BLOCKED:
            self._open[row.number] = action
        if row.expires_at is not None:
            approval = records.ask(action, decision, approval_id=approval_id, expires_at=row.expires_at)
            self._asked[row.number] = approval
            yield requested(approval, self._key_id, self._now)

    def _decided(self, row: ApprovalRow) -> Iterator[Draft]:
        approval = msgspec.structs.replace(
            self._asked.pop(row.number),
            state=ApprovalState(row.state),
            decided_at=moment(row.decided_at),
            decided_by=row.decided_by,
            reasoning=row.reasoning,
        )
        expired = approval.state is ApprovalState.EXPIRED
        name = EventName.APPROVAL_EXPIRED if expired else EventName.APPROVAL_DECIDED
        yield self._draft(name, approval.approval_id, encode(approval), approval.action_id)
        after, event = self._at.actions.decided(self._open.pop(row.number), approval, self._key_id, self._now)
        if after.status is ActionStatus.RUNNING:
            self._open[row.number] = after
        yield event

    def _ended(self, row: ActionRow) -> Iterator[Draft]:
        assert row.timestamp_end is not None, "an outcome has its time"
        before = self._open.pop(row.number)
        members = {
            "status": ActionStatus(row.status),
            "output_summary": row.output_summary,
            "error_message": row.error_message,
            "timestamp_end": moment(row.timestamp_end),
            "duration_ms": row.duration_ms,
            "cost_estimate": row.cost_estimate,
            "tokens_in": row.tokens_in,
            "tokens_out": row.tokens_out,
        }
        after = changed(before, members, self._now)
        yield draft(before, after, OUTCOME, actor=self._key_id, by=row.agent_id, now=self._now)
        if self._told.has(row):
            self._now += 1
            yield from self._told.after(row, after.action_id, self._now)

    def _believe(self, row: AssumptionRow) -> Draft:
        belief = records.believe(
            row,
            org_id=self._org_id,
            assumption_id=self._source.id("asm_", self._now),
            action_id=self._ids[row.action_number],
            now=self._now,
        )
        if row.validated_at is not None:
            self._believed[row.number] = belief
        return self._draft(EventName.ASSUMPTION_CREATED, belief.assumption_id, encode(belief), belief.action_id)

    def _judged(self, row: AssumptionRow) -> Draft:
        assert row.validated_at is not None, "a judgement has its time"
        belief = msgspec.structs.replace(
            self._believed.pop(row.number),
            validated=row.validated,
            invalidated=row.invalidated,
            invalidated_reason=row.invalidated_reason,
            validated_at=moment(row.validated_at),
            updated_at=moment(self._now),
        )
        return self._draft(EventName.ASSUMPTION_UPDATED, belief.assumption_id, encode(belief), belief.action_id)

    def _draft(self, name: EventName, subject: str, data: bytes, action: str | None) -> Draft:
        return Draft(
            org=self._org_id,
            type=name.value,
            ts=self._now,
            subject=subject,
            actor=self._key_id,
            data=data,
            action=action,
        )
