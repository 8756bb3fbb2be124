"""Feedback from the tables: pages by filter, newest first, and what it comes to."""

from __future__ import annotations

from assent.contract.feedback import (
    FeedbackList,
    FeedbackOfAgent,
    FeedbackOfCategory,
    FeedbackQuery,
    FeedbackStats,
    FeedbackTotals,
    RatingCount,
    StoredFeedback,
    TagCount,
)
from assent_service.core.clock import DAY, naive
from assent_service.core.page import read_page
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter, of_caller
from assent_service.feedback.opinion import shown
from assent_service.feedback.tables import FEEDBACK
from assent_service.store.database import Row
from assent_service.store.ledger import Ledger

SHOWN = 50
"""How many categories, agents and tags are listed."""
RATINGS = range(1, 6)


def visible(principal: Principal) -> Filter:
    """All that the caller may see of what is not deleted."""
    chosen = of_caller(principal)
    chosen.add_all("deleted_at IS NULL", [])
    return chosen


async def list_feedback(ledger: Ledger, principal: Principal, query: FeedbackQuery) -> FeedbackList:
    chosen = visible(principal)
    chosen.add("action_id = ?", query.action_id)
    chosen.add("agent_id = ?", query.agent_id)
    chosen.add("category = ?", query.category)
    chosen.add("sentiment = ?", query.sentiment)
    chosen.add("resolved = ?", query.resolved)
    ((total,),) = await ledger.read(f"SELECT count(*) FROM feedback WHERE {chosen.where}", chosen.parameters)
    page = await read_page(
        ledger, FEEDBACK, StoredFeedback, chosen, cursor=query.cursor, limit=query.limit, offset=query.offset
    )
    return FeedbackList(feedback=[shown(row) for row in page.rows], total=int(str(total)), next_cursor=page.next_cursor)


async def stats(ledger: Ledger, principal: Principal, agent_id: str | None, now: int) -> FeedbackStats:
    """What all feedback comes to, or that about one agent."""
    chosen = visible(principal)
    chosen.add("agent_id = ?", agent_id)
    ratings = await ledger.read(
        f"SELECT CAST(floor(rating + 0.5) AS INTEGER), count(*) FROM feedback WHERE {chosen.where} "
        "AND rating IS NOT NULL GROUP BY 1",
        chosen.parameters,
    )
    counts = {_whole(rating): _whole(count) for rating, count in ratings}
    return FeedbackStats(
        overall=await _totals(ledger, chosen, now),
        by_category=[
            FeedbackOfCategory(category=str(category), count=_whole(count), avg_rating=_number(mean))
            for category, count, mean in await _grouped(ledger, chosen, "category", "")
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
                ledger,
                chosen,
                "agent_id",
                ", count(*) FILTER (WHERE sentiment = 'positive'), count(*) FILTER (WHERE sentiment = 'negative')",
            )
        ],
        rating_distribution=[RatingCount(rating=rating, count=counts.get(rating, 0)) for rating in RATINGS],
        top_tags=await _tags(ledger, chosen),
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
