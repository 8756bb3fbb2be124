"""Reading a scorer's configuration. Pure; what comes out is complete, and it works.

1. A configuration is an object, or its JSON text; an expression may also be given as the list of its rules, or as one
   rule.
2. Nothing unknown, no wrong type, no default for what says everything: a pattern, keywords, a bound, a rule.
3. Scores lie between 0 and 1; bounds are finite and in order; fields are those that `fields` lists, of a kind that can
   hold what the scorer looks for.
4. Patterns are RE2's and condition trees are the policies'; both are compiled once, here, to be sure.
5. Types that would run code or ask a model are refused, with the way out.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from assent.contract.analysis.scorers import ScorerType
from assent.contract.conditions import Condition, ConditionError, parse, to_data
from assent.contract.prepared import prepared
from assent_service.analysis.evaluations.fields import NUMBERS, TEXTS, compared, complaint
from assent_service.control.guard import compile_condition
from assent_service.store.tables import ColumnKind

Grade = Annotated[float, Meta(ge=0, le=1)]
Path = Annotated[str, Meta(min_length=1, max_length=256)]
Label = Annotated[str, Meta(min_length=1, max_length=128)]
Word = Annotated[str, Meta(min_length=1, max_length=2000)]
C = TypeVar("C", bound=Struct)
HUGE = 2**53

WAY_OUT = {
    "custom_function": "is custom_function, and the service runs no code; say it as an expression (a condition tree) "
    "or a regex, or judge in your own process and report with create_score",
    "llm_judge": "is llm_judge, and the service asks no model; judge with a model of your own and report with "
    "create_score",
}


class ConfigError(ValueError):
    """A configuration that cannot be used: where in it, and what is wrong there."""

    def __init__(self, place: str, message: str) -> None:
        super().__init__(f"{place}: {message}")
        self.place, self.message = place, message


class RegexConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pattern: Word
    flags: Annotated[str, Meta(pattern=r"^[ims]{0,3}\Z")] = "i"
    field: Path = "output_summary"
    match_score: Grade = 1.0
    no_match_score: Grade = 0.0


class ContainsConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    keywords: Annotated[list[Word], Meta(min_length=1, max_length=100)]
    mode: Literal["any", "all"] = "any"
    case_sensitive: bool = False
    field: Path = "output_summary"
    match_score: Grade = 1.0
    no_match_score: Grade = 0.0


class RangeConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    min: float | None = None
    max: float | None = None
    field: Path = "risk_score"
    in_range_score: Grade = 1.0
    out_of_range_score: Grade = 0.0


class ExpressionRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    when: Any
    score: Grade = 1.0
    label: Label | None = None


class ExpressionConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`when` of each rule is a tree that can be read; `trees` gives them read."""

    rules: Annotated[list[ExpressionRule], Meta(min_length=1, max_length=50)]
    default_score: Grade | None = 0.0
    default_label: Label | None = None

    def trees(self) -> list[Condition]:
        return [parse(rule.when, f"config.rules[{at}].when") for at, rule in enumerate(self.rules)]


Config = RegexConfig | ContainsConfig | RangeConfig | ExpressionConfig


def type_of(name: str) -> ScorerType:
    """Raises ConfigError for a type that there is not, or that would run code."""
    if name in WAY_OUT:
        raise ConfigError("scorer_type", WAY_OUT[name])
    if name not in list(ScorerType):
        raise ConfigError("scorer_type", f"is {name!r}; give one of {', '.join(ScorerType)}")
    return ScorerType(name)


def read_config(scorer_type: ScorerType, given: object) -> Config:
    """Raises ConfigError at the first place that is wrong."""
    data = _decoded(given)
    if scorer_type is ScorerType.REGEX:
        return _regex(_shaped(data, RegexConfig))
    if scorer_type is ScorerType.CONTAINS:
        contains = _shaped(data, ContainsConfig)
        _check_field(contains.field, TEXTS)
        return contains
    if scorer_type is ScorerType.NUMERIC_RANGE:
        return _range(_shaped(data, RangeConfig))
    return _expression(_shaped(_as_rules(data), ExpressionConfig))


def as_data(config: Config) -> dict[str, Any]:
    """The configuration as data, complete; reading it again gives the same."""
    plain: dict[str, Any] = msgspec.to_builtins(config)
    return plain


def _decoded(given: object) -> object:
    if not isinstance(given, str):
        return given
    try:
        return msgspec.json.decode(given)
    except (msgspec.DecodeError, RecursionError):
        raise ConfigError("config", "is text that is no JSON; give an object, or an object as JSON") from None


def _shaped(data: object, shape: type[C]) -> C:
    if not isinstance(data, dict):
        known = ", ".join(shape.__struct_fields__)
        raise ConfigError("config", f"must be an object with members out of {known}")
    try:
        return msgspec.convert(data, prepared(shape))
    except msgspec.ValidationError as error:
        message, _, where = str(error).partition(" - at `$")
        if "unknown field" in message or "missing required" in message:
            message += f" (known are {', '.join((ExpressionRule if '.rules' in where else shape).__struct_fields__)})"
        raise ConfigError("config" + where.rstrip("`"), message[:1].lower() + message[1:]) from None


def _check_field(path: str, kinds: frozenset[ColumnKind]) -> None:
    wrong = complaint(path, kinds)
    if wrong:
        raise ConfigError("config.field", wrong)


def _regex(config: RegexConfig) -> RegexConfig:
    _check_field(config.field, TEXTS)
    if len(set(config.flags)) < len(config.flags):
        raise ConfigError("config.flags", f"is {config.flags!r}; give each of i, m and s once at most")
    try:
        compile_condition(parse({"field": config.field, "op": "matches", "value": pattern_of(config)}, "config"))
    except ConditionError as error:
        raise ConfigError("config.pattern", error.message) from None
    return config


def pattern_of(config: RegexConfig) -> str:
    """The pattern with its flags, as RE2 writes them."""
    return f"(?{config.flags}){config.pattern}" if config.flags else config.pattern


def _range(config: RangeConfig) -> RangeConfig:
    _check_field(config.field, NUMBERS)
    for name, bound in (("min", config.min), ("max", config.max)):
        # Written so that NaN, which is below nothing and above nothing, is refused too.
        if bound is not None and not -HUGE < bound < HUGE:
            raise ConfigError(f"config.{name}", f"is {bound}; give a finite number within ±2^53")
    if config.min is None and config.max is None:
        raise ConfigError("config", "has neither min nor max; give one of them or both")
    if config.min is not None and config.max is not None and config.min > config.max:
        raise ConfigError("config.min", f"is {config.min:g}, which is above max, {config.max:g}; exchange them")
    return config


def _as_rules(data: object) -> object:
    if isinstance(data, list):
        return {"rules": data}
    if isinstance(data, dict) and "when" in data and "rules" not in data:
        rule = {name: value for name, value in data.items() if name in ExpressionRule.__struct_fields__}
        return {name: value for name, value in data.items() if name not in rule} | {"rules": [rule]}
    return data


def _expression(config: ExpressionConfig) -> ExpressionConfig:
    try:
        trees = config.trees()
        for at, tree in enumerate(trees):
            compile_condition(tree, f"config.rules[{at}].when")
    except ConditionError as error:
        raise ConfigError(error.place, error.message) from None
    for at, tree in enumerate(trees):
        for place, leaf in compared(tree, f"config.rules[{at}].when"):
            wrong = complaint(leaf.field)
            if wrong:
                raise ConfigError(f"{place}.field", wrong)
    rules = [msgspec.structs.replace(rule, when=to_data(tree)) for rule, tree in zip(config.rules, trees, strict=True)]
    return msgspec.structs.replace(config, rules=rules)
