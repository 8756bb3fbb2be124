"""The pytest plugin: `pip install assent` brings the fixture `assent`, and nothing to tests that do not ask for it.

While a test has it, the environment leads to its service, so that the code under test makes its clients as it always
does. What a watched tool did without a verdict fails the test, also where the agent swallowed the error.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from assent.testing.fake_service import FakeService


@pytest.fixture
def assent(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeService]:
    """A service of this test's own: `policies`, `approve_next`, `deny_next`, `fails`; `asked`, `actions`,
    `assert_governed`, `never_without_verdict`."""
    from assent.governing.clients import OF_PROCESS
    from assent.testing.fake_service import FakeService

    service = FakeService()
    environment = {
        "ASSENT_BASE_URL": service.base_url,
        "ASSENT_API_KEY": "fake-agent",
        "ASSENT_AGENT_ID": "agent",
        "ASSENT_RETRY_SECONDS": "0",
        "ASSENT_SPOOL": "off",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    OF_PROCESS.close()
    try:
        yield service
    finally:
        OF_PROCESS.close()
        service.close()
    if service.ungoverned:
        pytest.fail(f"called without a verdict: {', '.join(service.ungoverned)}", pytrace=False)
