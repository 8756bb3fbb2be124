"""One random key in a file of the data folder, from which others are derived (HKDF-SHA256, RFC 5869): none of them
stands in the log, in the tables or in their backups, and restarts and rebuilds change none.

    master = MasterKey(home / "webhooks.key", lost="without it no webhook has a secret")
    key = master.derive("assent webhook secret\\0org_a\\0wh_1\\01")
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from assent.contract.problems import Code
from assent_service.base.problem import refuse

BYTES = 32


class MasterKey:
    """The file, for its owner's eyes only, comes first. Where there is none, the key is derived from `wallet_key`, with
    `purpose` in it, or is made, durably, when it is first needed. `lost` says what is not there without the file and
    what to do."""

    def __init__(self, file: Path, *, lost: str, wallet_key: str | None = None, purpose: str = "") -> None:
        self._file, self._lost = file, lost
        self._wallet_key, self._purpose = wallet_key, purpose
        self._master: bytes | None = None

    def derive(self, info: str) -> bytes:
        """32 bytes. Raises `storage_unavailable` when the file cannot be read or made."""
        if self._master is None:
            self._master = self._open()
        return _derived(self._master, info)

    def _open(self) -> bytes:
        try:
            found = bytes.fromhex(self._file.read_text(encoding="ascii"))
        except FileNotFoundError:
            return self._make() if self._wallet_key is None else _derived(self._wallet_key.encode(), self._purpose)
        except (OSError, ValueError) as error:
            raise refuse(Code.STORAGE_UNAVAILABLE, self._unusable(type(error).__name__)) from error
        if len(found) != BYTES:
            raise refuse(Code.STORAGE_UNAVAILABLE, self._unusable("it has another length"))
        return found

    def _make(self) -> bytes:
        """Durable under its name before anybody is given what is derived from it."""
        master = secrets.token_bytes(BYTES)
        fresh = self._file.with_suffix(".new")
        try:
            fresh.unlink(missing_ok=True)
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(master.hex().encode())
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self._file)
            folder = os.open(self._file.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            raise refuse(Code.STORAGE_UNAVAILABLE, self._unusable(type(error).__name__)) from error
        return master

    def _unusable(self, why: str) -> str:
        return f"{self._file.name} in the data folder cannot be used ({why}), and {self._lost}"


def _derived(master: bytes, info: str) -> bytes:
    return HKDF(algorithm=SHA256(), length=BYTES, salt=None, info=info.encode()).derive(master)
