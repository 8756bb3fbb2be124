"""What a call answered, folded into digests. Runs after the call, never on the way of a decision.

1. A text that is data (JSON, a Python literal, records in lines) is read as data, unless its tool gives documents.
2. A short text (at most 6 words and 80 characters, one line) and a number are leaves of their field. A longer text is
   free text: words, parts and pairs. So is a short one that says something (`assent.flows.sentences`): an address and
   words beside it.
3. A field that people write into (`body`, `subject`, ...) is free text however short it is. So is a document.
4. Text of more than a leaf's length, text that says something, text in a field of sentences (`body`, `comment`), and
   every document put on `untrusted_seen`. A tool that by its name writes or sends, and neither runs something nor asks
   at an address, may answer with a status, which puts it on no more than a leaf does: a line of at most 80 characters.
   It is a leaf where it is short; else, if it is the whole answer, nothing. Such a line that says something puts it on
   as well; the address in it, which may be what was sent to, is not kept. What a call raised (`error:<tool>`) is never
   a status: it may be the words of whoever made it fail. A picture or a file that a model is shown
   (`assent.flows.media`) puts it on as well, wherever it lies: what it says was read, and nobody here knows it.
5. `Dora <dora@x.com>` is two leaves. A key that is no name of a field (`credit_card_44`) is a leaf, too.
6. A line that bids somebody do something (`assent.flows.sentences.bids`) puts on `untrusted_seen` as well, wherever it
   stands, and is a leaf nevertheless where it is short: nobody names a thing `pay 900 to mallory now`, and if somebody
   does, what the session does next is looked at more closely, and nothing else.
7. A number in groups is a leaf as it is written and without them.
8. Of a record it is kept which words stand beside what it is called by (`id`, `name`, `path`; `NEAR_NAMES`), but those
   that more than half of the records of its list have, and those of fields such as `kind` or `status`: where something
   is destroyed that an answer named, that tells whether the user's words chose it
   (`assent.flows.session.Session.chose`).
9. A number that counts and a time (`amount` and `time` by the name of their field, as in a call) are no leaves: no
   value of a call is looked at that is one.
10. At most so many characters and nodes are read (`Bounds`). Nesting has no bound: nothing here calls itself. What was
    not read makes the answer incomplete.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Literal, NamedTuple

from assent.answers import RAISED
from assent.flows.digests import Digester, TextDigest
from assent.flows.media import shows_media
from assent.flows.pack import SINKS, Pack, PathRole, Tool, split_name
from assent.flows.sending import LARGEST_AMOUNT
from assent.flows.sentences import EMAIL, NAMED_ADDRESS, bids, hides_words, tells, word_count
from assent.flows.session import BOUNDS, Bounds, Folded, UserText, near
from assent.flows.spelling import is_telling, scalar_text
from assent.flows.structure import Headed, Records, data_of

MOST_WORDS, MOST_CHARACTERS = 6, 80
"""Of a leaf."""
NEAR_NAMES, NEAR_WORDS, NEAR_RECORDS, NEAR_DIGESTS = 6, 40, 2_000, 8_192
"""Of a record: what it is called by, and words beside these. Of an answer: records, and pairs of both."""
FIELD = re.compile(r"[A-Za-z_][A-Za-z_-]{0,39}")
"""What a key looks like that is the name of a field; any other key is a value."""

_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,15})(?:\.\d{1,9})?")
_Author = Literal["", "words", "sentences"]
"""What people write into a field: nothing, or words such as a subject, or sentences."""


_NAMES = frozenset(["id", "uid", "uuid", "ref", "reference", "number", "no", "name", "key", "path", "file", "filename"])
"""Fields by which a record is called; where it has none of them, by those that end so."""
_STATES = frozenset(["status", "state"])
"""Fields of which no value is kept: nothing is sent there, and no record is called so."""
_SORTS = frozenset(["type", "kind", "category", "status", "state"])
"""Fields whose words say of which sort a record is, and not which one it is."""


class _Called(NamedTuple):
    """What the name of a field tells: whether it says what its record is called by, of which sort it is, and in which
    state."""

    named: Literal["", "itself", "perhaps"]
    sorts: bool
    state: bool


class _Record:
    """What a record is called by, and the words in it."""

    __slots__ = ("around", "further", "listed", "names", "words")

    def __init__(self, around: _Record | None, listed: list[_Record] | None) -> None:
        self.around = around
        self.listed = listed
        """The records of one list."""
        self.names: dict[int, None] = {}
        self.further: dict[int, None] = {}
        """Names by fields such as `customer_id`, which may be those of something else."""
        self.words: dict[int, None] = {}
        if listed is not None:
            listed.append(self)

    def add(self, words: Iterable[int]) -> None:
        for each in words:
            if len(self.words) >= NEAR_WORDS:
                break
            self.words[each] = None

    def called(self) -> Iterable[int]:
        return self.names or self.further


def _common(records: list[_Record]) -> frozenset[int]:
    """Words that more than half of several records have: they tell none of them from the others."""
    if len(records) < 2:
        return frozenset()
    times = Counter(word for each in records for word in each.words)
    return frozenset(word for word, many in times.items() if 2 * many > len(records))


class _Node(NamedTuple):
    value: object
    field: str
    authored: _Author
    record: _Record | None = None
    listed: list[_Record] | None = None
    written: bool = False
    """Whether it was written in lines, where a number is a text."""


class _Reading:
    """One answer while it is read."""

    def __init__(self, name: str, tool: Tool, digester: Digester, pack: Pack, bounds: Bounds) -> None:
        self.tool = tool
        # A house that says what a tool does says nothing of how it answers: `hotel_details` has no status.
        acts = tool.sure and (not tool.said or pack.effect_by_name(name) in SINKS)
        self.status = tool.effect in SINKS and acts and not tool.passes_on and not name.startswith(RAISED)
        self.digester = digester
        self.pack = pack
        self.characters = bounds.characters
        self.nodes = bounds.nodes
        self.leaves: dict[int, str] = {}
        self.counted: dict[int, str] = {}
        """One of what counts, for an answer with nothing else, so that the session has the tool's name."""
        self.free: dict[int, None] = {}
        self.text = False
        self.complete = True
        self.authored: dict[str, _Author] = {}
        self.called: dict[str, _Called] = {}
        self.records: list[_Record] = []
        self.roles: dict[str, PathRole] = {}
        self.alone = False

    def read(self, result: object) -> None:
        opened = _opened(result, self.tool, self.characters)
        self.alone = len(opened) == 1 and isinstance(opened[0], str)
        stack = [_Node(each, "", "") for each in reversed(opened)]
        while stack:
            node = stack.pop()
            self.nodes -= 1
            if self.nodes < 0 or self.characters <= 0:
                self.complete = False
                return
            value = node.value
            if isinstance(value, Headed):
                stack += [_Node(value.data, node.field, node.authored), _Node(value.heading, "", "words")]
            elif isinstance(value, Records):
                room = max(0, self.nodes)
                self.complete &= len(value.entries) <= room
                stack.extend(reversed(list(self._entries(value, room))))
            elif isinstance(value, Mapping):
                self.text |= self.tool.answers != "trusted" and shows_media(value)
                stack.extend(self._members(value, self._record(node.record, node.listed)))
            elif isinstance(value, (list, tuple, set, frozenset)):
                room = max(0, self.nodes)
                self.complete &= len(value) <= room
                listed: list[_Record] = []
                stack.extend(
                    _Node(each, node.field, node.authored, node.record, listed)
                    for each, _ in zip(value, range(room), strict=False)
                )
            else:
                self._scalar(node)

    def _record(self, around: _Record | None, listed: list[_Record] | None) -> _Record:
        record = _Record(around, listed)
        if len(self.records) < NEAR_RECORDS:
            self.records.append(record)
        return record

    def _entries(self, records: Records, room: int) -> Iterator[_Node]:
        listed: list[_Record] = []
        record = self._record(None, listed)
        for at, (key, text) in enumerate(records.entries[:room]):
            if at and at in records.begins:
                record = self._record(None, listed)
            yield _Node(text, *self._field(key), record, written=True)

    def beside_names(self) -> Iterator[int]:
        """Rule 8, as digests."""
        for record in reversed(self.records):
            # What has no name is a part of what it stands in: the items of an order.
            if record.around is not None and not record.called():
                record.around.add(record.words)
        common: dict[int, frozenset[int]] = {}
        for record in self.records:
            listed, names = record.listed, record.called()
            if not names:
                continue
            alike = common.get(id(listed)) if listed is not None else frozenset[int]()
            if alike is None:
                alike = common[id(listed)] = _common(listed or [])
            for word in record.words:
                if word not in alike:
                    yield from (near(name, word) for name in names)

    def _members(self, value: Mapping[object, object], record: _Record) -> list[_Node]:
        room = max(0, self.nodes)
        self.complete &= len(value) <= room
        found, keyed = list[_Node](), list[_Record]()
        for (key, each), _ in zip(value.items(), range(room), strict=False):
            name = key if isinstance(key, str) else str(scalar_text(key))
            if FIELD.fullmatch(name):
                found.append(_Node(each, *self._field(name), record))
            else:
                own = self._record(record, keyed)
                found += [_Node(name, "key", "", own), _Node(each, "*", "", own)]
        return found

    def _field(self, name: str) -> tuple[str, _Author]:
        known = self.authored.get(name)
        if known is None:
            words = split_name(name)
            last = words[-1] if words else ""
            known = ""
            if last in self.pack.words.written:
                known = "sentences"
            elif self.pack.words.roles.get(last) in ("payload", "command"):
                known = "words"
            self.authored[name] = known
        return name, known

    def _scalar(self, node: _Node) -> None:
        text = scalar_text(node.value)
        if text is None or isinstance(node.value, bool):
            # None says nothing. Bytes and whatever else cannot be told: asked about.
            self.complete &= node.value is None or isinstance(node.value, bool)
            return
        if len(text) > self.characters:
            text, self.complete = text[: self.characters], False
        self.characters -= len(text) + 8
        digest = self.digester.text(text)
        if digest.words:
            self._text(text, digest, node)
            if len(text) <= MOST_CHARACTERS and self.tool.answers != "trusted":
                self._beside(text, digest, node)
        else:
            self.text |= hides_words(text)

    def _beside(self, text: str, digest: TextDigest, node: _Node) -> None:
        """Rule 8 of one line. One of several at a name (`files: [...]`) is a record of its own."""
        named, sorts, _ = self._called(node.field)
        several = node.listed is not None and (bool(named) or node.record is None)
        record = self._record(node.record, node.listed) if several else node.record
        if record is None:
            return
        if not sorts and node.authored != "sentences":
            record.add(self.digester.telling_words(text))
            if len(digest.words) <= 2 and is_telling(text):
                record.add(filter(None, [digest.whole()]))
        if named or several:
            whole, names = digest.whole(), record.names if several or named == "itself" else record.further
            if whole in self.leaves and len(names) < NEAR_NAMES:
                names[whole] = None

    def _called(self, name: str) -> _Called:
        known = self.called.get(name)
        if known is None:
            words = split_name(name)
            last, role = words[-1] if words else "", self.pack.words.roles.get(words[-1]) if words else None
            named: Literal["", "itself", "perhaps"] = (
                "itself" if not words or (len(words) == 1 and last in _NAMES) else ""
            )
            if not named and (last in _NAMES or role in ("target", "destination")):
                named = "perhaps"
            known = self.called[name] = _Called(named, last in _SORTS, last in _STATES)
        return known

    def _text(self, text: str, digest: TextDigest, node: _Node) -> None:
        line = len(text) <= MOST_CHARACTERS and "\n" not in text.strip()
        short = line and word_count(text, len(digest.words)) <= MOST_WORDS
        told = line and tells(text, self.pack.words.endings)
        bid = line and not told and " " in text and bids(text, self.pack.words)
        status = line and self.status
        if self.tool.answers == "trusted":
            self._leaf(digest.whole(), node.field)
            for each in digest.all():
                self._leaf(each, node.field)
        elif self.tool.answers in ("document", "page"):
            self.free.update(dict.fromkeys(digest.all()))
            self.text = True
        elif status and not short and self.alone:
            self.text |= told or bid
        elif short and (status or not ((node.authored and not _is_mailbox(text, node)) or told)):
            self.text |= told or bid
            if self._counts(text, node) or self._called(node.field).state:
                self.counted = self.counted or {digest.whole() or 0: node.field}
                return
            self._leaf(digest.whole(), node.field)
            if len(digest.words) > 1 and digest.others:
                self._leaf(self.digester.value(text).joined, node.field)
            if digest.addresses and len(text.split()) == 1:
                for each in digest.addresses:
                    self._leaf(each, node.field)
            named = NAMED_ADDRESS.fullmatch(text.strip())
            for part in named.groups() if named else ():
                self._leaf(self.digester.text(part).whole(), node.field)
        else:
            self.free.update(dict.fromkeys(digest.all()))
            self.text |= told or bid or (not status and (not short or node.authored == "sentences"))

    def _counts(self, text: str, node: _Node) -> bool:
        """Rule 9."""
        value = node.value
        if isinstance(value, str):
            if not text[-1:].isdecimal() and text[-1:] != "Z":
                return False
            if node.written and _NUMBER.fullmatch(text):
                value = float(text)
        if isinstance(value, (int, float)) and abs(value) >= LARGEST_AMOUNT:
            return False
        role = self.roles.get(node.field)
        if role is None:
            # A key that is a value has no name.
            role = self.roles[node.field] = self.pack.path_role(("" if node.field in ("key", "*") else node.field,))
        return role.of(value) in ("amount", "time")

    def _leaf(self, digest: int | None, name: str) -> None:
        if digest is not None:
            self.leaves[digest] = min(name, self.leaves.get(digest, name))


def fold_result(
    result: object, *, call: int, name: str, tool: Tool, digester: Digester, pack: Pack, bounds: Bounds = BOUNDS
) -> Folded:
    """What a call of the tool `name` answered: a text, or JSON as Python has it. An answer that is no JSON is
    incomplete."""
    reading = _Reading(name, tool, digester, pack, bounds)
    reading.read(result)
    leaves = tuple(sorted((reading.leaves if reading.leaves or reading.free else reading.counted).items()))
    page = tool.answers == "page" and reading.text
    beside = islice(dict.fromkeys(reading.beside_names()), NEAR_DIGESTS)
    return Folded(call, name, leaves, tuple(sorted({*reading.free, *beside})), reading.text, page, reading.complete)


def user_text(text: str, digester: Digester, bounds: Bounds = BOUNDS) -> UserText:
    """What the user said, of which no more is read than of an answer."""
    read = text[: bounds.characters]
    return UserText(tuple(sorted(digester.said(read))), len(read) == len(text))


def _is_mailbox(text: str, node: _Node) -> bool:
    """Whether a field in which words stand, such as `notes`, has an e-mail address and nothing else."""
    text = text.strip()
    return node.authored == "words" and (NAMED_ADDRESS.fullmatch(text) or EMAIL.fullmatch(text)) is not None


def _opened(result: object, tool: Tool, longest: int) -> list[object]:
    """The answer without the blocks of text that MCP and chat formats put around it. A text that is too long to be read
    to its end is not read as data."""
    blocks = result if isinstance(result, list) else [result]
    texts = [each["text"] for each in blocks if isinstance(each, dict) and _is_block(each)]
    found: list[object] = list(texts) if texts and len(texts) == len(blocks) else [result]
    if tool.answers in ("document", "page"):
        return found
    return [data_of(each) if isinstance(each, str) and len(each) <= longest else each for each in found]


def _is_block(value: Mapping[object, object]) -> bool:
    return value.get("type") == "text" and isinstance(value.get("text"), str)
