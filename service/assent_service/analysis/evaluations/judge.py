"""A scorer at work: its configuration becomes a function from what an action shows to a score, or to why not. Pure.

1. A field that is missing gives no score; nor does one that holds no text, or no number, where one is looked for.
2. A pattern and keywords are looked for anywhere in the text; a range includes its bounds.
3. Of an expression's rules the first whose tree holds counts. A tree means what it means in a policy: a comparison of
   a missing field is false. When no rule holds and a field that was compared is missing, there is no score, because
   what is not there has not been judged; otherwise the default counts, if there is one.
4. No code is run, and a pattern takes linear time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from assent.contract.conditions import Op
from assent_service.analysis.evaluations.config import (
    Config,
    ContainsConfig,
    ExpressionConfig,
    RangeConfig,
    RegexConfig,
    pattern_of,
)
from assent_service.analysis.evaluations.fields import Skip, compared, look_up, needed, text_of
from assent_service.control.guard import compile_condition, value_test

Fields = Mapping[str, object]


@dataclass(frozen=True)
class Judged:
    """`score` from 0 to 1."""

    score: float
    label: str | None
    reasoning: str


Judge = Callable[[Fields], Judged | Skip]


def judge_of(config: Config) -> Judge:
    """The scorer as a function; the configuration has been read by `read_config`."""
    match config:
        case RegexConfig():
            return _regex(config)
        case ContainsConfig():
            return _contains(config)
        case RangeConfig():
            return _range(config)
        case ExpressionConfig():
            return _expression(config)


def paths_of(config: Config) -> set[str]:
    """Every field that the scorer looks at."""
    if not isinstance(config, ExpressionConfig):
        return {config.field}
    return {leaf.field for tree in config.trees() for _, leaf in compared(tree, "when")}


def _regex(config: RegexConfig) -> Judge:
    found_in = value_test(Op.MATCHES, pattern_of(config))
    hit = Judged(config.match_score, "match", f"{config.field} matches the pattern")
    miss = Judged(config.no_match_score, "no_match", f"{config.field} does not match the pattern")

    def judge(fields: Fields) -> Judged | Skip:
        text = _text(fields, config.field)
        return text if isinstance(text, Skip) else hit if found_in(text) else miss

    return judge


def _contains(config: ContainsConfig) -> Judge:
    wanted = [(word, word if config.case_sensitive else word.casefold()) for word in config.keywords]

    def judge(fields: Fields) -> Judged | Skip:
        text = _text(fields, config.field)
        if isinstance(text, Skip):
            return text
        looked_at = text if config.case_sensitive else text.casefold()
        found = [word for word, sought in wanted if sought in looked_at]
        if found if config.mode == "any" else len(found) == len(wanted):
            return Judged(config.match_score, "contains", _listed(f"{config.field} contains", found))
        absent = [word for word, _ in wanted if word not in found]
        return Judged(config.no_match_score, "missing", _listed(f"{config.field} lacks", absent))

    return judge


def _range(config: RangeConfig) -> Judge:
    low = float("-inf") if config.min is None else config.min
    high = float("inf") if config.max is None else config.max
    bounds = f"{'any' if config.min is None else f'{low:g}'} to {'any' if config.max is None else f'{high:g}'}"

    def judge(fields: Fields) -> Judged | Skip:
        value = look_up(fields, config.field)
        if value is None:
            return Skip.MISSING_FIELD
        if isinstance(value, bool) or not isinstance(value, int | float):
            return Skip.NOT_A_NUMBER
        if low <= value <= high:
            return Judged(config.in_range_score, "in_range", f"{config.field} is {value}, within {bounds}")
        return Judged(config.out_of_range_score, "out_of_range", f"{config.field} is {value}, not within {bounds}")

    return judge


def _expression(config: ExpressionConfig) -> Judge:
    trees = config.trees()
    rules = [
        (compile_condition(tree), Judged(rule.score, rule.label, f"rule {at + 1} holds"))
        for at, (rule, tree) in enumerate(zip(config.rules, trees, strict=True))
    ]
    fields_needed = sorted(set().union(*(needed(tree) for tree in trees)))
    score = config.default_score
    default = Skip.NO_RULE_HOLDS if score is None else Judged(score, config.default_label, "no rule holds")

    def judge(fields: Fields) -> Judged | Skip:
        for holds, judged in rules:
            if holds(fields):
                return judged
        if any(look_up(fields, path) is None for path in fields_needed):
            return Skip.MISSING_FIELD
        return default

    return judge


def _text(fields: Fields, path: str) -> str | Skip:
    value = look_up(fields, path)
    if value is None:
        return Skip.MISSING_FIELD
    text = text_of(value)
    return Skip.NOT_TEXT if text is None else text


def _listed(what: str, words: list[str]) -> str:
    text = f"{what} {', '.join(repr(word) for word in words)}"
    return text if len(text) <= 500 else f"{text[:497]}..."
