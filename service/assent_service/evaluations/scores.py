"""Scores: given one by one from outside, and listed."""

from __future__ import annotations

from typing import Protocol

from assent.contract.actions import Action
from assent.contract.evaluations import CreateScore, EvalScore, EvalScores, ScoresQuery
from assent.contract.events import EventName
from assent_service.core.clock import Clock, microseconds, moment, new_id
from assent_service.core.faithful import digest_of
from assent_service.core.page import read_page
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.rows import of_caller
from assent_service.evaluations.scorers import ScorerBook
from assent_service.evaluations.tables import SCORES
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger


class Actions(Protocol):
    """What a score needs of the action that it judges."""

    async def visible(self, principal: Principal, action_id: str) -> Action: ...


class Scores:
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
        score = EvalScore(
            id=new_id("ev_", now),
            org_id=principal.org_id,
            action_id=action.action_id,
            agent_id=action.agent_id,
            action_type=action.action_type,
            scorer_id=scorer_id,
            scorer_name=said.scorer_name,
            run_id=None,
            score=said.score,
            label=said.label,
            reasoning=said.reasoning,
            evaluated_by=said.evaluated_by or principal.agent_id or principal.key_id,
            metadata=said.metadata or {},
            source=action.source,
            created_at=moment(now),
            created_by=principal.key_id,
        )
        await self._ledger.append(draft(score))
        return score

    async def page(self, principal: Principal, query: ScoresQuery) -> EvalScores:
        """Raises `invalid_query` for a cursor that is none."""
        chosen = of_caller(principal)
        chosen.add("action_id = ?", query.action_id)
        chosen.add("agent_id = ?", query.agent_id)
        chosen.add("scorer_name = ?", query.scorer_name)
        chosen.add("scorer_id = ?", query.scorer_id)
        chosen.add("run_id = ?", query.run_id)
        chosen.add("evaluated_by = ?", query.evaluated_by)
        chosen.add("score >= ?", query.min_score)
        chosen.add("score <= ?", query.max_score)
        ((total,),) = await self._ledger.read(f"SELECT count(*) FROM scores WHERE {chosen.where}", chosen.parameters)
        page = await read_page(
            self._ledger, SCORES, EvalScore, chosen, cursor=query.cursor, limit=query.limit, offset=query.offset
        )
        return EvalScores(scores=page.rows, total=int(str(total)), next_cursor=page.next_cursor)


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
