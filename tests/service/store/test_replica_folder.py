"""Whose a data folder is, before a replica makes it its own: pure files, in a moment, and so in the quick tier."""

from __future__ import annotations

from pathlib import Path

import pytest

from assent_service.store.failures import FolderOfAnotherLog
from assent_service.store.replica_folder import MARK, check_claim, claim, discard

OURS, OTHER = "0b0e7c9a-1111-4a6f-9d52-7c1f6d2b8a01", "0b0e7c9a-2222-4a6f-9d52-7c1f6d2b8a02"


@pytest.mark.parametrize("left", ["", OURS[:10], "\0" * 37, OURS, f"{OURS}\n"])
def test_what_a_crash_has_left_of_a_mark_keeps_nobody_out(tmp_path: Path, left: str) -> None:
    (tmp_path / MARK).write_text(left)
    (tmp_path / "log").mkdir()
    (tmp_path / "admin.key").write_text("a key")
    (tmp_path / "tables.duckdb").touch()
    claim(tmp_path, OURS)
    assert (tmp_path / MARK).read_text().strip() == OURS
    with pytest.raises(FolderOfAnotherLog, match="a copy of another database's log"):
        claim(tmp_path, OTHER)


@pytest.mark.parametrize("kept", ["log/00000000000000000001.log", "wallet/org_a/k.key", "blobs/org_a/x", "heads/org_a"])
@pytest.mark.parametrize("left", [None, OURS[:10]])
def test_a_folder_with_anything_of_its_own_is_left_as_it_is(tmp_path: Path, kept: str, left: str | None) -> None:
    (tmp_path / kept).parent.mkdir(parents=True)
    (tmp_path / kept).write_text("something")
    if left is not None:
        (tmp_path / MARK).write_text(left)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(FolderOfAnotherLog, match="has a log of its own"):
        check_claim(tmp_path, OURS)
    with pytest.raises(FolderOfAnotherLog, match="has a log of its own"):
        claim(tmp_path, OURS)
    assert sorted(tmp_path.rglob("*")) == before


def test_of_a_log_on_another_disk_only_its_own_files_go(tmp_path: Path) -> None:
    home, disk = tmp_path / "home", tmp_path / "disk"
    for each in (home, disk, disk / "lost+found"):
        each.mkdir()
    (disk / "00000000000000000001.log").write_text("line")
    (disk / "00000000000000000001.seal").write_text("seal")
    (disk / "other.txt").write_text("somebody's")
    (home / "log").symlink_to(disk)
    claim_before = home / MARK
    claim_before.write_text(f"{OURS}\n")
    discard(home)
    assert sorted(path.name for path in disk.iterdir()) == ["lost+found", "other.txt"]
    assert ((home / "log").is_symlink(), claim_before.exists()) == (True, False)
