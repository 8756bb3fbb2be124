"""The risk of recorded decisions as other risk templates would have rated them.

As guard does: the greatest of formula, template and the agent's own estimate (clamped, rounded up), then what history
added, at most 100. The formula is what `risk_breakdown` names, without `template` and `history`, at most 100; history
stays as it was recorded. A decision that recorded no formula keeps its risk, less history, in the formula's place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import msgspec
import numpy as np
import polars as pl

from assent.contract.conditions import All, Any_, Compare, Condition, ConditionError, Not, SpecialLeaf, misplaced
from assent.contract.control.risk_conditions import parse_template_rules
from assent.contract.control.risk_templates import CreateRiskTemplate, RiskTemplate, TemplateStatus, choose
from assent.contract.names import comparable
from assent.contract.prepared import prepared
from assent_analytics.backtest.fields import SENT_RISK, Fields, holding, mapped
from assent_analytics.backtest.policies import EXACT, by_rule

TemplateLike: TypeAlias = RiskTemplate | CreateRiskTemplate | Mapping[str, Any]
COLUMNS = frozenset({"action_type", "agent_risk_score", "risk_breakdown", "risk_score"})
"""What rating anew reads, besides what conditions look at."""

_Numbers: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"
_Flags: TypeAlias = "np.ndarray[Any, np.dtype[np.bool_]]"
_Rules: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"


@dataclass(frozen=True)
class ReplayTemplate:
    """`conditions` are those of each rule of names, `points` what each adds."""

    action_type: str | None
    status: TemplateStatus
    base_risk: int
    conditions: tuple[Mapping[int, Condition], ...]
    points: tuple[int, ...]


def read_templates(templates: Sequence[TemplateLike]) -> list[ReplayTemplate]:
    """Raises ConditionError with a place such as `templates[0].rules[2].condition`."""
    return [_read(given, f"templates[{index}]") for index, given in enumerate(templates)]


def rate(batch: pl.DataFrame, fields: Fields, templates: Sequence[ReplayTemplate], rules: _Rules) -> pl.Series:
    """The risk score of each decision, 0 to 100."""
    formula, history = _recorded(batch)
    own = np.ceil(np.clip(batch["agent_risk_score"].cast(pl.Float64).fill_null(0.0).to_numpy(), 0.0, 100.0))
    rated = np.maximum(np.maximum(formula, own), _of_templates(batch["action_type"], fields, templates, rules))
    return pl.Series(np.minimum(rated + history, 100.0))


def _of_templates(
    action_type: pl.Series, fields: Fields, templates: Sequence[ReplayTemplate], rules: _Rules
) -> _Numbers:
    rated = np.zeros(len(action_type))
    rows: dict[int, _Flags] = {}
    for rule in np.unique(rules).tolist():
        # Letter by letter a type is what it is; by a rule of names it is what it is compared as.
        key: Callable[[str], str] = str if rule == EXACT else partial(comparable, rule=rule)
        texts = mapped(action_type, partial(_keyed, key), pl.String())
        for at, types in _chosen(templates, texts.filter(pl.Series(rules == rule)), key).items():
            chosen = (rules == rule) & texts.is_in(types).fill_null(False).to_numpy()
            rows[at] = rows[at] | chosen if at in rows else chosen
    for at, chosen in rows.items():
        template = templates[at]
        score = np.full(len(rated), float(template.base_risk))
        if template.conditions:
            for points, holds in zip(template.points, holding(fields, template.conditions, rules), strict=True):
                score += points * holds
        rated = np.where(chosen, np.clip(score, 0.0, 100.0), rated)
    return rated


def _keyed(key: Callable[[str], str], name: str | None) -> str | None:
    return None if name is None else key(name)


def _chosen(templates: Sequence[ReplayTemplate], types: pl.Series, key: Callable[[str], str]) -> dict[int, list[str]]:
    """The types that each template rates, by its place; templates name types by `key`."""
    as_named = [
        replace(each, action_type=None if each.action_type is None else key(each.action_type)) for each in templates
    ]
    found: dict[int, list[str]] = {}
    for name in types.unique().drop_nulls():
        chosen = choose(as_named, name)
        if chosen is not None:
            found.setdefault(next(at for at, each in enumerate(as_named) if each is chosen), []).append(name)
    return found


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


def _read(given: TemplateLike, place: str) -> ReplayTemplate:
    if not isinstance(given, RiskTemplate | CreateRiskTemplate):
        try:
            given = msgspec.convert(given, prepared(CreateRiskTemplate))
        except msgspec.ValidationError as error:
            raise ConditionError(place, str(error)) from None
    rules = parse_template_rules(given.rules or [], f"{place}.rules")
    return ReplayTemplate(
        action_type=given.action_type or None,
        status=given.status or TemplateStatus.ACTIVE,
        base_risk=given.base_risk,
        conditions=tuple(by_rule(_as_sent(rule.condition)) for rule in rules),
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
        case SpecialLeaf():
            misplaced(condition)
