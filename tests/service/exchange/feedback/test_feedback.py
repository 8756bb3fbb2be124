"""Feedback on a running service, without HTTP."""

from __future__ import annotations

import asyncio
import errno
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assent.contract.exchange.feedback import (
    Feedback,
    FeedbackList,
    FeedbackQuery,
    FeedbackRow,
    FeedbackStats,
    FeedbackStatsQuery,
    ResolveFeedback,
    SubmitFeedback,
)
from assent.contract.problems import Code
from assent_service.core.principal import Principal
from assent_service.exchange.feedback import Feedbacks
from tests.service.control.actions.world import DAY, World, locks_of, opened, refused


class Desk:
    """Feedback of a world, as an admin's unless it says whose."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.feedback = Feedbacks(
            world.service.ledger, world.clock, locks_of(world.service.ledger), world.service.actions
        )

    async def give(self, by: Principal | None = None, **said: Any) -> Feedback:
        return await self.feedback.submit(by or self.world.admin, msgspec.convert(said, SubmitFeedback))

    async def see(self, made: Feedback, by: Principal | None = None, **said: Any) -> Feedback:
        body = msgspec.convert(said, ResolveFeedback)
        return await self.feedback.resolve(by or self.world.admin, made.feedback_id, body)

    async def delete(self, made: Feedback, by: Principal | None = None) -> None:
        await self.feedback.delete(by or self.world.admin, made.feedback_id)

    async def get(self, made: Feedback, by: Principal | None = None) -> Feedback:
        return await self.feedback.get(by or self.world.admin, made.feedback_id)

    async def page(self, by: Principal | None = None, **query: Any) -> FeedbackList:
        return await self.feedback.page(by or self.world.admin, msgspec.convert(query, FeedbackQuery))

    async def ids(self, **query: Any) -> list[str]:
        return [each.feedback_id for each in (await self.page(**query)).feedback]

    async def stats(self, by: Principal | None = None, agent_id: str | None = None) -> FeedbackStats:
        return await self.feedback.stats(by or self.world.admin, FeedbackStatsQuery(agent_id=agent_id))


@pytest.fixture
def desk(world: World) -> Desk:
    return Desk(world)


async def test_each_change_is_one_event_with_the_whole_row(world: World, desk: Desk) -> None:
    action = await world.act(agent_id="bot", action_type="refund")
    made = await desk.give(action_id=action.action_id, rating=2, comment="wrong amount", metadata={"a": [1]})
    assert made.feedback_id.startswith("fb_")
    assert (made.agent_id, made.action_type, made.sentiment, made.tags) == ("bot", "refund", "negative", ["accuracy"])
    assert await desk.get(made) == made
    seen = await desk.see(made, resolved_by="sdk")
    assert await desk.see(made) == seen
    await desk.delete(made)
    events = await world.events(kind="feedback.")
    assert [event.type for event in events] == ["feedback.created", "feedback.updated", "feedback.updated"]
    assert {(event.subject, event.action) for event in events} == {(made.feedback_id, action.action_id)}
    rows = [msgspec.json.decode(event.data or b"", type=FeedbackRow) for event in events]
    assert [row.resolved_by for row in rows] == [None, "sdk", "sdk"]
    assert [row.deleted_at is None for row in rows] == [True, True, False]
    assert {row.comment for row in rows} == {"wrong amount"}


async def test_what_is_deleted_is_nowhere(desk: Desk) -> None:
    made, other = await desk.give(rating=1), await desk.give(rating=5)
    await desk.delete(made)
    assert await desk.ids() == [other.feedback_id]
    stats = await desk.stats()
    assert (stats.overall.total_feedback, stats.overall.avg_rating) == (1, 5)
    for attempt in (desk.get(made), desk.see(made), desk.delete(made)):
        async with refused(Code.FEEDBACK_NOT_FOUND):
            await attempt


async def test_a_foreign_one_is_not_found(world: World, desk: Desk) -> None:
    made, other = await desk.give(rating=1), await world.stranger()
    for attempt in (desk.get(made, other), desk.see(made, other), desk.delete(made, other)):
        async with refused(Code.FEEDBACK_NOT_FOUND):
            await attempt
    assert (await desk.page(other)).total == (await desk.stats(other)).overall.total_feedback == 0
    assert await desk.get(made) == made


async def test_a_key_bound_to_an_agent_gives_and_sees_its_own(world: World, desk: Desk) -> None:
    bot, other = world.somebody(agent_id="bot"), world.somebody(agent_id="other")
    action = await world.act(bot)
    async with refused(Code.AGENT_MISMATCH):
        await desk.give(bot, rating=5, agent_id="other")
    async with refused(Code.ACTION_NOT_FOUND):
        await desk.give(other, rating=1, action_id=action.action_id)
    mine = await desk.give(bot, rating=5)
    about_me = await desk.give(rating=1, action_id=action.action_id)
    nobodys = await desk.give(rating=3)
    assert mine.agent_id == about_me.agent_id == "bot"
    assert [each.feedback_id for each in (await desk.page(bot)).feedback] == [about_me.feedback_id, mine.feedback_id]
    assert (await desk.stats(bot)).overall.total_feedback == 2
    assert (await desk.stats(other)).overall.total_feedback == 0
    for hidden, by in ((mine, other), (nobodys, bot)):
        async with refused(Code.FEEDBACK_NOT_FOUND):
            await desk.get(hidden, by)
        async with refused(Code.FEEDBACK_NOT_FOUND):
            await desk.see(hidden, by)
    assert (await desk.see(mine, bot)).resolved


async def test_the_list_filters_and_pages(world: World, desk: Desk) -> None:
    action = await world.act(agent_id="a")
    made = [
        await desk.give(rating=5, agent_id="a"),
        await desk.give(rating=1, agent_id="a", category="ux"),
        await desk.give(comment="it ran", agent_id="b"),
        await desk.give(rating=2, action_id=action.action_id),
    ]
    await desk.see(made[1])
    ids = [each.feedback_id for each in made]
    everything = await desk.page()
    assert [each.feedback_id for each in everything.feedback] == ids[::-1]
    assert (everything.total, everything.next_cursor) == (4, None)
    assert await desk.ids(action_id=action.action_id) == [ids[3]]
    assert await desk.ids(agent_id="a") == [ids[3], ids[1], ids[0]]
    assert await desk.ids(agent_id="a", category="general", sentiment="positive") == [ids[0]]
    assert await desk.ids(category="ux") == await desk.ids(resolved=True) == [ids[1]]
    assert await desk.ids(resolved=False, sentiment="negative") == [ids[3]]
    assert await desk.ids(sentiment="neutral") == [ids[2]]
    assert await desk.ids(limit=2, offset=1) == [ids[2], ids[1]]
    first = await desk.page(limit=3)
    assert first.total == 4
    await desk.give(rating=3)
    assert await desk.ids(limit=3, cursor=first.next_cursor) == [ids[0]]
    async with refused(Code.INVALID_QUERY):
        await desk.page(cursor="nonsense")


async def test_stats_by_hand(world: World, desk: Desk) -> None:
    await desk.give(rating=5, agent_id="a", comment="fast")
    world.clock.turn(DAY)
    await desk.give(rating=4.5, agent_id="a", category="ux", tags=["x"])
    seen = await desk.give(rating=2, agent_id="b", comment="slow", tags=["x"])
    await desk.give(comment="it ran")
    await desk.see(seen)
    found = await desk.stats()
    assert msgspec.to_builtins(found) == {
        "overall": {
            "total_feedback": 4,
            "rated_count": 3,
            "avg_rating": pytest.approx(11.5 / 3),
            "positive_count": 2,
            "negative_count": 1,
            "neutral_count": 1,
            "unresolved_count": 3,
            "today_count": 3,
        },
        "by_category": [
            {"category": "general", "count": 3, "avg_rating": 3.5},
            {"category": "ux", "count": 1, "avg_rating": 4.5},
        ],
        "by_agent": [
            {"agent_id": "a", "count": 2, "avg_rating": 4.75, "positive": 2, "negative": 0},
            {"agent_id": "b", "count": 1, "avg_rating": 2, "positive": 0, "negative": 1},
        ],
        "rating_distribution": [
            {"rating": 1, "count": 0},
            {"rating": 2, "count": 1},
            {"rating": 3, "count": 0},
            {"rating": 4, "count": 0},
            # 4.5 is rounded up.
            {"rating": 5, "count": 2},
        ],
        "top_tags": [{"tag": "performance", "count": 2}, {"tag": "x", "count": 2}],
    }
    of_b = await desk.stats(agent_id="b")
    assert (of_b.overall.total_feedback, of_b.overall.avg_rating, of_b.overall.unresolved_count) == (1, 2, 0)
    assert [each.category for each in of_b.by_category] == ["general"]
    assert [each.tag for each in of_b.top_tags] == ["performance", "x"]
    assert sum(each.count for each in of_b.rating_distribution) == 1


async def test_stats_of_nothing(desk: Desk) -> None:
    found = await desk.stats(agent_id="nobody")
    assert (found.overall.total_feedback, found.overall.rated_count, found.overall.avg_rating) == (0, 0, None)
    assert (found.by_category, found.by_agent, found.top_tags) == ([], [], [])
    assert [each.count for each in found.rating_distribution] == [0] * 5


async def test_of_many_who_see_to_it_at_once_the_first_stands(world: World, desk: Desk) -> None:
    made = await desk.give(rating=1)
    answers = await asyncio.gather(*(desk.see(made, resolved_by=f"person {n}") for n in range(6)))
    assert len({answer.resolved_by for answer in answers}) == 1
    assert len(await world.events(kind="feedback.updated")) == 1


async def test_what_the_log_refuses_was_not_given(world: World, desk: Desk) -> None:
    made = await desk.give(rating=1)
    files = world.break_disk()
    files.errors["write"] = errno.ENOSPC
    for attempt in (desk.give(rating=5), desk.see(made), desk.delete(made)):
        async with refused(Code.STORAGE_UNAVAILABLE):
            await attempt
    files.errors.clear()
    assert (await desk.page()).feedback == [made]


async def test_it_is_there_after_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        desk = Desk(world)
        gone, kept = await desk.give(rating=1), await desk.give(rating=4)
        await desk.delete(gone)
        seen = await desk.see(kept)
        clock = world.clock
    async with opened(tmp_path, clock) as world:
        assert (await Desk(world).page()).feedback == [seen]
