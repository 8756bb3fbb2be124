"""An organization of its own, with policies that stop, for each of these tests."""

from __future__ import annotations

import httpx
import pytest

from tests.live import LiveService
from tests.stories.tenant import Tenant


@pytest.fixture
def tenant(service: LiveService, http: httpx.Client) -> Tenant:
    """Of the server `scripted`, `wipe` is blocked and `pay` asks for approval."""
    made = Tenant(service, http)
    made.governed("mcp.scripted.")
    return made
