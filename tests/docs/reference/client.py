"""docs/reference/client.md, from the signatures and docstrings of the client's methods."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from typing import Any

from assent import AsyncClient, Client
from assent.client.further import FurtherOperations
from assent.client.nouns import Nouns, complete
from tests.docs.reference.markdown import page, prose
from tests.house.signatures import INSIDE, shown

PARAMETER = re.compile(r"(?P<name>\w+): (?P<meaning>.+)")


def client_page() -> str:
    signatures = shown()
    return page(
        "Client",
        prose(
            "`Client` blocks and `AsyncClient` awaits; the methods, their parameters and their answers are the same. "
            "Where a signature differs, both are shown. `= ...` is a parameter that may be left out. Every method "
            "raises an [error](errors.md) of its own kind where the service refuses; only what is special to a method "
            "is said here. `help(Client.guard)` shows the same in a shell."
        ),
        ["## The clients themselves"],
        *(_method(name, signatures) for name in ("__init__", *_of_the_client())),
        *_sections(signatures),
    )


def _sections(signatures: dict[str, str]) -> Iterator[list[str]]:
    for part in _nouns():
        names = list(_own(part))
        if names:
            module = sys.modules[part.__module__]
            yield [f"## {part.__module__.rpartition('.')[2].replace('_', ' ').capitalize()}"]
            yield prose((inspect.getdoc(module) or "").split("\n\n")[0])
            for name in names:
                yield _method(name, signatures)


def _of_the_client() -> Iterator[str]:
    """What belongs to no section below: the client's own, and blocks of code that are governed."""
    sections = {name for part in _nouns() for name in _own(part)}
    others = (name for part in Client.__mro__ if part is not object for name in _own(part))
    yield from (name for name in dict.fromkeys(others) if name not in sections)


def _nouns() -> Iterator[type[Any]]:
    complete()
    yield from (part for part in Nouns.__bases__ if part is not FurtherOperations)
    yield from FurtherOperations.__bases__


def _own(part: type[Any]) -> Iterator[str]:
    """The public members that a class declares itself, in the order of its text."""
    yield from (name for name in vars(part) if not name.startswith("_"))


def _method(name: str, signatures: dict[str, str]) -> list[str]:
    about = inspect.getdoc(Client if name == "__init__" else getattr(Client, name)) or ""
    title = "Client" if name == "__init__" else name
    return [f"### {title}", "", "```python", *_signature(name, signatures), "```", "", *_told(about)]


def _signature(name: str, signatures: dict[str, str]) -> Iterator[str]:
    """As Python declares it; one after the other where the two clients differ."""
    for client in ("", *(each.__name__ for each in (Client, AsyncClient))):
        for prefix in ("", "async "):
            entry = f"{prefix}{client}{'.' if client else ''}{name}"
            if entry in signatures:
                yield from [f"# {client}"] if client else []
                yield from _lines(f"{prefix}def {name}", signatures[entry])


def _lines(entry: str, text: str) -> list[str]:
    """One line where the whole fits, else a line for each parameter."""
    if not text.startswith("("):
        return [entry.removeprefix("def ") + text]
    if len(entry + text) <= 95:
        return [f"{entry}{text}: ..."]
    parameters, _, answer = text[1:].rpartition(") -> ")
    # The spaces between parameters are those at which an entry's lines may end.
    marked = INSIDE.sub("\0", parameters)
    each = [part.replace("\0", " ") for part in marked.split(" ")]
    return [f"{entry}(", *(f"    {part}" for part in each), f") -> {answer}: ..."]


def _told(about: str) -> list[str]:
    lines: list[str] = []
    for part in about.split("\n\n"):
        found = [PARAMETER.fullmatch(line) for line in part.split("\n")]
        if all(found):
            part = "\n".join(f"- `{each['name']}`: {each['meaning']}" for each in found if each)
        lines += [*([""] if lines else []), *part.split("\n")]
    return lines
