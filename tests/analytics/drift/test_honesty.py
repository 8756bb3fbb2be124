"""Whether drift's uncertainty is what it says, a tenth of what `python -m tests.benchmarks drift` simulates.

A tenth cannot tell 95% from 93%, so coverage is judged by whether its own interval leaves room for 93 to 97%, and false
discoveries by whether theirs leaves room for 5%.
"""

from __future__ import annotations

import numpy as np

from assent_analytics.drift import compare
from tests.analytics.drift.simulations import BASELINE, FULL, RECENT, coverages, false_families, history
from tests.tiers import deep

pytestmark = deep("simulates many histories")


def test_intervals_cover_what_they_say() -> None:
    for found in coverages(FULL // 10):
        low, high = found.interval
        assert low <= 0.97, str(found)
        assert high >= 0.93, str(found)
        assert found.share >= 0.88, str(found)


def test_families_without_drift_rarely_find_any() -> None:
    found = false_families(FULL // 10)
    assert found.interval[0] <= 0.05, str(found)
    assert found.share < 0.1, str(found)


def test_a_drift_of_one_sd_is_found_where_it_is() -> None:
    hits = extra = 0
    for seed in range(10):
        data = history(np.random.default_rng(seed), 3, 2, shift=1.0)
        found = compare(*data, baseline=BASELINE, recent=RECENT)
        drifted = found.filter("drifted")["metric"].to_list()
        hits += drifted.count("risk_score")
        extra += len(drifted) - drifted.count("risk_score")
    # 60 groups with about 97 and 23 rows each.
    assert hits >= 40
    assert extra <= 5
