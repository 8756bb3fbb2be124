"""What the page Messages asks the service for: a page of one list, and what is open of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assent import Client, EventName
from assent.contract.control.loops import Loops
from assent.contract.exchange.handoffs import Handoff, Handoffs
from assent.contract.exchange.key_points import KeyPoints
from assent.contract.exchange.message_threads import MessageThread, MessageThreads
from assent.contract.exchange.messages import Direction, Message, Messages
from assent.contract.exchange.threads import ThreadDetail, Threads
from assent.errors import InvalidRequest, NotFound
from assent_dashboard.views.addresses import MessagesAddress, MessagesView
from assent_dashboard.views.answers import both

PAGE = 25
MOST = 200
"""Of what is looked through as a whole: a thread's messages, handoffs."""
EVENTS = frozenset(
    {
        EventName.MESSAGE_CREATED,
        EventName.MESSAGE_UPDATED,
        EventName.MESSAGE_THREAD_CREATED,
        EventName.MESSAGE_THREAD_UPDATED,
        EventName.HANDOFF_CREATED,
        EventName.THREAD_CREATED,
        EventName.THREAD_UPDATED,
        EventName.THREAD_ENTRY_CREATED,
        EventName.KEY_POINT_CREATED,
        EventName.LOOP_CREATED,
        EventName.LOOP_UPDATED,
    }
)
"""What makes an open page ask again."""


@dataclass(frozen=True)
class Mail:
    """One message that is open; None when there is no such."""

    message: Message | None


@dataclass(frozen=True)
class OpenThread:
    """A message thread with its messages, newest first. `thread` is None for one that is not among the newest."""

    thread: MessageThread | None
    messages: Messages


@dataclass(frozen=True)
class ContextData:
    """What agents remember: threads and single points."""

    threads: Threads
    points: KeyPoints


@dataclass(frozen=True)
class Remembered:
    """A context thread that is open; None when there is no such."""

    detail: ThreadDetail | None


Answer = Messages | Mail | MessageThreads | OpenThread | Handoffs | ContextData | Remembered | Loops


def load(client: Client, filters: MessagesAddress) -> Answer:
    match filters.view:
        case MessagesView.INBOX:
            return _messages(client, filters) if filters.message_id is None else _mail(client, filters)
        case MessagesView.THREADS:
            return _threads(client, filters) if filters.thread_id is None else _thread(client, filters.thread_id)
        case MessagesView.HANDOFFS:
            return client.get_handoffs(agent_id=filters.agent_id, limit=MOST)
        case MessagesView.CONTEXT:
            return _context(client, filters) if filters.thread_id is None else _remembered(client, filters.thread_id)
        case MessagesView.LOOPS:
            return client.get_open_loops(
                agent_id=filters.agent_id, status=filters.status, limit=PAGE, cursor=filters.cursor
            )


def latest(handoffs: Iterable[Handoff]) -> list[Handoff]:
    """The newest of each agent; `handoffs` are newest first."""
    found: dict[str | None, Handoff] = {}
    for each in handoffs:
        found.setdefault(each.agent_id, each)
    return list(found.values())


def reader(filters: MessagesAddress, message: Message, own: str | None) -> str | None:
    """For whom a message is marked: the key's own agent, else the one whose box is looked at, else who it went to.
    None for what went to all and is looked at for nobody."""
    return own or filters.agent_id or message.to_agent_id


def _messages(client: Client, filters: MessagesAddress) -> Messages:
    return client.get_messages(
        (filters.direction or Direction.INBOX) if filters.agent_id else None,
        filters.message_type,
        True if filters.unread else None,
        limit=PAGE,
        agent_id=filters.agent_id,
        cursor=filters.cursor,
    )


def _mail(client: Client, filters: MessagesAddress) -> Mail:
    try:
        return Mail(client.get_message(filters.message_id or "", filters.agent_id).message)
    except (NotFound, InvalidRequest):
        return Mail(None)


def _threads(client: Client, filters: MessagesAddress) -> MessageThreads:
    return client.get_message_threads(limit=PAGE, agent_id=filters.agent_id, cursor=filters.cursor)


def _thread(client: Client, thread_id: str) -> OpenThread:
    listed, messages = both(lambda: client.get_message_threads(limit=MOST), lambda: _within(client, thread_id))
    return OpenThread(next((each for each in listed.threads if each.id == thread_id), None), messages)


def _within(client: Client, thread_id: str) -> Messages:
    try:
        return client.get_messages(thread_id=thread_id, limit=MOST)
    except InvalidRequest:  # an id of something else
        return Messages(messages=[], total=0, unread_count=0, next_cursor=None)


def _context(client: Client, filters: MessagesAddress) -> ContextData:
    threads, points = both(
        lambda: client.get_threads(agent_id=filters.agent_id, limit=PAGE, cursor=filters.cursor),
        lambda: client.get_key_points(agent_id=filters.agent_id, limit=PAGE),
    )
    return ContextData(threads, points)


def _remembered(client: Client, thread_id: str) -> Remembered:
    try:
        return Remembered(client.get_thread(thread_id))
    except (NotFound, InvalidRequest):
        return Remembered(None)
