"""`assent log adopt`: what a restored log does not hold is found, put aside and said."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assent_service.store.adoption import Adoption, AdoptionRefused, LostHead, adopt, read_adoption, restored
from assent_service.store.audit import NamedHead
from assent_service.store.backup import back_up
from assent_service.store.backup_mark import BackupMark, read_mark
from assent_service.store.failures import FolderOfAnotherLog, FolderOwned, LogDamaged
from assent_service.store.lock import FolderLock
from assent_service.store.noted_heads import LostEvent, note_lost, read_lost, strike_off_lost
from assent_service.store.replica_folder import MARK, check_claim, claim, discard
from tests.service.store.folder import AT, leaves, note, quick, read, sign, sound_home
from tests.service.store.logbook import Book, submission
from tests.vectors.test_merkle import mth

THEN, NOW = datetime(2026, 11, 24, 5, tzinfo=UTC), datetime(2026, 11, 24, 6, tzinfo=UTC)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return sound_home(tmp_path / "home")


def later(home: Path) -> tuple[Path, LostHead, str]:
    """A copy of the folder from before, of which `home` has recorded and signed more since; and that head."""
    old = home.with_name("old")
    shutil.copytree(home, old)
    with Book(home) as book:
        book.write(submission("later", "latest"))
        events = book.all()
    size = len(leaves(events, "org_a"))
    [text] = sign(home, events, size)
    return old, LostHead(size=size, root=mth(leaves(events, "org_a")).hex(), signed_at=AT), text


def test_a_restored_backup_is_adopted_and_says_which_moment_it_is(home: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    done = back_up(home, target, now=lambda: THEN)
    adoption = adopt(target, now=NOW)
    assert adoption == Adoption(events=done.events, restored_from=THEN, adopted_at=NOW, lost={})
    assert read_adoption(target) == adoption
    assert read_mark(target) is None
    assert adoption.reason("org_a") == (
        f"The log was restored to event {done.events}, from a backup of 2026-11-24T05:00:00Z; what was recorded "
        "later may be gone."
    )
    assert quick(target).ok


def test_heads_that_are_newer_than_the_log_are_put_aside(home: Path) -> None:
    old, lost, text = later(home)
    shutil.copytree(home / "heads", old / "heads", dirs_exist_ok=True)
    assert not quick(old).ok
    before = (old / "heads" / "org_a.jsonl").read_text().splitlines()
    adoption = adopt(old, now=NOW)
    assert adoption.lost == {"org_a": lost}
    assert (old / "heads" / "org_a.jsonl").read_text().splitlines() == before[:-1]
    assert (old / "lost-heads" / "org_a.jsonl").read_text().splitlines() == before[-1:]
    assert quick(old).ok
    assert f"A head of {lost.size} events, root {lost.root}" in adoption.reason("org_a")
    assert "A head" not in adoption.reason("org_b")
    assert len(adoption.reason("org_a")) < 500
    assert text.splitlines()[0] in before[-1]


def test_a_head_of_the_same_size_and_another_root_is_lost_as_well(home: Path) -> None:
    """The restored log has grown beyond it meanwhile."""
    old, lost, text = later(home)
    with Book(old) as book:
        book.write(submission("other", "others", "more"))
    assert len(leaves(read(old), "org_a")) > lost.size
    assert adopt(old, [NamedHead("from the auditor", text)], NOW).lost == {"org_a": lost}


def test_a_head_that_somebody_holds_counts_though_no_file_has_it(home: Path) -> None:
    old, lost, text = later(home)
    adoption = adopt(old, [NamedHead("kept.note", text)], NOW)
    assert (adoption.lost, adoption.restored_from) == ({"org_a": lost}, None)
    assert not (old / "lost-heads").exists()


def test_nothing_to_adopt_is_refused_and_nothing_changed(home: Path) -> None:
    events = read(home)
    held = note("org_b", 3, mth(leaves(events, "org_b")[:3]))
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    with pytest.raises(AdoptionRefused, match="there is nothing to adopt"):
        adopt(home, [NamedHead("kept.note", held)])
    assert {path: path.read_bytes() for path in before} == before
    assert not (home / "adopting").exists()


def test_what_was_interrupted_is_done_again(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, lost, _ = later(home)
    shutil.copytree(home / "heads", old / "heads", dirs_exist_ok=True)

    def fail(*_: object) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr("assent_service.store.adoption._put_aside", fail)
        with pytest.raises(OSError, match="full"):
            adopt(old, now=NOW)
    assert adopt(old, now=NOW).lost == {"org_a": lost}
    # Once more, when the heads are aside: what is known is kept.
    assert adopt(old, now=NOW).lost == {"org_a": lost}
    assert quick(old).ok


@pytest.mark.parametrize("mark", [BackupMark(finished=False), BackupMark(finished=False, events=7, taken_at=THEN)])
def test_a_backup_that_was_not_finished_is_no_log_to_go_on_with(home: Path, tmp_path: Path, mark: BackupMark) -> None:
    from assent_service.store.backup_mark import write_mark

    write_mark(home, mark)
    assert "was not finished" in restored(mark)
    with pytest.raises(AdoptionRefused, match="is a backup that was not finished"):
        adopt(home)


def test_what_is_no_head_or_is_in_use_is_refused(home: Path) -> None:
    with pytest.raises(AdoptionRefused, match=r"kept\.note is no signed head"):
        adopt(home, [NamedHead("kept.note", "nothing")])
    with FolderLock.take(home), pytest.raises(FolderOwned):
        adopt(home)
    (home / "adopting").write_text("{")
    with pytest.raises(AdoptionRefused, match="cannot be read"):
        read_adoption(home)


def test_an_event_that_a_replica_had_read_is_named_as_the_reason_and_forgotten(home: Path) -> None:
    (home / MARK).write_text("the log\n")
    note_lost(home, LostEvent(70, b"\x07" * 32))
    note_lost(home, LostEvent(90, b"\x09" * 32))
    note_lost(home, LostEvent(70, b"\x07" * 32))
    assert (home / "lost-events").read_text() == f"70 {'07' * 32}\n90 {'09' * 32}\n"
    adoption = adopt(home, now=NOW)
    assert (adoption.lost_event, adoption.lost) == (90, {})
    assert adoption.reason("org_a") == (
        f"The log was restored to event {adoption.events}; what was recorded later may be gone. "
        "Event 90, as a service had read it, is not of it."
    )
    assert read_lost(home) == []
    # Once more before the service was started: what is known is kept.
    assert adopt(home, now=NOW) == adoption == read_adoption(home)


def test_while_the_copy_is_the_one_of_before_there_is_nothing_to_adopt_it_for(home: Path) -> None:
    (home / MARK).write_text("the log\n")
    last = read(home)[-1]
    note_lost(home, LostEvent(last.seq, last.leaf_hash))
    with pytest.raises(AdoptionRefused, match="is still the one of before: start the service"):
        adopt(home)
    assert read_lost(home) == [(last.seq, last.leaf_hash)]
    assert read_adoption(home) is None
    # Another event has its number now.
    strike_off_lost(home, LostEvent(last.seq, last.leaf_hash))
    note_lost(home, LostEvent(last.seq, b"\x01" * 32))
    assert adopt(home).lost_event == last.seq


def test_lost_events_stay_with_a_copy_that_is_made_anew_and_another_log_does_not_get_the_folder(home: Path) -> None:
    (home / MARK).write_text("the log\n")
    note_lost(home, LostEvent(7, b"\x07" * 32))
    discard(home)
    claim(home, "the log")
    assert read_lost(home) == [(7, b"\x07" * 32)]
    with pytest.raises(FolderOfAnotherLog, match="a copy of another database's log"):
        check_claim(home, "log two")
    assert read_lost(home) == [(7, b"\x07" * 32)]
    check_claim(home, "the log")


@pytest.mark.parametrize("text", ["seven 07\n", "7 0g\n", "7\nx\n"])
def test_notes_of_lost_events_that_cannot_be_read_are_said(home: Path, text: str) -> None:
    (home / "lost-events").write_text(text)
    with pytest.raises(LogDamaged, match="lost-events, line"):
        read_lost(home)
