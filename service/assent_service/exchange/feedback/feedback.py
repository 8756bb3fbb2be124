"""Feedback: given, seen to, taken out, and what it comes to. Its rules are in `opinion` and `words`."""

from __future__ import annotations

from assent.contract.exchange.feedback import (
    DELETE_FEEDBACK,
    FEEDBACK,
    GET_FEEDBACK,
    GET_FEEDBACK_STATS,
    LIST_FEEDBACK,
    RESOLVE_FEEDBACK,
    SUBMIT_FEEDBACK,
    DeletedFeedback,
    Feedback,
    FeedbackList,
    FeedbackOfAgent,
    FeedbackOfCategory,
    FeedbackQuery,
    FeedbackRow,
    FeedbackStats,
    FeedbackStatsQuery,
    FeedbackTotals,
    RatingCount,
    ResolveFeedback,
    SubmitFeedback,
    TagCount,
)
from assent_service.base.clock import DAY, Clock, naive, new_id
from assent_service.control.actions import Actions
from assent_service.core.call import Call
from assent_service.core.foundation import Foundation
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.principal import Principal
from assent_service.core.route import NEW_ID, Route, serves
from assent_service.core.rows import Filter
from assent_service.core.shelf import Shelf
from assent_service.exchange.feedback.opinion import as_answer, as_row, deleted, resolved
from assent_service.store.database import Row
from assent_service.store.ledger import Ledger
from assent_service.store.spelling import name_is
from assent_service.store.tables import Table

FEEDBACK_TABLE = Table.of(
    FeedbackRow,
    name="feedback",
    meaning="what people and agents thought of what an agent did, one row for each time that somebody said so",
    key="feedback_id",
    created=("feedback.created",),
    replaced=("feedback.updated",),
)
TABLES = (FEEDBACK_TABLE,)
FEEDBACK_FENCE = Fence("feedback", "feedback_id")
SHOWN = 50
"""How many categories, agents and tags are listed."""
RATINGS = range(1, 6)


class Feedbacks:
    """The feedback of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks, actions: Actions) -> None:
        self._ledger, self._clock, self._actions = ledger, clock, actions
        self._feedback = Shelf(
            FEEDBACK, FEEDBACK_TABLE, FEEDBACK_FENCE, FeedbackQuery, ledger=ledger, clock=clock, locks=locks
        )

    async def submit(self, principal: Principal, said: SubmitFeedback) -> Feedback:
        """Raises `agent_mismatch`, `action_not_found`, and `invalid_body` for feedback that says nothing."""
        principal.speaks_for(said.agent_id)
        action = None if said.action_id is None else await self._actions.visible(principal, said.action_id)
        now = self._clock()
        made = as_row(said, action, principal, new_id("fb_", now), now)
        await self._feedback.record(principal, made, now)
        return as_answer(made)

    async def get(self, principal: Principal, feedback_id: str) -> Feedback:
        return as_answer(await self._feedback.visible(principal, feedback_id))

    async def page(self, principal: Principal, query: FeedbackQuery) -> FeedbackList:
        page = await self._feedback.page(principal, query)
        rows = [as_answer(row) for row in page.rows]
        return FeedbackList(feedback=rows, total=page.total, next_cursor=page.next_cursor)

    async def resolve(self, principal: Principal, feedback_id: str, said: ResolveFeedback) -> Feedback:
        """Raises `feedback_not_found`. Repeating it records nothing."""
        return as_answer(
            await self._feedback.change(
                principal, feedback_id, lambda before, now: resolved(before, said, principal, now)
            )
        )

    async def delete(self, principal: Principal, feedback_id: str) -> None:
        """Raises `feedback_not_found`, also when it was deleted before."""
        await self._feedback.change(principal, feedback_id, deleted)

    async def stats(self, principal: Principal, query: FeedbackStatsQuery) -> FeedbackStats:
        """What all feedback comes to, or that about one agent."""
        chosen = self._feedback.choose(principal)
        chosen.add(name_is("agent_id"), query.agent_id)
        ratings = await self._ledger.read(
            f"SELECT CAST(floor(rating + 0.5) AS INTEGER), count(*) FROM feedback WHERE {chosen.where} "
            "AND rating IS NOT NULL GROUP BY 1",
            chosen.parameters,
        )
        counts = {_whole(rating): _whole(count) for rating, count in ratings}
        return FeedbackStats(
            overall=await _totals(self._ledger, chosen, self._clock()),
            by_category=[
                FeedbackOfCategory(category=str(category), count=_whole(count), avg_rating=_number(mean))
                for category, count, mean in await _grouped(self._ledger, chosen, "category", "")
            ],
            by_agent=[
                FeedbackOfAgent(
                    agent_id=str(agent),
                    count=_whole(count),
                    avg_rating=_number(mean),
                    positive=_whole(positive),
                    negative=_whole(negative),
                )
                for agent, count, mean, positive, negative in await _grouped(
                    self._ledger,
                    chosen,
                    "agent_id",
                    ", count(*) FILTER (WHERE sentiment = 'positive'), count(*) FILTER (WHERE sentiment = 'negative')",
                )
            ],
            rating_distribution=[RatingCount(rating=rating, count=counts.get(rating, 0)) for rating in RATINGS],
            top_tags=await _tags(self._ledger, chosen),
        )


async def _totals(ledger: Ledger, chosen: Filter, now: int) -> FeedbackTotals:
    (row,) = await ledger.read(
        "SELECT count(*), count(rating), avg(rating), count(*) FILTER (WHERE sentiment = 'positive'), "
        "count(*) FILTER (WHERE sentiment = 'negative'), count(*) FILTER (WHERE sentiment = 'neutral'), "
        "count(*) FILTER (WHERE NOT resolved), count(*) FILTER (WHERE created_at > ?) "
        f"FROM feedback WHERE {chosen.where}",
        [naive(now - DAY), *chosen.parameters],
    )
    total, rated, mean, positive, negative, neutral, unresolved, today = row
    return FeedbackTotals(
        total_feedback=_whole(total),
        rated_count=_whole(rated),
        avg_rating=_number(mean),
        positive_count=_whole(positive),
        negative_count=_whole(negative),
        neutral_count=_whole(neutral),
        unresolved_count=_whole(unresolved),
        today_count=_whole(today),
    )


async def _grouped(ledger: Ledger, chosen: Filter, column: str, more: str) -> list[Row]:
    return await ledger.read(
        f"SELECT {column}, count(*) AS n, avg(rating){more} FROM feedback WHERE {chosen.where} "
        f"AND {column} IS NOT NULL GROUP BY {column} ORDER BY n DESC, {column} LIMIT {SHOWN}",
        chosen.parameters,
    )


async def _tags(ledger: Ledger, chosen: Filter) -> list[TagCount]:
    rows = await ledger.read(
        "SELECT tag, count(*) AS n FROM ("
        f"SELECT unnest(CAST(tags AS VARCHAR[])) AS tag FROM feedback WHERE {chosen.where}"
        f") AS named GROUP BY tag ORDER BY n DESC, tag LIMIT {SHOWN}",
        chosen.parameters,
    )
    return [TagCount(tag=str(tag), count=_whole(count)) for tag, count in rows]


def _whole(value: object) -> int:
    return int(str(value))


def _number(value: object) -> float | None:
    return None if value is None else float(str(value))


def routes(feedback: Feedbacks) -> tuple[Route, ...]:
    @serves(SUBMIT_FEEDBACK, unfenced=NEW_ID)
    async def submit(call: Call[SubmitFeedback, None]) -> Feedback:
        return await feedback.submit(call.principal, call.body)

    @serves(LIST_FEEDBACK)
    async def list_all(call: Call[None, FeedbackQuery]) -> FeedbackList:
        return await feedback.page(call.principal, call.query)

    @serves(GET_FEEDBACK_STATS)
    async def stats(call: Call[None, FeedbackStatsQuery]) -> FeedbackStats:
        return await feedback.stats(call.principal, call.query)

    @serves(GET_FEEDBACK)
    async def get(call: Call[None, None], feedback_id: str) -> Feedback:
        return await feedback.get(call.principal, feedback_id)

    @serves(RESOLVE_FEEDBACK, holds=(FEEDBACK_FENCE,))
    async def resolve(call: Call[ResolveFeedback, None], feedback_id: str) -> Feedback:
        return await feedback.resolve(call.principal, feedback_id, call.body)

    @serves(DELETE_FEEDBACK, holds=(FEEDBACK_FENCE,))
    async def delete(call: Call[None, None], feedback_id: str) -> DeletedFeedback:
        await feedback.delete(call.principal, feedback_id)
        return DeletedFeedback(deleted=True, feedback_id=feedback_id)

    return submit, list_all, stats, get, resolve, delete


def open_feedback(on: Foundation, actions: Actions) -> None:
    on.bring(routes=routes(Feedbacks(on.ledger, on.clock, on.locks, actions)))
