"""The stored trees: what the log gives, whatever happened to the files, the process or the tables meanwhile."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.proof.merkle import EMPTY
from assent_service.store import tree as tree_module
from assent_service.store.failures import LogDamaged
from assent_service.store.tree import Tree
from assent_service.store.tree_file import Frontier, bytes_of, peaks
from tests.service.store.grove import ORGS, Grove, event, hold, leaves, root
from tests.tiers import deep


@pytest.fixture
def grove(tmp_path: Path) -> Grove:
    return Grove(tmp_path / "tree")


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def flip(path: Path, byte: int) -> None:
    content = bytearray(path.read_bytes())
    content[byte] ^= 0x10
    path.write_bytes(content)


def test_a_tree_grows_in_any_batches(grove: Grove) -> None:
    for count in (1, 1, 3, 8, 2, 30, 0, 5):
        if count:
            grove.grow("org_a", count)
        hold(grove.tree, "org_a", grove.applied.get("org_a", 0))
    assert grove.file().stat().st_size == bytes_of(50) == 32 * 97  # 50 leaves and, as 50 = 32 + 16 + 2, 47 nodes
    assert grove.read == 0


def test_one_batch_holds_several_organizations_and_each_has_its_own_tree(grove: Grove) -> None:
    mixed = [one for pair in zip(grove.record("org_a", 9), grove.record("org_b", 9), strict=True) for one in pair]
    grove.tree.extend(mixed)
    for org in ORGS:
        hold(grove.tree, org, 9)
    assert grove.tree.root("org_a", 9) != grove.tree.root("org_b", 9)


def test_nobody_else_may_read_the_files(grove: Grove) -> None:
    grove.grow("org_a", 3)
    assert grove.folder.stat().st_mode & 0o777 == 0o700
    assert grove.file().stat().st_mode & 0o777 == 0o600


def test_an_organization_without_events_has_the_empty_tree(grove: Grove) -> None:
    assert grove.tree.size("org_none") == 0
    assert grove.tree.root("org_none", 0) == EMPTY
    assert grove.tree.consistency("org_none", 0, 0) == []


def test_what_is_out_of_range_is_refused(grove: Grove) -> None:
    grove.grow("org_a", 5)
    asked: list[Any] = [
        lambda: grove.tree.root("org_a", 6),
        lambda: grove.tree.root("org_a", -1),
        lambda: grove.tree.leaf("org_a", 5),
        lambda: grove.tree.leaf("org_a", -1),
        lambda: grove.tree.inclusion("org_a", 5, 5),
        lambda: grove.tree.inclusion("org_a", 0, 6),
        lambda: grove.tree.inclusion("org_a", -1, 5),
        lambda: grove.tree.consistency("org_a", 4, 3),
        lambda: grove.tree.consistency("org_a", 1, 6),
        lambda: grove.tree.root("org_none", 1),
    ]
    for ask in asked:
        with pytest.raises(ValueError, match="leaves"):
            ask()
    assert grove.read == 0


@deep("many starts")
@given(batches=st.lists(st.tuples(st.sampled_from(ORGS), st.integers(1, 20), st.booleans()), max_size=12))
def test_restarts_change_nothing(
    tmp_path_factory: pytest.TempPathFactory, batches: list[tuple[str, int, bool]]
) -> None:
    grove = Grove(tmp_path_factory.mktemp("restarts") / "tree")
    sizes = dict.fromkeys(ORGS, 0)
    for org, count, restart in batches:
        grove.grow(org, count)
        sizes[org] += count
        if restart:
            grove.open()
    for org, size in sizes.items():
        hold(grove.tree, org, size)
    assert grove.read == 0


@pytest.mark.parametrize("applied", range(12))
def test_what_the_tables_have_not_applied_is_cut_at_the_start_and_comes_again(grove: Grove, applied: int) -> None:
    grove.grow("org_a", 12)
    grove.applied = {"org_a": applied}
    grove.open()
    assert grove.file().stat().st_size == bytes_of(applied)
    assert grove.tree.size("org_a") == applied
    grove.tree.extend(grove.events[applied:])
    hold(grove.tree, "org_a", 12)
    assert grove.read == 0


def test_events_that_come_again_are_passed_over(grove: Grove) -> None:
    grove.grow("org_a", 7)
    grove.tree.extend(grove.events[3:7])
    grove.tree.extend([*grove.events[5:7], *grove.record("org_a", 4)])
    hold(grove.tree, "org_a", 11)
    assert grove.file().stat().st_size == bytes_of(11)


def test_an_event_too_early_is_no_silent_gap(grove: Grove) -> None:
    grove.grow("org_a", 3)
    grove.record("org_a", 1)
    with pytest.raises(LogDamaged, match="leaf 3 of org_a next; found leaf 4"):
        grove.tree.extend(grove.record("org_a", 1))


@pytest.mark.parametrize("left", [0, 1, 31, 32, 33, 100])
def test_a_deleted_or_shortened_file_is_made_from_the_log_with_a_line_in_the_service_log(
    grove: Grove, left: int, caplog: pytest.LogCaptureFixture
) -> None:
    grove.grow("org_a", 10)
    if left:
        os.truncate(grove.file(), left)
    else:
        grove.file().unlink()
    with caplog.at_level(logging.INFO, "assent.tree"):
        hold(grove.open(), "org_a", 10)
    assert grove.read == 1
    assert "the tree of org_a is made anew from the log" in caplog.text


def test_a_deleted_file_is_made_before_it_grows(grove: Grove) -> None:
    grove.grow("org_a", 10)
    grove.file().unlink()
    grove.open()
    grove.grow("org_a", 3)
    hold(grove.tree, "org_a", 13)


def test_a_file_that_goes_while_the_service_runs_is_made_anew(grove: Grove) -> None:
    grove.grow("org_a", 10)
    grove.file().unlink()
    grove.grow("org_a", 3)
    hold(grove.tree, "org_a", 13)


def test_an_older_data_folder_gets_all_its_trees_in_one_pass_and_only_when_one_is_asked_for(tmp_path: Path) -> None:
    grove = Grove(tmp_path / "tree")
    orgs = [f"org_{i}" for i in range(20)]
    for org in orgs:
        grove.record(org, 5)
    grove.applied = dict.fromkeys(orgs, 5)
    grove.open()
    assert grove.read == 0
    assert list(grove.folder.iterdir()) == []
    for org in orgs:
        hold(grove.tree, org, 5)
    assert grove.read == 1


def test_a_start_with_all_in_place_does_not_read_the_log_nor_ask_for_leaves(grove: Grove) -> None:
    grove.grow("org_a", 64)
    grove.open()
    grove.grow("org_a", 1)
    assert (grove.read, grove.asked) == (0, [])


@pytest.mark.parametrize("size", [1, 2, 5, 8, 11])
def test_no_spoilt_hash_is_ever_given_away(tmp_path: Path, size: int) -> None:
    """Every hash of the file, at several bytes; every answer that could need it."""
    for at in range(bytes_of(size) // 32):
        grove = Grove(tmp_path / f"tree{at}")
        grove.grow("org_a", size)
        flip(grove.file(), 32 * at + at % 32)
        grove.open()
        hold(grove.tree, "org_a", size)
        assert grove.read == 1, f"hash {at} was not found out"


@pytest.mark.parametrize("size", [1, 2, 3, 6, 7, 8, 12, 13])
def test_nothing_is_built_on_a_spoilt_hash(tmp_path: Path, size: int) -> None:
    for at in range(bytes_of(size) // 32):
        grove = Grove(tmp_path / f"tree{at}")
        grove.grow("org_a", size)
        flip(grove.file(), 32 * at)
        grove.open()
        grove.grow("org_a", 7)
        assert grove.tree.root("org_a", size + 7) == root("org_a", size + 7)
        hold(grove.tree, "org_a", size + 7)


def test_pages_that_never_arrived_are_found_out(grove: Grove) -> None:
    grove.grow("org_a", 200)
    content = grove.file().read_bytes()
    grove.file().write_bytes(content[:4096] + bytes(len(content) - 4096))
    grove.open()
    assert grove.tree.root("org_a", 200) == root("org_a", 200)
    assert grove.read == 1


def test_a_log_that_gives_another_tree_is_damage(grove: Grove) -> None:
    grove.grow("org_a", 6)
    grove.file().unlink()
    grove.events = grove.events[:4]
    grove.open()
    with pytest.raises(LogDamaged, match="the log has 4 of its events"):
        grove.tree.root("org_a", 6)
    assert list(grove.folder.iterdir()) == [], "half a tree is not left behind"


def test_a_leaf_that_the_log_has_otherwise_is_damage(grove: Grove) -> None:
    grove.grow("org_a", 3)
    grove.tree = Tree(grove.folder, {"org_a": 3}, leaf_of=lambda _org, _n: b"x" * 32, reread=grove.reread)
    with pytest.raises(LogDamaged, match="does not fit the others"):
        grove.tree.root("org_a", 3)
    assert grove.read == 1


def test_a_tree_that_is_ahead_of_the_tables_answers_all_the_same(grove: Grove) -> None:
    def not_there_yet(org: str, n: int) -> bytes:
        raise ValueError(f"{org} has no event {n} in the tables")

    grove.tree = Tree(grove.folder, {}, leaf_of=not_there_yet, reread=grove.reread)
    for count in (1, 2, 4, 3, 1):
        grove.grow("org_a", count)
        hold(grove.tree, "org_a", grove.applied["org_a"])


def test_what_an_interrupted_making_left_goes_at_the_start(grove: Grove) -> None:
    grove.grow("org_a", 3)
    (grove.folder / "org_a~").write_bytes(b"half")
    grove.open()
    assert [path.name for path in grove.folder.iterdir()] == ["org_a"]


def test_a_write_that_fails_is_tried_again(grove: Grove, monkeypatch: pytest.MonkeyPatch) -> None:
    grove.grow("org_a", 5)
    fresh = grove.record("org_a", 6)

    def refuse(fd: int, data: bytes, at: int) -> None:
        os.pwrite(fd, data[:20], at)
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(tree_module, "write_at", refuse)
        with pytest.raises(OSError, match="No space"):
            grove.tree.extend(fresh)
    assert grove.tree.size("org_a") == 5
    hold(grove.tree, "org_a", 5)
    grove.tree.extend(fresh)
    hold(grove.tree, "org_a", 11)


def test_many_organizations_need_few_descriptors_and_little_memory(
    grove: Grove, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_module, "FRONTIERS", 50)
    monkeypatch.setattr(tree_module, "OPEN_AT_ONCE", 8)
    orgs = [f"org_{i}" for i in range(150)]
    most = 0
    sync = os.fdatasync

    def count(fd: int) -> None:
        nonlocal most
        most = max(most, open_files())
        sync(fd)

    monkeypatch.setattr("assent_service.store.files.FILES.fdatasync", count)
    before = open_files()
    for _ in range(3):
        grove.tree.extend([one for org in orgs for one in grove.record(org, 3)])
    assert most <= before + 10
    assert open_files() == before
    held: Any = grove.tree
    assert len(held._frontiers) == 50
    for org in orgs[::10]:
        assert grove.tree.root(org, 9) == root(org, 9)
    assert grove.read == 0


def test_without_keeping_trees_nothing_is_written(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "tree", {}, leaf_of=lambda _org, _n: b"", reread=list, keep=False)
    tree.extend([event("org_a", 0)])
    assert tree.size("org_a") == 0
    assert list((tmp_path / "tree").iterdir()) == []


@pytest.mark.parametrize("size", range(20))
def test_a_frontier_is_the_row_of_complete_subtrees(size: int) -> None:
    frontier = Frontier(0, [])
    frontier.extend(leaves("org_a", size))
    assert frontier.root() == (root("org_a", size) if size else EMPTY)
    assert len(frontier.peaks) == len(peaks(size)) == size.bit_count()
