"""The wire contract: what service and clients agree on. Nouns stand in wings; what all of them stand on is here."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from importlib.abc import Loader  # of which the import takes longer than all of this package

WINGS = ("control", "people", "exchange", "evidence", "analysis")
FORMER_NAMES_END = "2027-06-01"
"""From this day on a version may come that does not know the modules by their names of 0.1."""


class _Moved:
    """Finds `assent.contract.backtest` in its wing: modules of 0.1 go by their names without a wing until
    FORMER_NAMES_END."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, name = fullname.rpartition(".")
        if package != __name__ or self._wing(name) is None:
            return None
        return ModuleSpec(fullname, cast("Loader", self))

    def create_module(self, spec: ModuleSpec) -> None:
        """None: a module as any other."""

    def exec_module(self, module: ModuleType) -> None:
        package, _, name = module.__name__.rpartition(".")
        new = f"{package}.{self._wing(name)}.{name}"
        told = f"{module.__name__} is {new} now; the former name is there until {FORMER_NAMES_END}"
        warnings.warn(told, DeprecationWarning, stacklevel=2)
        sys.modules[module.__name__] = import_module(new)

    def _wing(self, name: str) -> str | None:
        folder = Path(__file__).parent
        return next((wing for wing in WINGS if (folder / wing / f"{name}.py").is_file()), None)


# Behind the others, which find what is where it says: it costs nothing as long as nobody asks for an old name.
sys.meta_path.append(_Moved())
