"""The trend of an agent's scores at the same work and at the same season, with its interval.

1. The score is regressed on time *within* kinds of work, which are action type, whether it can be taken back, and
   stated risk in bands of 20, with a line over the risk within bands. The risk is the agent's own (null is a band of
   its own): guard's has the agent's past failures in it, so that its bands would take out what is asked for, and it
   stands at the base risk of an action type whatever is stated below. Each window (day or week) has the same weight.
2. *Season.* Where the hours of the day (six parts of four hours, UTC) of the later half of the windows have other
   shares than those of the earlier half, by 8% or more, each part has a level of its own beside those of the kinds; so
   have the days of the week, where the windows reach over two weeks (the bounds are `drift.season`'s, decision 0324).
   Shares count each window alike; a middle window belongs to both halves. A part that only one half has tells of the
   trend within that half alone: `unmatched` counts the episodes in such parts, in which nothing is compared across
   halves.
3. The interval is the jackknife's over `clusters` blocks of neighbouring windows (`fixed_effects`): of `BLOCK_DAYS`
   days or more each, from `FEWEST_BLOCKS` (of shorter ones, where the windows are fewer) to `MOST_BLOCKS`. The fit is
   made anew without each block, levels and the line over risk too. Days that are alike to their neighbours make a
   block more alike in itself, and blocks less alike to each other: where days correlate by .5, means of five of them
   do so by .17.
4. The effective number of blocks is (sum of w)^2 / (sum of w^2), by what each tells of the slope (L. Kish, Survey
   Sampling (1965), section 11.7). With fewer than `FEWEST_BLOCKS` blocks that tell something, or 2 effective ones, as
   where one day lies far from all others, there is no interval; nor where they differ by rounding alone. Student's
   degrees of freedom are the effective blocks, rounded down, and never more than the blocks less one.
5. *Without season.* Levels of the hours take out what does not depend on the hours alone: where work begins and ends
   later from day to day and the first hours of *work* are hard, whichever they are, each part of the day gets easier or
   harder within itself while nothing changes. So the fit is made once more without the levels of rule 2, and a
   direction is told only where both fits tell it. Where there are no such levels it is the same fit.

*It assumes* that season moves an agent's kinds of work alike, and that blocks are independent.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import polars as pl

from assent_analytics.drift.season import BACK, HOURS, differ
from assent_analytics.fixed_effects import Slopes, slopes
from assent_analytics.means import t_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Codes: TypeAlias = NDArray[np.int64]

BAND: Final = 20
"""Points of risk in a band."""
BLOCK_DAYS, FEWEST_BLOCKS, MOST_BLOCKS = 5, 4, 10
"""How many days a block has at least, and how many blocks there are."""

_WEEKDAYS, _PARTS = 7, timedelta(days=1) // HOURS
_FLAT = 1e-9
_AT_ONCE = 2_000_000
"""About so many sums of products are kept at once, so that memory does not grow with the agents."""
_CELL = (
    *("_agent", "_pair", "_place", "_at", "_sort", "_home", "_part", "n", "total", "squares"),
    *("_risk", "_risk_squared", "_risk_score"),
)
_TRENDS = (
    *("standardized", "standardized_low", "standardized_high"),
    *("without_season", "without_season_low", "without_season_high"),
)
_COUNTS = ("kinds", "clusters", "unmatched")


def part_of_week(time: pl.Expr) -> pl.Expr:
    """The day of the week (Monday first) and the part of the day, as one number from 0 to 41; of a time in UTC."""
    part = time.dt.hour().cast(pl.Int64) // (HOURS // timedelta(hours=1))
    return (time.dt.weekday().cast(pl.Int64) - 1) * _PARTS + part


def seasons(counts: pl.DataFrame, days: int) -> pl.DataFrame:
    """Rule 2 for each `_agent`: whether its `hours` and its `days` of the week have levels, and how many episodes are
    `unmatched`. `counts` has the episodes `n` of each `_agent`, window `_at` (a number, each of `days`) and `_part` of
    the week."""
    counts = counts.sort("_agent", "_at")
    agent = counts["_agent"].rle_id().to_numpy().astype(np.int64)
    at, part, n = (counts[name].to_numpy() for name in ("_at", "_part", "n"))
    many = int(agent[-1]) + 1 if len(agent) else 0
    new = (np.diff(agent, prepend=-1) != 0) | (np.diff(at, prepend=-1) != 0)
    window, of = np.cumsum(new) - 1, agent[new]
    windows = np.bincount(of, minlength=many)
    rank = np.arange(len(of)) - (np.cumsum(windows) - windows)[of]
    share = n / np.bincount(window, n)[window] / ((windows + 1) // 2)[agent]
    cell = agent * (_WEEKDAYS * _PARTS) + part

    def summed(values: Floats) -> Floats:
        found = np.bincount(cell, values, many * _WEEKDAYS * _PARTS).astype(np.float64)
        return found.reshape(many, _WEEKDAYS, _PARTS)

    halves = [summed(share * half[window]) for half in (2 * rank < windows[of], 2 * (rank + 1) > windows[of])]
    by_hour, by_day = [each.sum(axis=1) for each in halves], [each.sum(axis=2) for each in halves]
    ends = np.cumsum(windows) - 1
    reach = (at[new][ends] - at[new][ends - windows + 1]) * days
    hours, weekdays = differ(*by_hour), differ(*by_day) & (reach >= BACK.days)
    alone = (hours[:, None] & (np.minimum(*by_hour) <= 0))[:, None, :]
    alone = alone | (weekdays[:, None] & (np.minimum(*by_day) <= 0))[:, :, None]
    return pl.DataFrame(
        {
            "_agent": counts["_agent"].unique(maintain_order=True),
            "hours": hours,
            "days": weekdays,
            "unmatched": (summed(n.astype(np.float64)) * alone).sum(axis=(1, 2)).astype(np.int64),
        }
    )


def standardized(cells: pl.DataFrame, enough: NDArray[np.bool_], season: pl.DataFrame, days: int) -> pl.DataFrame:
    """Rules 1 to 5 for each agent in the order of ids, null for those that do not have `enough`: `standardized` with
    `standardized_low` and `standardized_high` in points of score a window, `without_season` with its ends (rule 5),
    `kinds`, `clusters`, `unmatched` and `basis`.

    `cells` are episodes added up by agent, window of so many `days`, kind of work and part of the week
    (`velocity`); `season` has what `seasons` gives, and what of an agent counts `whole`, such as its sessions.
    """
    schema: dict[str, Any] = {
        **dict.fromkeys(_TRENDS, pl.Float64()),
        **dict.fromkeys(_COUNTS, pl.Int64()),
        "basis": pl.String(),
    }
    rows: list[tuple[Any, ...]] = [(None,) * len(schema)] * len(enough)
    agents = (
        cells.group_by("_agent")
        .agg(pl.col("agent_id").first())
        .sort("agent_id")
        .select("_agent", pl.int_range(pl.len()).alias("_order"))
        .filter(pl.Series(enough, dtype=pl.Boolean))
        .join(season, on="_agent", how="left")
        .sort("hours", "days", "_order")
        .with_row_index("_rank")
    )
    for part in _batches(cells.select(_CELL).join(agents, on="_agent").sort("_rank", "_place")):
        levels = ("hours",) * part["hours"][0] + ("days",) * part["days"][0]
        fits = _fitted(part, levels, days)
        alone = _fitted(part, (), days) if levels else fits
        for place, (ends, *rest), (without, *_) in zip(
            part["_order"].unique(maintain_order=True), fits, alone, strict=True
        ):
            rows[place] = (*ends, *without, *rest)
    return pl.DataFrame(rows, schema=schema, orient="row")


def _batches(cells: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Neighbouring agents with the same levels, as many as fit into `_AT_ONCE` or one."""
    hours, days = (cells[name].to_numpy().astype(np.int64) for name in ("hours", "days"))
    size = (4 + (_PARTS - 1) * hours + (_WEEKDAYS - 1) * days) ** 2
    begins = np.flatnonzero(np.diff(cells["_order"].rle_id().to_numpy().astype(np.int64), prepend=-1)).tolist()
    begin = 0
    for end, after in pairwise([*begins[1:], cells.height, cells.height] if begins else []):
        if end == after or size[begin] != size[end] or (after - begin) * size[begin] > _AT_ONCE:
            yield cells[begin:end]
            begin = end


def _fitted(cells: pl.DataFrame, levels: tuple[str, ...], days: int) -> list[tuple[Any, ...]]:
    """For each agent, in the order of `cells`: the slope with its interval, kinds, blocks, what is unmatched, basis."""
    agent = cells["_order"].rle_id().to_numpy().astype(np.int64)
    begins = np.flatnonzero(np.diff(agent, prepend=-1))
    at, home = (cells[name].to_numpy() - cells["_at"].to_numpy()[begins][agent] for name in ("_at", "_home"))
    # Windows with episodes in the order of time, and how many come before in the same agent.
    reach = int(max(at.max(), home.max())) + 1
    there, window = np.unique(agent * reach + at, return_inverse=True)
    window_begins = np.searchsorted(there, np.arange(len(begins)) * reach)
    windows = np.diff(window_begins, append=len(there))
    wanted = np.minimum(windows, np.clip(windows // max(BLOCK_DAYS // days, 1), FEWEST_BLOCKS, MOST_BLOCKS))
    rank = np.searchsorted(there, agent * reach + home, side="right") - 1 - window_begins[agent]
    blocks, block = np.unique(agent * MOST_BLOCKS + rank * wanted[agent] // windows[agent], return_inverse=True)
    pairs = np.unique(cells["_pair"].to_numpy(), return_inverse=True)[1]
    kind = np.unique(pairs * 32 + cells["_sort"].to_numpy(), return_inverse=True)[1]
    n, total, squares, risk, risk_squared, risk_score = (
        cells[name].to_numpy().astype(np.float64)
        for name in ("n", "total", "squares", "_risk", "_risk_squared", "_risk_score")
    )
    # The same weight for each window.
    each = 1 / np.bincount(window, n)[window]
    heavy = np.bincount(agent, each * n)

    def centre(sums: Floats) -> Floats:
        return np.asarray((np.bincount(agent, each * sums) / heavy)[agent])

    time, middle, stated = at - centre(at * n), centre(total), centre(risk)
    of_risk, of_score = risk - stated * n, total - middle * n
    # What an episode of a cell has of the columns that are alike in all of them; their products with the others follow.
    alike = [np.ones(len(n)), time, *_levels(cells["_part"].to_numpy(), levels)]
    products: list[Floats] = []
    for place, column in enumerate(alike):
        products += [column * other * n for other in alike[place:]]
        products += [column * of_risk, column * of_score]
    products += [
        risk_squared - 2 * stated * risk + stated**2 * n,
        risk_score - stated * total - middle * of_risk,
        squares - 2 * middle * total + middle**2 * n,
    ]
    found = slopes([each * sums for sums in products], kind, block, blocks // MOST_BLOCKS)
    kinds = np.bincount(agent[np.unique(kind, return_index=True)[1]], minlength=len(begins))
    many, episodes = np.bincount(blocks // MOST_BLOCKS), np.bincount(agent, n)
    whole, unmatched = cells["whole"].gather(begins).to_list(), cells["unmatched"].to_numpy()[begins]
    rows = []
    for place in range(len(begins)):
        ends = _interval(found, place, episodes[place] - kinds[place] - len(alike) + 1)
        clusters = many[place] if ends[1] is None else found.blocks[place]
        basis = _basis(int(windows[place]), int(wanted[place]), days, whole[place], levels)
        rows.append((ends, int(kinds[place]), int(clusters), int(unmatched[place]), basis))
    return rows


def _levels(part: Codes, levels: tuple[str, ...]) -> list[Floats]:
    """A column for each part of the day and each day of the week but the first, where these have levels."""
    of_levels = {"hours": (part % _PARTS, _PARTS), "days": (part // _PARTS, _WEEKDAYS)}
    return [
        (of_levels[name][0] == level).astype(np.float64) for name in levels for level in range(1, of_levels[name][1])
    ]


def _basis(windows: int, blocks: int, days: int, whole: str | None, levels: tuple[str, ...]) -> str:
    """What a block is, such as "5 days", "2 to 3 weeks, whole threads" or "5 days, at the same hours"."""
    word = "day" if days == 1 else "week"
    least, most = windows // blocks, -(-windows // blocks)
    length = word if most == 1 else f"{least} {word}s" if least == most else f"{least} to {most} {word}s"
    season = {"hours": "hours", "days": "days of the week"}
    same = ", at the same " + " and ".join(season[each] for each in levels) if levels else ""
    return length + (f", whole {whole}" if whole else "") + same


def _interval(found: Slopes, at: int, free: float) -> tuple[float | None, float | None, float | None]:
    """The slope with its interval, by rule 4; `free` episodes are left beside all levels."""
    slope, error, blocks, effective = (float(each[at]) for each in found)
    if not isfinite(slope):
        return None, None, None
    # A window's scores reach to 100, and what is left of them within kinds is exact to some twelve digits.
    worth = effective * (1 + _FLAT)
    if not isfinite(error) or error <= _FLAT or blocks < FEWEST_BLOCKS or worth < 2 or free < 1:
        return slope, None, None
    half = t_quantile(min(blocks - 1, int(worth))) * error
    return slope, slope - half, slope + half
