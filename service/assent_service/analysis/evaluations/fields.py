"""What a scorer sees of an action: a closed list of fields, and one open one.

A path names a field of the list; only `metadata` is gone into, as `metadata.ticket.queue`. A field is *missing* when
the action has nothing there. Lists are looked at as text, one member on each line. Text is looked at up to its first
100,000 characters, so that one enormous metadata value cannot hold up a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum

import msgspec

from assent.contract.conditions import All, Any_, Compare, Condition, Not, Op, SpecialLeaf, misplaced
from assent_service.control.actions import ACTIONS
from assent_service.store.database import Row
from assent_service.store.tables import ColumnKind

LONGEST = 100_000
OPEN = "metadata"

FIELDS = (
    *("action_type", "declared_goal", "reasoning", "authorization_scope", "trigger", "input_summary"),
    *("output_summary", "error_message", "status", "decision", "agent_id", "agent_name", "swarm_id", "session_id"),
    *("model", "runtime", "source", "approved_by"),
    *("risk_score", "agent_risk_score", "confidence", "duration_ms", "cost_estimate", "tokens_in", "tokens_out"),
    *("reversible", "verified", "systems_touched", "side_effects", "artifacts_created", OPEN),
)
KINDS: dict[str, ColumnKind] = {column.name: column.kind for column in ACTIONS.columns if column.name in FIELDS}
NUMBERS = frozenset({ColumnKind.INTEGER, ColumnKind.NUMBER})
TEXTS = frozenset({ColumnKind.TEXT, ColumnKind.JSON})


class Skip(StrEnum):
    """Why an action got no score."""

    MISSING_FIELD = "missing_field"
    NOT_TEXT = "not_text"
    NOT_A_NUMBER = "not_a_number"
    NO_RULE_HOLDS = "no_rule_holds"


def complaint(path: str, kinds: frozenset[ColumnKind] | None = None) -> str | None:
    """What is wrong with a path, None when nothing is. `kinds` are those of which the field has to be, if not any."""
    root, _, rest = path.partition(".")
    if root not in KINDS or (rest and root != OPEN):
        return f"is {path[:60]!r}, which is no field of an action; give one of {', '.join(FIELDS[:-1])}, metadata.NAME"
    if root == OPEN:
        return None if rest and all(rest.split(".")) else "needs a name within metadata, such as metadata.ticket"
    if kinds is not None and KINDS[root] not in kinds:
        what = "a number" if kinds is NUMBERS else "text"
        return f"is {path!r}, which never holds {what}; give another field, or one of metadata"
    return None


def text_of(value: object) -> str | None:
    """The text that a scorer looks at, None when there is none in it."""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return "\n".join(value)[:LONGEST]
    return value[:LONGEST] if isinstance(value, str) else None


def columns_of(paths: Iterable[str]) -> tuple[str, ...]:
    """The columns that hold these fields, each once."""
    return tuple(sorted({path.partition(".")[0] for path in paths}))


def fields_of(columns: tuple[str, ...], values: Row) -> dict[str, object]:
    """What an action shows in these columns; what is missing is left out."""
    shown: dict[str, object] = {}
    for name, value in zip(columns, values, strict=True):
        if value is not None:
            shown[name] = msgspec.json.decode(str(value)) if KINDS[name] is ColumnKind.JSON else value
    return shown


def look_up(fields: Mapping[str, object], path: str) -> object:
    """The value at a path, None when it is missing."""
    value: object = fields
    for part in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(part)
    return value


def compared(condition: Condition, place: str) -> Iterator[tuple[str, Compare]]:
    """Every comparison of a tree, with its place."""
    match condition:
        case Compare():
            yield place, condition
        case Not(branch):
            yield from compared(branch, f"{place}.not")
        case All(branches) | Any_(branches):
            name = "all" if isinstance(condition, All) else "any"
            for at, branch in enumerate(branches):
                yield from compared(branch, f"{place}.{name}[{at}]")
        case SpecialLeaf():
            misplaced(condition)


def needed(condition: Condition) -> set[str]:
    """The fields that a tree compares; what it only asks `exists` of may be missing."""
    return {each.field for _, each in compared(condition, "when") if each.op is not Op.EXISTS}
