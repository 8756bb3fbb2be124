"""A framework's quickstart, as its page has it: the program is run in the framework's environment, and prints what the
page shows. Pages are followed elsewhere (`tests/docs`), where no framework is installed."""

from __future__ import annotations

from pathlib import Path

from tests.docs.page import Block, blocks, commands, compare
from tests.live import ROOT
from tests.sdk.adapters.conftest import Runs

PAGE = ROOT / "docs" / "how-to" / "govern-a-frameworks-tools.md"


def quickstart(name: str) -> tuple[str, str, str]:
    """The program of this name, the command that runs it, and what it prints."""
    found = blocks(PAGE)
    [at] = [place for place, each in enumerate(found) if each.title == name]
    program, console = found[at], found[at + 1]
    assert program.not_run, "it would be run on the page as well"
    assert _is_console(console), f"no console after {name}"
    [(command, shown)] = commands(console.text)
    return program.text, command, shown


def follow(name: str, framework: str, runs: Runs, folder: Path) -> None:
    text, command, shown = quickstart(name)
    assert command == f"python {name}"
    script = folder / name
    script.write_text(text, encoding="utf-8")
    compare(shown, runs(framework, script).output(), command)


def _is_console(block: Block) -> bool:
    return block.language == "console" and block.not_run is not None
