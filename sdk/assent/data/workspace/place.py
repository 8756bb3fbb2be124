"""Where copies are kept.

    CACHE / workspace / ORIGIN / ORGANIZATION / VIEW / TABLE / date=YYYY-MM-DD / rows.parquet

CACHE is ASSENT_CACHE, else `assent` in the user's own folder for caches: XDG_CACHE_HOME or ~/.cache, ~/Library/Caches
on macOS, LOCALAPPDATA on Windows. It is not the service's data folder (ASSENT_HOME): a copy can be thrown away at any
time, and lies on the machine of whoever reads. VIEW is what the key may see: its role, and its agent where it is
bound to one. The key itself is in no name and in no file, nor is a digest of it.

Every folder of ours belongs to its user alone (mode 0700). Names that a service gives are made harmless before they
become part of a path.

One process at a time refreshes a view, by a lock of the operating system's on an open file: it is given back when its
holder ends, however that happens. Where a file system knows no locks nothing is lost but time, because every file is
put in place whole: two that refresh at once fetch the same days twice.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType

from assent.contract.people.keys import Key

_HARMLESS = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST = 60


def cache_folder(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """CACHE, which need not be there yet. An empty variable is none."""
    if given := environment.get("ASSENT_CACHE"):
        return Path(given).expanduser()
    if platform == "win32" and (local := environment.get("LOCALAPPDATA")):
        return Path(local) / "assent" / "Cache"
    if platform == "darwin":
        return Path.home() / "Library" / "Caches" / "assent"
    own = environment.get("XDG_CACHE_HOME") or ""
    # The XDG specification has relative paths ignored.
    return (Path(own) if Path(own).is_absolute() else Path.home() / ".cache") / "assent"


def origin_folder(cache: Path, base_url: str) -> Path:
    """`base_url` has no credentials in it."""
    return cache / "workspace" / _named(base_url.partition("://")[2], base_url)


def view_folder(origin: Path, key: Key) -> Path:
    view = key.role.value if key.agent_id is None else f"{key.role.value}-{_named(key.agent_id, key.agent_id)}"
    return origin / _named(key.org_id, key.org_id) / view


def known_views(origin: Path) -> list[Path]:
    """The views of which there are copies."""
    return sorted(path for path in _folders(origin) if any(path.glob("tables/*/index.json")))


def make_private(cache: Path, folder: Path) -> None:
    """Make `folder` and whatever of ours leads to it; what is ours begins below `cache`."""
    cache.mkdir(parents=True, exist_ok=True, mode=0o700)
    steps = [folder, *folder.parents]
    for step in reversed(steps[: steps.index(cache)]):
        step.mkdir(exist_ok=True, mode=0o700)
        if os.name == "posix" and step.stat().st_mode & 0o077:
            step.chmod(0o700)


def _folders(origin: Path) -> Iterator[Path]:
    if origin.is_dir():
        yield from (path for path in origin.glob("*/*") if path.is_dir())


def _named(text: str, whole: str) -> str:
    """Readable as far as it is harmless, and different for different texts."""
    digest = hashlib.sha256(whole.encode()).hexdigest()[:8]
    return f"{_HARMLESS.sub('-', text)[:_LONGEST].strip('-')}-{digest}"


WAIT = 0.2
"""Seconds between two looks at a lock that somebody else holds."""


class Lock:
    """Made for one refresh; `take` says whether it is ours now."""

    def __init__(self, path: Path) -> None:
        self._fd: int | None = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)

    def take(self) -> bool:
        assert self._fd is not None, "the lock was given back"
        try:
            _lock(self._fd)
        except (BlockingIOError, PermissionError):
            return False
        except OSError:
            # No locks on this file system.
            return True
        return True

    def __enter__(self) -> Lock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


if os.name == "nt":  # pragma: no cover - not where the tests run

    def _lock(fd: int) -> None:
        import msvcrt

        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]

else:

    def _lock(fd: int) -> None:
        import fcntl

        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
