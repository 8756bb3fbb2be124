"""What looks like a secret is taken out of every body at the door, before anything else sees it.

So guard decides on what is recorded, and a decision can be checked from its record. What becomes of a body is said in
`core.redacted`. The secrets of the settings go wherever they stand, in every spelling (`assent.secrets.own_values`).

Most bodies have no sign of a secret; they pay for one pass over their bytes (`assent.secrets.SIGNS`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

import re2

from assent.contract.endpoint import AnyEndpoint
from assent.secrets import SIGNS, forms, patterns
from assent_service.core.redacted import EVERYTHING, redacted

LARGE: Final = 65_536
"""Bytes from which on a body is looked through beside the loop, on which guard answers."""
SUSPICIOUS: Final = 8_192
"""The same for a body with a sign of a secret: one that is made of signs takes microseconds for each byte."""


class _Signs:
    """Looks over bytes for any sign of a secret, or one of the service's own (`own_values`), in one pass; compiled anew
    when those change."""

    def __init__(self) -> None:
        self._own: tuple[str, ...] | None = None
        self._search: Callable[[bytes], object] = lambda _: None

    def __call__(self, raw: bytes) -> bool:
        own = forms()
        if own is not self._own:
            either = "|".join([f"(?:{SIGNS})", *map(re2.escape, own), *patterns()])
            self._search, self._own = re2.compile(either.encode()).search, own
        return self._search(raw) is not None


has_sign: Final = _Signs()
"""Whether bytes may hold a secret."""


async def without_secrets(endpoint: AnyEndpoint[Any], members: dict[str, Any], raw: bytes) -> dict[str, Any]:
    """`members` as they may be recorded: the very same without a sign of a secret in `raw`, the bytes that they are of.
    Raises as `redacted` does."""
    if EVERYTHING in endpoint.keeps_secrets:
        return members
    if len(raw) >= LARGE:
        return await asyncio.to_thread(lambda: redacted(endpoint, members) if has_sign(raw) else members)
    if not has_sign(raw):
        return members
    if len(raw) >= SUSPICIOUS:
        return await asyncio.to_thread(redacted, endpoint, members)
    return redacted(endpoint, members)
