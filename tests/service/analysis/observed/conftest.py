"""An organization whose policies are those of the test alone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.service.control.actions.world import World, opened


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Without the policies that a new organization has."""
    async with opened(tmp_path / "home") as found:
        for policy in found.service.policies.state.list(found.org_id):
            await found.service.policies.delete(found.admin, policy.policy_id, None)
        yield found
