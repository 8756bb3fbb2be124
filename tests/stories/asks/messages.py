"""Who may write to whom, and read what."""

from __future__ import annotations

from typing import Any

from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant

FILE = {"filename": "a.txt", "mime_type": "text/plain", "data": "YQ=="}


def sent(owner: Tenant) -> dict[str, Any]:
    said = {"from_agent_id": "bot", "to": "desk", "body": "hello", "attachments": [FILE]}
    message: dict[str, Any] = owner.call("POST", "/api/messages", said)["message"]
    return message


def thread(owner: Tenant) -> str:
    return str(owner.call("POST", "/api/messages/threads", {"name": "a thread"})["thread_id"])


def mark(owner: Tenant) -> Ask:
    return Ask("/api/messages", {"message_ids": [sent(owner)["id"]], "action": "read", "agent_id": "desk"})


ASKS = {
    "send_message": Asking("ao m", lambda _: Ask("/api/messages", {"from_agent_id": "bot", "body": "hello"})),
    "get_messages": Asking("aoum", lambda _: Ask("/api/messages?agent_id=bot&direction=inbox")),
    "get_message": Asking("aoum", lambda owner: Ask(f"/api/messages/{sent(owner)['id']}")),
    "mark_messages": Asking("ao m", mark),
    "get_attachment": Asking(
        "aoum", lambda owner: Ask(f"/api/messages/attachments?id={sent(owner)['attachments'][0]['id']}")
    ),
    "create_message_thread": Asking("ao m", lambda _: Ask("/api/messages/threads", {"name": "a thread"})),
    "get_message_threads": Asking("aoum", lambda _: Ask("/api/messages/threads?status=open")),
    "resolve_message_thread": Asking(
        "ao m", lambda owner: Ask("/api/messages/threads", {"thread_id": thread(owner), "summary": "done"})
    ),
}
