"""Pushing a state, which the newest of the published clients no longer does."""

from __future__ import annotations

from tests.stories.published.client import PublishedClient
from tests.stories.published.versions import MIDDLE, OLDEST, only


@only(OLDEST, MIDDLE)
def test_a_state(agent: PublishedClient) -> None:
    state = {
        "goals": [{"title": "Ship it"}, {"title": ""}],
        "actions": [{"action_type": "look", "status": "completed"}],
        "decisions": [{"decision": "Use the cache"}],
        "context_threads": [{"name": "Release"}],
    }
    answer = agent.sync_state(state)
    assert (answer["total_synced"], answer["total_errors"]) == (4, 1)
    assert answer["results"]["goals"]["errors"][0]["index"] == 1
    (done,) = agent.get_actions(agent_id="bot")["actions"]
    assert done["status"] == "completed"
    assert agent.sync_state(state)["results"] == answer["results"]
    assert agent.get_actions(agent_id="bot")["total"] == 1
