"""Durable outcomes and graphs, which the newest of the published clients has."""

from __future__ import annotations

import pytest

from tests.stories.published.client import PublishedClient, PublishedError


@pytest.fixture
def newest(agent: PublishedClient) -> PublishedClient:
    if agent.version != "4.8.0":
        pytest.skip("came with a later client")
    return agent


def test_durable_outcomes(newest: PublishedClient) -> None:
    done, failed, some = (newest.create_action("look", "See")["action_id"] for _ in range(3))
    assert newest.get_action_outcome(done)["status"] == "pending"
    assert newest.report_action_success(done, "seen")["outcome"]["summary"] == "seen"
    assert newest.get_action(done)["action"]["status"] == "completed"
    assert newest.report_action_failure(failed, "no light")["action"]["error_message"] == "no light"
    newest.report_action_partial(some, {"rows": 3})
    assert newest.get_action_outcome(some)["progress"] == {"rows": 3}
    with pytest.raises(PublishedError) as again:
        newest.report_action_outcome(done, "failed", error_message="late")
    assert again.value.members["status"] == 409
    assert newest.get_action_outcome(done)["status"] == "completed"


def test_a_graph(newest: PublishedClient) -> None:
    action_id = newest.create_action("look", "See")["action_id"]
    graph = newest.get_action_graph(action_id)
    assert {node["type"] for node in graph["nodes"]} == {"action", "decision"}
    assert [edge["target"] for edge in graph["edges"]] == [action_id]
