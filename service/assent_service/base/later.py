"""Modules that are loaded by whoever uses them first.

Polars and numpy take half a second to load and a quarter of the memory of a service with nothing to do. Guard, actions
and approvals never need them, and a service whose numbers nobody asks for goes without.

    later("polars")         # before anybody imports it
    import polars as pl     # costs nothing
    pl.DataFrame()          # loads it; from here on it is the module itself
"""

from __future__ import annotations

import sys
import threading
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

_loading = threading.RLock()


class _Later(ModuleType):
    """Stands for a module in `sys.modules` until somebody wants something of it, in whichever thread. Whoever took it
    by then keeps it, with everything that the module has."""

    def __getattr__(self, name: str) -> Any:
        with _loading:
            module = sys.modules.get(self.__name__, self)
            if module is self:
                sys.modules.pop(self.__name__, None)
                module = import_module(self.__name__)
                vars(self).update(vars(module))
        return getattr(module, name)


def later(*names: str) -> None:
    """Have these modules loaded when they are first used; those that are there already stay as they are."""
    for name in names:
        if name not in sys.modules:
            found = find_spec(name)
            if found is None:
                continue  # not installed: whoever imports it is told so
            stands_for_it = _Later(name)
            # Whoever asks whether there is such a module hears of the module.
            stands_for_it.__spec__ = found
            sys.modules[name] = stands_for_it
