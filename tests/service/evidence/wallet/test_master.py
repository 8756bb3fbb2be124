"""The key-encryption key: from the setting, or from a file that is made once."""

from __future__ import annotations

import base64
import stat
from pathlib import Path
from threading import Thread

import pytest

from assent.contract.problems import Code
from assent_service.base.problem import Refusal
from assent_service.evidence.wallet.master import Master

KEY = bytes(range(32))
TEXT = base64.b64encode(KEY).decode()


def test_the_setting_is_the_key_and_no_file_is_made(tmp_path: Path) -> None:
    master = Master(tmp_path, TEXT)
    assert master.found() == KEY
    assert master.found_or_made() == KEY
    assert Master(tmp_path, f" {TEXT}\n").found() == KEY
    assert list(tmp_path.iterdir()) == []


def test_the_file_is_the_owners_alone_and_made_once(tmp_path: Path) -> None:
    key = Master(tmp_path, None).found_or_made()
    (file,) = tmp_path.iterdir()
    assert (file.name, stat.S_IMODE(file.stat().st_mode), len(key)) == ("wallet.key", 0o600, 32)
    assert Master(tmp_path, None).found_or_made() == key
    assert Master(tmp_path, None).found() == key
    # The file can become the setting.
    assert Master(tmp_path / "elsewhere", file.read_text()).found() == key


def test_two_folders_have_nothing_in_common(tmp_path: Path) -> None:
    keys = set()
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        keys.add(Master(tmp_path / name, None).found_or_made())
    assert len(keys) == 2


def test_many_at_once_make_one(tmp_path: Path) -> None:
    master = Master(tmp_path, None)
    found: list[bytes] = []
    threads = [Thread(target=lambda: found.append(master.found_or_made())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1


def test_opening_makes_none(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as found:
        Master(tmp_path, None).found()
    assert found.value.code is Code.WALLET_UNAVAILABLE
    assert "wallet.key in the data folder is missing" in found.value.detail
    assert "ASSENT_WALLET_KEY" in found.value.detail
    assert "rotate" in found.value.detail
    assert list(tmp_path.iterdir()) == []


BAD = ["", "secret", "ASECRETTHATISTOOSHORT==", TEXT[:-1], TEXT.replace("=", "-"), TEXT + "AAAA", KEY.hex(), "é" * 44]


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_key_is_refused_and_not_repeated(tmp_path: Path, text: str) -> None:
    (tmp_path / "wallet.key").write_text(text, encoding="utf-8")
    (tmp_path / "wallet.key").chmod(0o600)
    for master, place in ((Master(tmp_path, text), "ASSENT_WALLET_KEY"), (Master(tmp_path, None), "wallet.key")):
        for ask in (master.found, master.found_or_made):
            with pytest.raises(Refusal) as found:
                ask()
            assert found.value.code is Code.WALLET_UNAVAILABLE
            assert place in found.value.detail
            assert "32 bytes in base64" in found.value.detail
            assert len(text) < 6 or text not in found.value.detail


def test_a_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    Master(tmp_path, None).found_or_made()
    (tmp_path / "wallet.key").chmod(0o644)
    with pytest.raises(Refusal, match="can be read by others"):
        Master(tmp_path, None).found()
    with pytest.raises(Refusal, match="can be read by others"):
        Master(tmp_path, None).found_or_made()
