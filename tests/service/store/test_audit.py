"""A whole data folder checked: nothing that was changed, cut, forged or spoilt goes unnoticed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.evidence.proofs import CheckStatus
from assent.proof.merkle import EMPTY
from assent_service.store.audit import NamedHead, audit
from assent_service.store.segments import LogPlace, segment_path
from tests.service.store.folder import (
    NAMES,
    detail,
    files,
    fill,
    note,
    plant,
    quick,
    read,
    sign,
    sound_home,
    statuses,
    whole_writes,
)
from tests.service.store.logbook import Book, submission


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return sound_home(tmp_path / "home")


def test_a_sound_folder_passes_with_one_process_and_with_several(home: Path) -> None:
    events = read(home)
    content = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    assert len(files(home)) > 2
    found = quick(home)
    assert found == audit(home, processes=3)
    assert (found.ok, found.events, found.organizations) == (True, len(events), 2)
    assert found.bytes == sum(path.stat().st_size for path in files(home))
    assert statuses(found) == dict.fromkeys(NAMES, "pass")
    assert detail(found, "heads") == "4 signed heads are the log's, each at its size"
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == content


@pytest.mark.parametrize("processes", [1, 2])
def test_progress_rises_to_all_of_the_bytes(home: Path, processes: int) -> None:
    told: list[tuple[int, int]] = []
    found = audit(home, processes=processes, progress=lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert told[-1] == (found.bytes, found.bytes)


def test_a_folder_without_a_log_is_not_a_sound_one(tmp_path: Path) -> None:
    for there in (False, True):
        if there:
            (tmp_path / "log").mkdir()
        found = quick(tmp_path)
        assert statuses(found)["log"] == "fail"
        assert "00000000000000000001.log" in detail(found, "log")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("sound") / "home"
    events = fill(home)
    plant(home, events)
    sign(home, events, 2, 9)
    return home


@given(st.data())
def test_any_byte_of_the_log_that_is_changed_is_found(sound: Path, data: st.DataObject) -> None:
    """Any file of the log, seals included, any byte, any other value."""
    path = data.draw(st.sampled_from([*files(sound), *files(sound, "*.seal")]))
    content = path.read_bytes()
    at = data.draw(st.integers(0, len(content) - 1))
    value = data.draw(st.integers(0, 255).filter(lambda value: value != content[at]))
    path.write_bytes(content[:at] + bytes([value]) + content[at + 1 :])
    try:
        found = quick(sound)
    finally:
        path.write_bytes(content)
    assert not found.ok, f"{path.name}, byte {at}: {content[at]} -> {value}"
    failed = [check for check in found.checks if check.status is CheckStatus.FAIL]
    assert any(path.name in check.detail for check in failed), failed


@given(st.data())
def test_any_byte_of_a_tree_or_of_the_stored_heads_that_is_changed_is_found(sound: Path, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(sorted([*(sound / "tree").iterdir(), *(sound / "heads").iterdir()])))
    content = path.read_bytes()
    at = data.draw(st.integers(0, len(content) - 1))
    value = data.draw(st.integers(0, 255).filter(lambda value: value != content[at]))
    path.write_bytes(content[:at] + bytes([value]) + content[at + 1 :])
    try:
        found = quick(sound)
    finally:
        path.write_bytes(content)
    which = "trees" if path.parent.name == "tree" else "heads"
    assert statuses(found) == dict.fromkeys(NAMES, "pass") | {which: "fail"}
    assert path.name in detail(found, which)


@given(st.data())
def test_any_byte_that_is_lost_or_added_is_found(sound: Path, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from([*files(sound), *files(sound, "*.seal")]))
    content = path.read_bytes()
    at = data.draw(st.integers(0, len(content) - 1))
    changed = data.draw(
        st.sampled_from([content[:at] + content[at + 1 :], content[:at] + b"7" + content[at:], content[:at]])
    )
    if changed == content or (path == files(sound)[-1] and changed in whole_writes(content)):
        return
    path.write_bytes(changed)
    try:
        found = quick(sound)
    finally:
        path.write_bytes(content)
    assert not found.ok


def test_damage_is_told_with_file_line_and_byte_and_what_it_hides(home: Path) -> None:
    path = files(home)[1]
    content = path.read_bytes()
    line = content.splitlines(keepends=True)[1]
    at = content.index(line) + line.index(b"goal")
    path.write_bytes(content[:at] + b"G" + content[at + 1 :])
    found = quick(home, NamedHead("mine", note("org_a", 1, EMPTY)))
    assert statuses(found) == {
        "log": "fail", "last_write": "not_checked", "trees": "not_checked", "heads": "not_checked",
        "head mine": "not_checked",
    }  # fmt: skip
    assert f"{path}, line 2, byte {content.index(line)}: expected digest of the body" in detail(found, "log")
    assert audit(home, processes=2).checks[0] == found.checks[0]


def test_an_erasure_that_was_interrupted_is_told_beside_it(home: Path) -> None:
    path = files(home)[0]
    path.write_bytes(path.read_bytes().replace(b"{", b" ", 2))
    (home / "erasing").write_bytes(b"[]\n")
    assert "An erasure is under way or was interrupted" in detail(quick(home), "log")


def test_an_organizations_numbers_go_on_from_file_to_file(home: Path) -> None:
    """Two files swapped into a new log whose lines are all right by themselves."""
    with Book(home.parent / "other", segment_bytes=2500) as book:
        book.write(submission(*(f"z{i}" for i in range(7))))
        for i in range(20):
            book.write(submission(f"z{i}", org="org_b"))
    other = files(home.parent / "other")
    lines = other[1].read_bytes().splitlines(keepends=True)
    first = int(lines[0].split(b" ")[0])
    folder = home.parent / "mixed" / "log"
    folder.mkdir(parents=True)
    shutil.copy(other[0], segment_path(folder, 1))
    # The same file, but its first line is of another log, where the organization's number is another.
    with Book(home.parent / "third", segment_bytes=1) as book:
        for i in range(first):
            book.write(submission(f"y{i}"))
    stranger = files(home.parent / "third")[first - 1].read_bytes()
    segment_path(folder, first).write_bytes(stranger)
    found = quick(folder.parent)
    assert "leaf index of organization org_a: 7" in detail(found, "log")
    assert f"{segment_path(folder, first)}, line 1, byte 0" in detail(found, "log")


def test_a_torn_last_write_fails_and_is_not_called_damage(home: Path) -> None:
    path = files(home)[-1]
    content = path.read_bytes()
    path.write_bytes(content[:-3])
    for name in ("tree", "heads"):
        shutil.rmtree(home / name)
    found = quick(home)
    assert statuses(found) == dict.fromkeys(NAMES, "pass") | {"last_write": "fail"}
    assert f"{path}, byte " in detail(found, "last_write")
    assert "torn by a power loss, or changed since" in detail(found, "last_write")


def test_a_write_that_is_being_written_is_waited_for(home: Path) -> None:
    path = files(home)[-1]
    content = path.read_bytes()
    path.write_bytes(content[:-3])

    def go_on(_seconds: float) -> None:
        path.write_bytes(content)

    assert audit(home, pause=go_on).ok


def test_a_log_that_grows_meanwhile_is_checked_as_far_as_it_was_whole(home: Path) -> None:
    """Every look finds another write half done."""
    path = files(home)[-1]
    whole = path.read_bytes()
    with Book(home) as book:
        for i in range(40):
            book.write(submission(f"later{i}", "and"))
    content = path.read_bytes()
    for later in files(home)[files(home).index(path) + 1 :]:
        later.unlink()
    ends = [len(whole) + at for at in range(10, len(content) - len(whole), 300)]
    path.write_bytes(content[: ends.pop(0)])
    found = audit(home, pause=lambda _: path.write_bytes(content[: ends.pop(0)]) and None)
    assert found.ok, found.checks
    assert statuses(found)["last_write"] == "pass"


def test_the_durable_end_is_believed_of_whoever_knows_it(home: Path) -> None:
    path = files(home)[-1]
    end = LogPlace(int(path.stem), path.stat().st_size)
    with path.open("ab") as file:
        file.write(b"half of wh")
    assert audit(home, end=lambda: end).ok
    assert not quick(home).ok


# Trees


def test_trees_may_be_shorter_than_the_log_or_not_there(home: Path) -> None:
    os.truncate(home / "tree" / "org_a", 100)
    (home / "tree" / "org_b").unlink()
    found = quick(home)
    assert found.ok
    assert "2 are not stored to their ends yet" in detail(found, "trees")
    shutil.rmtree(home / "tree")
    assert quick(home).ok


@pytest.mark.parametrize(("name", "content"), [("org_a", b"\0" * 32), ("org_a", b"x"), ("org_unknown", b"\1" * 32)])
def test_a_tree_that_goes_beyond_the_log_is_none(home: Path, name: str, content: bytes) -> None:
    with (home / "tree" / name).open("ab") as file:
        end = file.tell()
        file.write(content)
    found = quick(home)
    assert statuses(found)["trees"] == "fail"
    assert f"tree/{name}, byte {end}: it goes on" in detail(found, "trees")
