"""Files that hold a secret: for their owner's eyes only, and durable under their name before anything rests on them.

A file that others can read is refused, since a secret that was readable is one no more; so is what is no plain file.
One that is there is never written over.
"""

from __future__ import annotations

import os
import stat
from errno import EEXIST
from pathlib import Path

from assent.contract.problems import Code
from assent_service.base.problem import Refusal, refuse

# The wallet cannot be used: one code, and always what to do.


def unavailable(what: str) -> Refusal:
    """`what` says what is wrong and what to do; it must hold no secret."""
    return refuse(Code.WALLET_UNAVAILABLE, f"The signing key cannot be used: {what}")


LARGEST = 4096
"""Bytes; what is kept here is far shorter."""


def read(file: Path) -> bytes | None:
    """What is in it, None when there is none. Raises `wallet_unavailable`."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unreadable(file, error) from error
    try:
        _check(file, os.fstat(descriptor).st_mode)
        return os.read(descriptor, LARGEST)
    except OSError as error:
        raise _unreadable(file, error) from error
    finally:
        os.close(descriptor)


def write(file: Path, content: bytes) -> None:
    """Make the file, and its folder. Raises OSError; FileExistsError when it is there."""
    _make(file.parent)
    if file.exists():
        raise FileExistsError(EEXIST, "there is one already", str(file))
    fresh = file.with_name(f"{file.name}.new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())
        fresh.replace(file)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    _sync(file.parent)


def _check(file: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise unavailable(f"{file.name} in the data folder is not a plain file; put the right one there.")
    if mode & 0o077:
        raise unavailable(
            f"{file.name} in the data folder can be read by others (mode {stat.S_IMODE(mode):04o}); if nobody has "
            "used that, `chmod 600` it, otherwise rotate, and revoke the keys that were there."
        )


def _make(folder: Path) -> None:
    if not folder.exists():
        _make(folder.parent)
        folder.mkdir(exist_ok=True, mode=0o700)
        _sync(folder.parent)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _unreadable(file: Path, error: OSError) -> Refusal:
    return unavailable(
        f"{file.name} in the data folder cannot be read ({error.strerror}); make it readable to the service."
    )
