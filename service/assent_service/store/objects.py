"""What the services on one log have in common beside it: signed heads, sealed keys, files and bundles.

Each is an object of a kind, and of a name that begins with its organization. The first one that is put under a name
stays: whoever comes later is given that one.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from typing import Final, Protocol

from assent_service.store.failures import LogError
from assent_service.store.leases import Leases

HEAD: Final = "head"
KEY: Final = "key"
FILE: Final = "file"
BUNDLE: Final = "bundle"


class Shared(Leases, Protocol):
    """Every method blocks and may be called from any thread; raises LogAway while the database is away."""

    def put(self, kind: str, name: str, content: bytes) -> bytes:
        """Keep an object durably unless one of this name is there, and return the one that is."""
        ...

    def get(self, kind: str, name: str) -> bytes | None: ...

    def remove(self, kind: str, name: str) -> None: ...

    def objects(self, kind: str, prefix: str, after: str = "") -> list[tuple[str, bytes]]:
        """Those of a kind whose names begin so and come after `after`, in the order of their names."""
        ...

    def names(self, kind: str, prefix: str = "") -> list[str]: ...

    def blank(self, org: str, ns: Sequence[int]) -> int:
        """Blank the bodies of an organization's events in the log, for good."""
        ...


def put(shared: Shared, kind: str, name: str, content: bytes) -> None:
    """Keep an object for who would keep a file otherwise. Raises OSError."""
    try:
        shared.put(kind, name, content)
    except LogError as error:
        raise OSError(errno.EIO, "the evidence log's database does not answer") from error
