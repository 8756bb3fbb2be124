"""How often a template is suggested out of noise, and how well one ranks new actions beside a logistic regression:
`python -m tests.benchmarks.suggestions [--histories 1000]`.

Goals: noise gives a template in at most 5%, also where actions come in sessions (intraclass correlation 0.3) that share
what they touch; of 200 actions the AUC of the offered regression, over 20,000 new ones, is within 0.02 of that of
scikit-learn's ridge logistic regression, whose strength is cross-validated. Actions touch eight systems and may be
irreversible; in a world with truth, a few of these add to the log odds of failing.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from sklearn.linear_model import LogisticRegressionCV
from sklearn.metrics import roc_auc_score

from assent_analytics.calibration import suggest_template
from tests.benchmarks.bounds import clopper_pearson

SYSTEMS = 8
NEW = 20_000


@dataclass(frozen=True)
class World:
    """`n` actions in sessions of `session`, of which `failing` fail where nothing adds; `odds` are what being
    irreversible and the first systems add to the log odds."""

    n: int = 200
    session: int = 1
    failing: float = 0.2
    odds: tuple[float, ...] = ()


NOISE: Mapping[str, World] = {
    "independent": World(),
    "sessions of 5": World(session=5),
    "sessions of 10": World(session=10),
    "sessions of 20": World(n=400, session=20),
    "sessions of 10, 3% fail": World(n=400, session=10, failing=0.03),
    "n 2,000, sessions of 10": World(n=2000, session=10),
}
TRUTH: Mapping[str, World] = {
    "three of nine, n 200": World(odds=(1.0, 0.8, 0.0, 0.8)),
    "five of nine, n 200": World(odds=(0.7, 0.6, 0.6, 0.5, 0.5)),
    "one strong, n 200": World(odds=(1.4,)),
    "three of nine, sessions of 5": World(session=5, odds=(1.0, 0.8, 0.0, 0.8)),
    "three of nine, n 1,000": World(n=1000, odds=(1.0, 0.8, 0.0, 0.8)),
}


def drawn(world: World, random: np.random.Generator, n: int | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What holds for each action (irreversible, then the systems), whether it failed, and its session."""
    n = world.n if n is None else n
    session = np.arange(n) // world.session
    sessions = int(session[-1]) + 1
    share = 0.3 if world.session > 1 else 0.0
    # Half of what an action touches is its session's.
    own, common = random.normal(0, 1, (n, SYSTEMS + 1)), random.normal(0, 1, (sessions, SYSTEMS + 1))[session]
    holds = (own * np.sqrt(0.5) + common * np.sqrt(0.5) if share else own) > 0.5
    effect = random.normal(0, np.sqrt(share / (1 - share) * np.pi**2 / 3), sessions)[session]
    added = np.zeros(SYSTEMS + 1)
    added[: len(world.odds)] = world.odds
    odds = np.log(world.failing / (1 - world.failing)) + holds @ added + effect
    return holds, random.random(n) < 1 / (1 + np.exp(-odds)), session


def as_actions(holds: np.ndarray, failed: np.ndarray, session: np.ndarray) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "status": np.where(failed, "failed", "completed"),
            "reversible": ~holds[:, 0],
            "systems_touched": [[f"s{at}" for at in np.flatnonzero(row)] for row in holds[:, 1:]],
            "session_id": session.astype(str),
        },
        schema_overrides={"systems_touched": pl.List(pl.String)},
    )


def points_of(rules: Sequence[Mapping[str, Any]], holds: np.ndarray) -> np.ndarray:
    """The risk that rules add to each action."""
    points = np.zeros(len(holds))
    for rule in rules:
        value = rule["condition"]["value"]
        points += rule["add"] * holds[:, 0 if value is False else 1 + int(str(value)[1:])]
    return points


def accepted(world: World, histories: int, seed: int = 1) -> int:
    """In how many histories there is a template with rules."""
    random = np.random.default_rng(seed)
    return sum(bool(suggest_template(as_actions(*drawn(world, random))).rules) for _ in range(histories))


def ranked(world: World, histories: int, seed: int = 1) -> tuple[float, float, float, float, int]:
    """The mean AUC of the accepted rules (0.5 where there are none), of the regression as a template, of
    scikit-learn's, and of the truth; and how many histories have accepted rules."""
    random = np.random.default_rng(seed)
    new, outcome, _ = drawn(world, random, NEW)
    added = np.zeros(SYSTEMS + 1)
    added[: len(world.odds)] = world.odds
    best = float(roc_auc_score(outcome, new @ added))
    areas, offered, others, some = [], [], [], 0
    for _ in range(histories):
        holds, failed, session = drawn(world, random)
        found = suggest_template(as_actions(holds, failed, session))
        some += bool(found.rules)
        areas.append(roc_auc_score(outcome, points_of(found.rules, new)))
        offered.append(roc_auc_score(outcome, points_of(found.regression, new)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = LogisticRegressionCV(Cs=10, cv=5, scoring="neg_log_loss", max_iter=500).fit(holds, failed)
        others.append(roc_auc_score(outcome, model.decision_function(new)))
    return float(np.mean(areas)), float(np.mean(offered)), float(np.mean(others)), best, some


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="suggestions")
    parser.add_argument("--histories", type=int, default=1000)
    histories = parser.parse_args(arguments).histories
    print(f"{'noise, ' + str(histories) + ' histories':34}{'accepted':>10}{'95% interval':>18}")
    for name, world in NOISE.items():
        hits = accepted(world, histories)
        low, high = clopper_pearson(hits, histories)
        print(f"{name:34}{hits / histories:10.1%}{f'{low:.1%} to {high:.1%}':>18}", flush=True)
    few = max(1, histories // 5)
    print(f"{f'AUC, {few} histories':34}{'rules':>8}{'regression':>12}{'oracle':>8}{'truth':>8}{'accepted':>10}")
    for name, world in TRUTH.items():
        own, offered, other, best, some = ranked(world, few)
        print(f"{name:34}{own:8.3f}{offered:12.3f}{other:8.3f}{best:8.3f}{some / few:10.0%}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
