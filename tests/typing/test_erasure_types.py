"""Read by mypy and basedpyright, never called: what erasing gives, on both clients."""

from typing import assert_type

from assent import AsyncClient, Client
from assent.contract.control.erasure import Erasure


def blocking(client: Client) -> None:
    assert_type(client.erase_action("act_1", "ticket 7"), Erasure)
    assert_type(client.erase_action("act_1", reason="ticket 7").events, int)


async def awaiting(client: AsyncClient) -> None:
    assert_type(await client.erase_action("act_1", "ticket 7"), Erasure)


def wrong(client: Client) -> None:
    client.erase_action("act_1")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
