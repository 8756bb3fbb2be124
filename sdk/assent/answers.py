"""How an answer is told to its session: as whose it is, and with which names its call was made.

What a call raised is told as the answer of `error:<tool>`, and so as none of the tool's own. The names are those of the
arguments and of what is in them, two levels down and in lists as well: tools are given a `path` or a `url` in a
`request`, too. A nested name is one that could be a field's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

RAISED = "error:"
MOST_NAMES, LONGEST_NAME = 200, 128
MOST_LOOKED_AT = 2_000
"""Values of a level."""
LEVELS = 2
Members = Callable[[object], Mapping[str, object] | None]


def _nothing(_: object) -> None:
    return None


def argument_names(arguments: Mapping[str, object], members: Members = _nothing) -> list[str]:
    """Each name once, those above first. `members` gives what is in an object that is no mapping, and None of any other
    value."""
    found = {name[:LONGEST_NAME]: None for name in arguments}
    values: list[object] = list(arguments.values())
    for _ in range(LEVELS):
        below = list[object]()
        for value in _opened(values):
            inner = value if isinstance(value, Mapping) else members(value)
            for name, each in (inner or {}).items():
                below.append(each)
                if isinstance(name, str) and len(name) <= LONGEST_NAME and name.replace("-", "_").isidentifier():
                    found[name] = None
                if len(below) >= MOST_LOOKED_AT:
                    break
        values = below
    return list(found)[: max(MOST_NAMES, len(arguments))]


def _opened(values: list[object]) -> list[object]:
    """What may have names in it."""
    found = list[object]()
    for value in values[:MOST_LOOKED_AT]:
        items = value[:MOST_LOOKED_AT] if isinstance(value, list | tuple) else (value,)
        found += [each for each in items if not (each is None or isinstance(each, str | int | float | bytes))]
    return found[:MOST_LOOKED_AT]
