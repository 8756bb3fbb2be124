"""Actions over HTTP."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from assent.contract.actions import (
    CREATE_ACTION,
    GET_ACTION,
    GET_ACTIONS,
    UPDATE_OUTCOME,
    Action,
    ActionDetail,
    CreatedAction,
    UpdatedAction,
)
from assent.contract.approvals import Approval
from assent.contract.assumptions import Assumption
from assent.contract.inbox import GET_APPROVALS
from assent.contract.loops import OpenLoop
from assent_service.actions.actions import Actions
from assent_service.actions.inbox import list_approvals
from assent_service.actions.queries import list_actions
from assent_service.core.call import Answer, Call
from assent_service.core.clock import Clock
from assent_service.core.idempotency import idempotency_key
from assent_service.core.route import Route, route
from assent_service.store.ledger import Ledger

AssumptionsOf = Callable[[Action], Awaitable[list[Assumption]]]
ApprovalOf = Callable[[Action], Awaitable[Approval | None]]
LoopsOf = Callable[[Action], Awaitable[list[OpenLoop]]]


def routes(
    actions: Actions,
    ledger: Ledger,
    clock: Clock,
    approval_of: ApprovalOf,
    assumptions_of: AssumptionsOf,
    open_loops_of: LoopsOf,
) -> tuple[Route, ...]:
    @route(CREATE_ACTION)
    async def create(call: Call) -> Answer:
        created = await actions.create(call.principal, call.body, call.members, idempotency_key(call), call.raw)
        return Answer(created, _status(created))

    @route(GET_ACTIONS)
    async def list_all(call: Call) -> Answer:
        return Answer(await list_actions(ledger, call.principal, call.query, clock()))

    @route(GET_APPROVALS)
    async def approvals(call: Call) -> Answer:
        return Answer(await list_approvals(ledger, call.principal, call.query, clock()))

    @route(GET_ACTION)
    async def get(call: Call) -> Answer:
        action = await actions.visible(call.principal, call.path["action_id"])
        approval = await approval_of(action)
        found = await assumptions_of(action)
        loops = await open_loops_of(action)
        return Answer(ActionDetail(action=action, approval=approval, assumptions=found, open_loops=loops))

    @route(UPDATE_OUTCOME)
    async def report(call: Call) -> Answer:
        return Answer(UpdatedAction(action=await actions.report(call.principal, call.path["action_id"], call.body)))

    return create, list_all, approvals, get, report


def _status(created: CreatedAction) -> int:
    if created.idempotent_replay:
        return 200
    return 202 if created.approval is not None else 201
