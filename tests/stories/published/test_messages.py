"""Agents that have a published client already, writing to each other."""

from __future__ import annotations

import json
import urllib.request
from base64 import b64encode
from typing import Any

import pytest

from tests.stories.published.client import PublishedClient, PublishedError
from tests.stories.tenant import Tenant

CONTENT = b"# A report\n\x00\xff"
FILE = {"filename": "report.md", "mime_type": "text/markdown", "data": b64encode(CONTENT).decode()}


def bodies(page: dict[str, Any]) -> list[str]:
    return [message["body"] for message in page["messages"]]


def test_a_message_and_its_answer(agent: PublishedClient, boss: PublishedClient) -> None:
    sent = agent.send_message(
        "May I?", to="boss", message_type="question", subject="Leave", urgent=True, doc_ref="docs/leave.md"
    )
    message = sent["message"]
    assert (message["id"], message["from_agent_id"], message["to_agent_id"]) == (sent["message_id"], "bot", "boss")
    assert (message["message_type"], message["subject"], message["urgent"]) == ("question", "Leave", True)
    assert (message["doc_ref"], message["status"], message["attachments"]) == ("docs/leave.md", "sent", [])
    page = boss.get_inbox(unread=True, type="question", limit=5)
    assert (bodies(page), page["total"], page["unread_count"]) == (["May I?"], 1, 1)
    assert page["messages"][0]["is_read"] is False
    assert boss.get_message(message["id"])["message"]["body"] == "May I?"
    assert boss.mark_read([message["id"], "msg_nobody"]) == {"updated": 1}
    assert boss.mark_read([message["id"]]) == {"updated": 0}
    assert boss.get_inbox(unread=True)["messages"] == []
    assert boss.get_inbox()["messages"][0]["is_read"] is True
    boss.send_message("You may", to="bot")
    assert bodies(agent.get_inbox()) == ["You may"]
    (seen,) = agent.get_sent_messages(message_type="question", limit=3)["messages"]
    assert (seen["read_by"], seen["status"], seen["read_at"] is None) == (["boss"], "read", False)
    assert bodies(agent.get_messages()) == ["You may", "May I?"]
    assert bodies(agent.get_messages(direction="inbox", unread=True)) == ["You may"]
    assert bodies(agent.get_messages(direction="sent", message_type="info")) == []
    assert boss.archive_messages([message["id"]]) == {"updated": 1}
    assert bodies(boss.get_inbox()) == []


def test_a_broadcast_is_read_by_each_for_itself(agent: PublishedClient, boss: PublishedClient, asking: Tenant) -> None:
    sent = agent.broadcast("Tests are slow today", message_type="lesson", subject="Slow")["message"]
    assert (sent["to_agent_id"], sent["message_type"], sent["subject"]) == (None, "lesson", "Slow")
    assert agent.get_inbox()["messages"] == []
    boss.mark_read([sent["id"]])
    assert boss.get_inbox(unread=True)["unread_count"] == 0
    others = asking.call("GET", "/api/messages?agent_id=another&direction=inbox&unread=True", key="agent")
    assert (bodies(others), others["unread_count"]) == (["Tests are slow today"], 1)
    assert agent.get_message(sent["id"])["message"]["read_by"] == ["boss"]


def test_a_thread_until_it_is_resolved(agent: PublishedClient, boss: PublishedClient) -> None:
    made = agent.create_message_thread("Which disk", participants=["bot", "boss"])
    thread = made["thread"]
    assert (made["thread_id"], thread["name"], thread["created_by"]) == (thread["id"], "Which disk", "bot")
    assert agent.create_message_thread("For all")["thread"]["participants"] == []
    agent.send_message("The large one?", to="boss", thread_id=thread["id"])
    boss.broadcast("The small one", thread_id=thread["id"])
    agent.broadcast("Elsewhere")
    assert bodies(agent.get_messages(thread_id=thread["id"])) == ["The small one", "The large one?"]
    assert bodies(agent.get_sent_messages(thread_id=thread["id"])) == ["The large one?"]
    listed = boss.get_message_threads(status="open", limit=10)["threads"]
    assert [(each["name"], each["message_count"]) for each in listed] == [("For all", 0), ("Which disk", 2)]
    done = boss.resolve_message_thread(thread["id"], summary="The small one")["thread"]
    assert (done["status"], done["summary"], done["resolved_at"] is None) == ("resolved", "The small one", False)
    assert [each["name"] for each in boss.get_message_threads(status="resolved")["threads"]] == ["Which disk"]
    with pytest.raises(PublishedError, match="resolved") as closed:
        agent.send_message("And now?", thread_id=thread["id"])
    assert closed.value.members["status"] == 400


def test_an_attachment_arrives_as_it_was(agent: PublishedClient, boss: PublishedClient, asking: Tenant) -> None:
    (made,) = agent.send_message("See this", to="boss", attachments=[FILE])["message"]["attachments"]
    assert (made["filename"], made["mime_type"], made["size_bytes"]) == ("report.md", "text/markdown", len(CONTENT))
    assert boss.get_inbox()["messages"][0]["attachments"] == [made]
    url = boss.get_attachment_url(made["id"])
    request = urllib.request.Request(url, headers={"x-api-key": asking.keys["admin"]})
    with urllib.request.urlopen(request) as response:
        assert response.read() == CONTENT
    # Their own download, whose bytes do not go through JSON: its name, type and length do.
    got = boss.downloaded(made["id"])
    assert got == {"data": list(CONTENT), "filename": "report.md", "mime_type": "text/markdown"}


def test_messages_of_an_action_carry_its_id(agent: PublishedClient, asking: Tenant) -> None:
    action_id = agent.create_action("look", "See")["action_id"]
    if agent.version == "2.1.0":
        sent = agent.send_message("I look", action_id=action_id)  # it has no action_context yet
    else:
        sent = agent.said_in_context(action_id, "I look", to="boss")
    assert sent["message"]["action_id"] == action_id
    trace = agent.get_action_trace(action_id)["trace"]
    assert (trace["messages"]["total"], trace["messages"]["items"][0]["body"]) == (1, "I look")


def test_what_is_wrong_is_said_in_their_own_error(agent: PublishedClient) -> None:
    for wrong, place in (
        ({"body": "x", "message_type": "shout"}, "message_type: "),
        ({"body": "x" * 2001}, "body: "),
        ({"body": "x", "attachments": [FILE] * 4}, "attachments: "),
        ({"body": "x", "attachments": [FILE | {"mime_type": "text/html"}]}, "attachments[0].mime_type: "),
    ):
        with pytest.raises(PublishedError) as refused:
            agent.send_message(**wrong)
        assert refused.value.members["status"] == 400
        assert refused.value.members["details"][0].startswith(place), json.dumps(refused.value.members)
    with pytest.raises(PublishedError) as unknown:
        agent.get_message("msg_nobody")
    assert unknown.value.members["status"] == 404
