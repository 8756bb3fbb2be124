"""Which release of the service runs."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version


@cache
def release() -> str:
    """Read once: it stands in a file of the installed package, which is parsed as a whole."""
    return version("assent")
