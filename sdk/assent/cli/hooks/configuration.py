"""The hook's own file: which service, with which key, in which mode. It holds a key, so only its owner can read it."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assent.cli.failures import Exit, Failure
from assent.cli.hooks.document import EVENTS, PROGRAM

FOLDER_MODE, FILE_MODE = 0o700, 0o600
AGENTS = {"claude": "claude-code", "codex": "codex"}
"""Under which agent id a host's calls are recorded, unless told otherwise."""


def place(settings: Path, host: str, environment: Mapping[str, str] = os.environ) -> Path:
    """The configuration that belongs to a settings file."""
    base = Path(environment.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    name = hashlib.sha256(os.fsencode(settings.resolve())).hexdigest()[:12]
    return base / "assent" / "hooks" / f"{host}-{name}.json"


def read(file: Path) -> dict[str, Any]:
    """What an earlier installation left, empty when there is nothing usable."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def restore(file: Path, members: Mapping[str, Any]) -> None:
    """As it was before, after an installation that came to nothing."""
    if members:
        write(file, members)
    else:
        file.unlink(missing_ok=True)


def write(file: Path, members: Mapping[str, Any]) -> None:
    """Raises Failure."""
    try:
        file.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        new = file.with_suffix(f".{os.getpid()}.new")
        new.unlink(missing_ok=True)
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump(dict(members), stream, indent=2)
            stream.write("\n")
        new.replace(file)
    except OSError as error:
        raise Failure(f"{file} cannot be written ({error.strerror}); nothing was installed", Exit.USAGE) from None


def command(program: Path, event: str, file: Path, host: str, *, enforce: bool) -> str:
    """The command line for an event. A host runs it in a shell, and takes every exit code but 2 for a yes: enforcing,
    whatever else goes wrong becomes 2 there, a program that is missing or killed included."""
    line = f"{_quoted(program)} {event} --config {_quoted(file)} --host {host}"
    return f"{line} || exit 2" if enforce and event == EVENTS["PreToolUse"] else line


def _quoted(path: Path) -> str:
    return f'"{path}"' if os.name == "nt" else shlex.quote(str(path))


def program(beside: Path) -> Path:
    """Our hook program, beside the `assent` that runs. Raises Failure when it is not there."""
    for name in (PROGRAM, f"{PROGRAM}.exe"):
        found = beside.with_name(name)
        if found.is_file():
            return found
    raise Failure(f"{beside.with_name(PROGRAM)} is missing; install the package assent again", Exit.USAGE)
