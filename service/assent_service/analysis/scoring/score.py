"""From given and recorded values to scores that can be stored. Pure, and by `assent_analytics.scoring` for one action
and for many alike.

1. What was said of an action counts; what was not is filled from the record, member by member, its metadata too. Of
   tokens, `tokens_total` wins, then the published names stand in for ours.
2. An action that is recorded keeps its own agent, type and source. One that is not is the caller's: of the agent that
   it names, if the key may speak for that one, else of the key's.
3. An action gets no score when it was erased, when it was only named and there is no such action, and when no
   dimension that counts found a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import msgspec
import polars as pl

from assent.contract.analysis.profile_scores import DimensionScore, ProfileScore
from assent.contract.analysis.scales import DataSource
from assent.contract.analysis.scoring import ScoringDimension, ScoringProfile
from assent.contract.control.guard import Source
from assent.contract.problems import Code, FieldError
from assent_analytics.scoring import score_frame
from assent_analytics.scoring.values import CONTEXT
from assent_service.analysis.scoring.action_input import ActionInput
from assent_service.analysis.scoring.lookup import Recorded, fields_of
from assent_service.base.clock import moment, new_id
from assent_service.base.problem import Refusal, refuse
from assent_service.core.faithful import digest_of
from assent_service.core.principal import Principal

LONGEST = 200
"""Characters of a text that are kept of a raw value."""
NUMBERS = ("duration_ms", "cost_estimate", "tokens_in", "tokens_out", "tokens_total", "risk_score", "confidence")


@cache
def _schema() -> pl.Schema:
    """What is read of an action, and as what."""
    return pl.Schema(
        {
            **dict.fromkeys(("action_id", "agent_id", "action_type", "source"), pl.String),
            **dict.fromkeys((*NUMBERS, "eval_score"), pl.Float64),
            **dict.fromkeys(("metadata", CONTEXT), pl.String),
        }
    )


@dataclass(frozen=True)
class ScoringRequest:
    """Who asked for what: `metadata` is kept with each score, `batch_id` where there are many."""

    principal: Principal
    profile: ScoringProfile
    metadata: dict[str, Any]
    batch_id: str | None
    now: int


def scored(asked: ScoringRequest, given: Sequence[ActionInput], recorded: Recorded) -> list[ProfileScore | Refusal]:
    """A score for each action, or why there is none. Raises `agent_mismatch`, and `invalid_body` for a value that
    cannot be recorded as it is."""
    if not asked.profile.dimensions:
        nothing = refuse(
            Code.NOTHING_TO_SCORE,
            f"Scoring profile {asked.profile.name!r} has no dimensions; add one with add_scoring_dimension.",
        )
        return [nothing for _ in given]
    fields = [name for name in fields_of(asked.profile) if name not in _schema() or name == CONTEXT]
    rows = [_row(asked.principal, each, recorded, fields) for each in given]
    frame = score_frame(pl.DataFrame(rows, schema=_schema(), orient="row"), asked.profile).collect()
    return [
        refusal if (refusal := _refused(each, recorded)) is not None else _score(asked, row, values, at)
        for at, (each, row, values) in enumerate(zip(given, rows, frame.iter_rows(named=True), strict=True))
    ]


def _row(principal: Principal, given: ActionInput, recorded: Recorded, fields: Sequence[str]) -> dict[str, Any]:
    known = recorded.actions.get(given.action_id or "", {})
    said = given.members or {}
    added = given.metadata if isinstance(given.metadata, dict) else None
    metadata = {**known.get("metadata", {}), **(added or {})} if "metadata" in known or added is not None else None
    numbers = {
        "duration_ms": given.duration_ms,
        "cost_estimate": given.cost_estimate,
        "tokens_in": given.prompt_tokens if given.tokens_in is None else given.tokens_in,
        "tokens_out": given.completion_tokens if given.tokens_out is None else given.tokens_out,
        "tokens_total": given.tokens_total,
        "risk_score": given.risk_score,
        "confidence": given.confidence,
    }
    context = {name: said[name] if said.get(name) is not None else known.get(name) for name in fields}
    eval_score = given.eval_score
    return {
        "action_id": given.action_id,
        "agent_id": known.get("agent_id") if known else principal.speaks_for(given.agent_id),
        "action_type": known.get("action_type", given.action_type),
        "source": known.get("source"),
        **{name: known.get(name) if value is None else value for name, value in numbers.items()},
        "eval_score": recorded.eval_scores.get(given.action_id or "") if eval_score is None else eval_score,
        "metadata": None if metadata is None else msgspec.json.encode(metadata).decode(),
        CONTEXT: msgspec.json.encode(context).decode() if context else None,
    }


def _refused(given: ActionInput, recorded: Recorded) -> Refusal | None:
    action_id = given.action_id or ""
    if action_id in recorded.erased:
        return recorded.erased[action_id]
    if given.members is None and action_id not in recorded.actions:
        return refuse(Code.ACTION_NOT_FOUND, f"There is no action {action_id!r} in this organization.")
    return None


def _score(asked: ScoringRequest, row: dict[str, Any], values: dict[str, Any], at: int) -> ProfileScore | Refusal:
    profile, composite = asked.profile, values["composite_score"]
    if composite is None:
        sources = ", ".join(dict.fromkeys(_sought(each) for each in profile.dimensions))
        return refuse(
            Code.NOTHING_TO_SCORE,
            f"No dimension of {profile.name!r} that counts found a value in this action; it looks at {sources}.",
            FieldError(place=f"actions[{at}]" if asked.batch_id else "action", message="has nothing to score"),
        )
    metadata = msgspec.json.decode(row["metadata"]) if row["metadata"] else {}
    return ProfileScore(
        id=new_id("ps_", asked.now),
        org_id=asked.principal.org_id,
        profile_id=profile.id,
        profile_name=profile.name,
        action_id=row["action_id"],
        agent_id=row["agent_id"],
        action_type=row["action_type"],
        composite_score=composite,
        composite_method=profile.composite_method,
        dimension_scores=[
            DimensionScore(
                dimension_id=each.id,
                dimension_name=each.name,
                weight=each.weight,
                raw_value=_raw(each, values[f"d{place}_value"], metadata),
                score=values[f"d{place}_score"],
                label=values[f"d{place}_label"],
            )
            for place, each in enumerate(profile.dimensions)
        ],
        metadata=asked.metadata,
        source=None if row["source"] is None else Source(row["source"]),
        batch_id=asked.batch_id,
        scored_at=moment(asked.now),
        created_at=moment(asked.now),
        created_by=asked.principal.key_id,
    )


def _sought(dimension: ScoringDimension) -> str:
    field = dimension.data_config.get("field") if dimension.data_source is DataSource.METADATA_FIELD else None
    return dimension.data_source.value if field is None else f"metadata.{field}"


def _raw(dimension: ScoringDimension, value: Any, metadata: dict[str, Any]) -> Any:
    """The value of a metadata field with its own kind, which the frame shows as text."""
    if value is None or dimension.data_source is not DataSource.METADATA_FIELD:
        return value
    found: Any = metadata
    for part in str(dimension.data_config["field"]).split("."):
        found = found[part]
    if isinstance(found, str | list):
        found = str(value)[:LONGEST]
    digest_of(found, f"metadata.{dimension.data_config['field']}")
    return found
