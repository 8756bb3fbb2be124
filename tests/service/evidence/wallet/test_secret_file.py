"""Files for their owner's eyes only."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from assent.contract.problems import Code
from assent_service.base.problem import Refusal
from assent_service.evidence.wallet import secret_file


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_it_is_made_with_its_folders_whatever_the_umask(tmp_path: Path) -> None:
    file = tmp_path / "wallet" / "org_1" / "a.key"
    before = os.umask(0)
    try:
        secret_file.write(file, b"secret")
    finally:
        os.umask(before)
    assert secret_file.read(file) == b"secret"
    assert (mode(file), mode(file.parent), mode(file.parent.parent)) == (0o600, 0o700, 0o700)
    assert [each.name for each in file.parent.iterdir()] == ["a.key"]


def test_what_is_not_there_is_none(tmp_path: Path) -> None:
    assert secret_file.read(tmp_path / "no" / "such") is None


def test_it_is_never_written_over(tmp_path: Path) -> None:
    file = tmp_path / "a.key"
    secret_file.write(file, b"first")
    with pytest.raises(FileExistsError):
        secret_file.write(file, b"second")
    assert file.read_bytes() == b"first"


def test_what_a_crash_left_behind_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "a.key.new").write_bytes(b"half")
    secret_file.write(tmp_path / "a.key", b"whole")
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("a.key", b"whole")]


def test_a_failure_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        secret_file.write(tmp_path / "a.key", b"secret")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("open_to", [0o640, 0o604, 0o620, 0o666, 0o610])
def test_a_file_that_others_can_reach_is_refused(tmp_path: Path, open_to: int) -> None:
    file = tmp_path / "a.key"
    secret_file.write(file, b"topsecret")
    file.chmod(open_to)
    with pytest.raises(Refusal) as found:
        secret_file.read(file)
    assert found.value.code is Code.WALLET_UNAVAILABLE
    assert f"(mode {open_to:04o})" in found.value.detail
    assert "chmod 600" in found.value.detail
    assert "topsecret" not in found.value.detail
    file.chmod(0o400)
    assert secret_file.read(file) == b"topsecret"


def test_what_is_no_plain_file_is_refused_at_once(tmp_path: Path) -> None:
    pipe = tmp_path / "a.key"
    os.mkfifo(pipe, 0o600)
    (tmp_path / "b.key").mkdir()
    for path in (pipe, tmp_path / "b.key"):
        with pytest.raises(Refusal) as found:
            secret_file.read(path)
        assert found.value.code is Code.WALLET_UNAVAILABLE


def test_a_file_behind_a_link_is_read_as_the_file_it_is(tmp_path: Path) -> None:
    secret_file.write(tmp_path / "real", b"secret")
    (tmp_path / "a.key").symlink_to(tmp_path / "real")
    assert secret_file.read(tmp_path / "a.key") == b"secret"
