"""Outcomes that could not be delivered, on this machine's disk until they are.

    <folder>/lock                      held while an entry is written
    <folder>/lost                      how often an outcome had no room (`assent.tally`)
    <folder>/<service and key>/NUMBER-ACTION.json         waits, oldest number first
    <folder>/<service and key>/aside/NUMBER-ACTION.json   was refused for good, with the reason
    <folder>/<service and key>/delivering                 held by the process that delivers

An entry is the very request: it has to be sent again as it was, under its idempotency key, so that the service knows
it where only the answer was lost. So nothing is taken out of it; folder and files are the user's alone (0700, 0600).
The key of the API is not in it, only a digest that tells which key it belongs to, and it is sent with no other.

An entry is whole or not there: it is written beside its name, synced, renamed, and the folder is synced. What was
delivered and not yet removed when a process dies is delivered again, which the service answers with its record.
Standard library only, so that a hook can use it, too.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import time
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import Any

from assent.tally import Tally, moment

try:
    import fcntl
except ImportError:  # pragma: no cover - not a POSIX system
    fcntl = None  # type: ignore[assignment]

FOLDER_MODE, FILE_MODE = 0o700, 0o600
PATIENCE = 5.0
"""Seconds for which another process's writing is waited for."""
OFF = "off"
LONGEST_REASON = 500
REQUEST = ("action_id", "method", "path", "idempotency_key", "body")
METHODS = ("PATCH", "POST")


class SpoolRefused(Exception):
    """What cannot be kept, or where nothing can be; the message says why and what to do."""


class Spool:
    """What waits for one service with one key, below `folder`, which holds at most `most_bytes` in all."""

    def __init__(self, folder: Path, base_url: str, api_key: str | None, most_bytes: int) -> None:
        self.folder, self.base_url, self.most_bytes = folder, base_url, most_bytes
        self.lane = folder / _digest(f"{base_url}\n{fingerprint(api_key)}")
        self.lost = Tally(folder / "lost")
        # An address may hold a password; the folder's name is of the whole address.
        scheme, _, rest = base_url.partition("://")
        self._about = {"base_url": f"{scheme}://{rest.rpartition('@')[2]}", "key_fingerprint": fingerprint(api_key)}

    def keep(self, action_id: str, request: Mapping[str, Any]) -> str:
        """Write an entry behind those that wait, durably; its name. Raises SpoolRefused."""
        entry = {**self._about, "action_id": action_id, "kept_at": moment(int(time.time())), **request}
        content = json.dumps(entry, ensure_ascii=False).encode("utf-8", "surrogatepass")
        try:
            with self._writing():
                used = sum(size for _, size in _sizes(self.folder))
                if used + len(content) > self.most_bytes:
                    raise SpoolRefused(
                        f"{self.folder} holds {used} bytes and may hold {self.most_bytes}; let a process deliver what "
                        "waits, delete what was set aside, or raise ASSENT_SPOOL_BYTES"
                    )
                _own(self.lane)
                last = max((_number(name) for name in [*self.names(), *self.aside()]), default=0)
                name = f"{last + 1:012d}-{_digest(action_id)}.json"
                _write(self.lane / name, content)
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise SpoolRefused(f"{self.folder} cannot be written ({why}); name a folder with ASSENT_SPOOL") from None
        return name

    def names(self, action_id: str | None = None) -> list[str]:
        """What waits, of one action or in all, oldest first."""
        end = ".json" if action_id is None else f"-{_digest(action_id)}.json"
        return _listed(self.lane, end)

    def by_action(self) -> list[list[str]]:
        """What waits, oldest first, and of each action together."""
        found: dict[str, list[str]] = {}
        for name in self.names():
            found.setdefault(name.partition("-")[2], []).append(name)
        return list(found.values())

    def aside(self) -> list[str]:
        """What was refused for good."""
        return _listed(self.lane / "aside", ".json")

    def read(self, name: str) -> dict[str, Any] | None:
        """An entry; None for one that somebody else has delivered. What is no entry of this service and key is set
        aside."""
        try:
            entry = json.loads((self.lane / name).read_text("utf-8", "surrogatepass"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError) as error:
            self.set_aside(name, f"it cannot be read: {type(error).__name__}")
            return None
        if not isinstance(entry, dict) or any(entry.get(member) != value for member, value in self._about.items()):
            self.set_aside(name, "it belongs to another service or key")
            return None
        if not all(isinstance(entry.get(member), str) for member in REQUEST) or entry["method"] not in METHODS:
            self.set_aside(name, "it is no outcome")
            return None
        return entry

    def remove(self, name: str) -> None:
        """It was delivered."""
        (self.lane / name).unlink(missing_ok=True)

    def set_aside(self, name: str, reason: str) -> None:
        """It never will be delivered. What cannot be set aside stays where it is, and is tried again."""
        with contextlib.suppress(OSError):
            file, aside = self.lane / name, self.lane / "aside"
            _own(aside)
            try:
                entry = json.loads(file.read_text("utf-8", "surrogatepass"))
            except (ValueError, RecursionError):
                entry = {}
            if isinstance(entry, dict) and entry:
                entry["refused"] = {"reason": reason[:LONGEST_REASON], "at": moment(int(time.time()))}
                _write(aside / name, json.dumps(entry, ensure_ascii=False).encode("utf-8", "surrogatepass"))
                file.unlink(missing_ok=True)
            else:
                file.rename(aside / name)

    @contextlib.contextmanager
    def delivering(self) -> Generator[bool]:
        """Whether this caller may deliver now; nobody else does meanwhile."""
        try:
            handle = os.open(self.lane / "delivering", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, FILE_MODE)
        except OSError:
            yield False
            return
        try:
            yield _locked(handle)
        finally:
            os.close(handle)

    def count_loss(self) -> bool:
        """Count an outcome that was neither delivered nor kept; whether that could be written down."""
        try:
            _own(self.folder)
            self.lost.add()
        except (OSError, SpoolRefused):
            return False
        return True

    @contextlib.contextmanager
    def _writing(self) -> Generator[None]:
        _own(self.folder)
        handle = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, FILE_MODE)
        try:
            until = time.monotonic() + PATIENCE
            while not _locked(handle):
                if time.monotonic() > until:
                    raise SpoolRefused(f"another process has held {self.folder / 'lock'} for {PATIENCE:g} s")
                time.sleep(0.005)
            yield
        finally:
            os.close(handle)


class Survey:
    """What lies in a folder of outcomes: entries that wait and entries that were set aside, as they were read (with
    `refused` where they were), and the tally of what was lost. `lanes` are the folders in which something waits."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        found = {lane: _entries(lane) for lane in _lanes(folder)}
        self.lanes = [lane for lane, entries in found.items() if entries]
        self.waiting = [entry for entries in found.values() for entry in entries]
        self.aside = [entry for lane in _lanes(folder) for entry in _entries(lane / "aside")]
        self.lost = Tally(folder / "lost").look()


def folder_of(given: str, environment: Mapping[str, str]) -> Path | None:
    """What ASSENT_SPOOL gives, else the user's folder for state; None where it is `off`. Raises SpoolRefused without a
    home."""
    if given == OFF:
        return None
    if given:
        if not os.path.isabs(given):  # noqa: PTH117 - the text as it was given, of whatever system
            raise SpoolRefused(f"ASSENT_SPOOL is {given[:80]!r}; give a whole path, beginning at the root, or {OFF}")
        return Path(given)
    return state_folder(environment) / "outcomes"


def state_folder(environment: Mapping[str, str]) -> Path:
    """Where this user's programs keep what has to outlive them (XDG). Raises SpoolRefused without a home."""
    base = environment.get("XDG_STATE_HOME", "")
    if not base.startswith("/"):
        home = os.path.expanduser("~")  # noqa: PTH111 - Path.home raises where there is none
        if not os.path.isabs(home):  # noqa: PTH117
            raise SpoolRefused("this user has no home; name a folder for undelivered outcomes with ASSENT_SPOOL")
        base = f"{home}/.local/state"
    return Path(base) / "assent"


def fingerprint(api_key: str | None) -> str:
    """Tells one key from another, and nothing more of it: 64 bits of a digest of 256 random bits."""
    return hashlib.sha256(f"assent key\n{api_key or ''}".encode()).hexdigest()[:16]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _number(name: str) -> int:
    head = name.partition("-")[0]
    return int(head) if head.isdigit() else 0


def _listed(folder: Path, end: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(end))  # noqa: PTH208 - names alone
    except OSError:
        return []


def _lanes(folder: Path) -> list[Path]:
    try:
        return sorted(each for each in folder.iterdir() if each.is_dir())
    except OSError:
        return []


def _sizes(folder: Path) -> Iterator[tuple[Path, int]]:
    for lane in _lanes(folder):
        for within in (lane, lane / "aside"):
            for name in _listed(within, ".json"):
                with contextlib.suppress(OSError):
                    yield within / name, (within / name).stat().st_size


def _entries(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for name in _listed(folder, ".json"):
        try:
            entry = json.loads((folder / name).read_text("utf-8", "surrogatepass"))
        except FileNotFoundError:
            continue
        except (OSError, ValueError, RecursionError):
            entry = {"refused": {"reason": "it cannot be read"}}
        found.append(entry if isinstance(entry, dict) else {})
    return found


def _own(folder: Path) -> None:
    """The folder, there and this user's alone. Raises OSError and SpoolRefused."""
    folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    found = folder.stat()
    if found.st_uid != os.geteuid():
        raise SpoolRefused(f"{folder} belongs to another user; name one of your own with ASSENT_SPOOL")
    if stat.S_IMODE(found.st_mode) != FOLDER_MODE:
        folder.chmod(FOLDER_MODE)


def _write(file: Path, content: bytes) -> None:
    """Durable and whole, or not there. Raises OSError."""
    new = file.with_name(f".{file.name}.{os.getpid()}.new")
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, FILE_MODE)
    try:
        try:
            left = memoryview(content)
            while left:
                left = left[os.write(handle, left) :]
            os.fsync(handle)
        finally:
            os.close(handle)
        new.rename(file)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _locked(handle: int) -> bool:
    """Take the lock of an open file, which ends with it, if nobody has it."""
    if fcntl is None:
        raise SpoolRefused("this system has no file locks; set ASSENT_SPOOL to off")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
