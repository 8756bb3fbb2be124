"""The risk of recorded decisions as other risk templates would have rated them.

As guard does: the greatest of formula, template and the agent's own estimate (clamped, rounded up), then what history
added, at most 100. The formula is what `risk_breakdown` names, without `template` and `history`, at most 100; history
stays as it was recorded. A decision that recorded no formula keeps its risk, less history, in the formula's place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import msgspec
import numpy as np
import polars as pl

from assent.contract.conditions import All, Any_, Compare, Condition, ConditionError, Not
from assent.contract.control.risk_conditions import parse_template_rules
from assent.contract.control.risk_templates import CreateRiskTemplate, RiskTemplate, TemplateStatus, choose
from assent.contract.names import comparable
from assent.contract.prepared import prepared
from assent_analytics.backtest.fields import SENT_RISK, Fields, holding, mapped
from assent_analytics.backtest.policies import as_compared

TemplateLike: TypeAlias = RiskTemplate | CreateRiskTemplate | Mapping[str, Any]
COLUMNS = frozenset({"action_type", "agent_risk_score", "risk_breakdown", "risk_score"})
"""What rating anew reads, besides what conditions look at."""

_Numbers: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"
_Flags: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"


@dataclass(frozen=True)
class ReplayTemplate:
    """`points` are what each condition adds."""

    action_type: str | None
    status: TemplateStatus
    base_risk: int
    conditions: tuple[Condition, ...]
    named: tuple[Condition, ...]
    points: tuple[int, ...]

    def asked(self, by_name: _Flags) -> Sequence[Condition]:
        """Its conditions as decisions ask them of which `by_name` says that they compared names by a rule."""
        return [*(self.conditions if not by_name.all() else ()), *(self.named if by_name.any() else ())]


def read_templates(templates: Sequence[TemplateLike]) -> list[ReplayTemplate]:
    """Raises ConditionError with a place such as `templates[0].rules[2].condition`."""
    return [_read(given, f"templates[{index}]") for index, given in enumerate(templates)]


def rate(batch: pl.DataFrame, fields: Fields, templates: Sequence[ReplayTemplate], by_name: _Flags) -> pl.Series:
    """The risk score of each decision, 0 to 100."""
    formula, history = _recorded(batch)
    own = np.ceil(np.clip(batch["agent_risk_score"].cast(pl.Float64).fill_null(0.0).to_numpy(), 0.0, 100.0))
    rated = np.maximum(np.maximum(formula, own), _of_templates(batch["action_type"], fields, templates, by_name))
    return pl.Series(np.minimum(rated + history, 100.0))


def _of_templates(
    action_type: pl.Series, fields: Fields, templates: Sequence[ReplayTemplate], by_name: _Flags
) -> _Numbers:
    rated = np.zeros(len(action_type))
    # Letter by letter a type is what it is; by the rule of names it is what it is compared as.
    texts = action_type.cast(pl.String)
    if by_name.any():
        compared = mapped(texts, lambda name: None if name is None else comparable(name), pl.String())
        texts = compared.zip_with(pl.Series(by_name), texts)
    chosen_by = _chosen(templates, texts.filter(pl.Series(~by_name)), lambda name: name)
    chosen_by_name = _chosen(templates, texts.filter(pl.Series(by_name)), comparable)
    for at in {*chosen_by, *chosen_by_name}:
        template = templates[at]
        score = np.full(len(rated), float(template.base_risk))
        if template.conditions:
            found = holding(fields, template.conditions, template.named, by_name)
            for points, holds in zip(template.points, found, strict=True):
                score += points * holds
        exact, alike = (texts.is_in(of.get(at, [])).fill_null(False).to_numpy() for of in (chosen_by, chosen_by_name))
        chosen_rows = np.where(by_name, alike, exact)
        rated = np.where(chosen_rows, np.clip(score, 0.0, 100.0), rated)
    return rated


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
        conditions=(conditions := tuple(_as_sent(rule.condition) for rule in rules)),
        named=tuple(map(as_compared, conditions)),
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
