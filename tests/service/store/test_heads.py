"""Signed heads on the disk: what was kept stays, in order; what was torn was never given away."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from assent_service.store.failures import LogDamaged
from assent_service.store.heads import Head, HeadStore
from assent_service.store.leases import Lease
from tests.service.store.logbook import FaultyFiles
from tests.tiers import deep

NOTE = "origin/org_a\n%d\nroot\n\n\N{EM DASH} origin/org_a AAAA\n"


@pytest.fixture
def heads(tmp_path: Path) -> HeadStore:
    return HeadStore(tmp_path)


def fill(heads: HeadStore, *sizes: int, org: str = "org_a") -> None:
    for size in sizes:
        heads.append(org, size, NOTE % size)


def file(home: Path, org: str = "org_a") -> Path:
    return home / "heads" / f"{org}.jsonl"


def test_there_is_nothing_at_first(heads: HeadStore, tmp_path: Path) -> None:
    assert heads.newest("org_a") is None
    assert heads.of_size("org_a", 3) is None
    assert list(heads.all("org_a")) == []
    assert not file(tmp_path).exists()


def test_heads_are_kept_in_order_and_found_by_their_size(heads: HeadStore, tmp_path: Path) -> None:
    fill(heads, 1, 5, 15, 150)
    fill(heads, 7, org="org_b")
    for each in (heads, HeadStore(tmp_path)):
        assert each.newest("org_a") == Head(150, NOTE % 150)
        assert [head.size for head in each.all("org_a")] == [1, 5, 15, 150]
        assert [each.of_size("org_a", size) for size in (1, 5, 15, 150)] == list(each.all("org_a"))
        assert [each.of_size("org_a", size) for size in (0, 2, 50, 1500, 7)] == [None] * 5
        assert each.newest("org_b") == Head(7, NOTE % 7)
    assert file(tmp_path).stat().st_mode & 0o777 == 0o600


def test_the_first_head_that_covers_a_size_is_found(heads: HeadStore, tmp_path: Path) -> None:
    assert heads.covering("org_a", 1) is None
    fill(heads, 2, 5, 5, 150)
    found = [heads.covering("org_a", size) for size in (1, 2, 3, 5, 6, 150, 151)]
    assert [head.size if head else None for head in found] == [2, 2, 5, 5, 150, 150, None]


@deep("twelve thousand sizes are looked for")
def test_it_is_found_among_many(tmp_path: Path) -> None:
    """So many that the file is not read whole."""
    sizes = [3 * number for number in range(1, 4001)]
    (tmp_path / "heads").mkdir()
    lines = [msgspec.json.encode(Head(size, NOTE % size)) + b"\n" for size in sizes]
    file(tmp_path).write_bytes(b"".join(lines))
    assert file(tmp_path).stat().st_size > 3 * (64 << 10)
    heads = HeadStore(tmp_path)
    for size in range(1, 12_001):
        found = heads.covering("org_a", size)
        assert found is not None
        assert found.size == -(-size // 3) * 3, size
    assert heads.covering("org_a", 12_001) is None


def test_a_later_head_of_the_same_size_counts(heads: HeadStore) -> None:
    fill(heads, 4)
    heads.append("org_a", 4, "signed anew")
    assert heads.of_size("org_a", 4) == heads.newest("org_a") == Head(4, "signed anew")


class Objects:
    """What the services on one log have in common, in memory."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], bytes] = {}

    def put(self, kind: str, name: str, content: bytes) -> bytes:
        return self._kept.setdefault((kind, name), content)

    def get(self, kind: str, name: str) -> bytes | None:
        return self._kept.get((kind, name))

    def remove(self, kind: str, name: str) -> None:
        self._kept.pop((kind, name), None)

    def objects(self, kind: str, prefix: str, after: str = "") -> list[tuple[str, bytes]]:
        found = [(name, content) for (which, name), content in self._kept.items() if which == kind]
        return sorted((name, content) for name, content in found if name.startswith(prefix) and name > after)

    def names(self, kind: str, prefix: str = "") -> list[str]:
        return [name for name, _ in self.objects(kind, prefix)]

    def blank(self, org: str, ns: Sequence[int]) -> int:
        return len(ns)

    def left(self, name: str) -> float | None:
        raise AssertionError

    def lease(self, name: str, holder: str, seconds: float) -> Lease:
        return Lease(granted=True, holder=holder, seconds=seconds)


def test_the_first_head_of_a_size_is_the_one_that_every_service_keeps(tmp_path: Path) -> None:
    objects = Objects()
    one, two = HeadStore(tmp_path / "one", shared=objects), HeadStore(tmp_path / "two", shared=objects)
    # Both have looked, and neither knew of the other's.
    assert [one.append("org_a", 8, "of one"), two.append("org_a", 8, "of two")] == ["of one", "of one"]
    assert [one.append("org_a", 9, "nine"), two.append("org_a", 9, "nine of two")] == ["nine", "nine"]
    for each in (one, two):
        assert list(each.all("org_a")) == [Head(8, "of one"), Head(9, "nine")]


def test_of_two_services_whose_key_has_ended_one_signs_a_size_again(tmp_path: Path) -> None:
    objects = Objects()
    one, two = HeadStore(tmp_path / "one", shared=objects), HeadStore(tmp_path / "two", shared=objects)
    one.append("org_a", 8, "old key")
    assert one.append("org_a", 8, "new key", "old key") == "new key"
    assert two.append("org_a", 8, "new key, later", "old key") == "new key"
    assert {each.newest("org_a") for each in (one, two)} == {Head(8, "new key")}


def test_a_head_never_goes_back(heads: HeadStore) -> None:
    fill(heads, 4)
    with pytest.raises(ValueError, match="3 leaves cannot come after one of 4"):
        fill(heads, 3)
    assert [head.size for head in heads.all("org_a")] == [4]


def test_the_newest_of_many_is_found_whatever_the_length_of_lines(heads: HeadStore, tmp_path: Path) -> None:
    fill(heads, *range(1, 1200))
    assert HeadStore(tmp_path).newest("org_a") == Head(1199, NOTE % 1199)
    heads.append("org_a", 1200, "x" * 200_000)
    for each in (heads, HeadStore(tmp_path)):
        assert each.newest("org_a") == Head(1200, "x" * 200_000)
    fill(heads, 1201)
    assert HeadStore(tmp_path).newest("org_a") == Head(1201, NOTE % 1201)


def test_a_torn_last_line_is_cut_off_at_opening(heads: HeadStore, tmp_path: Path) -> None:
    fill(heads, 1, 2)
    content = file(tmp_path).read_bytes()
    first = content.index(b"\n") + 1
    for cut in range(first, len(content)):
        file(tmp_path).write_bytes(content[:cut])
        opened = HeadStore(tmp_path)
        assert file(tmp_path).read_bytes() == content[:first]
        assert [head.size for head in opened.all("org_a")] == [1]
    opened.append("org_a", 2, NOTE % 2)
    assert file(tmp_path).read_bytes() == content


@pytest.mark.parametrize("operation", ["write", "fsync"])
def test_a_head_that_could_not_be_written_is_not_there(tmp_path: Path, operation: str) -> None:
    files = FaultyFiles()
    heads = HeadStore(tmp_path, files)
    fill(heads, 1)
    files.errors[operation] = 28
    if operation == "write":
        files.errors.clear()
        files.room = 10
    with pytest.raises(OSError, match="No space"):
        fill(heads, 2)
    assert [head.size for head in heads.all("org_a")] == [1]
    files.errors.clear()
    files.room = None
    fill(heads, 3)
    assert [head.size for head in HeadStore(tmp_path).all("org_a")] == [1, 3]


def test_what_is_no_head_is_named(heads: HeadStore, tmp_path: Path) -> None:
    fill(heads, 1, 2, 3)
    lines = file(tmp_path).read_bytes().splitlines(keepends=True)
    file(tmp_path).write_bytes(lines[0] + b'{"size":"two"}\n' + lines[2])
    found = HeadStore(tmp_path)
    with pytest.raises(LogDamaged, match="line 2") as caught:
        list(found.all("org_a"))
    assert (caught.value.line, caught.value.offset) == (2, len(lines[0]))
    assert found.newest("org_a") == Head(3, NOTE % 3)
