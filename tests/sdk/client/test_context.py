"""Working on one action: action_context and track, blocking and awaiting."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from typing import Any

import httpx
import pytest

from assent import ActionOverError, ApprovalDeniedError, ApprovalTimeoutError, Conflict, GuardBlockedError
from tests.sdk.client import samples
from tests.sdk.client.doubles import Handler, Stage, Way, answering, problematic
from tests.sdk.client.exchanges.messages import SENT

Body = Callable[[Any], Awaitable[object]]
PATH = f"/api/actions/{samples.ID}"


def service(status: str = "running", state: str = "approved", outcome: httpx.Response | None = None) -> Handler:
    """Creates every action with this status; the approval, if one is asked for, is in this state already."""

    keys: list[str | None] = [None]

    def handler(request: httpx.Request) -> httpx.Response:
        match request.method, request.url.path:
            case "POST", "/api/actions":
                keys.append(samples.key_of(request))
                return httpx.Response(201, json=samples.created_to(request, status))
            case "GET", "/api/stream":
                return httpx.Response(404)
            case "GET", _:
                return httpx.Response(200, json=samples.detail("running", state, key=keys[-1], reasoning="no"))
            case "PATCH", _:
                return outcome or httpx.Response(200, json={"action": samples.action("completed")})
            case _:
                answer = {"assumption": samples.assumption(), "assumption_id": "asm_1"}
                return httpx.Response(201, json=answer)

    return handler


async def tracked(stage: Stage, body: Body, *args: Any, **kwargs: Any) -> None:
    """Run `body` inside track, on either client."""
    if stage.way == "async":
        async with stage.client.track(*args, **kwargs) as action:
            await body(action)
    else:
        with stage.client.track(*args, **kwargs) as action:
            await body(action)


async def done(stage: Stage, answer: Any) -> Any:
    return await answer if stage.way == "async" else answer


def reports(stage: Stage) -> list[dict[str, Any]]:
    return [json.loads(request.content) for request in stage.requests if request.method == "PATCH"]


async def test_a_tracked_block_is_created_and_completed_with_its_duration(way: Way) -> None:
    stage = Stage(way, service())
    seen: list[Any] = []

    async def body(action: Any) -> None:
        seen.append((action.action_id, action.created.decision.risk_score))
        stage.time.now += 1.5

    await tracked(stage, body, "deploy", "ship it", risk_score=30, context={"ticket": 7})
    assert seen == [(samples.ID, 40.5)]
    create, report = stage.requests
    assert json.loads(create.content) == {
        "action_type": "deploy",
        "declared_goal": "ship it",
        "agent_id": "agent-7",
        "risk_score": 30,
        "ticket": 7,
    }
    assert (report.method, report.url.path) == ("PATCH", PATH)
    assert json.loads(report.content) == {"status": "completed", "duration_ms": 1500}


async def test_a_block_that_fails_is_reported_with_the_errors_type_and_message(way: Way) -> None:
    stage = Stage(way, service())

    async def body(action: Any) -> None:
        stage.time.now += 2
        raise KeyError("no such row")

    with pytest.raises(KeyError, match="no such row"):
        await tracked(stage, body, "deploy")
    assert reports(stage) == [{"status": "failed", "error_message": "KeyError: 'no such row'", "duration_ms": 2000}]


async def test_what_looks_like_a_secret_is_taken_out_of_the_error(way: Way) -> None:
    stage = Stage(way, service())

    async def body(action: Any) -> None:
        raise ValueError("no login with {'user': 'ada', 'password': 'hunter2'}")

    with pytest.raises(ValueError, match="hunter2"):
        await tracked(stage, body, "deploy")
    (report,) = reports(stage)
    assert report["error_message"] == "ValueError: no login with {'user': 'ada', 'password': '[REDACTED:password]'}"


async def test_a_long_message_is_cut_to_what_the_wire_takes(way: Way) -> None:
    stage = Stage(way, service())

    async def body(action: Any) -> None:
        raise ValueError("x" * 10_000)

    with pytest.raises(ValueError, match="xxx"):
        await tracked(stage, body, "deploy")
    (report,) = reports(stage)
    assert report["error_message"] == "ValueError: " + "x" * 3988


@pytest.mark.parametrize(
    ("stop", "status", "why"),
    [
        (asyncio.CancelledError(), "cancelled", "CancelledError: the task was cancelled"),
        (asyncio.CancelledError("shutting down"), "cancelled", "CancelledError: shutting down"),
        (KeyboardInterrupt(), "cancelled", "KeyboardInterrupt: interrupted from the keyboard"),
        (SystemExit(), "cancelled", "SystemExit: the process was told to end"),
        (SystemExit(0), "cancelled", "SystemExit: 0"),
        (BaseExceptionGroup("several", [asyncio.CancelledError()]), "cancelled", "BaseExceptionGroup: several (1 sub-"),
        (SystemExit(2), "failed", "SystemExit: 2"),
        (SystemExit("no such file"), "failed", "SystemExit: no such file"),
        (
            BaseExceptionGroup("several", [asyncio.CancelledError(), ValueError("x")]),
            "failed",
            "BaseExceptionGroup: se",
        ),
    ],
    ids=repr,
)
async def test_a_block_that_is_stopped_from_outside_is_cancelled(
    way: Way, stop: BaseException, status: str, why: str
) -> None:
    stage = Stage(way, service())

    async def body(action: Any) -> None:
        stage.time.now += 1
        raise stop

    with pytest.raises(type(stop)):
        await tracked(stage, body, "deploy")
    (report,) = reports(stage)
    assert (report["status"], report["duration_ms"]) == (status, 1000)
    assert report["error_message"].startswith(why)


async def test_a_stop_after_an_outcome_of_its_own_leaves_that_outcome(way: Way) -> None:
    stage = Stage(way, service())

    async def body(action: Any) -> None:
        await done(stage, action.update_outcome("completed"))
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await tracked(stage, body, "deploy")
    assert reports(stage) == [{"status": "completed"}, {"duration_ms": 0}]


def test_a_generator_that_is_closed_inside_a_block_is_cancelled() -> None:
    stage = Stage("sync", service())

    def numbers() -> Generator[int]:
        with stage.client.track("deploy"):
            yield 1
            yield 2

    given = numbers()
    assert next(given) == 1
    given.close()
    (report,) = reports(stage)
    assert (report["status"], report["error_message"]) == ("cancelled", "GeneratorExit: the generator was closed")


async def test_an_async_generator_that_is_closed_inside_a_block_is_cancelled() -> None:
    stage = Stage("async", service())

    async def numbers() -> AsyncGenerator[int]:
        async with stage.client.track("deploy"):
            yield 1
            yield 2

    given = numbers()
    assert await anext(given) == 1
    await given.aclose()
    (report,) = reports(stage)
    assert (report["status"], report["error_message"]) == ("cancelled", "GeneratorExit: the generator was closed")


def interrupting(standing: str) -> Handler:
    """The wait for the approval is interrupted at its first look; by then the approval is in this state."""
    create = service("pending_approval")

    def handler(request: httpx.Request) -> httpx.Response:
        if request.method == "GET" and request.url.path == PATH:
            raise KeyboardInterrupt
        if not request.url.path.endswith("/withdraw"):
            return create(request)
        if standing == "awaiting":
            answer = {"action": samples.action("cancelled"), "approval": samples.approval("withdrawn")}
            return httpx.Response(200, json=answer)
        return problematic(samples.problem("already_decided", 409, approval=samples.approval(standing)))

    return handler


@pytest.mark.parametrize(("standing", "reported"), [("awaiting", False), ("denied", False), ("approved", True)])
async def test_a_wait_that_is_stopped_withdraws_or_says_that_nobody_acts(
    way: Way, standing: str, *, reported: bool
) -> None:
    stage = Stage(way, interrupting(standing))

    async def body(action: Any) -> None:
        raise AssertionError("it never runs")

    with pytest.raises(KeyboardInterrupt):
        await tracked(stage, body, "deploy")
    (asked,) = [request for request in stage.requests if request.url.path == f"{PATH}/withdraw"]
    why = "KeyboardInterrupt: interrupted from the keyboard"
    assert json.loads(asked.content) == {"reason": why}
    assert reports(stage) == ([{"status": "cancelled", "error_message": why}] if reported else [])


async def test_a_plain_wait_that_is_stopped_withdraws_unless_it_is_told_to_keep(way: Way) -> None:
    for options, asked in (({}, 1), ({"withdraw_on_cancel": False}, 0)):
        stage = Stage(way, interrupting("awaiting"))
        with pytest.raises(KeyboardInterrupt):
            await stage("wait_for_approval", samples.ID, **options)
        assert stage.paths.count(f"{PATH}/withdraw") == asked
        assert reports(stage) == []


async def test_a_wait_that_takes_too_long_withdraws_nothing(way: Way) -> None:
    stage = Stage(way, service("pending_approval", "awaiting"))
    with pytest.raises(ApprovalTimeoutError):
        await stage("wait_for_approval", samples.ID, timeout=20)
    assert f"{PATH}/withdraw" not in stage.paths


async def test_what_a_repeated_creation_found_is_left_to_whoever_else_waits(way: Way) -> None:
    inner = interrupting("awaiting")

    def handler(request: httpx.Request) -> httpx.Response:
        if request.url.path != "/api/actions":
            return inner(request)
        return httpx.Response(200, json=samples.created_to(request, "pending_approval", idempotent_replay=True))

    stage = Stage(way, handler)

    async def body(action: Any) -> None:
        raise AssertionError("it never runs")

    with pytest.raises(KeyboardInterrupt):
        await tracked(stage, body, "deploy", idempotency_key="mine")
    assert f"{PATH}/withdraw" not in stage.paths
    assert reports(stage) == []


async def test_an_outcome_of_the_blocks_own_stands(way: Way) -> None:
    stage = Stage(way, service())

    async def body(action: Any) -> None:
        await done(stage, action.update_outcome("cancelled", output_summary="nothing to do"))

    await tracked(stage, body, "deploy")
    assert reports(stage) == [{"status": "cancelled", "output_summary": "nothing to do"}, {"duration_ms": 0}]


@pytest.mark.parametrize("said", [{"output_summary": "half way"}, {}])
async def test_a_summary_without_a_status_leaves_the_status_to_the_block(way: Way, said: dict[str, str]) -> None:
    stage = Stage(way, service())

    async def body(action: Any) -> None:
        await done(stage, action.update_outcome({"tokens_in": 3}, **said))

    await tracked(stage, body, "deploy")
    assert reports(stage)[-1] == {"status": "completed", "duration_ms": 0}


async def test_an_error_after_an_outcome_of_its_own_is_a_failure(way: Way) -> None:
    stage = Stage(way, service())

    async def body(action: Any) -> None:
        await done(stage, action.update_outcome({"status": "completed"}))
        raise RuntimeError("after all")

    with pytest.raises(RuntimeError):
        await tracked(stage, body, "deploy")
    assert reports(stage)[-1]["status"] == "failed"


async def test_a_blocked_action_never_runs(way: Way) -> None:
    blocked = samples.problem("action_blocked", 403, decision=samples.decision("block"))
    stage = Stage(way, lambda _: problematic(blocked))
    ran: list[Any] = []

    async def body(action: Any) -> None:
        ran.append(action)

    with pytest.raises(GuardBlockedError):
        await tracked(stage, body, "deploy")
    assert (ran, reports(stage)) == ([], [])


async def test_an_action_that_needs_approval_waits_for_it_before_it_runs(way: Way) -> None:
    stage = Stage(way, service("pending_approval"))
    order: list[str] = []

    async def body(action: Any) -> None:
        order.extend(stage.paths)

    await tracked(stage, body, "deploy")
    assert order == ["/api/actions", "/api/stream", PATH]
    # It was approved before it was waited for.
    assert stage.said == [f"{samples.ID} may run: http://assent.test:8484/replay/{samples.ID}"]


async def test_an_action_that_waits_says_where_it_is_decided(way: Way) -> None:
    allowed, looks = service("pending_approval"), [samples.detail("pending_approval", "awaiting")]

    def handler(request: httpx.Request) -> httpx.Response:
        if looks and (request.method, request.url.path) == ("GET", PATH):
            return httpx.Response(200, json=looks.pop())
        return allowed(request)

    async def body(action: Any) -> None: ...

    stage = Stage(way, handler)
    await tracked(stage, body, "deploy")
    assert stage.said == [f"Waiting for approval of {samples.ID}: http://assent.test:8484/replay/{samples.ID}"]


async def test_a_denied_action_never_runs_and_gets_no_outcome(way: Way) -> None:
    stage = Stage(way, service("pending_approval", "denied"))
    ran: list[Any] = []

    async def body(action: Any) -> None:
        ran.append(action)

    with pytest.raises(ApprovalDeniedError):
        await tracked(stage, body, "deploy")
    assert (ran, reports(stage)) == ([], [])


@pytest.mark.parametrize(
    ("status", "state", "error"),
    [
        ("completed", None, ActionOverError),
        ("completed", "approved", ActionOverError),
        ("cancelled", "denied", ApprovalDeniedError),
    ],
)
async def test_a_repeated_creation_whose_action_is_over_never_runs(
    way: Way, status: str, state: str | None, error: type[Exception]
) -> None:
    approval = None if state is None else samples.detail("running", state, reasoning="no")["approval"]
    again = samples.created(status) | {"idempotent_replay": True, "approval": approval}
    stage = Stage(way, lambda _: httpx.Response(200, json=again))
    ran: list[Any] = []

    async def body(action: Any) -> None:
        ran.append(action)

    with pytest.raises(error):
        await tracked(stage, body, "deploy", idempotency_key="k")
    assert (ran, reports(stage)) == ([], [])


async def test_a_report_that_fails_does_not_hide_the_blocks_error(way: Way) -> None:
    stage = Stage(way, service(outcome=problematic(samples.problem("awaiting_approval", 409))))

    async def body(action: Any) -> None:
        raise KeyError("the real one")

    with pytest.raises(KeyError, match="the real one") as caught:
        await tracked(stage, body, "deploy")
    assert "could not be reported: 409 awaiting_approval" in caught.value.__notes__[0]


async def test_a_report_of_success_that_fails_is_raised(way: Way) -> None:
    stage = Stage(way, service(outcome=problematic(samples.problem("awaiting_approval", 409))))

    async def body(action: Any) -> None:
        pass

    with pytest.raises(Conflict):
        await tracked(stage, body, "deploy")


async def test_a_context_tags_what_is_said_with_its_action(way: Way) -> None:
    stage = Stage(way, service())
    if way == "async":
        async with stage.client.action_context("act_9") as action:
            await action.record_assumption("it is night", basis="clock")
            await action.update_outcome("completed")
    else:
        with stage.client.action_context("act_9") as action:
            action.record_assumption("it is night", basis="clock")
            action.update_outcome("completed")
    belief, outcome = stage.requests
    assert json.loads(belief.content) == {"assumption": "it is night", "action_id": "act_9", "basis": "clock"}
    assert (outcome.url.path, json.loads(outcome.content)) == ("/api/actions/act_9", {"status": "completed"})


async def test_a_context_sends_messages_about_its_action_as_the_clients_agent(way: Way) -> None:
    stage = Stage(way, answering(SENT, 201))
    context = stage.client.action_context("act_9")
    await done(stage, context.send_message("it is night", to="desk", urgent=True))
    await done(stage, context.send_message({"from": "other", "type": "status", "body": "so", "actionId": "act_1"}))
    first, second = (json.loads(request.content) for request in stage.requests)
    about = {"from_agent_id": "agent-7", "action_id": "act_9"}
    assert first == {**about, "body": "it is night", "to_agent_id": "desk", "urgent": True}
    assert second == {**about, "from_agent_id": "other", "message_type": "status", "body": "so"}


async def test_a_context_reports_nothing_by_itself(way: Way) -> None:
    stage = Stage(way, service())

    async def broken() -> None:
        if way == "async":
            async with stage.client.action_context("act_9"):
                raise RuntimeError
        with stage.client.action_context("act_9"):
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await broken()
    assert stage.requests == []
