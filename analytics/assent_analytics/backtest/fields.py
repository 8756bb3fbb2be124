"""The fields that guard showed to the policies, for one batch of recorded decisions.

    action_type, agent_id, declared_goal    columns; guard lets nobody send others
    systems_touched                         the context's, an empty list where it names none
    risk_score                              the risk that is replayed, recorded or rated anew
    agent_risk_score                        a column
    risk_factors                            the names in `risk_breakdown` of what the formula added
    anything else                           a path in the column `context`, the JSON text of what was sent

A risk template asks before the risk is known: its `risk_score` is what the agent sent (`SENT_RISK`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
import polars as pl

from assent.contract.conditions import Compare, Condition
from assent_analytics.backtest.conditions import kinds, leaves, name_of, test, tree
from assent_analytics.backtest.database import Database
from assent_analytics.backtest.values import Values, missing, of_json, of_number, of_text

SENT_RISK = "\0risk_score"
"""The name of the field `risk_score` of a context; no JSON of a context can hold such a name from outside."""
NO_FACTORS = frozenset({"base", "template", "history"})
"""What a breakdown names besides the factors of the formula."""

_COLUMNS = {"action_type": of_text, "agent_id": of_text, "declared_goal": of_text, "agent_risk_score": of_number}
_OWN = frozenset({*_COLUMNS, "risk_score", "risk_factors"})


def columns_of(conditions: Iterable[Condition]) -> set[str]:
    """The columns of the decisions that these conditions look at."""
    tops = {leaf.field.partition(".") for condition in conditions for leaf in leaves(condition)}
    names = {"risk_breakdown" if top == "risk_factors" else top for top, dot, _ in tops if top in _OWN and not dot}
    return names | ({"context"} if any(top not in _OWN for top, _, _ in tops) else set[str]())


class Fields:
    """The values of the fields of one batch, and what leaves say about them; each worked out once."""

    def __init__(self, batch: pl.DataFrame, asked: Iterable[Compare], database: Database) -> None:
        self._batch, self._search = batch, database.matches
        self._values: dict[str, Values] = {}
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

    def _of(self, field: str) -> Values:
        values = self._values.get(field)
        if values is None:
            values = self._values[field] = self._made(field)
        return values

    def _made(self, field: str) -> Values:
        if field in _COLUMNS:
            return _COLUMNS[field](self._batch[field])
        if field == "risk_score":
            return of_number(self._batch[field])
        if field == "risk_factors":
            return of_json(factors(self._batch["risk_breakdown"]), self._kinds[field])
        # A text or a number has no members.
        return missing(self._batch.height)

    def _read_context(self, wanted: Mapping[str, set[str]], database: Database) -> None:
        if not wanted:
            return
        paths = [_path(field) for field in wanted]
        found = database.members(self._batch["context"].cast(pl.String), paths)
        for (field, each), column in zip(wanted.items(), found, strict=True):
            # A context that names no systems touches none, which guard says with an empty list.
            texts = column.replace("null", None).fill_null("[]") if field == "systems_touched" else column
            self._values[field] = of_json(texts, each)


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
    return ("risk_score",) if field == SENT_RISK else tuple(field.split("."))


def _top(field: str) -> str:
    return field.partition(".")[0]
