"""Evidently's data drift preset over two Parquet files, run by its own interpreter: `python drift_peer.py FOLDER`.

Prints the median seconds of three computations, without reading, importing and drawing, and what it found.
"""

# mypy: ignore-errors
# The packages are not installed where mypy runs.

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path
from statistics import median

warnings.simplefilter("ignore")

import pandas  # noqa: E402
from evidently import DataDefinition, Dataset, Report  # noqa: E402
from evidently.presets import DataDriftPreset  # noqa: E402


def main(folder: Path) -> None:
    before, after = (pandas.read_parquet(folder / f"{name}.parquet") for name in ("baseline", "recent"))
    definition = DataDefinition(numerical_columns=list(before.columns))
    seconds, busy = [], []
    for _ in range(3):
        began, used = time.perf_counter(), time.process_time()
        baseline, recent = (Dataset.from_pandas(each, definition) for each in (before, after))
        found = Report([DataDriftPreset()]).run(recent, baseline).dict()
        seconds.append(time.perf_counter() - began)
        busy.append(time.process_time() - used)
    normed = {
        metric["config"]["column"]: float(metric["value"])
        for metric in found["metrics"]
        if metric["config"].get("method") == "Wasserstein distance (normed)"
    }
    print(json.dumps({"seconds": median(seconds), "cpu": median(busy), "normed": normed}))


main(Path(sys.argv[1]))
