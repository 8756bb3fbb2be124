"""Bundles that were given out, kept to be given out again by their id.

They lie at `bundles/<organization>/<xx>/<id>.<action>.json`. `<xx>` is the beginning of the id, so that no folder grows
large; the action is in the name so that an erasure finds all of its bundles and deletes them. They are copies: whoever
holds one needs none of these, and one that is gone is made anew by its action. Those that have not been asked for in
ninety days are removed at a start. Where several services share a log, they are objects of its database, which stay.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from assent_service.store.objects import BUNDLE, Shared, put

FOLDER = "bundles"
ORGANIZATION = "organization"
"""Stands in the place of an action's id."""
DAYS = 90
_UNFINISHED = ".part"


class BundleFiles:
    """Every method blocks; call them from a thread. Names are ids, checked at the door."""

    def __init__(self, home: Path, shared: Shared | None = None) -> None:
        self._folder, self._shared = home / FOLDER, shared

    def put(self, org_id: str, bundle_id: str, action_id: str | None, content: bytes) -> None:
        """Keep it, whole or not at all. Raises OSError."""
        if self._shared is not None:
            put(self._shared, BUNDLE, self._name(org_id, bundle_id, action_id), content)
            return
        target = self._file(org_id, bundle_id, action_id)
        digits, folder = bundle_id.partition(":")[2], target.parent
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if target.exists():
            with suppress(OSError):
                os.utime(target)
            return
        unfinished = folder / f"{digits}.{token_hex(8)}{_UNFINISHED}"
        try:
            descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            unfinished.replace(target)
        except BaseException:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)
            raise

    def drop(self, org_id: str, bundle_id: str, action_id: str | None) -> None:
        """Keep it no longer."""
        if self._shared is not None:
            self._shared.remove(BUNDLE, self._name(org_id, bundle_id, action_id))
        self._file(org_id, bundle_id, action_id).unlink(missing_ok=True)

    def get(self, org_id: str, bundle_id: str) -> bytes | None:
        """None when it is not kept (any more)."""
        digits = bundle_id.partition(":")[2]
        if self._shared is not None:
            found = self._shared.objects(BUNDLE, f"{org_id}/{digits}.")
            return found[0][1] if found else None
        folder = self._folder / org_id / digits[:2]
        for path in folder.glob(f"{digits}.*.json"):
            with suppress(OSError):
                content = path.read_bytes()
                os.utime(path)
                return content
        return None

    def sweep(self) -> None:
        """Remove what is old or was left unfinished. For a service that starts and owns the data folder."""
        oldest = time.time() - DAYS * 86_400
        for path in self._folder.glob("*/*/*"):
            with suppress(OSError):
                if path.name.endswith(_UNFINISHED) or path.stat().st_mtime < oldest:
                    path.unlink()

    def _name(self, org_id: str, bundle_id: str, action_id: str | None) -> str:
        """What it is called among the objects that several services share."""
        return f"{org_id}/{self._file(org_id, bundle_id, action_id).name}"

    def _file(self, org_id: str, bundle_id: str, action_id: str | None) -> Path:
        digits = bundle_id.partition(":")[2]
        return self._folder / org_id / digits[:2] / f"{digits}.{action_id or ORGANIZATION}.json"
