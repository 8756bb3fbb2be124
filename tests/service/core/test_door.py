"""The door, around handlers that do what a handler should not."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest

from assent.contract.control.loops import GET_OPEN_LOOPS, Loops, LoopsQuery
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.base.problem import refuse
from assent_service.core.call import Call
from assent_service.core.door import Door
from assent_service.core.route import Route, serves

KEY = "assent_key_of_a_test_" + "0123456789" * 4


def asked(route: Route) -> httpx.AsyncClient:
    caller = SimpleNamespace(role=Role.ADMIN, agent_id=None)
    door = Door([route], lambda key: cast("Any", caller), cast("Any", None), cast("Any", None))
    transport = httpx.ASGITransport(app=cast("Any", door))
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers={"x-api-key": KEY})


async def test_a_code_that_the_endpoint_does_not_declare_is_told() -> None:
    @serves(GET_OPEN_LOOPS)
    async def forgetful(call: Call[None, LoopsQuery]) -> Loops:
        raise refuse(Code.LOOP_EXISTS, "There is one already.")

    async with asked(forgetful) as client:
        with pytest.raises(AssertionError, match="get_open_loops answers loop_exists, which its endpoint does not"):
            await client.get("/api/actions/loops")


async def test_a_code_that_it_declares_is_answered() -> None:
    @serves(GET_OPEN_LOOPS)
    async def plain(call: Call[None, LoopsQuery]) -> Loops:
        raise refuse(Code.PROJECTION_BEHIND, "The tables follow.")

    async with asked(plain) as client:
        answer = await client.get("/api/actions/loops")
    assert (answer.status_code, answer.json()["code"]) == (Code.PROJECTION_BEHIND.status, "projection_behind")
