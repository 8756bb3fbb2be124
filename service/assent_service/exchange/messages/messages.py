"""Messages between agents and operators: sending, listing and marking them, their attachments, and the routes of
message threads."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Sequence
from contextlib import AsyncExitStack, suppress

from assent.contract.control.injection import SubjectKind
from assent.contract.events import EventName
from assent.contract.exchange.attachments import GET_ATTACHMENT, Attachment, AttachmentQuery
from assent.contract.exchange.message_threads import (
    CREATE_MESSAGE_THREAD,
    GET_MESSAGE_THREADS,
    RESOLVE_MESSAGE_THREAD,
    CreatedMessageThread,
    CreateMessageThread,
    MessageThreads,
    MessageThreadsQuery,
    ResolvedMessageThread,
    ResolveMessageThread,
)
from assent.contract.exchange.messages import (
    GET_MESSAGE,
    GET_MESSAGES,
    MARK_MESSAGES,
    SEND_MESSAGE,
    MarkedMessages,
    MarkMessages,
    MarkRow,
    Message,
    MessageDetail,
    MessageQuery,
    MessageRow,
    MessagesQuery,
    SendMessage,
    SentMessage,
)
from assent.contract.exchange.messages import Messages as MessageList
from assent.contract.problems import Code, FieldError
from assent_service.base.clock import Clock, moment, new_id
from assent_service.base.problem import Refusal, refuse
from assent_service.control.actions import Actions
from assent_service.control.injection import Screen, Subject
from assent_service.core.call import Answer, Call
from assent_service.core.locks import FILE_FENCE, EntityLocks, Fence
from assent_service.core.payload import encode, extend
from assent_service.core.principal import Principal
from assent_service.core.route import NEW_ID, Route, serves
from assent_service.core.rows import find_row
from assent_service.exchange.messages import queries
from assent_service.exchange.messages.attaching import attached, disposition, message_of
from assent_service.exchange.messages.compose import check_open, check_thread_id, composed, named, sent_within
from assent_service.exchange.messages.queries import looker
from assent_service.exchange.messages.rows import MESSAGES, as_answer, is_reader, may_see
from assent_service.exchange.messages.threads import MESSAGE_THREAD_FENCE, Threads
from assent_service.store import schema
from assent_service.store.blobs import BlobMissing, Blobs
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

MESSAGE_MARKS_FENCE = Fence("message_marks", "reader")
_NAMING = schema.naming(MESSAGES)

log = logging.getLogger("assent.messages")


class Messages:
    """The messages of every organization."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        locks: EntityLocks,
        actions: Actions,
        threads: Threads,
        blobs: Blobs,
        screen: Screen,
    ) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self._actions, self._threads, self._blobs, self._screen = actions, threads, blobs, screen

    async def start(self) -> None:
        """Clear away what was being stored when the service was killed."""
        await asyncio.to_thread(self._blobs.sweep)

    async def send(self, principal: Principal, said: SendMessage) -> SentMessage:
        """A message that reads like a prompt injection is sent with a warning, since people also write about them.
        Raises `agent_mismatch`, `invalid_body`, `action_not_found`, `thread_not_found`, `thread_closed`, and
        `storage_unavailable` when an attachment cannot be kept; nothing was sent then."""
        sender = named("from_agent_id", principal.speaks_for(said.from_agent_id), "sends")
        check_thread_id(said.thread_id)
        if said.action_id is not None:
            await self._actions.visible(principal, said.action_id)
        now = self._clock()
        message_id = new_id("msg_", now)
        # Megabytes of base64 are decoded and hashed beside the loop, on which guard answers.
        given = said.attachments or ()
        attachments, files = await asyncio.to_thread(attached, given, message_id) if given else ([], [])
        message = composed(said, sender, attachments, org_id=principal.org_id, message_id=message_id, now=now)
        subject = Subject(principal, SubjectKind.MESSAGE, message_id, sender, now, message.action_id)
        noticed = await self._screen.look(subject, (("subject", message.subject), ("body", message.body)))
        async with AsyncExitStack() as stack:
            if message.thread_id is not None:
                # Nobody resolves the thread between looking at it and writing into it.
                held = MESSAGE_THREAD_FENCE.of(principal.org_id, message.thread_id)
                await stack.enter_async_context(self._locks.hold(held))
                thread = await self._threads.visible(principal, message.thread_id)
                check_open(thread)
                message = sent_within(message, thread)
            names = {FILE_FENCE.of(principal.org_id, each.sha256) for each in attachments}
            await stack.enter_async_context(self._locks.hold(*sorted(names)))
            await self._keep(principal.org_id, files)
            try:
                await self._ledger.append(_sent(message, principal, now), *noticed.drafts)
            except Refusal as refusal:
                if refusal.code is Code.ACTION_ERASED:
                    await self._discard(principal.org_id, {each.sha256 for each in attachments})
                raise
        told = list(noticed.says)
        return SentMessage(message=as_answer(message, [], principal, None), message_id=message_id, warnings=told)

    async def page(self, principal: Principal, query: MessagesQuery) -> MessageList:
        """Raises `agent_mismatch`, `invalid_query`."""
        return await queries.list_messages(self._ledger, principal, query)

    async def get(self, principal: Principal, message_id: str, agent_id: str | None) -> Message:
        """As the agent named sees it. Raises `message_not_found`, `agent_mismatch`."""
        who = looker(principal, agent_id)
        found = await self._visible(principal, message_id)
        if found is None:
            raise refuse(Code.MESSAGE_NOT_FOUND, f"There is no message {message_id[:128]!r} in this organization.")
        (message,) = await queries.as_answers(self._ledger, principal, who, [found])
        return message

    async def mark(self, principal: Principal, said: MarkMessages) -> int:
        """How many were not marked so before. Raises `agent_mismatch`, `invalid_body` without a reader."""
        reader = named("agent_id", principal.speaks_for(said.agent_id), "has read them")
        principal.check_inbox(reader)
        asked = list(dict.fromkeys(said.message_ids))
        async with self._locks.hold(MESSAGE_MARKS_FENCE.of(principal.org_id, reader)):
            found = await queries.unmarked(self._ledger, principal.org_id, reader, said.action, asked)
            now = self._clock()
            fresh = [_mark(each, reader, said, now) for each in found if is_reader(each, reader)]
            if fresh:
                await self._ledger.append(*(_marked(each, principal, now) for each in fresh))
            return len(fresh)

    async def attachment(self, principal: Principal, attachment_id: str | None) -> tuple[Attachment, bytes]:
        """What is known of it, and its bytes. Raises `invalid_query` without an id, `attachment_not_found`, and
        `internal_error` for a file that is not what was sent any more."""
        if attachment_id is None:
            raise refuse(
                Code.INVALID_QUERY,
                "id is missing; give the id of an attachment, as its message names it.",
                FieldError(place="id", message="is required"),
            )
        message_id = message_of(attachment_id)
        message = await self._visible(principal, message_id) if message_id is not None else None
        found = [each for each in message.attachments if each.id == attachment_id] if message is not None else []
        if not found:
            raise refuse(
                Code.ATTACHMENT_NOT_FOUND, f"There is no attachment {attachment_id[:128]!r} in this organization."
            )
        try:
            content = await asyncio.to_thread(self._blobs.get, principal.org_id, found[0].sha256)
        except BlobMissing as error:
            log.exception("attachment %s of %s is lost", attachment_id, principal.org_id)
            raise refuse(
                Code.INTERNAL_ERROR,
                f"Attachment {attachment_id} was recorded, but {error}. Put the data folder's blobs back from a copy.",
            ) from error
        return found[0], content

    async def _visible(self, principal: Principal, message_id: str) -> MessageRow | None:
        found = await find_row(self._ledger, MESSAGES, MessageRow, principal.org_id, message_id)
        return found if found is not None and may_see(principal, found) else None

    async def _keep(self, org_id: str, files: Sequence[bytes]) -> None:
        """Make the files durable, before anything says that they are there."""
        try:
            for content in files:
                await asyncio.to_thread(self._blobs.put, org_id, content)
        except OSError as error:
            raise _storage_failed(error) from error

    async def _discard(self, org_id: str, digests: Collection[str]) -> None:
        """Remove files that were kept for a message about what was erased meanwhile, unless another message has them;
        their locks are held."""
        for digest in digests:
            with suppress(Refusal):
                if not await self._ledger.read(_NAMING, [org_id, digest]):
                    await asyncio.to_thread(self._blobs.remove, org_id, digest)


def _storage_failed(error: OSError) -> Refusal:
    return refuse(
        Code.STORAGE_UNAVAILABLE,
        f"An attachment could not be stored, so nothing was sent: {error.strerror}. "
        "Free space in the data folder and try again.",
    )


def _mark(message: MessageRow, reader: str, said: MarkMessages, now: int) -> MarkRow:
    return MarkRow(
        org_id=message.org_id,
        mark_id=new_id("mrk_", now),
        message_id=message.message_id,
        agent_id=reader,
        mark=said.action,
        created_at=moment(now),
    )


def _sent(message: MessageRow, principal: Principal, now: int) -> Draft:
    return Draft(
        org=message.org_id,
        type=EventName.MESSAGE_CREATED.value,
        ts=now,
        subject=message.message_id,
        actor=principal.key_id,
        data=extend(encode(message), {"id": message.message_id}),
        action=message.action_id,
    )


def _marked(mark: MarkRow, principal: Principal, now: int) -> Draft:
    return Draft(
        org=mark.org_id,
        type=EventName.MESSAGE_UPDATED.value,
        ts=now,
        subject=mark.mark_id,
        actor=principal.key_id,
        data=encode(mark),
    )


def routes(messages: Messages, threads: Threads) -> tuple[Route, ...]:
    return (*_messages(messages), *_threads(threads))


def _messages(messages: Messages) -> tuple[Route, ...]:
    @serves(SEND_MESSAGE, holds=(MESSAGE_THREAD_FENCE, FILE_FENCE), effects="stores the attachments")
    async def send(call: Call[SendMessage, None]) -> SentMessage:
        return await messages.send(call.principal, call.body)

    @serves(GET_MESSAGES)
    async def list_all(call: Call[None, MessagesQuery]) -> MessageList:
        return await messages.page(call.principal, call.query)

    @serves(GET_MESSAGE)
    async def get(call: Call[None, MessageQuery], message_id: str) -> MessageDetail:
        found = await messages.get(call.principal, message_id, call.query.agent_id)
        return MessageDetail(message=found)

    @serves(MARK_MESSAGES, holds=(MESSAGE_MARKS_FENCE,))
    async def mark(call: Call[MarkMessages, None]) -> MarkedMessages:
        return MarkedMessages(updated=await messages.mark(call.principal, call.body))

    @serves(GET_ATTACHMENT)
    async def get_attachment(call: Call[None, AttachmentQuery]) -> Answer[bytes]:
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
    @serves(CREATE_MESSAGE_THREAD, unfenced=NEW_ID)
    async def open_thread(call: Call[CreateMessageThread, None]) -> CreatedMessageThread:
        made = await threads.open(call.principal, call.body)
        return CreatedMessageThread(thread=made, thread_id=made.thread_id)

    @serves(GET_MESSAGE_THREADS)
    async def list_threads(call: Call[None, MessageThreadsQuery]) -> MessageThreads:
        return await threads.page(call.principal, call.query)

    @serves(RESOLVE_MESSAGE_THREAD, holds=(MESSAGE_THREAD_FENCE,))
    async def resolve(call: Call[ResolveMessageThread, None]) -> ResolvedMessageThread:
        return ResolvedMessageThread(thread=await threads.resolve(call.principal, call.body))

    return open_thread, list_threads, resolve
