"""Bundles that are kept: whole, once, for their organization only, and not for ever."""

import os
import stat
import time
from pathlib import Path

from assent_service.evidence.proofs.shelf import DAYS, BundleFiles

ONE = "sha256:" + "ab" * 32
OTHER = "sha256:" + "ab" + "cd" * 31


def test_what_was_put_is_got_by_its_id_and_by_nobody_else(tmp_path: Path) -> None:
    shelf = BundleFiles(tmp_path)
    shelf.put("org_1", ONE, "act_1", b"one")
    shelf.put("org_1", OTHER, None, b"other")
    assert shelf.get("org_1", ONE) == b"one"
    assert shelf.get("org_1", OTHER) == b"other"
    assert shelf.get("org_2", ONE) is None
    assert shelf.get("org_1", "sha256:" + "00" * 32) is None


def test_the_file_names_the_action_and_is_for_its_owner_only(tmp_path: Path) -> None:
    BundleFiles(tmp_path).put("org_1", ONE, "act_1", b"one")
    (file,) = tmp_path.glob("bundles/org_1/ab/*")
    assert file.name == f"{'ab' * 32}.act_1.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_putting_it_again_keeps_one_and_makes_it_young(tmp_path: Path) -> None:
    shelf = BundleFiles(tmp_path)
    shelf.put("org_1", ONE, "act_1", b"one")
    (file,) = tmp_path.glob("bundles/org_1/ab/*")
    os.utime(file, (0, 0))
    shelf.put("org_1", ONE, "act_1", b"one")
    assert len(list(tmp_path.glob("bundles/org_1/ab/*"))) == 1
    assert file.stat().st_mtime > time.time() - 60


def test_a_start_removes_what_is_old_or_unfinished(tmp_path: Path) -> None:
    shelf = BundleFiles(tmp_path)
    shelf.put("org_1", ONE, "act_1", b"old")
    shelf.put("org_1", OTHER, "act_2", b"asked for")
    folder = tmp_path / "bundles" / "org_1" / "ab"
    (folder / "half.part").write_bytes(b"ha")
    long_ago = time.time() - (DAYS + 1) * 86_400
    for file in folder.glob("*.json"):
        os.utime(file, (long_ago, long_ago))
    shelf.get("org_1", OTHER)
    shelf.sweep()
    assert [file.read_bytes() for file in folder.iterdir()] == [b"asked for"]


def test_sweeping_a_folder_that_is_not_there_does_nothing(tmp_path: Path) -> None:
    BundleFiles(tmp_path).sweep()
    assert list(tmp_path.iterdir()) == []
