"""The address of a page, declared once: its query parameters with their types, defaults and bounds.

    @dataclass(frozen=True)
    class LedgerAddress(Address, page="ledger"):
        window: Window = "7d"
        status: ActionStatus | None = None
        cursor: Cursor = None

    address, problems = LedgerAddress.read({"status": "failed", "window": "soon"})
    address.status, address.window      # ActionStatus.FAILED, "7d"
    problems                            # one sentence about the window
    address.query()                     # {"window": "7d", "status": "failed"}

The address is the only place where a look is kept: every run reads it, every widget writes it, so a copied link shows
the same view.

- A value that means nothing is replaced by the default, and a sentence says which value that was and what would do.
- What equals its default is not written. The window always is, so that a link still means the same when the default
  changes.
- Parameters that are not declared are left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Protocol, Self, Union, get_args, get_origin, get_type_hints

from assent.contract.window import days_of

LONGEST_NAME, LONGEST_CURSOR, LONGEST_LINK, LONGEST_QUOTE = 128, 400, 8000, 40
"""Characters: of a name or an id, of a cursor, of a whole link, and of a wrong value that a sentence repeats."""
WITHOUT = "Showing without it."


class MemberKind(Protocol):
    """How a text of the address becomes a value."""

    def read(self, name: str, text: str, default: Any, before: Mapping[str, Any]) -> Any:
        """The value of `text`, which is not empty. `before` are the members that were declared, and read, earlier.
        Raises `ValueError` with a sentence for the reader when the text means nothing."""
        ...


@dataclass(frozen=True)
class Text:
    """Any text of at most `longest` characters."""

    longest: int

    def read(self, name: str, text: str, default: Any, before: Mapping[str, Any]) -> str:
        if len(text) > self.longest:
            raise ValueError(f"{name} has {len(text)} characters, at most {self.longest} are possible. {WITHOUT}")
        return text


@dataclass(frozen=True)
class Choice:
    """One of several texts; members of an enumeration become those. `otherwise` says what a wrong one is replaced
    by."""

    known: Iterable[str]
    otherwise: str = WITHOUT

    def read(self, name: str, text: str, default: Any, before: Mapping[str, Any]) -> str:
        for each in self.known:
            if each == text:
                return each
        wrong = f"{name} is {text[:LONGEST_QUOTE]!r}; it can be {', '.join(self.known)}."
        raise ValueError(f"{wrong} {self.otherwise}".strip())


@dataclass(frozen=True)
class Number:
    """From 0 to `most`."""

    most: float

    def read(self, name: str, text: str, default: Any, before: Mapping[str, Any]) -> float:
        try:
            number = float(text)
        except ValueError:
            number = -1.0
        if not isfinite(number) or not 0 <= number <= self.most:
            wrong = f"{name} is {text[:LONGEST_QUOTE]!r}; give a number from 0 to {self.most:.0f}."
            raise ValueError(f"{wrong} Showing {default:g}.")
        return number


class Days:
    """How far back, as `30d`."""

    def read(self, name: str, text: str, default: Any, before: Mapping[str, Any]) -> str:
        try:
            days_of(text)
        except ValueError as error:
            raise ValueError(f"{error}. Showing {default} instead.") from None
        return text


class Flag:
    """Set by `yes`; anything else is no."""

    YES = "yes"

    def read(self, name: str, text: str, default: Any, before: Mapping[str, Any]) -> bool:
        return text == self.YES


@dataclass(frozen=True)
class When:
    """The member belongs to some looks only: it is read where `holds` of the members before it."""

    holds: Callable[[Mapping[str, Any]], bool]


Window = Annotated[str, Days()]
Name = Annotated[str | None, Text(LONGEST_NAME)]
Cursor = Annotated[str | None, Text(LONGEST_CURSOR)]


@dataclass(frozen=True)
class Parameter:
    """One declared member."""

    kind: MemberKind
    default: Any
    when: When | None


@dataclass(frozen=True)
class Address:
    """The address of a page. Subclasses are frozen dataclasses; each member has a default and one of these types: a
    `StrEnum` or that or None, `bool`, or `Annotated` with a `MemberKind`. With `When` a member is read in some looks
    only.

    `OF_A_LIST` are members that any other choice makes void, as a cursor belongs to the list it was cut from.
    """

    page: ClassVar[str] = ""
    parameters: ClassVar[Mapping[str, Parameter]] = {}
    OF_A_LIST: ClassVar[tuple[str, ...]] = ("cursor",)

    def __init_subclass__(cls, page: str = "") -> None:
        """`page` is the path of the page. Raises `TypeError` for a member that is no parameter."""
        cls.page = page
        cls.parameters = {
            name: _parameter(cls, name, annotation)
            for name, annotation in get_type_hints(cls, include_extras=True).items()
            if get_origin(annotation) is not ClassVar
        }

    @classmethod
    def read(cls, query: Mapping[str, str]) -> tuple[Self, list[str]]:
        """What an address asks for, and a sentence for each value that means nothing."""
        address, problems, _ = cls._read(query)
        return address, list(problems.values())

    @classmethod
    def void(cls, query: Mapping[str, str]) -> set[str]:
        """The declared members of an address that mean nothing there."""
        _, problems, foreign = cls._read(query)
        return {*problems, *foreign}

    @classmethod
    def _read(cls, query: Mapping[str, str]) -> tuple[Self, dict[str, str], list[str]]:
        values: dict[str, Any] = {}
        problems: dict[str, str] = {}
        foreign: list[str] = []
        for name, parameter in cls.parameters.items():
            values[name] = parameter.default
            text = query.get(name, "").strip()
            if not text:
                continue
            if parameter.when is not None and not parameter.when.holds(values):
                foreign.append(name)
                continue
            try:
                values[name] = parameter.kind.read(name, text, parameter.default, values)
            except ValueError as error:
                problems[name] = str(error)
        return cls(**values), problems, foreign

    def query(self) -> dict[str, str]:
        """The query parameters of this look."""
        return {
            name: _text(value)
            for name, parameter in self.parameters.items()
            if (value := getattr(self, name)) != parameter.default or isinstance(parameter.kind, Days)
        }

    @classmethod
    def query_of(cls, **members: str | None) -> dict[str, str]:
        """The query parameters of a link that says these members and leaves the others open; None says nothing. Raises
        `TypeError` for a member that the page does not have."""
        unknown = members.keys() - cls.parameters.keys()
        if unknown:
            raise TypeError(f"{cls.__name__} has no {', '.join(sorted(unknown))}")
        return {name: _text(value) for name, value in members.items() if value}


def _text(value: Any) -> str:
    return Flag.YES if value is True else str(value)


def _parameter(cls: type[Address], name: str, annotation: Any) -> Parameter:
    if not hasattr(cls, name):
        raise TypeError(f"{cls.__name__}.{name} has no default")
    plain, *extras = get_args(annotation) if get_origin(annotation) is Annotated else (annotation,)
    whens = [each for each in extras if isinstance(each, When)]
    kinds = [each for each in extras if hasattr(each, "read")] or _kinds(plain)
    if len(kinds) != 1 or len(whens) > 1:
        raise TypeError(f"{cls.__name__}.{name}: an address cannot hold {annotation}")
    return Parameter(kinds[0], getattr(cls, name), whens[0] if whens else None)


def _kinds(annotation: Any) -> list[MemberKind]:
    """The kind that follows from a type alone; none where it does not."""
    plain = annotation
    if get_origin(annotation) in (Union, UnionType):
        plain = next((each for each in get_args(annotation) if each is not NoneType), None)
    if plain is bool:
        return [Flag()]
    if isinstance(plain, type) and issubclass(plain, StrEnum):
        return [Choice(plain)]
    return []
