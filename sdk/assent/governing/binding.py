"""From how a function was called to its arguments by name, defaults included, and to the goal its author wrote.

The receiver of a method is no argument: the first parameter of a function that was defined in a class, where it is
called `self` or `cls`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from string import Formatter
from typing import Any

from assent.governing.arguments import spoken

RECEIVERS = ("self", "cls", "mcs")


class Parameters:
    """Those of one function. One that has no signature (some of C) has its arguments by position."""

    def __init__(self, function: Callable[..., Any]) -> None:
        try:
            self._signature: inspect.Signature | None = inspect.signature(function)
        except (TypeError, ValueError):
            self._signature = None
        named = [] if self._signature is None else list(self._signature.parameters)
        receives = bool(named) and named[0] in RECEIVERS and _in_class(function)
        self._receiver = named[0] if receives else None
        self.names = [name for name in named if name != self._receiver]

    def bound(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments by name. Raises TypeError, as calling the function would."""
        if self._signature is None:
            return {**({"args": list(args)} if args else {}), **kwargs}
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        arguments: dict[str, Any] = {}
        for name, value in bound.arguments.items():
            kind = self._signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_KEYWORD:
                arguments |= {each if each not in arguments else f"**{each}": given for each, given in value.items()}
            elif name != self._receiver and not (kind is inspect.Parameter.VAR_POSITIONAL and not value):
                arguments[name] = value
        return arguments

    def goal(self, template: str) -> Callable[[Mapping[str, Any]], str]:
        """What fills the places of a template in. Raises ValueError for a place that names no parameter."""
        for _, place, spec, conversion in Formatter().parse(template):
            if place is None:
                continue
            if place not in self.names or spec or conversion:
                raise ValueError(
                    f"declared_goal has the place {{{place}}}, which names no argument; give one of "
                    f"{', '.join(f'{{{name}}}' for name in self.names) or 'none, since there are no arguments'}"
                )
        return lambda arguments: template.format_map({name: spoken(name, arguments.get(name)) for name in self.names})


def _in_class(function: Callable[..., Any]) -> bool:
    outer = getattr(function, "__qualname__", "").rpartition(".")[0]
    return bool(outer) and not outer.endswith("<locals>")
