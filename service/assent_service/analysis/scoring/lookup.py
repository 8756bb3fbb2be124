"""What is recorded of the actions that are to be scored: their values, their latest evaluation score, or that they
were erased."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from assent.contract.analysis.scales import DataSource
from assent.contract.analysis.scoring import ScoringProfile
from assent.contract.conditions import parse
from assent_analytics.backtest.conditions import leaves
from assent_analytics.scoring import with_eval_scores
from assent_service.base.problem import Refusal
from assent_service.control.actions import ACTIONS
from assent_service.control.erasure import ERASURES, ErasureRow, gone
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter, of_caller, record, select
from assent_service.store.ledger import Ledger
from assent_service.store.tables import ColumnKind

ALWAYS = (
    *("action_id", "agent_id", "action_type", "source", "metadata"),
    *("duration_ms", "cost_estimate", "tokens_in", "tokens_out", "risk_score", "confidence"),
)
# Times have no kind in a condition; the others say nothing about what the agent did.
_NEVER = frozenset(
    {"org_id", "idempotency_key", "request_digest", "signature_digest", "outcome_marks", "created_by", "revision"}
)
KINDS: dict[str, ColumnKind] = {
    column.name: column.kind
    for column in ACTIONS.columns
    if column.name not in _NEVER and column.kind is not ColumnKind.TIME
}
_NAMED = "action_id IN (SELECT unnest(?::VARCHAR[]))"


@dataclass(frozen=True)
class Recorded:
    """By the id of the action. `actions` are those that the caller may see, members as they are shown; `erased` are
    what is to be told instead."""

    actions: Mapping[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    eval_scores: Mapping[str, float] = field(default_factory=dict[str, float])
    erased: Mapping[str, Refusal] = field(default_factory=dict[str, Refusal])


def fields_of(profile: ScoringProfile) -> list[str]:
    """The first parts of the fields that the conditions of a profile look at."""
    trees = [parse(each.data_config["when"]) for each in _of(profile, DataSource.CONDITION)]
    return list(dict.fromkeys(leaf.field.partition(".")[0] for tree in trees for leaf in leaves(tree)))


async def look_up(ledger: Ledger, principal: Principal, ids: Sequence[str], profile: ScoringProfile) -> Recorded:
    """Raises `projection_behind`."""
    if not ids:
        return Recorded()
    columns = tuple(dict.fromkeys([*ALWAYS, *(name for name in fields_of(profile) if name in KINDS)]))
    listed = ", ".join(f'"{name}"' for name in columns)
    chosen = of_caller(principal)
    chosen.add_all(_NAMED, [list(ids)])
    rows = await ledger.read(f"SELECT {listed} FROM actions WHERE {chosen.where}", chosen.parameters)
    erased = await _erased(ledger, principal, ids)
    actions = await asyncio.to_thread(_read, columns, rows)
    for action_id in erased:
        actions.pop(action_id, None)
    return Recorded(actions, await _eval_scores(ledger, principal, list(actions), profile), erased)


def _read(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        members = {
            name: msgspec.json.decode(str(value)) if KINDS[name] is ColumnKind.JSON else value
            for name, value in zip(columns, row, strict=True)
            if value is not None
        }
        found[str(members["action_id"])] = members
    return found


async def _erased(ledger: Ledger, principal: Principal, ids: Sequence[str]) -> dict[str, Refusal]:
    chosen = Filter(principal.org_id)
    chosen.add_all(_NAMED, [list(ids)])
    rows = await ledger.read(f"SELECT {select(ERASURES)} FROM erasures WHERE {chosen.where}", chosen.parameters)
    told = {each.action_id: gone(each, principal) for each in (record(ERASURES, row, ErasureRow) for row in rows)}
    return {action_id: refusal for action_id, refusal in told.items() if refusal is not None}


async def _eval_scores(
    ledger: Ledger, principal: Principal, ids: Sequence[str], profile: ScoringProfile
) -> dict[str, float]:
    if not ids or not (_of(profile, DataSource.EVAL_SCORE) or DataSource.EVAL_SCORE in fields_of(profile)):
        return {}
    chosen = Filter(principal.org_id)
    chosen.add_all(_NAMED, [list(ids)])
    scores = await ledger.frame(
        f"SELECT action_id, score, created_at, id FROM scores WHERE {chosen.where}", chosen.parameters
    )
    latest = await asyncio.to_thread(with_eval_scores(scores.select("action_id").unique(), scores).collect)
    return dict(latest.select("action_id", "eval_score").iter_rows())


def _of(profile: ScoringProfile, source: DataSource) -> list[Any]:
    return [each for each in profile.dimensions if each.data_source is source]
