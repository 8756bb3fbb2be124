"""Counting in a file that many processes write, and telling it once."""

from __future__ import annotations

import stat
import time
from multiprocessing import get_context
from pathlib import Path

import pytest

from assent import tally as module
from assent.tally import WIDTH, Tally


def count_many(file: str, times: int) -> None:
    for _ in range(times):
        Tally(Path(file)).add()


def test_processes_count_at_once_and_one_tells(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "tally"
    context = get_context("spawn")
    processes = [context.Process(target=count_many, args=(str(file), 200)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert Tally(file).look().count == 800
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    first, second = Tally(file).take(), Tally(file).take()
    assert first is not None
    assert (first.count, second) == (800, None)
    Tally(file).add()
    first.give_back()
    again = Tally(file).take()
    assert again is not None
    assert again.count == 801
    again.clear()
    assert list(file.parent.iterdir()) == []


def test_first_and_last_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tally = Tally(tmp_path / "tally")
    for second in (100, 50, 75):
        monkeypatch.setattr(time, "time", lambda second=second: second)
        tally.add()
    found = tally.look()
    assert (found.count, found.first, found.last) == (3, "1970-01-01T00:00:50Z", "1970-01-01T00:01:40Z")


def test_it_does_not_grow_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 3)
    tally = Tally(tmp_path / "tally")
    for _ in range(10):
        tally.add()
    assert (tmp_path / "tally").stat().st_size == 3 * WIDTH
    assert (tally.look().count, tally.look().more) == (3, True)


def test_what_was_taken_and_never_told_is_counted_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tally = Tally(tmp_path / "tally")
    tally.add()
    assert tally.take() is not None
    assert tally.take() is None, "somebody may still tell it"
    monkeypatch.setattr(module, "ABANDONED", -1.0)
    found = tally.take()
    assert found is not None
    assert found.count == 1


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(OSError, match="file"):
        Tally(tmp_path / "file" / "tally").add()
