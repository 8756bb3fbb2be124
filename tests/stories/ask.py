"""Requests that are right in every way but, perhaps, who sends them; each noun has its own in `asks/`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.stories.tenant import Tenant

ASKS = Path(__file__).with_name("asks")


@dataclass
class Ask:
    """A request of the operation; ids in `path` are of something that is there."""

    path: str
    body: Any = None


@dataclass(frozen=True)
class Asking:
    """`may` is who may ask, written from the product's rules and not from the endpoint: letters of a (agent),
    o (operator), u (auditor) and m (admin), or "open". `make` makes a request about something that `owner` has, anew
    for each call where asking uses it up."""

    may: str
    make: Callable[[Tenant], Ask]


def collected() -> dict[str, Asking]:
    """By operation, from the `ASKS` of every module in `asks/`."""
    modules = [import_module(f"tests.stories.asks.{file.stem}") for file in sorted(ASKS.glob("*.py"))]
    return {name: asking for module in modules for name, asking in module.ASKS.items()}
