"""A baseline window against a recent one: what has drifted, for whom, how far, and how sure that is.

1. Episodes belong to a window by `ended_at`, decisions by `occurred_at`; every group and metric that has rows in either
   window has a row.
2. Each group (`by`) is compared in all its metrics; the mix of action types in the groups without `action_type`.
3. Values that are NaN or infinite are excluded and counted; nulls are not known and not counted. `simulated` counts the
   group's rows of both windows that a simulator made.
4. Rows, their tests and their effects are those of `rows`; the family is the whole answer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import polars as pl

from assent.contract.guard import Decision
from assent_analytics.drift import groups
from assent_analytics.drift.groups import Key, Window, Windows
from assent_analytics.drift.metrics import LEAST, METRICS, MIN_BASELINE, MIN_RECENT, Least, Metric, chosen
from assent_analytics.drift.rows import SCHEMA, Asked, Row, frame, judged, of_categories, of_numbers, of_proportions
from assent_analytics.drift.values import LATER
from assent_analytics.frames import Frame, simulated, weight

_MADE, _TIMES = "_simulated", "_times"
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
    both = groups.windows(baseline, recent)
    group = _group(by)
    asked = Asked(fdr=fdr, least=least, min_baseline=min_baseline, min_recent=min_recent)
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


def _episodes(given: Frame, metrics: Sequence[Metric], both: Windows, by: Sequence[str], asked: Asked) -> Iterable[Row]:
    of_column = {metric.column: metric for metric in metrics}
    wanted = [metric for metric in metrics if metric.kind == "number"]
    rates = [metric.column for metric in metrics if metric.kind == "proportion"]
    rows = (
        groups.within(given, "ended_at", both, (*by, *of_column), "episodes")
        .select(*groups.keys(given, by), LATER, *of_column, simulated(given).alias(_MADE))
        .collect()
    )
    counts = (
        rows.lazy()
        .group_by(*by, LATER)
        .agg(
            pl.col(_MADE).sum(),
            *(pl.col(name).sum().alias(f"{name} yes") for name in rates),
            *(pl.col(name).count().alias(f"{name} known") for name in rates),
        )
        .collect()
    )
    sums: dict[tuple[Key, bool], dict[str, int]] = {
        (tuple(row[name] for name in by), row[LATER]): row for row in counts.iter_rows(named=True)
    }

    def of(key: Key, name: str) -> list[int]:
        return [int(sums.get((key, later), {}).get(name) or 0) for later in (False, True)]

    found = groups.numbers(rows.drop(_MADE, *rates), by, [metric.column for metric in wanted])
    for key, column, numbers, excluded in found:
        metric = of_column[column]
        row = of_numbers(metric.name, numbers, asked, worse=metric.worse, excluded=excluded)
        yield _keyed(row, by, key, sum(of(key, _MADE)))
    for key in dict.fromkeys(key for key, _ in sums):
        for column in rates:
            yes, known = of(key, f"{column} yes"), of(key, f"{column} known")
            pairs = list(zip(yes, known, strict=True))
            metric = of_column[column]
            row = of_proportions(metric.name, pairs[0], pairs[1], asked, worse=metric.worse)
            yield _keyed(row, by, key, sum(of(key, _MADE)))


def _decisions(
    given: Frame, metrics: Sequence[Metric], both: Windows, by: Sequence[str], asked: Asked
) -> Iterable[Row]:
    needed = tuple(dict.fromkeys((*by, *(metric.column for metric in metrics))))
    counts = (
        groups.within(given, "occurred_at", both, needed, "decisions")
        .select(*groups.keys(given, needed), LATER, simulated(given).alias(_MADE), weight(given).alias(_TIMES))
        .group_by(*needed, LATER, _MADE)
        .agg(pl.col(_TIMES).sum())
        .with_columns(pl.col(needed).cast(pl.String))
        .collect()
    )
    for metric in metrics:
        group = [name for name in by if metric.kind == "proportion" or name != metric.column]
        of_group: defaultdict[Key, list[dict[str, int]]] = defaultdict(lambda: [{}, {}])
        made: defaultdict[Key, int] = defaultdict(int)
        for row in counts.iter_rows(named=True):
            value, key = row[metric.column], tuple(row[name] for name in group)
            if value is None or (metric.column == "decision" and value not in set(Decision)):
                continue
            mix = of_group[key][row[LATER]]
            mix[value] = mix.get(value, 0) + row[_TIMES]
            made[key] += row[_TIMES] if row[_MADE] else 0
        for key, (before, after) in of_group.items():
            yield _keyed(_of_mix(metric, before, after, asked), group, key, made[key], by)


def _of_mix(metric: Metric, before: dict[str, int], after: dict[str, int], asked: Asked) -> Row:
    if metric.counted is None:
        return of_categories(metric.name, before, after, asked, worse=metric.worse)
    pairs = [(mix.get(metric.counted, 0), sum(mix.values())) for mix in (before, after)]
    return of_proportions(metric.name, pairs[0], pairs[1], asked, worse=metric.worse)


def _keyed(row: Row, group: Sequence[str], key: Key, made: int, by: Sequence[str] | None = None) -> Row:
    return dict.fromkeys(by or group) | dict(zip(group, key, strict=True)) | row | {"simulated": made}
