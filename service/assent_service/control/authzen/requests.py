"""Where a person must decide: AuthZEN's Access Request and Approval Profile, a draft of its working group, as far as it
goes here (AARP; the text of June 2026). It is named a draft wherever it shows, and may change with it.

1. A denial with `context.access_request` can be requested: guard wants a person. Nothing else can.
2. An access request names the denial by `denial.evaluation_id`, and repeats its subject, action and resource. It opens
   an action with that very decision, as an agent would, so it has to come within ASKABLE, and once.
   `context.business_justification` is what operators read as the reasoning.
3. The task is that action: its id, and how its approval stands (STATES).
4. Once it is approved, the same is evaluated again with `context.approval`. Guard decides anew, by its policies then;
   where it still wants a person, the approval is used: once, for the same agent, subject, action, resource and context,
   as every approval here. So a second evaluation with it is a `false`. The draft leaves this to the decision point.
5. Bundles of several items, callbacks, forms and catalogs are not served; a request that has `items` or `callback` is
   refused, since it would wait for what never comes.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from assent.contract.control.actions import CREATE_ACTION, WITHDRAW_ACTION, Action, ActionStatus, CreateAction
from assent.contract.control.approvals import Approval, ApprovalState, WithdrawAction
from assent.contract.control.authzen import AccessDecision, AccessRequest, AccessTask, RequestedAccess
from assent.contract.control.claims import CLAIM_ACTION, ClaimAction
from assent.contract.control.guard import Decision, GuardResult, RecordedDecision
from assent.contract.endpoint import Endpoint
from assent.contract.names import same_name
from assent.contract.problems import Code, FieldError
from assent.contract.roles import ACTING
from assent_service.base.clock import Clock, moment
from assent_service.base.problem import Refusal, refuse
from assent_service.control.actions import CREATION_FENCES, Actions
from assent_service.control.approvals import Approvals
from assent_service.control.authzen.mapping import parts_of
from assent_service.control.authzen.protocol import base_url, check_json
from assent_service.control.guard import GUARD_DECISIONS
from assent_service.core import body as bodies
from assent_service.core.call import Answer, Call
from assent_service.core.idempotency import idempotency_key
from assent_service.core.locks import ACTION_FENCE
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import find_row
from assent_service.core.settings import Settings
from assent_service.store.ledger import Ledger

ASKABLE = timedelta(minutes=5)
"""How long a decision of guard can be brought along to the creation of an action."""
CAPABILITY = "urn:openid:authzen:capability:access-request"
LIMIT = 256_000
LONGEST_REASONING = 4000
STATES = {
    ApprovalState.AWAITING: "pending",
    ApprovalState.APPROVED: "approved",
    ApprovalState.DENIED: "denied",
    ApprovalState.EXPIRED: "expired",
    ApprovalState.WITHDRAWN: "cancelled",
}
"""`task.status`, by the state of the approval."""


REQUEST_ACCESS = Endpoint(
    operation="request_access",
    method="POST",
    path="/access/v1/requests",
    summary="Ask a person for what was denied (AARP, draft).",
    roles=ACTING,
    request=AccessRequest,
    response=RequestedAccess,
    statuses=(202, 201),
    limit=LIMIT,
    problems=CREATE_ACTION.problems,
)
GET_ACCESS_REQUEST = Endpoint(
    operation="get_access_request",
    method="GET",
    path="/access/v1/requests/{action_id}",
    summary="How an access request stands (AARP, draft).",
    roles=ACTING,
    response=RequestedAccess,
    problems=(Code.ACTION_NOT_FOUND,),
)
CANCEL_ACCESS_REQUEST = Endpoint(
    operation="cancel_access_request",
    method="POST",
    path="/access/v1/requests/{action_id}/cancel",
    summary="Take an access request back (AARP, draft).",
    roles=ACTING,
    response=RequestedAccess,
    problems=WITHDRAW_ACTION.problems,
)


class AccessRequests:
    """Requests, which are actions that wait."""

    def __init__(self, ledger: Ledger, clock: Clock, actions: Actions, approvals: Approvals) -> None:
        self._ledger, self._clock, self._actions, self._approvals = ledger, clock, actions, approvals

    async def open(self, principal: Principal, asked: AccessRequest, key: str | None) -> Action:
        """The action that waits for a person. Raises `invalid_body` for what was not denied so, and what creating an
        action raises."""
        for name in ("items", "callback"):
            if getattr(asked, name) is not None:
                raise _invalid(name, "is not served here; send one request for each denial, and ask how it stands")
        decision_id = asked.denial.evaluation_id
        decision = await find_row(self._ledger, GUARD_DECISIONS, RecordedDecision, principal.org_id, decision_id)
        if decision is None or not principal.sees(decision.agent_id) or not _denied(decision, asked):
            raise _invalid("denial.evaluation_id", "is no denial of this that a person could lift")
        members = decision.context | {"decision_id": decision_id}
        why = (asked.context or {}).get("business_justification")
        if isinstance(why, str) and why:
            members["reasoning"] = why[:LONGEST_REASONING]
        body = bodies.convert(CREATE_ACTION, CreateAction, members, strict=False)
        return (await self._actions.create(principal, body, members, key)).action

    async def find(self, principal: Principal, action_id: str) -> tuple[Action, Approval | None]:
        """Raises `action_not_found`."""
        action = await self._actions.visible(principal, action_id)
        return action, await self._approvals.of(action)

    async def cancel(self, principal: Principal, action_id: str) -> None:
        """Raises what withdrawing raises."""
        await self._approvals.withdraw(principal, action_id, WithdrawAction(reason="The access request was cancelled."))

    async def use(
        self, principal: Principal, action_id: str, members: dict[str, Any], denied: AccessDecision, key: str | None
    ) -> AccessDecision:
        """A denial again, or what the approval makes of it."""
        act = {name: members.get(name) for name in ClaimAction.__struct_fields__}
        try:
            action = await self._actions.visible(principal, action_id)
            if not _same(action, members):
                raise refuse(Code.NOT_APPROVED, f"Action {action_id} was approved for something else.")
            claim = bodies.convert(CLAIM_ACTION, ClaimAction, act, strict=False)
            approval = (await self._approvals.claim(principal, action_id, claim, key)).approval
        except Refusal as refusal:
            if refusal.status >= 500:
                raise
            why = {"id": action_id, "code": refusal.code.value, "message": refusal.detail}
            return AccessDecision(decision=False, context=denied.context | {"approval_refused": why})
        used = _approval(action_id, approval)
        return AccessDecision(decision=True, context=denied.context | {"reason": "approved", "approval": used})

    def task(self, action: Action, approval: Approval | None, base: str) -> RequestedAccess:
        path = f"{base}{REQUEST_ACCESS.path}/{action.action_id}"
        if approval is None:
            status = "failed"
        elif approval.state is ApprovalState.AWAITING and approval.expires_at <= moment(self._clock()):
            status = "expired"
        else:
            status = STATES[approval.state]
        pending = status == "pending" and action.status is ActionStatus.PENDING_APPROVAL
        task = AccessTask(
            id=action.action_id,
            status=status,
            status_endpoint=path,
            expires_at=None if approval is None else approval.expires_at,
            links={"cancel": f"{path}/cancel"} if pending else {},
        )
        approved = None if approval is None or status != "approved" else _approval(action.action_id, approval)
        result = None if approved is None else {"mode": "reevaluate", "approval": approved}
        return RequestedAccess(task=task, result=result)


def requestable(answer: AccessDecision, result: GuardResult, base: str) -> AccessDecision:
    """The answer with the way to ask a person, where guard wants one."""
    if result.decision is not Decision.REQUIRE_APPROVAL or answer.decision:
        return answer
    way = {
        "endpoint": base + REQUEST_ACCESS.path,
        "reason": "approval_required",
        "expires_at": result.evaluated_at + ASKABLE,
    }
    return AccessDecision(decision=False, context=answer.context | {"access_request": way})


def _denied(decision: RecordedDecision, asked: AccessRequest) -> bool:
    """Whether this decision asked for a person, about this."""
    if decision.decision is not Decision.REQUIRE_APPROVAL:
        return False
    metadata = decision.context.get("metadata")
    if not isinstance(metadata, dict):
        return False
    for name, said in parts_of(asked.subject, asked.action, asked.resource).items():
        known = metadata.get(name)
        if not isinstance(known, dict) or said != (known if "properties" in said else _bare(known)):
            return False
    return True


def _bare(part: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in part.items() if name != "properties"}


def _same(action: Action, members: dict[str, Any]) -> bool:
    asked = members["metadata"]
    same = all(action.metadata.get(name) == asked[name] for name in ("subject", "action", "resource"))
    return same and same_name(action.agent_id, members["agent_id"])


def _approval(action_id: str, approval: Approval) -> dict[str, Any]:
    """What an evaluation brings along, and gets back."""
    found: dict[str, Any] = {"id": action_id, "approved_at": approval.decided_at}
    if approval.valid_until is not None:
        found["approved_until"] = approval.valid_until
    if approval.conditions:
        found["conditions"] = approval.conditions
    return found


def _invalid(place: str, message: str) -> Refusal:
    return refuse(
        Code.INVALID_BODY, f"The body is not valid: {place} {message}.", FieldError(place=place, message=message)
    )


def request_routes(requests: AccessRequests, settings: Settings) -> tuple[Route, ...]:
    @serves(REQUEST_ACCESS, holds=CREATION_FENCES, bearer=True)
    async def request_access(call: Call[AccessRequest, None]) -> Answer[RequestedAccess]:
        check_json(call)
        base = base_url(call, settings)
        action = await requests.open(call.principal, call.body, idempotency_key(call))
        found = requests.task(*await requests.find(call.principal, action.action_id), base)
        location = (b"location", found.task.status_endpoint.encode())
        return Answer(found, 202 if found.task.status == "pending" else 201, (location,))

    @serves(GET_ACCESS_REQUEST, bearer=True)
    async def get_access_request(call: Call[None, None], action_id: str) -> RequestedAccess:
        base = base_url(call, settings)
        return requests.task(*await requests.find(call.principal, action_id), base)

    @serves(CANCEL_ACCESS_REQUEST, holds=(ACTION_FENCE,), bearer=True)
    async def cancel_access_request(call: Call[None, None], action_id: str) -> RequestedAccess:
        base = base_url(call, settings)
        await requests.cancel(call.principal, action_id)
        return requests.task(*await requests.find(call.principal, action_id), base)

    return request_access, get_access_request, cancel_access_request
