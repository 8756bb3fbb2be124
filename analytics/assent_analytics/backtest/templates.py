"""The risk of recorded decisions as other risk templates would have rated them.

As guard does: the greatest of formula, template and the agent's own estimate (clamped, rounded up), then what history
added, at most 100. The formula is what `risk_breakdown` names, without `template` and `history`, at most 100; history
stays as it was recorded. A decision that recorded no formula keeps its risk, less history, in the formula's place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec
import numpy as np
import polars as pl

from assent.contract.conditions import All, Any_, Compare, Condition, ConditionError, Not
from assent.contract.prepared import prepared
from assent.contract.risk_conditions import parse_template_rules
from assent.contract.risk_templates import CreateRiskTemplate, RiskTemplate, TemplateStatus, choose
from assent_analytics.backtest.fields import SENT_RISK, Fields, mapped

TemplateLike: TypeAlias = RiskTemplate | CreateRiskTemplate | Mapping[str, Any]
COLUMNS = frozenset({"action_type", "agent_risk_score", "risk_breakdown", "risk_score"})
"""What rating anew reads, besides what conditions look at."""

_Numbers: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"


@dataclass(frozen=True)
class Template:
    """`points` are what each condition adds."""

    action_type: str | None
    status: TemplateStatus
    base_risk: int
    conditions: tuple[Condition, ...]
    points: tuple[int, ...]


def read_templates(templates: Sequence[TemplateLike]) -> list[Template]:
    """Raises ConditionError with a place such as `templates[0].rules[2].condition`."""
    return [_read(given, f"templates[{index}]") for index, given in enumerate(templates)]


def rate(batch: pl.DataFrame, fields: Fields, templates: Sequence[Template]) -> pl.Series:
    """The risk score of each decision, 0 to 100."""
    formula, history = _recorded(batch)
    own = np.ceil(np.clip(batch["agent_risk_score"].cast(pl.Float64).fill_null(0.0).to_numpy(), 0.0, 100.0))
    rated = np.maximum(np.maximum(formula, own), _of_templates(batch["action_type"], fields, templates))
    return pl.Series(np.minimum(rated + history, 100.0))


def _of_templates(action_type: pl.Series, fields: Fields, templates: Sequence[Template]) -> _Numbers:
    rated = np.zeros(len(action_type))
    texts = action_type.cast(pl.String)
    types_of: dict[int, list[str]] = {}
    for name in texts.unique().drop_nulls():
        chosen = choose(templates, name)
        if chosen is not None:
            types_of.setdefault(next(at for at, each in enumerate(templates) if each is chosen), []).append(name)
    for at, names in types_of.items():
        template = templates[at]
        score = np.full(len(rated), float(template.base_risk))
        if template.conditions:
            found = fields.holding(template.conditions)
            for points, holds in zip(template.points, found, strict=True):
                score += points * holds.to_numpy()
        chosen_rows = texts.is_in(names).fill_null(False).to_numpy()
        rated = np.where(chosen_rows, np.clip(score, 0.0, 100.0), rated)
    return rated


def _recorded(batch: pl.DataFrame) -> tuple[_Numbers, _Numbers]:
    breakdown = batch["risk_breakdown"]
    history = mapped(breakdown, _history, pl.Float64()).to_numpy()
    less = np.maximum(batch["risk_score"].cast(pl.Float64).fill_null(0.0).to_numpy() - history, 0.0)
    formula = mapped(breakdown, _formula, pl.Float64()).to_numpy()
    return np.where(np.isnan(formula), less, formula), history


def _parts(text: str | None) -> dict[str, float]:
    return msgspec.json.decode(text or "{}", type=dict[str, float] | None) or {}


def _formula(text: str | None) -> float:
    parts = _parts(text)
    if "base" not in parts:
        return float("nan")
    return min(100.0, sum(points for name, points in parts.items() if name not in ("template", "history")))


def _history(text: str | None) -> float:
    return _parts(text).get("history", 0.0)


def _read(given: TemplateLike, place: str) -> Template:
    if not isinstance(given, RiskTemplate | CreateRiskTemplate):
        try:
            given = msgspec.convert(given, prepared(CreateRiskTemplate))
        except msgspec.ValidationError as error:
            raise ConditionError(place, str(error)) from None
    rules = parse_template_rules(given.rules or [], f"{place}.rules")
    return Template(
        action_type=given.action_type or None,
        status=given.status or TemplateStatus.ACTIVE,
        base_risk=given.base_risk,
        conditions=tuple(_as_sent(rule.condition) for rule in rules),
        points=tuple(rule.add for rule in rules),
    )


def _as_sent(condition: Condition) -> Condition:
    """The condition with the risk that the agent sent in the place of the one that is being worked out."""
    match condition:
        case Compare(field=field):
            return msgspec.structs.replace(condition, field=SENT_RISK) if field == "risk_score" else condition
        case Not(branch):
            return Not(_as_sent(branch))
        case All(branches):
            return All(tuple(_as_sent(each) for each in branches))
        case Any_(branches):
            return Any_(tuple(_as_sent(each) for each in branches))
