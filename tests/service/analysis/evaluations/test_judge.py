"""What scorers say of actions, worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from assent.contract.analysis.scorers import ScorerType
from assent_service.analysis.evaluations.config import read_config
from assent_service.analysis.evaluations.fields import FIELDS, KINDS, Skip, columns_of, fields_of
from assent_service.analysis.evaluations.judge import Judged, judge_of, paths_of


def judged(kind: str, config: Any, fields: dict[str, object]) -> Judged | Skip:
    return judge_of(read_config(ScorerType(kind), config))(fields)


def score(kind: str, config: Any, fields: dict[str, object]) -> float | str:
    found = judged(kind, config, fields)
    return found.value if isinstance(found, Skip) else found.score


def leaf(field: str, op: str, value: Any) -> dict[str, Any]:
    return {"field": field, "op": op, "value": value}


@pytest.mark.parametrize(
    ("config", "text", "expected"),
    [
        ({"pattern": "paid"}, "It was PAID today", 1.0),
        ({"pattern": "paid", "flags": ""}, "It was PAID today", 0.0),
        ({"pattern": "^b", "flags": "m"}, "a\nb", 1.0),
        ({"pattern": "^b", "flags": ""}, "a\nb", 0.0),
        ({"pattern": "a.b", "flags": "s"}, "a\nb", 1.0),
        ({"pattern": "a.b", "flags": ""}, "a\nb", 0.0),
        ({"pattern": "x", "match_score": 0.25, "no_match_score": 0.75}, "y", 0.75),
        ({"pattern": "Straße"}, "STRASSE", 0.0),
        ({"pattern": "ü.$"}, "grün", 1.0),
        ({"pattern": "x"}, "", 0.0),
    ],
)
def test_regex(config: dict[str, Any], text: str, expected: float) -> None:
    assert score("regex", config, {"output_summary": text}) == expected


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "(.*a){20}$", "(x+x+)+y"])
def test_a_pattern_that_backtracks_for_ever_elsewhere_does_not_here(pattern: str) -> None:
    # Python's own engine takes longer than the universe has for the first of these.
    assert score("regex", {"pattern": pattern}, {"output_summary": "a" * 5000 + "b"}) == 0.0


def test_text_is_looked_at_up_to_a_hundred_thousand_characters() -> None:
    config = {"pattern": "end$", "field": "metadata.log"}
    assert score("regex", config, {"metadata": {"log": "x" * 99_997 + "end"}}) == 1.0
    assert score("regex", config, {"metadata": {"log": "x" * 99_998 + "end"}}) == 0.0


@pytest.mark.parametrize(
    ("config", "text", "expected", "label"),
    [
        ({"keywords": ["Refund", "order"]}, "the REFUND went out", 1.0, "contains"),
        ({"keywords": ["refund", "order"], "mode": "all"}, "the refund went out", 0.0, "missing"),
        ({"keywords": ["refund", "order"], "mode": "all"}, "refund of ORDER 7", 1.0, "contains"),
        ({"keywords": ["refund"], "case_sensitive": True}, "Refund", 0.0, "missing"),
        ({"keywords": ["STRASSE"]}, "Hauptstraße", 1.0, "contains"),
        ({"keywords": ["a", "b"], "no_match_score": 0.5}, "c", 0.5, "missing"),
    ],
)
def test_contains(config: dict[str, Any], text: str, expected: float, label: str) -> None:
    found = judged("contains", config, {"output_summary": text})
    assert isinstance(found, Judged)
    assert (found.score, found.label) == (expected, label)


def test_contains_says_what_it_found_and_what_it_missed() -> None:
    found = judged("contains", {"keywords": ["a", "b", "c"], "mode": "all"}, {"output_summary": "b"})
    assert isinstance(found, Judged)
    assert found.reasoning == "output_summary lacks 'a', 'c'"


@pytest.mark.parametrize(
    ("config", "value", "expected"),
    [
        ({"min": 1, "max": 2}, 1, 1.0),
        ({"min": 1, "max": 2}, 2.0, 1.0),
        ({"min": 1, "max": 2}, 2.0000001, 0.0),
        ({"min": 1}, 0.99, 0.0),
        ({"min": 1}, 10**9, 1.0),
        ({"max": 0}, 0, 1.0),
        ({"max": 0, "out_of_range_score": 0.3}, 1, 0.3),
        ({"min": 5, "max": 5}, 5, 1.0),
        ({"max": 5}, True, "not_a_number"),
        ({"max": 5}, "3", "not_a_number"),
        ({"max": 5}, [3], "not_a_number"),
    ],
)
def test_numeric_range(config: dict[str, Any], value: object, expected: object) -> None:
    assert score("numeric_range", config | {"field": "metadata.n"}, {"metadata": {"n": value}}) == expected


@pytest.mark.parametrize("kind", ["regex", "contains", "numeric_range"])
@pytest.mark.parametrize(
    "fields", [{}, {"metadata": {}}, {"metadata": {"a": None}}, {"metadata": {"a": "x"}}, {"metadata": {"a": [1]}}]
)
def test_a_missing_field_gives_no_score_and_never_a_zero(kind: str, fields: dict[str, object]) -> None:
    config: dict[str, dict[str, Any]] = {
        "regex": {"pattern": "x"},
        "contains": {"keywords": ["x"]},
        "numeric_range": {"min": 0},
    }
    assert score(kind, config[kind] | {"field": "metadata.a.b"}, fields) == "missing_field"


def test_lists_are_texts_and_other_things_are_not() -> None:
    config = {"pattern": "^db$", "flags": "m", "field": "systems_touched"}
    assert score("regex", config, {"systems_touched": ["api", "db"]}) == 1.0
    assert score("regex", config, {"systems_touched": []}) == 0.0
    for value in (7, True, {"a": "b"}, ["a", 7]):
        assert score("regex", {"pattern": "x", "field": "metadata.a"}, {"metadata": {"a": value}}) == "not_text"


def test_the_first_rule_that_holds_counts() -> None:
    config = {
        "rules": [
            {"when": leaf("status", "eq", "failed"), "score": 0.1, "label": "bad"},
            {"when": leaf("risk_score", "lt", 50), "score": 0.9, "label": "good"},
            {"when": leaf("risk_score", "lt", 90), "score": 0.6},
        ],
        "default_score": 0.3,
        "default_label": "rest",
    }
    for status, risk, expected in (
        ("failed", 10, (0.1, "bad")),
        ("completed", 10, (0.9, "good")),
        ("completed", 50, (0.6, None)),
        ("completed", 90, (0.3, "rest")),
    ):
        found = judged("expression", config, {"status": status, "risk_score": risk})
        assert isinstance(found, Judged)
        assert (found.score, found.label) == expected


def test_an_expression_that_lacks_what_it_compares_gives_no_score() -> None:
    costly = {"when": leaf("cost_estimate", "gt", 1), "score": 0.0}
    assert score("expression", [costly], {"status": "completed"}) == "missing_field"
    assert score("expression", [costly], {"cost_estimate": 0.5}) == 0.0
    told = [{"when": leaf("error_message", "exists", True), "score": 0.2}, {"when": leaf("status", "eq", "completed")}]
    assert score("expression", told, {"status": "failed", "error_message": "x"}) == 0.2
    # What is only asked whether it exists may be missing.
    assert score("expression", told, {"status": "failed"}) == 0.0
    assert score("expression", told, {}) == "missing_field"
    assert score("expression", {"rules": told, "default_score": None}, {"status": "failed"}) == "no_rule_holds"


def test_only_the_columns_that_a_scorer_looks_at_are_fetched() -> None:
    tree = {
        "all": [leaf("metadata.a", "eq", 1), {"not": leaf("metadata.b.c", "exists", True)}, leaf("model", "ne", "")]
    }
    config = read_config(ScorerType.EXPRESSION, {"when": tree})
    assert paths_of(config) == {"metadata.a", "metadata.b.c", "model"}
    assert columns_of(paths_of(config)) == ("metadata", "model")
    assert fields_of(("metadata", "model", "risk_score"), ('{"a": 1}', None, 7.5)) == {
        "metadata": {"a": 1},
        "risk_score": 7.5,
    }


def test_the_fields_are_those_that_a_row_of_an_action_has() -> None:
    assert set(FIELDS) == set(KINDS)
    assert not {"org_id", "request_digest", "idempotency_key", "created_by"} & set(FIELDS)
