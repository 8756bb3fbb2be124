"""A whole data folder checked: the log against itself, and everything that says what the log is against the log.

The checks, by name:

- `log`: every line (its numbers, its leaf hash, the digest of its body), every write, every leaf index, every seal; and
  that an erasure covers every body that is blank (`coverage`).
- `last_write`: the file ends where a write ends. When it does not, a power loss tore the last write, or it was changed:
  the bytes cannot tell, so this fails. Where a service is writing meanwhile it is looked at again until the write is
  whole; the log is checked as far as it then goes. Everything before is checked in any case.
- `trees`: the stored trees are what the log gives. They may be shorter: the rest is made when it is needed.
- `heads`: every signed head that is stored is the log's (`audit_heads` has the rules).
- `head <name>`: a head that somebody kept is the log's. This is what shows a log that was truncated, rewritten or
  forked by whoever owns the folder; all else in it can be made to fit.

Nothing is written, and the folder's lock is not taken. Heads and trees are read before the log is listed: they follow
it, so what they say must be there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import Struct

from assent.contract.evidence.proofs import CheckStatus
from assent_service.store.audit_heads import AuditedKeys, SignedHead, head_of_note, heads_on_disk, judge, summary
from assent_service.store.audit_trees import AuditedTrees, list_trees
from assent_service.store.coverage import Coverage
from assent_service.store.failures import LogDamaged
from assent_service.store.recovery import Recovered, examine
from assent_service.store.segments import JOURNAL, LogPlace, list_folder, missing, segment_path, stream
from assent_service.store.tree import FOLDER
from assent_service.store.verification import Checked, Progress, verify_all

LOOKS: Final = 20
"""How often a last write that is not whole is looked at again, before it counts as torn."""
BETWEEN: Final = 0.05  # seconds
_ERASING: Final = ". An erasure is under way or was interrupted: check again in a moment, or start the service once"
_UNREAD: Final = "not checked, since the log is damaged"


class AuditCheck(Struct, frozen=True):
    name: str
    status: CheckStatus
    detail: str


class Audit(Struct, frozen=True, kw_only=True):
    """What was found; `events` and `bytes` of the log were checked."""

    home: str
    ok: bool
    events: int
    bytes: int
    organizations: int
    checks: list[AuditCheck]


class NamedHead(NamedTuple):
    """A note that somebody kept, and what it is called."""

    name: str
    text: str


def audit(
    home: Path,
    *,
    kept: Sequence[NamedHead] = (),
    end: Callable[[], LogPlace] | None = None,
    processes: int = 1,
    progress: Progress = lambda _done, _total: None,
    step: Callable[[], object] = lambda: None,
    pause: Callable[[float], object] = time.sleep,
) -> Audit:
    """Check the data folder `home`. `end` says where its log is durable, for who knows; `step` is called every few
    lines when there is one process.

    What is wrong is in the answer; only OSError is raised, when something cannot be read, and what `step` raises.
    """
    folder = home / "log"
    heads, bad_heads = heads_on_disk(home)
    asked, bad_asked = _read_notes(kept)
    every = [*heads, *asked.values()]
    wanted = [(head.org_id, head.checkpoint.size) for head in every]
    trees, keys = AuditedTrees(home / FOLDER, list_trees(home / FOLDER), wanted, step), AuditedKeys()
    coverage, read, erased = Coverage(), 0, 0

    def take(checked: Checked) -> None:
        nonlocal read, erased
        trees.take(checked)
        keys.take(checked.signing_keys)
        coverage.join(checked.coverage)
        read, erased = read + checked.verified.seal.bytes, erased + checked.verified.erased

    torn: Recovered | None = None
    try:
        durable, torn = find_end(folder, pause) if end is None else (end(), None)
        events = verify_all(folder, progress, durable, processes=processes, each=take, step=step)
        if coverage.bare:
            # Erasures that were recorded meanwhile cover lines that were read after they were carried out.
            later = find_end(folder, pause)[0] if end is None else end()
            for event in stream(folder, durable, later):
                coverage.uncover(event)
                step()
        coverage.check(folder)
    except LogDamaged as bad:
        others = ["last_write", "trees", "heads", *(_head(each.name) for each in kept)]
        checks = [
            AuditCheck("log", CheckStatus.FAIL, _where(bad) + (_ERASING if (home / JOURNAL).exists() else "")),
            *(AuditCheck(name, CheckStatus.NOT_CHECKED, _UNREAD) for name in others),
        ]
        events = 0
    else:
        trees.finish()
        erasures = f", {erased} of them erased" if erased else ""
        said = f"{events} events{erasures}: every line, write, leaf index, leaf hash, body digest, erasure and seal"
        checks = [
            AuditCheck("log", CheckStatus.PASS, said),
            _last_write(folder, torn),
            _check("trees", trees.wrong, _trees_summary(trees)),
            _heads_check(heads, [*keys.wrong, *bad_heads], trees, keys),
            *(_note_check(each.name, asked, bad_asked, trees, keys) for each in kept),
        ]
    ok = all(check.status is CheckStatus.PASS for check in checks)
    return Audit(home=str(home), ok=ok, events=events, bytes=read, organizations=len(trees.sizes), checks=checks)


def find_end(folder: Path, pause: Callable[[float], object] = time.sleep) -> tuple[LogPlace, Recovered | None]:
    """Where the last whole write ends, and what is behind it when that stays so. A write that is being written becomes
    whole, or the next one is torn at another place. Raises LogDamaged."""
    first: Recovered | None = None
    for look in range(LOOKS):
        if look:
            pause(BETWEEN)
        segments = list_folder(folder).segments if folder.is_dir() else []
        if not segments:
            raise missing(folder, 1, None)
        _, offset, torn = examine(folder, segments[-1])
        end = LogPlace(segments[-1], offset)
        if torn is None:
            return end, None
        if first is not None and (first.segment, first.offset) != (torn.segment, torn.offset):
            return end, None
        first = torn
    return end, first


def _read_notes(kept: Sequence[NamedHead]) -> tuple[dict[str, SignedHead], dict[str, str]]:
    """Those that are heads, and what is wrong with the others, by name."""
    heads, wrong = dict[str, SignedHead](), dict[str, str]()
    for name, text in kept:
        try:
            heads[name] = head_of_note(name, text)
        except ValueError as error:
            wrong[name] = str(error)
    return heads, wrong


def _where(bad: LogDamaged) -> str:
    place = f"{bad.file}, line {bad.line}, byte {bad.offset}" if bad.line else str(bad.file)
    return f"{place}: expected {bad.expected}; found {bad.found}"


def _last_write(folder: Path, torn: Recovered | None) -> AuditCheck:
    if torn is None:
        return AuditCheck("last_write", CheckStatus.PASS, "the log ends where a write ends")
    place = f"{segment_path(folder, torn.segment)}, byte {torn.offset}"
    said = (
        f"{place}: the last write, from event {torn.first_seq} on ({torn.bytes} bytes), is not whole: expected "
        f"{torn.reason}. It was torn by a power loss, or changed since; the next start of the service cuts it off."
    )
    return AuditCheck("last_write", CheckStatus.FAIL, said)


def _trees_summary(trees: AuditedTrees) -> str:
    said = f"the trees of {len(trees.sizes)} organizations, {sum(trees.sizes.values())} leaves, are the log's"
    return f"{said}; {len(trees.short)} are not stored to their ends yet" if trees.short else said


def _heads_check(
    heads: Sequence[SignedHead], wrong: Sequence[str], trees: AuditedTrees, keys: AuditedKeys
) -> AuditCheck:
    judged: list[tuple[bool, str]] = []
    sizes = trees.sizes
    for head in heads:
        good, said = judge(head, sizes, trees.roots, keys)
        judged.append((good, f"{head.place}: {said}"))
    failed = bool(wrong) or not all(good for good, _ in judged)
    return AuditCheck("heads", CheckStatus.FAIL if failed else CheckStatus.PASS, summary(judged, wrong))


def _note_check(
    name: str, heads: dict[str, SignedHead], wrong: dict[str, str], trees: AuditedTrees, keys: AuditedKeys
) -> AuditCheck:
    if name in wrong:
        return AuditCheck(_head(name), CheckStatus.FAIL, wrong[name])
    good, said = judge(heads[name], trees.sizes, trees.roots, keys)
    return AuditCheck(_head(name), CheckStatus.PASS if good else CheckStatus.FAIL, said)


def _check(name: str, wrong: Sequence[str], said: str) -> AuditCheck:
    if not wrong:
        return AuditCheck(name, CheckStatus.PASS, said)
    more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
    return AuditCheck(name, CheckStatus.FAIL, f"{wrong[0]}{more}")


def _head(name: str) -> str:
    return f"head {name}"
