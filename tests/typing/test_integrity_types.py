"""Read by mypy and basedpyright, never called: what loops and signals give, on both clients."""

from typing import assert_type

from assent import AsyncClient, Client
from assent.contract.control.guard import GuardResult
from assent.contract.control.loops import LoopDetail, Loops, LoopType, RegisteredLoop
from assent.contract.control.signals import Signals


def blocking(client: Client) -> None:
    assert_type(client.register_open_loop("act_1", LoopType.QUESTION, "which?", priority="high"), RegisteredLoop)
    assert_type(client.resolve_open_loop("loop_1", "resolved", "the second"), LoopDetail)
    assert_type(client.get_open_loops(status="open", limit=5), Loops)
    assert_type(client.get_signals("bot"), Signals)
    assert_type(client.guard({"action_type": "deploy"}, include_signals=True), GuardResult)


async def awaiting(client: AsyncClient) -> None:
    assert_type(await client.register_open_loop("act_1", "question", "which?"), RegisteredLoop)
    assert_type(await client.resolve_open_loop("loop_1", "cancelled"), LoopDetail)
    assert_type(await client.get_open_loops(), Loops)
    assert_type(await client.get_signals(), Signals)


def wrong(client: Client) -> None:
    client.register_open_loop("act_1", "question")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    client.get_open_loops(stauts="open")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
