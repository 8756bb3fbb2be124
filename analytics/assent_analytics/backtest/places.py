"""Where ids stand among others: the first place of each, by the cheapest way that their order allows.

Ids that ascend, as those of a simulated history do, are merged in one pass over both. Others are joined by hash, which
takes several times as long.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import polars as pl

Places: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"

NOWHERE = -1


def places(wanted: pl.Series, ids: pl.Series) -> Places:
    """The place of each wanted id among `ids`, the first where one is there twice; NOWHERE for others and for null."""
    if wanted.dtype != ids.dtype:
        wanted, ids = wanted.cast(pl.String), ids.cast(pl.String)
    if wanted.dtype == pl.String and not wanted.has_nulls() and wanted.is_sorted() and _ascend(ids):
        return _merged(wanted, ids)
    # Numbers join several times faster than texts. A second hash, of another seed, tells whether two texts only share
    # the first: 128 bits are as good as the texts.
    place = _joined(wanted.hash(0), ids.hash(0))
    if place is None or not _alike(wanted.hash(1), ids.hash(1), place):
        once = pl.DataFrame({"id": ids}).with_row_index("place").unique("id", keep="first")
        place = _joined(wanted, once["id"])
        assert place is not None, "ids that are there once are found once"
        back = once["place"].cast(pl.Int64).to_numpy()
        place = np.where(place >= 0, back[np.maximum(place, 0)], NOWHERE) if len(back) else place
    # Without an id there is nothing to find.
    return np.where(wanted.is_null().to_numpy(), NOWHERE, place)


def _ascend(ids: pl.Series) -> bool:
    """Whether each id is above the one before it; then none is there twice, and none is null."""
    return not ids.has_nulls() and bool((ids.slice(1) > ids.head(max(0, len(ids) - 1))).all())


def _merged(wanted: pl.Series, ids: pl.Series) -> Places:
    known = pl.LazyFrame({"id": ids, "found": ids}).with_row_index("place").set_sorted("id")
    return (
        pl.LazyFrame({"id": wanted})
        .set_sorted("id")
        .join_asof(known, on="id", strategy="backward")
        .select(pl.when(pl.col("found") == pl.col("id")).then(pl.col("place").cast(pl.Int64)).otherwise(NOWHERE))
        .collect()
        .to_series()
        .fill_null(NOWHERE)
        .to_numpy()
    )


def _joined(wanted: pl.Series, keys: pl.Series) -> Places | None:
    """The place of each among the keys, NOWHERE where it is not one; None when keys are there several times."""
    known = pl.DataFrame({"key": keys}).with_row_index("place")
    joined = pl.DataFrame({"key": wanted}).join(known, on="key", how="left", maintain_order="left")
    if joined.height != len(wanted):
        return None
    return joined["place"].cast(pl.Int64).fill_null(NOWHERE).to_numpy()


def _alike(wanted: pl.Series, keys: pl.Series, place: Places) -> bool:
    there = np.flatnonzero(place >= 0)
    return bool((wanted.to_numpy()[there] == keys.to_numpy()[place[there]]).all())
