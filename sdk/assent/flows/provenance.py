"""Where a value comes from, as far as a session has it.

`user`: every word of it, in its order, was said by the user, and so were the signs of a command and of what is
destroyed. `approved`: an operator approved this very value for this use. `leaf`: it is a whole short value of a field
of an answer. `free`: its words follow each other in a free text, or it is a number that one has, written otherwise.
`leaf and free`: both, so a text may have pointed to the field. `unknown`: none of these.

A value of three words or more is found by each two that follow each other, so one whose pairs stand in different places
counts as found: for free text that errs towards asking; a user's words can be joined anew only by who knows them. A
command of three words or more that the user said and that stands in a free text as well came from the text.

An approval counts for what the call does with the value and for what does less (`approving`): of a call that writes or
sends for one that reads as well, of a destination for a mention of it as well, and never the other way round.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Literal, NamedTuple, TypeAlias

from assent.flows.digests import MASK, P, ValueDigest
from assent.flows.pack import Effect, Role
from assent.flows.session import Session

Kind: TypeAlias = Literal["user", "approved", "leaf", "free", "leaf and free", "unknown"]


class Provenance(NamedTuple):
    """`leaf_call` and `field` say where the leaf was first, `free_call` where the free text was; 0 is nowhere."""

    kind: Kind
    leaf_call: int = 0
    field: str = ""
    free_call: int = 0

    @property
    def trusted(self) -> bool:
        return self.kind in ("user", "approved")


_UNKNOWN, _APPROVED, _USER = Provenance("unknown"), Provenance("approved"), Provenance("user")


_USES: Mapping[tuple[str, str], int] = {
    use: number
    for number, use in enumerate(
        product(("read", "write", "destroy"), ("payload", "named", "credential", "command")), 1
    )
}


def _use(effect: Effect, role: Role) -> tuple[str, str]:
    does = "write" if effect in ("write", "send") else "destroy" if effect == "destroy" else "read"
    return does, role if role in ("payload", "credential", "command") else "named"


def _approved(value: ValueDigest, use: tuple[str, str]) -> Iterator[int]:
    for digest in (value.whole, value.joined) if value.exact is None else (value.exact,):
        if digest is not None:
            yield ((digest ^ _USES[use]) * P) & MASK


def approving(value: ValueDigest, effect: Effect, role: Role) -> Iterator[int]:
    """What a session keeps of a value that an operator approved in a call of this effect."""
    does, named = _use(effect, role)
    for less in dict.fromkeys((does, "read")):
        for part in ("named", "payload") if named == "named" else (named,):
            yield from _approved(value, (less, part))


def provenance(session: Session, value: ValueDigest, effect: Effect, role: Role) -> Provenance:
    """Of a value in a call of this effect. The words of a command in their order are what it does."""
    if value.whole is None:
        return _UNKNOWN
    command = role == "command"
    if session.approved and not session.approved.isdisjoint(_approved(value, _use(effect, role))):
        return _APPROVED
    said = session.user
    if said.issuperset(value.signs) and (said.issuperset(value.links) or value.joined in said):
        free = _first_text(session, value) if command and len(value.links) > 1 else 0
        return Provenance("free", free_call=free) if free else _USER
    leaf = session.leaves.get(value.whole)
    if leaf is None and value.joined is not None:
        leaf = session.leaves.get(value.joined)
    free = _first_text(session, value)
    if leaf is None:
        free = free or next((call for each in value.alike if (call := session.free.get(each))), 0)
        return Provenance("free", free_call=free) if free else _UNKNOWN
    return Provenance("leaf and free" if free else "leaf", leaf.call, leaf.field, free)


def _first_text(session: Session, value: ValueDigest) -> int:
    """The call of the text that has the value: the last one that any of its links needs."""
    free, last = session.free, 0
    for link in value.links:
        call = free.get(link)
        if call is None:
            break
        last = max(last, call)
    else:
        return last
    return free.get(value.joined, 0) if value.joined is not None else 0
