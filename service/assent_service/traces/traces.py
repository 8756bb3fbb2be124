"""Gathering the trace of an action. A key that sees one agent's rows only gets no other agent's here either."""

from __future__ import annotations

from typing import Protocol

import msgspec

from assent.contract.actions import Action
from assent.contract.approvals import Approval
from assent.contract.assumptions import Assumption
from assent.contract.events import EventName
from assent.contract.guard import GuardResult
from assent.contract.log import LogHead
from assent.contract.loops import LoopStatus, OpenLoop
from assent.contract.traces import (
    ActionTrace,
    AssumptionTrace,
    Change,
    LoopTrace,
    MessageTrace,
    ProofTrace,
    RootCause,
    Trace,
)
from assent_service.core.payload import decode
from assent_service.core.principal import Principal
from assent_service.guard import RecordedDecision
from assent_service.messages import of_action
from assent_service.store.event import Event
from assent_service.store.ledger import Ledger
from assent_service.traces import queries
from assent_service.traces.root_cause import Evidence, failure_window, find_causes, policy_window

PARENTS = 20


class Actions(Protocol):
    """What a trace needs of the actions noun."""

    async def visible(self, principal: Principal, action_id: str) -> Action: ...

    async def find(self, org_id: str, action_id: str) -> Action | None: ...

    async def decision(self, action: Action) -> RecordedDecision | None: ...

    async def approval(self, action: Action) -> Approval | None: ...


class Assumptions(Protocol):
    """What a trace needs of the assumptions noun."""

    async def of(self, action: Action) -> list[Assumption]: ...


class Loops(Protocol):
    """What a trace needs of the loops noun."""

    async def of(self, action: Action) -> list[OpenLoop]: ...


class Heads(Protocol):
    """What a trace needs of the signed tree heads."""

    async def covering(self, org_id: str, size: int) -> LogHead | None: ...


class _Changed(msgspec.Struct, frozen=True):
    """What an update of an action has beside the action itself."""

    change: Change


class Traces:
    """Traces of every organization's actions."""

    def __init__(self, ledger: Ledger, actions: Actions, assumptions: Assumptions, loops: Loops, heads: Heads) -> None:
        self._ledger, self._actions, self._assumptions, self._loops = ledger, actions, assumptions, loops
        self._heads = heads

    async def trace(self, principal: Principal, action_id: str) -> ActionTrace:
        """Raises `action_not_found`."""
        action = await self._actions.visible(principal, action_id)
        parents = await self._parents(principal, action)
        subs = await queries.sub_actions(self._ledger, principal, action)
        related = await queries.related_actions(self._ledger, action, parents)
        approval = await self._actions.approval(action)
        recorded = await self._actions.decision(action)
        decision = recorded.result() if recorded else None
        assumptions = await self._assumptions.of(action)
        changes = await self._changes(action)
        loops = await self._loops.of(action)
        total, messages = await of_action(self._ledger, principal, action)
        return ActionTrace(
            action=action,
            approval=approval,
            decision=decision or msgspec.UNSET,
            context=recorded.context if recorded else msgspec.UNSET,
            trace=Trace(
                assumptions=_count_assumptions(assumptions),
                loops=_count_loops(loops),
                parent_chain=parents,
                sub_actions=subs,
                related_actions=related,
                changes=changes,
                messages=MessageTrace(total=total, items=messages),
                root_cause_indicators=await self._causes(action, changes, assumptions, loops, approval, decision),
                proof=await self._proof(action),
            ),
        )

    async def _proof(self, action: Action) -> ProofTrace | None:
        """Since when it is proven as it stands."""
        last = await queries.last_certified(self._ledger, action)
        head = None if last is None else await self._heads.covering(action.org_id, last + 1)
        return None if head is None else ProofTrace(size=head.size, signed_at=head.signed_at)

    async def _parents(self, principal: Principal, action: Action) -> list[Action]:
        """The parent, its parent and so on; ends at one that is unknown, unseen or was there already."""
        chain: list[Action] = []
        known = {action.action_id}
        parent_id = action.parent_action_id
        while parent_id is not None and parent_id not in known and len(chain) < PARENTS:
            parent = await self._actions.find(action.org_id, parent_id)
            if parent is None or not principal.sees(parent.agent_id):
                break
            chain.append(parent)
            known.add(parent_id)
            parent_id = parent.parent_action_id
        return chain

    async def _changes(self, action: Action) -> list[Change]:
        events = await self._ledger.events_of(action.org_id, action.action_id, [EventName.ACTION_UPDATED.value])
        return [_change(event) for event in events if not event.erased]

    async def _causes(
        self,
        action: Action,
        changes: list[Change],
        assumptions: list[Assumption],
        loops: list[OpenLoop],
        approval: Approval | None,
        decision: GuardResult | None,
    ) -> list[RootCause]:
        failing = failure_window(action, changes)
        deciding = policy_window(action, changes, decision)
        return find_causes(
            Evidence(
                action=action,
                changes=changes,
                assumptions=assumptions,
                loops=loops,
                approval=approval,
                decision=decision,
                failures=await queries.failures(self._ledger, action, failing) if failing else [],
                policy_events=await queries.policy_events(self._ledger, action.org_id, deciding) if deciding else [],
            )
        )


def _change(event: Event) -> Change:
    return decode(event, _Changed).change


def _count_assumptions(items: list[Assumption]) -> AssumptionTrace:
    validated = sum(item.validated for item in items)
    invalidated = sum(item.invalidated for item in items)
    return AssumptionTrace(
        total=len(items),
        validated=validated,
        invalidated=invalidated,
        unvalidated=len(items) - validated - invalidated,
        items=items,
    )


def _count_loops(items: list[OpenLoop]) -> LoopTrace:
    statuses = [item.status for item in items]
    return LoopTrace(
        total=len(items),
        open=statuses.count(LoopStatus.OPEN),
        resolved=statuses.count(LoopStatus.RESOLVED),
        cancelled=statuses.count(LoopStatus.CANCELLED),
        items=items,
    )
