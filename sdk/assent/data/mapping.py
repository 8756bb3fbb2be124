"""What a tool means to guard: a YAML file that says it per tool.

    cancel_reservation:
      action_type: cancel        # what policies match; the tool's name when absent
      systems: [reservations]    # what it touches
      reversible: false
      risk: 70                   # 0 to 100, the agent's own estimate

Members left out are not sent, so that guard falls back on what it knows itself. A tool without an entry has its own
name as action type.
"""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from assent.contract.control.guard import Systems
from assent.contract.prepared import prepared
from assent.contract.record import Score
from assent.data.calls import shorten
from assent.errors import MissingExtra

MAX_ACTION_TYPE = 128


class ToolMeaning(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One tool's entry; None means that the file does not say."""

    action_type: Annotated[str, Meta(min_length=1, max_length=MAX_ACTION_TYPE)] | None = None
    systems: Systems | None = None
    reversible: bool | None = None
    risk: Score | None = None


class MappingError(ValueError):
    """A mapping that cannot be used; the text names the file, the place in it, and what is expected there."""


Mapping = dict[str, ToolMeaning]


def load_mapping(path: Path) -> Mapping:
    """Read and check a mapping. Raises MappingError, or MissingExtra without pyyaml."""
    yaml = _yaml()
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise MappingError(f"{path.name}: is no YAML: {error}") from None
    return read_mapping(data, path.name)


def read_mapping(data: Any, source: str) -> Mapping:
    """The decoded file as structs; `source` stands at the head of error messages. Raises MappingError."""
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise MappingError(f"{source}: is a {type(data).__name__}, expected tools by name, each with its members")
    return {_tool(tool, source): _meaning(tool, entry, source) for tool, entry in data.items()}


def meaning_of(tool: str, mapping: Mapping) -> ToolMeaning:
    """The tool's entry with its action type filled in, from the tool's name where the mapping does not say."""
    entry = mapping.get(tool, ToolMeaning())
    if entry.action_type is not None:
        return entry
    return msgspec.structs.replace(entry, action_type=shorten(tool, MAX_ACTION_TYPE))


def _tool(tool: Any, source: str) -> str:
    if not isinstance(tool, str):
        raise MappingError(f"{source}: {tool!r} is no tool name; put it in quotes")
    return tool


def _meaning(tool: str, entry: Any, source: str) -> ToolMeaning:
    try:
        return msgspec.convert({} if entry is None else entry, prepared(ToolMeaning))
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at `$")
        where = tool + place.rstrip("`")
        members = ", ".join(ToolMeaning.__struct_fields__)
        value = _value_at(entry, place.rstrip("`"))
        raise MappingError(f"{source}: {where}{value}: {message} (a tool's members are {members})") from None


def _value_at(entry: Any, place: str) -> str:
    """` is <value>` when the place names one, for the error message."""
    if not place:
        return ""
    for name, index in re.findall(r"\.([^.\[]+)|\[(\d+)\]", place):
        if isinstance(entry, dict) and name in entry:
            entry = entry[name]
        elif isinstance(entry, list) and index and int(index) < len(entry):
            entry = entry[int(index)]
        else:
            return ""
    return f" is {shorten(repr(entry), 60)}"


def _yaml() -> ModuleType:
    try:
        import yaml
    except ImportError as error:
        raise MissingExtra(what="a tool mapping in YAML", extra="service") from error
    return yaml
