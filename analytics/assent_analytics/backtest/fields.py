"""The fields that guard showed to the policies, for one batch of recorded decisions.

    action_type, agent_id, declared_goal    columns; guard lets nobody send others
    systems_touched                         the context's, an empty list where it names none
    risk_score                              the risk that is replayed, recorded or rated anew
    agent_risk_score                        a column
    risk_factors                            the names in `risk_breakdown` of what the formula added
    destructive                             as recorded; by the table of words here where nobody looked at the time
    anything else                           a path in the column `context`, the JSON text of what was sent

A field of `folded_field` is the one behind it with its names folded, as guard compares them by that rule.

A risk template asks before the risk is known: its `risk_score` is what the agent sent (`SENT_RISK`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec
import numpy as np
import polars as pl

from assent.contract.conditions import Compare, Condition
from assent.contract.names import RULE, comparable, compared
from assent.destructive import destructive
from assent_analytics.backtest.conditions import kinds, leaves, name_of, test, tree
from assent_analytics.backtest.database import ReplayDatabase
from assent_analytics.backtest.policies import EXACT, folded_field
from assent_analytics.backtest.values import DecisionValues, missing, of_flag, of_json, of_number, of_text

SENT_RISK = "\0risk_score"
"""The name of the field `risk_score` of a context; no JSON of a context can hold such a name from outside."""
NO_FACTORS = frozenset({"base", "template", "history"})
"""What a breakdown names besides the factors of the formula."""

_COLUMNS = {"action_type": of_text, "agent_id": of_text, "declared_goal": of_text, "agent_risk_score": of_number}
_OWN = frozenset({*_COLUMNS, "risk_score", "risk_factors", "destructive"})
_MADE_FROM = {"risk_factors": "risk_breakdown", "destructive": "declared_goal"}


def columns_of(conditions: Iterable[Condition]) -> set[str]:
    """The columns of the decisions that these conditions look at."""
    tops = {folded_field(leaf.field)[1].partition(".") for condition in conditions for leaf in leaves(condition)}
    names = {_MADE_FROM.get(top, top) for top, dot, _ in tops if top in _OWN and not dot}
    return names | ({"context"} if any(top not in _OWN for top, _, _ in tops) else set[str]())


def recorded_columns_of(conditions: Iterable[Condition]) -> set[str]:
    """Columns that hold what guard told of a field, where it looked; it can be worked out without them."""
    return {"destructive"} & {leaf.field for condition in conditions for leaf in leaves(condition)}


class Fields:
    """The values of the fields of one batch, and what leaves say about them; each worked out once."""

    def __init__(self, batch: pl.DataFrame, asked: Iterable[Compare], database: ReplayDatabase) -> None:
        self._batch, self._search = batch, database.matches
        self._values: dict[str, DecisionValues] = {}
        self._found: dict[str, pl.Series] = {}
        wanted: dict[str, set[str]] = {}
        for leaf in asked:
            wanted.setdefault(leaf.field, set()).update(kinds(leaf))
        self._read_context({field: each for field, each in wanted.items() if _top(field) not in _OWN}, database)
        self._kinds = wanted

    def give(self, field: str, number: pl.Series) -> None:
        """Set a number that is only known by now."""
        self._values[field] = of_number(number)

    def where(self, leaf: Compare) -> pl.Series:
        """For each decision, whether the leaf holds."""
        key = name_of(leaf)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._of(leaf.field).where(test(leaf, self._search)).alias(key)
        return found

    def holding(self, conditions: Sequence[Condition]) -> list[pl.Series]:
        """For each condition, whether it holds for each decision."""
        asked = {name_of(leaf): leaf for condition in conditions for leaf in leaves(condition)}
        frame = pl.DataFrame([self.where(leaf) for leaf in asked.values()])
        trees = [tree(condition, name_of).alias(str(at)) for at, condition in enumerate(conditions)]
        return frame.select(trees).get_columns()

    def _of(self, field: str) -> DecisionValues:
        values = self._values.get(field)
        if values is None:
            values = self._values[field] = self._made(field)
        return values

    def _made(self, field: str) -> DecisionValues:
        rule, name = folded_field(field)
        if rule != EXACT:
            return _folded(self._batch[name], rule)
        if field in _COLUMNS:
            return _COLUMNS[field](self._batch[field])
        if field == "risk_score":
            return of_number(self._batch[field])
        if field == "risk_factors":
            return of_json(factors(self._batch["risk_breakdown"]), self._kinds[field])
        if field == "destructive":
            return of_flag(_destructive(self._batch))
        # A text or a number has no members.
        return missing(self._batch.height)

    def _read_context(self, wanted: Mapping[str, set[str]], database: ReplayDatabase) -> None:
        if not wanted:
            return
        paths = [_path(field) for field in wanted]
        found = database.members(self._batch["context"].cast(pl.String), paths)
        for (field, each), column in zip(wanted.items(), found, strict=True):
            rule, name = folded_field(field)
            # A context that names no systems touches none, which guard says with an empty list.
            texts = column.replace("null", None).fill_null("[]") if name == "systems_touched" else column
            self._values[field] = of_json(
                texts if rule == EXACT else mapped(texts, partial(_compared, rule=rule), pl.String()), each
            )


def holding(
    fields: Fields, conditions: Sequence[Mapping[int, Condition]], rules: np.ndarray[Any, np.dtype[Any]]
) -> list[np.ndarray[Any, np.dtype[Any]]]:
    """For each condition, whether it holds for each decision, by the rule of names that `rules` has of it."""
    first, *others = np.unique(rules).tolist() or [RULE]
    found = [each.to_numpy() for each in fields.holding([of[first] for of in conditions])]
    for rule in others:
        holds = fields.holding([of[rule] for of in conditions])
        found = [np.where(rules == rule, each.to_numpy(), before) for each, before in zip(holds, found, strict=True)]
    return found


def _folded(names: pl.Series, rule: int) -> DecisionValues:
    return of_text(mapped(names, lambda name: None if name is None else comparable(name, rule), pl.String()))


def _compared(text: str | None, rule: int) -> str | None:
    """The JSON text of a value as guard compares it."""
    return None if text is None else msgspec.json.encode(compared(msgspec.json.decode(text), rule)).decode()


def _destructive(batch: pl.DataFrame) -> pl.Series:
    if "destructive" not in batch.columns:
        return mapped(batch["declared_goal"], destructive, pl.Boolean())
    recorded = batch["destructive"].cast(pl.Boolean)
    if not recorded.null_count():
        return recorded
    # Goals that were looked at are not looked at again.
    unknown = batch.select(pl.when(recorded.is_null()).then(pl.col("declared_goal"))).to_series()
    return pl.select(pl.coalesce(recorded, mapped(unknown, destructive, pl.Boolean()))).to_series()


def factors(breakdown: pl.Series) -> pl.Series:
    """The names of the formula's factors, as JSON lists."""
    return mapped(breakdown, _factors, pl.String())


def _factors(text: str | None) -> str:
    breakdown = msgspec.json.decode(text or "{}", type=dict[str, float] | None) or {}
    return msgspec.json.encode([name for name in breakdown if name not in NO_FACTORS]).decode()


def mapped(column: pl.Series, made: Callable[[str | None], object], dtype: pl.DataType) -> pl.Series:
    """A function of each distinct text, for texts that are few."""
    texts = column.cast(pl.String)
    known = {text: made(text) for text in texts.unique()}
    return pl.Series([known[text] for text in texts], dtype=dtype)


def _path(field: str) -> tuple[str, ...]:
    return ("risk_score",) if field == SENT_RISK else tuple(folded_field(field)[1].split("."))


def _top(field: str) -> str:
    return folded_field(field)[1].partition(".")[0]
