"""What a hook remembers between two processes: calls that wait for an operator, by what a repetition has in common
with them, calls that were let through with the action of an earlier one, the ids of calls that the host gives none,
calls that have begun, and what sessions could not be told.
Files of a folder of its owner's.
"""

import os
import time

FOLDER_MODE, FILE_MODE = 0o700, 0o600
FORGET_AFTER = 7 * 86400.0
KINDS = ("waiting-", "claimed-", "opened-", "telling-")
"""What is forgotten when nobody comes back for it; what a session was not told is not. Older hooks kept `telling-`."""


class Journal:
    """One id under each name. What cannot be kept is not: a repeated call then asks anew, and stays stopped."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def keep(self, kind: str, name: str, action_id: str) -> bool:
        file = self._file(kind, name)
        try:
            os.makedirs(self._folder, FOLDER_MODE, exist_ok=True)  # noqa: PTH103  # pathlib costs more than all of this
            new = f"{file}.{os.getpid()}.new"  # two processes may keep the same name at once
            handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE_MODE)
            with open(handle, "w", encoding="ascii") as stream:  # noqa: PTH123
                stream.write(action_id)
            os.replace(new, file)  # noqa: PTH105
        except (OSError, UnicodeEncodeError):
            return False
        return True

    def find(self, kind: str, name: str) -> str:
        """The id, empty when there is none."""
        try:
            with open(self._file(kind, name), encoding="ascii") as stream:  # noqa: PTH123
                return stream.read(200).strip()
        except (OSError, UnicodeDecodeError):
            return ""

    def forget(self, kind: str, name: str) -> None:
        try:
            os.unlink(self._file(kind, name))  # noqa: PTH108
        except OSError:
            return

    def names(self, kind: str, prefix: str) -> "list[str]":
        """The names that begin so; none where that cannot be read, as `any` and `keep` tell."""
        try:
            with os.scandir(self._folder) as entries:
                found = [each.name for each in entries if each.name.startswith(f"{kind}-{prefix}")]
        except OSError:
            return []
        return [each.removeprefix(f"{kind}-") for each in found if not each.endswith(".new")]

    def any(self, kind: str, prefix: str) -> bool:
        """Whether something is kept under a name that begins so; it is assumed where that cannot be read."""
        try:
            with os.scandir(self._folder) as entries:
                return any(each.name.startswith(f"{kind}-{prefix}") for each in entries)
        except OSError:
            return True

    def tidy(self) -> None:
        """Forget what nobody came back for."""
        oldest = time.time() - FORGET_AFTER
        try:
            with os.scandir(self._folder) as entries:
                for each in entries:
                    if each.name.startswith(KINDS) and each.stat(follow_symlinks=False).st_mtime < oldest:
                        os.unlink(each.path)  # noqa: PTH108
        except OSError:
            return  # another process tidies up too

    def _file(self, kind: str, name: str) -> str:
        return os.path.join(self._folder, f"{kind}-{name}")  # noqa: PTH118
