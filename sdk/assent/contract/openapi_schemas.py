"""The contract's structs as JSON Schema 2020-12.

msgspec renders its own types; five things are added that its rendering leaves out. Every member of a record is
required, also one that has a default for rows and services from before it: an answer carries them all. Members of type
`object` take any JSON value. Times are always RFC 3339 with an offset, also where the struct does not say so.
Enumerations are strings and keep the order they are declared in. Docstrings lose the indentation of the source.
"""

from __future__ import annotations

import inspect as documentation
from collections.abc import Iterable
from enum import Enum
from typing import Any

import msgspec
from msgspec import UNSET, Struct, inspect

from assent.contract.record import Record

Schema = dict[str, Any]

REFERENCE = "#/components/schemas/{name}"


def components(types: Iterable[type], reference: str = REFERENCE) -> dict[str, Schema]:
    """A schema for each of `types` and for everything they are made of, by the name of the class."""
    wanted = tuple(dict.fromkeys(types))
    _, found = msgspec.json.schema_components(wanted, schema_hook=_any_value, ref_template=reference)
    # msgspec leaves defaults as Python has them, tuples for one.
    plain: dict[str, Schema] = msgspec.json.decode(msgspec.json.encode(found))
    classes = _classes(wanted)
    return {name: _completed(schema, classes[name]) for name, schema in plain.items()}


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


def _completed(schema: Schema, cls: type) -> Schema:
    if "description" in schema:
        schema["description"] = documentation.cleandoc(schema["description"])
    if issubclass(cls, Enum):
        return schema | {"type": "string", "enum": [member.value for member in cls]}
    if issubclass(cls, Record):
        schema["required"] = [each.encode_name for each in msgspec.structs.fields(cls) if each.default is not UNSET]
        for member in schema["properties"].values():
            member.pop("default", None)
    for field in _fields(cls):
        if any(isinstance(part, inspect.DateTimeType) for part in _parts(field.type)):
            member = schema["properties"][field.encode_name]
            for branch in member.get("anyOf", [member]):
                if branch["type"] == "string":
                    branch["format"] = "date-time"
    return schema


def _classes(types: Iterable[type]) -> dict[str, type]:
    """Every struct and enumeration below `types`, by name. Raises ValueError when two have the same name."""
    found: dict[str, type] = {}
    waiting: list[inspect.Type] = list(inspect.multi_type_info(types))
    while waiting:
        info = waiting.pop()
        if isinstance(info, inspect.StructType | inspect.EnumType):
            known = found.get(info.cls.__name__)
            if known is info.cls:
                continue
            if known is not None:
                raise ValueError(f"two types of the contract are called {info.cls.__name__}; rename one of them")
            found[info.cls.__name__] = info.cls
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
    return info.types if isinstance(info, inspect.UnionType) else (info,)


def _fields(cls: type) -> tuple[inspect.Field, ...]:
    info = inspect.type_info(cls)
    return info.fields if isinstance(info, inspect.StructType) else ()
