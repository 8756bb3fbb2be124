"""A call that is about to be made, as digests: what a decision is about, without its contents.

Each value of the arguments is looked at by itself, however deep it stands, with the role of its path, and so is a key
that is no name of a field. Where an object stands for a list of somebodies, each of its keys is one: at the name of a
destination, a credential or a target, if all of its values are truth values, none or empty
(`members: {mallory: true}`), and at a name in the plural also if none of them is a list (`members: {mallory: admin}`).
At a destination in the plural whose values are lists a key is one unless it says of which sort the list is
(`members: {mallory: [admin]}`, and not `attendees: {required: [...]}`, below which the list of somebodies goes on).
Where numbers are among the values (`to: {mallory: 1}`), and at what somebody has or gets, such as `permissions`, a key
is one unless it says what is counted or allowed (`to: {id: 7}`, `permissions: {can_read: true}`).
Of a payload only the addresses, links and account numbers in it count; so of any long text. A destination that holds
an address is looked at piece by piece: addresses, and whatever stands beside them, but for a mailbox's display name
(`Dora <dora@x.com>`), and so are names in one text where the name of the argument says nothing (`mallory, dora`). A
command is looked at as it is, and what leads somewhere in it as in a payload.

In a tool that reads, a web address in an argument that is one as a whole is one value as it is written
(`assent.flows.addresses`), beside the pieces of what is in it. A statement that changes something is a command there,
and says the effect of the call (`assent.flows.statements`). A shell whose line does nothing but read, reads
(`assent.flows.commands`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from shlex import join
from typing import Any, Literal, NamedTuple, TypeAlias

from assent.flows.commands import acts, is_folder_name, is_quiet, only_reads, shell_line
from assent.flows.digests import Digester, ValueDigest
from assent.flows.own import OwnNames
from assent.flows.pack import (
    LONGEST_NAME,
    ROLES,
    SINKS,
    Database,
    Effect,
    Pack,
    PathRole,
    Role,
    Runs,
    RunsWith,
    Tool,
    local_name,
    split_name,
    strongest,
)
from assent.flows.pieces import MOST_PIECES, UNNAMED, CallValue, pieces
from assent.flows.provenance import approving, does
from assent.flows.results import FIELD
from assent.flows.sending import LARGEST_AMOUNT, Content, Says, Use, argument_says, carries, sends, use_of
from assent.flows.session import Approved
from assent.flows.shapes import (
    ADDRESSES,
    Text,
    host_in,
    leads_away,
    shape_of,
)
from assent.flows.shapes import Shape as Shape
from assent.flows.spelling import (
    scalar_text,
    visible,
)
from assent.flows.statements import Change, change_of, is_beside_query, is_run, only_asks
from assent.flows.wordings import ENTRIES

_Alike: TypeAlias = tuple[tuple[tuple[str, Role], ...], Effect, bool, Database | None, Runs, bool, bool, bool]
_Keys: TypeAlias = Literal["", "somebody", "sorts or somebody", "fields or somebody"]

MOST_VALUES = 2_000
MOST_FINDINGS = MOST_PIECES
LONGEST_PATH = 200
"""Of a path as a trace has it, its end."""
MOST_KEYS = 8
"""Of a path; of a deeper one these are the last."""
LONGEST_TEXT = 200_000
MOST_REMEMBERED, LONGEST_REMEMBERED, MOST_REMEMBERED_OF_ONE = 2_048, 128, 4
"""Of a reader: tools; places and values in all; characters of one, and what is looked at of it."""

_NOT_LOOKED_AT = frozenset[Role](["boolean", "choice", "amount", "time"])
_QUIET = frozenset[Effect](["none", "read"])
_NOTHING: tuple[object, ...] = (None, "", (), [], {})
_EDGES = "()[]<>{},;:.!?*_\"'"
_NAMING = frozenset[Role](["destination", "credential", "target"])
_HOSTS = frozenset(["domain", "domains", "host", "hosts", "hostname", "hostnames", "ip"])
_MAY_BE_RUN = UNNAMED | {"payload"}
_TEXTS: tuple[Text, ...] = ("message", "file", "near")
_SIGNS = re.compile(r"[,;|()\[\]{}<>\"'`=$%&!?^*]|\s[^\w\s]|[^\w\s]\s")
"""What a path does not have; a path has one spelling."""
_GOING_TO = (["name"], ["target"], ["with"], ["login"], ["handle"])
_EDITED: tuple[str, Role] = ("old_str", "payload")
"""What a tool that edits a file says of its arguments."""
_SHOWN = re.compile(r"[A-Za-z_][\w-]{0,39}", re.ASCII)
"""A key that is shown as it is; any other one may be somebody's words."""


class ArgumentDigest(NamedTuple):
    """One value of a call. `host` is that of a web address. `own` is whether the house says that it is its own, or that
    its host is."""

    path: str
    role: Role
    shape: Shape
    value: ValueDigest
    host: int | None = None
    own: bool = False


class CallDigest(NamedTuple):
    """A call without its contents. `complete` is False where it has more values than are looked at. `carries` is
    whether it sends where the user did not name the hosts of its addresses: it has something for who answers there.
    `reads` is whether its tool reads or works something out, whatever this call does besides. `entry` is what a user
    says who orders an entry such as it writes, where it writes one."""

    tool: str
    effect: Effect
    arguments: tuple[ArgumentDigest, ...]
    complete: bool = True
    sure: bool = True
    carries: bool = False
    reads: bool = False
    entry: int | None = None

    def effect_at(self, *, named: bool) -> Effect:
        """Its effect, where the user `named` the hosts of its web addresses, or did not."""
        return "send" if self.carries and not named else self.effect

    def approved(self) -> Approved:
        """The event of an operator's approval: these very values are trusted for the session, for what this call does
        with them and for what does less."""
        done = does(self.effect_at(named=False), carries=self.carries)
        found = {each for argument in self.arguments for each in approving(argument.value, done, argument.role)}
        return Approved(tuple(sorted(found)))


class _Reading(NamedTuple):
    """What was found of one call of a tool, and what statements in it change. `database` is None in a tool that does
    not read, `runs` empty in one that changes nothing. `reads` is whether addresses are compared as wholes, too, and
    `quiet` whether it is the line of a shell that does nothing but read. `asks_about` is whether a command may be what
    the tool is asked about."""

    found: list[ArgumentDigest]
    changes: list[Change]
    database: Database | None
    reads: bool
    runs: Runs
    tool: Tool
    quiet: bool
    asks_about: bool


class _Place:
    """A place in the arguments of tools whose roles a house gives alike: what its names tell, the places below it, and
    short values that were read there."""

    __slots__ = (
        "address",
        "amounts",
        "asked",
        "below",
        "conditions",
        "guests",
        "holds",
        "host",
        "is_field",
        "is_guest_key",
        "is_said",
        "joins",
        "keys",
        "known",
        "name",
        "names",
        "path",
        "plural",
        "quiet",
        "role",
        "runs",
        "says",
        "use",
    )

    def __init__(self, path: tuple[str, ...], role: PathRole, pack: Pack) -> None:
        self.path, self.role = path, role
        self.name = ".".join(each if _SHOWN.fullmatch(each) else "*" for each in path)
        own = split_name(path[-1]) if path else []
        self.address = bool(own) and own[-1] in pack.words.addresses
        self.host = bool(own) and own[-1] in _HOSTS  # where `x.sh` is no file
        unsaid = role.own is None and not role.naming and role.named not in ("credential", "destination")
        self.amounts = role.own == "amount" or unsaid
        """Whether each number here is an amount or a time."""
        self.is_guest_key = bool(path) and pack.is_guest_key(path[-1])
        listing = _listing_name(path, pack)
        words = split_name(listing)
        named = role.own or (role if len(path) == 1 and listing == path[-1] else pack.path_role((listing,))).named
        self.names = bool(path) and named in _NAMING
        """Whether it says who or what, so that keys below it may."""
        self.plural = bool(words) and words[-1].endswith("s") and pack.is_noun(words[-1][:-1])
        self.guests = named == "destination" and (self.plural or (bool(words) and words[-1] in pack.words.together))
        """Whether it lists somebodies."""
        self.holds = role.own is None and pack.is_held(own)
        """Whether it says what somebody has or gets."""
        self.keys = self
        """Where keys that are somebody stand."""
        if self.holds and named != "destination":
            self.keys = _Place(path, PathRole("destination", "other", False), pack)
        self.says: Says = argument_says(path[-1], pack) if path else ""
        self.use: Use = use_of(own, pack) if path else "around"
        self.asked: Literal["", "query", "sql"] = pack.asked_with(own)
        """Whether a statement may stand there: `sql` where it is one of SQL."""
        self.runs: RunsWith = pack.runs_with(own)
        self.is_said = bool(self.says)
        """Whether it may say that a tool which reads sends."""
        self.is_field = bool(path) and FIELD.fullmatch(path[-1]) is not None
        self.joins = (role.own or role.named) == "command" and not (own and own[-1].endswith("s") and len(own[-1]) > 2)
        """Whether a list here is one command, word for word."""
        self.conditions = bool(own) and own[-1] in pack.words.conditions
        self.below: dict[str, _Place] = {}
        self.known: dict[str, tuple[ArgumentDigest, ...]] = {}
        self.quiet: dict[str, tuple[ArgumentDigest, ...]] = {}  # in a call whose line does nothing but read


def _listing_name(path: tuple[str, ...], pack: Pack) -> str:
    """The name that says whom a place lists: its own, or the one around keys that say of which sort they are."""
    for name in reversed(path):
        if not pack.is_guest_key(name) or pack.path_role((name,)).named == "destination":
            return name
    return path[0] if path else ""


class CallReader:
    """Reads calls into digests, as `digest_call` does, and remembers what stands where: tools by their names and those
    of their arguments, roles by the names on a path, and short values. It belongs to one thread."""

    def __init__(self, digester: Digester, pack: Pack) -> None:
        self._digester, self._pack, self._own = digester, pack, OwnNames(digester, pack)
        self._tools: dict[tuple[str, tuple[str, ...]], Tool] = {}
        self._databases: dict[str, Database] = {}
        self._words: dict[str, frozenset[str]] = {}
        self._roots: dict[_Alike, _Place] = {}
        self._remembered = 0

    def tool(self, name: str, arguments: Iterable[str]) -> Tool:
        names = tuple(islice(arguments, MOST_VALUES))
        known = self._tools.get((name, names))
        if known is None:
            known = self._pack.tool(name, names)
            if len(self._tools) >= MOST_REMEMBERED:
                self._tools.clear()
            if len(name) + sum(map(len, names)) <= LONGEST_REMEMBERED:
                self._tools[name, names] = known
        return known

    def _database(self, name: str) -> Database:
        known = self._databases.get(name)
        if known is None:
            known = self._pack.database(name)
            if len(self._databases) >= MOST_REMEMBERED:
                self._databases.clear()
            if len(name) <= LONGEST_REMEMBERED:
                self._databases[name] = known
        return known

    def _words_of(self, name: str) -> frozenset[str]:
        """Those of a tool's own name, without what stands before it of its server."""
        known = self._words.get(name)
        if known is None:
            known = frozenset(split_name(local_name(name[:LONGEST_NAME])))
            if len(self._words) >= MOST_REMEMBERED:
                self._words.clear()
            if len(name) <= LONGEST_REMEMBERED:
                self._words[name] = known
        return known

    def read(
        self, name: str, arguments: Mapping[str, object], *, tool: Tool | None = None, schema: object = None
    ) -> CallDigest:
        kind = tool or self.tool(name, arguments)
        reading = self._reading(name, arguments, kind)
        found = reading.found
        complete, values, says = True, 0, False
        stack: list[tuple[object, _Place, object]] = [(arguments, self._root(name, kind), schema)]
        while stack:
            value, place, described = stack.pop()
            values += 1
            if values > MOST_VALUES or len(found) > MOST_FINDINGS:
                complete = False
                break
            value = _line(value, place)
            if type(value) is str and described is None:
                known = (place.quiet if reading.quiet else place.known).get(value)
                if known is not None:
                    found += known
                    continue
            if value is None or (place.amounts and isinstance(value, (bool, float))):
                continue
            if place.amounts and isinstance(value, int) and abs(value) < LARGEST_AMOUNT:
                continue
            if isinstance(value, (str, int, float)):
                complete &= self._scalar(value, place, described, reading)
            elif isinstance(value, Mapping):
                members: list[tuple[object, _Place, object]] = []
                keys: list[object] = []
                keys_are = _keys_are(value, place)
                complete &= len(value) <= MOST_VALUES
                for key, each in islice(value.items(), MOST_VALUES):
                    below = place.below.get(key) or self._below(place, str(key), kind)
                    says |= below.is_said
                    members.append((each, below, None if described is None else _schema_below(described, str(key))))
                    if not below.is_field or (keys_are and _is_somebody(str(key), keys_are, self._pack)):
                        keys.append(key)
                members += [(key, place.keys, None) for key in keys]
                stack.extend(reversed(members[:MOST_VALUES]))
                complete &= len(members) <= MOST_VALUES
            elif isinstance(value, (list, tuple)):
                items = described.get("items") if isinstance(described, Mapping) else None
                stack.extend((each, place, items) for each in reversed(value[:MOST_VALUES]))
                complete &= len(value) <= MOST_VALUES
            else:
                complete = False
        complete &= len(found) <= MOST_FINDINGS
        effect, carried = self._effect(name, arguments, kind, reading, says=says)
        found = _where_it_goes(found, kind)
        reads = reading.reads and not kind.said
        writes = effect == "write" and not ENTRIES.isdisjoint(self._words_of(name))
        entry = self._digester.entry() if writes else None
        return CallDigest(name, effect, tuple(found[:MOST_FINDINGS]), complete, kind.sure, carried, reads, entry)

    def _reading(self, name: str, arguments: Mapping[str, object], tool: Tool) -> _Reading:
        database = self._database(name) if tool.effect == "read" else None
        quiet = bool(tool.line) and self._only_reads(name, arguments, tool)
        asks_about = self._pack.words.outputs.isdisjoint(self._words_of(name))
        return _Reading([], [], database, _reads(tool), _runs(tool), tool, quiet, asks_about)

    def _effect(
        self, name: str, arguments: Mapping[str, object], tool: Tool, reading: _Reading, *, says: bool
    ) -> tuple[Effect, bool]:
        """What a call does, and whether it sends besides where the user did not name the hosts of its addresses. A tool
        that reads, or works something out, does what its arguments say where the house says nothing; with an address it
        reads what stands there. A shell reads where its line does nothing else."""
        if tool.said or tool.effect not in _QUIET:
            quiet = reading.quiet or self._only_asks(name, arguments, tool)
            undoes = tool.effect == "write" and not tool.said and self._undoes(arguments)
            return "read" if quiet else "destroy" if undoes else tool.effect, False
        web = [
            each.path
            for each in reading.found
            if each.shape == "web address" and (each.role != "payload" or self._pack.is_drawn(each.path))
        ]
        if says and self._sends(name, arguments, tool, reading.found, web):
            return "send", False
        if reading.changes:
            return strongest(reading.changes, tool.effect), False
        if not web:
            return tool.effect, False
        return "read", carries(self._contents(name, arguments, tool), web, name, self._pack)

    def _undoes(self, arguments: Mapping[str, object]) -> bool:
        """Whether an argument says that something is destroyed: `update_booking(status="cancelled")`."""
        known = self._pack.words
        return any(
            isinstance(value, str)
            and value.strip().lower() in known.undone
            and known.done_with.issuperset(split_name(key)[-1:])
            for key, value in islice(arguments.items(), MOST_VALUES)
        )

    def _only_reads(self, name: str, arguments: Mapping[str, object], tool: Tool) -> bool:
        line = shell_line(arguments.get(tool.line)) if tool.line and not tool.said else None
        if line is None:
            return False
        root = self._root(name, tool)
        if (root.below.get(tool.line) or self._below(root, tool.line, tool)).role.of(line) != "command":
            return False
        words = self._pack.words
        others = {key: value for key, value in arguments.items() if key != tool.line}
        folders = [str(value) for key, value in others.items() if value and is_folder_name(key, words)]
        known = only_reads(line, folders) or (line.strip(" ") in self._pack.commands and not folders)
        return known and all(is_quiet(key, value, words) for key, value in others.items())

    def _only_asks(self, name: str, arguments: Mapping[str, object], tool: Tool) -> bool:
        query = arguments.get(tool.query) if tool.query and not tool.said else None
        if type(query) is not str:
            return False
        root = self._root(name, tool)
        place = root.below.get(tool.query) or self._below(root, tool.query, tool)
        words, sql = self._pack.words, "sql" in (tool.runs, place.runs)
        beside = (is_beside_query(key, value, words) for key, value in arguments.items() if key != tool.query)
        return place.role.own is None and only_asks(query, words, sql=sql) and all(beside)

    def _contents(self, name: str, arguments: Mapping[str, object], tool: Tool) -> Iterator[Content]:
        """What stands in the arguments, those in an object of further arguments one by one."""
        stack: list[tuple[Mapping[Any, object], _Place, bool]] = [(arguments, self._root(name, tool), False)]
        for _ in range(MOST_VALUES):
            if not stack:
                break
            members, place, through = stack.pop()
            for key, each in islice(members.items(), MOST_VALUES):
                below = place.below.get(key) or self._below(place, str(key), tool)
                use: Use = "through" if through else below.use
                if use == "limits":
                    continue
                values = each if isinstance(each, (list, tuple)) else (each,)
                if use in ("around", "through"):
                    inner = [item for item in values if isinstance(item, Mapping)]
                    stack += [(item, below, use == "through") for item in inner]
                    values = [item for item in values if not isinstance(item, Mapping)]
                yield Content(below.name, use, below.address, values, isinstance(each, (list, tuple)))
                if members is not arguments and not below.is_field:
                    yield Content(below.name, "content", False, (str(key),), False)

    def _sends(
        self,
        name: str,
        arguments: Mapping[str, object],
        tool: Tool,
        found: Sequence[ArgumentDigest],
        web: Sequence[str],
    ) -> bool:
        """Whether its arguments say that it sends, whoever named an address."""
        given = list[tuple[str, Says, object]]()
        stack: list[tuple[Mapping[Any, object], _Place]] = [(arguments, self._root(name, tool))]
        for _ in range(MOST_VALUES):
            if not stack:
                break
            members, place = stack.pop()
            for key, each in islice(members.items(), MOST_VALUES):
                below = place.below.get(key) or self._below(place, str(key), tool)
                if below.says and not isinstance(each, bool) and each not in _NOTHING:
                    given.append((below.name, below.says, each))
                if isinstance(each, Mapping):
                    stack.append((each, below))
                elif isinstance(each, (list, tuple)):
                    stack += [(item, below) for item in each if isinstance(item, Mapping)]
        addresses = [each.path for each in found if each.shape in ADDRESSES]
        return bool(given) and sends(given, web, addresses, name, self._pack)

    def _root(self, name: str, tool: Tool) -> _Place:
        """Of tools that are read alike, since a place remembers what its values are looked at as."""
        if self._remembered >= MOST_REMEMBERED:
            self._roots.clear()
            self._remembered = 0
        database = self._database(name) if tool.effect == "read" else None
        of = (tool.roles, tool.effect, tool.said, database, _runs(tool), tool.of_file, tool.near, tool.computes)
        root = self._roots.get(of)
        if root is None:
            root = self._roots[of] = _Place((), self._pack.path_role((), tool.roles), self._pack)
            self._remembered += 1
        return root

    def _below(self, place: _Place, key: str, tool: Tool) -> _Place:
        path = (*place.path, key)[-MOST_KEYS:]
        below = _Place(path, self._pack.path_role(path, tool.roles), self._pack)
        if len(key) <= LONGEST_REMEMBERED and self._remembered < MOST_REMEMBERED:
            place.below[key] = below
            self._remembered += 1
        return below

    def _scalar(self, value: str | float, place: _Place, schema: object, reading: _Reading) -> bool:
        """Adds what is looked at of it, and says whether that is all."""
        role = place.role.of(value, schema)
        change = _change(value, place, reading)
        if change is not None:
            reading.changes.append(change)
            role = place.role.own or "command"
        elif role == "command" and _EDITED in reading.tool.roles and _SHOWN.fullmatch(str(value)):
            role = "choice"  # what an editor does: `str_replace`
        elif role == "command" and reading.reads and acts(value, named=reading.asks_about):
            change = "write"
            reading.changes.append(change)
        elif place.runs and reading.runs and _is_run(value, role, place, reading.runs, self._pack):
            role = "command"
        text, whole = scalar_text(value) or "", True
        if len(text) > LONGEST_TEXT:
            text, whole = text[:LONGEST_TEXT], False
        if role in ("amount", "time") and isinstance(value, str):
            shape = shape_of(visible(text), self._pack)
            if leads_away(text, shape):
                role = "destination"
        elif role == "amount" and isinstance(value, int):
            role = "other"
        looked_at = list[ArgumentDigest]()
        if role not in _NOT_LOOKED_AT:
            of: Text = "file" if reading.tool.of_file or place.runs else "message"
            if reading.quiet or (reading.tool.near and not (place.address or place.host or role in _NAMING)):
                of = "near"
            looked_at = [
                self._argument(each, destroys=reading.tool.effect == "destroy", condition=place.conditions)
                for each in pieces(text, place, role, self._pack, reads=reading.reads, of=of)
            ]
            reading.found.extend(looked_at)
        if (
            type(value) is str
            and schema is None
            and change is None
            and len(value) <= LONGEST_REMEMBERED
            and len(looked_at) <= MOST_REMEMBERED_OF_ONE
            and self._remembered < MOST_REMEMBERED
        ):
            (place.quiet if reading.quiet else place.known)[value] = tuple(looked_at)
            self._remembered += 1
        return whole

    def _argument(self, value: CallValue, *, destroys: bool, condition: bool) -> ArgumentDigest:
        path, role, shape, text, whole = value
        if whole:
            digest = self._digester.address(text)
        elif role == "command":
            digest = self._digester.command(text)
        elif destroys and (condition or (role != "payload" and shape == "value" and _SIGNS.search(text))):
            digest = self._digester.name(text)
        else:
            digest = self._digester.value(text)
        own = self._own.has(digest, role)
        if shape != "web address":
            return ArgumentDigest(path, role, shape, digest, own=own)
        name, spoken, alone = host_in(visible(text), self._pack)
        own = own or (role not in ("credential", "command") and self._own.has_host(name))
        if not name or spoken:
            return ArgumentDigest(path, role, shape, digest, self._digester.value(name).whole if name else None, own)
        # The word may be that of a file or of code, which names no host.
        host = self._digester.file_host(name)
        return ArgumentDigest(path, role, shape, ValueDigest(host, (host,)) if alone else digest, host, own)


def _reads(tool: Tool) -> bool:
    """Whether an address in a call is read."""
    return tool.effect == "read" or (tool.effect == "none" and not tool.said)


def _runs(tool: Tool) -> Runs:
    """What a tool runs that changes something."""
    return tool.runs if tool.effect in SINKS else ""


def digest_call(
    name: str,
    arguments: Mapping[str, object],
    *,
    digester: Digester,
    pack: Pack,
    tool: Tool | None = None,
    schema: object = None,
) -> CallDigest:
    """A call of the tool `name`. `schema` is the JSON Schema of its arguments, where it is known. Who reads many calls
    keeps a `CallReader`."""
    return CallReader(digester, pack).read(name, arguments, tool=tool, schema=schema)


def texts_of(arguments: Mapping[str, object], places: Sequence[tuple[str, str, str]], pack: Pack) -> list[str | None]:
    """The values that a trace of this call names by path, role and shape, in its order, whatever a house says of its
    tools; None for one that cannot be told from another one of the same path."""
    forwards, backwards = _texts(arguments, 1, pack), _texts(arguments, -1, pack)
    found: list[str | None] = [None] * len(places)
    for path in dict.fromkeys(path for path, _, _ in places):
        there = [at for at, place in enumerate(places) if place[0] == path]
        standing = forwards.get(path, [])
        # Members of an object have no order: what stands at one path by two ways is not told apart.
        if [text for _, text in standing] != [text for _, text in backwards.get(path, [])]:
            continue
        named = {places[at][1] for at in there}
        for role, reads, of in product(ROLES, (False, True), _TEXTS):
            if role not in named:
                continue
            values = [each for place, text in standing for each in pieces(text, place, role, pack, reads=reads, of=of)]
            if [each[1:3] for each in values] == [places[at][1:] for at in there]:
                for at, value in zip(there, values, strict=True):
                    found[at] = value.text if value.shape == "value" else value.text.strip(_EDGES)
                break
    return found


def _texts(arguments: Mapping[str, object], step: Literal[1, -1], pack: Pack) -> dict[str, list[tuple[_Place, str]]]:
    """The texts of a call by their paths, lists in their order and objects in theirs or the other way round."""
    found: dict[str, list[tuple[_Place, str]]] = {}
    stack: list[tuple[object, tuple[str, ...]]] = [(arguments, ())]
    for _ in range(MOST_VALUES):
        if not stack:
            break
        value, path = stack.pop()
        if isinstance(value, Mapping):
            members = [(each, (*path, str(key))[-MOST_KEYS:]) for key, each in value.items()]
            keys_are = _keys_are(value, _Place(path, pack.path_role(path), pack))
            members += [
                (key, path)
                for key in value
                if not FIELD.fullmatch(str(key)) or (keys_are and _is_somebody(str(key), keys_are, pack))
            ]
            stack.extend(members[::-step])
        elif isinstance(value, (list, tuple)):
            line = _line(value, _Place(path, pack.path_role(path), pack))
            stack.extend([(line, path)] if isinstance(line, str) else [(each, path) for each in reversed(value)])
        elif value is not None and not isinstance(value, bool):
            text = scalar_text(value)
            if text is not None:
                place = _Place(path, pack.path_role(path), pack)
                found.setdefault(place.name[-LONGEST_PATH:], []).append((place, text[:LONGEST_TEXT]))
    return found


def _line(value: object, place: _Place) -> object:
    """A value, or the command that a list is word for word."""
    if not place.joins or not isinstance(value, (list, tuple)) or len(value) < 2:
        return value
    words = [each for each in map(scalar_text, value) if each is not None]
    return join(words) if len(words) == len(value) else value


def _keys_are(value: Mapping[Any, object], place: _Place) -> _Keys:
    """What the keys of an object are, beside those that no field has as its name."""
    if place.names:
        if all(each is None or isinstance(each, bool) or each in ("", (), [], {}) for each in value.values()):
            return "somebody"
        lists = any(isinstance(each, (list, tuple)) for each in value.values())
        if place.plural and not lists:
            return "somebody"
        if place.guests and lists:
            return "sorts or somebody"
        if all(isinstance(each, (int, float)) or not each for each in value.values()):
            return "fields or somebody"
    return "fields or somebody" if place.holds else ""


def _is_somebody(key: str, keys_are: _Keys, pack: Pack) -> bool:
    if keys_are == "sorts or somebody":
        return not pack.is_guest_key(key)
    return keys_are == "somebody" or not pack.is_field_key(key)


def _change(value: object, place: _Place, reading: _Reading) -> Change | None:
    """What a text changes where a tool is asked with it."""
    if not isinstance(value, str) or not place.asked:
        return None
    if reading.tool.effect == "none" and not reading.tool.computes:
        return None
    asked = place.runs in ("query", "sql") if reading.database is None else reading.database != "texts"
    if not asked and place.asked != "sql":
        return None
    return change_of(visible(value[:LONGEST_TEXT]), sql="sql" in (reading.database, reading.runs, place.asked))


def _where_it_goes(found: list[ArgumentDigest], tool: Tool) -> list[ArgumentDigest]:
    """Of a call that sends: where no value says where to, what it names otherwise does: `pay(name="mallory")`."""
    if tool.effect != "send" or tool.said or tool.roles:
        return found
    if any(each.role in ("destination", "credential") for each in found):
        return found
    paths = [each.path for each in found if split_name(each.path) in _GOING_TO]
    going = {each for each in paths if paths.count(each) == 1}
    return [each._replace(role="destination") if each.path in going else each for each in found] if going else found


def _is_run(value: object, role: Role, place: _Place, runs: Runs, pack: Pack) -> bool:
    """Whether a text is a command by what the names of its tool and argument say, whatever stands in it."""
    return (
        isinstance(value, str)
        and place.role.own is None
        and role in _MAY_BE_RUN
        and is_run(value[:LONGEST_TEXT], place.runs, runs, pack)
    )


def _schema_below(schema: object, key: str) -> object:
    members = schema.get("properties") if isinstance(schema, Mapping) else None
    return members.get(key) if isinstance(members, Mapping) else None
