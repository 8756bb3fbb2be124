"""What an erasure takes away is the same however its events come: live, in any batches, from the log again, twice."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent_service.store.database import connect
from assent_service.store.erasure import Eraser
from assent_service.store.event import Draft, Event
from assent_service.store.failures import LogDamaged
from assent_service.store.projection import Projection, read_applied
from assent_service.store.recovery import Applied
from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, json, text
from tests.service.store.logbook import read_back
from tests.service.store.things import AT, NOTES, THINGS, recorded
from tests.tiers import examples

PAPERS = Table(
    name="papers",
    meaning="papers with files",
    key="paper_id",
    columns=(ORGANIZATION, text("paper_id", "id", frozen=True), json("files", "its files"), CREATED_AT),
    created=frozenset({"paper.created"}),
    files="files",
)
GONE = Table(
    name="gone",
    meaning="erasures",
    key="action_id",
    columns=(ORGANIZATION, text("action_id", "id", frozen=True), CREATED_AT),
    created=frozenset({"evidence.erased"}),
)
TABLES = (THINGS, NOTES, PAPERS, GONE)
KEYS = {"thing": "thing_id", "note": "note_id", "paper": "paper_id", "evidence": "action_id"}
DIGEST = {"x": "a" * 64, "y": "b" * 64}


def say(kind: str, subject: str, action: str | None = None, org: str = "org_a", /, **members: Any) -> Draft:
    payload = {"org_id": org, KEYS[kind.split(".")[0]]: subject, "created_at": "2025-06-15T15:06:40.123456Z", **members}
    return Draft(org, kind, AT, subject, "key_1", msgspec.json.encode(payload), action)


def erase(action: str, *also: str, org: str = "org_a") -> Draft:
    return say("evidence.erased", action, action, org, also=list(also))


def paper(subject: str, action: str | None, *files: str, org: str = "org_a") -> Draft:
    return say("paper.created", subject, action, org, files=[{"sha256": DIGEST[each]} for each in files])


def dump(connection: duckdb.DuckDBPyConnection) -> dict[str, list[tuple[object, ...]]]:
    names = ["events", *(table.name for table in TABLES)]
    return {name: connection.execute(f"SELECT * FROM {name} ORDER BY ALL").fetchall() for name in names}


def fold(home: Path, events: Sequence[Event], cuts: Sequence[int], file: str = "tables.duckdb") -> dict[str, Any]:
    """The tables that `events` make when they are cut into batches at `cuts`."""
    projection = Projection(TABLES, Eraser(home, TABLES))
    bounds = [0, *sorted({cut for cut in cuts if 0 < cut < len(events)}), len(events)]
    with closing(connect(home / file, TABLES)) as connection:
        for start, end in pairwise(bounds):
            projection.apply(connection, events[start:end], read_applied(connection))
        return dump(connection)


SESSION = [
    say("thing.created", "t1", "act_1", origin="secret", name="secret"),
    say("thing.created", "t2", "act_2", name="other"),
    say("note.created", "dec_1", words="secret decision"),
    say("note.created", "dec_2", words="other decision"),
    say("thing.created", "t1", "act_1", "org_b", name="another's"),
    say("thing.updated", "t1", "act_1", name="secret still"),
    paper("p1", "act_1", "x", "y"),
    paper("p2", None, "y"),
    erase("act_1", "dec_1"),
    say("thing.updated", "t2", "act_2", name="changed"),
]
COVERED = [0, 2, 5, 6]


def names(found: dict[str, Any], table: str) -> list[object]:
    return [row[1] for row in found[table]]


def test_what_is_covered_and_nothing_else(tmp_path: Path) -> None:
    events = recorded(tmp_path, SESSION)
    found = fold(tmp_path, events, [])
    assert [number for number, event in enumerate(read_back(tmp_path)) if event.erased] == COVERED
    assert [(row[0], row[1], row[3]) for row in found["things"]] == [
        ("org_a", "t2", "changed"),
        ("org_b", "t1", "another's"),
    ]
    assert names(found, "notes") == ["dec_2"]
    assert names(found, "papers") == ["p2"]
    assert names(found, "gone") == ["act_1"]
    assert len(found["events"]) == len(SESSION)


def test_all_rows_of_the_action_go_from_each_table(tmp_path: Path) -> None:
    session = [
        *(say("thing.created", f"t{number}", "act_1", name="secret") for number in range(3)),
        *(say("note.created", f"dec_{number}", words="secret") for number in range(3)),
        *(paper(f"p{number}", "act_1", "x") for number in range(3)),
        say("thing.created", "t9", "act_2", name="other"),
        erase("act_1", "dec_0", "dec_1", "dec_2"),
    ]
    found = fold(tmp_path, recorded(tmp_path, session), [])
    assert (names(found, "things"), names(found, "notes"), names(found, "papers")) == (["t9"], [], [])


@examples(0.25)
@given(cuts=st.sets(st.integers(1, len(SESSION) - 1)), again=st.sets(st.integers(1, len(SESSION) - 1)))
def test_every_way_to_cut_ends_alike(cuts: set[int], again: set[int]) -> None:
    """And so does folding what the log says afterwards."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        events = recorded(home, SESSION)
        live = fold(home, events, sorted(cuts))
        anew = fold(home, read_back(home), sorted(again), "anew.duckdb")
        stale = fold(home, events, sorted(again), "stale.duckdb")
        assert live == anew == stale


def test_the_write_ahead_file_is_cleared_as_soon_as_it_can_be(tmp_path: Path) -> None:
    events = recorded(tmp_path, SESSION)
    projection = Projection(TABLES, Eraser(tmp_path, TABLES))
    journal = tmp_path / "tables.duckdb.wal"
    with closing(connect(tmp_path / "tables.duckdb", TABLES)) as connection, closing(connection.cursor()) as other:
        applied = projection.apply(connection, events[:8], read_applied(connection))
        other.execute("BEGIN")
        other.execute("CREATE TABLE somebody_writes (n INTEGER)")
        applied = projection.apply(connection, events[8:9], applied)
        assert b"secret" in journal.read_bytes()
        other.execute("ROLLBACK")
        projection.apply(connection, events[9:], applied)
        assert not journal.exists() or b"secret" not in journal.read_bytes()


def test_a_failing_commit_is_done_again(tmp_path: Path) -> None:
    """Blanked already, not yet applied: what a crash in between leaves behind."""
    events = recorded(tmp_path, SESSION)
    projection = Projection(TABLES, Eraser(tmp_path, TABLES))
    with closing(connect(tmp_path / "tables.duckdb", TABLES)) as connection:
        projection.apply(connection, events[:8], read_applied(connection))
        connection.execute("ALTER TABLE applied RENAME TO elsewhere")
        with pytest.raises(duckdb.Error):
            projection.apply(connection, events[8:], projection.prepare(events[:8], Applied(0, 1, 0, {})).applied)
        assert [event.erased for event in read_back(tmp_path)].count(True) == len(COVERED)
        assert sorted(map(str, names(dump(connection), "things"))) == ["t1", "t1", "t2"]
        connection.execute("ALTER TABLE elsewhere RENAME TO applied")
        projection.apply(connection, read_back(tmp_path)[8:], read_applied(connection))
        found = dump(connection)
    assert found == fold(tmp_path, read_back(tmp_path), [], "anew.duckdb")


def test_what_changes_a_row_afterwards_makes_it_anew(tmp_path: Path) -> None:
    """So whoever records an erasure can record beside it what is to stay of a row that only echoes the action."""
    clean = say("note.created", "n1", words="clean")
    drafts = [
        say("note.created", "n1", words="secret"),
        say("thing.created", "t1", None, name="secret"),
        erase("act_1", "n1", "t1"),
        say("thing.updated", "t1", None, origin="clean", name="clean"),
        clean,
    ]
    for cuts in ([], [1, 2, 3, 4], [3]):
        home = tmp_path / str(len(cuts))
        found = fold(home, recorded(home, drafts), cuts)
        assert [(row[1], row[2], row[3]) for row in found["things"]] == [("t1", "clean", "clean")]
        assert [(row[1], row[2]) for row in found["notes"]] == [("n1", "clean")]


def test_an_erasure_covers_neither_what_follows_nor_another(tmp_path: Path) -> None:
    drafts = [
        say("thing.created", "t1", "act_1", name="secret"),
        erase("act_1"),
        say("thing.created", "t2", "act_1", name="late"),
        erase("act_2"),
    ]
    events = recorded(tmp_path, drafts)
    found = fold(tmp_path, events, [2])
    assert [event.erased for event in read_back(tmp_path)] == [True, False, False, False]
    assert names(found, "things") == ["t2"]
    assert names(found, "gone") == ["act_1", "act_2"]


def test_files_that_nobody_else_names_are_removed(tmp_path: Path) -> None:
    events = recorded(tmp_path, SESSION)
    for org in ("org_a", "org_b"):
        (tmp_path / "blobs" / org).mkdir(parents=True)
        for digest in DIGEST.values():
            (tmp_path / "blobs" / org / digest).write_bytes(b"secret")
    fold(tmp_path, events, [])
    left = {(path.parent.name, path.name) for path in (tmp_path / "blobs").glob("*/*")}
    assert left == {("org_a", DIGEST["y"]), ("org_b", DIGEST["x"]), ("org_b", DIGEST["y"])}


def test_stored_proofs_of_the_action_are_removed(tmp_path: Path) -> None:
    events = recorded(tmp_path, SESSION)
    kept: list[Path] = []
    gone: list[Path] = []
    for org, action in (("org_a", "act_1"), ("org_a", "x.act_1"), ("org_a", "act_2"), ("org_b", "act_1")):
        path = tmp_path / "bundles" / org / "ab" / f"{'ab' * 32}.{action}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
        (gone if (org, action) == ("org_a", "act_1") else kept).append(path)
    fold(tmp_path, events, [])
    assert not any(path.exists() for path in gone)
    assert all(path.exists() for path in kept)


def test_tables_that_name_other_lines_erase_nothing(tmp_path: Path) -> None:
    """A table of events that was tampered with cannot turn an erasure against lines that it does not cover."""
    events = recorded(tmp_path, SESSION)
    before = (tmp_path / "log" / f"{1:020d}.log").read_bytes()
    projection = Projection(TABLES, Eraser(tmp_path, TABLES))
    with closing(connect(tmp_path / "tables.duckdb", TABLES)) as connection:
        projection.apply(connection, events[:8], read_applied(connection))
        other = events[1]
        connection.execute(
            "UPDATE events SET position = $1, length = $2, leaf_hash = $3 WHERE n = 0",
            [other.offset, other.length, other.leaf_hash.hex()],
        )
        with pytest.raises(LogDamaged):
            projection.apply(connection, events[8:], read_applied(connection))
    assert (tmp_path / "log" / f"{1:020d}.log").read_bytes() == before
