"""Scoring by a profile: one action or many, each stored; the stored scores and what they add up to."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
import polars as pl

from assent.contract.analysis.profile_scores import (
    GET_PROFILE_SCORES,
    SCORE_WITH_PROFILE,
    BatchResult,
    BatchScored,
    BatchSummary,
    NumbersStatus,
    ProfileScore,
    ProfileScored,
    ProfileScores,
    ProfileScoresQuery,
    ProfileScoreStats,
    ScoresView,
    ScoreWithProfile,
)
from assent.contract.events import EventName
from assent.contract.problems import Code, FieldError
from assent_analytics import scoring
from assent_service.analysis.scoring.action_input import read_inputs
from assent_service.analysis.scoring.change import PROFILE_SCORES
from assent_service.analysis.scoring.lookup import look_up
from assent_service.analysis.scoring.profiles import Profiles
from assent_service.analysis.scoring.score import ScoringRequest, scored
from assent_service.base.clock import Clock, microseconds, new_id
from assent_service.base.problem import Refusal, refuse
from assent_service.core.call import Call
from assent_service.core.faithful import digest_of
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.route import NEW_ID, Route, serves
from assent_service.core.rows import Filter, Filters, list_rows, of_caller
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

# What profile scores add up to, by the rules of `assent_analytics.scoring.stats`.
#
# The database gives alike scores once, with their number; who and what they were about it counts itself.


_SCORES = """
    SELECT composite_score, source, count(*) AS n FROM profile_scores WHERE {chosen} GROUP BY 1, 2
"""
_AROUND = """
    SELECT count(DISTINCT agent_id) AS unique_agents, count(DISTINCT action_id) AS unique_actions,
        count(*) FILTER (source IS NULL) AS unrecorded, min(scored_at) AS since, max(scored_at) AS until
    FROM profile_scores WHERE {chosen}
"""


_CLUSTERS = """
    SELECT p.composite_score, p.agent_id, a.session_id, coalesce(a.timestamp_start, p.scored_at) AS occurred_at
    FROM (SELECT * FROM profile_scores WHERE {chosen}) AS p
    LEFT JOIN (SELECT action_id, session_id, timestamp_start FROM actions WHERE org_id = ?) AS a
        ON a.action_id = p.action_id
"""


async def stats(ledger: Ledger, principal: Principal, profile_id: str, chosen: Filter) -> ProfileScoreStats:
    """Raises `projection_behind`."""
    frame = await ledger.frame(_SCORES.format(chosen=chosen.where), chosen.parameters)
    around = await ledger.frame(_AROUND.format(chosen=chosen.where), chosen.parameters)
    rows = await ledger.frame(_CLUSTERS.format(chosen=chosen.where), [*chosen.parameters, principal.org_id])
    numbers = await asyncio.to_thread(_numbers, frame)
    over, basis = await asyncio.to_thread(scoring.clustered_average, rows)
    others = around.with_columns(pl.col("since", "until").dt.replace_time_zone("UTC")).row(0, named=True)
    return ProfileScoreStats(
        profile_id=profile_id,
        total_scores=numbers["n"],
        n=numbers["n"],
        clusters=over.clusters,
        basis=basis if over.n else None,
        n_effective=over.n_effective if over.n else None,
        clustered_low=over.low,
        clustered_high=over.high,
        **_published(numbers),
        **others,
    )


def summary(scores: pl.DataFrame, total: int) -> BatchSummary:
    """Of the scores of a batch of `total` actions."""
    numbers = _numbers(scores)
    return BatchSummary(total=total, scored=numbers["n"], **_published(numbers))


def _numbers(scores: pl.DataFrame) -> dict[str, Any]:
    return scoring.stats(scores).collect().row(0, named=True)


def _published(numbers: dict[str, Any]) -> dict[str, Any]:
    renamed = {f"{name}_score": numbers[name] for name in ("avg", "min", "max", "stddev")}
    same = ("avg_low", "avg_high", "p10", "p25", "p50", "p75", "p90", "simulated")
    return renamed | {name: numbers[name] for name in same} | {"status": NumbersStatus(numbers["status"])}


FILTERS = Filters(PROFILE_SCORES, ProfileScoresQuery, {"view": None})


class ProfileScoring:
    """The profile scores of every organization. They are never changed: scoring again adds another."""

    def __init__(self, ledger: Ledger, clock: Clock, profiles: Profiles) -> None:
        self._ledger, self._clock, self._profiles = ledger, clock, profiles

    async def one(self, principal: Principal, said: ScoreWithProfile, action: dict[str, Any] | str) -> ProfileScored:
        """Raises `profile_not_found`, `nothing_to_score`, `action_not_found` for an id of an action that the caller may
        not see, `action_erased`, `agent_mismatch`, and `invalid_body` naming the place."""
        (result,) = await self._score(principal, said, [action], None)
        if isinstance(result, Refusal):
            raise result
        return _answer(result)

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
        page = await list_rows(self._ledger, PROFILE_SCORES, ProfileScore, chosen, query)
        return ProfileScores(scores=page.rows, total=page.total, next_cursor=page.next_cursor)

    async def stats(self, principal: Principal, query: ProfileScoresQuery) -> ProfileScoreStats:
        """Raises `invalid_query` without a profile, and `profile_not_found`; one that was deleted still has scores."""
        if query.profile_id is None:
            raise refuse(
                Code.INVALID_QUERY,
                "view=stats needs profile_id: scores of different profiles do not add up.",
                FieldError(place="profile_id", message="is required with view=stats"),
            )
        await self._profiles.check_known(principal.org_id, query.profile_id)
        return await stats(self._ledger, principal, query.profile_id, _chosen(principal, query))

    async def _score(
        self,
        principal: Principal,
        said: ScoreWithProfile,
        actions: Sequence[dict[str, Any] | str],
        batch_id: str | None,
    ) -> list[ProfileScore | Refusal]:
        digest_of(said.metadata or {}, "metadata")
        profile = await self._profiles.get(principal, said.profile_id)
        given = await asyncio.to_thread(read_inputs, actions, many=batch_id is not None)
        ids = list(dict.fromkeys(each.action_id for each in given if each.action_id is not None))
        recorded = await look_up(self._ledger, principal, ids, profile)
        asked = ScoringRequest(principal, profile, said.metadata or {}, batch_id, self._clock())
        results = await asyncio.to_thread(scored, asked, given, recorded)
        scores = [each for each in results if isinstance(each, ProfileScore)]
        drafts = await asyncio.to_thread(_drafts, scores, recorded.actions.keys())
        if drafts:
            await self._ledger.append(*drafts)
        return results


def _chosen(principal: Principal, query: ProfileScoresQuery) -> Filter:
    chosen = of_caller(principal)
    FILTERS.narrow(chosen, query)
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


def _answer(score: ProfileScore) -> ProfileScored:
    return ProfileScored(
        **{name: getattr(score, name) for name in ProfileScored.__struct_fields__ if name != "dimensions"},
        dimensions=score.dimension_scores,
    )


def _summed(actions: Sequence[dict[str, Any] | str], results: Sequence[ProfileScore | Refusal]) -> BatchScored:
    listed = [
        BatchResult(**msgspec.structs.asdict(_answer(each)))
        if isinstance(each, ProfileScore)
        else BatchResult(action_id=_named(action), error=each.detail)
        for action, each in zip(actions, results, strict=True)
    ]
    frame = pl.DataFrame(
        [(each.composite_score, each.source) for each in results if isinstance(each, ProfileScore)],
        schema={"composite_score": pl.Float64, "source": pl.String},
        orient="row",
    )
    return BatchScored(results=listed, summary=summary(frame, total=len(results)))


def _named(action: dict[str, Any] | str) -> str | None:
    if isinstance(action, str):
        return action
    found = action.get("action_id", action.get("actionId"))
    return found if isinstance(found, str) else None


def routes(scores: ProfileScoring) -> tuple[Route, ...]:
    @serves(SCORE_WITH_PROFILE, unfenced=NEW_ID)
    async def score(call: Call[ScoreWithProfile, None]) -> ProfileScored | BatchScored:
        said = call.body
        if said.action is not None and said.actions is None:
            return await scores.one(call.principal, said, said.action)
        if said.actions is not None and said.action is None:
            return await scores.many(call.principal, said, said.actions)
        raise refuse(Code.INVALID_BODY, "Give either action (one) or actions (a list), and not both.")

    @serves(GET_PROFILE_SCORES)
    async def list_all(call: Call[None, ProfileScoresQuery]) -> ProfileScores | ProfileScoreStats:
        if call.query.view is ScoresView.STATS:
            return await scores.stats(call.principal, call.query)
        return await scores.page(call.principal, call.query)

    return score, list_all
