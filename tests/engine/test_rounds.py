"""Rounds of the mixed workload while things break: nothing is wrong, and without what keeps it right the checks notice.

`python -m tests.engine.rounds` runs more of them.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.engine.cluster import Cluster
from tests.engine.rounds import CONTROLS, run
from tests.tiers import deep

pytestmark = deep("three processes and two servers, which are broken for seconds")
TRIES = 3
"""Rounds in which a control has to be noticed; nearly always it is in the first."""


@pytest.fixture(scope="module")
def cluster(possible: None) -> Iterator[Cluster]:
    with Cluster() as made:
        yield made


def test_a_mixed_workload_sees_one_log_while_things_break(cluster: Cluster) -> None:
    outcomes = run(cluster, range(1, 6))
    for each in outcomes:
        assert each.wrong == {}, (each.seed, each.broken)
        assert each.history.created, (each.seed, each.broken)
        assert each.history.registers["halt"]
        assert all(stream.ids for stream in each.history.streams)


@pytest.mark.parametrize("without", CONTROLS)
def test_it_is_noticed_what_is_missing(without: str, cluster: Cluster) -> None:
    control = CONTROLS[without]
    found: list[dict[str, list[str]]] = []
    for seed in range(1, TRIES + 1):
        found += [each.wrong for each in run(cluster, [seed], control)]
        if found[-1].keys() & set(control.caught_by):
            return
    pytest.fail(f"nobody noticed that there was no {without}: {found}")
