"""Tools over MCP in sessions: that of the program in which the server runs, that of the environment in which a host
starts it, and one that a model makes up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assent import Client
from tests.sdk.mcp.host import MODERN, environment, inside, over_stdio, told
from tests.stories.tenant import Tenant
from tests.tiers import deep

READ: dict[str, Any] = {"action_type": "read", "declared_goal": "Read a page"}


def around(tenant: Tenant, action_id: str) -> tuple[str | None, str | None]:
    """Session and parent of what guard decided about the action."""
    context = tenant.call("GET", f"/api/actions/{action_id}/trace")["context"]
    return context.get("session_id"), context.get("parent_session_id")


@deep("it starts a server in a process of its own")
async def test_a_server_that_a_host_starts_in_a_session_is_inside(tenant: Tenant, tmp_path: Path) -> None:
    with tenant.client() as client, client.session("ticket 1"), client.session("clerk") as session:
        env = environment(tenant, **session.environment())
    async with over_stdio(env, tmp_path / "heard", MODERN) as host:
        made = await told(host, "create_action", **READ)
        named = await told(host, "create_action", **READ, session_id="made up")
    assert around(tenant, made["action_id"]) == ("clerk", "ticket 1")
    assert around(tenant, named["action_id"]) == ("made up", "clerk")


async def test_a_server_of_the_program_itself_is_in_the_session_that_is_bound(tenant: Tenant) -> None:
    client = tenant.async_client()
    with Client(api_key="none").session("ticket 2"):
        async with inside(client) as host:
            made = await told(host, "create_action", **READ)
    assert around(tenant, made["action_id"]) == ("ticket 2", None)
