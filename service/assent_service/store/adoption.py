"""`assent log adopt`: going on after a restore, knowing that what was recorded later may be gone.

A service that finds its folder restored, or a signed head that its log does not hold, records and decides as ever, and
signs nothing (`Wallet`). Whoever has looked says so here: heads that the log does not hold are put aside, and a note is
left. The next start ends the signing keys with the note as the reason, which is recorded, and signs with new ones.

In a replica's folder those are the heads that the folder has seen and its database lost, and with them goes the event
that its copy ended with (`noted_heads`).

What is done here can be interrupted at any byte and done again.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from assent.contract.prepared import prepared
from assent_service.store.audit import NamedHead
from assent_service.store.audit_heads import SignedHead, head_of_note
from assent_service.store.backup_mark import BackupMark, read_mark, remove_mark
from assent_service.store.copying import FolderPlace, Roots
from assent_service.store.event import decode
from assent_service.store.failures import LogError
from assent_service.store.files import FILES, Files
from assent_service.store.heads import FOLDER, list_heads
from assent_service.store.noted_heads import LostEvent, forget_lost, read_lost, read_noted, strike_off
from assent_service.store.objects import HEAD
from assent_service.store.replica_folder import MARK as REPLICA

FILE: Final = "adopting"
"""The note for the next start."""
ASIDE: Final = "lost-heads"


class AdoptionRefused(LogError):
    """There is nothing to adopt, or it cannot be said what; nothing was changed."""


class LostHead(Struct, frozen=True, kw_only=True):
    """The greatest head of an organization that this log does not hold."""

    size: int
    root: str
    signed_at: datetime


class Adoption(Struct, frozen=True, kw_only=True):
    """The log as it was adopted: its events, the moment of the backup, if it came from one that says so, what was
    signed beyond it, by organization, and the last event that a replica had read and its database has lost."""

    events: int
    restored_from: datetime | None
    adopted_at: datetime
    lost: dict[str, LostHead]
    lost_event: int | None = None

    def reason(self, org_id: str) -> str:
        """Why the organization's key ends, in a sentence that is published with it."""
        since = "" if self.restored_from is None else f", from a backup of {_moment(self.restored_from)}"
        said = f"The log was restored to event {self.events}{since}; what was recorded later may be gone."
        if self.lost_event is not None:
            said += f" Event {self.lost_event}, as a service had read it, is not of it."
        head = self.lost.get(org_id)
        if head is not None:
            said += f" A head of {head.size} events, root {head.root}, signed {_moment(head.signed_at)}, is not of it."
        return said


TO_DO: Final = (
    "Look whether a newer copy or a newer signed head exists; if not, stop the service, run `assent log adopt` and "
    "start it again. Everything else works meanwhile."
)


def restored(mark: BackupMark) -> str:
    """Why a service on a folder with this mark signs nothing."""
    if not mark.finished or mark.taken_at is None:
        return "This data folder is a backup that was not finished. Put a finished one in its place."
    return (
        f"This data folder was restored from the backup of {_moment(mark.taken_at)}, event {mark.events}: what was "
        f"recorded and signed later may be gone. {TO_DO}"
    )


def history_lost(events: Sequence[LostEvent]) -> str:
    """Why a replica whose folder has noted these signs nothing."""
    return (
        f"This service had read event {max(each.seq for each in events)}, and the log in the database does not hold "
        "it: it was restored to an earlier moment. What any service has signed about it is of a history that is gone. "
        f"{TO_DO}"
    )


def adopt(home: Path, kept: Sequence[NamedHead] = (), now: datetime | None = None) -> Adoption:
    """Take the log in `home`, which nobody else may own, for what there is. `kept` are heads that others hold.

    Raises AdoptionRefused, what opening the folder raises, and OSError.
    """
    with FolderPlace(home, new=False) as place:
        mark = read_mark(home)
        if mark is not None and not mark.finished:
            raise AdoptionRefused(
                f"{home} is a backup that was not finished: run `assent backup` to its end, or take another copy"
            )
        replica = (home / REPLICA).exists()
        if replica and kept:
            raise AdoptionRefused(
                f"{home} is a replica's, whose copy of the log may be behind: leave out --head, and hold the head "
                "against the log with `assent log verify --head`"
            )
        # Of an organization, in the order of their sizes; the kept ones are nobody's file. A replica's heads are its
        # database's, but for those that its folder has seen before.
        found = read_noted(home) if replica else []
        stored = [(each.org_id, each.line) for each in found]
        if not replica:
            stored = [(each.name.partition("/")[0], place.get(each)) for each in place.objects() if each.kind == HEAD]
        heads = [(_head(f"heads/{org}.jsonl", line.decode("utf-8", "replace")), line) for org, line in stored]
        given = [_head(name, text) for name, text in kept]
        held = _held(place, [*(head for head, _ in heads), *given])
        lost = [head for head, _ in heads if not held[head.org_id, head.checkpoint.size, head.checkpoint.root]]
        lost += [head for head in given if not held[head.org_id, head.checkpoint.size, head.checkpoint.root]]
        before = read_adoption(home)
        events = read_lost(home) if replica else []
        if any(_copied(place, each) for each in events):
            raise AdoptionRefused(
                f"the copy of the log in {home} is still the one of before: start the service, which makes it anew, "
                "stop it and run `assent log adopt` again"
            )
        if mark is None and not lost and not events and before is None:
            raise AdoptionRefused(
                f"there is nothing to adopt in {home}: it is no restored backup, and its log holds every head that is "
                "stored or was given with --head"
            )
        adoption = _adoption(place.head(), mark, lost, events, before, now or datetime.now(UTC))
        _write(home / FILE, msgspec.json.encode(adoption) + b"\n")
        _put_aside(home, [(head.org_id, line) for head, line in heads if head in lost])
        if replica:
            for each in found:
                strike_off(home, each)
            forget_lost(home)
            shutil.rmtree(home / FOLDER, ignore_errors=True)
        if mark is not None:
            remove_mark(home)
    return adoption


def read_adoption(home: Path) -> Adoption | None:
    """The note that `adopt` has left, None where there is none. Raises AdoptionRefused, and OSError."""
    try:
        text = (home / FILE).read_bytes()
    except FileNotFoundError:
        return None
    try:
        return msgspec.json.decode(text, type=prepared(Adoption))
    except (msgspec.MsgspecError, ValueError) as error:
        raise AdoptionRefused(
            f"{home / FILE} cannot be read: {text[:60]!r} ({error}). Remove it, and run `assent log adopt` again."
        ) from None


def end_adoption(home: Path, files: Files = FILES) -> None:
    """It is recorded: take the note away. Harmless where there is none."""
    (home / FILE).unlink(missing_ok=True)
    files.sync_folder(home)


def _head(name: str, text: str) -> SignedHead:
    try:
        return head_of_note(name, text)
    except ValueError as error:
        raise AdoptionRefused(f"{name} is no signed head: {error}") from None


def _held(place: FolderPlace, heads: Sequence[SignedHead]) -> dict[tuple[str, int, bytes], bool]:
    """Which of the heads the log holds, each at its size."""
    wanted = {(head.org_id, head.checkpoint.size) for head in heads}
    roots, found = Roots(), dict[tuple[str, int], bytes]()
    for seq, line in enumerate(place.lines(0, place.head()), 1):
        org, size = roots.take(line, seq)
        if (org, size) in wanted:
            found[org, size] = roots.root(org)
    return {
        (head.org_id, head.checkpoint.size, head.checkpoint.root): found.get((head.org_id, head.checkpoint.size))
        == head.checkpoint.root
        for head in heads
    }


def _copied(place: FolderPlace, event: LostEvent) -> bool:
    """Whether the copy holds it."""
    if event.seq > place.head():
        return False
    (line,) = place.lines(event.seq - 1, event.seq)
    return decode(line, 1, 0).leaf_hash == event.leaf


def _adoption(
    events: int,
    mark: BackupMark | None,
    lost: Sequence[SignedHead],
    lost_events: Sequence[LostEvent],
    before: Adoption | None,
    now: datetime,
) -> Adoption:
    greatest = dict(before.lost) if before is not None else {}
    for head in lost:
        known = greatest.get(head.org_id)
        if known is None or known.size <= head.checkpoint.size:
            at = head.checkpoint
            greatest[head.org_id] = LostHead(size=at.size, root=at.root.hex(), signed_at=at.signed_at)
    since = mark.taken_at if mark is not None else before.restored_from if before is not None else None
    numbers = [each.seq for each in lost_events]
    if before is not None and before.lost_event is not None:
        numbers.append(before.lost_event)
    return Adoption(
        events=events, restored_from=since, adopted_at=now, lost=greatest, lost_event=max(numbers, default=None)
    )


def _put_aside(home: Path, lost: Sequence[tuple[str, bytes]]) -> None:
    """Move these lines of the heads' files to files of the same names beside them. One may be there twice after an
    interruption, and is never in neither."""
    paths = list_heads(home)
    for org_id in sorted({org_id for org_id, _ in lost}):
        gone = [line for each, line in lost if each == org_id]
        aside = home / ASIDE / f"{org_id}.jsonl"
        if not aside.parent.is_dir():
            aside.parent.mkdir(mode=0o700)
            FILES.sync_folder(home)
        before = aside.read_bytes() if aside.exists() else b""
        _write(aside, before + b"".join(line + b"\n" for line in gone))
        if org_id in paths:
            lines = [line for line in paths[org_id].read_bytes().split(b"\n")[:-1] if line not in gone]
            _write(home / FOLDER / f"{org_id}.jsonl", b"".join(line + b"\n" for line in lines))


def _write(path: Path, content: bytes) -> None:
    """Whole or not at all, durably."""
    draft = path.with_name(f"{path.name}.new")
    draft.unlink(missing_ok=True)
    descriptor = FILES.open_append(draft, create=True)
    try:
        left = memoryview(content)
        while left:
            left = left[FILES.write(descriptor, left) :]
        FILES.fsync(descriptor)
    finally:
        FILES.close(descriptor)
    draft.replace(path)
    FILES.sync_folder(path.parent)


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
