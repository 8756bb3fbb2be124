"""The door of a service in process, with one key of each role that was made at the beginning.

`World.http` makes a key for each request, which is an event of its own: no use where nothing can be recorded, or where
the newest event matters.
"""

from __future__ import annotations

from typing import Any, cast

import httpx

from assent.contract.people.keys import CreateKey
from assent.contract.roles import Role
from tests.service.control.actions.world import World


class Asking:
    """A world and the keys to it."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.keys: dict[str, str] = {}

    async def make_keys(self) -> None:
        for role in Role:
            key = CreateKey(name=f"the {role}", role=role, any_agent=role is Role.AGENT)
            made = await self.world.service.keys.create(self.world.admin, key)
            self.keys[role] = made.api_key
        made = await self.world.service.keys.create(
            self.world.admin, CreateKey(name="bound", role=Role.OPERATOR, agent_id="bot")
        )
        self.keys["bound"] = made.api_key

    async def send(self, method: str, path: str, body: Any = None, by: str = Role.ADMIN) -> httpx.Response:
        transport = httpx.ASGITransport(app=cast("Any", self.world.service.app))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.request(method, path, json=body, headers={"x-api-key": self.keys[by]})

    async def readiness(self, by: str = Role.AUDITOR) -> dict[str, Any]:
        answer = await self.send("GET", "/api/readiness", by=by)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def state(self) -> str:
        return str((await self.readiness())["state"])

    async def test(self, by: str = Role.OPERATOR, **body: str) -> dict[str, Any]:
        """What a connection test answers."""
        answer = await self.send("POST", "/api/readiness/test", body, by)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found


def status(found: dict[str, Any], name: str) -> str:
    """Of a check or of a step."""
    return str(_named(found, name)["status"])


def detail(found: dict[str, Any], name: str) -> str:
    return str(_named(found, name)["detail"])


def _named(found: dict[str, Any], name: str) -> dict[str, Any]:
    listed: list[dict[str, Any]] = found["steps"] if "steps" in found else found["checks"]
    return next(each for each in listed if each["name"] == name)
