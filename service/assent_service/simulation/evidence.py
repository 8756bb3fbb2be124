"""The events that happenings are recorded as, as live traffic makes them.

An event is recorded now and says so: its time, `created_at` and `updated_at` are now, and ids are made now. What lies
in the past is when it happened: `timestamp_start`, `occurred_at`, `requested_at`, `decided_at`, `timestamp_end`. The
one who records everything is the key of the simulator; who decided is named in the records.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from assent.contract.actions import Action, ActionStatus
from assent.contract.approvals import Approval, ApprovalState
from assent.contract.assumptions import Assumption
from assent.contract.events import EventName
from assent_service.actions import OUTCOME, Actions, changed, draft
from assent_service.approvals import requested
from assent_service.core.clock import Clock, moment
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.guard import PolicySet
from assent_service.simulation import records
from assent_service.simulation.mint import Mint
from assent_service.simulation.rows import ActionRow, ApprovalRow, AssumptionRow
from assent_service.simulation.timeline import BELIEVED, DECIDED, JUDGED, OPENED, Slice
from assent_service.store.event import Draft


class Workspace(msgspec.Struct, frozen=True):
    """Where it is recorded: `policies` in the order of the simulation's."""

    principal: Principal
    policies: PolicySet
    actions: Actions
    clock: Clock


class Evidence:
    """Turns slices into drafts, in order. It keeps what is still open, and the ids of all actions."""

    def __init__(self, workspace: Workspace) -> None:
        self._at = workspace
        self._org_id, self._key_id = workspace.principal.org_id, workspace.principal.key_id
        self._mint = Mint()
        self._ids: list[str] = []
        self._open: dict[int, Action] = {}
        self._asked: dict[int, Approval] = {}
        self._believed: dict[int, Assumption] = {}
        self._now = 0

    def drafts(self, happened: Slice) -> list[Draft]:
        """The events of a slice; slices come in order. Raises ValueError when the workspace's policies decide
        otherwise than the simulation."""
        # One moment for all of a slice, as for all that one turn of a running service records.
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
                drafts.append(self._ended(next(ended)))
        return drafts

    def _opened(self, row: ActionRow) -> Iterator[Draft]:
        decision_id, action_id, approval_id = (self._mint.id(prefix, self._now) for prefix in ("dec_", "act_", "apr_"))
        decision = records.decide(row, self._at.policies, org_id=self._org_id, decision_id=decision_id, now=self._now)
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

    def _ended(self, row: ActionRow) -> Draft:
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
        return draft(before, after, OUTCOME, actor=self._key_id, by=row.agent_id, now=self._now)

    def _believe(self, row: AssumptionRow) -> Draft:
        belief = records.believe(
            row,
            org_id=self._org_id,
            assumption_id=self._mint.id("asm_", self._now),
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
