"""Messages, their threads and their attachments over HTTP."""

from __future__ import annotations

from assent.contract.attachments import GET_ATTACHMENT
from assent.contract.message_threads import (
    CREATE_MESSAGE_THREAD,
    GET_MESSAGE_THREADS,
    RESOLVE_MESSAGE_THREAD,
    CreatedMessageThread,
    ResolvedMessageThread,
)
from assent.contract.messages import (
    GET_MESSAGE,
    GET_MESSAGES,
    MARK_MESSAGES,
    SEND_MESSAGE,
    MarkedMessages,
    MessageDetail,
)
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.messages.attaching import disposition
from assent_service.messages.messages import Messages
from assent_service.messages.threads import Threads


def routes(messages: Messages, threads: Threads) -> tuple[Route, ...]:
    return (*_messages(messages), *_threads(threads))


def _messages(messages: Messages) -> tuple[Route, ...]:
    @route(SEND_MESSAGE)
    async def send(call: Call) -> Answer:
        return Answer(await messages.send(call.principal, call.body), 201)

    @route(GET_MESSAGES)
    async def list_all(call: Call) -> Answer:
        return Answer(await messages.page(call.principal, call.query))

    @route(GET_MESSAGE)
    async def get(call: Call) -> Answer:
        found = await messages.get(call.principal, call.path["message_id"], call.query.agent_id)
        return Answer(MessageDetail(message=found))

    @route(MARK_MESSAGES)
    async def mark(call: Call) -> Answer:
        return Answer(MarkedMessages(updated=await messages.mark(call.principal, call.body)))

    @route(GET_ATTACHMENT)
    async def get_attachment(call: Call) -> Answer:
        found, content = await messages.attachment(call.principal, call.query.id)
        headers = (
            (b"content-disposition", disposition(found.filename).encode("ascii")),
            # Whatever it holds, a browser neither guesses what it is nor runs it.
            (b"x-content-type-options", b"nosniff"),
            (b"content-security-policy", b"default-src 'none'; sandbox"),
        )
        return Answer(content, headers=headers, media_type=found.mime_type)

    return send, list_all, get, mark, get_attachment


def _threads(threads: Threads) -> tuple[Route, ...]:
    @route(CREATE_MESSAGE_THREAD)
    async def open_thread(call: Call) -> Answer:
        made = await threads.open(call.principal, call.body)
        return Answer(CreatedMessageThread(thread=made, thread_id=made.thread_id), 201)

    @route(GET_MESSAGE_THREADS)
    async def list_threads(call: Call) -> Answer:
        return Answer(await threads.page(call.principal, call.query))

    @route(RESOLVE_MESSAGE_THREAD)
    async def resolve(call: Call) -> Answer:
        return Answer(ResolvedMessageThread(thread=await threads.resolve(call.principal, call.body)))

    return open_thread, list_threads, resolve
