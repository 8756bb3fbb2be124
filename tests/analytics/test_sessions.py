"""Sessions, against counts made by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from assent_analytics import sessions
from assent_analytics.drift import newcombe
from assent_analytics.rates import wilson


def of(*rows: tuple[str, str, bool | None]) -> pl.DataFrame:
    schema: dict[str, Any] = {"session_id": pl.String, "action_type": pl.String, "wrong": pl.Boolean}
    return pl.DataFrame(rows, schema=schema, orient="row")


def many(*groups: tuple[str, int, int]) -> pl.DataFrame:
    """Sessions of one action each: (types, how many, of which wrong)."""
    rows = []
    for types, n, wrong in groups:
        for at in range(n):
            rows += [(f"{types} {at}", each, at < wrong) for each in types]
    return sessions.sessions(of(*rows))


def test_a_session_is_wrong_when_any_of_its_actions_is() -> None:
    found = sessions.sessions(of(("s", "b", None), ("t", "a", False), ("s", "a", True), ("s", "b", False)))
    assert found.rows() == [("s", True, 3, ["a", "b"]), ("t", False, 1, ["a"])]
    assert sessions.action_types(found) == ["a", "b"]


def test_what_goes_with_a_wrong_ending_by_hand() -> None:
    # 20 sessions with a alone (15 wrong), 30 with b alone (9 wrong), 10 with both (5 wrong), 9 with c alone.
    found = sessions.associations(many(("a", 20, 15), ("b", 30, 9), ("ab", 10, 5), ("c", 9, 0)))
    assert found["action_type"].to_list() == ["a", "b"]
    a = found.row(0, named=True)
    assert (a["n"], a["wrong"], a["n_without"], a["wrong_without"]) == (30, 20, 39, 9)
    assert a["difference"] == pytest.approx(20 / 30 - 9 / 39)
    assert (a["alone_low"], a["alone_high"]) == newcombe(9, 39, 20, 30)
    # Two types are judged, so each interval has 97.5%.
    assert (a["low"], a["high"]) == newcombe(9, 39, 20, 30, 0.975)
    assert a["cluster_low"] is None


def test_clusters_that_always_agree_widen_the_interval() -> None:
    single = many(("a", 20, 14), ("b", 20, 6))
    pairs = pl.concat([single, single]).with_columns(task=pl.concat([pl.int_range(40, eager=True)] * 2))
    alone = sessions.associations(single.with_columns(task=pl.int_range(40)), cluster="task").row(0, named=True)
    twice = sessions.associations(pairs, cluster="task").row(0, named=True)
    # The same sessions a second time say nothing new; the plain interval is fooled, the clusters' is not.
    assert twice["cluster_high"] - twice["cluster_low"] == pytest.approx(alone["cluster_high"] - alone["cluster_low"])
    assert twice["alone_high"] - twice["alone_low"] < 0.8 * (alone["alone_high"] - alone["alone_low"])
    width = 2 * 1.96 * np.sqrt(0.7 * 0.3 / 20 * 2)
    assert twice["cluster_high"] - twice["cluster_low"] == pytest.approx(width, rel=0.15)


def test_risks_are_shares_shrunk_and_a_session_has_that_of_its_riskiest_type() -> None:
    found = many(("a", 40, 36), ("b", 40, 4), ("c", 2, 2))
    risks = sessions.type_risks(found)
    assert 80 <= risks.points["a"] <= 90
    assert 10 <= risks.points["b"] <= 20
    # Two of two are not a hundred percent.
    assert 60 <= risks.points["c"] < 100
    both = sessions.sessions(of(("s", "a", True), ("s", "b", True), ("t", "b", False), ("u", "new", False)))
    assert sessions.rated(both, risks.points).to_list() == [risks.points["a"], risks.points["b"], 0]
    assert sessions.rated(both, risks.points, unknown=7).to_list()[2] == 7


def test_what_asking_catches() -> None:
    found = many(("a", 10, 8), ("b", 10, 2))
    asked = found["types"].list.contains("a")
    caught = sessions.caught(found, asked)
    assert caught.wrong == (8, 10, *wilson(8, 10))
    assert caught.right == (2, 10, *wilson(2, 10))
    assert caught.difference[0] == pytest.approx(0.6)
    assert caught.difference[1:] == newcombe(2, 10, 8, 10)


def test_nothing_is_said_of_nothing() -> None:
    found = sessions.sessions(of())
    assert found.is_empty()
    assert sessions.associations(found, cluster="session_id").is_empty()
    assert sessions.type_risks(found).points == {}
    assert sessions.rated(found, {}).is_empty()
    caught = sessions.caught(found, pl.Series([], dtype=pl.Boolean))
    assert caught.wrong == (0, 0, 0.0, 1.0)
    assert caught.difference == (0.0, -1.0, 1.0)
    with pytest.raises(ValueError, match="actions lack action_type"):
        sessions.sessions(of().drop("action_type"))
