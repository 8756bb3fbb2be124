"""Read by mypy and basedpyright, never called: what the operations on messages give, on both clients."""

from collections.abc import Coroutine
from typing import Any, assert_type

from assent import AsyncClient, Client
from assent.contract.exchange.message_threads import CreatedMessageThread, MessageThreads, ResolvedMessageThread
from assent.contract.exchange.messages import MarkedMessages, MessageDetail, Messages, MessageType, SentMessage
from assent.contract.file import File


def blocking(client: Client) -> None:
    assert_type(client.send_message("hello", "desk", MessageType.QUESTION, urgent=True), SentMessage)
    assert_type(client.send_message({"to": "desk", "body": "hello"}), SentMessage)
    file = {"filename": "a.txt", "mime_type": "text/plain", "data": b"a"}
    assert_type(client.broadcast("hello", "lesson", attachments=[file]), SentMessage)
    assert_type(client.get_inbox(unread=True, limit=5), Messages)
    assert_type(client.get_sent_messages("info"), Messages)
    assert_type(client.get_messages("all", cursor="c"), Messages)
    assert_type(client.get_message("msg_1"), MessageDetail)
    assert_type(client.mark_messages(["msg_1"], "read"), MarkedMessages)
    assert_type(client.mark_read("msg_1"), MarkedMessages)
    assert_type(client.archive_messages(["msg_1"]), MarkedMessages)
    assert_type(client.create_message_thread("disk", ["a"]), CreatedMessageThread)
    assert_type(client.get_message_threads("open"), MessageThreads)
    assert_type(client.resolve_message_thread("mt_1", "done"), ResolvedMessageThread)
    assert_type(client.get_attachment("att_1"), File)
    assert_type(client.get_attachment("att_1").data, bytes)
    assert_type(client.get_attachment_url("att_1"), str)
    with client.action_context("act_1") as action:
        assert_type(action.send_message("hello", urgent=True), SentMessage)


async def awaiting(client: AsyncClient) -> None:
    pending = client.send_message("hello")
    same = assert_type(pending, Coroutine[Any, Any, SentMessage])
    assert_type(await same, SentMessage)
    assert_type(await client.get_inbox(), Messages)
    assert_type(await client.get_attachment("att_1"), File)
    assert_type(client.get_attachment_url("att_1"), str)
    async with client.action_context("act_1") as action:
        assert_type(await action.send_message("hello"), SentMessage)
