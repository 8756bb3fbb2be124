from __future__ import annotations

import pytest

from tests.sdk.client.doubles import Way


@pytest.fixture(params=["sync", "async"])
def way(request: pytest.FixtureRequest) -> Way:
    """Every test that asks for it runs with both clients."""
    return "sync" if request.param == "sync" else "async"
