"""A call that is interrupted before it began is over: wherever it was, nothing of it runs or waits any more."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import httpx
import pytest

from assent import UnboundAnswer, governed
from assent.testing import FakeService

ASKING = {"name": "Ask", "policy_type": "require_approval", "rules": {"action_types": ["pay"]}}
CREATION, WAIT, CLAIM = "POST /api/actions", "GET", "POST claim"
PLACES = [
    (tool, what, when)
    for tool, asked in (("look", (CREATION,)), ("pay", (CREATION, WAIT, CLAIM)))
    for what in asked
    for when in ("before", "after")
]


def named(request: httpx.Request) -> str:
    if request.method == "POST":
        return CLAIM if request.url.path.endswith("/claim") else f"POST {request.url.path}"
    return request.method


@pytest.fixture
def service() -> Iterator[FakeService]:
    made = FakeService()
    made.policies(ASKING)
    made.approve_next()
    yield made
    made.close()


class Interrupting(httpx.BaseTransport):
    """A hand from outside (the keyboard's, a signal handler's), before or after the first request of this name."""

    def __init__(self, service: FakeService, what: str, when: str, raises: BaseException | None = None) -> None:
        self._service, self._what, self._when = service, what, when
        self._raises = raises or KeyboardInterrupt()
        self.fired = False

    def _fires(self, request: httpx.Request, when: str) -> bool:
        if self.fired or when != self._when or named(request) != self._what:
            return False
        self.fired = True
        return True

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self._fires(request, "before"):
            raise self._raises
        answer = self._service.transport.handle_request(request)
        if self._fires(request, "after"):
            raise self._raises
        return answer


@pytest.mark.parametrize(("tool", "what", "when"), [place for place in PLACES if place[1] != WAIT])
def test_an_interrupted_call_is_over(service: FakeService, tool: str, what: str, when: str) -> None:
    hand = Interrupting(service, what, when)

    @governed(tool, client=service.client(http=httpx.Client(transport=hand)))
    def call() -> None:
        raise AssertionError("it ran")

    with pytest.raises(KeyboardInterrupt):
        call()
    assert hand.fired
    assert [str(action.status) for action in service.actions] == ["cancelled"]


class Cancelling(httpx.AsyncBaseTransport):
    """Cancels the task before or after the first request of this name."""

    def __init__(self, service: FakeService, what: str, when: str) -> None:
        self._service, self._what, self._when = service, what, when
        self.fired = False
        self.task: asyncio.Task[None] | None = None

    def _fire(self, request: httpx.Request, when: str) -> None:
        if not self.fired and when == self._when and named(request) == self._what:
            assert self.task is not None
            self.fired = self.task.cancel()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self._fire(request, "before")
        await asyncio.sleep(0)  # as a connection does
        answer = await self._service.transport.handle_async_request(request)
        self._fire(request, "after")
        await asyncio.sleep(0)
        return answer


@pytest.mark.parametrize(("tool", "what", "when"), PLACES)
def test_a_cancelled_call_is_over(service: FakeService, tool: str, what: str, when: str) -> None:
    hand = Cancelling(service, what, when)

    async def run() -> None:
        http = httpx.AsyncClient(transport=hand)

        @governed(tool, client=service.async_client(http=http))
        async def call() -> None:
            raise AssertionError("it ran")

        hand.task = asyncio.create_task(call())
        with pytest.raises(asyncio.CancelledError):
            await hand.task

    asyncio.run(run())
    assert hand.fired
    assert [str(action.status) for action in service.actions] == ["cancelled"]


def test_a_repeated_creation_is_left_to_whoever_made_it(service: FakeService) -> None:
    hand = Interrupting(service, CREATION, "after")
    with service.client() as first:
        first.create_action("look", "Look", idempotency_key="of-another")
    with (
        pytest.raises(KeyboardInterrupt),
        service.client(http=httpx.Client(transport=hand)) as client,
        client.track("look", "Look", idempotency_key="of-another"),
    ):
        raise AssertionError("it ran")
    assert [str(action.status) for action in service.actions] == ["running"]


class Shutdown(BaseException):
    """A program's own way to end."""


OUTCOME = "PATCH"


@pytest.mark.parametrize("raises", [TimeoutError("the alarm"), ValueError("x"), Shutdown("now")], ids=repr)
@pytest.mark.parametrize(("tool", "what", "when"), [place for place in PLACES if place[1] != WAIT])
def test_whatever_is_raised_from_outside_ends_the_call(
    service: FakeService, tool: str, what: str, when: str, raises: BaseException
) -> None:
    hand = Interrupting(service, what, when, raises)

    @governed(tool, client=service.client(http=httpx.Client(transport=hand)))
    def call() -> None:
        raise AssertionError("it ran")

    with pytest.raises(type(raises)):
        call()
    assert hand.fired
    (action,) = service.actions
    assert str(action.status) == "failed"  # it was approved meanwhile, so that nothing is left to withdraw
    assert type(raises).__name__ in str(action.error_message)


@pytest.mark.parametrize("raises", [TimeoutError("the alarm"), Shutdown("now"), KeyboardInterrupt()], ids=repr)
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_report_that_is_cut_off_is_made_once_more(service: FakeService, when: str, raises: BaseException) -> None:
    hand = Interrupting(service, OUTCOME, when, raises)
    with (
        pytest.raises(type(raises)),
        service.client(http=httpx.Client(transport=hand)) as client,
        client.track("look", "Look"),
    ):
        pass
    assert hand.fired
    assert [str(action.status) for action in service.actions] == ["completed"]


@pytest.mark.parametrize("raises", [TimeoutError("the alarm"), Shutdown("now")], ids=repr)
def test_a_plain_wait_that_is_ended_from_outside_withdraws(raises: BaseException) -> None:
    service = FakeService()
    service.policies(ASKING)

    class Alarm(httpx.BaseTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            if request.url.path.startswith("/api/actions/act_") and request.method == "GET":
                raise raises
            return service.transport.handle_request(request)

    with service.client(http=httpx.Client(transport=Alarm())) as client:
        action_id = client.create_action("pay").action_id
        with pytest.raises(type(raises)):
            client.wait_for_approval(action_id)
    assert [str(action.status) for action in service.actions] == ["cancelled"]
    service.close()


class Swapping(httpx.BaseTransport):
    """Something in between, which has the first answer to this say something else."""

    def __init__(self, service: FakeService, what: str, change: tuple[str, str]) -> None:
        self._service, self._what, self._change, self.fired = service, what, change, False

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self._service.transport.handle_request(request)
        if self.fired or named(request) != self._what or request.url.path == "/api/stream":
            return answer
        self.fired = True
        before, after = self._change
        content = answer.content.replace(before.encode(), after.encode())
        assert content != answer.content
        return httpx.Response(
            answer.status_code, headers={"x-request-id": answer.headers["x-request-id"]}, content=content
        )


@pytest.mark.parametrize(
    ("tool", "what", "status"),
    [("look", CREATION, "failed"), ("pay", CREATION, "failed"), ("pay", WAIT, "failed"), ("pay", CLAIM, "failed")],
)
def test_a_call_whose_answer_was_anothers_is_over(service: FakeService, tool: str, what: str, status: str) -> None:
    between = Swapping(service, what, (f'"{tool}"', '"wipe"'))

    @governed(tool, client=service.client(http=httpx.Client(transport=between)))
    def call() -> None:
        raise AssertionError("it ran")

    with pytest.raises(UnboundAnswer):
        call()
    assert between.fired
    (action,) = service.actions
    assert str(action.status) == status
    assert "UnboundAnswer: no answer from" in str(action.error_message)


def test_an_answer_with_anothers_id_ends_the_action_and_stays_the_error(service: FakeService) -> None:
    class Foreign(httpx.BaseTransport):
        fired = False

        def handle_request(self, request: httpx.Request) -> httpx.Response:
            answer = service.transport.handle_request(request)
            if named(request) == CREATION and not self.fired:
                self.fired = True
                del answer.headers["x-request-id"]
            return answer

    with (
        pytest.raises(UnboundAnswer),
        service.client(http=httpx.Client(transport=Foreign())) as client,
        client.track("look", "Look"),
    ):
        raise AssertionError("it ran")
    assert [str(action.status) for action in service.actions] == ["failed"]
