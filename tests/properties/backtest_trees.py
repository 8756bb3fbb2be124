"""What random worlds are made of: texts, numbers and fields that meet each other narrowly, and conditions on them."""

from __future__ import annotations

from random import Random
from typing import Any

AGENTS = ["a1", "a2", "a3", "å🦉", "A1", "а2", " Å🦉"]
TYPES = ["deploy", "read", "refund", "other", "Déploy", "dеploy", "ＲＥＡＤ", "Refund "]
GOALS = [
    None, "", "drop table users", "rotate the API_KEY", "push é 🦉", "line\nbreak", "K of Kelvin", "straße", "tab\t",
    'a "quoted" \\ one', "nul \0 in it", "ſ", "١٢٣", "word_word", " spaced ",
]  # fmt: skip
TEXTS = [
    "ops",
    "op",
    "",
    "é",
    "e\u0301",
    "1",
    "1.0",
    "true",
    "null",
    "[1]",
    "\n",
    '"',
    "\\",
    "\\u0041",
    "🦉",
    "\0",
    "K",
    "ſ",
]
NUMBERS: list[Any] = [
    0,
    1,
    1.0,
    -0.0,
    60,
    59.5,
    59.99999999999999,
    -3,
    2**53 - 1,
    -(2**53 - 1),
    1e300,
    5e-324,
    0.1,
    1e16,
]
SCALARS: list[Any] = [*TEXTS, *NUMBERS, True, False]
LISTS: list[Any] = [[], [1], [1.0, "1"], [True], ["ops", 1], [None], [["ops"]], [{"ops": 1}], ["\\", "é"], [2**53 - 1]]
MAPPINGS: list[Any] = [
    {},
    {"ops": 1},
    {"level": 60},
    {"level": "60"},
    {"level": None},
    {"level": {"x": True}},
    {"0": 1},
]
FIELDS = [
    "action_type", "agent_id", "declared_goal", "reversible", "systems_touched", "risk_score", "agent_risk_score",
    "risk_factors", "destructive", "amount", "tags", "note", "metadata", "metadata.team", "metadata.deep.level",
    "metadata.deep.level.x", "metadata.0", "metadata.*", "metadata.a b", 'metadata.q"uote',
    "metadata.back\\slash", "metadata.ключ", "tags.0", "action_type.x", "risk_factors.0", "never", "agent_name",
    "source", "metadata.$", "metadata.'",
]  # fmt: skip
PATTERNS = [
    "o", "^op", "s$", "x", "", ".", "a.b", "(?i)K", "(?i)S", r"\w", r"\W", r"\d", r"\bword\b", r"^\s", "(?s)e.b",
    "[[:alpha:]]", "é|🦉", r"\pL", r"\x00", "(?P<n>o)", "(?<n>o)", r"\(?<n>", "[(?<n>]", "^$", r"\z", "o{1,2}",
    "(?m)^b", r"\Qa.b\E", '"',
]  # fmt: skip
NEAR: dict[str, list[Any]] = {
    "amount": [1, True, 0, False, "1", 60, 1.0],
    "reversible": [True, False, 1, 0],
    "destructive": [True, False, 1, "true"],
    "metadata.team": [1, True, "1", "ops", 0, False],
    "risk_score": [0, 12.5, 60, 100],
    "tags": [1, True, "1", "ops", 0],
    "risk_factors": ["irreversible", "production_system", "local_system", "destructive_goal", "secrets_goal"],
}
"""What a field often holds and is often compared with, so that near misses meet."""


def tree(random: Random, depth: int = 0) -> dict[str, Any]:
    shape = random.choice(["leaf", "leaf", "all", "any", "not"] if depth < 3 else ["leaf"])
    if shape == "leaf":
        return _leaf(random)
    if shape == "not":
        return {"not": tree(random, depth + 1)}
    return {shape: [tree(random, depth + 1) for _ in range(random.choice([1, 2, 3]))]}


def _leaf(random: Random) -> dict[str, Any]:
    name = random.choice([*FIELDS, *NEAR, *NEAR])
    op = random.choice(
        [
            "eq",
            "ne",
            "lt",
            "lte",
            "gt",
            "gte",
            "in",
            "not_in",
            "contains",
            "starts_with",
            "ends_with",
            "matches",
            "exists",
        ]
    )
    values = [*SCALARS, *TYPES, *AGENTS, *(goal for goal in GOALS if goal is not None), "production", "secrets_goal"]
    if name in ("risk_factors", "tags", "systems_touched") and random.random() < 0.6:
        op = "contains"
    if name in NEAR and random.random() < 0.7:
        values = NEAR[name]
    value: Any = random.choice(values)
    if op in ("in", "not_in"):
        value = random.sample(values, random.choice([1, 2, 4]))
    elif op in ("lt", "lte", "gt", "gte"):
        value = random.choice([*NUMBERS, 12.5, 60, 60])
    elif op == "matches":
        value = random.choice(PATTERNS)
    elif op in ("starts_with", "ends_with"):
        value = random.choice([*TEXTS, "drop", "users", "o", "in it"])
    elif op == "exists":
        value = random.random() < 0.5
    return {"field": name, "op": op, "value": value}
