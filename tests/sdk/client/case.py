"""One call of a client, and what it sends and is answered; each noun has its own in `said/`."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

EXCHANGES = Path(__file__).with_name("exchanges")


@dataclass
class Case:
    """`of` names the endpoint's operation where the method is another name for it; `other` says that the endpoint's
    other answer comes."""

    operation: str
    method: str
    target: str
    body: Any = None
    answer: Any = None
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict[str, Any])
    status: int = 200
    key: str | None = None
    same: str = ""
    of: str = ""
    other: bool = False

    def __str__(self) -> str:
        return f"{self.operation}{self.same}"


def collected() -> list[Case]:
    """The `CASES` of every module in `said/`."""
    modules = [import_module(f"tests.sdk.client.exchanges.{file.stem}") for file in sorted(EXCHANGES.glob("*.py"))]
    return [case for module in modules for case in module.CASES]
