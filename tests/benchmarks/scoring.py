"""Scoring by profiles: `python -m tests.benchmarks.scoring [--actions 1000000] [--scores 10000000] [--rounds 5]`.

A batch of simulated actions by a profile of five dimensions (duration, cost, tokens, a field of the metadata, a
condition), and what ten million scores add up to: seconds from frames in memory to the answer, and the peak memory of
that process, frames included. Goal on two cores: each within 2 s. Then one action and 5,000 over HTTP, stored.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import httpx
import numpy as np
import polars as pl

from assent_analytics.scoring import score_frame, stats
from assent_analytics.simulate import simulate
from tests.live import start_service

UNTIL = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
BATCH = 5000


def scale(*bounds: float) -> list[dict[str, Any]]:
    scores = (100, 75, 50)
    rules = [
        {"label": f"below {bound}", "operator": "lt", "value": bound, "score": score}
        for bound, score in zip(bounds, scores, strict=True)
    ]
    return [*rules, {"label": "beyond", "operator": "gte", "value": bounds[-1], "score": 20}]


PROFILE: dict[str, Any] = {
    "name": "care",
    "composite_method": "weighted_average",
    "dimensions": [
        {"name": "speed", "data_source": "duration_ms", "weight": 2, "scale": scale(1000, 10_000, 60_000)},
        {"name": "cost", "data_source": "cost_estimate", "scale": scale(0.05, 1, 5)},
        {"name": "tokens", "data_source": "tokens_total", "scale": scale(1000, 5000, 20_000)},
        {
            "name": "attempt",
            "data_source": "metadata_field",
            "data_config": {"field": "ticket.attempt"},
            "scale": scale(2, 3, 4),
        },
        {
            "name": "safe",
            "data_source": "condition",
            "data_config": {
                "when": {
                    "any": [
                        {"field": "reversible", "op": "eq", "value": True},
                        {"field": "risk_score", "op": "lt", "value": 40},
                    ]
                }
            },
        },
    ],
}


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="scoring")
    parser.add_argument("--actions", type=int, default=1_000_000)
    parser.add_argument("--scores", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--one", choices=("batch", "stats"), help="measure this one in this process")
    parser.add_argument("--file", type=Path)
    parsed = parser.parse_args(arguments)
    if parsed.one:
        frame = pl.read_parquet(parsed.file)
        answer: Callable[[], pl.DataFrame] = (
            (lambda: score_frame(frame, PROFILE).collect())
            if parsed.one == "batch"
            else (lambda: stats(frame).collect())
        )
        measure(answer, parsed.rounds)
        return
    with tempfile.TemporaryDirectory(prefix="assent-scoring-") as folder:
        # Written by another step, so that what simulating takes is not in the peak.
        file = Path(folder) / "frame.parquet"
        actions_to(file, parsed.actions)
        tell(f"batch of {parsed.actions:,} actions, 5 dimensions", "batch", file, parsed.rounds)
        scores = np.random.default_rng(1).integers(0, 10_001, parsed.scores) / 100
        sources = pl.Series(["live", "simulated"], dtype=pl.Enum(["live", "simulated"]))
        source = sources.gather(np.random.default_rng(2).integers(0, 2, parsed.scores).astype("uint32"))
        pl.DataFrame({"composite_score": scores, "source": source}).write_parquet(file)
        tell(f"stats of {parsed.scores:,} scores", "stats", file, parsed.rounds)
    over_http(parsed.rounds)


def actions_to(file: Path, count: int) -> None:
    actions = simulate(1, until=UNTIL, actions=count).actions
    attempts = np.random.default_rng(0).integers(1, 6, len(actions))
    metadata = [
        f'{{"ticket":{{"queue":"q{at % 7}","number":{at},"attempt":{attempt}}}}}' for at, attempt in enumerate(attempts)
    ]
    chosen = ("action_id", "agent_id", "action_type", "source", "reversible", "risk_score", "confidence")
    numbers = ("duration_ms", "cost_estimate", "tokens_in", "tokens_out")
    names = [name for name in (*chosen, *numbers) if name in actions.columns]
    actions.select(names).with_columns(metadata=pl.Series(metadata)).write_parquet(file)


def tell(what: str, one: str, file: Path, rounds: int) -> None:
    command = [sys.executable, "-m", "tests.benchmarks.scoring", "--one", one]
    command += ["--file", str(file), "--rounds", str(rounds)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    seconds = found["seconds"]
    print(
        f"{what}: {median(seconds):.2f} s median of {len(seconds)} ({min(seconds):.2f} to {max(seconds):.2f}; "
        f"{median(found['cpu']):.2f} s of processor time); peak {found['peak']:.2f} GB, "
        f"of which {found['loaded']:.2f} GB before the first",
        flush=True,
    )


def measure(answer: Callable[[], pl.DataFrame], rounds: int) -> None:
    loaded, seconds, cpu = _peak(), [], []
    for _ in range(rounds):
        began, busy = time.perf_counter(), time.process_time()
        answer()
        seconds.append(time.perf_counter() - began)
        cpu.append(time.process_time() - busy)
    print(json.dumps({"seconds": seconds, "cpu": cpu, "loaded": loaded, "peak": _peak()}))


def over_http(rounds: int) -> None:
    temporary = tempfile.TemporaryDirectory(prefix="assent-scoring-")
    with temporary as folder, start_service(Path(folder)) as service, httpx.Client(timeout=60) as http:
        headers = {"x-api-key": service.admin_key}

        def post(path: str, body: dict[str, Any]) -> dict[str, Any]:
            answer: dict[str, Any] = (
                http.post(service.base_url + path, json=body, headers=headers).raise_for_status().json()
            )
            return answer

        profile_id = post("/api/scoring/profiles", PROFILE)["id"]
        actions = [
            {
                "duration_ms": at,
                "cost_estimate": 1,
                "tokens_in": at,
                "reversible": True,
                "metadata": {"ticket": {"attempt": 2}},
            }
            for at in range(BATCH)
        ]
        one = [
            _seconds(lambda: post("/api/scoring/score", {"profile_id": profile_id, "action": actions[7]}))
            for _ in range(50)
        ]
        many = [
            _seconds(lambda: post("/api/scoring/score", {"profile_id": profile_id, "actions": actions}))
            for _ in range(rounds)
        ]
    print(
        f"over HTTP, stored: one action {median(one) * 1000:.1f} ms; {BATCH:,} actions {median(many):.2f} s "
        f"({min(many):.2f} to {max(many):.2f})",
        flush=True,
    )


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


if __name__ == "__main__":
    main(sys.argv[1:])
