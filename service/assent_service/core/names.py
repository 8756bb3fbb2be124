"""Names at the door: every name of a type or an agent in a body or a query comes in here, by the rule of
`assent.contract.names`. What the body said stays in the members as they were sent.

1. A type becomes its canonical name.
2. An agent keeps its case here, with compatibility forms and white space gone; it is compared without case.
3. Systems and tools stay as they were sent, since an approval is for exactly them; they are folded where they are
   compared.
4. A name with a character that cannot be seen is refused, in all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import msgspec

from assent.contract.names import NAME_FIELDS, NameRefused, canonical, displayed
from assent.contract.problems import Code, FieldError
from assent_service.base.problem import refuse

S = TypeVar("S", bound=msgspec.Struct)

AGENTS = frozenset({"agent_id", "from_agent_id", "to_agent_id", "registered_agent_id"})
"""Members that name an agent."""
AGENT_LISTS = frozenset({"agent_ids", "participants"})
MOST = 128
"""Characters of a type once its compatibility forms are written out."""

_Settle = Callable[[str], str]


def settle(body: S, code: Code = Code.INVALID_BODY) -> S:
    """`body` with its names settled; the same object where they are already. Raises `code` for a name that is refused,
    naming the character."""
    return body if _is_settled(body) else _changed(body, code)


def _is_settled(body: msgspec.Struct) -> bool:
    """Whether every name is as it is kept, as nearly all are: the quick look."""
    try:
        for name, settled in _plan(type(body)):
            value = getattr(body, name)
            if isinstance(value, str):
                if value and settled(value) != value:
                    return False
            elif isinstance(value, list | tuple):
                for each in value:
                    if settled(each) != each:
                        return False
    except NameRefused:
        return False
    return True


def _changed(body: S, code: Code) -> S:
    changed: dict[str, object] | None = None
    for name, settled in _plan(type(body)):
        value = getattr(body, name)
        if isinstance(value, str):
            after: object = _settled(name, value, settled, code) if value else value
        elif isinstance(value, list | tuple):
            after = type(value)([_settled(f"{name}[{at}]", each, settled, code) for at, each in enumerate(value)])
        else:
            continue
        if after != value:
            changed = changed or {}
            changed[name] = after
    return body if changed is None else msgspec.structs.replace(body, **changed)


def check_open(members: dict[str, Any], known: tuple[str, ...], code: Code = Code.INVALID_BODY) -> None:
    """Names that an open context holds besides its `known` members: raises `code` for one that is refused."""
    for name in _beyond(known).intersection(members):
        value = members[name]
        for at, each in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(each, str):
                _settled(f"{name}[{at}]" if isinstance(value, list) else name, each, _as_it_is, code)


@cache
def _beyond(known: tuple[str, ...]) -> frozenset[str]:
    """Fields that hold names, without those that are known."""
    return NAME_FIELDS.difference(known)


def _settled(place: str, said: str, settled: _Settle, code: Code) -> str:
    try:
        after = settled(said)
    except NameRefused as error:
        raise refuse(code, f"{place} {error}.", FieldError(place=place, message=str(error))) from None
    if settled is canonical and not 0 < len(after) <= MOST:
        message = f"has {len(after)} characters once it is written out; give 1 to {MOST}"
        raise refuse(code, f"{place} {message}.", FieldError(place=place, message=message))
    return after


def _as_it_is(said: str) -> str:
    displayed(said)
    return said


@cache
def _plan(shape: type[msgspec.Struct]) -> tuple[tuple[str, _Settle], ...]:
    found: list[tuple[str, _Settle]] = []
    for name in shape.__struct_fields__:
        if name == "action_type":
            found.append((name, canonical))
        elif name in AGENTS or name in AGENT_LISTS:
            found.append((name, displayed))
        elif name in NAME_FIELDS:
            found.append((name, _as_it_is))
    return tuple(found)
