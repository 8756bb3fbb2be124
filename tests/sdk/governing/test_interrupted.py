"""A call that is interrupted before it began is over: wherever it was, nothing of it runs or waits any more."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import httpx
import pytest

from assent import governed
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
    """The keyboard's hand, before or after the first request of this name."""

    def __init__(self, service: FakeService, what: str, when: str) -> None:
        self._service, self._what, self._when = service, what, when
        self.fired = False

    def _fires(self, request: httpx.Request, when: str) -> bool:
        if self.fired or when != self._when or named(request) != self._what:
            return False
        self.fired = True
        return True

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self._fires(request, "before"):
            raise KeyboardInterrupt
        answer = self._service.transport.handle_request(request)
        if self._fires(request, "after"):
            raise KeyboardInterrupt
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
