"""How a run begins: which actions it will look at, and with what."""

from __future__ import annotations

import msgspec

from assent.contract.evaluations import ActionFilters, CreateEvalRun, EvalRun, RunStatus
from assent.contract.prepared import prepared
from assent.contract.scorers import Scorer
from assent_service.core.clock import microseconds, moment, new_id
from assent_service.core.principal import Principal
from assent_service.evaluations.config import read_config
from assent_service.evaluations.selection import chosen_by
from assent_service.evaluations.work import Work
from assent_service.store.ledger import Ledger


async def begun(ledger: Ledger, principal: Principal, said: CreateEvalRun, scorer: Scorer, now: int) -> EvalRun:
    """The run as it is first recorded. Raises `invalid_body` for a window that is none, and `projection_behind`."""
    filters = said.action_filters or ActionFilters()
    chosen = chosen_by(filters, principal.org_id, now)
    ((fitting,),) = await ledger.read(f"SELECT count(*) FROM actions WHERE {chosen.where}", chosen.parameters)
    found = int(str(fitting))
    total = min(found, filters.limit)
    at = moment(now)
    return EvalRun(
        id=new_id("er_", now),
        org_id=principal.org_id,
        name=said.name,
        scorer_id=scorer.id,
        scorer_name=scorer.name,
        scorer_type=scorer.scorer_type,
        scorer_config=scorer.config,
        action_filters=msgspec.to_builtins(filters),
        agent_id=filters.agent_id,
        status=RunStatus.RUNNING,
        total_actions=total,
        left_out_count=found - total,
        scored_count=0,
        skipped_count=0,
        skipped={},
        avg_score=None,
        summary=None,
        error_message=None,
        created_at=at,
        created_by=principal.key_id,
        started_at=at,
        updated_at=at,
        completed_at=None,
    )


def work_of(ledger: Ledger, run: EvalRun) -> Work:
    filters = msgspec.convert(run.action_filters, prepared(ActionFilters))
    chosen = chosen_by(filters, run.org_id, microseconds(run.created_at))
    return Work(ledger, run, read_config(run.scorer_type, run.scorer_config), chosen)
