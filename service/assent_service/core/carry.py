"""Members that a record takes over from what it is made of, so that only what is decided is written down.

    loop = carry(OpenLoop, action, said, loop_id=loop_id, status=LoopStatus.OPEN, created_at=at, ...)

Each member is the one given by name, else that of the only source that has a member of this name; where two have it,
it must be given, since nobody who reads the call could tell which of them is meant. So a member that comes into a
request and its row (or into a row and its answer) is carried from then on, and nothing else changes.

Which source a member comes from, and whether its type fits, is found out once for each way of calling: a TypeError
names the record, the member and the source. A call costs some microseconds more than naming each member does, so guard
and the creation of actions name them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

T = TypeVar("T", bound=Struct)


def carry(into: type[T], *sources: Struct, **given: Any) -> T:
    """`into` made of what is `given` and of its `sources`. Raises TypeError for a member that nobody has, that is none,
    that two sources have, or whose source may hold what the member may not."""
    for name, get in _plan(into, tuple(type(each) for each in sources), frozenset(given)):
        given[name] = get(sources)
    return into(**given)


@cache
def _plan(
    into: type[Struct], sources: tuple[type[Struct], ...], given: frozenset[str]
) -> tuple[tuple[str, Callable[[tuple[Struct, ...]], Any]], ...]:
    strange = given - set(into.__struct_fields__)
    if strange:
        raise TypeError(f"{into.__name__} has no members {sorted(strange)}")
    plan = []
    wanted = _types(into)
    for field in fields(into):
        if field.name in given:
            continue
        having = [at for at, source in enumerate(sources) if field.name in source.__struct_fields__]
        if len(having) > 1:
            names = " and ".join(sources[at].__name__ for at in having)
            raise TypeError(f"{into.__name__}.{field.name} could be carried from {names}; give it by name")
        if having:
            at = having[0]
            beyond = {each for each in _types(sources[at])[field.name] if not _fits(each, wanted[field.name])}
            if beyond:
                raise TypeError(
                    f"{into.__name__}.{field.name} cannot be carried from {sources[at].__name__}: "
                    f"there it may be {sorted(map(str, beyond))}; give it by name"
                )
            plan.append((field.name, _getter(at, field.name)))
        elif field.default is NODEFAULT and field.default_factory is NODEFAULT:
            names = ", ".join(source.__name__ for source in sources)
            raise TypeError(f"{into.__name__}.{field.name} is neither given nor a member of {names or 'any source'}")
    return tuple(plan)


def _fits(part: Any, wanted: frozenset[Any]) -> bool:
    if part in wanted or Any in wanted:
        return True
    kinds = tuple(each for each in wanted if isinstance(each, type))
    return isinstance(part, type) and part is not bool and issubclass(part, kinds)


def _getter(at: int, name: str) -> Callable[[tuple[Struct, ...]], Any]:
    read = attrgetter(name)
    return lambda sources: read(sources[at])


@cache
def _types(struct: type[Struct]) -> dict[str, frozenset[Any]]:
    """What each member may be, without its bounds; whole numbers count as numbers, too."""
    hints = get_type_hints(struct, include_extras=True)
    return {name: frozenset(_alternatives(hints[name])) for name in struct.__struct_fields__}


def _alternatives(hint: Any) -> set[Any]:
    origin = get_origin(hint)
    if origin is Annotated:
        return _alternatives(get_args(hint)[0])
    if origin in (Union, UnionType):
        return set().union(*(_alternatives(each) for each in get_args(hint)))
    if hint is float:
        return {int, float}
    if origin is not None:
        return {
            (origin, *(frozenset(_alternatives(each)) if each is not Ellipsis else each for each in get_args(hint)))
        }
    return {hint}
