"""What the members of requests, queries and answers mean.

A row says of each of its members what it means (`record.meaning`). A member of the same name and type that an operation
takes or answers means the same, unless it says something of its own:

    meanings(LoopsQuery)["priority"]                    # "low, medium, high or critical", as of a loop
    meanings(ApprovalsQuery, Approvals)["state"]        # of the approvals that are answered

The API's document and the docstrings of the client's methods take the sentences from here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from msgspec import Meta, Struct, UnsetType

from assent.contract.endpoint import AnyEndpoint
from assent.contract.ids import BELONGS, NAMES
from assent.contract.record import Query, Record, Request, metas_of


def meanings(shape: type[Struct], answer: Any = None) -> dict[str, str]:
    """By name, of the members of which something is said: what they say themselves, else what the row of their module
    says with which the shape has most in common, else what a row of another module says that is in `answer`."""
    found: dict[str, str] = {}
    near = _nearest(shape)
    answered = [each for each in structs_of(answer) if each.__module__ != shape.__module__]
    for name, (kind, own) in _members(shape).items():
        alike = set(_meanings(near, name, kind))
        told = own or (alike.pop() if len(alike) == 1 else next(_meanings(answered, name, kind), None))
        if told is not None:
            found[name] = told
    return found


def meanings_of_path(endpoint: AnyEndpoint[Any]) -> dict[str, str]:
    """By name, of the parameters of the endpoint's path: what the row says whose id it is, among those that are
    answered and those of the same module; else of which kind the ids are (`contract.ids`); else what another row
    says of it."""
    answered: Any = endpoint.response
    shapes = [*structs_of(answered)]
    for shape in (answered, endpoint.request, endpoint.query):
        shapes += _declared(shape.__module__) if shape is not None else ()
    found: dict[str, str] = {}
    for name in sorted(endpoint.parameters()[0]):
        told = [*_meanings(shapes, name, str)]
        own = [each for each in (*told, *_meanings(shapes, "id", str)) if each.startswith("id of")]
        kinds = BELONGS.get(name, ())
        by_kind = [f"id of {NAMES[kinds[0]]}"] if len(kinds) == 1 else []
        best = [*(each for each in told if each in own), *by_kind, *told, *own]
        if best:
            found[name] = best[0]
    return found


@cache
def structs_of(annotation: Any) -> tuple[type[Struct], ...]:
    """Every struct that a value of this type may hold, itself first, the nearest ones before those within them."""
    found: dict[type[Struct], None] = {}
    waiting = [annotation]
    for each in waiting:
        if isinstance(each, type) and get_origin(each) is None and issubclass(each, Struct):
            if each not in found:
                found[each] = None
                waiting += _hints(each).values()
        else:
            waiting += [part for part in get_args(each) if not isinstance(part, Meta)]
    return tuple(found)


def _meanings(rows: Iterable[type[Struct]], name: str, kind: Any) -> Iterator[str]:
    for row in rows:
        told = _row(row).get(name)
        if told is not None and told[0] == kind:
            yield told[1]


def _nearest(shape: type[Struct]) -> list[type[Struct]]:
    """The row of the module that tells most of the members; several that tell as many."""
    kinds = {name: kind for name, (kind, _) in _members(shape).items()}
    common = {
        row: sum(kinds.get(name) == kind for name, (kind, _) in _row(row).items())
        for row in _declared(shape.__module__)
    }
    most = max(common.values(), default=0)
    return [row for row, number in common.items() if number == most > 0]


@cache
def _members(shape: type[Struct]) -> dict[str, tuple[Any, str | None]]:
    """The bare type of each member, and what it says itself."""
    return {name: (_bare(hint), _own(hint)) for name, hint in _hints(shape).items()}


@cache
def _row(struct: type[Struct]) -> dict[str, tuple[Any, str]]:
    """The bare type and the meaning of each member that has one; what a caller sends is no row."""
    sent = issubclass(struct, Request | Query) and not issubclass(struct, Record)
    hints = {} if sent else _hints(struct)
    return {name: (_bare(hint), told) for name, hint in hints.items() if (told := _sentence(hint)) is not None}


@cache
def _declared(module: str) -> tuple[type[Struct], ...]:
    values = vars(sys.modules[module]).values()
    return tuple(
        each for each in values if isinstance(each, type) and issubclass(each, Struct) and each.__module__ == module
    )


@cache
def _hints(shape: type[Struct]) -> dict[str, Any]:
    hints = get_type_hints(shape, include_extras=True)
    return {name: hints[name] for name in shape.__struct_fields__}


def _own(hint: Any) -> str | None:
    """What a member says itself; also of a part of it, as `Limit | None` does."""
    parts = get_args(hint) if isinstance(hint, UnionType) or get_origin(hint) is Union else ()
    return next((told for each in (hint, *parts) if (told := _sentence(each)) is not None), None)


def _sentence(hint: Any) -> str | None:
    return next((each.description for each in reversed(metas_of(hint)) if each.description), None)


def _bare(hint: Any) -> Any:
    """A type without None, without limits, and with one name for lists of any kind."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _bare(parts[0])
    if origin in (Union, UnionType):
        kinds = {_bare(each) for each in parts if each not in (NoneType, UnsetType)}
        return kinds.pop() if len(kinds) == 1 else frozenset(kinds)
    if origin is None:
        return hint
    return (list if origin is tuple else origin, *(_bare(each) for each in parts if each is not Ellipsis))
