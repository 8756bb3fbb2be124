"""The door, around handlers that do what a handler should not."""

from __future__ import annotations

from typing import Any, cast

import httpx
import pytest

from assent.contract.analysis.drift import COMPARE_DRIFT, DriftComparison, DriftComparisonQuery
from assent.contract.analysis.learning import GET_LEARNING_VELOCITY, VelocityAnswer, VelocityQuery
from assent.contract.control.loops import GET_OPEN_LOOPS, Loops, LoopsQuery
from assent.contract.operations import ENDPOINTS
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.base.problem import refuse
from assent_service.core.call import Call
from assent_service.core.door import Door
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.store.failures import LogAway, too_large

KEY = "assent_key_of_a_test_" + "0123456789" * 4


def asked(route: Route) -> httpx.AsyncClient:
    caller = Principal("org_1", "key_1", "an admin", Role.ADMIN, None)
    door = Door([route], lambda key: caller, cast("Any", None), cast("Any", None))
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


async def test_a_handler_whose_database_is_away_says_that_it_may_be_asked_again() -> None:
    """A head or a key is wanted, which all services on a log have in its database."""

    @serves(GET_OPEN_LOOPS)
    async def wanting(call: Call[None, LoopsQuery]) -> Loops:
        raise LogAway("cannot connect to db.invalid: refused")

    async with asked(wanting) as client:
        answer = await client.get("/api/actions/loops")
    assert (answer.status_code, answer.json()["code"]) == (503, "projection_behind")
    assert answer.headers["retry-after"] == "1"
    assert "db.invalid" not in answer.text


def test_whatever_needs_a_key_can_say_that_it_does_not_know_what_others_recorded() -> None:
    asked_for = [each for each in ENDPOINTS if each.roles is not None]
    assert len(asked_for) > 200
    assert all(Code.PROJECTION_BEHIND in each.every_problem() for each in asked_for)


async def test_a_cut_analysis_names_the_members_of_its_own_operation() -> None:
    @serves(GET_LEARNING_VELOCITY)
    async def velocity(call: Call[None, VelocityQuery]) -> VelocityAnswer:
        raise too_large("it took longer than 60 seconds (`analytics_seconds`)")

    @serves(COMPARE_DRIFT)
    async def compared(call: Call[None, DriftComparisonQuery]) -> DriftComparison:
        raise too_large("its rows are more than 2 MB (`analytics_megabytes`)")

    details: list[str] = []
    for route in (velocity, compared):
        async with asked(route) as client:
            answer = await client.get(route.endpoint.path)
        assert (answer.status_code, answer.json()["code"]) == (422, "analysis_too_large")
        details.append(answer.json()["detail"])
    assert details == [
        "The analysis was cut: it took longer than 60 seconds (`analytics_seconds`). "
        "Fewer rows are read by: `lookback_days`, `agent_id`.",
        "The analysis was cut: its rows are more than 2 MB (`analytics_megabytes`). "
        "Fewer rows are read by: `baseline`, `recent`, `agent_id`, `action_type`, `source`.",
    ]
