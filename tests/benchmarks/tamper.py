"""Whether any change goes unnoticed: `python -m tests.benchmarks.tamper [--bundles 12000] [--log 6000] [--rows 4000]`.

So many times each: something in a bundle is changed so that its JSON value differs (the outer id and digest often made
to fit again), a byte of a log, or a value of a row of the tables. Printed is how many of these verification let pass;
one is too many, and ends this with an error.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from assent.contract.evidence.proofs import CheckStatus
from assent_service.store.audit import audit
from tests.properties.tamper import misses
from tests.service.store.test_comparison import Recorded, other, record, tables
from tests.vectors.sealing import FOLDER, JWKS


def of_bundles(trials: int, random: Random) -> int:
    bundles: list[dict[str, Any]] = [
        value for path in sorted(FOLDER.glob("*.json")) if "schema" in (value := json.loads(path.read_bytes()))
    ]
    return len(misses(bundles, JWKS, trials, random))


def of_log(home: Path, trials: int, random: Random) -> int:
    """A byte in any file of the log becomes any other byte."""
    files = sorted((home / "log").iterdir())
    missed = 0
    for _ in range(trials):
        path = random.choice(files)
        content = bytearray(path.read_bytes())
        at = random.randrange(len(content))
        before = content[at]
        content[at] = (before + random.randrange(1, 256)) % 256
        path.write_bytes(content)
        found = audit(home, pause=lambda _: None)
        missed += found.ok or all(check.status is not CheckStatus.FAIL for check in found.checks)
        content[at] = before
        path.write_bytes(content)
    return missed


def of_rows(home: Path, org_id: str, action_id: str, trials: int, random: Random) -> int:
    """A value of any column of any row becomes another one, or nothing."""
    recorded = Recorded(home, org_id, action_id)
    cells = [
        (table, column, rowid, value)
        for table, column in tables()
        for rowid, value in recorded.read(
            f'SELECT rowid, "{column.name}" FROM "{table.name}" WHERE org_id = ?', [org_id]
        )
    ]
    missed = 0
    for _ in range(trials):
        table, column, rowid, value = random.choice(cells)
        new = None if value is not None and random.random() < 0.2 else other(column, value)
        with recorded.changed(f'UPDATE "{table.name}" SET "{column.name}" = ? WHERE rowid = ?', new, rowid):
            named = {difference.table for difference in recorded.compare().differences}
        missed += table.name not in named
    recorded.connection.close()
    return missed


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="tests.benchmarks.tamper")
    parser.add_argument("--bundles", type=int, default=12_000)
    parser.add_argument("--log", type=int, default=6_000)
    parser.add_argument("--rows", type=int, default=4_000)
    parser.add_argument("--seed", type=int, default=7)
    chosen = parser.parse_args(arguments)
    random, total = Random(chosen.seed), 0
    with tempfile.TemporaryDirectory(prefix="assent-bench-") as folder:
        home = Path(folder) / "home"
        org_id, action_id = asyncio.run(record(home))
        runs: tuple[tuple[str, int, Callable[[int], int]], ...] = (
            ("bundles", chosen.bundles, lambda trials: of_bundles(trials, random)),
            ("bytes of a log", chosen.log, lambda trials: of_log(home, trials, random)),
            ("values of rows", chosen.rows, lambda trials: of_rows(home, org_id, action_id, trials, random)),
        )
        for name, trials, run in runs:
            begun = time.perf_counter()
            missed = run(trials)
            total += missed
            print(f"{name:18}{trials:>8} trials{missed:>6} missed  ({time.perf_counter() - begun:.0f} s)", flush=True)
    if total:
        raise SystemExit(f"{total} changes went unnoticed")


if __name__ == "__main__":
    main()
