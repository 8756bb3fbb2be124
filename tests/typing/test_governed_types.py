"""Read by mypy and basedpyright, never called: a governed callable keeps its type."""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, assert_type

from assent import AsyncClient, Client, governed


@governed
def plain(customer: str, deep: bool = False) -> int:
    return len(customer) + deep


@governed("look_up", declared_goal="Look up {customer}", reversible=True, systems_touched=["crm"])
def told(customer: str, *, deep: bool) -> list[str]:
    return [customer] if deep else []


@governed()
async def awaited(customer: str) -> int:
    return len(customer)


@governed("pay", client=AsyncClient(), approval_timeout=5.0, mode="observe", risk_score=50)
async def told_and_awaited(amount: float) -> str:
    return str(amount)


class Desk:
    @governed
    def answer(self, ticket: int) -> str:
        return str(ticket)

    @governed(declared_goal=lambda given: f"Call about {given['ticket']}")
    async def call(self, ticket: int) -> bytes:
        return bytes(ticket)

    @classmethod
    @governed
    def open(cls, name: str) -> "Desk":
        return cls()


def sync_calls(desk: Desk, client: Client) -> None:
    assert_type(plain("Ada"), int)
    assert_type(plain("Ada", deep=True), int)
    assert_type(told("Ada", deep=True), list[str])
    assert_type(desk.answer(3), str)
    assert_type(Desk.open("front"), Desk)
    by_hand = governed(client=client)(plain)
    assert_type(by_hand("Ada"), int)
    taken: Callable[[str, bool], int] = plain
    _ = taken
    plain(3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    told("Ada")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    desk.answer("x")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    governed(mode="off")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
    governed(risk="high")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]


async def async_calls(desk: Desk) -> None:
    begun: Coroutine[Any, Any, int] = awaited("Ada")
    assert_type(await begun, int)
    assert_type(await awaited("Ada"), int)
    assert_type(await told_and_awaited(3.5), str)
    assert_type(await desk.call(3), bytes)
    taken: Callable[[str], Awaitable[int]] = awaited
    _ = taken
