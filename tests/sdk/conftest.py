"""A service for the tests of a module that ask for one, and a connection to it."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.live import WAIT, LiveService, start_service


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    with start_service(tmp_path_factory.mktemp("service") / "home") as running:
        yield running


@pytest.fixture(scope="module")
def http() -> Iterator[httpx.Client]:
    with httpx.Client(timeout=WAIT, trust_env=False) as client:
        yield client
