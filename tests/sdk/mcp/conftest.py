"""One service for these tests, and an organization of its own, with policies that stop, for each of them."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.live import WAIT, LiveService, start_service
from tests.stories.tenant import Tenant


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    with start_service(tmp_path_factory.mktemp("service") / "home") as running:
        yield running


@pytest.fixture(scope="module")
def http() -> Iterator[httpx.Client]:
    with httpx.Client(timeout=WAIT, trust_env=False) as client:
        yield client


@pytest.fixture
def tenant(service: LiveService, http: httpx.Client) -> Tenant:
    """`wipe` is blocked and `pay` asks for approval."""
    made = Tenant(service, http)
    made.governed()
    return made
