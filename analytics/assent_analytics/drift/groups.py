"""The rows of two windows, by group and window.

A window is half-open, [since, until), and in UTC whether a column says so or not. The windows must not overlap: what
is in both could not differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any, NamedTuple

import polars as pl

from assent_analytics.drift.numbers import Numbers, compared, compared_groups
from assent_analytics.drift.values import GROUP, LATER, VALUE, known
from assent_analytics.frames import Frame, need, utc

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


class Found(NamedTuple):
    """One metric of one group; `excluded` values were NaN or infinite."""

    key: Key
    metric: str
    numbers: Numbers
    excluded: int


def numbers(frame: pl.DataFrame, by: Sequence[str], metrics: Sequence[str]) -> Iterator[Found]:
    """Each metric of each group of a frame of keys, `later` and a column for each metric."""
    if not metrics or frame.is_empty():
        return iter(())
    groups = frame.select(by).n_unique() if by else 1
    return _one_by_one(frame, by, metrics) if len(frame) >= LARGE * groups else _together(frame, by, metrics)


def side_by_side(baseline: pl.Series, recent: pl.Series) -> tuple[Numbers, int]:
    """Two samples compared, and how many of their values were excluded."""
    first, second = known(baseline), known(recent)
    given = sum(len(each) - each.null_count() for each in (baseline, recent))
    return compared(first, second), given - len(first) - len(second)


def in_threads(do: Any, tasks: Sequence[Any]) -> list[Any]:
    """What `do` gives for each, in order; sorting does not hold Python's lock."""
    with ThreadPoolExecutor(pl.thread_pool_size()) as pool:
        return list(pool.map(do, tasks))


def _one_by_one(frame: pl.DataFrame, by: Sequence[str], metrics: Sequence[str]) -> Iterator[Found]:
    parts = frame.partition_by(*by, LATER, as_dict=True, include_key=False)
    empty = frame.clear()

    def one(task: tuple[Key, str]) -> Found:
        key, metric = task
        before, after = (parts.get((*key, later), empty)[metric] for later in (False, True))
        return Found(key, metric, *side_by_side(before, after))

    found = dict.fromkeys(part[:-1] for part in parts)
    return iter(in_threads(one, [(key, metric) for key in found for metric in metrics]))


def _together(frame: pl.DataFrame, by: Sequence[str], metrics: Sequence[str]) -> Iterator[Found]:
    names = frame.select(by).unique(maintain_order=True).with_row_index(GROUP) if by else None
    coded = frame.with_columns(pl.lit(0, pl.UInt32).alias(GROUP))
    if names is not None:
        coded = frame.join(names, on=list(by), how="left", nulls_equal=True)
    given = dict(
        coded.group_by(GROUP).agg(pl.struct(pl.col(metrics).count()).alias("given")).select(GROUP, "given").iter_rows()
    )
    of_key: dict[int, Key] = {0: ()} if names is None else {row[0]: row[1:] for row in names.iter_rows()}
    for metric in metrics:
        value = pl.col(metric).cast(pl.Float64)
        found = compared_groups(coded.select(GROUP, LATER, value.alias(VALUE)).filter(pl.col(VALUE).is_finite()))
        for group, key in of_key.items():
            each = found.get(group, Numbers())
            yield Found(key, metric, each, given[group][metric] - each.baseline.n - each.recent.n)
