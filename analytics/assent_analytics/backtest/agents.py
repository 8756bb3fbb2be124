"""Agents as numbers, which cost less than names over millions of rows."""

from __future__ import annotations

from threading import Lock
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from assent_analytics.backtest.values import distinct

Numbers: TypeAlias = "np.ndarray[Any, np.dtype[np.int32]]"

NOBODY = -1
"""The number of a row without an agent."""


class Agents:
    """Gives each agent a number, from 0 on. Several threads may ask at once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._one = Lock()

    @property
    def names(self) -> list[str]:
        """In the order of the numbers."""
        return list(self._numbers)

    def of(self, column: pl.Series) -> Numbers:
        """The number of each row's agent; NOBODY for null."""
        known, codes = distinct(column)
        with self._one:
            given = [NOBODY if name is None else self._numbers.setdefault(name, len(self._numbers)) for name in known]
        found = np.array(given, np.int32)
        return found[:-1] if codes is None else found[codes.to_numpy()]
