"""The key-encryption key: what the private parts of signing keys are sealed with.

1. The setting `wallet_key` (ASSENT_WALLET_KEY): 32 bytes in base64, as `openssl rand -base64 32` prints them. Where it
   is set, nothing else is looked at.
2. Otherwise the file `wallet.key` in the data folder, in the same form, so that it can become the setting. It is made
   when the first signing key is sealed, never when one is opened: a new one opens nothing.

With the setting, a stolen data folder or backup holds no key that signs; with the file it does.
"""

from __future__ import annotations

import binascii
import secrets
from base64 import b64decode, b64encode
from contextlib import suppress
from pathlib import Path
from threading import Lock

from assent.secrets import keep_out
from assent_service.evidence.wallet import secret_file
from assent_service.evidence.wallet.secret_file import unavailable

VARIABLE = "ASSENT_WALLET_KEY"
FILE = "wallet.key"
BYTES = 32
_HOW = f"it must be {BYTES} bytes in base64, as `openssl rand -base64 {BYTES}` prints them"


class Master:
    """`home` is the data folder, `setting` the text of the setting. The key is read anew each time, since that is rare
    and lets an operator mend it while the service runs. Safe from any thread."""

    def __init__(self, home: Path, setting: str | None) -> None:
        self._file, self._setting, self._lock = home / FILE, setting, Lock()

    @property
    def place(self) -> str:
        """Where the key is, in words."""
        return VARIABLE if self._setting is not None else f"{FILE} in the data folder"

    def found(self) -> bytes:
        """The key that is there. Raises `wallet_unavailable`."""
        key = self._look()
        if key is None:
            raise unavailable(
                f"{FILE} in the data folder is missing, so no private part can be opened. Restore it from a backup, "
                f"or set {VARIABLE}; if it is lost, rotate, and the next key is a new one."
            )
        return key

    def found_or_made(self) -> bytes:
        """The same, made durably where there is none. Raises `wallet_unavailable`, OSError when it cannot be kept."""
        with self._lock:
            key = self._look()
            if key is None:
                with suppress(FileExistsError):
                    secret_file.write(self._file, b64encode(secrets.token_bytes(BYTES)) + b"\n")
                key = self.found()
            return key

    def _look(self) -> bytes | None:
        text = self._setting.encode() if self._setting is not None else secret_file.read(self._file)
        if text is None:
            return None
        try:
            key = b64decode(text.strip(), validate=True)
        except (binascii.Error, ValueError):
            key = b""
        if len(key) != BYTES:
            # Not a word of what it is instead: it may be a secret all the same.
            raise unavailable(f"{self.place} is not a key; {_HOW}.")
        keep_out([text.decode("ascii").strip()])
        return key
