"""A profile as it is applied: its method and its dimensions, read from whatever a caller has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, cast

import msgspec
from msgspec import Struct

from assent.contract.analysis.scales import CompositeMethod, Dimension, ScaleError, read_dimension, read_method


class Profile(Struct, frozen=True, kw_only=True):
    """`profile_of` makes one that is right."""

    composite_method: CompositeMethod = CompositeMethod.WEIGHTED_AVERAGE
    dimensions: tuple[Dimension, ...] = ()


ProfileLike: TypeAlias = Profile | Struct | Mapping[str, Any]


def profile_of(given: ProfileLike) -> Profile:
    """A profile out of a `Profile`, a profile as the service answers with it, or a mapping of the same members.

    Raises ScaleError, which is a ValueError, at the first place that is wrong; a profile without dimensions is, too.
    """
    plain: object = msgspec.to_builtins(given) if isinstance(given, Struct) else given
    if not isinstance(plain, Mapping):
        raise ScaleError("profile", f"is a {type(given).__name__}; give a profile, or a mapping of its members")
    members = cast("Mapping[str, Any]", plain)
    method = members.get("composite_method")
    listed = members.get("dimensions") or ()
    if not listed:
        raise ScaleError("dimensions", "are none; a profile measures at least one thing")
    return Profile(
        composite_method=CompositeMethod.WEIGHTED_AVERAGE if method is None else read_method(method),
        dimensions=tuple(_dimension(each, f"dimensions[{at}]") for at, each in enumerate(listed)),
    )


def _dimension(given: object, place: str) -> Dimension:
    if isinstance(given, Struct):
        given = msgspec.to_builtins(given)
    if not isinstance(given, Mapping):
        raise ScaleError(place, f"is a {type(given).__name__}; give an object with name, data_source and scale")
    return read_dimension(cast("Mapping[str, Any]", given), place)
