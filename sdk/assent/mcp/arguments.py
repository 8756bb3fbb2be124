"""What a tool takes: a choice of the contract's own members, as a schema and as a check that names every wrong one.

A tool's arguments are a struct made of the members of the contract's request, so there is one definition of each. What
a model must not say is left out: who it is (the key and the settings say that), what belongs to history, signatures.
`null` means the same as leaving a member out, as everywhere on the wire; the schema does not mention it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from assent.contract.openapi_schemas import Schema, standalone
from assent.contract.prepared import prepared
from assent.contract.problems import FieldError

_WHERE = re.compile(r"^(?P<message>.*) - at `\$\.?(?P<place>.*)`$", re.DOTALL)
LONGEST_NAME = 80


class Members:
    """The arguments of one tool. `required` come first; `words` are for the model, by name."""

    def __init__(
        self,
        name: str,
        source: type[Struct] | None,
        *,
        required: Sequence[str] = (),
        optional: Sequence[str] = (),
        own: Mapping[str, Any] | None = None,
        words: Mapping[str, str],
    ) -> None:
        types = {} if source is None else {each.encode_name: each.type for each in msgspec.structs.fields(source)}
        types |= own or {}
        self._types = {each: described(without_none(types[each]), words[each]) for each in (*required, *optional)}
        self._required = tuple(required)
        fields: list[tuple[str, Any] | tuple[str, Any, Any]] = [(each, self._types[each]) for each in required]
        fields += [(each, self._types[each] | UnsetType, UNSET) for each in optional]
        self._shape = msgspec.defstruct(name, fields, kw_only=True, forbid_unknown_fields=True)

    def schema(self) -> Schema:
        """As JSON Schema 2020-12; nothing but the members is allowed."""
        return {key: value for key, value in standalone(self._shape).items() if key != "title"}

    def check(self, given: Mapping[str, Any]) -> tuple[dict[str, Any], list[FieldError]]:
        """The members that were given, and everything that is wrong with them."""
        said = {name: value for name, value in given.items() if value is not None}
        wrong = [FieldError(place=name, message="is required") for name in self._required if name not in said]
        for name, value in said.items():
            if name not in self._types:
                wrong.append(FieldError(place=name[:LONGEST_NAME], message=self._unknown(name)))
                continue
            try:
                msgspec.convert(value, prepared(self._types[name]))
            except msgspec.ValidationError as error:
                wrong.append(_placed(name, str(error)))
        return said, wrong

    def _unknown(self, name: str) -> str:
        near = difflib.get_close_matches(name, self._types, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(self._types)}"
        return f"is no argument; {hint}"


def without_none(annotation: Any) -> Any:
    """`X` for `X | None`, whatever is said of that `X | None` as a whole."""
    if get_origin(annotation) is Annotated and get_origin(get_args(annotation)[0]) in (Union, UnionType):
        return without_none(get_args(annotation)[0])
    if get_origin(annotation) not in (Union, UnionType):
        return annotation
    return reduce(or_, (part for part in get_args(annotation) if part is not NoneType))


def described(annotation: Any, words: str) -> Any:
    return Annotated[annotation, Meta(description=words)]


def _placed(name: str, message: str) -> FieldError:
    found = _WHERE.match(message)
    if found is None:
        return FieldError(place=name, message=message)
    inside = found["place"]
    return FieldError(place=f"{name}{'' if inside.startswith('[') else '.'}{inside}", message=found["message"])
