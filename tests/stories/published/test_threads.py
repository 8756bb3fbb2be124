"""Context threads, key points and the summary of both, with the published clients that have them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.stories.published.client import PublishedClient, PublishedError
from tests.stories.tenant import Tenant

METHODS = (
    *("capture_key_point", "get_key_points", "get_context_summary"),
    *("create_thread", "add_thread_entry", "close_thread", "get_threads"),
)


@pytest.fixture
def keeper(agent: PublishedClient) -> PublishedClient:
    if agent.version == "4.8.0":
        pytest.skip("4.8.0 has neither threads nor key points any more")
    return agent


def test_the_newest_has_none_of_them(agent: PublishedClient) -> None:
    if agent.version != "4.8.0":
        pytest.skip(f"{agent.version} has them")
    for name in METHODS:
        with pytest.raises(PublishedError, match=name) as gone:
            getattr(agent, name)()
        assert gone.value.type == "AttributeError"


def test_a_thread_from_beginning_to_close(keeper: PublishedClient, asking: Tenant) -> None:
    begun = keeper.create_thread("the move", summary="To the new house")
    thread_id = begun["thread_id"]
    assert thread_id.startswith("ct_")
    assert (begun["thread"]["id"], begun["thread"]["status"], begun["thread"]["agent_id"]) == (
        thread_id,
        "active",
        "bot",
    )
    assert begun["thread"]["summary"] == "To the new house"
    note = keeper.add_thread_entry(thread_id, "Boxes are packed")
    assert note["entry_id"] == note["entry"]["id"]
    assert note["entry_id"].startswith("ce_")
    assert (note["entry"]["content"], note["entry"]["entry_type"]) == ("Boxes are packed", "note")
    assert keeper.add_thread_entry(thread_id, "Moved", "milestone")["entry"]["entry_type"] == "milestone"
    closed = keeper.close_thread(thread_id, "All there")["thread"]
    assert (closed["status"], closed["summary"]) == ("closed", "All there")
    with pytest.raises(PublishedError) as late:
        keeper.add_thread_entry(thread_id, "One more")
    assert late.value.members["status"] == 400
    assert "closed" in late.value.text
    kept = asking.call("GET", f"/api/context/threads/{thread_id}", key="auditor")
    assert [each["content"] for each in kept["entries"]] == ["Boxes are packed", "Moved"]
    again = keeper.create_thread("the move")
    assert (again["thread_id"], again["thread"]["status"], again["thread"]["summary"]) == (
        thread_id,
        "active",
        "All there",
    )


def test_lists_of_threads(keeper: PublishedClient, asking: Tenant) -> None:
    first, second = (keeper.create_thread(name)["thread_id"] for name in ("first", "second"))
    asking.call("POST", "/api/context/threads", {"name": "first", "agent_id": "other"})
    keeper.close_thread(first)
    assert [each["id"] for each in keeper.get_threads()["threads"]] == [second, first]
    assert [each["id"] for each in keeper.get_threads(status="closed")["threads"]] == [first]
    assert [each["id"] for each in keeper.get_threads(limit=1)["threads"]] == [second]


def test_key_points_and_the_summary(keeper: PublishedClient) -> None:
    made = keeper.capture_key_point("The index stays", category="decision", importance=9)
    assert made["point_id"] == made["point"]["id"]
    assert (made["point"]["category"], made["point"]["importance"], made["point"]["agent_id"]) == ("decision", 9, "bot")
    # Their day may have turned since.
    assert made["point"]["session_date"] <= datetime.now(UTC).date().isoformat()
    keeper.capture_key_point("Long ago", session_date="2026-01-01")
    assert [each["content"] for each in keeper.get_key_points(category="decision")["points"]] == ["The index stays"]
    assert [each["content"] for each in keeper.get_key_points()["points"]] == ["Long ago", "The index stays"]
    open_one = keeper.create_thread("open")["thread_id"]
    keeper.close_thread(keeper.create_thread("shut")["thread_id"])
    summary = keeper.get_context_summary()
    assert [each["content"] for each in summary["points"]] == ["The index stays"]
    assert [each["id"] for each in summary["threads"]] == [open_one]


def test_what_is_wrong_is_said_in_their_own_error(keeper: PublishedClient) -> None:
    for name, args, place in (
        ("create_thread", ("",), "name"),
        ("capture_key_point", ("",), "content"),
        ("get_threads", ("open",), "status"),
    ):
        with pytest.raises(PublishedError) as wrong:
            getattr(keeper, name)(*args)
        assert wrong.value.members["status"] == 400
        assert wrong.value.members["details"][0].startswith(f"{place}: ")
    with pytest.raises(PublishedError) as unknown:
        keeper.add_thread_entry("ct_nobody", "so")
    assert unknown.value.members["status"] == 404
