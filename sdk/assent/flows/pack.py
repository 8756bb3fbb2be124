"""The pack: what tools and arguments are, and what asks. The shipped one is data (`pack.toml`); a few lines of a house
say better what its own tools are:

    tools:
      ledger_dump: {effect: read, answers: trusted}
      pay_out: {effect: send, arguments: {to_whom: destination, memo: payload}}
      crm_lookup: {effect: read, labels: [customer_data]}
    labels: [customer_data, salaries]
    commands: [pytest -q, git status]
    names: [acme/shop, "#ops", acme.example]
    rules: {page_links: false}

1. Effect of a tool, by the first verb of its name behind a server's prefix (`mcp__crm__get_user`): `none`, `read`,
   `write`, `send` or `destroy`. Where verbs are joined (`find_and_delete`), or one that acts ends the name
   (`load_balancer_delete`), the strongest of them counts. `open` reads
   only a file or an address: `open_ticket` writes. A name without a verb is `write`: what is not known is asked about.
   A call of a tool that reads may send, write or destroy (`assent.flows.sending`, `assent.flows.statements`), and one
   of a shell may do nothing but read (`assent.flows.commands`), unless the house says its effect.
   A house's pattern for several tools (`ledger_*`) that says `read` or `none` leaves the effect of a tool alone whose
   own name writes, sends or destroys: whoever writes the pattern thinks of the tools that they know, and
   `ledger_transfer` may come later. Such a tool only reads where the house says so by its full name. A warning would
   not do: nobody reads one when the tool comes, and policies of before would stay open.
2. Answers of a tool: `data` (short values of fields are leaves), `document` (text of somebody else, whatever it looks
   like), `page` (a document from an address outside) or `trusted`. A read with a path that searches nothing gives a
   document, one with an address a page.
3. Role of an argument, by the last word of its name that has one, else by the key around it: `payload`, `command`,
   `amount`, `time`, `boolean`, `choice` (one of a schema's values), `destination`, `credential`, `target`, `reference`,
   `other`. A `name` or an `id` by itself below a destination is one, and so is `recipient_id` (a reference otherwise).
   Of a tool that edits a file `old_string` and its like are a payload, as the content of a file is.
   A number that names nothing is an amount, and a date is a time; `end_customer` is neither, since only the last word
   tells an amount or a time.
4. Labels that a tool puts on, by the words of its name and arguments.
5. Commands of a house are lines that its shells run as if they did nothing but read, each as it is written, where
   nothing else of the call changes what a line does.
6. Names of a house are values of its own, whoever names them: repositories, channels, accounts, and hosts with what
   lies below them. They pass as what a call is about or where it goes; in a payload web addresses at these hosts do.
   They are no credentials and no commands.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias, get_args

from assent.flows.session import UNTRUSTED, FlowError

Effect: TypeAlias = Literal["none", "read", "write", "send", "destroy"]
Answers: TypeAlias = Literal["data", "document", "page", "trusted"]
Role: TypeAlias = Literal[
    "payload",
    "command",
    "amount",
    "time",
    "boolean",
    "choice",
    "destination",
    "credential",
    "target",
    "reference",
    "other",
]
Database: TypeAlias = Literal["sql", "any", "texts"]
"""What a tool that reads may be asked with: SQL, whatever there is, or words that it looks for in texts, where a
statement is what is looked for."""
Runs: TypeAlias = Literal["", "anything", "code", "queries", "sql"]
"""What the name of a tool says that it runs."""
RunsWith: TypeAlias = Literal["", "code", "query", "sql"]
"""What the name of an argument says of what is run."""

EFFECTS: tuple[Effect, ...] = get_args(Effect)
ANSWERS: tuple[Answers, ...] = get_args(Answers)
ROLES: tuple[Role, ...] = get_args(Role)
SINKS = frozenset[Effect](["write", "send", "destroy"])
INJECTION = "injection_found"
"""Put on by whoever scans texts; leaves are trusted no more while it holds."""
SMALLEST_NAME = 100
"""From here on a number in the place of a destination names one."""
LONGEST_NAME = 256

_TOML = Path(__file__).with_name("pack.toml")
_PREFIX = re.compile(r"^(?:mcp__.+?__|.*[./:])(?=.)")
_CASES = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z0-9]+|(?<=[A-Za-z])(?=\d)")
_DATE = re.compile(
    r"\d{4}-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?)?|\d\d?:\d\d(?::\d\d)?"
)
_QUOTED, _WILD = re.compile(r"\[[*?[]\]"), re.compile(r"[*?[]")
_JOINING = frozenset(["and", "then", "or", "plus"])
_STRENGTH: tuple[Effect, ...] = ("destroy", "send", "write", "read", "none")
_IDS = frozenset(["id", "ids", "uid", "uids", "uuid", "uuids", "ref"])
_KEYS = frozenset(["number", "numbers", "no", "key", "keys", "code", "name"])
_SECRET_KEYS = frozenset(
    "api access private secret verification auth security signing encryption ssh recovery".split()  # noqa: SIM905
)
_FILES = frozenset(["path", "file", "filename", "filepath"])
_NAMING = frozenset(["id", "ids", "number", "numbers", "no", "key", "account", "accounts", "phone", "iban"])


class FlowPackError(FlowError):
    """A pack that cannot be read. `place` is where, such as `tools.pay_out.effect`."""

    def __init__(self, place: str, message: str) -> None:
        super().__init__(f"{place}: {message}")
        self.place = place


class Rules(NamedTuple):
    """What asks; see `assent.flows.decide`, which counts them the same way."""

    provenance: bool = True
    conflict: bool = True
    leaf_trust: bool = True
    unknown: bool = True
    credentials: bool = True
    payloads: bool = True
    blind: bool = True
    addresses: bool = True
    page_links: bool = True
    leaf_addresses: bool = False
    leaf_targets: bool = True
    labels_only: bool = False


class Tool(NamedTuple):
    """What one tool is. `sure` is False where its name has no verb; `said` is whether the house says its effect;
    `passes_on` is whether it answers with what its arguments bring about, such as a command's output, and not with a
    status of its own. `line` is the argument whose line a shell runs, where the names say that and nothing else, and
    `query` the one with the query that a tool runs which does nothing but run queries. `of_file` is whether a text that
    it writes is put into a file, `near` whether it looks for something on this machine or in a house's own code, and
    `computes` whether it may have a database work its answer out, where its name says that it changes nothing."""

    effect: Effect
    answers: Answers
    labels: tuple[str, ...] = ()
    roles: tuple[tuple[str, Role], ...] = ()
    sure: bool = True
    said: bool = False
    passes_on: bool = False
    line: str = ""
    runs: Runs = ""
    query: str = ""
    of_file: bool = False
    near: bool = False
    computes: bool = False


class ToolEntry(NamedTuple):
    """What a house says of tools whose names match; None where it leaves that to the defaults."""

    pattern: str
    effect: Effect | None = None
    answers: Answers | None = None
    labels: tuple[str, ...] = ()
    roles: tuple[tuple[str, Role], ...] = ()


class PathRole(NamedTuple):
    """What the names on the path of a value tell. `own` is what the house says of it, whatever it is; `naming` is
    whether the last name is of something that has a name, such as `id`."""

    own: Role | None
    named: Role
    naming: bool

    def of(self, value: object, schema: object = None) -> Role:
        """The role of this value. `schema` is its JSON Schema."""
        if self.own is not None:
            return self.own
        if isinstance(value, bool):
            return "boolean"
        if isinstance(schema, Mapping):
            choices = schema.get("enum")
            if isinstance(choices, list) and value in choices:
                return "choice"
        found = self.named
        if isinstance(value, (int, float)):
            names = self.naming or found in ("credential", "time")
            return found if names or (found == "destination" and abs(value) >= SMALLEST_NAME) else "amount"
        if found in ("other", "reference", "amount") and isinstance(value, str) and _DATE.fullmatch(value.strip()):
            return "time"
        return found


class Words(NamedTuple):
    """The tables of `pack.toml`."""

    verbs: dict[str, Effect]
    acting: frozenset[str]
    either: frozenset[str]
    last: frozenset[str]
    first: frozenset[str]
    nouns: frozenset[str]
    done_with: frozenset[str]
    undone: frozenset[str]
    paths: frozenset[str]
    addresses: frozenset[str]
    listing: frozenset[str]
    opening: frozenset[str]
    running: frozenset[str]
    asking: frozenset[str]
    written: frozenset[str]
    method: frozenset[str]
    reading: frozenset[str]
    sent: frozenset[str]
    somebody: frozenset[str]
    sent_to: frozenset[str]
    through: frozenset[str]
    places: frozenset[str]
    saving: frozenset[str]
    verbal: frozenset[str]
    writing: frozenset[str]
    limiting: frozenset[str]
    near: frozenset[str]
    drawn: frozenset[str]
    choosing: frozenset[str]
    own: frozenset[str]
    around: frozenset[str]
    statements: frozenset[str]
    patterns: frozenset[str]
    conditions: frozenset[str]
    computing: frozenset[str]
    texts_searched: frozenset[str]
    databases: frozenset[str]
    sql: frozenset[str]
    queries: frozenset[str]
    code: frozenset[str]
    as_text: frozenset[str]
    queried: frozenset[str]
    coding: frozenset[str]
    asked_at: frozenset[str]
    asked_for: frozenset[str]
    functions: frozenset[str]
    roles: dict[str, Role]
    labels: dict[str, str]
    guest_keys: frozenset[str]
    together: frozenset[str]
    held: frozenset[str]
    fields: frozenset[str]
    joining: frozenset[str]
    endings: frozenset[str]
    host_endings: frozenset[str]
    private_endings: frozenset[str]
    public_endings: frozenset[str]
    schema_hosts: frozenset[str]
    editing: frozenset[str]
    edited: frozenset[str]
    texts: frozenset[str]
    events: frozenset[str]
    places_of_events: frozenset[str]
    typing: frozenset[str]
    terminals: frozenset[str]
    typed: frozenset[str]
    shells: frozenset[str]
    beside_shells: frozenset[str]
    outputs: frozenset[str]
    lines: frozenset[str]
    line_folders: frozenset[str]
    line_bounds: frozenset[str]
    line_reasons: frozenset[str]


@dataclass(frozen=True)
class Pack:
    """`marking` are entries of which the labels alone count, those of the first that matches."""

    entries: tuple[ToolEntry, ...] = ()
    declared: frozenset[str] = frozenset()
    rules: Rules = field(default_factory=Rules)
    marking: tuple[ToolEntry, ...] = ()
    commands: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()

    @property
    def words(self) -> Words:
        return shipped_words()

    @property
    def labels(self) -> frozenset[str]:
        """Every label that may be put on."""
        own = {label for entry in (*self.entries, *self.marking) for label in entry.labels}
        return self.declared | own | {UNTRUSTED, INJECTION} | frozenset(self.words.labels.values())

    def with_rules(self, **rules: bool) -> Pack:
        return replace(self, rules=self.rules._replace(**rules))

    def tool(self, name: str, arguments: Iterable[str] = ()) -> Tool:
        """What a tool is, by its name and those of its arguments."""
        given = tuple(arguments)
        found = self._by_default(name[:LONGEST_NAME], given)
        entry, marking = self.entry_of(name), _matching(self.marking, name)
        if entry is not None:
            found = Tool(
                entry.effect or found.effect,
                entry.answers or found.answers,
                tuple(dict.fromkeys([*entry.labels, *found.labels])),
                (*found.roles, *entry.roles),
                found.sure or entry.effect is not None,
                entry.effect is not None,
                found.passes_on and entry.answers is None,
                "" if entry.effect is not None else found.line,
                found.runs,
                "" if entry.effect is not None else found.query,
                found.of_file,
                found.near,
                found.computes and entry.effect is None,
            )
        if marking is not None and marking.labels:
            found = found._replace(labels=tuple(dict.fromkeys([*found.labels, *marking.labels])))
        return found

    def answers_said(self, name: str) -> Answers | None:
        """What the house says of a tool's answers, where it does."""
        entry = self.entry_of(name)
        return None if entry is None else entry.answers

    def quiet_pattern(self, name: str) -> str | None:
        """The pattern for several tools by which the house says `read` or `none` of this one, whose own name writes,
        sends or destroys, so that it does not count; None where there is no such pattern."""
        entry = _matching(self.entries, name)
        quiet = entry is not None and entry.effect in ("read", "none") and not fits_one(entry.pattern)
        acts = quiet and self.effect_by_name(name) in SINKS
        return entry.pattern if entry is not None and acts else None

    def effect_by_name(self, name: str) -> Effect:
        """What the verb of a tool's own name does; none without a verb."""
        found = self._by_default(name[:LONGEST_NAME], ())
        return found.effect if found.sure else "none"

    def is_shell(self, name: str) -> bool:
        """Whether a tool's whole name, with that of its server, says that it is a shell."""
        words, known = frozenset(split_name(name)), self.words
        if not name.isascii() or len(name) >= LONGEST_NAME:
            # There may be words that are not looked at.
            return False
        return not words.isdisjoint(known.shells) and words <= known.shells | known.beside_shells

    def entry_of(self, name: str) -> ToolEntry | None:
        """What the house says of a tool: the first entry that fits, without its effect where that does not count, but
        the one by the full name where there is one."""
        entry = _matching(self.entries, name)
        if entry is None or self.quiet_pattern(name) is None:
            return entry
        named = _matching((each for each in self.entries if fits_one(each.pattern)), name)
        return entry._replace(effect=None) if named is None else named

    def path_role(self, path: tuple[str, ...], roles: tuple[tuple[str, Role], ...] = ()) -> PathRole:
        """What the names on a path of keys in a call's arguments tell; `roles` are what a house says of the tool's."""
        own = dict(roles)
        for name in (".".join(path), path[-1] if path else "", path[0] if path else ""):
            if name in own:
                return PathRole(own[name], "other", False)
        return PathRole(None, *self._named_role(path))

    def database(self, tool: str) -> Database:
        """What the name of a tool that reads says of the statements that it may be asked with."""
        words, known = frozenset(split_name(local_name(tool))), self.words
        if words & known.sql:
            return "sql"
        return "texts" if words & known.texts_searched and not words & known.databases else "any"

    def asked_with(self, words: list[str]) -> Literal["", "query", "sql"]:
        """What an argument of these words may have of a statement: none, since it is a pattern, any, or one of SQL."""
        if words[-1:] and (words[-1] in self.words.statements or "sql" in words):
            return "sql"
        return "" if words[-1:] and words[-1] in self.words.patterns else "query"

    def runs_with(self, words: list[str]) -> RunsWith:
        """What an argument of these words has, in a tool that runs something: code, a query, or one of SQL."""
        known = self.words
        last = next((each for each in reversed(words) if each not in known.as_text), "")
        if last in known.queries:
            return "query" if known.sql.isdisjoint(words) else "sql"
        return "code" if last in known.code else ""

    def is_drawn(self, path: str) -> bool:
        """Whether what stands at a path is drawn, with what its addresses lead to."""
        return not self.words.drawn.isdisjoint(split_name(path))

    def is_noun(self, word: str) -> bool:
        """Whether a word says what something is, and names nobody."""
        return word in self.words.roles or word in self.words.guest_keys

    def is_held(self, words: list[str]) -> bool:
        """Whether a name of these words is of what somebody has or gets, such as `permissions` or `shared_with`."""
        last = words[-2:-1] if words[-1:] == ["with"] else words[-1:]
        return bool(last) and last[0] in self.words.held

    def is_guest_key(self, key: str) -> bool:
        """Whether a key of an object that lists somebodies says of which sort they are, such as `required`."""
        words, known = split_name(key), self.words
        return all(each in known.guest_keys or known.roles.get(each) == "destination" for each in words)

    def is_field_key(self, key: str) -> bool:
        """Whether a key of an object that counts or allows says what it is about, such as `can_read` or `order_id`, and
        names nobody."""
        words, known = split_name(key), self.words
        if words and known.roles.get(words[-1]) in ("amount", "time", "reference"):
            return True
        return all(
            each in known.fields or each in known.guest_keys or each in known.roles or each in known.verbs
            for each in words
        )

    def role(self, path: tuple[str, ...], value: object, tool: Tool, schema: object = None) -> Role:
        """Of the value at a path of keys in a call's arguments. `schema` is the JSON Schema of this value."""
        return self.path_role(path, tool.roles).of(value, schema)

    def _by_default(self, name: str, arguments: tuple[str, ...]) -> Tool:
        words = split_name(local_name(name))
        verb = self._verb(words)
        last = {(split_name(argument) or [""])[-1] for argument in arguments}
        numbered = verb in self.words.opening and any(map(self._is_documents, arguments))
        effect = self._acts(words, verb)
        if verb == "open" and effect == "read" and not (last | set(words)) & (self.words.paths | self.words.addresses):
            effect = effect if numbered else "write"
        answers: Answers = "data"
        if effect == "read" and verb not in self.words.listing:
            # `read_file(file_id)` answers with what stands in it, as `read_file(path)` does.
            page, document = last & self.words.addresses, last & self.words.paths or numbered
            answers = "page" if page else "document" if document else "data"
        elif effect == "none" and last & self.words.addresses:
            answers = "page"
        labels: list[str] = []
        if effect == "read":
            every = [*words, *(word for argument in arguments for word in split_name(argument))]
            labels = [self.words.labels[word] for word in every if word in self.words.labels]
        roles: tuple[tuple[str, Role], ...] = ()
        if effect == "write" and self._edits(words) and last & self.words.paths:
            roles = tuple((each, "payload") for each in sorted(self.words.texts))
        elif effect == "write" and not self.words.events.isdisjoint(words):
            roles = tuple((each, "payload") for each in sorted(self.words.places_of_events))
        elif effect in ("read", "write", "send") and not self.words.typing.isdisjoint(words):
            typed: Role = "other" if self.words.terminals.isdisjoint(words) else "command"
            roles = tuple((each, typed) for each in sorted(self.words.typed))
        given = last & (self.words.addresses | self.words.asking) or any(
            self.words.roles.get(each) == "command" for each in last
        )
        passes_on = effect in SINKS and bool(given or self.words.running & set(words))
        line = self._line(name, arguments)
        runs = self._runs(words)
        return Tool(
            effect,
            answers,
            tuple(dict.fromkeys(labels)),
            roles,
            bool(verb),
            passes_on=passes_on,
            line=line,
            runs=runs,
            query=self._query(words, arguments) if effect == "write" and runs else "",
            of_file=effect == "write" and not last.isdisjoint(_FILES),
            near=effect == "read" and not (self.words.near.isdisjoint(words) or self.words.listing.isdisjoint(words)),
            computes=effect == "none" and not self.words.computing.isdisjoint(words),
        )

    def _verb(self, words: list[str]) -> str:
        """The word of a name that says what the tool does; empty where none does."""
        verbs = [word for word in words if word in self.words.verbs]
        verb = ([word for word in verbs if word not in self.words.either] or verbs or [""])[0]
        if words[:1] == ["check"] and words[1:2] in (["in"], ["out"]):
            return "book"
        noun = len(words) > 1 and verb == words[-1] and verb in self.words.nouns
        return words[0] if noun and words[0] in self.words.either else verb

    def _acts(self, words: list[str], verb: str) -> Effect:
        """What a tool does by its verb, and by others in its name."""
        verbs = self.words.verbs
        effect = verbs[verb] if verb else "write"
        if _JOINING & set(words):
            return strongest((verbs[each] for each in words if each in verbs), effect)
        ends: list[Effect] = [verbs[words[-1]]] if words[-1:] and words[-1] in self.words.last & verbs.keys() else []
        opens = bool(words) and words[0] in self.words.first and verb != words[-1]
        begins: list[Effect] = [verbs[words[0]]] if opens else []
        if effect in ("read", "none") and (ends or begins):
            return strongest([*ends, *begins], effect)
        return "destroy" if "trash" in words else effect

    def _is_documents(self, argument: str) -> bool:
        """Whether an argument has the number of a document, such as `file_id`."""
        words = split_name(argument)
        return len(words) > 1 and words[-1] in _IDS and words[-2] in self.words.paths | self.words.addresses

    def _runs(self, words: list[str]) -> Runs:
        known, given = self.words, frozenset(words)
        if known.running.isdisjoint(given):
            return ""
        if not known.sql.isdisjoint(given):
            return "sql"
        if not known.queried.isdisjoint(given):
            return "queries"
        return "code" if not known.coding.isdisjoint(given) else "anything"

    def _query(self, words: list[str], arguments: tuple[str, ...]) -> str:
        """The argument with the query of a tool whose name has no verb but those of running and reading."""
        known = self.words
        if any(known.verbs.get(each) not in (None, "read", "none") and each not in known.running for each in words):
            return ""
        found = [(each, self.runs_with(split_name(each))) for each in arguments]
        asked = [each for each, has in found if has in ("query", "sql")]
        sql = not known.sql.isdisjoint(words) or not known.queried.isdisjoint(words) or ("sql" in dict(found).values())
        return asked[0] if sql and len(asked) == 1 else ""

    def _line(self, name: str, arguments: tuple[str, ...]) -> str:
        """The argument with the line of a tool whose whole name, with that of its server, says that it is a shell."""
        if not self.is_shell(name):
            return ""
        lines = [each for each in arguments if "_".join(split_name(each)) in self.words.lines]
        return lines[0] if len(lines) == 1 and lines[0].isascii() else ""

    def _edits(self, words: list[str]) -> bool:
        """Whether a name of these words is of a tool that edits a file, and nothing else."""
        known = self.words
        return not known.editing.isdisjoint(words) and all(
            each in known.editing or each in known.edited or each in known.paths or known.roles.get(each) == "payload"
            for each in words
        )

    def _named_role(self, path: tuple[str, ...]) -> tuple[Role, bool]:
        """The role that the names tell, and whether the last of them names something, such as `id`."""
        if len(path) > 1 and self._is_somebodys(path):
            return "destination", True
        for at in range(len(path) - 1, -1, -1):
            words, own = split_name(path[at]), at == len(path) - 1
            if words[-1:] == ["with"] and self.is_held(words):
                # `share_with`, and not `replace_with`.
                return "destination", own
            for place in range(len(words) - 1, -1, -1):
                role = self.words.roles.get(words[place])
                if role is None:
                    continue
                if role in ("amount", "time") and place < len(words) - 1:
                    continue
                before = words[place - 1] if place else ""
                told = self._told_before(words[place], before)
                return (told, own) if told else (role, own and words[place] in _NAMING)
        return "other", False

    def _is_somebodys(self, path: tuple[str, ...]) -> bool:
        """Whether it is somebody's name or number, which says who it is: `attendees: {required: [{name: dora}]}`."""
        last = path[-1].lower()
        if last in ("name", "names"):
            return self._named_role(path[:-1])[0] == "destination"
        if last not in _IDS:
            return False
        around = next((each for each in reversed(path[:-1]) if not self._only_sorts(each)), path[-2])
        return self._named_role((around,))[0] == "destination"

    def _only_sorts(self, key: str) -> bool:
        return all(each in self.words.guest_keys for each in split_name(key))

    def _told_before(self, word: str, before: str) -> Role | None:
        """What the word before it makes of one that only counts or names: `phone_number`, `api_key`, `member_ids`."""
        earlier = self.words.roles.get(before)
        if word in _KEYS and before in _SECRET_KEYS:
            return "credential"
        if earlier == "destination" and (word in _KEYS or word in _IDS):
            return earlier
        return earlier if earlier == "credential" and word in _KEYS else None


def strongest(effects: Iterable[Effect], without_any: Effect) -> Effect:
    """The one of them that does most; `without_any` where there are none."""
    found = frozenset(effects)
    for each in _STRENGTH:
        if each in found:
            return each
    return without_any


def local_name(name: str) -> str:
    """A tool's name without what stands before it of its server or module."""
    return _PREFIX.sub("", name)


def pattern_of(name: str) -> str:
    """The pattern that fits this name alone."""
    return "".join(f"[{each}]" if each in "*?[" else each for each in name)


def fits_one(pattern: str) -> bool:
    """Whether a pattern is one name, as `pattern_of` writes it."""
    return _WILD.search(_QUOTED.sub("", pattern)) is None


def split_name(name: str) -> list[str]:
    """The words of a name in any of the usual writings, in small letters."""
    return [word.lower() for word in _CASES.split(name) if word]


@cache
def shipped_words() -> Words:
    """The tables, read once."""
    data = tomllib.loads(_TOML.read_text(encoding="utf-8"))
    verbs: dict[str, Effect] = {}
    for effect in ("read", "none", "destroy", "write", "send"):
        verbs.update(dict.fromkeys(data["verbs"][effect].split(), effect))
    documents, sending, roles = data["documents"], data["sending"], dict[str, Role]()
    for role in ROLES:
        roles.update(dict.fromkeys(data["roles"].get(role, "").split(), role))
    labels = {word: label for label, words in data["labels"].items() for word in words.split()}
    return Words(
        verbs,
        frozenset(verb for verb, effect in verbs.items() if effect in SINKS),
        frozenset(data["verbs"]["either"].split()),
        frozenset(data["verbs"]["last"].split()),
        frozenset(data["verbs"]["first"].split()),
        frozenset(data["verbs"]["nouns"].split()),
        frozenset(data["verbs"]["done_with"].split()),
        frozenset(data["verbs"]["undone"].split()),
        frozenset(documents["path"].split()),
        frozenset(documents["address"].split()),
        frozenset(documents["listing"].split()),
        frozenset(documents["opening"].split()),
        frozenset(documents["running"].split()),
        frozenset(documents["asking"].split()),
        frozenset(documents["written"].split()),
        frozenset(sending["method"].split()),
        frozenset(sending["reading"].split()),
        frozenset(sending["sent"].split()),
        frozenset(sending["somebody"].split()),
        frozenset(sending["address"].split()),
        frozenset(sending["through"].split()),
        frozenset(sending["places"].split()),
        frozenset(sending["saving"].split()),
        frozenset(sending["verbal"].split()),
        frozenset(sending["writing"].split()),
        frozenset(sending["limiting"].split()),
        frozenset(sending["near"].split()),
        frozenset(documents["drawn"].split()),
        frozenset(sending["choosing"].split()),
        frozenset(sending["own"].split()),
        frozenset(sending["around"].split()),
        frozenset(data["statements"]["names"].split()),
        frozenset(data["statements"]["patterns"].split()),
        frozenset(data["statements"]["conditions"].split()),
        frozenset(data["statements"]["computing"].split()),
        frozenset(data["statements"]["searching"].split()),
        frozenset(data["statements"]["databases"].split()),
        frozenset(data["statements"]["sql"].split()),
        frozenset(data["statements"]["queries"].split()),
        frozenset(data["statements"]["code"].split()),
        frozenset(data["statements"]["texts"].split()),
        frozenset([*data["statements"]["asking"].split(), *data["statements"]["databases"].split()]),
        frozenset(data["statements"]["coding"].split()),
        frozenset(data["statements"]["asked_at"].split()),
        frozenset(data["statements"]["asked_for"].split()),
        frozenset(data["statements"]["functions"].split()),
        roles,
        labels,
        frozenset(data["guests"]["keys"].split()),
        frozenset(data["guests"]["together"].split()),
        frozenset(data["guests"]["held"].split()),
        frozenset(data["guests"]["fields"].split()),
        frozenset(data["guests"]["joining"].split()),
        frozenset(data["files"]["endings"].split()),
        frozenset(data["files"]["hosts"].split()),
        frozenset(data["files"]["private"].split()),
        frozenset(data["files"]["public"].split()),
        frozenset(data["files"]["schemas"].split()),
        frozenset(data["editing"]["verbs"].split()),
        frozenset(data["editing"]["words"].split()),
        frozenset(data["editing"]["texts"].split()),
        frozenset(data["events"]["names"].split()),
        frozenset(data["events"]["places"].split()),
        frozenset(data["typing"]["names"].split()),
        frozenset(data["typing"]["terminals"].split()),
        frozenset(data["typing"]["texts"].split()),
        frozenset(data["shells"]["names"].split()),
        frozenset(data["shells"]["beside"].split()),
        frozenset(data["shells"]["outputs"].split()),
        frozenset(data["shells"]["lines"].split()),
        frozenset(data["shells"]["folders"].split()),
        frozenset(data["shells"]["bounds"].split()),
        frozenset(data["shells"]["reasons"].split()),
    )


@cache
def shipped_pack() -> Pack:
    """The pack as it is without a word of the house."""
    return Pack()


def joined(packs: Iterable[tuple[Pack, bool]]) -> Pack:
    """Tools and labels of all of them, the first entry that matches first; the rules are the shipped ones. Each comes
    with whether its policy is enforced.

    Of a policy that only observes, beside enforced ones, nothing counts that it says of a tool but labels that those do
    not know, so that it changes nothing of what they ask; where there are no others they count in full."""
    given = tuple(packs)
    deciding, beside = (tuple(pack for pack, enforced in given if enforced is which) for which in (True, False))
    if not deciding:
        deciding, beside = beside, ()
    found = Pack(
        tuple(entry for pack in deciding for entry in pack.entries),
        frozenset(label for pack in deciding for label in pack.declared),
        commands=frozenset(command for pack in deciding for command in pack.commands),
        names=frozenset(name for pack in deciding for name in pack.names),
    )
    if not beside:
        return found
    known = found.labels
    marking = [
        ToolEntry(entry.pattern, labels=tuple(label for label in entry.labels if label not in known))
        for pack in beside
        for entry in pack.entries
    ]
    declared = found.declared.union(*(pack.declared for pack in beside))
    return replace(found, declared=declared, marking=tuple(marking))


def _matching(entries: Iterable[ToolEntry], name: str) -> ToolEntry | None:
    """By its name in any case: what a call is asked about by its type alone may be kept in small letters."""
    small = name.lower()
    return next((entry for entry in entries if fnmatchcase(small, entry.pattern.lower())), None)
