"""SIGKILL under load: `python -m tests.benchmarks.kill [--rounds 30]`.

Every round goes on with the data folder of the round before, under 16 connections, and ends at a random moment. See
`tests.stories.killing` for what must hold afterwards. The control is a build that answers before it writes: it must
lose something, or the rest proves nothing.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path

from tests.stories.killing import Round, play


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="kill")
    parser.add_argument("--rounds", type=int, default=30)
    rounds: int = parser.parse_args(arguments).rounds
    chance = random.Random()
    played: list[Round] = []
    with tempfile.TemporaryDirectory(prefix="assent-kill-") as folder:
        for number in range(rounds):
            played.append(play(Path(folder) / "home", number, chance))
            print(f"round {number + 1:3d}: {_said(played[-1])}", flush=True)
        control = play(Path(folder) / "control", 0, chance, module="tests.stories.eager_service")
    print(
        f"\nin {rounds} rounds: {sum(each.log.acknowledged for each in played)} acknowledged, "
        f"{sum(len(each.log.lost) for each in played)} lost, {sum(len(each.log.doubled) for each in played)} doubled, "
        f"{sum(each.torn for each in played)} times a torn last write, "
        f"{sum(len(each.heard.doubtful) for each in played)} unanswered creations sent again, "
        f"{sum(len(each.wrong) for each in played)} differences to a rebuild or in memory"
    )
    print(f"control that answers before it writes: {_said(control)}")
    if not all(each.log.none and not each.wrong for each in played) or not control.log.lost:
        raise SystemExit("It does not hold.")


def _said(played: Round) -> str:
    found = played.log
    said = f"{found.acknowledged} acknowledged, {len(found.lost)} lost, {len(found.doubled)} doubled"
    return f"{said}, {played.events} events on the log{': ' + '; '.join(played.wrong[:5]) if played.wrong else ''}"


if __name__ == "__main__":
    main(sys.argv[1:])
