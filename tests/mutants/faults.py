"""The planted faults as data (`faults.toml`), and how one is put into a text."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec

TOP = Path(__file__).parents[2]
LISTED = Path(__file__).with_name("faults.toml")
PARTS = (
    "guard",
    "claims",
    "transitions",
    "limits",
    "folds",
    "store",
    "proof",
    "statistics",
    "sdk",
    "hooks",
    "dashboard",
)


class NotPlanted(Exception):
    """A fault that no longer fits the text that it was written for."""


class Fault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`old` stands exactly once in `file` and becomes `new`, which differs from it in one line. `near` are the tests
    that are run first: files, or a test of one (`file.py::test`)."""

    name: str
    part: str
    file: str
    old: str
    new: str
    breaks: str
    near: list[str]

    def plant(self, text: str) -> str:
        """The text with the fault in it. Raises NotPlanted."""
        times = text.count(self.old)
        if times != 1:
            raise NotPlanted(f"{self.name}: what it replaces stands {times} times in {self.file}, not once")
        return text.replace(self.old, self.new)


class _Listed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    fault: list[Fault]


def faults() -> list[Fault]:
    """All of them, in their order. Raises msgspec.ValidationError for what is none."""
    return msgspec.convert(tomllib.loads(LISTED.read_text(encoding="utf-8")), _Listed).fault
