"""Handoffs, with the published clients: all three versions send them alike."""

from __future__ import annotations

import pytest

from tests.stories.published.client import PublishedClient, PublishedError
from tests.stories.tenant import Tenant


def test_a_handoff_keeps_all_that_it_was_given(agent: PublishedClient) -> None:
    assert agent.get_latest_handoff()["handoff"] is None
    said = {
        "context": {"branch": "main", "failing": ["test_a"]},
        "tags": ["red", "urgent"],
        "session_date": "2026-11-19",
        "key_decisions": ["keep the old column"],
        "open_tasks": ["drop it"],
        "mood_notes": "hurried",
        "next_priorities": [{"task": "the index"}],
    }
    made = agent.create_handoff("The migration is half done.", **said)
    assert made["handoff"]["id"] == made["handoff_id"]
    assert made["handoff_id"].startswith("ho_")
    assert {name: made["handoff"][name] for name in said} == said
    assert (made["handoff"]["agent_id"], made["handoff"]["summary"]) == ("bot", "The migration is half done.")
    assert agent.get_latest_handoff()["handoff"] == made["handoff"]


def test_the_latest_and_the_list(agent: PublishedClient, asking: Tenant) -> None:
    for number in range(3):
        agent.create_handoff(f"number {number}", session_date=f"2026-11-1{number}")
    asking.call("POST", "/api/handoffs", {"summary": "somebody else's", "agent_id": "other"})
    assert agent.get_latest_handoff()["handoff"]["summary"] == "number 2"
    page = agent.get_handoffs()
    assert ([each["summary"] for each in page["handoffs"]], page["total"]) == (["number 2", "number 1", "number 0"], 3)
    assert [each["summary"] for each in agent.get_handoffs(limit=1, offset=1)["handoffs"]] == ["number 1"]
    for name in ("date", "session_date"):
        assert [each["summary"] for each in agent.get_handoffs(**{name: "2026-11-11"})["handoffs"]] == ["number 1"]


def test_what_is_wrong_is_said_in_their_own_error(agent: PublishedClient) -> None:
    with pytest.raises(PublishedError) as wrong:
        agent.create_handoff("")
    assert wrong.value.members["status"] == 400
    assert wrong.value.members["details"][0].startswith("summary: ")
