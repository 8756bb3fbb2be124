"""The contract's structs as JSON Schema 2020-12.

msgspec renders its own types; six things are added that its rendering leaves out. Every member of a record is
required, also one that has a default for rows and services from before it: an answer carries them all. Members of type
`object` take any JSON value. Times are always RFC 3339 with an offset, also where the struct does not say so.
Enumerations are strings and keep the order they are declared in. Docstrings lose the indentation of the source.
A member of a request that has a default takes null for it.

Two things are taken away, since generators of clients stumble over them. `default: null` says nothing (leaving a
member out is the same), and makes the member one that has to be sent in TypeScript. `items: false` after a fixed number
of items is a boolean where many expect a schema; the number is in `minItems` and `maxItems` already. For the same
reason an array of anything has `items: {}`, and an object of anything says `additionalProperties: true`.
"""

from __future__ import annotations

import inspect as documentation
from collections.abc import Iterable
from enum import Enum
from typing import Any

import msgspec
from msgspec import UNSET, Struct, inspect

from assent.contract.record import Record, null_for_default

Schema = dict[str, Any]

REFERENCE = "#/components/schemas/{name}"


def components(types: Iterable[type], reference: str = REFERENCE) -> dict[str, Schema]:
    """A schema for each of `types` and for everything they are made of, by the name of the class."""
    wanted = tuple(dict.fromkeys(types))
    _, found = msgspec.json.schema_components(wanted, schema_hook=_any_value, ref_template=reference)
    # msgspec leaves defaults as Python has them, tuples for one.
    plain: dict[str, Schema] = msgspec.json.decode(msgspec.json.encode(found))
    classes = _classes(wanted)
    return {name: _completed(_plain(schema), classes[name]) for name, schema in plain.items()}


def standalone(shape: type[Struct]) -> Schema:
    """One schema that refers to nothing outside itself."""
    found = components([shape], "#/$defs/{name}")
    own = found.pop(shape.__name__)
    dialect: Schema = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return dialect | own | ({"$defs": dict(sorted(found.items()))} if found else {})


def _any_value(cls: type) -> Schema:
    if cls is object:
        return {"description": "Any JSON value."}
    # How a schema hook tells msgspec that it does not know a type; msgspec then says which one it was.
    raise NotImplementedError


def _plain(node: Any) -> Any:
    """Without `default: null` and `items: false`, at any depth, and with a schema of what lists and open objects hold.
    Items of a fixed number have one schema if all are alike, else any of theirs."""
    if isinstance(node, list):
        return [_plain(each) for each in node]
    if not isinstance(node, dict):
        return node
    found = {key: _plain(value) for key, value in node.items() if (key, value) != ("default", None)}
    if found.get("type") == "array":
        found.setdefault("items", {})
    if found.get("type") == "object" and "properties" not in found:
        found.setdefault("additionalProperties", True)
    if found.get("items") is False:
        kinds = [kind for at, kind in enumerate(found["prefixItems"]) if kind not in found["prefixItems"][:at]]
        found["items"] = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
        if len(kinds) == 1:
            del found["prefixItems"]
    return found


def _completed(schema: Schema, info: inspect.StructType | inspect.EnumType) -> Schema:
    cls = info.cls
    if "description" in schema:
        schema["description"] = documentation.cleandoc(schema["description"])
    if issubclass(cls, Enum):
        return schema | {"type": "string", "enum": [member.value for member in cls]}
    if issubclass(cls, Record):
        schema["required"] = [each.encode_name for each in msgspec.structs.fields(cls) if each.default is not UNSET]
        for member in schema["properties"].values():
            member.pop("default", None)
    for name in null_for_default(cls):
        member = schema["properties"][name]
        beside = {key: member.pop(key) for key in ("default", "description") if key in member}
        schema["properties"][name] = {"anyOf": [*member.get("anyOf", [member]), {"type": "null"}], **beside}
    for field in info.fields if isinstance(info, inspect.StructType) else ():
        kinds = {type(part) for part in _parts(field.type)}
        for kind, name in ((inspect.DateTimeType, "date-time"), (inspect.DateType, "date")):
            member = schema["properties"][field.encode_name] if kind in kinds else {}
            for branch in member.get("anyOf", [member]):
                if branch.get("type") == "string":
                    branch["format"] = name
    return schema


def _classes(types: Iterable[type]) -> dict[str, inspect.StructType | inspect.EnumType]:
    """Every struct and enumeration below `types`, by name. Raises ValueError when two have the same name."""
    found: dict[str, inspect.StructType | inspect.EnumType] = {}
    waiting: list[inspect.Type] = list(inspect.multi_type_info(types))
    while waiting:
        info = waiting.pop()
        if isinstance(info, inspect.StructType | inspect.EnumType):
            known = found.get(info.cls.__name__)
            if known is not None and known.cls is info.cls:
                continue
            if known is not None:
                raise ValueError(f"two types of the contract are called {info.cls.__name__}; rename one of them")
            found[info.cls.__name__] = info
        waiting += _below(info)
    return found


def _below(info: inspect.Type) -> list[inspect.Type]:
    match info:
        case inspect.StructType(fields=fields):
            return [field.type for field in fields]
        case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
            return [item]
        case inspect.DictType(value_type=value):
            return [value]
        case inspect.UnionType(types=types):
            return list(types)
        case inspect.Metadata(type=inner):
            return [inner]
        case _:
            return []


def _parts(info: inspect.Type) -> tuple[inspect.Type, ...]:
    if isinstance(info, inspect.Metadata):
        return _parts(info.type)
    return info.types if isinstance(info, inspect.UnionType) else (info,)
