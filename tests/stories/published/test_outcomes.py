"""Durable outcomes and graphs, which the newest of the published clients has."""

from __future__ import annotations

import pytest

from tests.stories.published.client import PublishedClient, PublishedError
from tests.stories.published.versions import NEWEST, only

pytestmark = only(NEWEST)


def test_durable_outcomes(agent: PublishedClient) -> None:
    done, failed, some, other = (agent.create_action("look", "See")["action_id"] for _ in range(4))
    assert agent.get_action_outcome(done)["status"] == "pending"
    assert agent.report_action_success(done, "seen")["outcome"]["summary"] == "seen"
    assert agent.get_action(done)["action"]["status"] == "completed"
    assert agent.report_action_failure(failed, "no light")["action"]["error_message"] == "no light"
    assert agent.report_action_partial(some, {"rows": 3})["outcome"]["status"] == "partial"
    assert agent.get_action_outcome(some)["progress"] == {"rows": 3}
    told = agent.report_action_outcome(other, "failed", error_message="no paper")
    assert (told["outcome"]["status"], told["action"]["error_message"]) == ("failed", "no paper")
    with pytest.raises(PublishedError) as again:
        agent.report_action_outcome(done, "failed", error_message="late")
    assert again.value.members["status"] == 409
    assert agent.get_action_outcome(done)["status"] == "completed"


def test_a_graph(agent: PublishedClient) -> None:
    action_id = agent.create_action("look", "See")["action_id"]
    graph = agent.get_action_graph(action_id)
    assert {node["type"] for node in graph["nodes"]} == {"action", "decision"}
    assert [edge["target"] for edge in graph["edges"]] == [action_id]
