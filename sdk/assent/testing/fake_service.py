"""A service in the process: no port, no disk, guard's real rules (`testing.rules`).

It answers the loop of an agent: guard, creations, approvals, claims, withdrawals, outcomes, assumptions, lists of
actions, policies, the kill switch, and what sessions are told for flow policies. Anything else is refused by name. Keys
are `fake-agent`, `fake-operator`,
`fake-auditor` and `fake-admin`; each may do what its role may at a real service.

Nobody sits there to decide. `approve_next` and `deny_next` say beforehand what becomes of the next action that asks
for a person; one that nobody said anything about expires at once, so that no test waits. With `keep_waiting` it waits,
for `approve` and `deny`.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import threading
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, TypeVar
from urllib.parse import unquote

import httpx
import msgspec

from assent import AsyncClient, Client
from assent.client.ambient import Ambient
from assent.client.connections import serve_in_process
from assent.contract.control.actions import (
    APPROVE_ACTION,
    CREATE_ACTION,
    GET_ACTION,
    GET_ACTIONS,
    UPDATE_OUTCOME,
    WITHDRAW_ACTION,
    Action,
    ActionDetail,
    Actions,
    ActionStats,
    ActionStatus,
    ApprovedAction,
    UpdatedAction,
    WithdrawnAction,
)
from assent.contract.control.approvals import ApproveAction, Verdict
from assent.contract.control.assumptions import RECORD_ASSUMPTION, Assumption, RecordedAssumption
from assent.contract.control.claims import CLAIM_ACTION
from assent.contract.control.flows import GET_FLOWS, REMOVE_FLOW_LABELS, TELL_FLOW, FlowAnswer, Flows
from assent.contract.control.guard import GUARD, RecordedDecision, Source
from assent.contract.control.halt import GET_HALT, HALT, RESUME, Halt
from assent.contract.control.policies import CREATE_POLICY, GET_POLICIES, Policies, PolicyDetail, PolicyDraft
from assent.contract.control.questions import GET_QUESTIONS, Questions
from assent.contract.control.risk_templates import CreateRiskTemplate
from assent.contract.endpoint import AnyEndpoint
from assent.contract.names import comparable, same_name
from assent.contract.operations import ENDPOINTS
from assent.contract.prepared import prepared
from assent.contract.problems import PROBLEM_JSON, Code
from assent.contract.roles import Role
from assent.governing.call import BODIES, RUNNING
from assent.testing.rules import Rules, is_over
from assent_service.base.clock import moment, new_id, system_clock
from assent_service.base.problem import Refusal, refuse, render
from assent_service.control.guard import result_of
from assent_service.core import body as bodies
from assent_service.core.idempotency import key_of, mark
from assent_service.core.principal import Principal
from assent_service.core.redacted import redacted

T = TypeVar("T")
_numbers = itertools.count(1)
ORGANIZATION = "org_fake"


ASKED: ContextVar[tuple[str, ...]] = ContextVar("assent_testing_asked", default=())
"""The actions that were asked for in this context and are not over."""
AWAITS: ContextVar[bool] = ContextVar("assent_testing_awaits", default=False)
"""Whether it is an awaiting client that asks."""


class Mode(StrEnum):
    """How a service can fail. `down`: no connection. `slow`: the call arrives and is recorded, its answer does not come
    in time. `unavailable`: 503, nothing is recorded. `wrong`: the answer to somebody else's question."""

    DOWN = "down"
    SLOW = "slow"
    UNAVAILABLE = "unavailable"
    WRONG = "wrong"


class UngovernedCall(AssertionError):
    """A tool was called without a verdict that lets it."""


class _Call:
    """One request, checked: the parameters of its path and its query, the body and its members as they were sent."""

    def __init__(
        self, by: Principal, path: dict[str, str], query: Any, body: Any, members: dict[str, Any], key: str | None
    ) -> None:
        self.by, self.path, self.query, self.body, self.members, self.key = by, path, query, body, members, key


class _Transport(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Hands requests to the service, for clients of both kinds; whoever closes it closes nothing."""

    def __init__(self, answer: Callable[[httpx.Request, bytes], httpx.Response]) -> None:
        self._answer = answer

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self._answer(request, request.read())

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        content = await request.aread()
        before = AWAITS.set(True)
        try:
            return self._answer(request, content)
        finally:
            AWAITS.reset(before)


class FakeService:
    """Clients that are made for its `base_url` talk to it, as those do that `client` and `async_client` make;
    `transport` is for an httpx client of your own. `close` takes it away again."""

    def __init__(self) -> None:
        self.transport = _Transport(self._answer)
        self.base_url = f"http://fake-{next(_numbers)}.assent.invalid"
        self._moved = 0.0
        self._rules = Rules(ORGANIZATION, self._now)
        self._lock = threading.RLock()
        self._verdicts: list[ApproveAction] = []
        self._failures: list[tuple[Mode, str | None]] = []
        self._undo: list[Callable[[], None]] = []
        self._waits = False
        self._halt = Halt(halted=False, reason=None, changed_at=None, changed_by=None)
        self._assumptions: list[Assumption] = []
        self._awaited: dict[str, int] = {}
        """The threads of the event loops that asked for these actions."""
        self.ungoverned: list[str] = []
        """What was called without a verdict, of the tools that are watched."""
        self._handlers: dict[str, Callable[[_Call], tuple[Any, int]]] = {
            GUARD.operation: self._guard,
            CREATE_ACTION.operation: self._create,
            GET_ACTION.operation: self._get,
            GET_ACTIONS.operation: self._list,
            UPDATE_OUTCOME.operation: self._report,
            APPROVE_ACTION.operation: self._approve,
            WITHDRAW_ACTION.operation: self._withdraw,
            CLAIM_ACTION.operation: self._claim,
            RECORD_ASSUMPTION.operation: self._assume,
            HALT.operation: self._stop,
            RESUME.operation: self._resume,
            GET_HALT.operation: self._halted,
            CREATE_POLICY.operation: self._policy,
            GET_POLICIES.operation: self._policies,
            GET_QUESTIONS.operation: self._questions,
            TELL_FLOW.operation: self._tell,
            REMOVE_FLOW_LABELS.operation: self._remove_labels,
            GET_FLOWS.operation: self._flows,
        }
        serve_in_process(self.base_url, self.transport)

    def close(self) -> None:
        serve_in_process(self.base_url, None)
        while self._undo:
            self._undo.pop()()

    # What a test says

    def policies(self, *drafts: Mapping[str, Any] | PolicyDraft) -> None:
        """From now on there are these, and no others. Raises ValueError for what is no policy."""
        try:
            made = [
                draft if isinstance(draft, PolicyDraft) else msgspec.convert(dict(draft), prepared(PolicyDraft))
                for draft in drafts
            ]
            self._rules.replace_policies(made, "test")
        except (Refusal, msgspec.ValidationError) as error:
            raise ValueError(str(error)) from None

    def risk_templates(self, *drafts: Mapping[str, Any] | CreateRiskTemplate) -> None:
        """From now on there are these, and no others. Raises ValueError for what is no risk template."""
        try:
            made = [
                draft
                if isinstance(draft, CreateRiskTemplate)
                else msgspec.convert(dict(draft), prepared(CreateRiskTemplate))
                for draft in drafts
            ]
            self._rules.replace_templates(made, "test")
        except (Refusal, msgspec.ValidationError) as error:
            raise ValueError(str(error)) from None

    def scan_injections(self) -> None:
        """From now on guard scans what agents say for prompt injections, and blocks them, as a service does that nobody
        has set otherwise. Raises MissingExtra without the extra `analytics`."""
        self._rules.scan_injections()

    def approve_next(
        self, times: int = 1, *, reasoning: str | None = None, conditions: list[str] | None = None
    ) -> None:
        """The next action that asks for a person is allowed, and so the ones after it for `times`."""
        allowed = ApproveAction(decision=Verdict.ALLOW, reasoning=reasoning, conditions=conditions)
        self._verdicts += [allowed] * times

    def deny_next(self, times: int = 1, *, reasoning: str | None = None) -> None:
        """The next action that asks for a person is denied."""
        self._verdicts += [ApproveAction(decision=Verdict.DENY, reasoning=reasoning)] * times

    def keep_waiting(self) -> None:
        """What nobody said anything about waits for `approve` and `deny`."""
        self._waits = True

    def approve(self, action_id: str, reasoning: str | None = None) -> Action:
        return self._decide(action_id, ApproveAction(decision=Verdict.ALLOW, reasoning=reasoning))

    def deny(self, action_id: str, reasoning: str | None = None) -> Action:
        return self._decide(action_id, ApproveAction(decision=Verdict.DENY, reasoning=reasoning))

    def halt(self, reason: str | None) -> None:
        """Block everything; None ends it."""
        self._rules.halted = reason
        self._halt = Halt(
            halted=reason is not None, reason=reason, changed_at=moment(self._now()), changed_by="the test"
        )

    def fails(self, mode: Mode | str, times: int = 1, *, operation: str | None = None) -> None:
        """The next `times` calls fail like this, or the next ones of an operation (`guard`, `create_action`). Under the
        fixture `assent` clients do not retry (ASSENT_RETRY_SECONDS=0), so one failure is told at once; one that retries
        is `Client(retry_seconds=20)`. Raises ValueError for another mode or operation."""
        if mode not in list(Mode):
            raise ValueError(f"mode is {mode!r}; give one of {', '.join(Mode)}")
        if operation is not None and operation not in {each.operation for each in ENDPOINTS}:
            raise ValueError(f"there is no operation {operation!r}")
        self._failures += [(Mode(mode), operation)] * times

    def passes(self, seconds: float) -> None:
        """Let time pass for the service, and for the clients that it made."""
        self._moved += seconds

    # What a test sees

    @property
    def asked(self) -> list[RecordedDecision]:
        """What guard decided, in order: with the question (`context`), the verdict, reasons, policies and risk."""
        return list(self._rules.decisions.values())

    @property
    def actions(self) -> list[Action]:
        """The actions as they are now, in the order of their creation."""
        return list(self._rules.actions.values())

    @property
    def assumptions(self) -> list[Assumption]:
        return list(self._assumptions)

    def assert_governed(self, action_type: str) -> None:
        """Somebody asked for actions of this type, none of its watched tools was called without a verdict, and whatever
        was let through has told its outcome. Raises AssertionError."""
        found = [action for action in self.actions if comparable(action.action_type) == comparable(action_type)]
        if not found:
            there = ", ".join(sorted({action.action_type for action in self.actions})) or "nothing"
            raise AssertionError(f"nobody asked for {action_type!r}; asked for was {there}")
        if self.ungoverned:
            raise AssertionError(f"called without a verdict: {', '.join(self.ungoverned)}")
        going_on = [action.action_id for action in found if not is_over(action)]
        if going_on:
            raise AssertionError(f"{action_type!r} has no outcome: {', '.join(going_on)}")

    def never_without_verdict(self, owner: Any, name: str, action_type: str | None = None) -> None:
        """From now on `owner.name` may only be called while an action of this type (its own name unless given) is
        running, which it is after guard, and a person where guard wants one, let it. It has to be the caller's own:
        one that it runs under (`governed`, an adapter), or asked for by a client in the same context (`contextvars`;
        a thread has one of its own) or, with an awaiting client, on the same event loop. Otherwise UngovernedCall is
        raised instead of the call, and `ungoverned` names it. `close` puts the tool back."""
        tool, wanted = getattr(owner, name), action_type or name
        own = name in vars(owner)
        raw = vars(owner).get(name)

        def check() -> None:
            if not self._lets(wanted):
                self.ungoverned.append(name)
                raise UngovernedCall(f"{name} was called, and no action of type {wanted!r} of its caller is running")

        @functools.wraps(tool)
        def watched(*args: Any, **kwargs: Any) -> Any:
            check()
            return tool(*args, **kwargs)

        @functools.wraps(tool)
        async def watched_async(*args: Any, **kwargs: Any) -> Any:
            check()
            return await tool(*args, **kwargs)

        put: Any = watched_async if inspect.iscoroutinefunction(tool) else watched
        # `tool` is bound already where it is one of these.
        setattr(owner, name, staticmethod(put) if isinstance(raw, staticmethod | classmethod) else put)
        self._undo.append(
            functools.partial(setattr, owner, name, raw) if own else functools.partial(delattr, owner, name)
        )

    def _lets(self, action_type: str) -> bool:
        wanted, above = comparable(action_type), RUNNING.get()
        here = threading.get_ident()
        own = set(ASKED.get()) | {each for each, loop in self._awaited.items() if loop == here and each not in BODIES}
        while above is not None and above not in own:
            own.add(above)
            action = self._rules.actions.get(above)
            above = None if action is None else action.parent_action_id
        return any(
            action.action_id in own
            and action.status is ActionStatus.RUNNING
            and comparable(action.action_type) == wanted
            for action in self.actions
        )

    # Its clients

    def client(self, role: Role | str = Role.AGENT, agent_id: str | None = "agent", **options: Any) -> Client:
        """One whose pauses take no time."""
        ambient = Ambient(clock=lambda: self._now() / 1e6)
        given: dict[str, Any] = {"say": _nothing, "ambient": ambient, "sleep": self.passes, "spool": "off", **options}
        return Client(self.base_url, f"fake-{Role(role).value}", agent_id, **given)

    def async_client(
        self, role: Role | str = Role.AGENT, agent_id: str | None = "agent", **options: Any
    ) -> AsyncClient:
        """One whose pauses take no time."""
        ambient = Ambient(clock=lambda: self._now() / 1e6)

        async def sleep(seconds: float) -> None:
            self.passes(seconds)

        given: dict[str, Any] = {"say": _nothing, "ambient": ambient, "sleep": sleep, "spool": "off", **options}
        return AsyncClient(self.base_url, f"fake-{Role(role).value}", agent_id, **given)

    # What it answers

    def _answer(self, request: httpx.Request, content: bytes) -> httpx.Response:
        with self._lock:
            return self._answered(request, content)

    def _answered(self, request: httpx.Request, content: bytes) -> httpx.Response:
        path = request.url.raw_path.decode().partition("?")[0]
        endpoint, parameters = _endpoint(request.method, path)
        mode = self._failure(None if endpoint is None else endpoint.operation)
        headers = {"x-request-id": request.headers.get("x-request-id", "")}
        if mode is Mode.DOWN:
            raise httpx.ConnectError("the service is down", request=request)
        if mode is Mode.WRONG:
            headers["x-request-id"] = "of another question"
        try:
            if mode is Mode.UNAVAILABLE:
                raise refuse(Code.STORAGE_UNAVAILABLE, "Nothing can be recorded now.")
            handler = None if endpoint is None else self._handlers.get(endpoint.operation)
            if endpoint is None or handler is None:
                what = f"{request.method} {path}" if endpoint is None else endpoint.operation
                raise refuse(Code.NOT_SERVED, f"The service of assent.testing does not serve {what}; use a real one.")
            answer, status = handler(_checked(endpoint, request, parameters, content))
        except Refusal as refusal:
            body, status = render(refusal, path), refusal.status
            headers["content-type"] = PROBLEM_JSON
        else:
            body = msgspec.json.encode(answer)
            headers["content-type"] = "application/json"
        if mode is Mode.SLOW:
            raise httpx.ReadTimeout("no answer in time", request=request)
        return httpx.Response(status, headers=headers, content=body)

    def _failure(self, operation: str | None) -> Mode | None:
        for at, (mode, wanted) in enumerate(self._failures):
            if wanted in (None, operation):
                del self._failures[at]
                return mode
        return None

    def _guard(self, call: _Call) -> tuple[Any, int]:
        if call.query.include_signals:
            raise refuse(
                Code.NOT_SERVED, "The service of assent.testing does not serve include_signals; use a real one."
            )
        return result_of(self._rules.guard(call.by, call.body, call.members, call.key)), 200

    def _create(self, call: _Call) -> tuple[Any, int]:
        created, status = self._rules.create(call.by, call.body, call.members, call.key)
        self._asked(created.action_id)
        if status == 202:
            self._settle(created.action_id)
        return created, status

    def _asked(self, action_id: str) -> None:
        """In the context of the caller, who may use watched tools under it."""
        known = self._rules.actions
        if AWAITS.get():  # an awaiting client asks in a task of its own, whose context nobody else has
            self._awaited[action_id] = threading.get_ident()
            return
        ASKED.set((*(each for each in ASKED.get() if each in known and not is_over(known[each])), action_id))

    def _settle(self, action_id: str) -> None:
        """What a person would do, said beforehand."""
        if self._verdicts:
            self._decide(action_id, self._verdicts.pop(0))
        elif not self._waits:
            self._rules.expire(action_id, _OPERATOR)

    def _decide(self, action_id: str, said: ApproveAction) -> Action:
        return self._rules.decide(_OPERATOR, action_id, said, None)[0]

    def _get(self, call: _Call) -> tuple[Any, int]:
        action = self._rules.find(call.path["action_id"])
        about = [each for each in self._assumptions if each.action_id == action.action_id]
        approval = self._rules.approvals.get(action.action_id)
        return ActionDetail(action=action, approval=approval, assumptions=about, open_loops=[]), 200

    def _list(self, call: _Call) -> tuple[Any, int]:
        now = moment(self._now())
        found = [action for action in reversed(self.actions) if _fits(action, call.query, now)]
        page, following = _page(found, call.query)
        risks = [action.risk_score for action in found]
        stats = ActionStats(
            total=len(found),
            completed=sum(action.status is ActionStatus.COMPLETED for action in found),
            failed=sum(action.status is ActionStatus.FAILED for action in found),
            running=sum(action.status is ActionStatus.RUNNING for action in found),
            high_risk=sum(risk >= 70 for risk in risks),
            avg_risk=sum(risks) / len(risks) if risks else 0.0,
            total_cost=sum(action.cost_estimate or 0.0 for action in found),
        )
        return Actions(actions=page, total=len(found), stats=stats, lastUpdated=now, next_cursor=following), 200

    def _report(self, call: _Call) -> tuple[Any, int]:
        sent = None if call.key is None else mark(call.key, call.members)
        return UpdatedAction(action=self._rules.report(call.by, call.path["action_id"], call.body, sent)), 200

    def _approve(self, call: _Call) -> tuple[Any, int]:
        action, approval = self._rules.decide(call.by, call.path["action_id"], call.body, call.key)
        return ApprovedAction(success=True, action=action, approval=approval), 200

    def _withdraw(self, call: _Call) -> tuple[Any, int]:
        action, approval = self._rules.withdraw(call.by, call.path["action_id"], call.body.reason)
        return WithdrawnAction(action=action, approval=approval), 200

    def _claim(self, call: _Call) -> tuple[Any, int]:
        claimed = self._rules.claim(call.by, call.path["action_id"], call.body, call.key)
        self._asked(call.path["action_id"])
        return claimed, 200

    def _assume(self, call: _Call) -> tuple[Any, int]:
        said, now = call.body, moment(self._now())
        action = self._rules.find(said.action_id)
        assumption = Assumption(
            org_id=ORGANIZATION,
            assumption_id=said.assumption_id or new_id("asm_", self._now()),
            action_id=action.action_id,
            agent_id=call.by.speaks_for(said.agent_id) or action.agent_id,
            action_type=action.action_type,
            assumption=said.assumption,
            basis=said.basis,
            validated=bool(said.validated),
            invalidated=bool(said.invalidated),
            invalidated_reason=said.invalidated_reason,
            validated_at=now if said.validated or said.invalidated else None,
            source=said.source or Source.LIVE,
            occurred_at=said.occurred_at or now,
            created_at=now,
            updated_at=now,
        )
        self._assumptions.append(assumption)
        return RecordedAssumption(assumption=assumption, assumption_id=assumption.assumption_id), 201

    def _stop(self, call: _Call) -> tuple[Any, int]:
        self.halt(call.body.reason)
        return self._halt, 200

    def _resume(self, call: _Call) -> tuple[Any, int]:
        self.halt(None)
        return self._halt, 200

    def _halted(self, call: _Call) -> tuple[Any, int]:
        return self._halt, 200

    def _policy(self, call: _Call) -> tuple[Any, int]:
        return PolicyDetail(policy=self._rules.add_policy(call.body, call.by.key_id)), 201

    def _policies(self, call: _Call) -> tuple[Any, int]:
        return Policies(policies=list(self._rules.policies), version=self._rules.version), 200

    def _questions(self, call: _Call) -> tuple[Any, int]:
        return Questions(questions=[], total=0, lastUpdated=moment(self._now()), next_cursor=None), 200

    def _tell(self, call: _Call) -> tuple[Any, int]:
        return FlowAnswer(flow=self._rules.tell(call.by, call.body)), 201

    def _remove_labels(self, call: _Call) -> tuple[Any, int]:
        return FlowAnswer(flow=self._rules.remove_labels(call.by, call.path["flow_id"], call.body)), 200

    def _flows(self, call: _Call) -> tuple[Any, int]:
        query = call.query
        found = [
            flow
            for flow in self._rules.sessions
            if query.session_id in (None, flow.session_id)
            and (query.agent_id is None or same_name(query.agent_id, flow.agent_id))
        ]
        page, following = _page(found, query)
        return Flows(flows=page, total=len(found), lastUpdated=moment(self._now()), next_cursor=following), 200

    def _now(self) -> int:
        return system_clock() + round(self._moved * 1e6)


def _nothing(text: str) -> None:
    """Nobody is there to read it."""


_PRINCIPALS = {
    f"fake-{role.value}": Principal(ORGANIZATION, f"key_{role.value}", f"the {role.value}", role, None) for role in Role
}
_OPERATOR = _PRINCIPALS["fake-operator"]


def _checked(endpoint: AnyEndpoint[Any], request: httpx.Request, path: dict[str, str], content: bytes) -> _Call:
    """Raises Refusal, in the words of the service where it is the same."""
    by = _PRINCIPALS.get(request.headers.get("x-api-key", ""))
    if by is None:
        raise refuse(Code.UNAUTHORIZED, f"The header x-api-key is none of {', '.join(_PRINCIPALS)}.")
    if endpoint.roles is not None:
        by.check_role(endpoint.operation, endpoint.roles)
    bodies.check_path(path)
    body = query = None
    members: dict[str, Any] = {}
    if endpoint.query is not None:
        query = bodies.convert_query(
            endpoint.query, request.url.query, closed=endpoint.closed_query, spelled=endpoint.spelled
        )
    if endpoint.request is not None:
        sent = bodies.published(endpoint, bodies.decode_object(content, tells_twice=endpoint.tells_twice))
        strict = "handling=strict" in request.headers.get("prefer", "")
        body, members = bodies.convert_redacted(
            endpoint, endpoint.request, sent, redacted(endpoint, sent), strict=strict
        )
    return _Call(by, path, query, body, members, key_of(request.headers.get("idempotency-key")))


@functools.cache
def _endpoint_of(method: str, shape: tuple[str, ...]) -> AnyEndpoint[Any] | None:
    """A path with fewer parameters wins."""
    found = [
        endpoint
        for endpoint in ENDPOINTS
        if endpoint.method == method and _is_of(tuple(endpoint.path.split("/")), shape)
    ]
    return min(found, key=lambda endpoint: endpoint.path.count("{"), default=None)


def _is_of(parts: tuple[str, ...], shape: tuple[str, ...]) -> bool:
    return len(parts) == len(shape) and all(
        part == each or part.startswith("{") for part, each in zip(parts, shape, strict=True)
    )


def _endpoint(method: str, path: str) -> tuple[AnyEndpoint[Any] | None, dict[str, str]]:
    """What is asked, and the parameters of its path."""
    shape = tuple(path.split("/"))
    endpoint = _endpoint_of(method, shape)
    if endpoint is None:
        return None, {}
    pairs = zip(endpoint.path.split("/"), shape, strict=True)
    return endpoint, {part[1:-1]: unquote(each) for part, each in pairs if part.startswith("{")}


def _page(found: Sequence[T], query: Any) -> tuple[list[T], str | None]:
    """What is on the page that is asked for, and the cursor of the next one. Raises `invalid_query`."""
    begin = query.offset
    if query.cursor is not None:
        if not query.cursor.isdecimal():
            raise bodies.not_a_cursor(query.cursor)
        begin = int(query.cursor)
    page = list(found[begin : begin + query.limit])
    more = begin + len(page)
    return page, str(more) if more < len(found) else None


def _fits(action: Action, query: Any, now: datetime) -> bool:
    oldest = None if query.days is None else now - timedelta(days=query.days)
    return (
        (query.agent_id is None or same_name(query.agent_id, action.agent_id))
        and (query.swarm_id is None or query.swarm_id == action.swarm_id)
        and (query.status is None or query.status is action.status)
        and (query.exclude_status is None or query.exclude_status is not action.status)
        and (query.action_type is None or comparable(query.action_type) == comparable(action.action_type))
        and (query.decision is None or query.decision is action.decision)
        and (query.decision_id is None or query.decision_id == action.decision_id)
        and (query.session_id is None or query.session_id == action.session_id)
        and (query.source is None or query.source is action.source)
        and (query.risk_min is None or action.risk_score >= query.risk_min)
        and (oldest is None or action.timestamp_start >= oldest)
    )
