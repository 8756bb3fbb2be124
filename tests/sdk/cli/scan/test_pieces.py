"""Files and streams as text: encodings, places, digests, and pieces whose borders lose nothing."""

from __future__ import annotations

import hashlib
import io

import pytest

from assent.cli.scan import pieces
from assent.cli.scan.pieces import Binary, DecodedText, Piece


def read(data: bytes) -> tuple[str, DecodedText]:
    reading = DecodedText(io.BytesIO(data))
    (piece,) = reading.pieces()
    return piece.text, reading


@pytest.mark.parametrize(
    ("data", "text", "encoding", "invalid"),
    [
        (b"", "", "utf-8", 0),
        ("Größe 你好\r\n".encode(), "Größe 你好\r\n", "utf-8", 0),
        ("\ufeffmark".encode(), "mark", "utf-8", 0),
        ("wide".encode("utf-16"), "wide", "utf-16-le", 0),
        (b"\xfe\xff" + "wide".encode("utf-16-be"), "wide", "utf-16-be", 0),
        ("wider".encode("utf-32"), "wider", "utf-32-le", 0),
        (b"caf\xe9 \xff", "caf\ufffd \ufffd", "utf-8", 2),
        ("\ufffd is a character".encode(), "\ufffd is a character", "utf-8", 0),
        (b"ends in the middle " + "é".encode()[:1], "ends in the middle \ufffd", "utf-8", 1),
        (b"a" * 8000 + b"\x00", "a" * 8000 + "\x00", "utf-8", 0),
    ],
)
def test_what_a_file_says(data: bytes, text: str, encoding: str, invalid: int) -> None:
    found, reading = read(data)
    assert (found, reading.encoding, reading.invalid) == (text, encoding, invalid)
    assert reading.characters == len(text)
    assert reading.digest == "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def test_a_binary_file_is_refused() -> None:
    with pytest.raises(Binary, match=r"byte 3 is NUL"):
        read(b"\x7fEL\x00F")


class Trickle(io.BufferedIOBase):
    """A pipe that gives a byte at a time."""

    def __init__(self, data: bytes) -> None:
        self.rest = data

    def read1(self, size: int = -1, /) -> bytes:
        given, self.rest = self.rest[:1], self.rest[1:]
        return given


def test_letters_may_come_in_any_parts() -> None:
    text = "\ufeff" + "é你" * 3000
    assert "".join(piece.text for piece in DecodedText(Trickle(text.encode())).pieces()) == text[1:]


@pytest.mark.parametrize("size", [0, 1, 119, 120, 121, 219, 220, 221, 500, 1000])
def test_pieces_cover_the_text_and_know_where_they_begin(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE", 100)
    monkeypatch.setattr(pieces, "OVERLAP", 20)
    text = "".join("\n" if at % 7 == 3 else chr(97 + at % 26) for at in range(size))
    end = 0
    for piece in DecodedText(io.BytesIO(text.encode())).pieces():
        assert text[piece.begin : piece.begin + len(piece.text)] == piece.text
        assert piece.begin == max(0, end - 20)
        end = piece.begin + len(piece.text)
        for at in range(len(piece.text)):
            before = text[: piece.begin + at]
            assert piece.place(at) == (before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)
    assert end == size


def test_a_place_counts_from_one() -> None:
    assert Piece("ab\ncd", 0, 1, 1).place(0) == (1, 1)
    assert Piece("ab\ncd", 0, 1, 1).place(3) == (2, 1)
    assert Piece("ab\ncd", 9, 4, 6).place(1) == (4, 7)
