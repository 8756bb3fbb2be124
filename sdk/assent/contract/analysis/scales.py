"""How a scoring profile measures: data sources, scales and composite methods, read and checked whole. Pure.

A *dimension* takes one value of an action, by its `data_source`:

- `duration_ms`, `cost_estimate`, `tokens_total` (read and written), `risk_score`, `confidence`: what was reported.
  Where the action has none, its metadata may, under the same name.
- `eval_score`: the latest score (0-1) that was stored for the action (`create_score`, evaluation runs).
- `metadata_field`: what is in the action's metadata at `data_config.field`, a path such as `ticket.queue`.
- `condition`: whether `data_config.when` holds, a condition tree over what the action shows (`contract.conditions`).
  It is data, where other systems let code be stored and run; code is refused.

Its *scale* turns the value into a score from 0 to 100. Rules are tried in order and the first that fits counts. When
none fits, the score is the lowest of the scale, with the label `default`; an empty scale gives 50, `unscaled`. Without
a value there is no score, the label is `no_data`, and the dimension is left out of the composite.

- `lt`, `lte`, `gt`, `gte` compare numbers; `between` takes `[low, high]`, both inclusive.
- `eq`: same kind and same value, as in a condition tree: 1 is not "1" and not true.
- `contains`: the text occurs in the value, case-sensitively; in a list, one member is that text.
- The value of a condition is true or false. Without a scale it is 100 when it holds and 0 when it does not, with the
  labels `holds` and `does not hold`; in a scale its rules are `eq` true and `eq` false.

The *composite* joins the dimensions that have a score, each weighing `weight`; one of weight 0 is shown and never
counts. `weighted_average` is the mean by weight, `minimum` the lowest score, `geometric_mean` the geometric mean by
weight, which is 0 as soon as one score is. All have two decimals.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from math import isfinite
from typing import Any, TypeAlias, cast

from msgspec import Struct

from assent.contract.conditions import MAX_FIELD, ConditionError, abbreviated, parse, to_data

MOST_RULES = 50
HEAVIEST = 1_000_000
LIGHTEST = 1e-6
"""Above 0; products with numbers near the smallest that there is lose their digits."""
LONGEST_TEXT = 2000
LONGEST_LABEL = 128
LONGEST_NAME = 256


class CompositeMethod(StrEnum):
    """How the scores of the dimensions become one."""

    WEIGHTED_AVERAGE = "weighted_average"
    MINIMUM = "minimum"
    GEOMETRIC_MEAN = "geometric_mean"


class DataSource(StrEnum):
    """Where a dimension's value comes from."""

    DURATION_MS = "duration_ms"
    COST_ESTIMATE = "cost_estimate"
    TOKENS_TOTAL = "tokens_total"
    RISK_SCORE = "risk_score"
    CONFIDENCE = "confidence"
    EVAL_SCORE = "eval_score"
    METADATA_FIELD = "metadata_field"
    CONDITION = "condition"


class ScaleOperator(StrEnum):
    """How a rule of a scale looks at the value."""

    LT = "lt"
    LTE = "lte"
    GT = "gt"
    GTE = "gte"
    EQ = "eq"
    BETWEEN = "between"
    CONTAINS = "contains"


Plain: TypeAlias = bool | int | float | str
RuleValue: TypeAlias = Plain | list[int | float]
NUMBERS = (ScaleOperator.LT, ScaleOperator.LTE, ScaleOperator.GT, ScaleOperator.GTE)
CODE = (
    "is custom_function, and no code is run here; say it as a condition: data_source condition, "
    'data_config {"when": TREE}, such as {"when": {"field": "reversible", "op": "eq", "value": true}}'
)


class ScaleError(ValueError):
    """A dimension or a method that cannot be used. `place` is where (`scale[1].value`), `message` what is wrong there
    and what to give instead."""

    def __init__(self, place: str, message: str) -> None:
        super().__init__(f"{place}: {message}")
        self.place, self.message = place, message


class ScaleRule(Struct, frozen=True, kw_only=True):
    """`value` is `[low, high]` for `between`; `score` is 0 to 100."""

    label: str
    operator: ScaleOperator
    value: RuleValue
    score: int | float


class Dimension(Struct, frozen=True, kw_only=True):
    """What a dimension measures and how; `read_dimension` makes one that is right. `id` where it is stored."""

    name: str
    data_source: DataSource
    weight: int | float = 1.0
    data_config: dict[str, Any] = {}
    scale: tuple[ScaleRule, ...] = ()
    id: str | None = None


def read_dimension(given: Mapping[str, Any], place: str = "") -> Dimension:
    """Raises ScaleError at the first place that is wrong. Other members are passed over."""
    source = read_source(given.get("data_source"), _at(place, "data_source"))
    weight = given.get("weight")
    id_ = given.get("id")
    return Dimension(
        name=_text(given.get("name"), _at(place, "name"), LONGEST_NAME),
        data_source=source,
        weight=1.0 if weight is None else read_weight(weight, _at(place, "weight")),
        data_config=read_config(source, given.get("data_config"), _at(place, "data_config")),
        scale=read_scale(source, given.get("scale"), _at(place, "scale")),
        id=id_ if isinstance(id_, str) else None,
    )


def read_method(given: object, place: str = "composite_method") -> CompositeMethod:
    if not isinstance(given, str) or given not in list(CompositeMethod):
        raise ScaleError(place, f"is {abbreviated(given)}; give one of {', '.join(CompositeMethod)}")
    return CompositeMethod(given)


def read_source(given: object, place: str = "data_source") -> DataSource:
    if given == "custom_function":
        raise ScaleError(place, CODE)
    if not isinstance(given, str) or given not in list(DataSource):
        raise ScaleError(place, f"is {abbreviated(given)}; give one of {', '.join(DataSource)}")
    return DataSource(given)


def read_weight(given: object, place: str = "weight") -> int | float:
    number = _number(given, place)
    if number != 0 and not LIGHTEST <= number <= HEAVIEST:
        raise ScaleError(
            place, f"is {given}; give a weight from 0 to {HEAVIEST}, and no less than {LIGHTEST:f} above 0"
        )
    return number


def read_config(source: DataSource, given: object, place: str = "data_config") -> dict[str, Any]:
    """The configuration that the source needs; of a condition, its tree as it was read."""
    if given is not None and not isinstance(given, Mapping):
        raise ScaleError(place, f"is {abbreviated(given)}; give an object")
    config = dict(cast("Mapping[str, Any]", given or {}))
    if source is DataSource.METADATA_FIELD:
        path = _text(config.get("field"), f"{place}.field", MAX_FIELD)
        if "" in path.split("."):
            raise ScaleError(f"{place}.field", f"is {abbreviated(path)}; give a path in metadata, such as ticket.queue")
    if source is DataSource.CONDITION:
        if "when" not in config:
            raise ScaleError(f"{place}.when", "is missing; give a condition tree over what the action shows")
        try:
            config["when"] = to_data(parse(config["when"], f"{place}.when"))
        except ConditionError as error:
            raise ScaleError(error.place, error.message) from None
    return config


def read_scale(source: DataSource, given: object, place: str = "scale") -> tuple[ScaleRule, ...]:
    if given is None:
        return ()
    if not isinstance(given, list | tuple):
        raise ScaleError(place, f"is {abbreviated(given)}; give a list of rules")
    rules = cast("list[object]", given)
    if len(rules) > MOST_RULES:
        raise ScaleError(place, f"has {len(rules)} rules; {MOST_RULES} are the most")
    return tuple(_rule(source, rule, f"{place}[{at}]") for at, rule in enumerate(rules))


def _rule(source: DataSource, given: object, place: str) -> ScaleRule:
    if isinstance(given, ScaleRule):
        given = {name: getattr(given, name) for name in given.__struct_fields__}
    if not isinstance(given, Mapping):
        raise ScaleError(place, f"is {abbreviated(given)}; give an object with label, operator, value and score")
    rule = cast("Mapping[str, Any]", given)
    name = rule.get("operator")
    if not isinstance(name, str) or name not in list(ScaleOperator):
        raise ScaleError(f"{place}.operator", f"is {abbreviated(name)}; give one of {', '.join(ScaleOperator)}")
    operator = ScaleOperator(name)
    score = _number(rule.get("score"), f"{place}.score")
    if not 0 <= score <= 100:
        raise ScaleError(f"{place}.score", f"is {score}; give a score from 0 to 100")
    label = _text(rule.get("label"), f"{place}.label", LONGEST_LABEL)
    value = _value(operator, rule.get("value"), f"{place}.value")
    _check_kind(source, operator, value, place)
    return ScaleRule(label=label, operator=operator, value=value, score=score)


def _value(operator: ScaleOperator, given: object, place: str) -> RuleValue:
    if operator in NUMBERS:
        return _number(given, place)
    if operator is ScaleOperator.CONTAINS:
        return _text(given, place, LONGEST_TEXT)
    if operator is ScaleOperator.EQ:
        if isinstance(given, str):
            return given if not given else _text(given, place, LONGEST_TEXT)
        return given if isinstance(given, bool) else _number(given, place)
    bounds = cast("list[object]", given)
    if not isinstance(given, list | tuple) or len(bounds) != 2:
        raise ScaleError(place, f"is {abbreviated(given)}; between expects [low, high]")
    low, high = (_number(bound, f"{place}[{at}]") for at, bound in enumerate(bounds))
    if low > high:
        raise ScaleError(place, f"is [{low}, {high}], which nothing is between; exchange them")
    return [low, high]


def _check_kind(source: DataSource, operator: ScaleOperator, value: RuleValue, place: str) -> None:
    """A rule that could never fit is a mistake."""
    if source is DataSource.METADATA_FIELD:
        return
    if source is DataSource.CONDITION:
        if operator is not ScaleOperator.EQ or not isinstance(value, bool):
            raise ScaleError(place, "never fits: a condition is true or false; compare by eq with true or false")
    elif operator is ScaleOperator.CONTAINS or isinstance(value, str | bool):
        raise ScaleError(place, f"never fits: {source} is a number; compare it with numbers")


def _number(given: object, place: str) -> int | float:
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise ScaleError(place, f"is {abbreviated(given)}; give a number")
    # Beyond 2^53 not every reader keeps a whole number exactly.
    if not isfinite(given) or (isinstance(given, int) and abs(given) >= 2**53):
        raise ScaleError(place, f"is {abbreviated(given)}; give a finite number, whole ones within ±(2^53 - 1)")
    return given


def _text(given: object, place: str, longest: int) -> str:
    if not isinstance(given, str) or not 0 < len(given) <= longest:
        raise ScaleError(place, f"is {abbreviated(given)}; give a text of 1 to {longest} characters")
    return given


def _at(place: str, member: str) -> str:
    return f"{place}.{member}" if place else member
