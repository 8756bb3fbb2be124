"""The page Messages, with a real service behind it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable

import pytest
import streamlit as st

from tests.dashboard.evidence.ledger_page import Look
from tests.dashboard.exchange.messages_page import MessagesPage
from tests.stories.tenant import Tenant
from tests.tiers import deep

Open = Callable[..., MessagesPage]
NASTY = "![x](http://192.0.2.1/x.png) <img src=x>"


@pytest.fixture
def messages(look: Look, house: Tenant) -> Open:
    st.cache_data.clear()
    return lambda **address: MessagesPage.of(look, house, **address)


def send(house: Tenant, to: str | None, body: str, **more: object) -> str:
    said = {"from_agent_id": "payer", "body": body} | ({"to": to} if to else {}) | more
    return str(house.call("POST", "/api/messages", said, key="agent")["message_id"])


def seen(house: Tenant, message_id: str, agent_id: str) -> dict[str, object]:
    found: dict[str, object] = house.call("GET", f"/api/messages/{message_id}?agent_id={agent_id}")["message"]
    return found


@pytest.mark.parametrize(
    "view",
    [
        "inbox",
        *(
            pytest.param(each, marks=deep("one is in the quick tier"))
            for each in ["threads", "handoffs", "context", "loops"]
        ),
    ],
)
def test_an_empty_page_says_what_to_do_next(messages: Open, view: str) -> None:
    page = messages(view=view)
    assert "with Client(agent_id=" in page.words
    assert "Last checked, by the service's clock: " in page.words
    assert "with Client(" not in messages(view=view, agent_id="nobody").words, "what was chosen is the reason"


def test_the_list_is_newest_first_and_can_be_narrowed(messages: Open, house: Tenant) -> None:
    send(house, "desk", "First", subject="One")
    send(house, "desk", "Second", subject="Two", message_type="question", urgent=True)
    send(house, "other", "Third", subject="Three")
    page = messages()
    assert "**3 messages**" in page.words
    assert page.words.index("Three") < page.words.index("Two") < page.words.index("One")
    assert ":red-badge[:material/priority_high: urgent] :violet-badge[question]" in page.words
    page.pick("agent_id", "desk")
    assert page.address == {"agent_id": "desk"}
    assert "**2 messages** · 2 unread in the inbox of `desk`" in page.words
    page.pick("message_type", "question")
    assert page.address == {"agent_id": "desk", "message_type": "question"}
    assert "Two" in page.words
    assert "One" not in page.words


@deep("a page's main ways are in the quick tier")
def test_a_deep_link_restores_what_was_chosen(messages: Open, house: Tenant) -> None:
    send(house, "desk", "Old news")
    address = {"agent_id": "desk", "direction": "sent", "message_type": "info", "unread": "yes"}
    page = messages(**address)
    assert page.address == address
    assert "No message fits what you chose." in page.words
    assert page.page.toggle(key="messages_unread").value is True
    assert page.page.selectbox(key="messages_direction").value == "sent"


@pytest.mark.parametrize(
    "address",
    [
        {"view": "nope"},
        *(
            pytest.param(each, marks=deep("one is in the quick tier"))
            for each in [{"message_type": "nope"}, {"view": "loops", "status": "nope"}]
        ),
    ],
)
def test_what_means_nothing_is_told(messages: Open, address: dict[str, str]) -> None:
    assert "is 'nope'; it can be" in messages(**address).words


def test_looking_marks_nothing_and_marks_count_for_one_agent(messages: Open, house: Tenant) -> None:
    said = send(house, "desk", "Is it due?\nSay.", subject="Due?")
    page = messages(message_id=said)
    assert "Is it due?\nSay." in page.words
    assert "Nobody has read it yet." in page.words
    assert seen(house, said, "desk")["status"] == "sent"
    page.press("messages_read")
    assert "1 message read for desk" in page.toasts.replace("\\", "")
    assert seen(house, said, "desk")["status"] == "read"
    assert "Read by `desk`." in page.words
    page.press("messages_archive")
    assert seen(house, said, "desk")["status"] == "archived"
    assert page.page.button(key="messages_archive").disabled


@deep("a page's main ways are in the quick tier")
def test_what_went_to_all_is_marked_for_whom_was_chosen(messages: Open, house: Tenant) -> None:
    said = send(house, None, "The bank is closed.")
    page = messages(message_id=said)
    assert page.page.button(key="messages_read").disabled
    assert "choose one above to mark it for that agent" in page.words
    chosen = messages(message_id=said, agent_id="desk").press("messages_read")
    assert "read for desk" in chosen.toasts.replace("\\", "")
    assert seen(house, said, "desk")["status"] == "read"
    assert seen(house, said, "other")["status"] == "sent"


def test_what_strangers_wrote_is_no_markdown(messages: Open, house: Tenant) -> None:
    said = send(house, "desk", NASTY, subject=NASTY)
    for page in (messages(), messages(message_id=said)):
        drawn = [
            str(each.value) for kind in (page.page.markdown, page.page.header, page.page.subheader) for each in kind
        ]
        assert not any("![x](" in each for each in drawn)
    assert NASTY in messages(message_id=said).words, "as plain text it stands there letter by letter"


def test_a_file_is_told_of_and_never_opened(messages: Open, house: Tenant) -> None:
    file = {"filename": "note.txt", "mime_type": "text/plain", "data": b64encode(b"<script>").decode()}
    said = send(house, "desk", "See the file.", attachments=[file])
    page = messages(message_id=said)
    assert "`note.txt` · text/plain · 8 bytes · SHA-256" in page.words
    assert "Save" in [each.proto.label for each in page.page.get("download_button")]
    assert "<script>" not in page.words
    assert not any("attachments" in each for each in page.requests.take()), "it is fetched when it is saved"


def test_an_operator_replies_under_their_own_name(messages: Open, house: Tenant) -> None:
    thread = house.call("POST", "/api/messages/threads", {"name": "Invoice 7"}, key="agent")["thread_id"]
    said = send(house, "desk", "Is it due?", subject="Due?", thread_id=thread)
    page = messages(message_id=said).press("messages_reply")
    page.press("messages_send")
    assert "Write something first" in str([each.value for each in page.page.warning])
    page.write("messages_words", "It is. Pay it.").press("messages_send")
    (reply,) = house.call("GET", "/api/messages?agent_id=payer&direction=inbox")["messages"]
    assert (reply["from_agent_id"], reply["body"]) == ("the operator", "It is. Pay it.")
    assert (reply["subject"], reply["thread_id"]) == ("Re: Due?", thread)
    opened = messages(view="threads", thread_id=thread).words
    assert opened.index("Is it due?") < opened.index("It is. Pay it."), "a thread is read from its beginning"


@deep("a page's main ways are in the quick tier")
def test_a_message_to_all(messages: Open, house: Tenant) -> None:
    page = messages().press("messages_write").write("messages_words", "Stop paying.").press("messages_send")
    assert "Sent" in page.toasts
    (said,) = house.call("GET", "/api/messages")["messages"]
    assert (said["to_agent_id"], said["body"]) == (None, "Stop paying.")


@deep("a page's main ways are in the quick tier")
def test_handoffs_the_latest_of_each_agent_first(messages: Open, house: Tenant) -> None:
    for agent, summary in (("a", "Older of a"), ("b", "Only one of b"), ("a", "Newer of a")):
        left = {"summary": summary, "agent_id": agent, "open_tasks": ["Ask Lyon"]}
        house.call("POST", "/api/handoffs", left, key="agent")
    page = messages(view="handoffs")
    assert "**3 handoffs**; the latest of 2 agents:" in page.words
    assert "• Ask Lyon" in page.words
    texts = [str(each.value) for each in page.page.text if " of " in str(each.value)]
    assert texts == ["Newer of a", "Only one of b", "Older of a"]


def test_a_loop_is_closed_with_how(messages: Open, house: Tenant) -> None:
    action_id = house.create("look", agent_id="payer")
    left = {"action_id": action_id, "loop_type": "followup", "description": "Tell Lyon", "priority": "critical"}
    loop_id = house.call("POST", "/api/actions/loops", left, key="agent")["loop_id"]
    page = messages(view="loops")
    assert "**1 open** · 1 critical" in page.words
    page.press(f"messages_close-{loop_id}").press("messages_resolve")
    assert "Say how it was resolved" in str([each.value for each in page.page.warning])
    page.write("messages_how", "Told by telephone").press("messages_resolve")
    (loop,) = house.call("GET", "/api/actions/loops")["loops"]
    assert (loop["status"], loop["resolution"]) == ("resolved", "Told by telephone")
    assert "**0 open**" in page.words


@deep("a page's main ways are in the quick tier")
def test_context_threads_and_key_points(messages: Open, house: Tenant) -> None:
    thread = house.call("POST", "/api/context/threads", {"name": "Supplier 12", "agent_id": "payer"}, key="agent")
    entry = {"content": "Corrections come on Mondays.", "entry_type": "milestone"}
    house.call("POST", f"/api/context/threads/{thread['thread_id']}/entries", entry, key="agent")
    house.call("POST", "/api/context/points", {"content": "Paid twice.", "importance": 8}, key="agent")
    page = messages(view="context")
    assert "**1 context thread**" in page.words
    assert "Paid twice." in page.words
    assert "importance 8 of 10" in page.words
    assert "Corrections come on Mondays." in messages(view="context", thread_id=thread["thread_id"]).words


@pytest.mark.parametrize(
    "address",
    [{"message_id": "msg_none"}, {"view": "threads", "thread_id": "x"}, {"view": "context", "thread_id": "x"}],
)
def test_what_is_not_there_is_told(messages: Open, address: dict[str, str]) -> None:
    assert "There is no " in messages(**address).words


@deep("a page's main ways are in the quick tier")
def test_a_look_again_asks_nothing(messages: Open, house: Tenant) -> None:
    send(house, "desk", "Hello")
    page = messages()
    page.requests.take()
    page.run()
    assert page.requests.take() == []
    page.press("messages_again")
    assert page.requests.take() == ["GET /api/messages"]
