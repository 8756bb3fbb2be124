"""`assent log copy`: the evidence log and what lies beside it, from one place to another, byte for byte.

A place is a data folder or a database. What is copied are the lines of the log (numbers, hashes, salts, erased bodies),
signed heads, sealed signing keys, files of messages and stored proofs. Tables and trees are folds and are made anew.
Keys that open something (`admin.key`, `wallet.key`, `webhooks.key`, `flows.key`) are not copied: they are named, for
somebody to carry over.

1. The target is empty, or holds the beginning of the source; every line that it has is compared before anything is
   written. So whoever was interrupted goes on by running it again, and a second copy is brought up to date in the same
   way.
2. Bodies that were erased in the source since are erased in the target. Files and proofs that are gone are removed.
3. At the end everything is read again from both places: each line is the same, each is right in itself, and each
   organization's tree has the same root. Until then a database that is copied to serves nobody.

No service may be running on a folder, unless it is read as one that is in use (`backup`): then the copy is of a moment,
as it is from a database that others append to. An erasure during the copy reaches the target when it is run again.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from itertools import islice
from pathlib import Path
from secrets import token_hex
from typing import Final, NamedTuple, Protocol, Self

from msgspec import Struct

from assent.proof.merkle import node_hash
from assent_service.store.audit import find_end
from assent_service.store.blanking import Blanker, LogLine
from assent_service.store.event import LineError, decode
from assent_service.store.failures import LogError
from assent_service.store.files import FILES
from assent_service.store.folder_version import check_version, record_version
from assent_service.store.heads import list_heads, read_head
from assent_service.store.lock import FolderLock
from assent_service.store.log_file import LogFile
from assent_service.store.objects import BUNDLE, FILE, HEAD, KEY
from assent_service.store.segments import LogPlace, list_folder, scan, segment_path, stream

KEPT: Final = (HEAD, KEY)
"""Those that are never removed."""
UNFINISHED = re.compile(r"\.[0-9a-f]{16}\.part$")
"""How the name of an object ends that is not whole yet."""
LEFT: Final = ("admin.key", "wallet.key", "webhooks.key", "flows.key", "assent.toml")
AT_ONCE: Final = 2000
"""Lines of a write to the target, or as many more as the last write has."""
_named = re.compile(r"[A-Za-z0-9_:\-][A-Za-z0-9_.:\-]{0,250}").fullmatch

Progress = Callable[[int, int], object]


class CopyRefused(LogError):
    """The places are not such that one can be copied to the other; nothing was changed."""


class CopyFailed(LogError):
    """What was copied is not what the source has."""


class SourceChanged(CopyRefused):
    """Something of the source was removed while it was copied; what is in the target is a beginning, to go on from."""

    passing = True


class ObjectName(NamedTuple):
    """An object beside the log: one of the kinds above, and a name that begins with the organization."""

    kind: str
    name: str


class Copied(Struct, frozen=True):
    """`events` are all that the target has, `before` those that it had; `objects` are counts by kind; `left` are
    files of the source that somebody has to carry over."""

    source: str
    target: str
    events: int
    before: int
    organizations: int
    objects: dict[str, int]
    left: list[str]
    seconds: float


class CopySource(Protocol):
    @property
    def shown(self) -> str: ...
    @property
    def left(self) -> list[str]: ...
    def head(self) -> int: ...
    def lines(self, after: int, up_to: int) -> Iterator[bytes]: ...
    def objects(self) -> list[ObjectName]: ...
    def get(self, name: ObjectName) -> bytes: ...


class CopyTarget(CopySource, Protocol):
    def begin(self) -> None:
        """Something is about to be changed: nobody may serve from it."""

    def append(self, writes: Sequence[tuple[int, bytes]]) -> None:
        """Whole writes, each with its last seq; durably, all or a beginning of them."""

    def blank(self, seqs: Sequence[int]) -> None: ...
    def put(self, name: ObjectName, content: bytes) -> None: ...
    def remove(self, name: ObjectName) -> None: ...
    def end(self) -> None:
        """All of it is there and verified."""


def run(source: str, target: str, progress: Progress = lambda _done, _total: None, *, in_use: bool = False) -> Copied:
    """Copy from one to the other; each is a folder or `postgresql://...`. `progress` gets events done and in all, where
    copying and verifying one count as two. `in_use` says that the source is a folder on which a service may be running.

    Raises CopyRefused before anything is changed, SourceChanged, CopyFailed, and what opening the places raises.
    """
    began = time.monotonic()
    with ExitStack() as opened:
        origin: CopySource = opened.enter_context(FolderInUse(Path(source)) if in_use else _place(source, new=False))
        goal = opened.enter_context(_place(target, new=True))
        # Before the head is read: what a head signs must be among the lines.
        objects = origin.objects()
        head, before = origin.head(), goal.head()
        blank = _compare(origin, goal, head, before, progress)
        _compare_objects(origin, goal, objects)
        goal.begin()
        goal.blank(blank)
        _copy_lines(origin, goal, before, head, progress)
        _copy_objects(origin, goal, objects)
        organizations = _verify(origin, goal, head, progress)
        _compare_objects(origin, goal, objects, whole=True)
        goal.end()
        counts = {kind: sum(each.kind == kind for each in objects) for kind in (HEAD, KEY, FILE, BUNDLE)}
        seconds = time.monotonic() - began
        return Copied(origin.shown, goal.shown, head, before, organizations, counts, origin.left, seconds)


def follow(source: Path, target: Path) -> int:
    """Copy what a folder in use has recorded since the last copy to `target`, and all that lies beside the log; how
    many events the target has then. The lines before are not looked at again.

    Raises as `run` does.
    """
    with FolderInUse(source) as origin, FolderPlace(target, new=True) as goal:
        head, objects = origin.head(), origin.objects()
        _compare_objects(origin, goal, objects)
        _copy_lines(origin, goal, goal.head(), head, lambda _done, _total: None)
        _copy_objects(origin, goal, objects)
        return head


def _place(text: str, *, new: bool) -> AbstractContextManager[CopyTarget]:
    if text.startswith(("postgresql://", "postgres://")):
        from assent_service.store.postgresql.database_place import DatabasePlace

        return DatabasePlace(text, target=new)
    return FolderPlace(Path(text), new=new)


def _compare(source: CopySource, target: CopyTarget, head: int, before: int, progress: Progress) -> list[int]:
    """That the target is the beginning of the source; which of its bodies the source has erased since."""
    if before > head:
        raise CopyRefused(f"{target.shown} has {before} events and {source.shown} {head}: it is not a beginning of it")
    blank: list[int] = []
    pairs = zip(source.lines(0, before), target.lines(0, before), strict=True)
    for seq, (theirs, ours) in enumerate(pairs, 1):
        if theirs != ours:
            if not _erased_since(theirs, ours):
                raise CopyRefused(
                    f"event {seq} of {target.shown} is not that of {source.shown}: the target must be empty or a "
                    "beginning of the source; nothing was changed"
                )
            blank.append(seq)
        if seq % AT_ONCE == 0:
            progress(seq, 2 * head)
    return blank


def _erased_since(theirs: bytes, ours: bytes) -> bool:
    """Whether the lines are the same but for a body that is blank in the first."""
    *start, body = theirs.split(b" ", 4)
    *others, other = ours.split(b" ", 4)
    return start == others and len(body) == len(other) and not body.strip()


def _copy_lines(source: CopySource, target: CopyTarget, before: int, head: int, progress: Progress) -> None:
    writes = _writes(source.lines(before, head))
    while chunk := _chunk(writes):
        target.append(chunk)
        progress(chunk[-1][0], 2 * head)
    if target.head() != head:
        raise CopyFailed(f"{source.shown} ends inside a write, at event {head}")


def _writes(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """The lines put together to whole writes, each with its last seq."""
    waiting: list[bytes] = []
    for line in lines:
        waiting.append(line)
        seq, batch, _ = line.split(b" ", 2)
        first, _, size = batch.partition(b"+")
        if int(seq) == int(first) + int(size) - 1:
            yield int(seq), b"".join(waiting)
            waiting = []


def _chunk(writes: Iterator[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
    chunk: list[tuple[int, bytes]] = []
    first = None
    for each in writes:
        first = each[0] if first is None else first
        chunk.append(each)
        if each[0] - first >= AT_ONCE:
            break
    return chunk


def _compare_objects(
    source: CopySource, target: CopyTarget, objects: Sequence[ObjectName], *, whole: bool = False
) -> None:
    """That what the target has beside the log is what the source has; with `whole` that it has all of it."""
    there = set(target.objects())
    for each in objects:
        if each in there:
            if source.get(each) != target.get(each):
                raise CopyRefused(f"{each.kind} {each.name} of {target.shown} is not that of {source.shown}")
        elif whole:
            raise CopyFailed(f"{each.kind} {each.name} did not arrive in {target.shown}")
    for each in there.difference(objects):
        if each.kind in KEPT or whole:
            raise CopyRefused(f"{target.shown} has {each.kind} {each.name}, and {source.shown} has not")


def _copy_objects(source: CopySource, target: CopyTarget, objects: Sequence[ObjectName]) -> None:
    there = set(target.objects())
    for each in objects:
        if each not in there:
            target.put(each, source.get(each))
    for each in sorted(there.difference(objects)):
        target.remove(each)


def _verify(source: CopySource, target: CopyTarget, head: int, progress: Progress) -> int:
    """Read both places again; the number of organizations. Raises CopyFailed."""
    theirs, ours = Roots(), Roots()
    late: list[int] = []
    pairs = zip(source.lines(0, head), target.lines(0, head), strict=True)
    for seq, (original, line) in enumerate(pairs, 1):
        if original != line:
            if not _erased_since(original, line):
                raise CopyFailed(f"event {seq} of {target.shown} is not that of {source.shown}")
            late.append(seq)
        try:
            theirs.take(original, seq)
            ours.take(line, seq)
        except LineError as error:
            raise CopyFailed(f"event {seq} of {target.shown}: {error}") from None
        if seq % AT_ONCE == 0:
            progress(head + seq, 2 * head)
    if theirs.roots() != ours.roots():
        raise CopyFailed(f"the trees of {target.shown} are not those of {source.shown}")
    target.blank(late)
    progress(2 * head, 2 * head)
    return len(ours.roots())


class Roots:
    """The tree of each organization, of which only what the root needs is held."""

    def __init__(self) -> None:
        self._rows: dict[str, list[tuple[int, bytes]]] = {}
        self._sizes: dict[str, int] = {}

    def take(self, line: bytes, seq: int) -> tuple[str, int]:
        """The next line, which is verified: its organization, and how many leaves that has now. Raises LineError."""
        event = decode(line, 0, 0)
        if (event.seq, event.n) != (seq, self._sizes.get(event.org, 0)):
            raise LineError("numbers", (seq, self._sizes.get(event.org, 0)), (event.seq, event.n))
        self._sizes[event.org] = event.n + 1
        row = self._rows.setdefault(event.org, [])
        level, node = 0, event.leaf_hash
        while row and row[-1][0] == level:
            node = node_hash(row.pop()[1], node)
            level += 1
        row.append((level, node))
        return event.org, event.n + 1

    def root(self, org_id: str) -> bytes:
        """Of an organization that had a line."""
        row = self._rows[org_id]
        root = row[-1][1]
        for _, node in row[-2::-1]:
            root = node_hash(node, root)
        return root

    def roots(self) -> dict[str, bytes]:
        return {org_id: self.root(org_id) for org_id in self._rows}


class FolderPlace:
    """A data folder, which is owned from entering to leaving. `new` may be missing or empty."""

    def __init__(self, home: Path, *, new: bool) -> None:
        self._home, self._new = home, new
        self.shown = str(home)

    def __enter__(self) -> Self:
        if not self._new and not (self._home / "log").is_dir():
            raise CopyRefused(f"there is no data folder {self._home}, or no log in it")
        self._lock = FolderLock.take(self._home)
        try:
            self._log = LogFile.open(self._home)
            self._heads: dict[ObjectName, bytes] = {}
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._log.close()
        self._lock.release()

    @property
    def left(self) -> list[str]:
        return _left(self._home)

    def head(self) -> int:
        return self._log.head

    def lines(self, after: int, up_to: int) -> Iterator[bytes]:
        return _lines(self._log.folder, self._log.end, after, up_to)

    def objects(self) -> list[ObjectName]:
        self._heads = _heads(self._home)
        return sorted([*self._heads, *_files(self._home)])

    def get(self, name: ObjectName) -> bytes:
        return self._heads[name] if name.kind == HEAD else _path(self._home, name).read_bytes()

    def begin(self) -> None:
        """The lock says already that nobody else serves from it. What a copy that was killed had not finished goes."""
        for folder in ("wallet", "blobs", "bundles"):
            for path in (self._home / folder).rglob("*.part"):
                if UNFINISHED.search(path.name):
                    path.unlink()

    def append(self, writes: Sequence[tuple[int, bytes]]) -> None:
        self._log.append(writes)

    def blank(self, seqs: Sequence[int]) -> None:
        if not seqs:
            return
        wanted = set(seqs)
        lines = [
            LogLine(event.segment, event.offset, event.length, event.leaf_hash.hex())
            for event in stream(self._log.folder, LogPlace(1, 0), self._log.end)
            if event.seq in wanted
        ]
        Blanker(self._home).blank(lines)

    def put(self, name: ObjectName, content: bytes) -> None:
        path = _path(self._home, name)
        for folder in reversed([each for each in path.parents if each.is_relative_to(self._home)]):
            if not folder.is_dir():
                folder.mkdir(mode=0o700)
                FILES.sync_folder(folder.parent)
        if name.kind == HEAD:
            _write(path, content + b"\n", FILES.open_append(path, create=True))
            self._heads[name] = content
        else:
            unfinished = path.with_name(f"{path.name}.{token_hex(8)}.part")
            _write(unfinished, content, FILES.open_append(unfinished, create=True))
            unfinished.replace(path)
        FILES.sync_folder(path.parent)

    def remove(self, name: ObjectName) -> None:
        _path(self._home, name).unlink(missing_ok=True)

    def end(self) -> None:
        record_version(self._home, history=False)


class FolderInUse:
    """A data folder on which a service may be running, as it is at one moment. Nothing is written to it.

    Heads are read first: what they sign is among the lines. Then the end of the log is found, at a border between
    writes, and made durable, so that the copy never has more than the log keeps. The other objects come last: files of
    messages that are among the lines are there.
    """

    def __init__(self, home: Path) -> None:
        self._home, self._folder = home, home / "log"
        self.shown = str(home)

    def __enter__(self) -> Self:
        if not self._folder.is_dir():
            raise CopyRefused(f"there is no data folder {self._home}, or no log in it")
        check_version(self._home)
        self._heads = _heads(self._home)
        self._end, _ = find_end(self._folder)
        self._head = self._sync()
        self._objects = sorted([*self._heads, *_files(self._home)])
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is held."""

    def _sync(self) -> int:
        """Make the lines up to the end durable, and say which event is the last."""
        segment, offset = self._end
        descriptor = os.open(segment_path(self._folder, segment), os.O_RDONLY | os.O_CLOEXEC)
        try:
            FILES.fsync(descriptor)
            size = FILES.size(descriptor)
        finally:
            FILES.close(descriptor)
        if size < offset:
            raise SourceChanged(f"the last write of {self.shown} could not be kept and was cut off; run it again")
        head = segment - 1
        for event in scan(self._folder, segment, 0, offset):
            head = event.seq
        return head

    @property
    def left(self) -> list[str]:
        return _left(self._home)

    def head(self) -> int:
        return self._head

    def lines(self, after: int, up_to: int) -> Iterator[bytes]:
        return _lines(self._folder, self._end, after, up_to)

    def objects(self) -> list[ObjectName]:
        return self._objects

    def get(self, name: ObjectName) -> bytes:
        if name.kind == HEAD:
            return self._heads[name]
        try:
            return _path(self._home, name).read_bytes()
        except FileNotFoundError:
            raise SourceChanged(
                f"{name.kind} {name.name} of {self.shown} was removed meanwhile; run it again"
            ) from None


def _left(home: Path) -> list[str]:
    return [name for name in LEFT if (home / name).exists()]


def _lines(folder: Path, end: LogPlace, after: int, up_to: int) -> Iterator[bytes]:
    first = max((each for each in list_folder(folder).segments if each <= after + 1), default=1)
    for event in islice(stream(folder, LogPlace(first, 0), end), after + 1 - first, up_to + 1 - first):
        yield b"%d %d+%d %b %b %b\n" % (
            *(event.seq, event.batch, event.batch_size),
            *(event.leaf_hash.hex().encode(), event.header, event.body),
        )


def _heads(home: Path) -> dict[ObjectName, bytes]:
    return {
        ObjectName(HEAD, f"{org}/{name}"): line
        for org, path in list_heads(home).items()
        for name, line in _named_heads(path)
    }


def _files(home: Path) -> list[ObjectName]:
    """Every object but the heads."""
    return [
        *(ObjectName(KEY, f"{path.parent.name}/{path.stem}") for path in (home / "wallet").glob("*/*.key")),
        *(
            ObjectName(FILE, f"{path.parent.name}/{path.name}")
            for path in (home / "blobs").glob("*/*")
            if path.suffix != ".part"
        ),
        *(
            ObjectName(BUNDLE, f"{path.parent.parent.name}/{path.name}")
            for path in (home / "bundles").glob("*/*/*.json")
        ),
    ]


def _path(home: Path, name: ObjectName) -> Path:
    """Where the object lies. What a database calls it must not lead out of the folder."""
    org, _, rest = name.name.partition("/")
    if not _named(org) or not _named(rest):
        raise CopyRefused(f"{name.kind} {name.name!r} has no name that a folder can have")
    match name.kind:
        case "head":
            return home / "heads" / f"{org}.jsonl"
        case "key":
            return home / "wallet" / org / f"{rest}.key"
        case "file":
            return home / "blobs" / org / rest
        case "bundle":
            return home / "bundles" / org / rest[:2] / rest
        case _:
            pass
    raise CopyRefused(f"{name.kind} is no kind of object that a folder has")


def _named_heads(path: Path) -> Iterator[tuple[str, bytes]]:
    """Each line of a file of heads, named by its size; one of the same size as another gets a second number. Names are
    in the order of the lines, since sizes never fall."""
    before, again, at = -1, 0, 0
    content = path.read_bytes()
    # What a torn write has left behind the last newline is no head.
    for line in content.split(b"\n")[:-1]:
        size = read_head(path, line, at).size
        again = again + 1 if size == before else 0
        yield f"{size:020d}" + (f".{again:06d}" if again else ""), line
        before, at = size, at + len(line) + 1


def _write(path: Path, content: bytes, descriptor: int) -> None:
    try:
        left = memoryview(content)
        while left:
            left = left[FILES.write(descriptor, left) :]
        FILES.fsync(descriptor)
    finally:
        FILES.close(descriptor)
