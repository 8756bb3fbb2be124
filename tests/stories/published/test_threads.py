"""Context threads, key points and the summary of both, with the published clients that have them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.stories.published.client import PublishedClient, PublishedError
from tests.stories.published.versions import MIDDLE, NEWEST, OLDEST, only
from tests.stories.tenant import Tenant

METHODS = (
    *("capture_key_point", "get_key_points", "get_context_summary"),
    *("create_thread", "add_thread_entry", "close_thread", "get_threads"),
)

keeping = only(OLDEST, MIDDLE)


@only(NEWEST)
def test_the_newest_has_none_of_them(agent: PublishedClient) -> None:
    for name in METHODS:
        with pytest.raises(PublishedError, match=name) as gone:
            getattr(agent, name)()
        assert gone.value.type == "AttributeError"


@keeping
def test_a_thread_from_beginning_to_close(agent: PublishedClient, asking: Tenant) -> None:
    begun = agent.create_thread("the move", summary="To the new house")
    thread_id = begun["thread_id"]
    assert thread_id.startswith("ct_")
    assert (begun["thread"]["id"], begun["thread"]["status"], begun["thread"]["agent_id"]) == (
        thread_id,
        "active",
        "bot",
    )
    assert begun["thread"]["summary"] == "To the new house"
    note = agent.add_thread_entry(thread_id, "Boxes are packed")
    assert note["entry_id"] == note["entry"]["id"]
    assert note["entry_id"].startswith("ce_")
    assert (note["entry"]["content"], note["entry"]["entry_type"]) == ("Boxes are packed", "note")
    assert agent.add_thread_entry(thread_id, "Moved", "milestone")["entry"]["entry_type"] == "milestone"
    closed = agent.close_thread(thread_id, "All there")["thread"]
    assert (closed["status"], closed["summary"]) == ("closed", "All there")
    with pytest.raises(PublishedError) as late:
        agent.add_thread_entry(thread_id, "One more")
    assert late.value.members["status"] == 400
    assert "closed" in late.value.text
    kept = asking.call("GET", f"/api/context/threads/{thread_id}", key="auditor")
    assert [each["content"] for each in kept["entries"]] == ["Boxes are packed", "Moved"]
    again = agent.create_thread("the move")
    assert (again["thread_id"], again["thread"]["status"], again["thread"]["summary"]) == (
        thread_id,
        "active",
        "All there",
    )


@keeping
def test_lists_of_threads(agent: PublishedClient, asking: Tenant) -> None:
    first, second = (agent.create_thread(name)["thread_id"] for name in ("first", "second"))
    asking.call("POST", "/api/context/threads", {"name": "first", "agent_id": "other"})
    agent.close_thread(first)
    assert [each["id"] for each in agent.get_threads()["threads"]] == [second, first]
    assert [each["id"] for each in agent.get_threads(status="closed")["threads"]] == [first]
    assert [each["id"] for each in agent.get_threads(limit=1)["threads"]] == [second]


@keeping
def test_key_points_and_the_summary(agent: PublishedClient) -> None:
    made = agent.capture_key_point("The index stays", category="decision", importance=9)
    assert made["point_id"] == made["point"]["id"]
    assert (made["point"]["category"], made["point"]["importance"], made["point"]["agent_id"]) == ("decision", 9, "bot")
    # Their day may have turned since.
    assert made["point"]["session_date"] <= datetime.now(UTC).date().isoformat()
    agent.capture_key_point("Long ago", session_date="2026-01-01")
    assert [each["content"] for each in agent.get_key_points(category="decision")["points"]] == ["The index stays"]
    assert [each["content"] for each in agent.get_key_points()["points"]] == ["Long ago", "The index stays"]
    open_one = agent.create_thread("open")["thread_id"]
    agent.close_thread(agent.create_thread("shut")["thread_id"])
    summary = agent.get_context_summary()
    assert [each["content"] for each in summary["points"]] == ["The index stays"]
    assert [each["id"] for each in summary["threads"]] == [open_one]


@keeping
def test_what_is_wrong_is_said_in_their_own_error(agent: PublishedClient) -> None:
    for name, args, place in (
        ("create_thread", ("",), "name"),
        ("capture_key_point", ("",), "content"),
        ("get_threads", ("open",), "status"),
    ):
        with pytest.raises(PublishedError) as wrong:
            getattr(agent, name)(*args)
        assert wrong.value.members["status"] == 400
        assert wrong.value.members["details"][0].startswith(f"{place}: ")
    with pytest.raises(PublishedError) as unknown:
        agent.add_thread_entry("ct_nobody", "so")
    assert unknown.value.members["status"] == 404
