"""One test of many values; all that fail are told together.

For rules about hundreds of modules, endpoints or records, where a test for each would take longer than the rule.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

Test = Callable[..., None]

SHOWN = 20


def every(
    name: str, values: Iterable[Any] | Callable[[], Iterable[Any]], ids: Callable[[Any], str] = str
) -> Callable[[Test], Test]:
    """Runs the test for each of `values`, given as its argument `name`; for `first, second` values are pairs. Other
    arguments stay what they are to pytest. A function gives the values when the test runs: what takes long to find is
    not looked for by who runs another test."""
    names = name.split(", ")

    def over(test: Test) -> Test:
        @functools.wraps(test)
        def each_of_them(**others: Any) -> None:
            listed = list(values() if callable(values) else values)
            assert listed, f"there is no {name} to look at"
            wrong: list[tuple[str, BaseException]] = []
            for value in listed:
                given = dict(zip(names, value, strict=True)) if len(names) > 1 else {name: value}
                try:
                    test(**given, **others)
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - whatever it is, it is told
                    wrong.append((ids(value), error))
            if wrong:
                told = "\n".join(f"{of}: {type(error).__name__}: {error}" for of, error in wrong[:SHOWN])
                raise AssertionError(f"{len(wrong)} of {len(listed)}:\n{told}") from wrong[0][1]

        mine = inspect.signature(test)
        left = [parameter for parameter in mine.parameters.values() if parameter.name not in names]
        each_of_them.__signature__ = mine.replace(parameters=left)  # type: ignore[attr-defined]
        return each_of_them

    return over
