"""What the scan makes of labelled texts, as numbers alone: the file from which `notebooks/07_injection` is drawn.

    python -m tests.benchmarks.injection_scores [--rows dev.jsonl] [--peer PYTHON] [--out FOLDER]

`--rows` is a file of labelled texts (`injection_rows`), also INJECTION_ROWS; `--peer` a Python with agent-os-kernel
3.7.0. No text, nor anything from which one could be made again, is written:

- `injection_scores.parquet`: a row for each text with `source`, `kind`, `attack`, `length` (rounded up to a power of
  two), `score`, `block` and `warn` (thresholds chosen without this source), `keywords` (0 or 1) and `peer` (0 to 4,
  null without a peer).
- `injection_measured.json`: when, with which rules, the thresholds as shipped, and what became of the same attacks
  written in other ways.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from assent_analytics import injection
from assent_analytics.injection.verdict import BLOCK, WARN
from tests.analytics.injection.transforms import TRANSFORMS
from tests.benchmarks.injection import BLOCKED, WARNED, keywords, peer
from tests.benchmarks.injection_rows import Row, left_out, read, score
from tests.live import ROOT

PICKED = 300
"""Attacks, and as many harmless texts, that are written in other ways."""
SCORES, MEASURED = "injection_scores.parquet", "injection_measured.json"


def scores(rows: list[Row], python: str | None) -> pl.DataFrame:
    ours = score(rows, lambda text: injection.scan(text).score)
    block, warn = left_out(ours, BLOCKED), left_out(ours, WARNED)
    other = [None] * len(rows) if python is None else [int(one.score) for one in peer(python, rows)]
    return pl.DataFrame(
        [
            {
                "source": row.source,
                "kind": row.kind,
                "attack": row.attack,
                "length": 1 << max(0, len(row.text) - 1).bit_length(),
                "score": round(one.score, 3),
                "block": round(block[row.source], 1),
                "warn": round(warn[row.source], 1),
                "keywords": int(keywords(row.text)),
                "peer": level,
            }
            for row, one, level in zip(rows, ours, other, strict=True)
        ],
        schema_overrides={"keywords": pl.Int8, "peer": pl.Int8},
    ).sort("source", "kind", "attack", "score", "length")


def disguised(rows: list[Row]) -> list[dict[str, object]]:
    """How many of the same attacks are blocked and warned of when they are written in other ways."""
    draw = random.Random(1)
    attacks = [row.text for row in rows if row.attack]
    harmless = [row.text for row in rows if not row.attack]
    picked = draw.sample(attacks, min(PICKED, len(attacks)))
    others = draw.sample(harmless, min(PICKED, len(harmless)))
    ways = {"as they are": lambda text: text, **TRANSFORMS}
    found: list[dict[str, object]] = []
    for name, transform in ways.items():
        reached = [injection.scan(transform(text)).score for text in picked]
        wrong = [injection.scan(transform(text)).score for text in others]
        found.append(
            {
                "name": name,
                "attacks": len(picked),
                "blocked": sum(one >= BLOCK for one in reached),
                "warned": sum(one >= WARN for one in reached),
                "harmless": len(others),
                "stopped": sum(one >= BLOCK for one in wrong),
            }
        )
    return found


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", default=os.environ.get("INJECTION_ROWS"))
    parser.add_argument("--peer")
    parser.add_argument("--out", type=Path, default=ROOT / "notebooks" / "data")
    given = parser.parse_args(arguments)
    if given.rows is None or not Path(given.rows).is_file():
        print("skipped: no labelled rows; give --rows or INJECTION_ROWS")
        return
    rows = read(given.rows)
    given.out.mkdir(parents=True, exist_ok=True)
    frame = scores(rows, given.peer)
    frame.write_parquet(given.out / SCORES, compression="zstd")
    measured = {
        "measured_at": datetime.now(UTC).strftime("%Y-%m-%d"),
        "version": injection.VERSION,
        "block": BLOCK,
        "warn": WARN,
        "peer": None if given.peer is None else "agent-os-kernel 3.7.0",
        "transforms": disguised(rows),
    }
    (given.out / MEASURED).write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    print(f"{frame.height} rows to {given.out}")


if __name__ == "__main__":
    main(sys.argv[1:])
