"""What the inbox asks the service, and the live stream that it follows.

Every method blocks, and is called beside the screen; the stream is followed by a thread of its own, which touches
nothing of the screen and only tells its listener.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeVar

import msgspec
from msgspec import UnsetType

from assent import Client
from assent.arguments import arguments_of, members_of
from assent.cli.outage_watch import watch_outage
from assent.cli.session import Connection, make_client
from assent.contract.analysis.grant_previews import GrantPreview
from assent.contract.control.actions import Action
from assent.contract.control.approvals import Approval, ApprovalState
from assent.contract.control.assignments import Assignment
from assent.contract.control.comments import ApprovalComment
from assent.contract.control.escalations import Escalation
from assent.contract.control.grants import Grant, GrantDraft
from assent.contract.control.halt import Halt
from assent.contract.control.inbox import ActionApproval
from assent.contract.control.questions import ApprovalQuestion
from assent.contract.events import Event, EventName
from assent.contract.prepared import prepared
from assent.granting import DAYS, USES, parts_of, when_of
from assent.nearest import DECIDED, Nearest, candidates_of, nearest_of
from assent.origins import Origins, origins

T = TypeVar("T")
PAGE = 200
"""A page of the service holds no more."""
MOST = 1000
"""How many waiting actions are read."""
PAST, KEPT = 5, 256
"""Decisions of before that a card shows, and contexts of decided requests, which never change, that are kept."""


@dataclass(frozen=True, kw_only=True)
class WaitingList:
    """What waits, newest first; `total` counts those that were not read, too. `later` is when what this key has put off
    is back, `assigned` who takes care of what, `escalated` what nobody had decided in time, `key_id` the id of this key
    where it is known, `halt` the kill switch where it is on."""

    actions: list[Action]
    total: int
    later: dict[str, datetime]
    assigned: dict[str, Assignment] = field(default_factory=dict[str, Assignment])
    escalated: dict[str, Escalation] = field(default_factory=dict[str, Escalation])
    key_id: str | None = None
    halt: Halt | None = None


@dataclass(frozen=True, kw_only=True)
class GrantOffer:
    """What a standing grant of an action's like would be, without the conditions at the places `without`; `preview` is
    None where no agent is named."""

    draft: GrantDraft
    preview: GrantPreview | None
    without: frozenset[int]

    @property
    def when(self) -> dict[str, Any] | None:
        return when_of(parts_of(self.draft), self.without)


class Past(NamedTuple):
    """Of one agent and type, newest first: what was decided last, one more than a card shows, which leaves out its own,
    and what was approved."""

    decided: list[ActionApproval]
    approved: list[ActionApproval]


class LookedAt(NamedTuple):
    """What guard looked at in a request: where its values came from, None where no flow policy asked, its parameters,
    None where the agent kept them to itself, and all of it."""

    origins: Origins | None = None
    parameters: Mapping[str, Any] | None = None
    context: Mapping[str, Any] = MappingProxyType({})

    @property
    def arguments(self) -> list[tuple[str, object]]:
        """Name and value of each, as people are shown it."""
        return arguments_of(self._sent, plain="parameters")

    @property
    def members(self) -> list[tuple[str, str, object]]:
        """The same as they were sent, each with its place."""
        return list(members_of(self._sent, plain="parameters"))

    @property
    def _sent(self) -> dict[str, Any]:
        parameters = {} if self.parameters is None else {"parameters": self.parameters}
        return {**self.context, **parameters}


class InboxClient:
    """`client` may be used by several threads."""

    def __init__(self, client: Client, clock: Callable[[], float] = time.monotonic) -> None:
        self.client, self._clock = client, clock
        self._said = (datetime.now(UTC), clock())
        self._key_id: str | None = None
        self._context = lru_cache(KEPT)(lambda action_id: self.looked_at(action_id).context)

    def now(self) -> datetime:
        """The service's time, as far as it is known: what it said last, and how long ago that was here."""
        at, read = self._said
        return at + timedelta(seconds=self._clock() - read)

    def listing(self) -> WaitingList:
        """Pages move while they are read: what stands on two of them counts once."""
        page = self.client.get_pending_approvals(limit=PAGE)
        found = {action.action_id: action for action in page.actions}
        for offset in range(PAGE, min(page.total, MOST), PAGE):
            page = self.client.get_pending_approvals(limit=PAGE, offset=offset)
            found |= {action.action_id: action for action in page.actions}
        self._said = (page.lastUpdated, self._clock())
        return WaitingList(
            actions=list(found.values()),
            total=max(page.total, len(found)),
            later=self.later(),
            assigned=self.assigned(),
            escalated=self.escalated(),
            key_id=self._key_id,
            halt=self.halt(),
        )

    def halt(self) -> Halt | None:
        """The kill switch, where it is on; nothing as with `later`."""
        from assent.errors import Forbidden, NotFound

        try:
            found = self.client.get_halt()
        except (Forbidden, NotFound):
            return None
        return found if found.halted else None

    def later(self) -> dict[str, datetime]:
        """When what this key has put off is back; nothing where the service does not know of that, or the key may not
        ask."""
        from assent.errors import Forbidden, NotFound

        try:
            page = self.client.get_snoozes(snoozed_by_key=self.key_id(), current=True, limit=PAGE)
        except (Forbidden, NotFound):
            return {}
        return {each.action_id: each.returns_at for each in page.snoozes}

    def assigned(self) -> dict[str, Assignment]:
        """Who takes care of what waits; nothing as with `later`."""
        from assent.errors import Forbidden, NotFound

        found: dict[str, Assignment] = {}
        cursor = None
        try:
            for _ in range(0, MOST, PAGE):
                page = self.client.get_assignments(current=True, limit=PAGE, cursor=cursor)
                found |= {each.action_id: each for each in page.assignments}
                cursor = page.next_cursor
                if cursor is None:
                    break
        except (Forbidden, NotFound):
            return {}
        return found

    def escalated(self) -> dict[str, Escalation]:
        """What waits and was escalated, the newest; nothing as with `later`."""
        from assent.errors import Forbidden, NotFound

        try:
            page = self.client.get_escalations(current=True, limit=PAGE)
        except (Forbidden, NotFound):
            return {}
        return {each.action_id: each for each in page.escalations}

    def key_id(self) -> str:
        """The id of this key."""
        if self._key_id is None:
            self._key_id = self.client.get_own_key().key_id
        return self._key_id

    def approvals(self, action_ids: Sequence[str]) -> dict[str, Approval | None]:
        """The approvals of these actions; one that is not there any more is left out."""
        from assent.errors import NotFound

        found: dict[str, Approval | None] = {}
        for action_id in action_ids:
            try:
                found[action_id] = self.client.get_action(action_id).approval
            except NotFound:
                continue
        return found

    def questions(self, action_id: str) -> list[ApprovalQuestion]:
        """What was asked about an action, oldest first; nothing where the service does not know of questions."""
        from assent.errors import NotFound

        try:
            return list(reversed(self.client.get_questions(action_id=action_id, limit=QUESTIONS).questions))
        except NotFound:
            return []

    def comments(self, action_id: str) -> list[ApprovalComment]:
        """What operators said about an action, oldest first; nothing as with `later`."""
        from assent.errors import Forbidden, NotFound

        try:
            return list(reversed(self.client.get_comments(action_id=action_id, limit=COMMENTS).comments))
        except (Forbidden, NotFound):
            return []

    def looked_at(self, action_id: str) -> LookedAt:
        """What guard looked at; nothing as with `later`."""
        from assent.errors import Forbidden, NotFound

        try:
            trace = self.client.get_action_trace(action_id)
        except (Forbidden, NotFound):
            return LookedAt()
        context = {} if isinstance(trace.context, UnsetType) else trace.context
        given = context.get("parameters")
        return LookedAt(
            origins=None if isinstance(trace.flow, UnsetType) else origins(trace.flow, context),
            parameters=given if isinstance(given, dict) else None,
            context=context,
        )

    def nearest(self, action: Action, context: Mapping[str, Any], past: Past) -> Nearest | None:
        """The approved call that differs least from what guard looked at."""
        others = [each for each in candidates_of(past.approved) if each.action.action_id != action.action_id]
        contexts = [(each, self._context(each.action.action_id)) for each in others]
        return nearest_of(context, contexts, action.authorization_scope)

    def offer(self, action_id: str, without: frozenset[int] = frozenset()) -> GrantOffer:
        """The standing grant of an action's like, with what it would have covered."""
        offer = GrantOffer(draft=self.client.draft_grant(action_id), preview=None, without=without)
        draft = offer.draft
        if not draft.agent_ids:
            return offer
        preview = self.client.preview_grant(
            draft.agent_ids, draft.action_type, max_risk=draft.max_risk, when=offer.when
        )
        return replace(offer, preview=preview)

    def give(self, offer: GrantOffer, reason: str) -> Grant:
        """The grant of exactly this pattern, for `DAYS` and `USES`."""
        draft = offer.draft
        return self.client.create_grant(
            draft.agent_ids,
            draft.action_type,
            max_risk=draft.max_risk,
            max_uses=USES,
            expires_at=self.now() + timedelta(days=DAYS),
            reason=reason,
            when=offer.when,
            from_action_id=draft.action_id,
        ).grant

    def past(self, agent_id: str, action_type: str) -> Past:
        """The decisions of before, whoever made them."""

        def of(most: int, state: ApprovalState | None = None) -> list[ActionApproval]:
            page = self.client.get_approvals(
                agent_id=agent_id,
                action_type=action_type,
                state=state,
                exclude_state=ApprovalState.AWAITING,
                limit=most,
            )
            return page.approvals

        return Past(of(PAST + 1), of(DECIDED, ApprovalState.APPROVED))


QUESTIONS = 20
"""Questions about one action that the card shows, the newest."""
COMMENTS = 20
"""Comments likewise."""
NAMES = (
    EventName.APPROVAL_REQUESTED,
    EventName.APPROVAL_DECIDED,
    EventName.APPROVAL_EXPIRED,
    EventName.APPROVAL_WITHDRAWN,
    EventName.QUESTION_CREATED,
    EventName.QUESTION_UPDATED,
    EventName.COMMENT_CREATED,
    EventName.SNOOZE_CREATED,
    EventName.SNOOZE_UPDATED,
    EventName.ASSIGNMENT_CREATED,
    EventName.ASSIGNMENT_UPDATED,
    EventName.APPROVAL_ESCALATED,
    EventName.HALT_CHANGED,
)


class StreamListener(Protocol):
    """What is told: an event, that the service is gone, that it is back, and what the stream ended with."""

    def heard(self, event: Event) -> None: ...
    def gone(self) -> None: ...
    def back(self) -> None: ...
    def ended(self, error: Exception) -> None: ...


Follow = Callable[[StreamListener], None]
"""How the stream is followed; blocks for as long as there is one."""


def follow_stream(connection: Connection) -> Follow:
    """The service's own stream, followed across its absences."""

    def follow(listener: StreamListener) -> None:
        outage_watch = watch_outage(connection, gone=lambda _: listener.gone(), back=listener.back)
        with make_client(connection, sleep=outage_watch.pause) as client:
            for event in client.events(types=NAMES):
                listener.heard(event)

    return follow


def begin_following(follow: Follow, listener: StreamListener) -> None:
    """Follow in a thread that ends with the process. A stream that ends has a reason, which is told: a key that was
    revoked, or a service that went before it was heard once."""
    from assent.errors import AssentError

    def run() -> None:
        try:
            follow(listener)
        except AssentError as error:
            listener.ended(error)

    threading.Thread(target=run, daemon=True, name="inbox-feed").start()


def told(event: Event, kind: type[T]) -> T | None:
    """What an event is about; None when it cannot be read."""
    try:
        return msgspec.convert(event.data, prepared(kind))
    except msgspec.ValidationError:
        return None
