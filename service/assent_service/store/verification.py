"""Reading the whole log and checking all of it: every line alone, the chain of writes, every leaf index, every seal.

The rules of a line and of a segment are those of `event` and `segments`; this module puts the segments together. They
can be read by several processes at once, since each can be checked alone but for where it begins. What they found is
taken in the order of the log, so the first damage is what is told.
"""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from assent.proof.merkle import HASH_BYTES
from assent_service.store.coverage import Coverage
from assent_service.store.event import Event
from assent_service.store.failures import LogDamaged
from assent_service.store.recovery import check_seals
from assent_service.store.segments import (
    LogPlace,
    Seal,
    Verified,
    list_folder,
    missing,
    read_seal,
    seal_path,
    segment_path,
    verify,
    wrong_index,
)

SIGNING_KEYS: Final = "signing_key."
"""How the types of the events begin that say which keys sign."""

Progress = Callable[[int, int], object]
"""Told how many bytes are done, of how many in all."""


class Leaves(NamedTuple):
    """What a segment holds of one organization: the number of its first event there, where that line begins, and the
    leaf hashes, one after the other."""

    first: int
    offset: int
    hashes: bytes


class Checked(NamedTuple):
    """A segment that is right; `signing_keys` are the organization and payload of each event about one, `coverage` what
    is blank in it and what its erasures cover."""

    verified: Verified
    leaves: dict[str, Leaves]
    signing_keys: list[tuple[str, bytes]]
    coverage: Coverage


def verify_all(
    folder: Path,
    progress: Progress,
    end: LogPlace | None = None,
    *,
    processes: int = 1,
    each: Callable[[Checked], object] = lambda _: None,
    step: Callable[[], object] = lambda: None,
) -> int:
    """Check every line of every segment, every leaf index and every seal; the number of events.

    `end` is where a log that is being written is durable; without it, files are read to their ends. `each` is given
    what was found of each segment, in order. With one process `step` is called every few lines. Raises LogDamaged at
    the first thing that is not right.
    """
    listing = list_folder(folder)
    segments = [segment for segment in listing.segments if end is None or segment <= end.segment]
    if not segments:
        return 0
    check_seals(folder, listing)
    sizes = [segment_path(folder, segment).stat().st_size for segment in segments]
    if end is not None:
        sizes[-1] = end.offset
    counts: dict[str, int] = {}
    due, done, total = 1, 0, sum(sizes)

    def reach(at: int) -> None:
        progress(done + at, total)
        step()

    for segment, size, checked in _check_each(folder, list(zip(segments, sizes, strict=True)), processes, reach):
        if segment != due:
            raise missing(folder, due, segment)
        _check_seal(folder, checked.verified)
        _count(folder, segment, counts, checked.leaves)
        each(checked)
        due, done = checked.verified.seal.last_seq + 1, done + size
        progress(done, total)
    return due - 1


def check_segment(folder: Path, segment: int, end: int, step: Callable[[int], object] | None = None) -> Checked:
    """Check one segment up to byte `end`. Raises LogDamaged."""
    firsts: dict[str, tuple[int, int]] = {}
    hashes: dict[str, list[bytes]] = {}
    signing_keys: list[tuple[str, bytes]] = []
    coverage = Coverage(part=True)

    def take(event: Event) -> None:
        org_id = event.org
        if org_id not in firsts:
            firsts[org_id], hashes[org_id] = (event.n, event.offset), []
        leaves = hashes[org_id]
        if event.n != firsts[org_id][0] + len(leaves):
            raise wrong_index(folder, segment, event.offset, org_id, firsts[org_id][0] + len(leaves), event.n)
        leaves.append(event.leaf_hash)
        coverage.take(event)
        if event.type.startswith(SIGNING_KEYS) and event.data is not None:
            signing_keys.append((org_id, event.data))

    verified = verify(folder, segment, end=end, each=take, step=step)
    leaves = {org_id: Leaves(*first, b"".join(hashes[org_id])) for org_id, first in firsts.items()}
    return Checked(verified, leaves, signing_keys, coverage)


def _check_each(
    folder: Path, segments: list[tuple[int, int]], processes: int, reach: Callable[[int], object]
) -> Iterator[tuple[int, int, Checked]]:
    """First event, size, and what was found of each segment, in order."""
    if processes == 1 or len(segments) == 1:
        for segment, size in segments:
            yield segment, size, check_segment(folder, segment, size, reach)
        return
    # Not forked: whoever calls may have threads.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(processes, len(segments)), mp_context=context) as pool:
        coming = iter(segments)
        under_way: deque[tuple[int, int, Future[Checked]]] = deque()
        try:
            while True:
                for segment, size in islice(coming, 2 * processes - len(under_way)):
                    under_way.append((segment, size, pool.submit(check_segment, folder, segment, size)))
                if not under_way:
                    return
                segment, size, checked = under_way.popleft()
                yield segment, size, checked.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _check_seal(folder: Path, verified: Verified) -> None:
    segment = verified.seal.first_seq
    seal = read_seal(folder, segment)
    if seal is not None and not _fits(seal, verified):
        raise LogDamaged(seal_path(folder, segment), 0, 0, f"{verified.seal}, as the segment is", f"{seal}")


def _fits(seal: Seal, verified: Verified) -> bool:
    """Whether a segment whose lines were verified is what was sealed. When a body was erased since, the digest cannot
    fit any more, and the lines stand for themselves."""
    if verified.erased:
        return (seal.last_seq, seal.bytes) == (verified.seal.last_seq, verified.seal.bytes)
    return seal == verified.seal


def _count(folder: Path, segment: int, counts: dict[str, int], leaves: dict[str, Leaves]) -> None:
    """Advance `counts`, each organization's next `n`, by a segment that begins where they are."""
    for org_id, (first, offset, hashes) in leaves.items():
        due = counts.get(org_id, 0)
        if first != due:
            raise wrong_index(folder, segment, offset, org_id, due, first)
        counts[org_id] = due + len(hashes) // HASH_BYTES
