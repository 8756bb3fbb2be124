"""A body that is blank as the eraser leaves it is damage, unless an erasure of its organization covers it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assent_service import rebuild
from assent_service.store import auditor as auditor_module
from assent_service.store import coverage
from assent_service.store.audit import Audit, audit
from assent_service.store.auditor import Auditor
from assent_service.store.event import Draft
from assent_service.store.failures import LogDamaged
from assent_service.store.ledger import Ledger
from assent_service.store.log import Submission
from assent_service.store.segments import LogPlace, list_folder
from tests.service.store.folder import detail, statuses
from tests.service.store.logbook import Book
from tests.service.store.test_erasure import erase, say
from tests.service.store.things import AT, TABLES

DRAFTS = [
    say("thing.created", "t1", "act_1", name="one"),
    say("note.created", "dec_1", words="decision on one"),
    say("thing.created", "t2", "act_2", name="two"),
    say("thing.created", "t3", "act_1", "org_b", name="another's"),
    erase("act_1", "dec_1"),
    say("thing.updated", "t1", "act_1", name="later"),
    say("note.created", "dec_2", words="decision on two"),
]
COVERED = {1, 2}


def record(home: Path, *, segment_bytes: int, drafts: list[Draft] = DRAFTS) -> Path:
    """Each event in a write of its own; with `segment_bytes` 1 in a file of its own, all but the last sealed."""
    home.mkdir(exist_ok=True)
    with Book(home, segment_bytes=segment_bytes) as book:
        for draft in drafts:
            assert book.write(Submission((draft,))).error is None
    return home


def blank(home: Path, *seqs: int) -> dict[int, tuple[Path, int]]:
    """Overwrite the fifth field of these lines with as many spaces; their files and lines, from 1."""
    places = {}
    for path in sorted((home / "log").glob("*.log")):
        lines = path.read_bytes().splitlines(keepends=True)
        for number, line in enumerate(lines):
            fields = line.split(b" ", 4)
            if int(fields[0]) in seqs:
                fields[4] = b" " * (len(fields[4]) - 1) + b"\n"
                lines[number] = b" ".join(fields)
                places[int(fields[0])] = (path, number + 1)
        path.write_bytes(b"".join(lines))
    assert len(places) == len(seqs)
    return places


def checked(home: Path, processes: int = 1, **options: Any) -> Audit:
    return audit(home, processes=processes, pause=lambda _: None, **options)


@pytest.mark.parametrize("segment_bytes", [1, 1 << 20], ids=["sealed", "tail"])
@pytest.mark.parametrize("seq", range(1, len(DRAFTS) + 1))
def test_only_what_an_erasure_covers_may_be_blank(tmp_path: Path, segment_bytes: int, seq: int) -> None:
    home = record(tmp_path, segment_bytes=segment_bytes)
    path, line = blank(home, seq)[seq]
    found = checked(home)
    if seq in COVERED:
        assert statuses(found)["log"] == "pass"
        assert "1 of them erased" in detail(found, "log")
    else:
        assert not found.ok
        assert statuses(found)["log"] == "fail"
        assert f"{path}, line {line}, byte " in detail(found, "log")
        assert f"body of event {seq} " in detail(found, "log")
        assert "a blank body that no erasure covers" in detail(found, "log")


@pytest.mark.parametrize("seqs", [(1, 2), (1, 2, 3), (2, 6), (1, 5)])
def test_two_processes_find_the_same(tmp_path: Path, seqs: tuple[int, ...]) -> None:
    home = record(tmp_path, segment_bytes=1)
    assert len(list_folder(home / "log").segments) == len(DRAFTS)
    blank(home, *seqs)
    alone = checked(home)
    assert checked(home, processes=2) == alone
    assert (statuses(alone)["log"] == "pass") == (set(seqs) <= COVERED)


@pytest.mark.parametrize("segment_bytes", [1, 1 << 20], ids=["sealed", "tail"])
def test_a_rebuild_refuses_it_and_leaves_the_tables(tmp_path: Path, segment_bytes: int) -> None:
    data = b'{"org_id":"org_a","decision_id":"dec_1","created_at":"2025-06-15T15:06:40Z"}'
    drafts = [Draft("org_a", "guard.decision.created", AT, f"dec_{i}", "key_1", data) for i in (1, 2)]
    home = record(tmp_path, segment_bytes=segment_bytes, drafts=drafts)
    blank(home, 1)
    (home / "tables.duckdb").write_bytes(b"as they were")
    with pytest.raises(LogDamaged, match=r"line 1, byte 0: .*body of event 1 .*a blank body that no erasure covers"):
        rebuild.run(home)
    assert (home / "tables.duckdb").read_bytes() == b"as they were"
    assert not (home / "tables.rebuild.duckdb").exists()


def test_the_service_is_not_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auditor_module, "AGAIN", 0.0)
    home = record(tmp_path, segment_bytes=1, drafts=[DRAFTS[2], DRAFTS[6], DRAFTS[6]])
    ledger = Ledger(home, TABLES)
    ledger.close()
    auditor = Auditor(ledger, home, lambda: AT, hours=24)
    assert auditor.compare_seals().status == "pass"
    blank(home, 1)
    for found in (auditor.compare_seals(), auditor.verify()):
        assert (found.status, "not right: log." in found.detail) == ("fail", True)


def test_an_erasure_that_is_recorded_meanwhile_covers_what_was_read_before_it(tmp_path: Path) -> None:
    home = record(tmp_path, segment_bytes=1)
    blank(home, 1, 2)
    segments = list_folder(home / "log").segments
    ends = [LogPlace(each, (home / "log" / f"{each:020d}.log").stat().st_size) for each in segments]
    # The erasure is event 5: the log ended before it when the audit began.
    coming = iter([ends[3], ends[6]])
    assert statuses(checked(home, end=lambda: next(coming)))["log"] == "pass"
    assert statuses(checked(home, end=lambda: ends[3]))["log"] == "fail"


def test_more_than_can_be_held_is_not_called_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = record(tmp_path, segment_bytes=1)
    blank(home, 1, 2)
    monkeypatch.setattr(coverage, "MOST", 2)
    assert statuses(checked(home))["log"] == "pass"
    monkeypatch.setattr(coverage, "MOST", 1)
    found = checked(home)
    assert statuses(found)["log"] == "fail"
    assert "cannot be decided" in detail(found, "log")
