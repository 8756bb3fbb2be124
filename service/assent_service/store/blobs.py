"""Files that belong to events, kept beside the log by their SHA-256: `blobs/<organization>/<digest>`.

The log's lines stay small; an event carries the digest, and so proves the file as well as itself. A file is durable
before its event is recorded: bytes, their fsync, a rename, and the folder's fsync, so that what the log names is
always there, whole. A file without an event is what a refused write leaves behind; it costs space and says nothing.
Each organization has a folder of its own: the same file in two of them is there twice, so that erasing one leaves the
other. A file that is there already is written anew, which mends a damaged one. Where several services share a log,
files are objects of its database, and the folder is not used.
"""

from __future__ import annotations

from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex

from assent_service.store.files import FILES, Files
from assent_service.store.objects import FILE, Shared, put

_UNFINISHED = ".part"


class BlobMissing(Exception):  # the name says what was met
    """A file that an event names is not there, or is not what was stored."""


class Blobs:
    """Every method blocks; call them from a thread. Names of organizations are plain, as ids are."""

    def __init__(self, folder: Path, files: Files = FILES, shared: Shared | None = None) -> None:
        self._folder, self._files, self._shared = folder, files, shared

    def sweep(self) -> None:
        """Remove what writes that were killed have left. For a service that starts and owns the data folder."""
        for left in self._folder.glob(f"*/*{_UNFINISHED}"):
            left.unlink(missing_ok=True)

    def put(self, org_id: str, content: bytes) -> str:
        """The digest of `content`, which is durable when this returns. Raises OSError; nothing is there
        then."""
        digest = sha256(content).hexdigest()
        if self._shared is not None:
            put(self._shared, FILE, f"{org_id}/{digest}", content)
            return digest
        folder = self._open(org_id)
        # Two requests may bring the same file at once: each writes its own, and either may win.
        unfinished = folder / f"{digest}.{token_hex(8)}{_UNFINISHED}"
        try:
            self._write(unfinished, content)
            unfinished.replace(folder / digest)
        except BaseException:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)
            raise
        self._files.sync_folder(folder)
        return digest

    def get(self, org_id: str, digest: str) -> bytes:
        """The bytes, compared with their digest. Raises BlobMissing, also for a file that was damaged."""
        content = self._content(org_id, digest)
        found = sha256(content).hexdigest()
        if found != digest:
            raise BlobMissing(f"the file {digest} is damaged: its bytes have the digest {found}")
        return content

    def _content(self, org_id: str, digest: str) -> bytes:
        if self._shared is not None:
            content = self._shared.get(FILE, f"{org_id}/{digest}")
            if content is None:
                raise BlobMissing(f"the file {digest} is not in the log's database")
            return content
        try:
            return (self._folder / org_id / digest).read_bytes()
        except OSError as error:
            raise BlobMissing(f"the file {digest} cannot be read: {error.strerror}") from error

    def remove(self, org_id: str, digest: str) -> None:
        """Harmless when it is not there."""
        if self._shared is not None:
            self._shared.remove(FILE, f"{org_id}/{digest}")
        (self._folder / org_id / digest).unlink(missing_ok=True)

    def _open(self, org_id: str) -> Path:
        """The organization's folder; a new one is made durable, name by name."""
        folder = self._folder / org_id
        for each in (self._folder, folder):
            if not each.is_dir():
                each.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._files.sync_folder(each.parent)
        return folder

    def _write(self, path: Path, content: bytes) -> None:
        descriptor = self._files.open_append(path, create=True)
        try:
            left = memoryview(content)
            while left:
                left = left[self._files.write(descriptor, left) :]
            self._files.fsync(descriptor)
        finally:
            self._files.close(descriptor)
