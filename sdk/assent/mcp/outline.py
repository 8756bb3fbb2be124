"""Schemas in short, as the list of tools has them: a host gives that list to its model with every request.

Pure. Arguments keep names, types, choices, the bounds of numbers and a phrase for each; lengths, patterns and the rest
of the words are in `help` alone, and whoever checks the arguments names every wrong one. Answers keep their members
with types. A short schema takes whatever the whole one takes, but for null in place of an argument that is left out.
"""

from __future__ import annotations

import re
from typing import Any

from assent.contract.openapi_schemas import Schema

IN_HELP_ALONE = frozenset(
    {"$schema", "$defs", "title", "default", "minLength", "maxLength", "pattern", "minItems", "maxItems"}
)
NULL = {"type": "null"}
_END_OF_PHRASE = re.compile(r"[;.](?: |$)")


def phrase(words: str) -> str:
    """What stands before the first semicolon or full stop."""
    return _END_OF_PHRASE.split(words, maxsplit=1)[0]


def arguments_in_short(whole: Schema) -> Schema:
    """Raises KeyError for a reference to what the schema does not define."""
    short: Schema = _in_short(whole, whole.get("$defs", {}))
    for name, member in short["properties"].items():
        member["description"] = phrase(whole["properties"][name]["description"])
    return short


def answer_in_short(whole: Schema) -> Schema:
    """Raises KeyError for a reference to what the schema does not define."""
    kinds = {name: _kinds(member, whole.get("$defs", {})) for name, member in whole["properties"].items()}
    return {
        "type": "object",
        "properties": {name: _typed(found) for name, found in kinds.items()},
        "required": whole["required"],
    }


def _in_short(node: Any, defined: Schema) -> Any:
    if isinstance(node, list):
        return [_in_short(each, defined) for each in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _in_short(_referred(node, defined), defined)
    branches = [each for each in node.get("anyOf", ()) if each != NULL]
    if len(branches) == 1:
        return _in_short(branches[0], defined)
    short: Schema = {}
    for key, value in node.items():
        if key == "properties":
            short[key] = {name: _in_short(member, defined) for name, member in value.items()}
        elif key in IN_HELP_ALONE or key == "description" or (key, value) == ("additionalProperties", True):
            continue
        else:
            short[key] = _in_short(value, defined)
    return short


def _kinds(node: Schema, defined: Schema) -> list[str]:
    """The types that a value may be of; none where it may be anything."""
    if "$ref" in node:
        return _kinds(_referred(node, defined), defined)
    if "anyOf" in node:
        found = [_kinds(each, defined) for each in node["anyOf"]]
        return list(dict.fromkeys(kind for kinds in found for kind in kinds)) if all(found) else []
    kind = node.get("type", [])
    return [kind] if isinstance(kind, str) else list(kind)


def _typed(kinds: list[str]) -> Schema:
    if not kinds:
        return {}
    return {"type": kinds[0] if len(kinds) == 1 else kinds}


def _referred(node: Schema, defined: Schema) -> Schema:
    found: Schema = defined[node["$ref"].rpartition("/")[2]]
    return found
