"""Drift between two windows: a baseline against a recent one, for each group and metric, with tests, effects and what
has drifted.

`compare` does it for episodes and decisions, `compare_columns` for the columns of any two frames. The tests are those
of `rows`.

A window is half-open, [since, until), and in UTC whether a column says so or not. The windows must not overlap: what
is in both could not differ.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import polars as pl

from assent.contract.control.guard import Decision
from assent_analytics.drift.clustering import CLUSTER, SESSION, coded, of_mix, of_values, session_of
from assent_analytics.drift.metrics import (
    LEAST,
    METRICS,
    MIN_BASELINE,
    MIN_RECENT,
    Kind,
    Least,
    MetricDefinition,
    chosen,
)
from assent_analytics.drift.numbers import Numbers, compared, compared_groups
from assent_analytics.drift.rows import (
    SCHEMA,
    Clustering,
    ComparisonSettings,
    Row,
    frame,
    judged,
    of_categories,
    of_numbers,
    of_proportions,
)
from assent_analytics.drift.season import Unmatched, into, standardised, step_of, weight_of
from assent_analytics.drift.values import GROUP, LATER, VALUE, WEIGHT, known
from assent_analytics.frames import Frame, need, simulated, utc, weight

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGE = 2_000
"""From how many rows a group, on average, groups are taken one by one: sorting their values apart is faster then."""

Window = tuple[datetime, datetime]
Key = tuple[str | None, ...]


class Windows(NamedTuple):
    baseline: Window
    recent: Window


def windows(baseline: Window, recent: Window) -> Windows:
    """Both, checked and in UTC. Raises ValueError for times without a zone, for windows that end before they begin and
    for those that overlap."""
    for name, (since, until) in (("baseline", baseline), ("recent", recent)):
        if since.tzinfo is None or until.tzinfo is None:
            raise ValueError(f"{name} is from {since} to {until}, without a time zone; give aware times")
    # Python compares times of one zone by their clock, which an autumn night shows twice; Polars compares no two zones.
    baseline, recent = _utc(baseline), _utc(recent)
    for name, (since, until) in (("baseline", baseline), ("recent", recent)):
        if since >= until:
            raise ValueError(f"{name} is from {since} to {until}; give a beginning before its end")
    if baseline[0] < recent[1] and recent[0] < baseline[1]:
        raise ValueError(
            f"baseline ends at {baseline[1]} and recent begins at {recent[0]}; give windows that do not overlap"
        )
    return Windows(baseline, recent)


def _utc(window: Window) -> Window:
    since, until = window
    return since.astimezone(UTC), until.astimezone(UTC)


def within(frame: Frame, time: str, both: Windows, names: Sequence[str], what: str) -> pl.LazyFrame:
    """The rows of either window, with `later` true in the recent one. Raises ValueError naming missing columns."""
    at = utc(time)
    later = at.is_between(*both.recent, closed="left")
    return (
        need(frame, (time, *names), what)
        .filter(at.is_between(*both.baseline, closed="left") | later)
        .with_columns(later.alias(LATER))
    )


def keys(frame: Frame, by: Sequence[str]) -> list[pl.Expr]:
    """The columns to group by as texts, dictionary-encoded so that ten million of them group fast."""
    schema = frame.lazy().collect_schema()
    coded = (pl.Categorical, pl.Enum)
    return [
        pl.col(name) if isinstance(schema[name], coded) else pl.col(name).cast(pl.String).cast(pl.Categorical)
        for name in by
    ]


class MetricComparison(NamedTuple):
    """One metric of one group; `excluded` values were NaN or infinite."""

    key: Key
    metric: str
    numbers: Numbers
    excluded: int


def compared_numbers(frame: pl.DataFrame, by: Sequence[str], metrics: Sequence[str]) -> Iterator[MetricComparison]:
    """Each metric of each group of a frame of keys, `later` and a column for each metric, and for its weights where the
    baseline is standardised."""
    if not metrics or frame.is_empty():
        return iter(())
    groups = frame.select(by).n_unique() if by else 1
    weighted = weight_of(metrics[0]) in frame.columns
    apart = not weighted and len(frame) >= LARGE * groups
    return _one_by_one(frame, by, metrics) if apart else _together(frame, by, metrics)


def side_by_side(baseline: pl.Series, recent: pl.Series) -> tuple[Numbers, int]:
    """Two samples compared, and how many of their values were excluded."""
    first, second = known(baseline), known(recent)
    given = sum(len(each) - each.null_count() for each in (baseline, recent))
    return compared(first, second), given - len(first) - len(second)


def in_threads(do: Any, tasks: Sequence[Any]) -> list[Any]:
    """What `do` gives for each, in order; sorting does not hold Python's lock."""
    with ThreadPoolExecutor(pl.thread_pool_size()) as pool:
        return list(pool.map(do, tasks))


def _one_by_one(frame: pl.DataFrame, by: Sequence[str], metrics: Sequence[str]) -> Iterator[MetricComparison]:
    parts = frame.partition_by(*by, LATER, as_dict=True, include_key=False)
    empty = frame.clear()

    def one(task: tuple[Key, str]) -> MetricComparison:
        key, metric = task
        before, after = (parts.get((*key, later), empty)[metric] for later in (False, True))
        return MetricComparison(key, metric, *side_by_side(before, after))

    found = dict.fromkeys(part[:-1] for part in parts)
    return iter(in_threads(one, [(key, metric) for key in found for metric in metrics]))


def _together(frame: pl.DataFrame, by: Sequence[str], metrics: Sequence[str]) -> Iterator[MetricComparison]:
    names = frame.select(by).unique(maintain_order=True).with_row_index(GROUP) if by else None
    coded = frame.with_columns(pl.lit(0, pl.UInt32).alias(GROUP))
    if names is not None:
        coded = frame.join(names, on=list(by), how="left", nulls_equal=True)
    given = dict(
        coded.group_by(GROUP).agg(pl.struct(pl.col(metrics).count()).alias("given")).select(GROUP, "given").iter_rows()
    )
    of_key: dict[int, Key] = {0: ()} if names is None else {row[0]: row[1:] for row in names.iter_rows()}
    for metric in metrics:
        value = pl.col(metric).cast(pl.Float64).alias(VALUE)
        weights = [pl.col(weight_of(metric)).alias(WEIGHT)] if weight_of(metric) in coded.columns else []
        found = compared_groups(coded.select(GROUP, LATER, value, *weights).filter(pl.col(VALUE).is_finite()))
        for group, key in of_key.items():
            each = found.get(group, Numbers())
            yield MetricComparison(key, metric, each, given[group][metric] - each.baseline.n - each.recent.n)


# A baseline window against a recent one: what has drifted, for whom, how far, and how sure that is.
#
# 1. Episodes belong to a window by `ended_at`, decisions by `occurred_at`; every group and metric that has rows in
#    either window has a row.
# 2. Each group (`by`) is compared in all its metrics; the mix of action types in the groups without `action_type`.
# 3. Values that are NaN or infinite are excluded and counted; nulls are not known and not counted. `simulated` counts
#    the group's rows of both windows that a simulator made.
# 4. Rows of one session, else of one thread (`session_id`, `thread_id`, where the frame has them), are one cluster
#    (`clustering`).
# 5. Where the windows do not hold the hours of the week equally often, the baseline is standardised (`season`).
# 6. Rows, their tests and their effects are those of `rows`; the family is the whole answer.


NOTHING: Unmatched = {}
_MADE, _TIMES, _WORTH, _CODE = "_simulated", "_times", "_worth", "_code"
_TAKEN = frozenset({*SCHEMA, LATER, *(metric.column for metric in METRICS.values() if metric.frame == "episodes")})
"""Names that no key can have: those of the answer, and of what is compared."""


def compare(
    episodes: Frame | None,
    decisions: Frame | None,
    *,
    baseline: Window,
    recent: Window,
    by: Sequence[str] = ("agent_id", "action_type"),
    metrics: Sequence[str] | None = None,
    fdr: float = 0.05,
    least: Least = LEAST,
    min_baseline: int = MIN_BASELINE,
    min_recent: int = MIN_RECENT,
) -> pl.DataFrame:
    """One row for each group and metric, in the order of keys and `METRICS`: the columns of `by`, then `rows.SCHEMA`.

    Episodes are those of `episodes.episodes`, decisions rows as they are served, where alike ones may be given once
    with their number `n`; without one of the frames its metrics are left out. Raises ValueError for windows that
    overlap, end before they begin or have no zone, for unknown metrics, for columns that are missing, and for keys that
    are compared themselves, are called like a column of the answer, or come twice.
    """
    both = windows(baseline, recent)
    group = _group(by)
    asked = ComparisonSettings(fdr=fdr, least=least, min_baseline=min_baseline, min_recent=min_recent)
    wanted = chosen(None if metrics is None else tuple(metrics))
    rows: list[Row] = []
    for table, given in (("episodes", episodes), ("decisions", decisions)):
        of_table = [metric for metric in wanted if metric.frame == table]
        if given is not None and of_table:
            compared = _episodes if table == "episodes" else _decisions
            rows += compared(given, of_table, both, group, asked)
    order = list(METRICS)
    rows.sort(key=lambda row: ([(row[name] is None, row[name] or "") for name in group], order.index(row["metric"])))
    return frame(judged(rows, asked), group)


def _group(by: Sequence[str]) -> tuple[str, ...]:
    names = (by,) if isinstance(by, str) else tuple(by)
    if wrong := sorted({name for name in names if name in _TAKEN or names.count(name) > 1}):
        raise ValueError(f"by has {', '.join(wrong)}; give columns that are not compared themselves, each once")
    return names


def _read(
    given: Frame, time: str, both: Windows, needed: Sequence[str], keyed: Sequence[str], *more: pl.Expr
) -> pl.DataFrame:
    """The rows of both windows: keys, `later`, whether they are simulated, their session, what more is asked for, and
    when, where the baseline is to be standardised."""
    return (
        within(given, time, both, needed, "episodes" if time == "ended_at" else "decisions")
        .select(
            *keys(given, keyed),
            LATER,
            *more,
            simulated(given).alias(_MADE),
            session_of(given),
            *([] if step_of(both) is None else [into(utc(time), both)]),
        )
        .collect()
    )


def _episodes(
    given: Frame, metrics: Sequence[MetricDefinition], both: Windows, by: Sequence[str], asked: ComparisonSettings
) -> Iterable[Row]:
    of_column = {metric.column: metric for metric in metrics}
    wanted = [metric for metric in metrics if metric.kind == "number"]
    rates = [metric.column for metric in metrics if metric.kind == "proportion"]
    rows = _read(given, "ended_at", both, (*by, *of_column), by, *map(pl.col, of_column))
    step, unmatched = step_of(both), NOTHING
    if step is not None:
        rows, unmatched = standardised(rows, by, list(of_column), step)
    clustering = _groups(rows, by)
    rows = rows.drop(CLUSTER)
    counts = (
        rows.lazy()
        .group_by(*by, LATER)
        .agg(
            pl.col(_MADE).sum(),
            *(
                (pl.col(name) if step is None else pl.col(name) * pl.col(weight_of(name))).sum().alias(f"{name} yes")
                for name in rates
            ),
            *(
                (pl.col(name).count() if step is None else pl.col(weight_of(name)).sum()).alias(f"{name} worth")
                for name in rates
            ),
            *(pl.col(name).count().alias(f"{name} known") for name in rates),
        )
        .collect()
    )
    sums: dict[tuple[Key, bool], dict[str, float]] = {
        (tuple(row[name] for name in by), row[LATER]): row for row in counts.iter_rows(named=True)
    }

    def of(key: Key, name: str) -> list[float]:
        return [sums.get((key, later), {}).get(name) or 0 for later in (False, True)]

    found = compared_numbers(rows.drop(_MADE, *rates), by, [metric.column for metric in wanted])
    for key, column, numbers, excluded in found:
        metric = of_column[column]
        alike = clustering(key, column, ranked=True)
        row = of_numbers(metric.name, numbers, asked, worse=metric.worse, excluded=excluded, clustering=alike)
        yield _keyed(row, by, key, int(sum(of(key, _MADE)))) | _seasonal(unmatched, key, column)
    for key in dict.fromkeys(key for key, _ in sums):
        for column in rates:
            pairs = list(zip(of(key, f"{column} yes"), of(key, f"{column} worth"), strict=True))
            rows_of = int(of(key, f"{column} known")[0]) if key in unmatched else None
            metric = of_column[column]
            alike = clustering(key, column, ranked=False)
            row = of_proportions(
                metric.name, pairs[0], pairs[1], asked, worse=metric.worse, clustering=alike, rows=rows_of
            )
            yield _keyed(row, by, key, int(sum(of(key, _MADE)))) | _seasonal(unmatched, key, column)


def _seasonal(unmatched: Unmatched, key: Key, column: str) -> Row:
    """Whether the group's baseline is standardised, and how many values of the column are compared with nothing."""
    return {"standardised": key in unmatched, "unmatched": unmatched.get(key, {}).get(column, 0)}


class _Groups(Protocol):
    def __call__(self, key: Key, column: str, *, ranked: bool) -> Clustering | None: ...


def _groups(rows: pl.DataFrame, by: Sequence[str]) -> _Groups:
    """Asks for the clustering of a group's metric; None where no row has a session."""
    if rows[CLUSTER].null_count() == len(rows):
        return lambda key, column, *, ranked: None
    codes, basis = coded(rows[CLUSTER])
    numbered = rows.with_columns(pl.Series(_CODE, codes))
    parts: dict[Key, pl.DataFrame] = {(): numbered}
    if by:
        parts = dict(numbered.partition_by(*by, as_dict=True, include_key=False))

    def of(key: Key, column: str, *, ranked: bool) -> Clustering:
        part = parts[key]
        return of_values(part[column], part[LATER], part[_CODE].to_numpy(), basis, ranked=ranked)

    return of


def _decisions(
    given: Frame, metrics: Sequence[MetricDefinition], both: Windows, by: Sequence[str], asked: ComparisonSettings
) -> Iterable[Row]:
    needed = tuple(dict.fromkeys((*by, *(metric.column for metric in metrics))))
    rows = _read(given, "occurred_at", both, needed, needed, weight(given).alias(_TIMES))
    if "decision" in needed:
        ours = pl.col("decision").cast(pl.String).is_in([each.value for each in Decision])
        rows = rows.with_columns(pl.when(ours).then(pl.col("decision")))
    clustered = rows[CLUSTER].null_count() < len(rows)
    codes, basis = coded(rows[CLUSTER])
    rows = rows.with_columns(pl.Series(_CODE, codes)).drop(CLUSTER)
    step = step_of(both)
    for metric in metrics:
        group = [name for name in by if metric.kind == "proportion" or name != metric.column]
        table, unmatched = rows, NOTHING
        if step is not None:
            table, unmatched = standardised(rows, group, [metric.column], step, _TIMES)
        known = table.filter(pl.col(metric.column).is_not_null())
        each = pl.lit(1) if step is None else pl.col(weight_of(metric.column))
        counts = (
            known.lazy()
            .group_by(*dict.fromkeys((*group, metric.column)), LATER)
            .agg(
                (pl.col(_TIMES) * each).sum().alias(_WORTH),
                pl.col(_TIMES).sum(),
                pl.col(_TIMES).filter(_MADE).sum().alias(_MADE),
            )
            .with_columns(pl.col(*dict.fromkeys((*group, metric.column))).cast(pl.String))
            .collect()
        )
        of_group: defaultdict[Key, list[dict[str, float]]] = defaultdict(lambda: [{}, {}])
        numbers: defaultdict[Key, Counter[str]] = defaultdict(Counter)
        for row in counts.iter_rows(named=True):
            key = tuple(row[name] for name in group)
            of_group[key][row[LATER]][row[metric.column]] = row[_WORTH]
            numbers[key][_MADE] += row[_MADE]
            numbers[key]["baseline"] += 0 if row[LATER] else row[_TIMES]
        parts: dict[Key, pl.DataFrame] = {}
        if clustered:
            texts = known.with_columns(pl.col(*dict.fromkeys((*group, metric.column))).cast(pl.String))
            parts = texts.partition_by(*group, as_dict=True) if group else {(): texts}
        for key, (before, after) in of_group.items():
            alike = _alike(metric, parts[key], basis) if parts else None
            rows_of = numbers[key]["baseline"] if key in unmatched else None
            row = _of_mix(metric, before, after, asked, alike, rows_of)
            yield _keyed(row, group, key, numbers[key][_MADE], by) | _seasonal(unmatched, key, metric.column)


def _alike(metric: MetricDefinition, part: pl.DataFrame, basis: str) -> Clustering:
    values = part[metric.column] if metric.counted is None else part[metric.column] == metric.counted
    return of_mix(values, part[LATER], part[_CODE].to_numpy(), part[_TIMES].cast(pl.Int64).to_numpy(), basis)


def _of_mix(
    metric: MetricDefinition,
    before: dict[str, float],
    after: dict[str, float],
    asked: ComparisonSettings,
    alike: Clustering | None,
    rows: int | None,
) -> Row:
    if metric.counted is None:
        return of_categories(metric.name, before, after, asked, worse=metric.worse, clustering=alike, rows=rows)
    pairs = [(mix.get(metric.counted, 0), sum(mix.values())) for mix in (before, after)]
    return of_proportions(metric.name, pairs[0], pairs[1], asked, worse=metric.worse, clustering=alike, rows=rows)


def _keyed(row: Row, group: Sequence[str], key: Key, made: int, by: Sequence[str] | None = None) -> Row:
    return dict.fromkeys(by or group) | dict(zip(group, key, strict=True)) | row | {"simulated": made}


# Any columns of two frames, compared by the tests of `rows`: drift of data that is not governance's own.


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
    session: str | None = None,
) -> pl.DataFrame:
    """Any columns of two frames, one row for each with its name as `metric`: numbers, true and false as
    proportions, texts as categories; without `columns`, those of both frames that are of these kinds.

    `session` is the column whose equal values make a cluster of rows; without it, rows are independent. Raises
    ValueError for columns that are missing or of another kind.
    """
    asked = ComparisonSettings(fdr=fdr, least=least, min_baseline=min_baseline, min_recent=min_recent)
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
    codes: tuple[NDArray[np.int64], str] | None = None
    if session is not None:
        if session not in kinds or session not in later:
            raise ValueError(f"there is no column {session} in both frames; they share {', '.join(names) or 'none'}")
        names = [name for name in names if name != session]
        named = [each.rename({session: SESSION}) for each in (first, second)]
        asked_for = [each.select(session_of(each)) for each in named]
        codes = coded(pl.concat(pl.collect_all(asked_for))[CLUSTER])
    before, after = pl.collect_all([first.select(names), second.select(names)])

    def one(name: str) -> Row:
        alike = None if codes is None else _of_columns(kinds[name], before[name], after[name], *codes)
        return _column(name, kinds[name], before[name], after[name], asked, alike)

    return frame(judged(in_threads(one, names), asked))


def _of_columns(
    kind: Kind | None, before: pl.Series, after: pl.Series, codes: NDArray[np.int64], basis: str
) -> Clustering:
    values = pl.concat([before.cast(pl.String), after.cast(pl.String)]) if kind == "category" else None
    values = pl.concat([before.cast(pl.Float64), after.cast(pl.Float64)]) if values is None else values
    recent = pl.Series(np.arange(len(values)) >= len(before))
    if kind != "category":
        return of_values(values, recent, codes, basis, ranked=kind == "number")
    known = values.is_not_null()
    there = codes[known.to_numpy()]
    return of_mix(values.filter(known), recent.filter(known), there, np.ones(len(there), np.int64), basis)


def _column(
    name: str,
    kind: Kind | None,
    before: pl.Series,
    after: pl.Series,
    asked: ComparisonSettings,
    alike: Clustering | None,
) -> Row:
    if kind == "number":
        found, excluded = side_by_side(before, after)
        return of_numbers(name, found, asked, excluded=excluded, clustering=alike)
    if kind == "proportion":
        shares = [(int(each.sum()), len(each) - each.null_count()) for each in (before, after)]
        return of_proportions(name, shares[0], shares[1], asked, clustering=alike)
    mixes = [dict(each.cast(pl.String).drop_nulls().value_counts(name="count").iter_rows()) for each in (before, after)]
    return of_categories(name, mixes[0], mixes[1], asked, clustering=alike)


def _kind(kind: pl.DataType) -> Kind | None:
    if kind.is_numeric():
        return "number"
    if kind == pl.Boolean:
        return "proportion"
    return "category" if isinstance(kind, pl.String | pl.Categorical | pl.Enum) else None
