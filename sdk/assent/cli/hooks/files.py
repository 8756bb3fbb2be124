"""The settings file: read whole, shown as a difference, backed up, and replaced in one step."""

from __future__ import annotations

import contextlib
import difflib
import json
import os
import stat
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assent.cli.failures import Exit, Failure

BACKUP = ".before-assent-"
NEW_FILE_MODE, NEW_FOLDER_MODE = 0o600, 0o755


def find(host: str, project: Path | None, home: Path) -> Path:
    """Where the host reads its hooks: of a user, or of a project alone.

    For Claude Code in a project that is the file that is not shared with others, since the command names this machine.
    """
    folder = (project or home) / f".{host}"
    if host == "codex":
        return folder / "hooks.json"
    return folder / ("settings.json" if project is None else "settings.local.json")


def read(file: Path) -> tuple[str, dict[str, Any]]:
    """The file's text and what it says; both empty when there is none. Raises Failure for what is no settings file."""
    try:
        text = _text(file)
    except FileNotFoundError:
        return "", {}
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(f"{file} cannot be read ({error}); nothing was changed", Exit.USAGE) from None
    if not text.strip():
        return text, {}
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise Failure(
            f"{file} is not JSON (line {error.lineno}: {error.msg}); mend it first, nothing was changed", Exit.USAGE
        ) from None
    if not isinstance(document, dict):
        raise Failure(f"{file} holds no JSON object; nothing was changed", Exit.USAGE)
    return text, document


def written(document: Mapping[str, Any], before: str) -> str:
    """The document as text, indented as it was before, with its line ends."""
    text = json.dumps(document, indent=_indent(before), ensure_ascii=False) + "\n"
    if any("\ud800" <= sign <= "\udfff" for sign in text):
        text = json.dumps(document, indent=_indent(before)) + "\n"  # half a pair can only be written as an escape
    return text.replace("\n", "\r\n") if "\r\n" in before else text


def difference(before: str, after: str, file: Path) -> list[str]:
    """A unified difference, empty when nothing changes."""
    return list(
        difflib.unified_diff(
            before.splitlines(), after.splitlines(), f"{file} (now)", f"{file} (afterwards)", lineterm=""
        )
    )


def replace(file: Path, before: str, after: str) -> Path | None:
    """Back up what was there and put the new text in its place; the backup's path, None when there was no file.

    Raises Failure when the file has changed meanwhile or cannot be written; then it is as it was.
    """
    try:
        existed = file.exists()
        if (_text(file) if existed else "") != before:
            raise Failure(
                f"{file} was changed by somebody else meanwhile; nothing was written, try again", Exit.REFUSED
            )
        target = file.resolve()
        if existed and not target.stat().st_mode & stat.S_IWUSR:
            raise Failure(f"{file} is read-only; nothing was written", Exit.USAGE)
        target.parent.mkdir(mode=NEW_FOLDER_MODE, parents=True, exist_ok=True)
        mode = target.stat().st_mode & 0o777 if existed else NEW_FILE_MODE
        backup = _back_up(target, before, mode) if existed else None
        _put(target, after, mode)
    except OSError as error:
        raise Failure(f"{file} cannot be written ({error.strerror}); nothing was changed", Exit.USAGE) from None
    return backup


def _back_up(file: Path, text: str, mode: int) -> Path:
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    backup = file.with_name(f"{file.name}{BACKUP}{stamp}")
    _put(backup, text, mode)
    return backup


def _put(file: Path, text: str, mode: int) -> None:
    """Whole or not at all."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).chmod(mode)
        Path(name).replace(file)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def _text(file: Path) -> str:
    """With the line ends that the file has, so that its backup is the file."""
    with file.open(encoding="utf-8", newline="") as stream:
        return stream.read()


def _indent(text: str) -> int | str:
    for line in text.splitlines():
        blank = line[: len(line) - len(line.lstrip())]
        if blank and line.strip():
            return "\t" if blank.startswith("\t") else len(blank)
    return 2
