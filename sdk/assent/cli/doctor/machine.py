"""What can be looked at without the service: the data folder, the log in it, and what is installed."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from assent.cli.doctor.finding import CheckResult, failed, passed, skipped, warned
from assent.cli.session import KEY_FILE
from assent.cli.text import clean
from assent.extras import to_install
from assent.spool import SpoolRefused, Survey, folder_of

EXTRAS = (
    ("analytics", "polars", "`assent scan`, `client.frame` or `client.workspace`"),
    ("cli", "textual", "full-screen inbox of `assent approvals`"),
    ("dashboard", "streamlit", "`assent dashboard`"),
    ("mcp", "mcp", "`assent mcp`"),
    ("service", "litestar", "`assent serve`"),
)
NOT_MISSED = (("postgresql", "psycopg"), ("notices", "apprise"))
WARN_FREE, FAIL_FREE = 0.05, 0.01
"""Shares of the disk; the service warns and fails at the same ones."""


def check_folder(home: Path, *, local: bool, answers: bool) -> CheckResult:
    """`local` says that the service is on this machine, `answers` that it does."""
    name = "data folder"
    if not local and not home.exists():
        return skipped(name, "The service is on another machine, and so is its data folder.")
    if not home.exists():
        if answers:
            return skipped(name, f"There is none at {home}; the service keeps its own elsewhere. --home names another.")
        todo = f"run `assent serve --home {home}`, which makes it, or name the right one with --home or ASSENT_HOME"
        return warned(name, f"There is none at {home}.", todo)
    if not home.is_dir():
        return failed(name, f"{home} is no folder.", "name the right one with --home or ASSENT_HOME")
    if not os.access(home, os.R_OK | os.X_OK):
        return failed(name, f"{home} cannot be read by this user.", "run this as the user that the service runs as")
    return _judge_folder(name, home)


def _judge_folder(name: str, home: Path) -> CheckResult:
    found = home.stat()
    usage = shutil.disk_usage(home)
    share = usage.free / usage.total if usage.total else 0.0
    room = f"{share:.1%} of its disk is free ({usage.free // 1_000_000} MB)"
    if share < FAIL_FREE:
        return failed(name, f"{home}: only {room}.", "free some; writes will soon be refused")
    if stat.S_IMODE(found.st_mode) & 0o077:
        mode = f"{stat.S_IMODE(found.st_mode):04o}"
        return warned(name, f"Others may look into {home} (its mode is {mode}).", f"run `chmod 700 {home}`")
    key = home / KEY_FILE
    if key.exists() and stat.S_IMODE(key.stat().st_mode) & 0o077:
        return warned(name, f"Others may read the admin key in {key}.", f"run `chmod 600 {key}`, and make a new key")
    if found.st_uid != os.geteuid():
        todo = "run the service as its owner, or give the folder to whoever runs it"
        return warned(name, f"{home} belongs to user {found.st_uid}, and this is user {os.geteuid()}.", todo)
    if share < WARN_FREE:
        return warned(name, f"{home}: only {room}.", "free some before it is full")
    return passed(name, f"{home}, for its owner alone; {room}.")


def running_on(home: Path) -> int | None:
    """The process that says it runs on this folder, if there is such a process. Its lock is not touched."""
    try:
        process = int((home / "lock").read_text(encoding="ascii").strip())
    except (OSError, ValueError):
        return None
    try:
        os.kill(process, 0)
    except PermissionError:
        return process  # another user's
    except (OSError, OverflowError):
        return None
    return process


def check_log_offline(home: Path) -> CheckResult:
    """A quick look at the end of the log, for when no service answers; `assent log verify` reads every line."""
    name = "log"
    if not (home / "log").is_dir():
        return skipped(name, "No service answers, and there is no log here to look at.")
    try:
        from assent_service.store.audit import find_end
        from assent_service.store.failures import FolderVersionUnknown, LogDamaged
        from assent_service.store.folder_version import check_version
    except ImportError:
        return skipped(name, "No service answers, and the extra `service` is not installed to look at the log itself.")
    verify = f"`assent log verify --home {home}`"
    try:
        check_version(home)
        _, torn = find_end(home / "log")
    except FolderVersionUnknown as newer:
        return failed(name, f"It cannot be looked at: {newer}", "run the doctor of the Assent that wrote it")
    except LogDamaged as bad:
        return failed(name, f"The end of the log does not hold: {bad}", f"keep a copy of the folder, then run {verify}")
    except OSError as error:
        return failed(name, f"The log cannot be read: {error}", "run this as the user that the service runs as")
    if torn is not None:
        todo = f"run {verify} for the rest; the service cuts it off when it starts"
        return warned(name, f"The last write was torn ({torn.bytes} bytes), as by a power loss.", todo)
    return passed(name, f"The newest part ends with a whole write. Every line is checked by {verify}.")


def check_spool(given: str, environment: Mapping[str, str]) -> CheckResult:
    """What this machine's agents could not report yet: how much waits, how old it is, what was refused, what was lost.
    `given` is ASSENT_SPOOL."""
    name = "outcomes"
    try:
        folder = folder_of(given, environment)
    except SpoolRefused as refused:
        return warned(name, f"Outcomes that cannot be delivered cannot be kept: {refused}.", "set ASSENT_SPOOL")
    if folder is None:
        return skipped(name, "ASSENT_SPOOL is off: outcomes that cannot be delivered are not kept.")
    found = Survey(folder)
    said: list[str] = []
    todo: list[str] = []
    if found.waiting:
        oldest = min(str(entry.get("kept_at", "?")) for entry in found.waiting)
        services = ", ".join(sorted({clean(str(entry.get("base_url", "?"))) for entry in found.waiting}))
        said.append(f"{len(found.waiting)} of agents on this machine wait for {services}, the oldest since {oldest}.")
        todo.append("once the service answers, run the agent again with the same key: its next call delivers them")
        lanes = ", ".join(str(lane) for lane in found.lanes)
        todo.append(f"where a service never comes back, its outcomes are discarded by deleting their folder: {lanes}")
    if found.aside:
        newest = found.aside[-1]
        reason = dict(newest.get("refused") or {}).get("reason", "no reason is known")
        said.append(f"{len(found.aside)} were refused for good; the newest of {newest.get('action_id')}: {reason}.")
        todo.append(f"read what was set aside in {folder}/*/aside, then delete it")
    if found.lost.count:
        more = "or more " if found.lost.more else ""
        said.append(f"{found.lost.count} {more}were lost for want of room, the last at {found.lost.last}.")
        todo.append(f"raise ASSENT_SPOOL_BYTES; delete {folder}/lost once you know it")
    if not said:
        return passed(name, f"None of this machine's agents waits to be delivered ({folder}).")
    return warned(name, clean(" ".join(said)), "; ".join(todo))


def check_extras(extras: Sequence[tuple[str, str, str]] = EXTRAS) -> list[CheckResult]:
    """One finding for all; what is missing is only a warning, as not every machine needs everything."""
    missing = [(extra, what) for extra, module, what in extras if find_spec(module) is None]
    if not missing:
        names = [extra for extra, _, _ in extras]
        # Whoever keeps the log in files, and tells nobody in a chat, does not miss them.
        names += [extra for extra, module in NOT_MISSED if find_spec(module) is not None]
        return [passed("extras", f"Installed: {', '.join(names)}.")]
    return [
        warned("extras", f"The extra {extra!r} is not installed: without it there is no {what}.", install(extra))
        for extra, what in missing
    ]


def install(extra: str) -> str:
    return f"if you want it here, run: {to_install(extra)}"
