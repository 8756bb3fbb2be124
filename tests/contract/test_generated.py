"""The generated files are those that the contract gives now."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import unified_diff

import pytest

from tests.contract.generated import HOW, generated, on_disk
from tests.every import every


def difference(present: list[str], wanted: list[str]) -> Iterator[str]:
    """Unified; each place says which block it is in, as git does: the nearest line above that is not indented."""
    for line in unified_diff(present, wanted, "as it is", "as the contract says", lineterm=""):
        start = re.match(r"@@ -(\d+)", line)
        above = reversed(present[: int(start[1])]) if start else ()
        yield f"{line} {next((each for each in above if each[:1].strip()), '')}".rstrip() if start else line


@every("name", lambda: sorted(generated()))
def test_a_generated_file_is_current(name: str) -> None:
    wanted, present = generated()[name], on_disk(name)
    if wanted != present:
        lines = difference(present.splitlines(), wanted.splitlines())
        pytest.fail("\n".join([f"{name} is not current.", *lines, "", HOW]), pytrace=False)


def test_a_difference_names_its_block() -> None:
    present = ["Loop", "  a: text", "  b: text", "  c: text", "  d: text", "  e: text"]
    assert list(difference(present, [*present[:5], "  e: integer"]))[2:] == [
        *("@@ -3,4 +3,4 @@ Loop", "   b: text", "   c: text", "   d: text", "-  e: text", "+  e: integer"),
    ]
