"""The fenced blocks of Markdown texts: their language, and what is in them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

FENCE = re.compile(
    r"^(?P<indent> *)(?P<mark>```+|~~~+)(?P<language>[^\n]*)\n(?P<code>.*?)^(?P=indent)(?P=mark) *$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """`line` is where it begins. A block of JSON whose file is named `.jsonl` is in that language, a line each."""

    language: str
    code: str
    line: int


def blocks(text: str) -> Iterator[Block]:
    for found in FENCE.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        language, _, more = found["language"].strip().partition(" ")
        lines = language == "json" and '.jsonl"' in more
        yield Block("jsonl" if lines else language, textwrap.dedent(found["code"]), line)
