"""Revoking under contention: of two admins who revoke each other, one stays."""

import asyncio
from pathlib import Path

from assent.contract.keys import CreateKey
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.core.problem import Refusal
from tests.service.events.serving import opened


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
