"""What a standing grant would have covered, from the decisions as they were recorded, and which ones to propose.

1. Looked at are decisions that had a person decide, of the type, newest first and at most MOST_LOOKED_AT; history and
   what a simulator made up as well, which are counted.
2. A request is covered where the pattern fits (`control.grants.coverage`) and no policy, as it is now, always asks.
   What a policy matched that is not there any more, a webhook or the scan may ask about again: it counts as always
   asked.
3. A near miss is left out by one bound and nothing else.
4. The bound of failures is that of `assent_analytics.grants`.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Protocol

import msgspec
import polars as pl

from assent.contract.analysis.grant_previews import (
    EXAMPLES,
    MOST_LOOKED_AT,
    MOST_UNBOUND,
    PREVIEW_GRANT,
    SUGGEST_GRANTS,
    CoveredAgent,
    GrantPreview,
    NearMiss,
    PreviewGrant,
    SuggestedGrant,
    SuggestedGrants,
    SuggestGrantsQuery,
)
from assent.contract.conditions import ConditionError
from assent.contract.control.actions import ActionStatus
from assent.contract.control.approvals import ApprovalState
from assent.contract.control.guard import RecordedDecision, Source
from assent.contract.names import comparable
from assent.contract.prepared import prepared
from assent.contract.problems import Code, FieldError
from assent_analytics.clusters import cluster_names
from assent_analytics.grants import failure_bound, suggest_grants
from assent_service.base.clock import Clock, moment
from assent_service.base.problem import refuse
from assent_service.control.grants import Conditions, Grants, arguments_of, asks_anyway, facts_of
from assent_service.control.guard import GUARD_DECISIONS, PolicySet
from assent_service.core.call import Call
from assent_service.core.foundation import Foundation
from assent_service.core.route import RECORDS_NOTHING, Route, serves
from assent_service.core.rows import record, select
from assent_service.store.ledger import Ledger
from assent_service.store.spelling import name_key

__all__ = ["open_grant_previews"]

_SHOWN = "a.action_id, a.status, p.state, p.grant_id"
_JOINED = """
    LEFT JOIN (SELECT decision_id, any_value(action_id) AS action_id, any_value(status) AS status,
        any_value(approval_id) AS approval_id FROM actions WHERE org_id = ? GROUP BY decision_id
    ) AS a ON a.decision_id = d.decision_id
    LEFT JOIN (SELECT approval_id, state, grant_id FROM approvals WHERE org_id = ?) AS p
        ON p.approval_id = a.approval_id
"""
_ASKED = "d.org_id = ? AND d.decision = 'require_approval' AND d.occurred_at >= ?"
_HISTORY = f"""
    SELECT d.agent_id, d.action_type, d.session_id, d.occurred_at, d.decision, d.source, d.risk_score, {_SHOWN}
    FROM guard_decisions AS d {_JOINED} WHERE {_ASKED}
"""
ENDED = (ActionStatus.COMPLETED.value, ActionStatus.FAILED.value)


class Policies(Protocol):
    """What previews need of the policies noun."""

    def of(self, org_id: str) -> PolicySet: ...


class _Asked(NamedTuple):
    """A request that a person had to decide, and what became of it."""

    decision: RecordedDecision
    action_id: str | None
    status: str | None
    state: str | None
    grant_id: str | None

    @property
    def cluster(self) -> str:
        said = self.decision
        return f"session {said.session_id}" if said.session_id else f"{said.agent_id} {said.occurred_at:%Y-%m-%dT%H}"


def previewed(asked: Sequence[_Asked], conditions: Conditions, policies: PolicySet) -> dict[str, Any]:
    """The members of a preview that its requests tell. Pure."""
    covered: list[_Asked] = []
    misses: dict[str, list[_Asked]] = {}
    always = 0
    for each in asked:
        facts = facts_of(each.decision)
        live = msgspec.structs.replace(each.decision, source=Source.LIVE)
        left_out = conditions.left_out_by(facts, each.decision)
        if len(left_out) > 1:
            continue
        if asks_anyway(live, facts, policies) is not None:
            always += not left_out
        elif left_out:
            misses.setdefault(left_out[0], []).append(each)
        else:
            covered.append(each)
    ran = [each for each in covered if each.status in ENDED]
    bound = failure_bound([each.status == ActionStatus.FAILED for each in ran], [each.cluster for each in ran])
    people = [each for each in covered if each.grant_id is None]
    agents = Counter(str(each.decision.agent_id) for each in covered)
    return {
        "covered": len(covered),
        "by_agent": [CoveredAgent(agent_id=name, covered=n) for name, n in agents.most_common()],
        "approved": sum(each.state == ApprovalState.APPROVED for each in people),
        "denied": sum(each.state == ApprovalState.DENIED for each in people),
        "granted": len(covered) - len(people),
        "ran": bound.ran,
        "failed": bound.failed,
        "no_outcome": len(covered) - bound.ran,
        "clusters": bound.clusters,
        "failures_high": bound.high,
        "always_asked": always,
        "simulated": sum(each.decision.source is Source.SIMULATED for each in covered),
        "near_misses": _misses(misses, conditions),
    }


def _misses(found: Mapping[str, Sequence[_Asked]], conditions: Conditions) -> list[NearMiss]:
    says = {part.place: part.text for part in conditions.parts}
    says["agent_ids"] = "another agent asked"
    says["max_risk"] = f"the risk is above {conditions.max_risk:g}"
    return [
        NearMiss(
            place=place,
            says=says[place],
            n=len(missed),
            action_ids=[each.action_id for each in missed if each.action_id is not None][:EXAMPLES],
        )
        for place, missed in sorted(found.items(), key=lambda each: (-len(each[1]), each[0]))
    ]


class GrantPreviews:
    """Of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, policies: Policies, grants: Grants) -> None:
        self._ledger, self._clock, self._policies, self._grants = ledger, clock, policies, grants

    async def preview(self, org_id: str, said: PreviewGrant) -> GrantPreview:
        """Raises `invalid_body` for conditions that cannot be used."""
        try:
            conditions = Conditions.of(said)
        except ConditionError as error:
            raise refuse(
                Code.INVALID_BODY,
                f"The conditions cannot be used: {error.place} {error.message}.",
                FieldError(place=error.place, message=error.message),
            ) from None
        since = moment(self._clock()) - timedelta(days=said.days)
        rows = await self._ledger.read(
            f"SELECT {select(GUARD_DECISIONS, 'd')}, {_SHOWN} FROM guard_decisions AS d {_JOINED} "
            f"WHERE {_ASKED} AND {name_key('d.action_type')} = ? "
            f"ORDER BY d.occurred_at DESC, d.decision_id DESC LIMIT {MOST_LOOKED_AT + 1}",
            [org_id, org_id, org_id, since.replace(tzinfo=None), comparable(said.action_type)],
        )
        width = len(GUARD_DECISIONS.columns)
        asked = [
            _Asked(record(GUARD_DECISIONS, row[:width], RecordedDecision), *map(_text, row[width:]))
            for row in rows[:MOST_LOOKED_AT]
        ]
        told = await asyncio.to_thread(previewed, asked, conditions, self._policies.of(org_id))
        return GrantPreview(since=since, looked_at=len(asked), truncated=len(rows) > MOST_LOOKED_AT, **told)

    async def suggest(self, org_id: str, query: SuggestGrantsQuery) -> SuggestedGrants:
        now = self._clock()
        since = moment(now) - timedelta(days=query.days)
        frame = await self._ledger.frame(_HISTORY, [org_id, org_id, org_id, since.replace(tzinfo=None)])
        found = await asyncio.to_thread(_suggested, frame, query)
        new = [each for each in found if not self._grants.live_for(org_id, each["agent_id"], each["action_type"])]
        for each in new:
            each["unbound"] = await self._arguments(org_id, since, each["agent_id"], each["action_type"])
        return SuggestedGrants(since=since, suggestions=msgspec.convert(new, prepared(list[SuggestedGrant])))

    async def _arguments(self, org_id: str, since: datetime, agent_id: str, action_type: str) -> list[str]:
        """The names of what an agent's newest requests of a type were done with."""
        rows = await self._ledger.read(
            f"SELECT {select(GUARD_DECISIONS, 'd')} FROM guard_decisions AS d "
            f"WHERE {_ASKED} AND d.agent_id = ? AND d.action_type = ? "
            f"ORDER BY d.occurred_at DESC, d.decision_id DESC LIMIT {MOST_LOOKED_AT}",
            [org_id, since.replace(tzinfo=None), agent_id, action_type],
        )
        contexts = (record(GUARD_DECISIONS, row, RecordedDecision).context for row in rows)
        return sorted({name for context in contexts for name in arguments_of(context)})[:MOST_UNBOUND]


def _suggested(frame: pl.DataFrame, query: SuggestGrantsQuery) -> list[dict[str, Any]]:
    cluster, _ = cluster_names(["session_id", "agent_id", "occurred_at"])
    facts = frame.with_columns(
        cluster=cluster, outcome=pl.when(pl.col("status").cast(pl.String).is_in(ENDED)).then("status")
    )
    return suggest_grants(facts, least=query.least, most_failures=query.most_failures).to_dicts()


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def routes(previews: GrantPreviews) -> tuple[Route, ...]:
    @serves(PREVIEW_GRANT, unfenced=RECORDS_NOTHING)
    async def preview(call: Call[PreviewGrant, None]) -> GrantPreview:
        return await previews.preview(call.principal.org_id, call.body)

    @serves(SUGGEST_GRANTS)
    async def suggest(call: Call[None, SuggestGrantsQuery]) -> SuggestedGrants:
        return await previews.suggest(call.principal.org_id, call.query)

    return preview, suggest


def open_grant_previews(on: Foundation, policies: Policies, grants: Grants) -> None:
    on.bring(routes=routes(GrantPreviews(on.ledger, on.clock, policies, grants)))
