"""What a request takes, as tables of the documentation: for each operation the parameters of its path, its query and
its body, and a section for each shape within those."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from assent.contract.endpoint import AnyEndpoint
from assent.contract.meanings import meanings_of_path
from assent.contract.openapi_schemas import Schema
from tests.contract.contract_text import type_text

NULL = {"type": "null"}
COLUMNS = ("type and bounds", "required", "what it means")


def request_table(endpoint: AnyEndpoint[Any], schemas: Mapping[str, Schema]) -> list[str]:
    """The lines that say what `endpoint` takes, with their table; none where it takes nothing."""
    told = meanings_of_path(endpoint)
    rows: list[tuple[str, ...]] = [
        (name, "path", "`text`", "yes", told.get(name, "")) for name in re.findall(r"\{(\w+)\}", endpoint.path)
    ]
    for place, shape in (("query", endpoint.query), ("body", endpoint.request)):
        if shape is not None:
            rows += [(name, place, *cells) for name, *cells in members_of(schemas[shape.__name__])]
    if not rows:
        return []
    about = [line for said in (_about(endpoint.query, schemas), _about(endpoint.request, schemas)) for line in said]
    return [f"What `{endpoint.operation}` takes:", "", *about, *table(("member", "in", *COLUMNS), rows)]


def _about(shape: type | None, schemas: Mapping[str, Schema]) -> list[str]:
    said = "" if shape is None else schemas[shape.__name__].get("description", "")
    return [*said.splitlines(), ""] if said else []


def shape_sections(endpoints: Iterable[AnyEndpoint[Any]], schemas: Mapping[str, Schema]) -> list[str]:
    """The lines of a section for each shape and enumeration within what these operations take."""
    lines: list[str] = []
    for name in sorted(within_requests(endpoints, schemas)):
        schema = schemas[name]
        lines += ["", f"### {name}", ""]
        lines += [*schema["description"].splitlines(), ""] if "description" in schema else []
        if "enum" in schema:
            lines.append(", ".join(f"`{value}`" for value in schema["enum"]))
        else:
            lines += table(("member", *COLUMNS), members_of(schema))
    return lines


def within_requests(endpoints: Iterable[AnyEndpoint[Any]], schemas: Mapping[str, Schema]) -> set[str]:
    """The names of the shapes that a query or a body of these operations leads to."""
    waiting = [shape.__name__ for each in endpoints for shape in (each.query, each.request) if shape is not None]
    found: set[str] = set()
    while waiting:
        new = set(_references(schemas[waiting.pop()])) - found
        found |= new
        waiting += new
    return found


def members_of(schema: Schema) -> list[tuple[str, str, str, str]]:
    """Of each member its name, its type, whether it has to be there (or what it is otherwise), and its meaning."""
    required = schema.get("required", [])
    return [
        (name, _type(member), "yes" if name in required else _otherwise(member), _meaning(member))
        for name, member in schema.get("properties", {}).items()
    ]


def table(header: Iterable[str], rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Lines of a table whose first column are names."""
    names = list(header)
    return [_row(names), "|---" * len(names) + "|", *(_row([f"`{name}`", *cells]) for name, *cells in rows)]


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _type(member: Schema) -> str:
    """As in the contract's text, without null (`leaving it out` says the same); shapes are links to their sections."""
    said = [_without(each) for each in member.get("anyOf", [_without(member)]) if each != NULL]
    text = " or ".join(type_text(each) for each in said).replace(" | ", " or ")
    names = sorted(set(_references(member)), key=len, reverse=True)
    parts = re.split(rf"\b({'|'.join(names)})\b", text) if names else [text]
    linked = [f"[{part}](#{part.lower()})" if part in names else f"`{part.strip()}`" for part in parts if part.strip()]
    return " ".join(linked)


def _without(schema: Schema) -> Schema:
    return {key: value for key, value in schema.items() if key not in ("description", "default")}


def _otherwise(member: Schema) -> str:
    default = member.get("default")
    return "no" if default is None else f"no: `{json.dumps(default, ensure_ascii=False)}`"


def _meaning(member: Schema) -> str:
    told = (each["description"] for each in (member, *member.get("anyOf", [])) if "description" in each)
    return " ".join(next(told, "").split())


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, Mapping):
        for key, value in schema.items():
            if key == "$ref":
                yield value.rpartition("/")[2]
            else:
                yield from _references(value)
    elif isinstance(schema, list):
        for each in schema:
            yield from _references(each)
