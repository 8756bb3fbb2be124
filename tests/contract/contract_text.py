"""The contract as one text, tests/contract/contract.txt: every operation and every shape that crosses the wire.

It is there to be read as a difference. An operation is a block with a line for each thing that a caller meets, a struct
is a block with a line for each member. Types come from the JSON Schemas that the OpenAPI document has; a keyword that
has no words here is written out as it is, never left out. Operations stand in the order of their paths and shapes in
that of their names, so that what moves between modules stays where it is in the text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import msgspec

from assent.contract.endpoint import ALWAYS, ANALYZING, DEFAULT_BODY_LIMIT, WITH_BODY, WITH_KEY, WITH_QUERY, AnyEndpoint
from assent.contract.openapi import shapes
from assent.contract.openapi_operation import IDEMPOTENT, roles
from assent.contract.openapi_schemas import Schema
from assent.contract.record import Id

PATH = "tests/contract/contract.txt"
TOP = """\
# The contract: what crosses the wire. Generated; `make golden` writes it anew.

`name?` is a member that may be left out, `= value` what it then is. Members that a struct does not have are ignored,
unless it is closed or the operation keeps them. `1..128` are the least and the most: of a number, of the characters of
a text, of the items of a list. Between slashes is a regular expression.

"""
WIDTH = 120
GROUPS = {
    "ALWAYS": ALWAYS,
    "WITH_KEY": WITH_KEY,
    "WITH_BODY": WITH_BODY,
    "WITH_QUERY": WITH_QUERY,
    "ANALYZING": ANALYZING,
}
"""Codes that come with what an operation is, under the names that they have in the code."""
NAMED = {"Id": msgspec.json.schema(Id)}
BOUNDS = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
    "integer": ("minimum", "maximum"),
    "number": ("minimum", "maximum"),
}
WORDS = {"string": "text", "boolean": "boolean", "null": "null", "integer": "integer", "number": "number"}


def contract_text(endpoints: Iterable[AnyEndpoint[Any]]) -> str:
    """The text for these operations, with all that they take and answer."""
    listed = sorted(endpoints, key=lambda each: (each.path, each.method, each.operation))
    schemas = shapes(listed)
    blocks = [
        TOP + "\n".join(f"{name} = {_named(schema)}" for name, schema in NAMED.items()) + "\n",
        "\n## Problems of many operations\n",
        "".join(f"\n{name}\n" + "".join(f"  {code}\n" for code in codes) for name, codes in GROUPS.items()),
        "\n## Operations\n",
        *(operation_text(each) for each in listed),
        "\n## Shapes\n",
        *(shape_text(name, schemas[name]) for name in sorted(schemas)),
    ]
    return "".join(blocks)


def operation_text(endpoint: AnyEndpoint[Any]) -> str:
    """The block of one operation: its path and its name, then a line for each thing about it that is not as usual."""
    lines = ["", f"{endpoint.method} {endpoint.path} {endpoint.operation}"]
    lines += [f"  also {path}" for path in endpoint.also]
    lines.append("  needs no key" if endpoint.roles is None else f"  roles {', '.join(roles(endpoint))}")
    if endpoint.query is not None:
        lines.append(f"  query {endpoint.query.__name__}" + (", unknown ones refused" if endpoint.closed_query else ""))
    if endpoint.request is not None:
        unknown = ", further members kept" if endpoint.open_body else ""
        lines.append(f"  body {endpoint.request.__name__}, {endpoint.limit:,} bytes at most{unknown}")
        lines += ["  members that stand twice are told in the answer"] if endpoint.tells_twice else []
    else:
        lines += ["  body kept as it is"] if endpoint.open_body else []
        lines += [f"  body {endpoint.limit:,} bytes at most"] if endpoint.limit != DEFAULT_BODY_LIMIT else []
    lines += [f"  spelled {name} -> {member}" for name, member in sorted(endpoint.spelled.items())]
    lines += [f"  keeps secrets {member}" for member in endpoint.keeps_secrets]
    lines += ["  reads Idempotency-Key"] if endpoint.operation in IDEMPOTENT else []
    lines += ["  refuses secrets"] if endpoint.refuses_secrets else []
    other = "" if endpoint.alternative is None else f" | {endpoint.alternative.__name__}"
    content = "" if endpoint.content == "application/json" else f", {endpoint.content}"
    lines.append(f"  answer {', '.join(map(str, endpoint.statuses))} {endpoint.response.__name__}{other}{content}")
    lines += [f"  content {media_type}" for media_type in endpoint.contents]
    lines += _problems(endpoint)
    return "\n".join(lines) + "\n"


def _problems(endpoint: AnyEndpoint[Any]) -> list[str]:
    """Those that come with what the operation is in one line, its own in another."""
    every = set(endpoint.every_problem())
    own = every.intersection(endpoint.problems)
    groups = [name for name, codes in GROUPS.items() if every.issuperset(codes)]
    usual = every.difference(own, *(GROUPS[name] for name in groups))
    lines = [f"  problems {', '.join([*groups, *sorted(usual)])}"]
    return [*lines, f"  its own {', '.join(sorted(own))}"] if own else lines


def shape_text(name: str, schema: Schema) -> str:
    """The block of one struct or enumeration."""
    rest = dict(schema)
    about = [f"  # {line}".rstrip() for line in rest.pop("description", "").splitlines()]
    if "enum" in rest:
        values = [json.dumps(value, ensure_ascii=False) for value in rest.pop("enum")]
        line = f"{name} = {' | '.join(values)}"
        lines = [line, *about] if len(line) <= WIDTH else [f"{name} =", *about, *(f"  | {value}" for value in values)]
        rest = _besides(rest, {"title": name, "type": "string"})
    else:
        members, required = rest.pop("properties", {}), rest.pop("required", [])
        closed = rest.get("additionalProperties") is False
        lines = [f"{name}{', closed' if closed else ''}", *about]
        lines += [_member(of, member, of in required) for of, member in members.items()]
        rest = _besides(rest, {"title": name, "type": "object"} | ({"additionalProperties": False} if closed else {}))
    lines += [f"  {key}={json.dumps(value, ensure_ascii=False)}" for key, value in rest.items()]
    return "\n".join(["", *lines]) + "\n"


def _besides(schema: Schema, usual: Schema) -> Schema:
    """What a schema has that is not as usual; None is what it lacks."""
    keys = dict.fromkeys([*schema, *usual])
    return {key: schema.get(key) for key in keys if key not in usual or schema.get(key) != usual[key]}


def _member(name: str, member: Schema, required: bool) -> str:
    rest = dict(member)
    default = f" = {json.dumps(rest.pop('default'), ensure_ascii=False)}" if "default" in rest else ""
    described = len(rest) > 1 and "description" in rest
    about = f"  # {' '.join(rest.pop('description').split())}" if described else ""
    return f"  {name}{'' if required else '?'}: {type_text(rest)}{default}{about}"


def type_text(schema: Schema) -> str:
    """The type as an expression: `text 1..128 | null`, `list of Step ..50`, `object of integer`."""
    for name, known in NAMED.items():
        if schema == known:
            return name
    return _named(schema)


def _named(schema: Schema) -> str:
    rest = dict(schema)
    if not rest:
        return "any"
    if rest == {"description": "Any JSON value."}:
        return "any JSON"
    words = []
    if "anyOf" in rest:
        words.append(" | ".join(_branch(each) for each in rest.pop("anyOf")))
    elif "$ref" in rest:
        words.append(rest.pop("$ref").rpartition("/")[2])
    elif "enum" in rest:
        words.append(" | ".join(json.dumps(value, ensure_ascii=False) for value in rest.pop("enum")))
    else:
        words += _plain(rest)
    words += [f"/{rest.pop('pattern')}/"] if "pattern" in rest else []
    words += [f"({' '.join(rest.pop('description').split())})"] if "description" in rest else []
    return " ".join([*words, *(f"{key}={json.dumps(value, ensure_ascii=False)}" for key, value in rest.items())])


def _plain(rest: Schema) -> list[str]:
    """What a schema that is neither a choice nor a reference says of its type; takes from it what it has said."""
    kind = rest.pop("type", "")
    words = [kind]
    if kind == "array":
        words = [f"list of {_branch(rest.pop('items'))}" if "items" in rest else "list"]
    elif kind == "object" and "additionalProperties" in rest:
        value = rest.pop("additionalProperties")
        words = [f"object of {'anything' if value is True else 'nothing' if value is False else _branch(value)}"]
    elif kind == "string" and "format" in rest:
        words = [rest.pop("format")]
    elif kind in WORDS:
        words = [WORDS[kind]]
    least, most = BOUNDS.get(kind, ("minLength", "maxLength"))
    if least in rest or most in rest:
        words.append(f"{rest.pop(least, '')}..{rest.pop(most, '')}")
    return words


def _branch(schema: Schema) -> str:
    text = type_text(schema)
    return f"({text})" if " | " in text else text
