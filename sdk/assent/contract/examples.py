"""Examples that follow from a schema: the answer of an operation that takes no body, the parameters of a file.

That of a body stands in its request (`Request.example`). The OpenAPI document carries all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assent.contract.ids import BELONGS

MADE = "0192f3c17a2e7bd09c1d4e5f60718293"
"""A UUIDv7 in hex, as the service's ids end."""
TIME = "2026-11-20T12:00:00Z"
DAY = "2026-11-20"
_TEXTS = {
    "action_type": "deploy",
    "agent_id": "release-bot",
    "bundle_id": f"sha256:{MADE}{MADE}",
    "change_id": f"pol_{MADE}.17",
    "declared_goal": "Release 4.2 to production",
    "end_time": TIME,
    "event": "action.created",
    "start_time": TIME,
    "table": "actions",
    "target_date": DAY,
    "text_digest": f"sha256:{MADE}{MADE}",
}


def answer(schema: Mapping[str, Any], schemas: Mapping[str, Any], member: str = "", above: tuple[str, ...] = ()) -> Any:
    """A value of `schema`, whose references lead into `schemas`: the first of an enumeration, the smallest number, one
    item of a list. `above` are the names on the way here: a shape that holds itself ends there with nothing."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return answer(schemas[name], schemas, member, (*above, name))
    if "anyOf" in schema:
        inner = [branch for branch in schema["anyOf"] if not _leads_back(branch, above)]
        return answer(inner[0], schemas, member, above)
    if "const" in schema or "enum" in schema:
        return schema["const"] if "const" in schema else schema["enum"][0]
    match schema.get("type"):
        case "object":
            members = schema.get("properties", {})
            return {name: answer(members[name], schemas, name, above) for name in schema.get("required", members)}
        case "array":
            count = max(schema.get("minItems", 0), 0 if _leads_back(schema["items"], above) else 1)
            return [answer(schema["items"], schemas, member, above) for _ in range(count)]
        case "string":
            return {"date-time": TIME, "date": DAY}.get(schema.get("format", "")) or text(member)
        case "integer" | "number":
            return schema.get("minimum", 0)
        case "boolean":
            return True
        case "null":
            return None
        case _:
            return {}


def _leads_back(schema: Mapping[str, Any], above: tuple[str, ...]) -> bool:
    return schema.get("$ref", "").rpartition("/")[2] in above


def text(member: str) -> str:
    """What a member that holds a text may say, by its name."""
    if member in _TEXTS:
        return _TEXTS[member]
    if member in BELONGS:
        return BELONGS[member][0] + MADE
    return member.replace("_", " ")
