"""Any columns of two frames, compared by the tests of `rows`: drift of data that is not governance's own."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from assent_analytics.drift import groups
from assent_analytics.drift.metrics import LEAST, MIN_BASELINE, MIN_RECENT, Kind, Least
from assent_analytics.drift.rows import Asked, Row, frame, judged, of_categories, of_numbers, of_proportions
from assent_analytics.frames import Frame

_CAN = "compare numbers with numbers, true and false with the same, texts with texts"


def compare_columns(
    baseline: Frame,
    recent: Frame,
    columns: Sequence[str] | None = None,
    *,
    fdr: float = 0.05,
    least: Least = LEAST,
    min_baseline: int = MIN_BASELINE,
    min_recent: int = MIN_RECENT,
) -> pl.DataFrame:
    """Any columns of two frames, one row for each with its name as `metric`: numbers, true and false as
    proportions, texts as categories; without `columns`, those of both frames that are of these kinds.

    Raises ValueError for columns that are missing or of another kind.
    """
    asked = Asked(fdr=fdr, least=least, min_baseline=min_baseline, min_recent=min_recent)
    first, second = baseline.lazy(), recent.lazy()
    kinds = {name: _kind(kind) for name, kind in first.collect_schema().items()}
    later = {name: _kind(kind) for name, kind in second.collect_schema().items()}
    names = [name for name, kind in kinds.items() if kind and kind == later.get(name)]
    for name in columns or ():
        if name not in kinds or name not in later:
            raise ValueError(f"there is no column {name} in both frames; they share {', '.join(names) or 'none'}")
        if name not in names:
            kind, other = (each or "something else" for each in (kinds[name], later[name]))
            raise ValueError(f"column {name} is {kind} in one frame and {other} in the other; {_CAN}")
    names = names if columns is None else list(dict.fromkeys(columns))
    before, after = pl.collect_all([first.select(names), second.select(names)])

    def one(name: str) -> Row:
        return _column(name, kinds[name], before[name], after[name], asked)

    return frame(judged(groups.in_threads(one, names), asked))


def _column(name: str, kind: Kind | None, before: pl.Series, after: pl.Series, asked: Asked) -> Row:
    if kind == "number":
        found, excluded = groups.side_by_side(before, after)
        return of_numbers(name, found, asked, excluded=excluded)
    if kind == "proportion":
        shares = [(int(each.sum()), len(each) - each.null_count()) for each in (before, after)]
        return of_proportions(name, shares[0], shares[1], asked)
    mixes = [dict(each.cast(pl.String).drop_nulls().value_counts(name="count").iter_rows()) for each in (before, after)]
    return of_categories(name, mixes[0], mixes[1], asked)


def _kind(kind: pl.DataType) -> Kind | None:
    if kind.is_numeric():
        return "number"
    if kind == pl.Boolean:
        return "proportion"
    return "category" if isinstance(kind, pl.String | pl.Categorical | pl.Enum) else None
