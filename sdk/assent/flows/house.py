"""What a house says of its own tools, read from decoded YAML or JSON; see `assent.flows.pack` for what it means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from assent.flows.pack import (
    ANSWERS,
    EFFECTS,
    LONGEST_NAME,
    ROLES,
    FlowPackError,
    Pack,
    Role,
    Rules,
    ToolEntry,
    shipped_pack,
)
from assent.flows.session import FlowError, check_label

MOST_TOOLS = 1000
MOST_COMMANDS, LONGEST_COMMAND = 200, 500
MOST_NAMES, LONGEST_OWN = 200, 200
_Word = TypeVar("_Word", bound=str)


def read_pack(data: object) -> Pack:
    """The shipped pack with what a house says, as decoded YAML or JSON. Raises FlowPackError, which names the place."""
    if data is None:
        return shipped_pack()
    said = _mapping(data, "pack", ("tools", "labels", "commands", "names", "rules"))
    tools = _mapping(said.get("tools", {}), "tools")
    if len(tools) > MOST_TOOLS:
        raise FlowPackError("tools", f"has {len(tools)} entries, at most {MOST_TOOLS} are allowed")
    declared = frozenset(_labels(said.get("labels", []), "labels"))
    entries = tuple(_entry(pattern, entry) for pattern, entry in tools.items())
    flags = _mapping(said.get("rules", {}), "rules", Rules._fields)
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise FlowPackError(f"rules.{name}", f"is {flag!r}, expected true or false")
    rules = Rules(**{name: flag for name, flag in flags.items() if isinstance(flag, bool)})
    return Pack(
        entries,
        declared,
        rules,
        commands=frozenset(_lines(said.get("commands", []), "commands", "[pytest -q]", MOST_COMMANDS, LONGEST_COMMAND)),
        names=frozenset(_names(said.get("names", []))),
    )


def _entry(pattern: str, data: object) -> ToolEntry:
    place = f"tools.{pattern}"
    if not 0 < len(pattern) <= LONGEST_NAME:
        raise FlowPackError(place[:80], f"is a name of {len(pattern)} characters; give 1 to {LONGEST_NAME}")
    said = _mapping(data, place, ("effect", "answers", "labels", "arguments"))
    arguments = _mapping(said.get("arguments", {}), f"{place}.arguments")
    roles: tuple[tuple[str, Role], ...] = tuple(
        (name, _one_of(ROLES, role, f"{place}.arguments.{name}")) for name, role in arguments.items()
    )
    return ToolEntry(
        pattern,
        _one_if_said(EFFECTS, said, "effect", place),
        _one_if_said(ANSWERS, said, "answers", place),
        tuple(_labels(said.get("labels", []), f"{place}.labels")),
        roles,
    )


def _mapping(data: object, place: str, known: tuple[str, ...] | None = None) -> Mapping[str, object]:
    if not isinstance(data, Mapping) or not all(isinstance(key, str) for key in data):
        raise FlowPackError(place, f"is {type(data).__name__}, expected a mapping with texts as keys")
    for key in data:
        if known is not None and key not in known:
            raise FlowPackError(place, f"has the unknown member {key!r}, it may have {', '.join(known)}")
    return data


def _labels(data: object, place: str) -> list[str]:
    if not isinstance(data, list) or not all(isinstance(each, str) for each in data):
        raise FlowPackError(place, "is no list of labels; write it as [customer_data]")
    for each in data:
        try:
            check_label(each)
        except FlowError as error:
            raise FlowPackError(place, str(error)) from None
    return data


def _lines(data: object, place: str, example: str, most: int, longest: int) -> list[str]:
    if not isinstance(data, list) or not all(isinstance(each, str) for each in data):
        raise FlowPackError(place, f"is no list of lines; write it as {example}")
    if len(data) > most:
        raise FlowPackError(place, f"has {len(data)} lines, at most {most} are allowed")
    for each in data:
        if not 0 < len(each.strip()) <= longest or not each.isprintable():
            raise FlowPackError(place, f"{each[:80]!r} is no line of 1 to {longest} characters")
    return [each.strip(" ") for each in data]


def _names(data: object) -> list[str]:
    found = _lines(data, "names", '[acme/shop, "#ops"]', MOST_NAMES, LONGEST_OWN)
    for each in found:
        if not any(map(str.isalnum, each)) or "*" in each:
            raise FlowPackError("names", f"{each[:80]!r} is no name; write each as it is, a host with all below it")
    return found


def _one_if_said(known: tuple[_Word, ...], said: Mapping[str, object], name: str, place: str) -> _Word | None:
    return _one_of(known, said[name], f"{place}.{name}") if name in said else None


def _one_of(known: tuple[_Word, ...], value: object, place: str) -> _Word:
    for each in known:
        if value == each:
            return each
    raise FlowPackError(place, f"is {value!r}, expected one of {', '.join(known)}")
