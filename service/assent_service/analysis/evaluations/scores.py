"""Evaluation scores: those sent by agents and people, those of a run, their lists and what they add up to."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import polars as pl

from assent.contract.analysis.evaluations import (
    CreateScore,
    EvalRun,
    EvalScore,
    EvalScores,
    EvalStats,
    EvalStatsQuery,
    OverallStats,
    ScoreBucket,
    ScoreDay,
    ScorerStats,
    ScoresQuery,
    ScoreSummary,
)
from assent.contract.events import EventName
from assent.contract.prepared import prepared
from assent_analytics import scores
from assent_service.analysis.evaluations.scorers import ScorerBook
from assent_service.base.clock import DAY, Clock, microseconds, moment, naive, new_id
from assent_service.control.actions import Actions
from assent_service.core.carry import carry
from assent_service.core.faithful import digest_of
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter, Filters, list_rows, of_caller
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger
from assent_service.store.tables import Table

SCORES = Table.of(
    EvalScore,
    name="scores",
    meaning="scores that were given to actions, by scorers, people and models",
    key="id",
    created=("score.created",),
)


FILTERS = Filters(SCORES, ScoresQuery, {"min_score": "score >= ?", "max_score": "score <= ?"})


class EvaluationScores:
    """The scores of every organization. They are never changed: a second judgement is a second score."""

    def __init__(self, ledger: Ledger, clock: Clock, actions: Actions, scorers: ScorerBook) -> None:
        self._ledger, self._clock, self._actions, self._scorers = ledger, clock, actions, scorers

    async def create(self, principal: Principal, said: CreateScore) -> EvalScore:
        """Raises `action_not_found` for an action that the caller may not see, too, and `invalid_body` for metadata
        that has no canonical form."""
        digest_of(said.metadata or {}, "metadata")
        action = await self._actions.visible(principal, said.action_id)
        scorer_id = await self._scorers.id_of(principal.org_id, said.scorer_name)
        now = self._clock()
        score = carry(
            EvalScore,
            action,
            said,
            id=new_id("ev_", now),
            action_id=action.action_id,
            reasoning=said.reasoning,
            org_id=principal.org_id,
            scorer_id=scorer_id,
            run_id=None,
            evaluated_by=said.evaluated_by or principal.agent_id or principal.key_id,
            metadata=said.metadata or {},
            created_at=moment(now),
            created_by=principal.key_id,
        )
        await self._ledger.append(draft(score))
        return score

    async def page(self, principal: Principal, query: ScoresQuery) -> EvalScores:
        """Raises `invalid_query` for a cursor that is none."""
        chosen = of_caller(principal)
        FILTERS.narrow(chosen, query)
        page = await list_rows(self._ledger, SCORES, EvalScore, chosen, query)
        return EvalScores(scores=page.rows, total=page.total, next_cursor=page.next_cursor)


def draft(score: EvalScore) -> Draft:
    return Draft(
        org=score.org_id,
        type=EventName.SCORE_CREATED.value,
        ts=microseconds(score.created_at),
        subject=score.id,
        actor=score.created_by,
        data=encode(score),
        action=score.action_id,
    )


# What scores add up to, by the rules of `assent_analytics.scores`.
#
# The database gives alike scores once, with their number.


STATS_FILTERS = Filters(SCORES, EvalStatsQuery, {"days": None})
_SCORES = """
    SELECT CAST(CAST(created_at AS DATE) AS TIMESTAMP) AS created_at, scorer_name, score, source, count(*) AS n
    FROM scores WHERE {chosen} GROUP BY 1, 2, 3, 4
"""


async def of_run(ledger: Ledger, run: EvalRun) -> tuple[ScoreSummary, list[ScoreBucket]]:
    """What the scores of a run, as far as they are recorded, add up to. Raises `projection_behind`."""
    chosen = Filter(run.org_id)
    chosen.add("run_id = ?", run.id)
    # Never earlier than the run; it spares the tables a search from end to end.
    chosen.add("created_at >= ?", run.created_at.replace(tzinfo=None))
    frame = await ledger.frame(_SCORES.format(chosen=chosen.where), chosen.parameters)
    summary, buckets = await asyncio.to_thread(_collect, [scores.summary(frame), scores.distribution(frame)])
    return msgspec.convert(summary[0], prepared(ScoreSummary)), msgspec.convert(buckets, prepared(list[ScoreBucket]))


async def stats(ledger: Ledger, principal: Principal, query: EvalStatsQuery, now: int) -> EvalStats:
    """Raises `projection_behind`."""
    since = now - query.days * DAY
    chosen = of_caller(principal)
    STATS_FILTERS.narrow(chosen, query)
    chosen.add_all("created_at >= ? AND created_at <= ?", [naive(since), naive(now)])
    frame = await ledger.frame(_SCORES.format(chosen=chosen.where), chosen.parameters)
    wanted = [scores.summary(frame), scores.by_scorer(frame), scores.by_day(frame), scores.distribution(frame)]
    (overall,), by_scorer, days, buckets = await asyncio.to_thread(_collect, wanted)
    today = moment(now).date()
    return EvalStats(
        overall=OverallStats(
            **_published(overall),
            unique_scorers=len(by_scorer),
            today_count=sum(day["n"] for day in days if day["date"] == today),
        ),
        by_scorer=[ScorerStats(**_published(each)) for each in by_scorer],
        trends=[ScoreDay(**day, count=day["n"], avg_score=day["mean"]) for day in days],
        distribution=msgspec.convert(buckets, prepared(list[ScoreBucket])),
        days=query.days,
        since=moment(since),
        until=moment(now),
    )


def _published(numbers: dict[str, Any]) -> dict[str, Any]:
    return {**numbers, "total_scores": numbers["n"], "avg_score": numbers["mean"]}


def _collect(wanted: list[pl.LazyFrame]) -> list[list[dict[str, Any]]]:
    return [frame.to_dicts() for frame in pl.collect_all(wanted)]
