"""Giving feedback, seeing to it, and taking it out."""

from __future__ import annotations

from typing import Protocol

from assent.contract.actions import Action
from assent.contract.events import EventName
from assent.contract.feedback import (
    Feedback,
    FeedbackList,
    FeedbackQuery,
    FeedbackStats,
    FeedbackStatsQuery,
    ResolveFeedback,
    StoredFeedback,
    SubmitFeedback,
)
from assent.contract.problems import Code
from assent_service.core.clock import Clock, new_id
from assent_service.core.find import find_row
from assent_service.core.locks import EntityLocks
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.problem import refuse
from assent_service.feedback import queries
from assent_service.feedback.opinion import deleted, given, resolved, shown
from assent_service.feedback.tables import FEEDBACK
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger


class Actions(Protocol):
    """What feedback needs of the action that it is about."""

    async def visible(self, principal: Principal, action_id: str) -> Action: ...


class Feedbacks:
    """The feedback of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks, actions: Actions) -> None:
        self._ledger, self._clock, self._locks, self._actions = ledger, clock, locks, actions

    async def submit(self, principal: Principal, said: SubmitFeedback) -> Feedback:
        """Raises `agent_mismatch`, `action_not_found`, and `invalid_body` for feedback that says nothing."""
        principal.speaks_for(said.agent_id)
        action = None if said.action_id is None else await self._actions.visible(principal, said.action_id)
        now = self._clock()
        made = given(said, action, principal, new_id("fb_", now), now)
        await self._ledger.append(_event(EventName.FEEDBACK_CREATED, made, principal, now))
        return shown(made)

    async def get(self, principal: Principal, feedback_id: str) -> Feedback:
        return shown(await self._visible(principal, feedback_id))

    async def page(self, principal: Principal, query: FeedbackQuery) -> FeedbackList:
        return await queries.list_feedback(self._ledger, principal, query)

    async def stats(self, principal: Principal, query: FeedbackStatsQuery) -> FeedbackStats:
        return await queries.stats(self._ledger, principal, query.agent_id, self._clock())

    async def resolve(self, principal: Principal, feedback_id: str, said: ResolveFeedback) -> Feedback:
        """Raises `feedback_not_found`. Repeating it records nothing."""
        async with self._locks.hold(_lock(principal.org_id, feedback_id)):
            before = await self._visible(principal, feedback_id)
            now = self._clock()
            after = resolved(before, said, principal, now)
            if after is not before:
                await self._ledger.append(_event(EventName.FEEDBACK_UPDATED, after, principal, now))
            return shown(after)

    async def delete(self, principal: Principal, feedback_id: str) -> None:
        """Raises `feedback_not_found`, also when it was deleted before."""
        async with self._locks.hold(_lock(principal.org_id, feedback_id)):
            before = await self._visible(principal, feedback_id)
            now = self._clock()
            await self._ledger.append(_event(EventName.FEEDBACK_UPDATED, deleted(before, now), principal, now))

    async def _visible(self, principal: Principal, feedback_id: str) -> StoredFeedback:
        found = await find_row(self._ledger, FEEDBACK, StoredFeedback, principal.org_id, feedback_id)
        if found is None or found.deleted_at is not None or not principal.sees(found.agent_id):
            raise refuse(Code.FEEDBACK_NOT_FOUND, f"There is no feedback {feedback_id[:128]!r} in this organization.")
        return found


def _lock(org_id: str, feedback_id: str) -> str:
    return f"feedback:{org_id}:{feedback_id}"


def _event(name: EventName, feedback: StoredFeedback, principal: Principal, now: int) -> Draft:
    return Draft(
        org=feedback.org_id,
        type=name.value,
        ts=now,
        subject=feedback.feedback_id,
        actor=principal.key_id,
        data=encode(feedback),
        action=feedback.action_id,
    )
