"""Writes docs/reference/published-clients.md from the tally: `python -m tests.stories.published.document`."""

from __future__ import annotations

import textwrap
from pathlib import Path

from tests.architecture.test_specification import OPERATIONS
from tests.stories.published.tally import (
    ABSENT,
    ELSEWHERE,
    SWAPPED,
    WORKS,
    counted,
    methods,
    names,
    specified,
)
from tests.stories.published.versions import MIDDLE, NEWEST, VERSIONS

PLACE = "docs/reference/published-clients.md"
HEAD = """# Published clients

<!-- Generated from the tally of the tests; `python -m tests.stories.published.document` writes it anew. -->

Agents that have one of the published Python clients (`dashclaw`) keep it: they change the address and the key, nothing
else. Three versions are run by the tests, unmodified and over HTTP, and the tables below are counted from them. A
method works if the service answered it in that run with a result that a test looked at.
"""
ROWS = {
    WORKS: "work",
    SWAPPED: "swapped: that client cannot send them",
    ELSEWHERE: "answered with a replacement",
    ABSENT: "not in that client",
}


def page() -> str:
    return "\n".join(
        (
            HEAD,
            *("## Methods", "", *_table("methods", _methods_rows()), ""),
            *_wrapped(
                "What is done elsewhere is answered with 404 `not_served`, and with what to use in its place. No "
                "method waits for a later change."
            ),
            *("", "## Operations of the specification", ""),
            *_wrapped(
                "An operation is carried by the method of its name in snake case; in 2.1.0, `register_assumption` "
                "carries `record_assumption`."
            ),
            *("", *_table("operations", _operation_rows()), ""),
            *("## What is answered with a replacement", ""),
            *_wrapped(
                f"These methods of {NEWEST} ask the service to run something, or to vouch for somebody. Agents run "
                "their own tools here; the service decides and records."
            ),
            *("", *_listed(names(NEWEST, ELSEWHERE)), ""),
            *(f"## What {MIDDLE} cannot send", ""),
            *_wrapped(
                f"{len(names(MIDDLE, SWAPPED))} methods of {MIDDLE} pass method and path to their own helper the "
                "wrong way round, and fail with `Request failed: nonnumeric port` before anything is sent. No server "
                "can serve them; 2.1.0 sends the same calls, and those that it still has 4.8.0 sends too."
            ),
            *("", *_listed(names(MIDDLE, SWAPPED)), ""),
        )
    )


def _table(first: str, rows: list[tuple[str, list[int]]]) -> list[str]:
    head = [f"| {first} | {' | '.join(VERSIONS)} |", "|---|" + "---:|" * len(VERSIONS)]
    return head + [f"| {name} | {' | '.join(str(number) for number in numbers)} |" for name, numbers in rows]


def _methods_rows() -> list[tuple[str, list[int]]]:
    fates = (WORKS, SWAPPED, ELSEWHERE)
    return [
        ("in all", [len(methods(version)) for version in VERSIONS]),
        *((ROWS[each], [counted(version)[each] for version in VERSIONS]) for each in fates),
    ]


def _operation_rows() -> list[tuple[str, list[int]]]:
    fates = (WORKS, SWAPPED, ABSENT)
    return [
        ("in all", [len(OPERATIONS)] * len(VERSIONS)),
        *((ROWS[each], [specified(version)[each] for version in VERSIONS]) for each in fates),
    ]


def _listed(chosen: list[str]) -> list[str]:
    return _wrapped(", ".join(f"`{name}`" for name in chosen) + ".")


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False)


if __name__ == "__main__":
    (Path(__file__).parents[3] / PLACE).write_text(page(), encoding="utf-8")
