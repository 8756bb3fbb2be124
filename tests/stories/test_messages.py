"""Messages over HTTP: what is refused and how, what a file is served as, and who hears of what on the stream."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from assent.contract.exchange.attachments import MOST_ATTACHMENT_BYTES
from tests.live import WAIT
from tests.stories.tenant import Tenant
from tests.tiers import deep

FILE = {"filename": "a.txt", "mime_type": "text/plain", "data": "YQ=="}
HELLO = {"from_agent_id": "a", "to": "b", "body": "hello"}
LARGEST = b64encode(b"x" * MOST_ATTACHMENT_BYTES).decode()
BAD: dict[str, tuple[dict[str, Any], int, str, str]] = {
    "four attachments": ({"attachments": [FILE] * 4}, 400, "invalid_body", "attachments"),
    "one too large": (
        {"attachments": [FILE | {"data": LARGEST[:-4] + "AAAAAAAA"}]},
        400,
        "invalid_body",
        "attachments[0].data",
    ),
    "no base64": ({"attachments": [FILE | {"data": "YQ"}]}, 400, "invalid_body", "attachments[0].data"),
    "a page": (
        {"attachments": [FILE, FILE | {"mime_type": "text/html"}]},
        400,
        "invalid_body",
        "attachments[1].mime_type",
    ),
    "a path": ({"attachments": [FILE | {"filename": "../a"}]}, 400, "invalid_body", "attachments[0].filename"),
    "a long body": ({"body": "x" * 2001}, 400, "invalid_body", "body"),
    "no body": ({"body": None}, 400, "invalid_body", "body"),
    "an empty body": ({"body": ""}, 400, "invalid_body", "body"),
    "a long subject": ({"subject": "x" * 201}, 400, "invalid_body", "subject"),
    "an unknown type": ({"type": "shout"}, 400, "invalid_body", "message_type"),
    "to nobody": ({"to": ""}, 400, "invalid_body", "to_agent_id"),
    "from nobody": ({"from_agent_id": None}, 400, "invalid_body", "from_agent_id"),
    "a context thread": ({"thread_id": "ct_1"}, 400, "invalid_body", "thread_id"),
    "an unknown thread": ({"thread_id": "mt_1"}, 404, "thread_not_found", ""),
    "an unknown action": ({"action_id": "act_1"}, 404, "action_not_found", ""),
}


@pytest.mark.parametrize("wrong", BAD)
def test_what_is_refused(shared_tenant: Tenant, wrong: str) -> None:
    change, status, code, place = BAD[wrong]
    before = shared_tenant.recorded()
    reply = shared_tenant.send("POST", "/api/messages", HELLO | change, key="agent")
    assert (reply.status, reply.code) == (status, code), reply.content[:500]
    assert reply.places == ([place] if place else [])
    assert shared_tenant.recorded() == before


def test_marks_that_are_refused(shared_tenant: Tenant) -> None:
    shared_tenant.add_key("bound to c", "agent", "c")
    sent = shared_tenant.call("POST", "/api/messages", HELLO, key="agent")["message_id"]
    right = {"message_ids": [sent], "action": "read", "agent_id": "b"}
    for change, key, status, code in (
        ({"action": "burn"}, "agent", 400, "invalid_body"),
        ({"message_ids": []}, "agent", 400, "invalid_body"),
        ({"message_ids": ["a b"]}, "agent", 400, "invalid_body"),
        ({"message_ids": [sent] * 201}, "agent", 400, "invalid_body"),
        ({"agent_id": None}, "agent", 400, "invalid_body"),
        ({}, "bound to c", 403, "agent_mismatch"),
        ({}, "auditor", 403, "forbidden"),
    ):
        reply = shared_tenant.send("PATCH", "/api/messages", right | change, key=key)
        assert (reply.status, reply.code) == (status, code), (change, key)
    assert shared_tenant.call("PATCH", "/api/messages", right | {"agent_id": None}, key="bound to c") == {"updated": 0}
    assert shared_tenant.call("PATCH", "/api/messages", right, key="agent") == {"updated": 1}


@deep("one story of each kind is in the quick tier")
def test_three_of_the_largest_files_go_through_and_come_back(tenant: Tenant) -> None:
    files = [FILE | {"data": LARGEST, "filename": f"{number}.txt"} for number in range(3)]
    made = tenant.call("POST", "/api/messages", HELLO | {"attachments": files}, key="agent")["message"]["attachments"]
    for each in made:
        assert (
            tenant.send("GET", f"/api/messages/attachments?id={each['id']}", key="agent").content
            == b"x" * MOST_ATTACHMENT_BYTES
        )
    beyond = tenant.send(
        "POST", "/api/messages", HELLO | {"attachments": files, "doc_ref": "x" * 1_100_000}, key="agent"
    )
    assert (beyond.status, beyond.code) == (413, "payload_too_large")


def test_a_file_is_served_for_saving_only(tenant: Tenant) -> None:
    page = {
        "filename": 'sch"ö.txt',
        "mime_type": "text/plain",
        "data": b64encode(b"<script>alert(1)</script>").decode(),
    }
    (made,) = tenant.call("POST", "/api/messages", HELLO | {"attachments": [page]})["message"]["attachments"]
    reply = tenant.send("GET", f"/api/messages/attachments?id={made['id']}", key="auditor")
    assert (reply.status, reply.content) == (200, b"<script>alert(1)</script>")
    assert reply.headers["content-type"] == "text/plain"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert (
        reply.headers["content-disposition"] == "attachment; filename=\"sch__.txt\"; filename*=UTF-8''sch%22%C3%B6.txt"
    )
    assert reply.headers["cache-control"] == "no-store"
    tenant.add_key("bound to c", "agent", "c")
    for id_, key in ((made["id"], "bound to c"), ("att_nobody", "admin")):
        other = tenant.send("GET", f"/api/messages/attachments?id={id_}", key=key)
        assert (other.status, other.code) == (404, "attachment_not_found")
    assert tenant.send("GET", "/api/messages/attachments").code == "invalid_query"


@contextmanager
def stream(tenant: Tenant, key: str, query: str = "") -> Iterator[Iterator[tuple[str, dict[str, Any]]]]:
    headers = {"x-api-key": tenant.keys[key]}
    address = f"{tenant.service.base_url}/api/stream{query}"
    with tenant.http.stream("GET", address, headers=headers, timeout=WAIT) as response:
        assert response.status_code == 200, response.read()
        yield _events(response.iter_lines())


def _events(lines: Iterator[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def test_a_bound_agent_hears_only_what_it_may_see(tenant: Tenant) -> None:
    """Live, and again when it resumes; the last message tells that nothing else is to come."""
    tenant.add_key("b", "agent", "b")
    tenant.add_key("c", "agent", "c")
    start = tenant.recorded() - 1
    with stream(tenant, "c") as live:
        assert next(live)[0] == "connected"
        secret = {"name": "secret", "participants": ["b"], "created_by": "a"}
        thread = tenant.call("POST", "/api/messages/threads", secret)["thread_id"]
        tenant.call("POST", "/api/messages", HELLO | {"to": None, "body": "for the thread", "thread_id": thread})
        for said in ({"body": "secret"}, {"to": "all", "body": "to all"}, {"to": "c", "body": "to c"}):
            sent = tenant.call("POST", "/api/messages", HELLO | said)["message_id"]
        tenant.call("PATCH", "/api/messages", {"message_ids": [sent], "action": "read", "agent_id": "c"})
        heard = [next(live) for _ in range(3)]
    with stream(tenant, "c", f"?lastEventId={start}") as again:
        resumed = [next(again) for _ in range(3)]
    assert heard == resumed
    assert [(name, data.get("body")) for name, data in heard] == [
        ("message.created", "to all"),
        ("message.created", "to c"),
        ("message.updated", None),
    ]
    assert heard[1][1]["id"] == sent
    with stream(tenant, "b", f"?lastEventId={start}") as other:
        names = [next(other) for _ in range(4)]
    assert [data.get("body", data.get("name")) for _, data in names] == ["secret", "for the thread", "secret", "to all"]


def test_the_tables_as_data_say_who_wrote_to_whom_and_not_what(tenant: Tenant) -> None:
    tenant.call("POST", "/api/messages", HELLO | {"body": "BODY", "subject": "SUBJECT", "attachments": [FILE]})
    tenant.call("POST", "/api/messages/threads", {"name": "NAME"})
    for table in ("messages", "message_threads"):
        content = tenant.send("GET", f"/api/data/{table}?format=ndjson", key="auditor").content
        (row,) = [json.loads(line) for line in content.splitlines()]
        assert not {"BODY", "SUBJECT", "NAME", "a.txt"} & {value for value in row.values() if isinstance(value, str)}
        assert "created_at" in row
    messages = tenant.send("GET", "/api/data/messages?format=ndjson", key="auditor").content
    row = json.loads(messages)
    assert (row["from_agent_id"], row["to_agent_id"], row["attachment_count"], row["attachment_bytes"]) == (
        "a",
        "b",
        1,
        1,
    )


@deep("one story of each kind is in the quick tier")
def test_our_own_client_from_sending_to_archiving(tenant: Tenant) -> None:
    with tenant.client(agent_id="a") as a, tenant.client(agent_id="b") as b:
        action_id = a.create_action("look").action_id
        thread = a.create_message_thread("Which disk", ["b"]).thread_id
        file = {"filename": "plän.pdf", "mime_type": "application/pdf", "data": b"%PDF\x00"}
        with a.action_context(action_id) as action:
            sent = action.send_message("See this", "b", attachments=[file], thread_id=thread).message
        assert (sent.action_id, sent.thread_id, sent.from_agent_id) == (action_id, thread, "a")
        a.send_message({"to": "all", "type": "status", "body": "done"})
        inbox = b.get_inbox(unread=True)
        assert [each.body for each in inbox.messages] == ["done", "See this"]
        got = b.get_attachment(inbox.messages[1].attachments[0].id)
        assert (got.data, got.filename, got.mime_type) == (b"%PDF\x00", "plän.pdf", "application/pdf")
        assert b.mark_read([each.id for each in inbox.messages]).updated == 2
        assert b.archive_messages(sent.id).updated == 1
        assert [each.body for each in b.get_inbox().messages] == ["done"]
        assert b.get_message(sent.id).message.status == "archived"
        assert a.get_action_trace(action_id).trace.messages.items[0].read_by == ["b"]
        assert b.resolve_message_thread(thread, "The small one").thread.summary == "The small one"
