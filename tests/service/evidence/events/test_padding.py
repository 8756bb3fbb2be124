"""Padding fills blocks and says nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent_service.evidence.events.frames import notice, pad, reads_in_blocks
from tests.service.evidence.events.sse import parse

sizes = st.one_of(st.integers(0, 9000), st.integers(4096 - 60, 4096 + 4), st.integers(8192 - 60, 8192 + 4))


@given(sizes)
def test_every_write_is_whole_blocks_and_means_the_same(size: int) -> None:
    chunk = notice("e", {"x": "y" * size})
    padded = pad(chunk)
    assert len(padded) % 4096 == 0
    assert len(padded) < len(chunk) + 4096
    assert padded.startswith(chunk)
    assert parse(padded + chunk).heard == parse(chunk + chunk).heard


@pytest.mark.parametrize("missing", [0, 1, 2, 3, 4095])
def test_each_length_of_padding(missing: int) -> None:
    chunk = b":" + b"x" * (4096 - missing - 3) + b"\n\n" if missing < 4090 else b"\n"
    assert len(pad(chunk)) == 4096
    assert pad(chunk)[len(chunk) :].endswith(b"\n") or missing == 0


@pytest.mark.parametrize(
    ("agent", "blocks"),
    [("Python-urllib/3.11", True), ("Python-urllib/2.7", True), ("python-httpx/0.28.1", False), ("", False)],
)
def test_who_reads_in_blocks(agent: str, blocks: bool) -> None:
    assert reads_in_blocks(agent) is blocks
