"""Linear algebra on one thread, and on as many as before for whoever comes behind."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from assent_analytics import fixed_effects
from assent_analytics.lessons import lessons
from assent_analytics.one_thread import one_thread


def threads() -> set[int]:
    return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def three_threads() -> Iterator[None]:
    """Whatever the machine has."""
    with threadpool_limits(3, user_api="blas"):
        yield


def test_one_thread_within_and_as_many_as_before_behind_it() -> None:
    assert threads() == {3}
    with one_thread(), one_thread():
        assert threads() == {1}
    assert threads() == {3}
    with pytest.raises(LookupError), one_thread():
        raise LookupError
    assert threads() == {3}


def test_lessons_are_fitted_on_one(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, found = [], fixed_effects.slopes_within

    def watched(*columns: np.ndarray) -> object:
        seen.append(threads())
        return found(*columns)

    monkeypatch.setattr("assent_analytics.lessons.slopes_within", watched)
    n = 60
    lessons(
        pl.DataFrame(
            {
                "agent_id": ["a"] * n,
                "action_type": ["pay"] * n,
                "ended_at": pl.datetime_range(
                    pl.datetime(2026, 1, 5), pl.datetime(2026, 3, 4, 23), "23h", eager=True
                ).head(n),
                "score": list(range(n)),
                "success": [each % 3 > 0 for each in range(n)],
                "stated_risk": [float(each % 7) for each in range(n)],
                "risk_score": [float(each % 7) for each in range(n)],
            }
        )
    )
    assert seen == [{1}]
