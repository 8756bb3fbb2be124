"""Where a value comes from, as far as a session has it.

`user`: every word of it, in its order, was said by the user; a command, and what is destroyed with signs in its
name, was said as it is written (`assent.flows.wordings`), and the user forbade the command at no time. `approved`: an
operator approved this very value for this use. `leaf`: it is a whole short value of a field of an answer. `free`: its
words follow each other in a free text, or it is a number that one has, written otherwise; a command that a field has is
text as well, since no answer gives orders. `leaf and free`: both, so a text may have pointed to the field. `house`: the
pack says that it is the house's own. `unknown`: none of these.

A value of three words or more is found by each two that follow each other, so one whose pairs stand in different places
counts as found: for free text that errs towards asking; a user's words can be joined anew only by who knows them.

An approval counts for what the call does with the value, as what it is there (destination, target, payload, credential,
command, any other), and for what does less (`approving`): of a call that writes or sends for one that reads as well, of
a destination for a mention of it as well, and never the other way round.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Literal, NamedTuple, TypeAlias

from assent.flows.digests import MASK, P, ValueDigest, barred
from assent.flows.pack import Effect, Role
from assent.flows.session import Leaf, Session

Kind: TypeAlias = Literal["user", "approved", "house", "leaf", "free", "leaf and free", "unknown"]


class Provenance(NamedTuple):
    """`leaf_call` and `field` say where the leaf was first, `free_call` where the free text was; 0 is nowhere."""

    kind: Kind
    leaf_call: int = 0
    field: str = ""
    free_call: int = 0

    @property
    def trusted(self) -> bool:
        return self.kind in TRUSTED


TRUSTED = frozenset[Kind](["user", "approved", "house"])
"""What is never asked about."""
OWN = Provenance("house")
_UNKNOWN, _APPROVED, _USER = Provenance("unknown"), Provenance("approved"), Provenance("user")


Does: TypeAlias = Literal["read", "carry", "write", "destroy"]
"""What a call does with its values. It carries where it reads at a host that the user did not name, and has something
for who answers there."""
_LESS: Mapping[Does, tuple[Does, ...]] = {
    "read": ("read",),
    "carry": ("carry", "read"),
    "write": ("write", "carry", "read"),
    "destroy": ("destroy", "read"),
}
_MENTIONED = frozenset(["destination", "target", "other"])
"""What may be mentioned in a payload once it is approved."""
_KINDS = ("payload", "credential", "command", *sorted(_MENTIONED))
_USES = {use: number for number, use in enumerate(product(_LESS, _KINDS), 1)}


def does(effect: Effect, *, carries: bool) -> Does:
    """`effect` is that of the tool, or what its arguments say."""
    if effect == "destroy":
        return "destroy"
    if effect in ("write", "send"):
        return "carry" if carries else "write"
    return "read"


def _kind(role: Role) -> str:
    return role if role in _KINDS else "other"


def _approved(value: ValueDigest, use: tuple[Does, str]) -> Iterator[int]:
    for digest in (value.whole, value.joined) if value.exact is None else (value.exact,):
        if digest is not None:
            yield ((digest ^ _USES[use]) * P) & MASK


def approving(value: ValueDigest, done: Does, role: Role) -> Iterator[int]:
    """What a session keeps of a value that an operator approved in a call that does this."""
    kind = _kind(role)
    for less in _LESS[done]:
        for each in (kind, "payload") if kind in _MENTIONED else (kind,):
            yield from _approved(value, (less, each))


def provenance(session: Session, value: ValueDigest, done: Does, role: Role) -> Provenance:
    if session.approved and not session.approved.isdisjoint(_approved(value, (done, _kind(role)))):
        return _APPROVED
    if value.exact is not None and value.exact in session.user and barred(value.exact) not in session.user:
        return _USER
    if value.whole is None:
        return _UNKNOWN
    if value.exact is None and (session.user.issuperset(value.links) or value.joined in session.user):
        return _USER
    leaf = session.leaves.get(value.whole)
    if leaf is None and value.joined is not None:
        leaf = session.leaves.get(value.joined)
    leaf = leaf or _in_a_trusted_text(session, value)
    free = _first_text(session, value)
    if leaf is None:
        free = free or next((call for each in value.alike if (call := session.free.get(each))), 0)
        return Provenance("free", free_call=free) if free else _UNKNOWN
    if role == "command":
        return Provenance("free", free_call=free or leaf.call)
    return Provenance("leaf and free" if free else "leaf", leaf.call, leaf.field, free)


def _in_a_trusted_text(session: Session, value: ValueDigest) -> Leaf | None:
    """Where a text of which a house says that all of it is its own has the value: its words are leaves, and so is each
    two that follow each other (`Phone: +49 160 5550179`)."""
    found: Leaf | None = None
    for link in value.links:
        leaf = session.leaves.get(link)
        if leaf is None or (found is not None and found != leaf):
            return None
        found = leaf
    return found


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
