"""A service with policies that stop, and assistants that are governed by it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.live import LiveService
from tests.sdk.hooks.host import Assistant
from tests.vectors.hooks.kinds import POLICIES

Governed = Callable[..., Assistant]


@pytest.fixture(scope="module")
def service(service: LiveService) -> LiveService:
    for policy in POLICIES:
        status, said = service.call("POST", "/api/policies", policy)
        assert status == 201, said
    return service


@pytest.fixture(scope="module")
def agent_key(service: LiveService) -> str:
    body = {"name": "hooks", "role": "agent", "agent_id": "claude-code"}
    return str(service.call("POST", "/api/keys", body)[1]["api_key"])


@pytest.fixture(scope="module")
def operator_key(service: LiveService) -> str:
    return str(service.call("POST", "/api/keys", {"name": "hooks of a desk", "role": "operator"})[1]["api_key"])


@pytest.fixture
def governed(service: LiveService, agent_key: str, tmp_path: Path) -> Governed:
    """Makes an assistant with the hooks in it; further members of the configuration by name."""

    def make(host: str = "claude", **members: Any) -> Assistant:
        settings = {"base_url": service.base_url, "api_key": agent_key, "agent_id": "claude-code", "mode": "enforce"}
        return Assistant(tmp_path / "work", settings | members, host)

    return make


@pytest.fixture
def assistant(governed: Governed) -> Assistant:
    return governed()
