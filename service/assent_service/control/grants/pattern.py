"""The pattern of a request: the conditions of a standing grant that covers this very request and no other. Pure.

1. The parameters have exactly these names, null ones included. Each is the same: a short text, a number and a truth
   value as it stands, null as not there, and whatever else by its digest.
2. Where some name is no part of a path, or there are more than MOST_MEMBERS, all parameters are the same by one digest.
   So are empty ones.
3. Where their digest was sent, because they are kept back or because a secret in them was blanked, it is the same.
4. A request without parameters binds that there are none, and one without any argument its goal, too.
5. Each member of the open context that the contract does not know is an argument in all but its name, and is the same.
   What a later request adds there is no part of the act that is approved and claimed.
6. The systems that were named are the same in the same order, and whether it can be undone is said again. So is what
   was said of where it goes and what it has (`externality`), by its names and member by member like the parameters,
   those that the contract does not know too.
7. Metadata are not bound.

An argument without a path or a digest cannot be bound, and is named (`unbound`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from assent.contract import conditions
from assent.contract.conditions import All, Compare, Condition, Op, SameMembers, SameValue
from assent.contract.control.guard import GuardContext
from assent.contract.names import NAME_FIELDS, compared
from assent.proof.canonical import CanonicalError, digest

MOST_MEMBERS = 40
"""Arguments of a request that are bound one by one."""
_LONGEST, _SHOWN = 500, 80
_SENT = ("parameters", "parameters_digest")
_GIVEN = frozenset({"risk_factors", "agent_risk_score", "destructive"})
"""What guard gives conditions, whatever was sent under the name."""
_KNOWN = frozenset(GuardContext.__struct_encode_fields__) | _GIVEN


class RequestPattern(Struct, frozen=True):
    """`exact` says of what a digest binds what it is (`3 items`), by its field; `binds` whether some argument is
    bound. `unbound_metadata` are the names of the metadata."""

    when: dict[str, Any] | None
    exact: dict[str, str]
    unbound: list[str]
    binds: bool
    unbound_metadata: list[str]


def pattern_of(context: Mapping[str, Any]) -> RequestPattern:
    """The pattern of a request, as guard recorded what it was asked."""
    exact: dict[str, str] = {}
    unbound: list[str] = []
    parts: list[Condition] = [*_parameters(context, exact, unbound), *_further(context, exact, unbound)]
    binds = bool(parts)
    if all(context.get(name) is None for name in _SENT):
        parts = [*(Compare(field=name, op=Op.EXISTS, value=False) for name in _SENT), *parts]
    if not binds and not unbound and isinstance(goal := context.get("declared_goal"), str):
        parts.append(_same("declared_goal", goal, exact))
    if systems := context.get("systems_touched"):
        parts.append(_by_digest("systems_touched", compared(systems), exact))
    if isinstance(reversible := context.get("reversible"), bool):
        parts.append(Compare(field="reversible", op=Op.EQ, value=reversible))
    parts += _reach(context.get("externality"), exact, unbound)
    metadata = context.get("metadata")
    names = list(map(str, metadata)) if isinstance(metadata, Mapping) else []
    return RequestPattern(conditions.to_data(All(tuple(parts))) if parts else None, exact, unbound, binds, names)


def arguments_of(context: Mapping[str, Any]) -> list[str]:
    """The names of the arguments of a request; `parameters` for those that were kept back."""
    parameters = context.get("parameters")
    if isinstance(parameters, Mapping):
        own = list(parameters)
    else:
        own = [] if context.get("parameters_digest") is None else ["parameters"]
    return own + [name for name in context if name not in _KNOWN]


def _parameters(context: Mapping[str, Any], exact: dict[str, str], unbound: list[str]) -> Iterator[Condition]:
    parameters, sent = context.get("parameters"), context.get("parameters_digest")
    found = None
    if isinstance(parameters, Mapping):
        try:
            found = digest(parameters)
        except CanonicalError:
            unbound.append("parameters")
            return
        yield from _members("parameters", parameters, exact)
    if isinstance(sent, str) and sent != found:
        yield Compare(field="parameters_digest", op=Op.EQ, value=sent)


def _members(field: str, members: Mapping[str, Any], exact: dict[str, str]) -> Iterator[Condition]:
    """Raises CanonicalError."""
    if not 0 < len(members) <= MOST_MEMBERS or not all(_reached(f"{field}.{name}", name) for name in members):
        yield _by_digest(field, members, exact)
        return
    yield SameMembers(field=field, members=tuple(members))
    for name, value in members.items():
        yield _same(f"{field}.{name}", value, exact)


def _further(context: Mapping[str, Any], exact: dict[str, str], unbound: list[str]) -> Iterator[Condition]:
    for at, name in enumerate(each for each in context if each not in _KNOWN):
        try:
            if at < MOST_MEMBERS and _reached(name, name):
                yield _same(name, compared(context[name]) if name in NAME_FIELDS else context[name], exact)
                continue
        except CanonicalError:
            pass
        unbound.append(name)


def _reach(said: object, exact: dict[str, str], unbound: list[str]) -> list[Condition]:
    if not isinstance(said, Mapping):
        return []
    try:
        return list(_members("externality", said, exact))
    except CanonicalError:
        unbound.append("externality")
        return []


def _reached(path: str, name: str) -> bool:
    """Whether a condition reaches it by its path."""
    return bool(name) and "." not in name and len(path) <= conditions.MAX_FIELD


def _same(field: str, value: object, exact: dict[str, str]) -> Condition:
    """Raises CanonicalError."""
    if value is None:
        return Compare(field=field, op=Op.EXISTS, value=False)
    plain = isinstance(value, str) and len(value) <= _LONGEST
    # Beyond that, not every reader keeps a number exactly.
    if plain or (isinstance(value, bool | int | float) and abs(value) <= conditions.MAX_INTEGER):
        assert isinstance(value, str | int | float)
        return Compare(field=field, op=Op.EQ, value=value)
    return _by_digest(field, value, exact)


def _by_digest(field: str, value: object, exact: dict[str, str]) -> SameValue:
    found = digest(value)
    exact[field] = _size(value)
    return SameValue(field=field, digest=found)


def _size(value: object) -> str:
    """What it is, in a few words; a short list of short texts is told whole."""
    if isinstance(value, str):
        return f"{len(value)} characters"
    if isinstance(value, Mapping):
        return _several(len(value), "member")
    if not isinstance(value, list | tuple):
        return "a number"
    texts = ", ".join(f"“{each}”" for each in value if isinstance(each, str))
    whole = value and all(isinstance(each, str) for each in value) and len(texts) <= _SHOWN
    return f"{_several(len(value), 'item')}: {texts}" if whole else _several(len(value), "item")


def _several(n: int, noun: str) -> str:
    return f"no {noun}s" if n == 0 else f"{n} {noun}{'' if n == 1 else 's'}"
