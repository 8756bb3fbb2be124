"""Dimensions and scales as they are read: what is right stays as it was given, and every wrong place is named."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import pytest

from assent.contract.analysis.scales import (
    CompositeMethod,
    DataSource,
    ScaleError,
    ScaleOperator,
    read_config,
    read_dimension,
    read_method,
    read_scale,
    read_source,
    read_weight,
)

LEAF = {"field": "reversible", "op": "eq", "value": True}


def rule(operator: Any = "lt", value: Any = 10, score: Any = 50, **more: Any) -> dict[str, Any]:
    return {"label": "fair", "operator": operator, "value": value, "score": score, **more}


@pytest.mark.parametrize(
    ("source", "given"),
    [
        ("duration_ms", rule()),
        ("duration_ms", rule("between", [1, 2.5])),
        ("duration_ms", rule("between", [3, 3])),
        ("duration_ms", rule("eq", -1e300, 0)),
        ("metadata_field", rule("eq", "", 100)),
        ("metadata_field", rule("eq", False, 33.3)),
        ("metadata_field", rule("contains", "blue")),
        ("condition", rule("eq", True)),
    ],
)
def test_a_rule_stays_as_it_was_given(source: str, given: dict[str, Any]) -> None:
    read = read_scale(DataSource(source), [given])
    assert [msgspec.to_builtins(each) for each in read] == [given]
    assert read_scale(DataSource(source), read) == read


@pytest.mark.parametrize(
    ("source", "given", "place", "says"),
    [
        ("duration_ms", 7, "scale", "list of rules"),
        ("duration_ms", [rule()] * 51, "scale", "50 are the most"),
        ("duration_ms", [rule(), "x"], "scale[1]", "label, operator, value and score"),
        ("duration_ms", [rule("near")], "scale[0].operator", "between"),
        ("duration_ms", [rule(label="")], "scale[0].label", "1 to 128"),
        ("duration_ms", [rule(label=7)], "scale[0].label", "text"),
        ("duration_ms", [rule(score=101)], "scale[0].score", "0 to 100"),
        ("duration_ms", [rule(score=-1)], "scale[0].score", "0 to 100"),
        ("duration_ms", [rule(score=math.nan)], "scale[0].score", "finite"),
        ("duration_ms", [rule(score=True)], "scale[0].score", "number"),
        ("duration_ms", [rule(value="10")], "scale[0].value", "number"),
        ("duration_ms", [rule(value=math.inf)], "scale[0].value", "finite"),
        ("duration_ms", [rule(value=2**53)], "scale[0].value", "2^53"),
        ("duration_ms", [rule("between", 7)], "scale[0].value", "[low, high]"),
        ("duration_ms", [rule("between", [1])], "scale[0].value", "[low, high]"),
        ("duration_ms", [rule("between", [1, "2"])], "scale[0].value[1]", "number"),
        ("duration_ms", [rule("between", [2, 1])], "scale[0].value", "exchange"),
        ("duration_ms", [rule("eq", "fast")], "scale[0]", "never fits"),
        ("duration_ms", [rule("eq", True)], "scale[0]", "never fits"),
        ("duration_ms", [rule("contains", "1")], "scale[0]", "never fits"),
        ("condition", [rule("lt", 1)], "scale[0]", "never fits"),
        ("condition", [rule("eq", 1)], "scale[0]", "never fits"),
        ("metadata_field", [rule("contains", "")], "scale[0].value", "1 to 2000"),
        ("metadata_field", [rule("eq", None)], "scale[0].value", "number"),
        ("metadata_field", [rule("eq", [1])], "scale[0].value", "number"),
    ],
)
def test_a_wrong_rule_is_named(source: str, given: Any, place: str, says: str) -> None:
    with pytest.raises(ScaleError) as found:
        read_scale(DataSource(source), given)
    assert found.value.place == place
    assert says in found.value.message


def test_methods_and_sources_say_what_there_is() -> None:
    assert read_method("minimum") is CompositeMethod.MINIMUM
    for wrong in ("median", "", None, 7):
        with pytest.raises(ScaleError, match="weighted_average, minimum, geometric_mean"):
            read_method(wrong)
    for source in DataSource:
        assert read_source(source.value) is source
    with pytest.raises(ScaleError, match=r'no code is run here.*"when"'):
        read_source("custom_function")
    with pytest.raises(ScaleError, match="duration_ms, cost_estimate"):
        read_source("mood")
    assert {each.value for each in ScaleOperator} == {"lt", "lte", "gt", "gte", "eq", "between", "contains"}


def test_weights_lie_from_nothing_to_a_million() -> None:
    assert [read_weight(weight) for weight in (0, 0.5, 1_000_000)] == [0, 0.5, 1_000_000]
    for wrong in (-1, -1e-9, 1_000_001, math.nan, math.inf, True, "1", None):
        with pytest.raises(ScaleError, match="weight"):
            read_weight(wrong)


@pytest.mark.parametrize(
    ("source", "given", "place"),
    [
        ("metadata_field", None, "data_config.field"),
        ("metadata_field", {"field": ""}, "data_config.field"),
        ("metadata_field", {"field": "a..b"}, "data_config.field"),
        ("metadata_field", {"field": "x" * 257}, "data_config.field"),
        ("condition", {}, "data_config.when"),
        ("condition", {"when": None}, "data_config.when"),
        (
            "condition",
            {"when": {"all": [LEAF, {"field": "a", "op": "near", "value": 1}]}},
            "data_config.when.all[1].op",
        ),
        ("duration_ms", [1], "data_config"),
    ],
)
def test_a_configuration_must_fit_its_source(source: str, given: Any, place: str) -> None:
    with pytest.raises(ScaleError) as found:
        read_config(DataSource(source), given)
    assert found.value.place == place


def test_a_dimension_is_read_whole() -> None:
    bare = read_dimension({"name": "speed", "data_source": "duration_ms", "unheard": 1})
    assert (bare.weight, bare.data_config, bare.scale, bare.id) == (1, {}, (), None)
    full = read_dimension(
        {
            "id": "sd_1",
            "name": "safe",
            "data_source": "condition",
            "data_config": {"when": LEAF, "note": 1},
            "weight": 0,
        }
    )
    assert (full.id, full.weight, full.data_config) == ("sd_1", 0, {"when": LEAF, "note": 1})
    with pytest.raises(ScaleError) as found:
        read_dimension({"data_source": "duration_ms"}, "dimensions[2]")
    assert found.value.place == "dimensions[2].name"
