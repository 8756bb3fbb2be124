"""The trace of an action, gathered from the tables, and the replay link that leads to it on the dashboard. A key that
sees one agent's rows only gets no other agent's here either."""

from __future__ import annotations

from typing import Any, Protocol

import msgspec

from assent.contract.control.actions import Action
from assent.contract.control.approvals import Approval
from assent.contract.control.assumptions import Assumption
from assent.contract.control.guard import GuardResult, RecordedDecision
from assent.contract.control.loops import LoopStatus, OpenLoop
from assent.contract.endpoint import Endpoint
from assent.contract.events import EventName
from assent.contract.evidence.graphs import GET_ACTION_GRAPH, ActionGraph
from assent.contract.evidence.log import LogHead
from assent.contract.evidence.traces import (
    GET_ACTION_TRACE,
    ActionTrace,
    AssumptionTrace,
    Change,
    LoopTrace,
    MessageTrace,
    ProofTrace,
    RootCause,
    Trace,
)
from assent.contract.roles import OPEN
from assent.secrets import without_own
from assent_service.control.guard import result_of
from assent_service.core.call import Answer, Call
from assent_service.core.payload import decode
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.evidence.traces import queries
from assent_service.evidence.traces.graph import drawn
from assent_service.evidence.traces.root_cause import CauseEvidence, failure_window, find_causes, policy_window
from assent_service.exchange.messages import of_action
from assent_service.store.event import Event
from assent_service.store.ledger import Ledger

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
        decision = result_of(recorded) if recorded else None
        assumptions = await self._assumptions.of(action)
        changes = await self._changes(action)
        loops = await self._loops.of(action)
        total, messages = await of_action(self._ledger, principal, action)
        return ActionTrace(
            action=action,
            approval=approval,
            decision=decision or msgspec.UNSET,
            context=recorded.context if recorded else msgspec.UNSET,
            flow=recorded.flow if recorded else msgspec.UNSET,
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
            CauseEvidence(
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


def routes(traces: Traces) -> tuple[Route, ...]:
    @serves(GET_ACTION_TRACE)
    async def get(call: Call[None, None], action_id: str) -> ActionTrace:
        return await traces.trace(call.principal, action_id)

    @serves(GET_ACTION_GRAPH)
    async def graph(call: Call[None, None], action_id: str) -> ActionGraph:
        return drawn(await traces.trace(call.principal, action_id))

    return get, graph


# The replay link that clients print: it leads to the dashboard, which knows how to sign people in.
#
# It is a page's address and not an operation, so the contract does not have it; it goes through the same door.


REPLAY = Endpoint(
    operation="replay",
    method="GET",
    path="/replay/{action_id}",
    summary="Leads to the action in the dashboard's ledger.",
    roles=OPEN,
    response=dict,
    statuses=(302,),
)


def replay(dashboard_url: str) -> Route:
    """`GET /replay/{action_id}`, open: the answer tells nothing that its own path does not say."""
    ledger = f"{dashboard_url.rstrip('/')}/ledger?action_id="

    @serves(REPLAY)
    async def lead(call: Call[None, None], action_id: str) -> Answer[dict[str, Any]]:
        location = ledger + without_own(action_id)
        return Answer({"location": location}, 302, ((b"location", location.encode()),))

    return lead
