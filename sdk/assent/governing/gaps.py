"""Sessions to which this process could not tell what a call gave, or was stopped by. Their next calls keep their
arguments back, whichever governed function and client makes them, so that flow policies ask: an argument may hold what
was not told.

A session that was begun inside of others is told into the outermost, so a gap is one of all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assent.client.client import AsyncClient, Client
from assent.client.session import MEMBER, PARENT, current, in_session
from assent.contract.control.actions import CREATE_ACTION

MOST_REMEMBERED = 100_000
"""Sessions; from then on every session counts as one that has a gap."""

_with_gap: set[str] = set()


class Sessions:
    """Those that one call is in, by their ids; none outside of any."""

    def __init__(self, ids: Iterable[str] = ()) -> None:
        self._ids = frozenset(ids)

    def __bool__(self) -> bool:
        return bool(self._ids)

    @property
    def have_gap(self) -> bool:
        return bool(self) and (len(_with_gap) > MOST_REMEMBERED or not _with_gap.isdisjoint(self._ids))

    def leave_gap(self) -> None:
        if len(_with_gap) <= MOST_REMEMBERED:
            _with_gap.update(self._ids)


def sessions_of(client: Client | AsyncClient, fields: Mapping[str, Any]) -> Sessions:
    """The session of a call by this client, and those around it; `fields` are members of its action, which may name
    them."""
    own = client.own_session
    said, around = in_session(CREATE_ACTION, fields, own), current(own)
    chain = [] if around is None else [each.session_id for each in around.chain()]
    return Sessions(each for each in (said.get(MEMBER), said.get(PARENT), *chain) if isinstance(each, str))
