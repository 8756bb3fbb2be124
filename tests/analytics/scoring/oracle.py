"""Profile scores worked out one action at a time in plain Python, exactly where numbers allow, to compare with."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

NUMBERS = ("duration_ms", "cost_estimate", "risk_score", "confidence", "eval_score")
Scored = tuple[float | None, str]


def reached(metadata: Any, path: str) -> Any:
    for part in path.split("."):
        if not isinstance(metadata, dict) or part not in metadata:
            return None
        metadata = metadata[part]
    return metadata


def usable(value: Any) -> Any:
    if isinstance(value, bool | str | list):
        return value
    if isinstance(value, int | float) and math.isfinite(value):
        return float(value)
    return None


def raw(dimension: dict[str, Any], action: dict[str, Any]) -> Any:
    source = dimension["data_source"]
    if source == "metadata_field":
        return usable(reached(action.get("metadata"), dimension["data_config"]["field"]))
    value: Any = action.get(source)
    if source == "tokens_total":
        given: list[Any] = [action.get("tokens_in"), action.get("tokens_out")]
        halves = [float(half) for half in given if _is_number(usable(half))]
        value = sum(halves) if halves else None
    if usable(value) is None:
        value = reached(action.get("metadata"), source)
    return float(value) if _is_number(value) and math.isfinite(value) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def fits(rule: dict[str, Any], value: Any) -> bool:
    operator, wanted = rule["operator"], rule["value"]
    if operator == "contains":
        return (isinstance(value, str) and wanted in value) or (
            isinstance(value, list) and any(isinstance(each, str) and each == wanted for each in value)
        )
    if operator == "eq":
        kinds = (bool, str) if isinstance(wanted, bool | str) else (int, float)
        same = isinstance(value, kinds) and isinstance(value, bool) == isinstance(wanted, bool)
        return same and type(value) in (type(wanted), float) and value == wanted
    if not _is_number(value):
        return False
    if operator == "between":
        return bool(wanted[0] <= value <= wanted[1])
    return bool({"lt": value < wanted, "lte": value <= wanted, "gt": value > wanted, "gte": value >= wanted}[operator])


def scored(dimension: dict[str, Any], value: Any) -> Scored:
    if value is None:
        return None, "no_data"
    scale = dimension["scale"]
    if not scale:
        return 50.0, "unscaled"
    for rule in scale:
        if fits(rule, value):
            return float(rule["score"]), rule["label"]
    return float(min(rule["score"] for rule in scale)), "default"


def composite(method: str, scores: list[float | None], weights: list[float]) -> Fraction | float | None:
    """Before it is rounded."""
    known = [
        (Fraction(score), Fraction(weight))
        for score, weight in zip(scores, weights, strict=True)
        if score is not None and weight > 0
    ]
    if not known:
        return None
    total = sum(weight for _, weight in known)
    if method == "minimum":
        return min(score for score, _ in known)
    if method == "weighted_average":
        return sum((score * weight for score, weight in known), Fraction(0)) / total
    if any(score == 0 for score, _ in known):
        return 0.0
    return math.exp(math.fsum(math.log(score) * float(weight / total) for score, weight in known))
