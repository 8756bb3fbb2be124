"""A file or a stream as text, piece by piece, whatever its size: what it is encoded in, and where each piece begins.

UTF-8 unless a byte order mark says UTF-16 or UTF-32. What is not valid is replaced and counted. A NUL in the first
bytes of what has no such mark is a binary file, which is refused: its text has to be taken out of it first.
"""

from __future__ import annotations

import codecs
import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BufferedIOBase

BLOCK = 1 << 18
"""Bytes read at a time."""
LOOKED_AT = 8000
"""Bytes in which a NUL tells a binary file."""
PIECE = 1_000_000
"""Characters scanned at a time; a text that is not longer is scanned as a whole."""
OVERLAP = 2_000
"""Characters that a piece has in common with the one before, for what stands across its border."""
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_MARKS = (  # the longer ones first: UTF-32's begins like UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF8, "utf-8"),
)
_INVALID = re.compile("[\udc80-\udcff]")


class Binary(ValueError):
    """It is no text; `at` is the first byte that says so, counted from 0."""

    def __init__(self, at: int) -> None:
        super().__init__(f"it is a binary file (byte {at} is NUL)")
        self.at = at


@dataclass(frozen=True)
class Piece:
    """`begin` counts characters before it; `line` and `column` are where its first character stands, from 1."""

    text: str
    begin: int
    line: int
    column: int

    def place(self, at: int) -> tuple[int, int]:
        """Line and column of the character `at` of this piece."""
        before = self.text.count("\n", 0, at)
        if not before:
            return self.line, self.column + at
        return self.line + before, at - self.text.rfind("\n", 0, at)


class DecodedText:
    """Reads `stream` to its end. `characters`, `invalid` (bytes, or pairs and fours of them, that are no characters),
    `encoding` and `digest` are there once `pieces` is exhausted; `told` is called with the bytes read so far."""

    def __init__(self, stream: BufferedIOBase, told: Callable[[int], None] = lambda _: None) -> None:
        self.stream = stream
        self.told = told
        self.encoding = "utf-8"
        self.characters = self.invalid = 0
        self._digest = hashlib.sha256()

    @property
    def digest(self) -> str:
        """`sha256:` and the hexadecimal digest of the text in UTF-8, as the list of allowed texts has it unless
        the text holds secrets: there they are taken out first."""
        return f"sha256:{self._digest.hexdigest()}"

    def pieces(self) -> Iterator[Piece]:
        """At least one, which is empty for an empty text. Raises Binary, and OSError."""
        held, piece = "", Piece("", 0, 1, 1)
        for text in self._texts():
            held += text
            while len(held) >= PIECE + OVERLAP:
                piece = Piece(held[:PIECE], piece.begin, piece.line, piece.column)
                yield piece
                cut = PIECE - OVERLAP
                piece = Piece("", piece.begin + cut, *piece.place(cut))
                held = held[cut:]
        yield Piece(held, piece.begin, piece.line, piece.column)

    def _texts(self) -> Iterator[str]:
        blocks = self._blocks()
        data = next(blocks)
        mark, self.encoding = next((each for each in _MARKS if data.startswith(each[0])), (b"", "utf-8"))
        if not mark and (at := data[:LOOKED_AT].find(0)) >= 0:
            raise Binary(at)
        utf8 = self.encoding == "utf-8"
        decoder = codecs.getincrementaldecoder(self.encoding)("surrogateescape" if utf8 else "replace")
        read, block = len(data), data[len(mark) :]
        while True:
            text = decoder.decode(block, final=not data)
            if utf8:
                text, invalid = _INVALID.subn(REPLACEMENT, text)
            else:
                invalid = text.count(REPLACEMENT)
            self.invalid += invalid
            self.characters += len(text)
            self._digest.update(text.encode())
            yield text
            if not data:
                return
            self.told(read)
            data = block = next(blocks)
            read += len(data)

    def _blocks(self) -> Iterator[bytes]:
        """The first is as long as it takes to see a mark or a NUL, also from a pipe that gives a byte at a time. The
        last is empty; a terminal's end is told only once, so nothing is read after it."""
        data = more = self.stream.read1(BLOCK)
        while more and len(data) < LOOKED_AT:
            more = self.stream.read1(BLOCK)
            data += more
        if data:
            yield data
        while more:
            more = self.stream.read1(BLOCK)
            if more:
                yield more
        yield b""
