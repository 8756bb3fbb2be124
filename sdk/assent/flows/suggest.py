"""A draft of what a house says of its own tools, from the calls that were seen: ten lines to read, and what is unsure.

    found = suggest(calls)
    print(found.text())         # YAML for `assent policies import`: one policy that observes

1. A tool whose name has a verb is what the pack takes it for, and nothing is drafted of it unless a value looks like
   something else than its argument's name tells.
2. Of a tool without a verb the effect is drafted: what its MCP server says of it (`readOnlyHint`, `destructiveHint`),
   which is the server's own word; else `send` where an argument is a destination; else `write`, which asks. Nothing is
   drafted of what a shell does: a tool of which the house says its effect is read as no shell, and a line that only
   reads would ask.
3. An argument whose name tells nothing is a `destination` where most of its values are addresses or account numbers,
   and a `payload` where all of at least FEW are long texts: of such ones addresses alone ask anyway, and a short one
   that comes later is not looked at, as the remark says. What a name makes a destination, a credential or a target
   stays so, whatever its values are.
4. A tool of which flow policies say that it reads, while its name writes, sends or destroys, is remarked.
5. Whatever rests on fewer than FEW values, or on values that differ in look, is remarked as unsure, with how many.

Nothing is sent, and no value stands in a draft: names of tools and arguments, and numbers. Names come from agents, so
they are written without any letter that YAML could take for more, in remarks as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, NamedTuple

from assent.flows.calls import CallReader, Shape
from assent.flows.digests import Digester
from assent.flows.house import MOST_TOOLS
from assent.flows.pack import (
    LONGEST_NAME,
    SINKS,
    Effect,
    Pack,
    Role,
    Tool,
    ToolEntry,
    local_name,
    pattern_of,
    shipped_pack,
)

FEW, MOST = 5, 0.8
"""So many values make a look sure, and so large a share of them has to have it."""
MOST_PATHS, MOST_DEPTH, MOST_VALUES = 60, 4, 200
"""Places of a tool's arguments, names on one path, and values of a place that are looked at."""
LONG_WORDS, LONG_CHARACTERS = 7, 81
"""From here on a value is a text and no short value (`assent.flows.results`)."""
NAME = "What our tools are"
"""Of the policy that is drafted; behind it a number, where there is one already."""
DRAFTED = 30
"""Tools that a draft has at most; the most often called ones."""
_SHELL = (
    "A shell, by its name: nothing is said of what it does, since with an effect, also with `write`, a line that only "
    "reads would ask."
)
_DOES: dict[Effect, str] = {"write": "writes", "send": "sends", "destroy": "destroys something"}
_UNTOLD: frozenset[Role] = frozenset({"other", "reference"})
_LOOKED_AT: frozenset[Role] = frozenset({"destination", "credential", "target"})


class CallSample(NamedTuple):
    """`parameters` is None where a call kept them to itself, or has none."""

    tool: str
    parameters: Mapping[str, Any] | None


@dataclass
class _Place:
    """The values that were seen at one place of a tool's arguments."""

    n: int = 0
    shapes: Counter[Shape] = field(default_factory=Counter[Shape])
    texts: int = 0
    sample: object = None


@dataclass(frozen=True)
class DraftedTool:
    """`effect` is None where the pack knows it by the name. `remarks` say what it rests on and what is unsure."""

    name: str
    calls: int
    effect: Effect | None
    arguments: tuple[tuple[str, Role], ...]
    remarks: tuple[str, ...]

    @property
    def entry(self) -> ToolEntry:
        return ToolEntry(pattern_of(self.name), self.effect, roles=self.arguments)


@dataclass(frozen=True)
class KnownTool:
    """A tool that the pack knows by its name, and what it takes it for. `remark` is what is unsure, if anything is."""

    name: str
    calls: int
    effect: Effect
    remark: str = ""


@dataclass(frozen=True)
class Draft:
    """`tools` are those of which something is to be said, `known` those that the pack knows by their names, and
    `left_out` how many more of the first there are. `calls` were looked at; `hidden` of them kept their parameters to
    themselves, or have none."""

    tools: tuple[DraftedTool, ...]
    known: tuple[KnownTool, ...]
    left_out: int
    calls: int
    hidden: int

    def text(self, of: str = "", taken: Collection[str] = ()) -> str:
        """The YAML of a pack of one policy that observes, under a name that is not `taken`: to import it changes no
        policy that is there. `of` says what it was drafted from, such as `the last 30 days`."""
        names = (NAME if number == 1 else f"{NAME} {number}" for number in count(1))
        name = next(each for each in names if each not in taken)
        lines = [
            f"# Drafted from {self.calls} calls{f' of {of}' if of else ''}. It observes: it records what it would ask,",
            "# and asks nobody. Read each remark, and correct what is wrong, before you import it.",
        ]
        if self.hidden:
            lines.append(f"# {self.hidden} of the calls kept their parameters to themselves, or have none.")
        if self.left_out:
            lines.append(f"# {self.left_out} more tools, called less often, are not in it.")
        lines += ["version: 1", "policies:", f"  - name: {name}", "    policy_type: flow", "    mode: observe"]
        said = [tool for tool in self.tools if tool.effect is not None or tool.arguments]
        if not said:
            lines.append("    # Names, or flow policies, tell what all of the tools do: nothing is left to say.")
            lines.append("    rules: {}")
        else:
            lines += ["    rules:", "      pack:", "        tools:"]
        for tool in said:
            lines += [f"          # {remark}" for remark in tool.remarks]
            lines.append(f"          {_quoted(pattern_of(tool.name))}:")
            if tool.effect is not None:
                lines.append(f"            effect: {tool.effect}")
            if tool.arguments:
                roles = ", ".join(f"{_quoted(name)}: {role}" for name, role in tool.arguments)
                lines.append(f"            arguments: {{{roles}}}")
        lines += [f"# {remark}" for tool in self.tools if tool not in said for remark in tool.remarks]
        if self.known:
            lines.append("# Known by their names, or by what flow policies say of them:")
            for each in self.known:
                remark = f". {each.remark}" if each.remark else ""
                lines.append(f"#   {_quoted(each.name)}: {each.effect} ({_times(each.calls)}){remark}")
        return "\n".join(lines) + "\n"


def suggest(
    calls: Iterable[CallSample],
    definitions: Mapping[str, Mapping[str, Any]] | None = None,
    pack: Pack | None = None,
    policies: Mapping[str, str] | None = None,
) -> Draft:
    """`definitions` are those of tools as an MCP server lists them, by their names: schemas and annotations. `pack` is
    what is said already, of which nothing is drafted again, and `policies` are the names of those that say it, by their
    patterns."""
    pack, looks = pack or shipped_pack(), _Looks()
    seen = dict[str, dict[tuple[str, ...], _Place]]()
    counts, hidden, total = Counter[str](), 0, 0
    for call in calls:
        total += 1
        hidden += call.parameters is None
        if not 0 < len(call.tool) <= LONGEST_NAME or (call.tool not in seen and len(seen) >= MOST_TOOLS):
            continue
        counts[call.tool] += 1
        places = seen.setdefault(call.tool, {})
        for path, value in _leaves(call.parameters or {}):
            if path in places or len(places) < MOST_PATHS:
                looks.add(places.setdefault(path, _Place()), value)
    drafted, known = list[DraftedTool](), list[KnownTool]()
    for name, n in sorted(counts.items(), key=lambda each: (-each[1], each[0])):
        places = seen[name]
        tool = pack.tool(name, sorted({path[0] for path in places if path}))
        found = _drafted(name, n, tool, places, _definition(definitions or {}, name), pack)
        remark = _said_otherwise(name, pack, policies or {})
        if found is None:
            known.append(KnownTool(name, n, tool.effect, remark))
        else:
            drafted.append(replace(found, remarks=(*found.remarks, remark)) if remark else found)
    return Draft(tuple(drafted[:DRAFTED]), tuple(known), max(0, len(drafted) - DRAFTED), total, hidden)


def _drafted(
    name: str,
    n: int,
    tool: Tool,
    places: Mapping[tuple[str, ...], _Place],
    definition: Mapping[str, Any],
    pack: Pack,
) -> DraftedTool | None:
    """None where nothing is to be said."""
    roles, remarks = list[tuple[str, Role]](), list[str]()
    destination = False
    for path, place in sorted(places.items()):
        told = pack.path_role(path, tool.roles)
        role = told.of(place.sample, _schema(definition, path))
        said, remark = _role(role, told.own is not None, place)
        where = ".".join(path)
        if said is not None:
            roles.append((where, said))
        if remark is not None:
            remarks.append(f"{_quoted(where)}: {remark}")
        destination |= "destination" in (role, said)
    effect: Effect | None = None
    if not tool.sure:
        effect, why = (None, _SHELL) if pack.is_shell(name) else _effect(definition, destination=destination)
        remarks.insert(0, why)
    if effect is None and not roles and not (remarks and tool.effect in SINKS):
        return None
    few = ", which are few: look at them yourself" if n < FEW else ""
    return DraftedTool(name, n, effect, tuple(roles), (f"{_quoted(name)}: {_times(n)}{few}.", *remarks))


def _said_otherwise(name: str, pack: Pack, policies: Mapping[str, str]) -> str:
    """What is remarked of a tool that reads as flow policies have it, and does more by its name; empty for others."""
    entry, does = pack.entry_of(name), _DOES.get(pack.effect_by_name(name), "")
    pattern = pack.quiet_pattern(name)
    if pattern is not None:
        by = f"{_quoted(pattern)}{_of_policy(pattern, policies)}"
        return (
            f"{by} says that it reads, and its name says that it {does}, which counts; say its full name if it reads."
        )
    if entry is not None and entry.effect in ("read", "none") and does:
        by = _of_policy(entry.pattern, policies).removeprefix(" of ") or "flow policies"
        return f"Known by {by} as one that reads, and its name says that it {does}: look whether that is right."
    return ""


def _of_policy(pattern: str, policies: Mapping[str, str]) -> str:
    return f" of policy {_quoted(policies[pattern])}" if pattern in policies else ""


def _effect(definition: Mapping[str, Any], *, destination: bool) -> tuple[Effect, str]:
    """By rule 2, and why."""
    hints = definition.get("annotations")
    if isinstance(hints, Mapping):
        if hints.get("readOnlyHint") is True:
            return "read", "Its name has no verb. Its server says that it only reads, which nobody has checked."
        if hints.get("destructiveHint") is True:
            return "destroy", "Its name has no verb. Its server says that it may destroy something."
    if destination:
        return "send", "Unsure: its name has no verb; an argument says where something goes, so it may send."
    return "write", "Unsure: its name has no verb, so it counts as one that writes; say `read` where it only reads."


def _role(role: Role, own: bool, place: _Place) -> tuple[Role | None, str | None]:
    """By rules 3 and 4: what is drafted of an argument, and what is remarked."""
    leading = sum(n for shape, n in place.shapes.items() if shape != "value")
    looked = sum(place.shapes.values()) or 1
    unsure = "" if place.n >= FEW else f" Unsure: only {_several(place.n)}."
    if own:
        return None, None
    if role in _UNTOLD and leading >= MOST * looked:
        shape = place.shapes.most_common(1)[0][0]
        return "destination", f"{leading} of {_several(looked)} look like an address or account ({shape}).{unsure}"
    texts = f"{place.texts} of {_several(looked)} are long texts"
    if role in _UNTOLD and place.texts == looked and place.n >= FEW:
        return "payload", f"{texts}, of which addresses alone ask; a short one in it would not be looked at."
    if role in _UNTOLD and place.texts >= MOST * looked:
        return None, f"Unsure: {texts}, so it may be a payload."
    if role in _UNTOLD and leading:
        return (
            None,
            f"Unsure: {leading} of {_several(looked)} look like an address or account, so it may be a destination.",
        )
    if role in _LOOKED_AT and place.texts > looked / 2:
        return None, f"Unsure: taken for a {role} by its name, and {texts}."
    return None, None


class _Looks:
    """What values look like, as the pack reads the value of a destination."""

    def __init__(self) -> None:
        self._reader = CallReader(
            Digester(bytes(32)), Pack((ToolEntry("*", "write", roles=(("value", "destination"),)),))
        )

    def add(self, place: _Place, value: object) -> None:
        place.n += 1
        if place.sample is None or isinstance(place.sample, bool):
            place.sample = value
        if not isinstance(value, str) or sum(place.shapes.values()) >= MOST_VALUES:
            return
        long = len(value) >= LONG_CHARACTERS or len(value.split()) >= LONG_WORDS
        place.texts += long
        found = () if long else self._reader.read("look", {"value": value}).arguments
        place.shapes[found[0].shape if found else "value"] += 1


def _leaves(parameters: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], object]]:
    """Values with the names on their paths; lists have none. Keys that are no names of fields end a path."""
    stack: list[tuple[object, tuple[str, ...]]] = [(parameters, ())]
    for _ in range(MOST_VALUES):
        if not stack:
            return
        value, path = stack.pop()
        if isinstance(value, Mapping):
            if len(path) < MOST_DEPTH:
                stack.extend((each, (*path, str(key))) for key, each in reversed(list(value.items())) if _is_name(key))
        elif isinstance(value, (list, tuple)):
            stack.extend((each, path) for each in reversed(value))
        elif value is not None and path:
            yield path, value


def _is_name(key: object) -> bool:
    return isinstance(key, str) and 0 < len(key) <= LONGEST_NAME and "." not in key


def _definition(definitions: Mapping[str, Mapping[str, Any]], name: str) -> Mapping[str, Any]:
    return definitions.get(name) or definitions.get(local_name(name)) or {}


def _schema(definition: Mapping[str, Any], path: tuple[str, ...]) -> object:
    found: object = definition.get("inputSchema")
    for name in path:
        properties = found.get("properties") if isinstance(found, Mapping) else None
        found = properties.get(name) if isinstance(properties, Mapping) else None
    return found


def _quoted(name: str) -> str:
    """A name as a text of YAML in letters of ASCII, on one line."""
    return f'"{"".join(map(_letter, name))}"'


def _letter(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    if " " <= char <= "~":
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _times(n: int) -> str:
    return f"{n} call" if n == 1 else f"{n} calls"


def _several(n: int) -> str:
    return f"{n} value" if n == 1 else f"{n} values"
