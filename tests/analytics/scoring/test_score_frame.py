"""Scoring a frame equals scoring each action by itself in plain Python, whatever the profile and the values."""

from __future__ import annotations

import json
import math
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent_analytics.backtest.database import PatternError, ReplayDatabase
from assent_analytics.scoring import Profile, ScaleError, breakdown, profile_of, score_frame
from assent_analytics.scoring import values as scoring_values
from tests.analytics.scoring import oracle

SCHEMA = {
    "action_id": pl.String,
    **dict.fromkeys((*oracle.NUMBERS, "tokens_in", "tokens_out"), pl.Float64),
    "metadata": pl.String,
}
AWKWARD = [0.0, -0.0, 1.0, -1.0, 49.5, 1e300, -1e300, 5e-324, math.nan, math.inf, -math.inf, float(2**53)]
numbers = st.one_of(st.sampled_from(AWKWARD), st.floats(-1e6, 1e6), st.integers(-100, 100).map(float))
finite = numbers.filter(math.isfinite)
words = st.sampled_from(["blue", "red", "", 'a"b', "blue é", "\\", "tr"])
plain = st.one_of(words, finite, st.booleans(), st.none(), st.integers(-(2**53) + 1, 2**53 - 1))
values = st.one_of(plain, st.lists(plain, max_size=3), st.dictionaries(st.just("deep"), plain, max_size=1))
metadata = st.none() | st.dictionaries(
    st.sampled_from(["team", "a", "tick et", "duration_ms", "tokens_total", "ü"]),
    values | st.dictionaries(st.sampled_from(["b", "c"]), values, max_size=2),
    max_size=4,
)
action = st.fixed_dictionaries(
    {name: st.none() | numbers for name in (*oracle.NUMBERS, "tokens_in", "tokens_out")} | {"metadata": metadata}
)
score = st.one_of(st.sampled_from([0, 100, 33.335]), st.integers(0, 100), st.floats(0, 100))
label = st.sampled_from(["good", "fair", "poor"])
bound = finite | st.integers(-100, 100)
ordered = st.builds(lambda low, high: [min(low, high), max(low, high)], bound, bound)


def rule(operator: Any, value: Any) -> Any:
    return st.fixed_dictionaries({"label": label, "operator": operator, "value": value, "score": score})


of_numbers = st.one_of(
    rule(st.sampled_from(["lt", "lte", "gt", "gte", "eq"]), bound), rule(st.just("between"), ordered)
)
of_anything = st.one_of(
    of_numbers,
    rule(st.just("contains"), words.filter(bool)),
    rule(st.just("eq"), words | st.booleans()),
)
weight = st.one_of(st.sampled_from([0, 1e-6, 1, 2.5, 1_000_000]), st.floats(0.001, 1000))
numeric = st.fixed_dictionaries(
    {
        "name": st.just("n"),
        "data_source": st.sampled_from([*oracle.NUMBERS, "tokens_total"]),
        "weight": weight,
        "scale": st.lists(of_numbers, max_size=4),
    }
)
field = st.fixed_dictionaries(
    {
        "name": st.just("m"),
        "data_source": st.just("metadata_field"),
        "data_config": st.sampled_from(["team", "a.b", "a", "tick et.c", "ü", "team.deep"]).map(
            lambda at: {"field": at}
        ),
        "weight": weight,
        "scale": st.lists(of_anything, max_size=4),
    }
)
profile = st.fixed_dictionaries(
    {
        "composite_method": st.sampled_from(["weighted_average", "minimum", "geometric_mean"]),
        "dimensions": st.lists(numeric | field, min_size=1, max_size=5),
    }
)


def frame(actions: list[dict[str, Any]]) -> pl.DataFrame:
    rows = [
        {**each, "action_id": str(at), "metadata": None if each["metadata"] is None else json.dumps(each["metadata"])}
        for at, each in enumerate(actions)
    ]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


@given(profile, st.lists(action, min_size=1, max_size=8))
def test_a_frame_is_scored_as_each_action_by_itself(profile: dict[str, Any], actions: list[dict[str, Any]]) -> None:
    found = score_frame(frame(actions), profile).collect()
    assert found["action_id"].to_list() == [str(at) for at in range(len(actions))]
    weights = [each["weight"] for each in profile["dimensions"]]
    for one, row in zip(actions, found.iter_rows(named=True), strict=True):
        scores: list[float | None] = []
        for at, dimension in enumerate(profile["dimensions"]):
            expected = oracle.scored(dimension, oracle.raw(dimension, one))
            assert (row[f"d{at}_score"], row[f"d{at}_label"]) == expected, (dimension, one)
            scores.append(expected[0])
        exact = oracle.composite(profile["composite_method"], scores, weights)
        if exact is None:
            assert row["composite_score"] is None
        else:
            assert abs(row["composite_score"] - float(exact)) <= 0.005 + 1e-9
            assert row["composite_score"] == round(row["composite_score"], 2)
            assert 0 <= row["composite_score"] <= 100


@given(profile, st.lists(action, min_size=2, max_size=6))
def test_many_rows_at_once_are_like_one_at_a_time(profile: dict[str, Any], actions: list[dict[str, Any]]) -> None:
    together = score_frame(frame(actions), profile).collect()
    rows = frame(actions)
    alone = [score_frame(rows[at : at + 1], profile).collect() for at in range(len(actions))]
    assert together.equals(pl.concat(alone))


SPEED = {
    "name": "speed",
    "data_source": "duration_ms",
    "weight": 3,
    "scale": [
        {"label": "fast", "operator": "lt", "value": 1000, "score": 100},
        {"label": "slow", "operator": "gte", "value": 1000, "score": 25},
    ],
}
COST = {
    "name": "cost",
    "data_source": "cost_estimate",
    "scale": [{"label": "cheap", "operator": "between", "value": [0, 1], "score": 64}],
}


def composites(method: str, *rows: tuple[float | None, float | None]) -> list[float | None]:
    actions = pl.DataFrame(rows, schema={"duration_ms": pl.Float64, "cost_estimate": pl.Float64}, orient="row")
    found = score_frame(actions, {"composite_method": method, "dimensions": [SPEED, COST]}).collect()
    return found["composite_score"].to_list()


def test_composites_worked_out_by_hand() -> None:
    rows = [(10.0, 0.5), (2000.0, 0.5), (10.0, None), (None, 0.5), (None, None), (10.0, 7.0)]
    # (3 * 100 + 64) / 4, (3 * 25 + 64) / 4; a cost above 1 is on no rule, and gets the lowest score, 64.
    assert composites("weighted_average", *rows) == [91, 34.75, 100, 64, None, 91]
    assert composites("minimum", *rows) == [64, 25, 100, 64, None, 64]
    # 100^(3/4) * 64^(1/4) = 89.4427..., 25^(3/4) * 64^(1/4) = 31.6227...
    assert composites("geometric_mean", *rows) == [89.44, 31.62, 100, 64, None, 89.44]


@pytest.mark.parametrize("weight", [1, 3, 656.5])
def test_a_half_is_rounded_up_however_many_rows_there_are(weight: float) -> None:
    """Logarithms of many rows at once differ from those of one in the last bit, and a half falls on either side."""
    scores = (0.005, 12.345, 33.335, 66.665, 99.995)
    for score in scores:
        dimension = {
            **SPEED,
            "weight": weight,
            "scale": [{"label": "any", "operator": "gte", "value": 0, "score": score}],
        }
        profile = {"composite_method": "geometric_mean", "dimensions": [dimension]}
        for count in range(1, 18):
            found = score_frame(pl.DataFrame({"duration_ms": [1.0] * count}), profile).collect()["composite_score"]
            assert set(found) == {round(score + 0.001, 2)}, (score, count)


def test_a_zero_makes_the_geometric_mean_zero() -> None:
    zero = {**COST, "scale": [{"label": "dear", "operator": "gt", "value": 1, "score": 0}]}
    profile = {"composite_method": "geometric_mean", "dimensions": [SPEED, zero]}
    actions = pl.DataFrame({"duration_ms": [10.0, 10.0], "cost_estimate": [2.0, None]})
    assert score_frame(actions, profile).collect()["composite_score"].to_list() == [0, 100]


def test_a_dimension_without_weight_is_shown_and_does_not_count() -> None:
    for method in ("weighted_average", "minimum", "geometric_mean"):
        profile = {"composite_method": method, "dimensions": [SPEED, {**COST, "weight": 0}]}
        actions = pl.DataFrame({"duration_ms": [10.0, None], "cost_estimate": [0.5, 0.5]})
        found = score_frame(actions, profile).collect()
        assert found["composite_score"].to_list() == [100, None]
        assert found["d1_score"].to_list() == [64, 64]


CONDITION = {
    "name": "safe",
    "data_source": "condition",
    "data_config": {
        "when": {
            "any": [
                {"field": "reversible", "op": "eq", "value": True},
                {"field": "metadata.ticket.queue", "op": "matches", "value": "^on.?call$"},
                {"all": [
                    {"field": "systems_touched", "op": "contains", "value": "mail"},
                    {"not": {"field": "risk_score", "op": "gte", "value": 60}},
                ]},
            ]
        }
    },
}  # fmt: skip
SEEN = pl.DataFrame(
    {
        "reversible": [True, False, False, False, None, None],
        "metadata": ["{}", '{"ticket": {"queue": "oncall"}}', '{"ticket": "oncall"}', None, "no json", "{}"],
        "systems_touched": [None, None, '["mail","db"]', '["mail"]', '["db"]', "[]"],
        "risk_score": [90.0, 90.0, 10.0, 60.0, None, None],
        "action_type": ["a", "b", "a", "b", "a", None],
    }
)


def test_a_condition_holds_or_not_and_may_have_a_scale() -> None:
    bare = score_frame(SEEN, {"dimensions": [CONDITION]}).collect()
    assert bare["d0_value"].to_list() == [True, True, True, False, False, False]
    assert bare["composite_score"].to_list() == [100, 100, 100, 0, 0, 0]
    assert set(bare["d0_label"]) == {"holds", "does not hold"}
    scale = [
        {"label": "fine", "operator": "eq", "value": True, "score": 70},
        {"label": "hm", "operator": "eq", "value": False, "score": 40},
    ]
    scaled = score_frame(SEEN, {"dimensions": [{**CONDITION, "scale": scale}]}).collect()
    assert scaled["composite_score"].to_list() == [70, 70, 70, 40, 40, 40]
    assert scaled["d0_label"].to_list() == ["fine"] * 3 + ["hm"] * 3


@pytest.mark.parametrize(
    ("leaf", "expected"),
    [
        ({"field": "action_type", "op": "ne", "value": "a"}, [False, True, False, True, False, False]),
        ({"field": "action_type", "op": "exists", "value": False}, [False] * 5 + [True]),
        ({"field": "nothing_of_the_kind", "op": "exists", "value": True}, [False] * 6),
        ({"field": "nothing_of_the_kind", "op": "exists", "value": False}, [True] * 6),
        ({"field": "risk_score.deep", "op": "exists", "value": True}, [False] * 6),
        ({"field": "risk_score", "op": "in", "value": [10, "90"]}, [False, False, True, False, False, False]),
        ({"field": "metadata", "op": "exists", "value": True}, [True, True, True, False, False, True]),
    ],
)
def test_conditions_keep_to_the_meaning_of_the_tree(leaf: dict[str, Any], expected: list[bool]) -> None:
    found = score_frame(SEEN, {"dimensions": [{**CONDITION, "data_config": {"when": leaf}}]}).collect()
    assert found["d0_value"].to_list() == expected


def test_many_patterns_open_no_database_each(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[ReplayDatabase] = []

    def database() -> ReplayDatabase:
        opened.append(ReplayDatabase())
        return opened[-1]

    monkeypatch.setattr(scoring_values, "ReplayDatabase", database)

    def values(*leaves: dict[str, Any]) -> list[bool]:
        profile = {"dimensions": [{**CONDITION, "data_config": {"when": {"any": list(leaves)}}}]}
        return score_frame(SEEN, profile).collect()["d0_value"].to_list()

    patterns = [{"field": "action_type", "op": "matches", "value": f"^[xyz]{at}|^b$"} for at in range(30)]
    expected = values({"field": "action_type", "op": "eq", "value": "b"})
    assert opened == []
    assert values(*patterns) == expected
    assert any(expected)
    # Polars may ask for parts of the rows by themselves.
    assert 1 <= len(opened) <= SEEN.height


def test_many_patterns_are_asked_for_at_once() -> None:
    texts, patterns = pl.Series(["ab", None, "b"]), ["a", "^b", "(?<x>b)$"]
    with ReplayDatabase() as database:
        together = [each.to_list() for each in database.matches_each(texts, patterns)]
        assert together == [[True, None, False], [False, None, True], [True, None, True]]
        assert together == [database.matches(texts, pattern).to_list() for pattern in patterns]
        with pytest.raises(PatternError, match=r"'\(\?=x\)'"):
            database.matches_each(texts, ["a", "(?=x)"])


def test_a_condition_finds_the_rest_in_the_context() -> None:
    actions = SEEN.with_columns(context=pl.Series([f'{{"stage": {at}, "risk_score": 1}}' for at in range(6)]))
    leaf = {"all": [{"field": "stage", "op": "lt", "value": 4}, {"field": "risk_score", "op": "gte", "value": 60}]}
    found = score_frame(actions, {"dimensions": [{**CONDITION, "data_config": {"when": leaf}}]}).collect()
    assert found["d0_value"].to_list() == [True, True, False, True, False, False]
    own = {"field": "context.stage", "op": "exists", "value": True}
    found = score_frame(actions, {"dimensions": [{**CONDITION, "data_config": {"when": own}}]}).collect()
    assert not any(found["d0_value"])


def test_frames_may_be_empty_bare_or_typed_otherwise() -> None:
    profile = {
        "dimensions": [
            SPEED,
            {"name": "team", "data_source": "metadata_field", "data_config": {"field": "a"}},
            {"name": "tokens", "data_source": "tokens_total"},
        ]
    }
    empty = score_frame(frame([]), profile).collect()
    assert empty.height == 0
    assert empty.schema["composite_score"] == pl.Float64()
    bare = score_frame(pl.DataFrame({"x": [1, 2]}), profile).collect()
    assert bare["composite_score"].to_list() == [None, None]
    assert bare["d1_label"].to_list() == ["no_data"] * 2
    typed = pl.DataFrame(
        {"duration_ms": [10, 20], "metadata": [{"a": "x"}, {"a": None}], "tokens_in": pl.Series([None, None])}
    )
    found = score_frame(typed, profile).collect()
    assert found["d0_label"].to_list() == ["fast", "fast"]
    assert found["d1_value"].to_list() == ["x", None]
    categories = pl.DataFrame({"metadata": pl.Series(['{"a": "x"}'], dtype=pl.Categorical)})
    assert score_frame(categories, profile).collect()["d1_value"].to_list() == ["x"]
    for wrong in ({"duration_ms": ["10"]}, {"metadata": [[1]]}):
        with pytest.raises(ValueError, match="is a column of"):
            score_frame(pl.DataFrame(wrong), profile)


def test_the_breakdown_is_the_same_in_long_form() -> None:
    actions = pl.DataFrame({"action_id": ["a", "b"], "duration_ms": [10.0, None], "cost_estimate": [0.5, 2.0]})
    profile = {"dimensions": [SPEED, COST]}
    long = breakdown(score_frame(actions, profile), profile).collect()
    assert long.rows() == [
        ("a", "speed", 3.0, "10.0", 100.0, "fast"),
        ("a", "cost", 1.0, "0.5", 64.0, "cheap"),
        ("b", "speed", 3.0, None, None, "no_data"),
        ("b", "cost", 1.0, "2.0", 64.0, "default"),
    ]


@pytest.mark.parametrize(
    ("members", "place"),
    [
        ({"composite_method": "median"}, "composite_method"),
        ({"dimensions": []}, "dimensions"),
        ({"dimensions": ["speed"]}, "dimensions[0]"),
        ({"dimensions": [{"name": "x", "data_source": "mood"}]}, "dimensions[0].data_source"),
        ({"dimensions": [{"name": "x", "data_source": "custom_function"}]}, "dimensions[0].data_source"),
        ({"dimensions": [{**SPEED, "weight": -0.1}]}, "dimensions[0].weight"),
        ({"dimensions": [{**SPEED, "weight": 5e-324}]}, "dimensions[0].weight"),
        ({"dimensions": [{**SPEED, "weight": math.nan}]}, "dimensions[0].weight"),
        ({"dimensions": [{**SPEED, "weight": math.inf}]}, "dimensions[0].weight"),
        ({"dimensions": [{**SPEED, "weight": True}]}, "dimensions[0].weight"),
        ({"dimensions": [{**SPEED, "name": ""}]}, "dimensions[0].name"),
    ],
)
def test_a_profile_that_cannot_be_used_is_named(members: dict[str, Any], place: str) -> None:
    with pytest.raises(ScaleError) as found:
        profile_of({"dimensions": [SPEED], **members})
    assert found.value.place == place


def test_a_profile_is_read_from_whatever_there_is() -> None:
    read = profile_of({"dimensions": [SPEED, COST]})
    assert profile_of(read) == read
    assert isinstance(read, Profile)
    with pytest.raises(ScaleError):
        profile_of([SPEED])  # type: ignore[arg-type]  # what the test is about
