"""Why not all is known of a session or of a call, in a word and in sentences. Pure.

A trace names these causes (`Trace.gaps`). Where it names none, as traces of before version 10 do (`CAUSELESS`), the
sentences are those that fit every cause.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, Protocol, TypeAlias

Gap: TypeAlias = Literal["erased", "key", "unread", "unkept", "foreign", "moved", "secret", "long", "digest", "absent"]
"""Of the session: `erased` (a part of what it was told is), `key` (its digests were made with another key), `unread`
(it could not be looked up), `unkept` (more was told than is kept or could be read), `foreign` (it is another agent's
than the key's), `moved` (it was not begun inside the session that the call names). Of the call: `secret` (one was taken
out of it), `long` (it has more values than are looked at), `digest` (its parameters are kept back, and their digest is
given), `absent` (nothing is said of them)."""

OF_CALL = frozenset[Gap](["secret", "long", "digest", "absent"])
CAUSELESS = frozenset(["1", "2", "3", "4", "5", "6", "7", "8", "9"])
"""Versions of traces that name no cause."""

UNTOLD = "Nothing was told of this session, so nobody knows where a value of this call came from."
FOREIGN = (
    "This session is not that of the agent that asks, so what it was told is not looked at, and nobody knows where a "
    "value of this call came from."
)
MOVED = (
    "This session was not begun inside the one that the call names as its parent, so what it was told is not looked "
    "at, and nobody knows where a value of this call came from."
)
WITHHELD = "This call keeps its parameters to itself, so nobody knows where they came from."
BY_DIGEST = (
    "This call keeps its parameters to itself and gives only their digest, so nobody knows where they came from. "
    "`parameters` shows them, and so does ASSENT_TELL_SESSIONS=1 while the session is told everything."
)
ABSENT = (
    "This call says nothing of its parameters, so nobody knows where they came from. `parameters` shows them, and {} "
    "says that there are none."
)
TAKEN_OUT = (
    "A secret stands in this call and was taken out before guard saw it, so nobody can say where it came from: check "
    "where this call takes it."
)
LONG = "This call has more values than are looked at, so some of them cannot be traced."
UNCERTAIN = "Nobody can tell whether this is so"
"""Before the reason why."""
PART = "The session was told more than is kept, or of a part of it or of this call nobody knows where it came from."
_SESSION: dict[Gap, str] = {
    "erased": "a part of what this session was told is erased",
    "key": "this session was told under another key than the service has now",
    "unread": "what this session was told could not be looked up",
    "unkept": "this session was told more than is kept",
}
_CALL: dict[Gap, str] = {"secret": TAKEN_OUT, "long": LONG}


class AskedCall(Protocol):
    """A call as guard is asked about it (`assent.contract.control.flows.FlowCall`)."""

    @property
    def gaps(self) -> bool: ...
    @property
    def withheld(self) -> bool: ...

    def keeps_back(self, effect: str) -> bool: ...


def gaps_of(call: AskedCall, effect: str) -> tuple[Gap, ...]:
    """What is known to be missing of a call, whatever is read of it; `effect` is that of its tool."""
    if call.gaps:
        return ("secret",)
    if call.keeps_back(effect):
        return ("digest",) if call.withheld else ("absent",)
    return ()


def untold(gaps: Collection[str]) -> str:
    """Of a session of which nothing is looked at."""
    return FOREIGN if "foreign" in gaps else MOVED if "moved" in gaps else UNTOLD


def kept_back(gaps: Collection[str]) -> str:
    """Of a call whose parameters nobody can see."""
    return BY_DIGEST if "digest" in gaps else ABSENT if "absent" in gaps else WITHHELD


def session_gap(gaps: Collection[str]) -> str:
    """Why a session is not complete, as a part of a sentence; empty where no cause is named."""
    return " and ".join(text for gap, text in _SESSION.items() if gap in gaps)


def call_gap(gaps: Collection[str]) -> str:
    """Why not all of a call was looked at, in sentences; empty where no cause is named."""
    return " ".join(text for gap, text in _CALL.items() if gap in gaps)


def uncertain(*, told: bool, withheld: bool, gaps: Collection[str]) -> str:
    """What a rule of the house says behind its own words, where nobody can tell whether it holds."""
    if not told:
        return f"{UNCERTAIN}. {untold(gaps)}"
    if withheld:
        return f"{UNCERTAIN}. {kept_back(gaps)}"
    of_session, of_call = session_gap(gaps), call_gap(gaps)
    known = [f"{capital(of_session)}."] if of_session else []
    known += [of_call] if of_call else []
    return f"{UNCERTAIN}. {' '.join(known) or PART}"


def capital(text: str) -> str:
    """A part of a sentence as its beginning."""
    return text[:1].upper() + text[1:]
