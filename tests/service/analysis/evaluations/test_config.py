"""Every kind of configuration that cannot be used, and what a good one becomes."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assent.contract.analysis.scorers import ScorerType
from assent_service.analysis.evaluations.config import ConfigError, as_data, read_config, type_of

RULE = {"when": {"field": "status", "op": "eq", "value": "completed"}}
DEEP: dict[str, Any] = RULE["when"]
for _ in range(16):
    DEEP = {"not": DEEP}


def leaf(**changed: Any) -> dict[str, Any]:
    return {"rules": [{"when": {"field": "status", "op": "eq", "value": "x"} | changed}]}


@pytest.mark.parametrize(
    ("kind", "config", "place", "says"),
    [
        ("regex", None, "config", "pattern"),
        ("regex", {}, "config", "pattern"),
        ("regex", [], "config", "object"),
        ("regex", "no json", "config", "no JSON"),
        ("regex", "7", "config", "object"),
        ("regex", {"pattern": ""}, "config.pattern", "length >= 1"),
        ("regex", {"pattern": 7}, "config.pattern", "expected `str`"),
        ("regex", {"pattern": "x" * 2001}, "config.pattern", "2000"),
        ("regex", {"pattern": "x" * 2000}, "config.pattern", "2000"),
        ("regex", {"pattern": "("}, "config.pattern", "RE2"),
        ("regex", {"pattern": r"(a)\1"}, "config.pattern", "back-references"),
        ("regex", {"pattern": "(?=a)"}, "config.pattern", "look-around"),
        ("regex", {"pattern": "(?<!a)b"}, "config.pattern", "look-around"),
        ("regex", {"pattern": "a{1001}"}, "config.pattern", "RE2"),
        ("regex", {"pattern": "a", "flags": "x"}, "config.flags", "matching regex"),
        ("regex", {"pattern": "a", "flags": "ii"}, "config.flags", "once"),
        ("regex", {"pattern": "a", "flag": "i"}, "config", "known are pattern, flags"),
        ("regex", {"pattern": "a", "match_score": 1.01}, "config.match_score", "<= 1.0"),
        ("regex", {"pattern": "a", "no_match_score": -0.5}, "config.no_match_score", ">= 0.0"),
        ("regex", {"pattern": "a", "match_score": float("nan")}, "config.match_score", "0.0"),
        ("regex", {"pattern": "a", "match_score": True}, "config.match_score", "float"),
        ("regex", {"pattern": "a", "field": "nothing"}, "config.field", "no field of an action"),
        ("regex", {"pattern": "a", "field": "request_digest"}, "config.field", "no field of an action"),
        ("regex", {"pattern": "a", "field": "output_summary.x"}, "config.field", "no field of an action"),
        ("regex", {"pattern": "a", "field": "metadata"}, "config.field", "needs a name"),
        ("regex", {"pattern": "a", "field": "metadata.a..b"}, "config.field", "needs a name"),
        ("regex", {"pattern": "a", "field": "risk_score"}, "config.field", "never holds text"),
        ("contains", {"keywords": []}, "config.keywords", "length >= 1"),
        ("contains", {"keywords": "word"}, "config.keywords", "array"),
        ("contains", {"keywords": ["a", ""]}, "config.keywords[1]", "length >= 1"),
        ("contains", {"keywords": ["a"] * 101}, "config.keywords", "100"),
        ("contains", {"keywords": ["a"], "mode": "some"}, "config.mode", "'some'"),
        ("contains", {"keywords": ["a"], "case_sensitive": 1}, "config.case_sensitive", "bool"),
        ("contains", {"keywords": ["a"], "field": "reversible"}, "config.field", "never holds text"),
        ("contains", {}, "config", "known are keywords"),
        ("numeric_range", {}, "config", "neither min nor max"),
        ("numeric_range", {"min": 2, "max": 1}, "config.min", "above max"),
        ("numeric_range", {"min": float("nan")}, "config.min", "finite"),
        ("numeric_range", {"max": float("inf")}, "config.max", "finite"),
        ("numeric_range", {"max": 2**60}, "config.max", "finite"),
        ("numeric_range", {"max": 10**400}, "config.max", "range"),
        ("numeric_range", {"max": "1"}, "config.max", "float"),
        ("numeric_range", {"max": 1, "field": "status"}, "config.field", "never holds a number"),
        ("numeric_range", {"max": 1, "field": "verified"}, "config.field", "never holds a number"),
        ("numeric_range", {"max": 1, "in_range_score": 2}, "config.in_range_score", "<= 1.0"),
        ("expression", {}, "config", "known are rules"),
        ("expression", [], "config.rules", "length >= 1"),
        ("expression", [RULE] * 51, "config.rules", "50"),
        ("expression", {"rules": [{}]}, "config.rules[0]", "known are when"),
        ("expression", {"rules": [RULE | {"then": 1}]}, "config.rules[0]", "unknown field"),
        ("expression", RULE | {"rules": [RULE]}, "config", "unknown field"),
        ("expression", RULE | {"otherwise": 1}, "config", "unknown field"),
        ("expression", {"when": "status == 1"}, "config.rules[0].when", "expected one of"),
        ("expression", {"when": DEEP}, "config.rules[0].when" + ".not" * 16, "16 levels"),
        ("expression", {"when": {"any": [RULE["when"]] * 300}}, "config.rules[0].when.any[255]", "256 nodes"),
        ("expression", leaf(op="like"), "config.rules[0].when.op", "expected one of"),
        ("expression", leaf(field="org_id"), "config.rules[0].when.field", "no field of an action"),
        ("expression", leaf(field="metadata"), "config.rules[0].when.field", "needs a name"),
        ("expression", leaf(op="matches", value="(?=x)"), "config.rules[0].when.value", "look-around"),
        ("expression", leaf(op="gt", value="a"), "config.rules[0].when.value", "number"),
        ("expression", leaf(value=float("nan")), "config.rules[0].when.value", "finite"),
        ("expression", [RULE | {"score": 7}], "config.rules[0].score", "<= 1.0"),
        ("expression", [RULE | {"label": ""}], "config.rules[0].label", "length >= 1"),
        ("expression", {"rules": [RULE], "default_score": "0"}, "config.default_score", "float"),
    ],
)
def test_what_cannot_be_used_is_named(kind: str, config: Any, place: str, says: str) -> None:
    with pytest.raises(ConfigError) as found:
        read_config(ScorerType(kind), config)
    assert found.value.place == place
    assert says in found.value.message


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("custom_function", "expression"),
        ("llm_judge", "create_score"),
        ("python", "regex, contains, numeric_range, expression"),
        ("", "regex, contains, numeric_range, expression"),
        ("Regex", "regex, contains, numeric_range, expression"),
    ],
)
def test_a_type_that_is_not_served_names_the_way_out(name: str, says: str) -> None:
    with pytest.raises(ConfigError) as found:
        type_of(name)
    assert found.value.place == "scorer_type"
    assert says in found.value.message


@pytest.mark.parametrize(
    ("kind", "given", "kept"),
    [
        (
            "regex",
            {"pattern": "ok"},
            {"pattern": "ok", "flags": "i", "field": "output_summary", "match_score": 1, "no_match_score": 0},
        ),
        (
            "contains",
            {"keywords": ["a"], "mode": "all", "field": "metadata.note"},
            {
                "keywords": ["a"],
                "mode": "all",
                "case_sensitive": False,
                "field": "metadata.note",
                "match_score": 1,
                "no_match_score": 0,
            },
        ),
        (
            "numeric_range",
            '{"max": 5000, "field": "duration_ms", "out_of_range_score": 0.25}',
            {"min": None, "max": 5000, "field": "duration_ms", "in_range_score": 1, "out_of_range_score": 0.25},
        ),
        (
            "expression",
            RULE | {"score": 0.5, "label": "half", "default_score": None},
            {"rules": [RULE | {"score": 0.5, "label": "half"}], "default_score": None, "default_label": None},
        ),
        (
            "expression",
            [RULE],
            {"rules": [RULE | {"score": 1, "label": None}], "default_score": 0, "default_label": None},
        ),
    ],
)
def test_a_configuration_is_kept_whole_and_reads_back_as_itself(kind: str, given: Any, kept: dict[str, Any]) -> None:
    config = read_config(ScorerType(kind), given)
    assert as_data(config) == kept
    again = msgspec.json.decode(msgspec.json.encode(as_data(config)))
    assert read_config(ScorerType(kind), again) == config
