"""What the published clients have and this service does not do: each is told so, and what to use instead."""

from __future__ import annotations

import pytest

from tests.stories.published.client import PublishedClient, PublishedError
from tests.stories.published.not_served import CALLS
from tests.stories.published.tally import methods, swaps
from tests.stories.tenant import Tenant


def test_it_says_what_to_use_instead(agent: PublishedClient, asking: Tenant) -> None:
    before = asking.recorded()
    asked = [name for name in CALLS if name in methods(agent.version) and not swaps(agent.version, name)]
    for name in asked:
        with pytest.raises(PublishedError) as refused:
            getattr(agent, name)(*CALLS[name].args)
        assert refused.value.members["status"] == 404, name
        assert "is not served" in refused.value.text, name
        assert CALLS[name].instead in refused.value.text, name
    assert len(asked) == {"2.1.0": 0, "2.9.0": 0, "4.8.0": 14}[agent.version]
    assert asking.recorded() == before


def test_it_is_said_to_everybody_alike_and_only_where_nothing_else_is(asking: Tenant) -> None:
    for key in (None, "agent", "admin"):
        reply = asking.send("GET", "/api/reputation/agents/bot", key=key)
        assert (reply.status, reply.code) == (404, "not_served")
        assert reply.headers["content-type"] == "application/problem+json"
    assert asking.send("PATCH", "/api/reputation/agents/bot").code == "route_not_found"
    assert asking.send("GET", "/api/drift").code == "route_not_found"
    assert asking.send("GET", "/api/capabilities/healthy").code == "record_not_found"
