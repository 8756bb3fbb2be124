"""Revoking under contention: of two admins who revoke each other, one stays. What a short key is worth."""

import asyncio
from pathlib import Path
from typing import Any, cast

import httpx

from assent.contract.people.keys import CreateKey
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.base.problem import Refusal
from assent_service.core.principal import SHORTEST
from tests.service.control.actions.world import opened as in_process
from tests.service.evidence.events.serving import opened


async def test_an_admin_key_is_left_however_many_are_revoked_at_once(tmp_path: Path) -> None:
    async with opened(tmp_path) as parts:
        _, admin = await parts.first()
        await asyncio.gather(*(parts.keys.create(admin, CreateKey(name="a", role=Role.ADMIN)) for _ in range(6)))
        every = [key.key_id for key in parts.keys.list(admin.org_id)]
        results = await asyncio.gather(*(parts.keys.revoke(admin, each) for each in every), return_exceptions=True)
        refused = [each for each in results if isinstance(each, Refusal)]
        assert [each.code for each in refused] == [Code.LAST_ADMIN_KEY]
        left = [key for key in parts.keys.list(admin.org_id) if key.revoked_at is None]
        assert [key.role for key in left] == [Role.ADMIN]


async def test_a_short_key_is_not_looked_up_for_whoever_has_guessed_too_often(tmp_path: Path) -> None:
    """An old one that is valid, too: it could have been guessed. One of full length is let through."""
    async with in_process(tmp_path, failed_keys_per_minute=1) as world:
        short, long = "s" * (SHORTEST - 1), "l" * SHORTEST
        for secret in (short, long):
            made, _ = world.service.keys.draft(world.org_id, CreateKey(name=secret[0]), by="key_admin", secret=secret)
            await world.service.ledger.append(made)
        transport = httpx.ASGITransport(app=cast("Any", world.service.app))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:

            async def status(secret: str) -> int:
                return (await client.get("/api/guard", headers={"x-api-key": secret})).status_code

            assert [await status(short), await status(long)] == [200, 200]
            assert await status("a guess") == 401
            assert [await status(short), await status(long)] == [429, 200]
