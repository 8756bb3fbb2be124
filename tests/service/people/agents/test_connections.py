"""Connections: one for each agent and provider, and a wrong one costs none of the others."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assent.contract.people.agents import AgentConnection, ConnectionsQuery, ReportConnections, ReportedConnections
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.base.problem import Refusal
from assent_service.core.principal import Principal
from tests.service.people.agents.parts import MINUTE, Parts, opened, somebody


async def report(
    parts: Parts, *items: Any, agent_id: str | None = "bot", who: Principal | None = None
) -> ReportedConnections:
    said = ReportConnections(connections=list(items), agent_id=agent_id)
    return await parts.connections.report(who or somebody(), said)


async def listed(parts: Parts, who: Principal | None = None, **query: Any) -> list[AgentConnection]:
    asked = msgspec.convert(query, ConnectionsQuery)
    page = await parts.connections.page(who or somebody(role=Role.ADMIN), asked)
    assert page.total == len(page.connections)
    return page.connections


async def test_a_report_in_full_and_in_short(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        full = {
            "provider": "acme", "authType": "oauth", "planName": "team", "status": "error", "metadata": {"seats": 3},
        }  # fmt: skip
        nulls = {"provider": "brand", "auth_type": None, "plan_name": None, "status": None, "metadata": None}
        answer = await report(parts, full, nulls)
        assert (answer.created, answer.errors) == (2, [])
        first, second = answer.connections
        assert first.connection_id == first.id
        assert first.id.startswith("conn_")
        assert (first.auth_type, first.plan_name, first.status, first.metadata) == (
            "oauth",
            "team",
            "error",
            {"seats": 3},
        )
        assert (second.auth_type, second.plan_name, second.status, second.metadata) == (
            "api_key",
            None,
            "active",
            None,
        )
        assert sorted(await listed(parts), key=lambda each: each.provider) == [first, second]


async def test_wrong_rows_are_named_and_the_others_kept(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        wrong: list[Any] = [
            "acme",
            None,
            {},
            {"provider": ""},
            {"provider": "x" * 129},
            {"provider": "acme", "auth_type": "magic"},
            {"provider": "acme", "status": "sleepy"},
            {"provider": "acme", "plan_name": 7},
            {"provider": "acme", "metadata": {"a": "x" * 9_993}},
            {"provider": "acme", "metadata": "text"},
        ]
        answer = await report(parts, *wrong[:5], {"provider": "good"}, *wrong[5:])
        assert [each.provider for each in answer.connections] == ["good"]
        assert answer.created == 1
        assert [each.index for each in answer.errors] == [0, 1, 2, 3, 4, 6, 7, 8, 9, 10]
        assert [each.provider for each in answer.errors] == [None, None, None, "", "x" * 128] + ["acme"] * 5
        assert all(each.error for each in answer.errors)
        assert "magic" in answer.errors[5].error
        assert (await report(parts, *wrong)).created == 0
        assert [each.provider for each in await listed(parts)] == ["good"]


async def test_reporting_again_replaces_and_what_is_no_news_is_recorded_seldom(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        (first,) = (await report(parts, {"provider": "acme"})).connections
        parts.clock.now += 5 * MINUTE - 1
        assert (await report(parts, {"provider": "acme"})).connections == [first]
        assert len(await parts.events()) == 1
        parts.clock.now += 1
        (again,) = (await report(parts, {"provider": "acme"})).connections
        assert (again.id, again.created_at) == (first.id, first.created_at)
        assert again.updated_at > first.updated_at
        (worse,) = (await report(parts, {"provider": "acme"}, {"provider": "acme", "status": "error"})).connections
        assert (worse.id, worse.status) == (first.id, "error")
        assert await listed(parts) == [worse]
        assert [event.type for event in await parts.events()] == ["connection.reported"] * 3


async def test_agents_and_organizations_have_their_own(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        await report(parts, {"provider": "acme"})
        await report(parts, {"provider": "acme"}, agent_id="other")
        await report(parts, {"provider": "acme"}, agent_id=None)
        await report(parts, {"provider": "acme"}, who=somebody(org_id="org_b"))
        assert len(await listed(parts)) == 3
        assert [each.agent_id for each in await listed(parts, agent_id="other")] == ["other"]
        assert [each.agent_id for each in await listed(parts, somebody("bot"))] == ["bot"]
        assert await listed(parts, somebody("bot"), agent_id="other") == []
        assert await listed(parts, provider="brand") == []
        with pytest.raises(Refusal) as refused:
            await report(parts, {"provider": "acme"}, agent_id="other", who=somebody("bot"))
        assert refused.value.code is Code.AGENT_MISMATCH


async def test_of_many_reports_at_once_one_connection_comes(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        statuses = ["active", "inactive", "error"] * 4
        answers = await asyncio.gather(*(report(parts, {"provider": "acme", "status": each}) for each in statuses))
        assert len({answer.connections[0].id for answer in answers}) == 1
        assert [each.status for each in await listed(parts)] == ["error"]
