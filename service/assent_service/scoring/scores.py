"""Scoring by a profile: one action or many, each stored; the stored scores and what they add up to."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
import polars as pl

from assent.contract.events import EventName
from assent.contract.problems import Code, FieldError
from assent.contract.profile_scores import (
    BatchResult,
    BatchScored,
    ProfileScore,
    ProfileScored,
    ProfileScores,
    ProfileScoresQuery,
    ProfileScoreStats,
    ScoreWithProfile,
)
from assent_service.core.clock import Clock, microseconds, new_id
from assent_service.core.faithful import digest_of
from assent_service.core.page import read_page
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.problem import Refusal, refuse
from assent_service.core.rows import Filter, of_caller
from assent_service.scoring import numbers
from assent_service.scoring.given import read_given
from assent_service.scoring.profiles import Profiles
from assent_service.scoring.recorded import look_up
from assent_service.scoring.score import Asked, scored
from assent_service.scoring.tables import PROFILE_SCORES
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger


class Scores:
    """The profile scores of every organization. They are never changed: scoring again adds another."""

    def __init__(self, ledger: Ledger, clock: Clock, profiles: Profiles) -> None:
        self._ledger, self._clock, self._profiles = ledger, clock, profiles

    async def one(self, principal: Principal, said: ScoreWithProfile, action: dict[str, Any] | str) -> ProfileScored:
        """Raises `profile_not_found`, `nothing_to_score`, `action_not_found` for an id of an action that the caller may
        not see, `action_erased`, `agent_mismatch`, and `invalid_body` naming the place."""
        (result,) = await self._score(principal, said, [action], None)
        if isinstance(result, Refusal):
            raise result
        return _shown(result)

    async def many(
        self, principal: Principal, said: ScoreWithProfile, actions: Sequence[dict[str, Any] | str]
    ) -> BatchScored:
        """All that can be scored are stored together; the others say why not. Raises `profile_not_found`,
        `agent_mismatch` and `invalid_body` for all of them."""
        batch_id = new_id("pb_", self._clock())
        results = await self._score(principal, said, actions, batch_id)
        return await asyncio.to_thread(_summed, actions, results)

    async def page(self, principal: Principal, query: ProfileScoresQuery) -> ProfileScores:
        """Raises `invalid_query` for a cursor that is none."""
        chosen = _chosen(principal, query)
        counted = f"SELECT count(*) FROM profile_scores WHERE {chosen.where}"
        ((total,),) = await self._ledger.read(counted, chosen.parameters)
        page = await read_page(
            self._ledger,
            PROFILE_SCORES,
            ProfileScore,
            chosen,
            cursor=query.cursor,
            limit=query.limit,
            offset=query.offset,
        )
        return ProfileScores(scores=page.rows, total=int(str(total)), next_cursor=page.next_cursor)

    async def stats(self, principal: Principal, query: ProfileScoresQuery) -> ProfileScoreStats:
        """Raises `invalid_query` without a profile, and `profile_not_found`; one that was deleted still has scores."""
        if query.profile_id is None:
            raise refuse(
                Code.INVALID_QUERY,
                "view=stats needs profile_id: scores of different profiles do not add up.",
                FieldError(place="profile_id", message="is required with view=stats"),
            )
        await self._profiles.check_known(principal.org_id, query.profile_id)
        return await numbers.stats(self._ledger, query.profile_id, _chosen(principal, query))

    async def _score(
        self,
        principal: Principal,
        said: ScoreWithProfile,
        actions: Sequence[dict[str, Any] | str],
        batch_id: str | None,
    ) -> list[ProfileScore | Refusal]:
        digest_of(said.metadata or {}, "metadata")
        profile = await self._profiles.get(principal, said.profile_id)
        given = await asyncio.to_thread(read_given, actions, many=batch_id is not None)
        ids = list(dict.fromkeys(each.action_id for each in given if each.action_id is not None))
        recorded = await look_up(self._ledger, principal, ids, profile)
        asked = Asked(principal, profile, said.metadata or {}, batch_id, self._clock())
        results = await asyncio.to_thread(scored, asked, given, recorded)
        scores = [each for each in results if isinstance(each, ProfileScore)]
        drafts = await asyncio.to_thread(_drafts, scores, recorded.actions.keys())
        if drafts:
            await self._ledger.append(*drafts)
        return results


def _chosen(principal: Principal, query: ProfileScoresQuery) -> Filter:
    chosen = of_caller(principal)
    chosen.add("profile_id = ?", query.profile_id)
    chosen.add("agent_id = ?", query.agent_id)
    chosen.add("action_id = ?", query.action_id)
    chosen.add("batch_id = ?", query.batch_id)
    return chosen


def _drafts(scores: Sequence[ProfileScore], recorded: Any) -> list[Draft]:
    """Only what is about a recorded action belongs to that action's story."""
    return [
        Draft(
            org=each.org_id,
            type=EventName.PROFILE_SCORE_CREATED.value,
            ts=microseconds(each.created_at),
            subject=each.id,
            actor=each.created_by,
            data=encode(each),
            action=each.action_id if each.action_id in recorded else None,
        )
        for each in scores
    ]


def _shown(score: ProfileScore) -> ProfileScored:
    return ProfileScored(
        **{name: getattr(score, name) for name in ProfileScored.__struct_fields__ if name != "dimensions"},
        dimensions=score.dimension_scores,
    )


def _summed(actions: Sequence[dict[str, Any] | str], results: Sequence[ProfileScore | Refusal]) -> BatchScored:
    listed = [
        BatchResult(**msgspec.structs.asdict(_shown(each)))
        if isinstance(each, ProfileScore)
        else BatchResult(action_id=_named(action), error=each.detail)
        for action, each in zip(actions, results, strict=True)
    ]
    frame = pl.DataFrame(
        [(each.composite_score, each.source) for each in results if isinstance(each, ProfileScore)],
        schema={"composite_score": pl.Float64, "source": pl.String},
        orient="row",
    )
    return BatchScored(results=listed, summary=numbers.summary(frame, total=len(results)))


def _named(action: dict[str, Any] | str) -> str | None:
    if isinstance(action, str):
        return action
    found = action.get("action_id", action.get("actionId"))
    return found if isinstance(found, str) else None
