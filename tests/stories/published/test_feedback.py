"""Feedback of published clients: 2.1.0 can give it, 4.8.0 has none any more; for 2.9.0 see test_swapped.py."""

from __future__ import annotations

from typing import Any

import pytest

from tests.stories.published.client import PublishedClient, PublishedError
from tests.stories.published.versions import NEWEST, OLDEST, only
from tests.stories.tenant import Tenant

METHODS = (
    *("submit_feedback", "list_feedback", "get_feedback"),
    *("resolve_feedback", "delete_feedback", "get_feedback_stats"),
)

oldest = only(OLDEST)


@only(NEWEST)
def test_the_newest_has_none_of_them(agent: PublishedClient) -> None:
    for name in METHODS:
        with pytest.raises(PublishedError, match=name) as gone:
            getattr(agent, name)()
        assert gone.value.type == "AttributeError"


@oldest
def test_feedback_on_an_action(asking: Tenant, agent: PublishedClient) -> None:
    action_id = agent.create_action("refund", "Pay it back")["action_id"]
    made = agent.submit_feedback(2, "too slow, and wrong", action_id, "bot", "support", ["mine"], {"ticket": 7})
    assert (made["id"], made["sentiment"]) == (made["feedback_id"], "negative")
    assert made["tags"] == ["mine", "performance", "accuracy"]
    found = agent.get_feedback(made["id"])
    assert found == made
    assert (found["action_id"], found["agent_id"], found["action_type"]) == (action_id, "bot", "refund")
    assert (found["rating"], found["category"], found["metadata"], found["source"]) == (
        2,
        "support",
        {"ticket": 7},
        "sdk",
    )
    assert asking.call("GET", f"/api/feedback/{made['id']}")["comment"] == "too slow, and wrong"


@oldest
def test_a_comment_alone(agent: PublishedClient) -> None:
    assert agent.submit_feedback(comment="Works great, thanks")["sentiment"] == "positive"
    with pytest.raises(PublishedError) as refused:
        agent.submit_feedback()
    assert refused.value.members["status"] == 400
    assert "rating from 1 to 5" in refused.value.text
    with pytest.raises(PublishedError) as unknown:
        agent.submit_feedback(5, action_id="act_nobody")
    assert unknown.value.members["status"] == 404


@oldest
def test_lists_and_stats(agent: PublishedClient) -> None:
    action_id = agent.create_action("refund", "Pay it back")["action_id"]
    good = agent.submit_feedback(5, action_id=action_id)["id"]
    bad = agent.submit_feedback(1, "expensive", agent_id="other", category="money")["id"]

    def ids(**filters: Any) -> list[str]:
        page = agent.list_feedback(**filters)
        assert page["total"] >= len(page["feedback"])
        return [each["id"] for each in page["feedback"]]

    assert ids() == [bad, good]
    assert ids(action_id=action_id) == ids(agent_id="bot") == ids(sentiment="positive") == [good]
    assert ids(category="money", resolved=False) == ids(limit=1) == [bad]
    assert ids(resolved=True) == []
    assert ids(limit=1, offset=1) == [good]
    stats = agent.get_feedback_stats()
    assert (stats["overall"]["total_feedback"], stats["overall"]["avg_rating"]) == (2, 3)
    assert {each["category"]: each["count"] for each in stats["by_category"]} == {"general": 1, "money": 1}
    assert stats["top_tags"] == [{"tag": "cost", "count": 1}]
    assert agent.get_feedback_stats(agent_id="bot")["overall"]["positive_count"] == 1


@oldest
def test_seeing_to_it_and_deleting_it(agent: PublishedClient, boss: PublishedClient) -> None:
    feedback_id = agent.submit_feedback(1)["id"]
    seen = agent.resolve_feedback(feedback_id)
    assert (seen["resolved"], seen["resolved_by"]) == (True, "sdk")
    assert agent.list_feedback(resolved=True)["total"] == 1
    with pytest.raises(PublishedError) as refused:
        agent.delete_feedback(feedback_id)
    assert refused.value.members["status"] == 403
    assert boss.delete_feedback(feedback_id)["deleted"] is True
    with pytest.raises(PublishedError) as gone:
        agent.get_feedback(feedback_id)
    assert gone.value.members["status"] == 404
