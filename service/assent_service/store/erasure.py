"""What an erasure takes away, worked out from the log alone. It is part of the fold: see `projection`.

An event `evidence.erased` is about one action of one organization. It covers, of what the organization recorded before
it: every event whose header names the action, and every event that names no action and is about one of the ids that
the erasure lists in `also` (guard's decision on the action, which is older than it, and whatever else the noun found).
Erasures themselves are never covered.

Covered events lose their bodies in the log, and the rows that they made or changed are removed from every table; a row
whose events are covered is covered wholly, since all of its events name the same action. Files that only those rows
named are removed, and so are the stored proofs of the action. All of this happens before the transaction ends that
also moves the place in the log: after a crash it is done again, from the beginning, and does no harm the second time.
An event that comes later and changes such a row makes it anew.

A request may have looked at an action before its erasure, and speak only afterwards; what it says would then be left to
be read. So from the moment on that an erasure looks for what it covers, whatever else is about the action is refused
(`EndedActions`). The newest MOST are remembered, for as long as the process runs: no request takes that many erasures,
and none outlives the process.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

import duckdb
import msgspec

from assent.contract.prepared import prepared
from assent.contract.problems import Code
from assent_service.base.problem import refuse
from assent_service.store import schema
from assent_service.store.blanking import Blanker, LogLine, mend
from assent_service.store.coverage import ERASED, ErasurePayload, covers
from assent_service.store.event import Draft, Event
from assent_service.store.failures import LogDamaged
from assent_service.store.files import FILES, Files
from assent_service.store.objects import BUNDLE, FILE, Shared
from assent_service.store.segments import read, segment_path
from assent_service.store.tables import Table

COVERED = (
    "org_id = $1 AND n < $2 AND (action_id = $3 OR (action_id IS NULL AND subject IN (SELECT unnest($4::VARCHAR[])))) "
    f"AND type <> '{ERASED}'"
)
"""What `covers` says, as a condition on the table of events: organization, number of the erasure, action, `also`."""
_DIGEST_LENGTH = 64

log = logging.getLogger("assent.erasing")


class Eraser:
    """Carries out erasures in the data folder `home`, and in what is `shared` with other services. `blanked` is told
    which segments of the log changed."""

    def __init__(
        self,
        home: Path,
        tables: Iterable[Table],
        *,
        blanked: Callable[[Collection[int]], None] = lambda _: None,
        files: Files = FILES,
        shared: Shared | None = None,
    ) -> None:
        self._home, self._tables, self._blanked, self._files = home, tuple(tables), blanked, files
        self._shared = shared
        self._blanker = Blanker(home, files)

    def erase(self, connection: duckdb.DuckDBPyConnection, event: Event) -> None:
        """Carry out the erasure that `event` records, within the transaction of `connection`, whose tables hold every
        event before it. Raises what DuckDB raises, OSError and LogDamaged."""
        said = msgspec.json.decode(event.data or b"{}", type=prepared(ErasurePayload))
        rows = connection.execute(
            f"SELECT type, subject, segment, position, length, n FROM events WHERE {COVERED}",
            [event.org, event.n, said.action_id, said.also],
        ).fetchall()
        mend(self._home, self._files)
        lines = [self._line(event, said, int(s), int(p), int(size)) for _, _, s, p, size, _ in rows]
        if self._shared is not None:
            # Each of the services does so: whichever is first, it is harmless again.
            self._shared.blank(event.org, [int(n) for *_, n in rows])
        segments = self._blanker.blank(lines)
        self._remove_rows(connection, event.org, [(str(kind), str(subject)) for kind, subject, *_ in rows])
        self._remove_proofs(event.org, said.action_id)
        if segments:
            self._blanked(segments)

    def _line(self, erasure: Event, said: ErasurePayload, segment: int, offset: int, length: int) -> LogLine:
        """The line at this place. What it is about is read from itself: tables can be tampered with, and must not turn
        an erasure against something else."""
        folder = self._home / "log"
        found = read(folder, segment, offset, length)
        if not covers(erasure, said, found):
            raise LogDamaged(
                segment_path(folder, segment),
                0,
                0,
                f"an event that erasure {erasure.n} of {erasure.org} covers, at byte {offset}, as the tables say",
                f"event {found.n} of {found.org}",
                "Nothing was erased. Stop the service and run `assent rebuild`: it makes the tables anew from the log, "
                "and then erases what is to be erased.",
            )
        return LogLine(segment, offset, length, found.leaf_hash.hex())

    def _remove_rows(
        self, connection: duckdb.DuckDBPyConnection, org_id: str, covered: Sequence[tuple[str, str]]
    ) -> None:
        digests: set[str] = set()
        for table in self._tables:
            keys = sorted({subject for kind, subject in covered if kind in table.types})
            if not keys:
                continue
            if table.files is not None:
                found = connection.execute(schema.files_of(table), [org_id, keys]).fetchall()
                digests |= {str(each) for (each,) in found}
            connection.execute(schema.remove(table), [org_id, keys])
        for digest in digests:
            self._remove_file(connection, org_id, digest)

    def _remove_file(self, connection: duckdb.DuckDBPyConnection, org_id: str, digest: str) -> None:
        naming = [schema.naming(table) for table in self._tables if table.files is not None]
        if not any(connection.execute(each, [org_id, digest]).fetchall() for each in naming):
            (self._home / "blobs" / org_id / digest).unlink(missing_ok=True)
            if self._shared is not None:
                self._shared.remove(FILE, f"{org_id}/{digest}")

    def _remove_proofs(self, org_id: str, action_id: str) -> None:
        """Stored bundles say what the action was: `bundles/<organization>/<two digits>/<digest>.<action>.json`."""
        if self._shared is not None:
            for name in self._shared.names(BUNDLE, f"{org_id}/"):
                if name.partition("/")[2][_DIGEST_LENGTH:] == f".{action_id}.json":
                    self._shared.remove(BUNDLE, name)
        for path in (self._home / "bundles" / org_id).glob(f"*/*.{action_id}.json"):
            # The id of another action may end like this one.
            if path.name[_DIGEST_LENGTH:] == f".{action_id}.json":
                path.unlink(missing_ok=True)


MOST = 10_000


class EndedActions:
    """Of all organizations; `any` is whether there are some."""

    def __init__(self) -> None:
        self._ended: dict[tuple[str, str | None], None] = {}
        self.any = False

    def add(self, org_id: str, action_id: str) -> None:
        """Take nothing more about this action but an erasure."""
        self._ended[org_id, action_id] = None
        if len(self._ended) > MOST:
            del self._ended[next(iter(self._ended))]
        self.any = True

    def remove(self, org_id: str, action_id: str) -> None:
        """Take back `add`, when nothing came of it."""
        self._ended.pop((org_id, action_id), None)
        self.any = bool(self._ended)

    def has(self, org_id: str, action_id: str | None) -> bool:
        return (org_id, action_id) in self._ended

    def check(self, drafts: Sequence[Draft]) -> None:
        """Raises `action_erased` when one of them is about such an action, and no erasure."""
        for draft in drafts:
            if draft.type != ERASED and self.has(draft.org, draft.action):
                raise refuse(
                    Code.ACTION_ERASED,
                    f"Action {draft.action} was erased just now; nothing more can be recorded about it.",
                )
