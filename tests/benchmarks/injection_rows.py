"""The rows that a scan is judged on, and thresholds chosen without looking at the source that is judged.

A file of lines `{text, label, source, kind}`, label `injection` (or 1) or `benign` (or 0). Kinds that cannot be told
from the text alone (`indirect_nocue`) are left out. Leave one source out: for each source the thresholds are chosen on
all others, as low as their false positives allow, and then used on that source.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from math import inf
from pathlib import Path
from typing import NamedTuple

from assent_analytics.rates import wilson

UNTOLD = frozenset({"indirect_nocue"})
STEP = 0.1


class Row(NamedTuple):
    text: str
    attack: bool
    source: str
    kind: str


class Scored(NamedTuple):
    row: Row
    score: float


def read(path: str) -> list[Row]:
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    raw = [json.loads(line) for line in lines]
    return [
        Row(one["text"], one["label"] in {"injection", 1}, one["source"], one["kind"])
        for one in raw
        if one["kind"] not in UNTOLD
    ]


def score(rows: Iterable[Row], of: Callable[[str], float]) -> list[Scored]:
    return [Scored(row, of(row.text)) for row in rows]


def threshold(scored: Sequence[Scored], most: float) -> float:
    """The lowest score, in steps of `STEP`, that at most this share of benign texts reaches."""
    benign = sorted((one.score for one in scored if not one.row.attack), reverse=True)
    allowed = int(most * len(benign))
    if allowed >= len(benign):
        return 0.0
    return (int(benign[allowed] / STEP + 1e-9) + 1) * STEP if benign else inf


def left_out(scored: Sequence[Scored], most: float) -> dict[str, float]:
    """For each source the threshold of all others."""
    sources = sorted({one.row.source for one in scored})
    return {source: threshold([one for one in scored if one.row.source != source], most) for source in sources}


class Share(NamedTuple):
    """`hits` of `n`, and the 95% Wilson interval of their share."""

    hits: int
    n: int

    def __str__(self) -> str:
        if not self.n:
            return "-"
        low, high = wilson(self.hits, self.n)
        return f"{self.hits / self.n:6.1%} [{low:.1%}, {high:.1%}] n={self.n}"


def share(scored: Iterable[Scored], reached: Callable[[Scored], bool]) -> Share:
    flags = [reached(one) for one in scored]
    return Share(sum(flags), len(flags))
