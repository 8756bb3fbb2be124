"""A database as one end of `assent log copy`. It is written to by the role that owns the schema."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, Self

import msgspec
import psycopg

from assent.contract.prepared import prepared
from assent_service.store.copying import CopyRefused, ObjectName
from assent_service.store.postgresql.connecting import RowDamaged, check_settings, connect, first_line, is_pooled, shown
from assent_service.store.postgresql.schema import check_version

_ONE_COPY: Final = 0x617373656E75
"""The advisory lock of those who copy into the database."""
_LEAVES: Final = "2s"
"""How long one waits for it: the server lets go of a connection's locks a moment after it was closed or killed."""
PAGE: Final = 2000
COLUMNS: Final = ("int8", "int8", "int4", "text", "int8", "bytea", "bytea", "bytea")


class _Numbered(msgspec.Struct):
    """What a header says of its place."""

    org: str
    n: int


class DatabasePlace:
    """The log in a database; as a `target` nobody else may copy into it until this one leaves."""

    def __init__(self, dsn: str, *, target: bool) -> None:
        self._dsn, self._target = dsn, target
        self.shown = shown(dsn)
        self.left: list[str] = []

    def __enter__(self) -> Self:
        self._connection = connect(self._dsn)
        try:
            check_settings(self._connection)
            check_version(self._connection)
            if self._target:
                self._check_alone()
            elif self._connection.execute("SELECT copying FROM assent.log_head").fetchone() == (True,):
                raise CopyRefused(f"{self.shown} is itself a copy that was not finished")
        except BaseException:
            self._connection.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def _check_alone(self) -> None:
        if is_pooled(self._connection):
            raise CopyRefused(f"{self.shown} is behind a pooler, where nothing keeps others out: copy into it directly")
        try:
            with self._connection.transaction():
                self._connection.execute(f"SET LOCAL lock_timeout = '{_LEAVES}'")
                self._connection.execute("SELECT pg_advisory_lock(%s)", [_ONE_COPY])
        except psycopg.errors.LockNotAvailable:
            raise CopyRefused(f"somebody is copying into {self.shown} already") from None
        if self._connection.execute("SELECT has_table_privilege('assent.log', 'INSERT')").fetchone() != (True,):
            raise CopyRefused(f"the role {self._connection.info.user} may not copy: use the one that owns the schema")

    def head(self) -> int:
        row = self._connection.execute("SELECT seq FROM assent.log_head").fetchone()
        return int(row[0]) if row else 0

    def lines(self, after: int, up_to: int) -> Iterator[bytes]:
        while after < up_to:
            rows = self._connection.execute(
                "SELECT seq, batch, batch_size, leaf, header, body FROM assent.log WHERE seq > %s AND seq <= %s "
                "ORDER BY seq LIMIT %s",
                [after, up_to, PAGE],
                binary=True,
            ).fetchall()
            for seq, batch, size, leaf, header, body in rows:
                if seq != after + 1:
                    raise RowDamaged(after + 1, "it is missing")
                yield b"%d %d+%d %b %b %b\n" % (seq, batch, size, leaf.hex().encode(), header, body)
                after = seq
            if not rows:
                raise RowDamaged(after + 1, "it is missing")

    def objects(self) -> list[ObjectName]:
        rows = self._connection.execute("SELECT kind, name FROM assent.objects ORDER BY kind, name").fetchall()
        return [ObjectName(kind, name) for kind, name in rows]

    def get(self, name: ObjectName) -> bytes:
        row = self._connection.execute(
            "SELECT content FROM assent.objects WHERE kind = %s AND name = %s", name, binary=True
        ).fetchone()
        if row is None:
            raise CopyRefused(f"{name.kind} {name.name} was removed from {self.shown} meanwhile; run it again")
        return bytes(row[0])

    def begin(self) -> None:
        self._connection.execute("UPDATE assent.log_head SET copying = true")

    def append(self, writes: Sequence[tuple[int, bytes]]) -> None:
        """All of them or none, in one transaction."""
        lines = [line for _, data in writes for line in data[:-1].split(b"\n")]
        counts: Counter[str] = Counter()
        with self._connection.transaction(), self._connection.cursor() as cursor:
            row = cursor.execute("SELECT seq FROM assent.log_head FOR UPDATE").fetchone()
            if row is None or not lines[0].startswith(b"%d " % (row[0] + 1)):
                raise CopyRefused(f"somebody else has written to {self.shown}")
            with cursor.copy("COPY assent.log FROM STDIN (FORMAT binary)") as rows:
                rows.set_types(COLUMNS)
                for line in lines:
                    seq, batch, leaf, header, body = line.split(b" ", 4)
                    first, _, size = batch.partition(b"+")
                    at = msgspec.json.decode(header, type=prepared(_Numbered))
                    counts[at.org] += 1
                    rows.write_row(
                        (int(seq), int(first), int(size), at.org, at.n, bytes.fromhex(leaf.decode()), header, body)
                    )
            for org, more in counts.items():
                cursor.execute(
                    "INSERT INTO assent.organizations AS o (org, n) VALUES (%s, %s) "
                    "ON CONFLICT (org) DO UPDATE SET n = o.n + excluded.n",
                    [org, more],
                )
            cursor.execute("UPDATE assent.log_head SET seq = %s", [writes[-1][0]])

    def blank(self, seqs: Sequence[int]) -> None:
        if seqs:
            self._connection.execute(
                "UPDATE assent.log SET body = repeat(' ', octet_length(body))::bytea WHERE seq = ANY (%s)", [list(seqs)]
            )

    def put(self, name: ObjectName, content: bytes) -> None:
        self._connection.execute("INSERT INTO assent.objects VALUES (%s, %s, %s)", [*name, content])

    def remove(self, name: ObjectName) -> None:
        self._connection.execute("DELETE FROM assent.objects WHERE kind = %s AND name = %s", name)

    def end(self) -> None:
        """Fences are not copied: whoever has read less than all of it is overtaken."""
        self._connection.execute("UPDATE assent.log_head SET copying = false, floor = seq")
        try:
            self._connection.execute("ANALYZE assent.log, assent.organizations, assent.objects")
        except psycopg.Error as error:
            raise CopyRefused(first_line(error)) from error
