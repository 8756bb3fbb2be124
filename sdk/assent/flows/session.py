"""A session as its events add up: digests and labels, never contents.

    session = Session()
    session.fold(UserText(digests=tuple(digester.text("Pay Dora").all())))
    session.fold(Called(call=1))
    session.fold(fold_result(answer, call=1, ...))      # `assent.flows.results`
    session.fold(LabelPut(call=1, label="customer_data", by="pack"))

1. What the user said, what an operator approved, leaf values of results, and free text are four stores. A leaf and a
   word of free text keep the first call that answered them.
2. A label only grows: it is put on at a call, and holds from then on. An operator takes it off with a reason. That is
   an entry of its own and counts for what was put on up to it; the label is put on again by what comes after. Where
   entries have a `number`, that is their order, otherwise their call is: several of them may be of one call.
3. Stores are bounded. What is beyond a bound is not kept, and the session says for ever that it is not complete: then
   nothing but what the user said or an operator approved is known (`assent.flows.decide` asks about the rest). Where
   that has another cause than a bound, such as an erasure, whoever keeps the session says so (`lose`).
4. Events may be folded in any order, and twice: every store keeps the least call, every label the greatest. Only calls
   themselves count upwards.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from sys import intern
from typing import NamedTuple, TypeAlias

from assent.flows.digests import MASK, P, ValueDigest
from assent.flows.gaps import Gap

UNTRUSTED = "untrusted_seen"
"""Put on by free text that somebody outside may have written."""
LABEL = re.compile(r"[a-z][a-z0-9_]*(?::[a-z0-9_]+)?")
LONGEST_LABEL = 64
_COUNT, _GROUP = struct.Struct("<I"), struct.Struct("<IHI")


_NEAR = 0xD1B54A32D192ED03


def near(name: int, word: int) -> int:
    """The digest of a word that stands in one record with what the record is called by. It is kept beside those of free
    text, none of which it is."""
    return ((name ^ _NEAR) * P + word) & MASK


class FlowError(ValueError):
    """Something that a session or a pack cannot mean. The text says what, and what to do."""


class Bounds(NamedTuple):
    """How much a session keeps, in digests, and how much of one result is read."""

    user: int = 8_192
    leaves: int = 8_192
    free: int = 65_536
    labels: int = 64
    removals: int = 256
    characters: int = 200_000
    nodes: int = 50_000


BOUNDS = Bounds()


class UserText(NamedTuple):
    """What the user said: its words, parts and pairs."""

    digests: tuple[int, ...]
    complete: bool = True


class Called(NamedTuple):
    """A call that was allowed to run. Calls count from 1."""

    call: int


class Folded(NamedTuple):
    """What a call answered. `text` says that it held text of somebody else, `page` that it is what stands at an
    address outside; `complete` is False where a bound was met."""

    call: int
    tool: str = ""
    leaves: tuple[tuple[int, str], ...] = ()
    free: tuple[int, ...] = ()
    text: bool = False
    page: bool = False
    complete: bool = True
    number: int = 0


class LabelPut(NamedTuple):
    call: int
    label: str
    by: str
    number: int = 0


class LabelRemoved(NamedTuple):
    """An operator's, with the reason."""

    call: int
    label: str
    by: str
    reason: str
    number: int = 0


class Approved(NamedTuple):
    """Values that an operator has seen and approved, each for its uses (`assent.flows.provenance.approving`)."""

    digests: tuple[int, ...]


Event: TypeAlias = UserText | Called | Folded | LabelPut | LabelRemoved | Approved


class Label(NamedTuple):
    """The last entry that put it on, the last one that a removal covers, and the call of the first of these."""

    put: int
    removed: int = -1
    call: int = 0

    @property
    def holds(self) -> bool:
        return self.put > self.removed


class Leaf(NamedTuple):
    call: int
    field: str


class Carried(NamedTuple):
    """What a session carries, for a trace: labels that hold, the call that put each on last, those that an operator
    took off, and the tools of these calls."""

    labels: frozenset[str]
    label_calls: Mapping[str, int]
    removed: tuple[str, ...]
    tools: Mapping[int, str]


@dataclass(slots=True)
class Session:
    bounds: Bounds = BOUNDS
    calls: int = 0
    tools: dict[int, str] = field(default_factory=dict)
    """Of calls that answered something new."""
    pages: set[int] = field(default_factory=set)
    """Calls that answered what stands at an address outside, in a part of it at least."""
    user: set[int] = field(default_factory=set)
    approved: set[int] = field(default_factory=set)
    leaves: dict[int, Leaf] = field(default_factory=dict)
    free: dict[int, int] = field(default_factory=dict)
    labels: dict[str, Label] = field(default_factory=dict)
    removals: list[LabelRemoved] = field(default_factory=list)
    complete: bool = True
    lost: frozenset[Gap] = frozenset()
    """Why it is not complete, where a bound is not the cause."""
    _carried: Carried | None = field(default=None, init=False, repr=False, compare=False)
    """As it was worked out last; None once something was folded since."""

    def chose(self, value: ValueDigest) -> bool:
        """Whether the user said a word that an answer has in a record of this name, and not in more than half of its
        list."""
        free, names = self.free, [each for each in (value.whole, value.joined) if each is not None]
        return any(near(name, word) in free for name in names for word in self.user)

    def fold(self, event: Event) -> None:
        """Add one event. Raises FlowError for a label that is none, a removal without a reason or a call below 0."""
        self._carried = None
        match event:
            case UserText():
                # What was read of it is kept, also where that is not all.
                self.complete &= _add(self.user, event.digests, self.bounds.user) and event.complete
            case Approved():
                self.complete &= _add(self.approved, event.digests, self.bounds.user)
            case Called():
                _check_call(event.call)
                self.calls = max(self.calls, event.call)
            case Folded():
                self._fold_answer(event)
            case LabelPut():
                _check_call(event.call)
                check_label(event.label)
                self._put(event.label, event.call, event.number)
            case LabelRemoved():
                self._remove(event)

    def lose(self, why: Gap) -> None:
        """It is not complete from now on, for this cause."""
        self.complete = False
        self.lost = self.lost.union((why,))

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Why it is not complete; nothing where it is."""
        if self.complete:
            return ()
        return tuple(sorted(self.lost)) or ("unkept",)

    def holds(self, label: str) -> bool:
        found = self.labels.get(label)
        return found is not None and found.holds

    def held(self) -> frozenset[str]:
        return frozenset([name for name, label in self.labels.items() if label.put > label.removed])

    def text_call(self) -> int:
        """The call that answered the last text of somebody else; 0 for none that is kept."""
        found = self.labels.get(UNTRUSTED)
        return found.call if found is not None and found.holds else 0

    def has_earlier_words(self) -> bool:
        """Whether questions are worded as when calls were read by version 5."""
        return False

    def carried(self) -> Carried:
        """Nobody changes what is in it."""
        found = self._carried
        if found is None:
            calls = {name: label.call for name, label in sorted(self.labels.items()) if label.holds}
            tools = {number: self.tools[number] for number in sorted(set(calls.values())) if number in self.tools}
            found = self._carried = Carried(frozenset(calls), calls, self.removed(), tools)
        return found

    def removed(self) -> tuple[str, ...]:
        """Labels that an operator took off, and that nothing has put on again."""
        if not self.removals:
            return ()
        return tuple(sorted(name for name, label in self.labels.items() if -1 < label.put <= label.removed))

    def size(self, *, free: bool = True) -> int:
        """The bytes of its `image`, or of one without the free store."""
        return len(self.image() if free else replace(self, free={}).image())

    def image(self) -> bytes:
        """The session as bytes, the same for equal sessions: 8 for each digest, 10 for each group of digests that a
        call answered in one field, and names once."""
        names = sorted({leaf.field for leaf in self.leaves.values()} | set(self.tools.values()) | set(self.labels))
        numbers = {name: number for number, name in enumerate(names)}
        head: dict[str, object] = {
            "bounds": self.bounds,
            "calls": self.calls,
            "complete": self.complete,
            "names": names,
            "tools": [[call, numbers[tool]] for call, tool in sorted(self.tools.items())],
            "labels": [[numbers[name], *label] for name, label in sorted(self.labels.items())],
        }
        if self.bounds == BOUNDS:
            del head["bounds"]
        several: dict[str, list[int] | list[LabelRemoved] | list[Gap]] = {
            "pages": sorted(self.pages),
            "removals": sorted(self.removals),
            "lost": sorted(self.lost),
        }
        head |= {name: each for name, each in several.items() if each}
        leaves: dict[tuple[int, int], list[int]] = {}
        for digest, leaf in self.leaves.items():
            leaves.setdefault((leaf.call, numbers[leaf.field]), []).append(digest)
        texts: dict[tuple[int, int], list[int]] = {}
        for digest, call in self.free.items():
            texts.setdefault((call, 0), []).append(digest)
        words = json.dumps(head, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")
        stores = ({(0, 0): list(self.user)}, {(0, 0): list(self.approved)}, leaves, texts)
        return b"".join([_COUNT.pack(len(words)), words, *(_written(store) for store in stores)])

    @classmethod
    def from_image(cls, image: bytes) -> Session:
        """The session that an image is of. Raises FlowError for bytes that are none."""
        try:
            (length,) = _COUNT.unpack_from(image)
            head = json.loads(image[_COUNT.size : _COUNT.size + length].decode("utf-8", "surrogatepass"))
            at = _COUNT.size + length
            stores = []
            for _ in range(4):
                store, at = _read(image, at)
                stores.append(store)
            if at != len(image):
                raise FlowError("the image of a session has bytes behind its end")
            names, (user, approved, leaves, texts) = head["names"], stores
            return cls(
                bounds=Bounds(*head["bounds"]) if "bounds" in head else BOUNDS,
                calls=head["calls"],
                tools={call: names[number] for call, number in head["tools"]},
                pages=set(head.get("pages", ())),
                user={each for group in user.values() for each in group},
                approved={each for group in approved.values() for each in group},
                leaves={each: Leaf(call, names[number]) for (call, number), group in leaves.items() for each in group},
                free={each: call for (call, _), group in texts.items() for each in group},
                labels={names[number]: Label(*label) for number, *label in head["labels"]},
                removals=[LabelRemoved(*each) for each in head.get("removals", ())],
                complete=head["complete"],
                lost=frozenset(head.get("lost", ())),
            )
        except (struct.error, ValueError, KeyError, IndexError, TypeError) as error:
            if isinstance(error, FlowError):
                raise
            raise FlowError(f"these bytes are no image of a session ({type(error).__name__})") from None

    def _fold_answer(self, event: Folded) -> None:
        _check_call(event.call)
        self.complete &= event.complete
        if event.text:
            self._put(UNTRUSTED, event.call, event.number)
        leaves, free, call, new = self.leaves, self.free, event.call, False
        for digest, name in event.leaves:
            before = leaves.get(digest)
            if before is None and len(leaves) >= self.bounds.leaves:
                self.complete = False
                break
            leaf = Leaf(call, intern(name))
            if before is None or leaf < before:
                leaves[digest] = leaf
                new = True
        for digest in event.free:
            known = free.get(digest)
            if known is None and len(free) >= self.bounds.free:
                self.complete = False
                break
            if known is None or call < known:
                free[digest] = call
                new = True
        if new:
            # Of a call that brought nothing new nobody asks what it was.
            self.tools[call] = intern(event.tool)
        if event.page and event.free:
            # What one call answered may come in parts, of which a later one brings the text that is asked about.
            if call in self.pages or len(self.pages) < self.bounds.free:
                self.pages.add(call)
            else:
                self.complete = False

    def _put(self, name: str, call: int, number: int) -> None:
        label = self.labels.get(name)
        if label is None and len(self.labels) >= self.bounds.labels:
            raise FlowError(f"the session has {len(self.labels)} labels, which is the most; it gets no {name!r}")
        before, at = Label(-1) if label is None else label, number or call
        put, last = max((before.put, before.call), (at, call))
        self.labels[name] = Label(put, before.removed, last)

    def _remove(self, event: LabelRemoved) -> None:
        _check_call(event.call)
        check_label(event.label)
        if not event.reason.strip() or not event.by.strip():
            raise FlowError("a label is taken off by somebody with a reason; give both")
        if event in self.removals:
            return
        if len(self.removals) >= self.bounds.removals:
            raise FlowError(f"the session has {len(self.removals)} removals, which is the most; begin another session")
        self.removals.append(event)
        label = self.labels.get(event.label, Label(-1))
        self.labels[event.label] = label._replace(removed=max(label.removed, event.number or event.call))


def check_label(label: str, declared: Collection[str] | None = None) -> None:
    """Raises FlowError for a text that names no label, or none of those `declared`."""
    if len(label) > LONGEST_LABEL or not LABEL.fullmatch(label):
        raise FlowError(f"{label[:80]!r} is no label; write small letters, digits and underscores, as in customer_data")
    if declared is not None and label not in declared:
        known = ", ".join(sorted(declared))
        raise FlowError(
            f"nobody declared the label {label!r}; the pack declares {known}, and others are declared in `pack.labels` "
            "of a flow policy's rules"
        )


def _check_call(call: int) -> None:
    if call < 0:
        raise FlowError(f"call is {call}; calls count from 1, and 0 is before the first")


def _add(store: set[int], digests: tuple[int, ...], most: int) -> bool:
    """Whether all of them are in the store now."""
    if len(store) + len(digests) <= most:
        store.update(digests)
        return True
    for digest in digests:
        if digest not in store and len(store) >= most:
            return False
        store.add(digest)
    return True


def _written(store: Mapping[tuple[int, int], list[int]]) -> bytes:
    """Groups of digests, each with its call, the number of its field and how many they are."""
    found = [_COUNT.pack(len(store))]
    for (call, number), digests in sorted(store.items()):
        found += [_GROUP.pack(call, number, len(digests)), struct.pack(f"<{len(digests)}Q", *sorted(digests))]
    return b"".join(found)


def _read(image: bytes, at: int) -> tuple[dict[tuple[int, int], tuple[int, ...]], int]:
    """A store, and where it ends."""
    (groups,) = _COUNT.unpack_from(image, at)
    at += _COUNT.size
    found: dict[tuple[int, int], tuple[int, ...]] = {}
    for _ in range(groups):
        call, number, many = _GROUP.unpack_from(image, at)
        at += _GROUP.size
        found[call, number] = struct.unpack_from(f"<{many}Q", image, at)
        at += 8 * many
    return found, at
