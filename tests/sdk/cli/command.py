"""`assent` as a process of its own, forked from one that has its modules ready: for tests that start it often and look
at what it said when it has ended. Each costs a third of a second of processor time less than one from nothing.

That it starts from nothing is tested where it runs in a terminal, in a pipe and as an MCP server.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tests.forked import COMMAND, Forks

ASSENT = Path(sys.executable).with_name("assent")
MODULES = (*COMMAND, "assent.cli.hooks.commands")
WAIT = 120.0


@cache
def ready() -> Forks:
    """The one of this process of tests that has the command's modules."""
    return Forks(MODULES)


def run(
    *words: str,
    environment: Mapping[str, str],
    folder: Path,
    without: tuple[str, ...] = ("ASSENT_",),
    inside: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """What the command said, which stays in `folder`, and its exit code. It has this process's environment too, but for
    what begins like one of `without`, and runs `inside` a folder, else in this process's."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(without)}
    folder.mkdir(exist_ok=True)
    output, errors = folder / "output", folder / "errors"
    process = ready().start(
        str(ASSENT),
        *words,
        environment={**kept, **environment},
        output=output,
        errors=errors,
        directory=inside or Path.cwd(),
    )
    try:
        code = process.wait(WAIT)
    finally:
        process.kill()
    return subprocess.CompletedProcess(
        [str(ASSENT), *words], code, output.read_text("utf-8"), errors.read_text("utf-8")
    )
