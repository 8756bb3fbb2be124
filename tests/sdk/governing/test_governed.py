"""`@governed` over every kind of callable, against a real service: what runs, what does not, and what is recorded."""

from __future__ import annotations

import asyncio
import functools
import inspect
import pickle
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext
from typing import Any

import pytest

from assent import (
    ApprovalDeniedError,
    ApprovalTimeoutError,
    ArgumentsChanged,
    AsyncClient,
    Client,
    Conflict,
    GuardBlockedError,
    NotAwaitingApprovalError,
    governed,
)
from assent.client import context
from assent.client.waiting import withdrawing
from tests.live import WAIT
from tests.sdk.governing.conftest import Decides
from tests.stories.tenant import Tenant

Recorded = Callable[[], list[dict[str, Any]]]


@governed
def look(customer: str, *, deep: bool = False) -> str:
    """What we know."""
    return f"{customer} {deep}"


def begun(recorded: Recorded) -> None:
    """Waits until there is an action."""
    until = time.monotonic() + WAIT
    while not recorded() and time.monotonic() < until:
        time.sleep(0.02)


def facts(action: dict[str, Any]) -> tuple[str, str, str]:
    return action["action_type"], action["declared_goal"], action["status"]


def test_a_call_is_an_action_with_its_arguments_and_defaults_that_completes(tenant: Tenant, recorded: Recorded) -> None:
    assert look("Ada") == "Ada False"
    (action,) = recorded()
    assert facts(action) == ("look", "look(customer='Ada', deep=False)", "completed")
    assert action["duration_ms"] >= 0
    assert action["agent_id"] == "bot"
    assert action["parameters_digest"].startswith("sha256:")


def test_what_is_blocked_does_not_run(tenant: Tenant, recorded: Recorded) -> None:
    ran: list[str] = []

    @governed
    def wipe(path: str, password: str = "hunter2") -> None:
        ran.append(path)

    with pytest.raises(GuardBlockedError, match="Nobody wipes"):
        wipe("/data")
    (action,) = recorded()
    assert ran == []
    assert facts(action) == ("wipe", "wipe(path='/data', password=[REDACTED:password])", "blocked")


@pytest.mark.parametrize("awaited", [False, True])
@pytest.mark.parametrize(("action_type", "error"), [("wipe", GuardBlockedError), ("pay", NotAwaitingApprovalError)])
def test_history_that_guard_does_not_let_through_does_not_run_and_says_why(
    tenant: Tenant, recorded: Recorded, action_type: str, error: type[Exception], awaited: bool
) -> None:
    ran: list[int] = []

    def done() -> None:
        ran.append(1)

    async def done_awaited() -> None:
        async with tenant.async_client("admin") as client:

            @governed(action_type, client=client, source="import")
            async def done() -> None:
                ran.append(1)

            await done()

    with pytest.raises(error) as caught, tenant.client("admin") as client:
        asyncio.run(done_awaited()) if awaited else governed(action_type, client=client, source="import")(done)()
    assert ran == []
    if isinstance(caught.value, GuardBlockedError):
        assert "Nobody wipes" in str(caught.value)
    (action,) = recorded()
    assert (action["status"], action["source"]) == ("failed", "import")
    assert error.__name__ in action["error_message"]


def test_what_needs_a_person_runs_once_approved_and_the_approval_is_used_for_it(
    tenant: Tenant, recorded: Recorded, decides: Decides
) -> None:
    @governed("pay", declared_goal="Pay {amount} to {to}", reversible=False, systems_touched=["bank"])
    def send_money(to: str, amount: float) -> float:
        (waiting,) = recorded()
        assert waiting["status"] == "running"
        return amount

    decides()
    assert send_money("Ada", amount=3.5) == 3.5
    (action,) = recorded()
    assert facts(action) == ("pay", "Pay 3.5 to Ada", "completed")
    assert (action["reversible"], action["systems_touched"]) == (False, ["bank"])
    approval = tenant.call("GET", f"/api/actions/{action['action_id']}")["approval"]
    assert approval["claimed_at"] is not None


def test_a_denial_and_a_wait_that_ends_stop_it(tenant: Tenant, recorded: Recorded, decides: Decides) -> None:
    ran: list[int] = []
    pay = governed("pay")(ran.append)
    decides("deny", reasoning="too much")
    with pytest.raises(ApprovalDeniedError, match="too much"):
        pay(3)
    with pytest.raises(ApprovalTimeoutError, match="was taken back; call again to ask again") as late:
        governed("pay", approval_timeout=0.1)(ran.append)(4)
    assert late.value.withdrawn
    assert ran == []
    assert [action["status"] for action in recorded()] == ["cancelled", "cancelled"]
    approval = tenant.call("GET", f"/api/actions/{late.value.action_id}")["approval"]
    assert approval["state"] == "withdrawn"
    assert approval["reasoning"].endswith("It was taken back; call again to ask again, or tell the user.")


@pytest.mark.parametrize("decision", ["allow", "deny"])
def test_a_decision_that_comes_as_the_wait_runs_out_counts(
    tenant: Tenant, recorded: Recorded, monkeypatch: pytest.MonkeyPatch, decision: str
) -> None:
    def decided_first(action_id: str, *given: Any, **named: Any) -> Any:
        tenant.call("POST", f"/api/actions/{action_id}/approve", {"decision": decision}, key="operator")
        return withdrawing(action_id, *given, **named)

    monkeypatch.setattr(context, "withdrawing", decided_first)
    ran: list[int] = []
    pay = governed("pay", approval_timeout=0.1)(ran.append)
    with nullcontext() if decision == "allow" else pytest.raises(ApprovalDeniedError):
        pay(4)
    assert ran == [4] * (decision == "allow")
    assert [action["status"] for action in recorded()] == ["completed" if ran else "cancelled"]


def test_an_approval_is_not_for_arguments_that_changed_while_it_was_waited_for(
    tenant: Tenant, recorded: Recorded, decides: Decides
) -> None:
    ran: list[object] = []
    order = {"amount": 3}

    @governed
    def pay(order: dict[str, int]) -> None:
        ran.append(order)

    def change_then_approve() -> None:
        begun(recorded)
        order["amount"] = 3000
        decides()

    changing = threading.Thread(target=change_then_approve)
    changing.start()
    with pytest.raises(ArgumentsChanged, match="were changed after act_") as caught:
        pay(order)
    assert isinstance(caught.value.__cause__, Conflict), "the service refused the claim"
    changing.join()
    assert ran == []
    assert [action["status"] for action in recorded()] == ["failed"]


def test_what_the_body_raises_passes_through_as_it_is_and_is_reported(tenant: Tenant, recorded: Recorded) -> None:
    trouble = KeyError("no such customer")

    @governed
    def find() -> None:
        raise trouble

    with pytest.raises(KeyError) as caught:
        find()
    assert caught.value is trouble
    (action,) = recorded()
    assert (action["status"], action["error_message"]) == ("failed", "KeyError: 'no such customer'")


@pytest.mark.parametrize("error", [StopIteration("x"), GuardBlockedError, KeyboardInterrupt()])
def test_errors_that_look_like_our_own_pass_through_too(tenant: Tenant, recorded: Recorded, error: Any) -> None:
    @governed
    def inner() -> None:
        if isinstance(error, BaseException):
            raise error
        wipe()

    @governed
    def wipe() -> None:
        raise AssertionError("it ran")

    with pytest.raises(BaseException) as caught:  # noqa: PT011
        inner()
    assert isinstance(caught.value, error if isinstance(error, type) else type(error))
    assert recorded()[0]["status"] == ("cancelled" if isinstance(error, KeyboardInterrupt) else "failed")


async def test_async_functions_await_everything(tenant: Tenant, recorded: Recorded, decides: Decides) -> None:
    beats: list[int] = []

    @governed
    async def pay(amount: int) -> int:
        await asyncio.sleep(0)
        return amount

    async def beat() -> None:
        while True:
            beats.append(1)
            await asyncio.sleep(0.01)

    beating = asyncio.create_task(beat())
    decides()
    assert await pay(3) == 3
    beating.cancel()
    assert len(beats) > 3, "the loop stood still while a person decided"
    (action,) = recorded()
    assert facts(action) == ("pay", "pay(amount=3)", "completed")


async def test_a_cancelled_call_is_reported_cancelled(tenant: Tenant, recorded: Recorded) -> None:
    begun = asyncio.Event()

    @governed
    async def look() -> None:
        begun.set()
        await asyncio.sleep(60)

    task = asyncio.create_task(look())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    (action,) = recorded()
    assert (action["status"], action["error_message"]) == ("cancelled", "CancelledError: the task was cancelled")


async def test_a_cancelled_wait_for_a_person_withdraws_its_approval(tenant: Tenant, recorded: Recorded) -> None:
    ran: list[int] = []

    @governed
    async def pay(amount: int) -> None:
        ran.append(amount)

    task = asyncio.create_task(pay(3))
    await asyncio.to_thread(begun, recorded)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ran == []
    (action,) = recorded()
    assert action["status"] == "cancelled"
    approval = tenant.call("GET", f"/api/actions/{action['action_id']}")["approval"]
    assert (approval["state"], approval["reasoning"]) == ("withdrawn", "CancelledError: the task was cancelled")


async def test_calls_side_by_side_are_told_apart(tenant: Tenant, recorded: Recorded) -> None:
    @governed
    async def inner(number: int) -> int:
        await asyncio.sleep(0.01)
        return number

    @governed
    async def outer(number: int) -> int:
        return await inner(number)

    assert await asyncio.gather(*(outer(number) for number in range(5))) == [0, 1, 2, 3, 4]
    made = {action["action_id"]: action for action in recorded()}
    inners = [action for action in made.values() if action["action_type"] == "inner"]
    assert len(inners) == 5
    for action in inners:
        number = action["declared_goal"].removeprefix("inner")
        assert made[action["parent_action_id"]]["declared_goal"] == f"outer{number}"
    assert all(action["parent_action_id"] is None for action in made.values() if action["action_type"] == "outer")


async def test_a_sync_function_in_a_thread_of_a_running_loop(tenant: Tenant, recorded: Recorded) -> None:
    answers = await asyncio.gather(*(asyncio.to_thread(look, name) for name in "abc"))
    assert answers == ["a False", "b False", "c False"]
    assert look("d") == "d False"
    assert {action["status"] for action in recorded()} == {"completed"}


class Desk:
    def __init__(self, secret: str) -> None:
        self.secret = secret

    def __repr__(self) -> str:
        return f"Desk({self.secret})"

    @governed
    def answer(self, ticket: int) -> int:
        return ticket

    @governed
    async def call(self, ticket: int) -> int:
        return ticket

    @classmethod
    @governed
    def count(cls, ticket: int) -> str:
        return cls.__name__

    @staticmethod
    @governed
    def tidy(ticket: int) -> int:
        return ticket

    @governed
    def __call__(self, ticket: int) -> int:
        return ticket


async def test_methods_are_governed_without_their_receiver(tenant: Tenant, recorded: Recorded) -> None:
    desk = Desk("mother's name")
    assert (desk.answer(1), Desk.answer(desk, 2), Desk.count(3), Desk.tidy(4), desk(5)) == (1, 2, "Desk", 4, 5)
    assert await desk.call(6) == 6
    goals = [action["declared_goal"] for action in recorded()]
    expected = ["answer", "answer", "count", "tidy", "__call__", "call"]
    assert goals == [f"{name}(ticket={number})" for number, name in enumerate(expected, 1)]


def test_other_callables(tenant: Tenant, recorded: Recorded) -> None:
    class Finder:
        def __call__(self, what: str) -> str:
            return what

    assert governed(functools.partial(look.__wrapped__, deep=True))("Ada") == "Ada True"  # type: ignore[attr-defined]
    assert governed(Finder())("x") == "x"
    assert governed("count")(len)([1, 2]) == 2
    assert governed("gather")(lambda *names, **more: (names, more))(1, 2, by=3) == ((1, 2), {"by": 3})
    goals = [action["declared_goal"] for action in recorded()]
    assert goals == [
        "look(customer='Ada', deep=True)",
        "Finder(what='x')",
        "count(obj=[1, 2])",
        "gather(names=(1, 2), by=3)",
    ]


def test_a_governed_function_looks_like_itself(tenant: Tenant) -> None:
    assert (look.__name__, look.__doc__, look.__module__) == ("look", "What we know.", __name__)
    assert str(inspect.signature(look)) == "(customer: 'str', *, deep: 'bool' = False) -> 'str'"
    assert inspect.iscoroutinefunction(Desk.call)
    assert not inspect.iscoroutinefunction(Desk.answer)
    assert not isinstance(look.__wrapped__("Ada"), Exception)  # type: ignore[attr-defined]
    assert pickle.loads(pickle.dumps(look)) is look


def test_a_call_that_does_not_fit_asks_nobody(tenant: Tenant, recorded: Recorded) -> None:
    with pytest.raises(TypeError, match="customer"):
        look()  # type: ignore[call-arg]
    assert recorded() == []


def numbers() -> Iterator[int]:
    yield 1


async def many() -> AsyncIterator[int]:
    yield 1


async def awaited() -> int:
    return 1


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: governed(numbers), "numbers is a generator function"),
        (lambda: governed(functools.partial(numbers)), "numbers is a generator function"),
        (lambda: governed(contextmanager(numbers)), "numbers is made by contextlib: its body would run where it is"),
        (lambda: governed(functools.partial(contextmanager(numbers))), "numbers is made by contextlib"),
        (lambda: governed(asynccontextmanager(many)), "many is made by contextlib"),
        (lambda: governed(Desk), "cannot be governed"),
        (lambda: governed(3), "cannot be governed"),  # type: ignore[call-overload]
        (lambda: governed(staticmethod(numbers)), "put @governed below @staticmethod"),
        (lambda: governed("")(look), "give 1 to 128 signs"),
        (lambda: governed("x" * 129)(look), "give 1 to 128 signs"),
        (lambda: governed(declared_goal="{customr}")(look), r"place \{customr\}, which names no argument"),
        (lambda: governed(declared_goal="{customer.__class__}")(look), "names no argument"),
        (lambda: governed(declared_goal="{customer!r}")(look), "names no argument"),
        (lambda: governed(declared_goal="{}")(look), "names no argument"),
        (lambda: governed(mode="off")(look), "give one of enforce, observe"),  # type: ignore[call-overload]
        (lambda: governed(approval_timeout=-1)(look), "give seconds, 0 or more"),
        (lambda: governed(client=AsyncClient())(look), "look is a sync function, and client a AsyncClient"),
        (lambda: governed(client=Client())(awaited), "awaited is an async function, and client a Client"),
        (lambda: governed(client="http://here")(look), "client is a str"),  # type: ignore[call-overload]
    ],
)
def test_what_cannot_be_governed_is_said_at_once(make: Callable[[], Any], said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        make()


async def test_a_client_that_is_given_is_used(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSENT_API_KEY")
    with tenant.client(agent_id="other") as client:
        assert governed(client=client)(look.__wrapped__)("Ada")  # type: ignore[attr-defined]
    async with tenant.async_client(agent_id="third") as awaiting:
        assert await governed(client=awaiting)(awaited)() == 1
    found = tenant.call("GET", "/api/actions")["actions"]
    assert [action["agent_id"] for action in found] == ["third", "other"]


def test_a_goal_may_be_made_of_the_arguments(tenant: Tenant, recorded: Recorded) -> None:
    governed(declared_goal=lambda given: f"Look at {given['customer']}\nwith token=abcdef")(look.__wrapped__)("Ada")  # type: ignore[attr-defined]
    assert recorded()[0]["declared_goal"] == "Look at Ada with token=[REDACTED:token]"
