"""The feedback methods of 2.9.0 fail before anything is sent, and 4.8.0 has none: no server can serve them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.stories.published.client import PublishedClient, PublishedError

METHODS: dict[str, tuple[Any, ...]] = {
    "submit_feedback": (5,),
    "list_feedback": (),
    "get_feedback": ("fb_1",),
    "resolve_feedback": ("fb_1",),
    "delete_feedback": ("fb_1",),
    "get_feedback_stats": (),
}


@pytest.mark.parametrize("name", METHODS)
def test_they_cannot_reach_a_server(agent: PublishedClient, name: str) -> None:
    if agent.version == "2.1.0":
        pytest.skip("2.1.0 takes both orders; test_feedback.py asks it")
    with pytest.raises(PublishedError) as failed:
        getattr(agent, name)(*METHODS[name])
    if agent.version == "2.9.0":
        assert "nonnumeric port" in failed.value.text
        assert failed.value.members["status"] is None
    else:
        assert failed.value.type == "AttributeError"
