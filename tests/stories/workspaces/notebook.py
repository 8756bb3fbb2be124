"""Somebody's notebook with a workspace, and what its copies hold."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import polars as pl

from assent import Client
from assent.data.workspace import Workspace
from tests.live import WAIT
from tests.stories.tenant import Tenant


def ago(days: float) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).isoformat()


def day(days: int) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).date().isoformat()


class Notebook:
    """Somebody's notebook: a client and a folder for copies; counts what goes to the service."""

    def __init__(self, tenant: Tenant, cache: Path, role: str = "admin") -> None:
        self.tenant, self.cache, self.role = tenant, cache, role
        self.said: list[str] = []
        self.asked: list[str] = []
        hooks: dict[str, list[Callable[..., Any]]] = {"request": [self._note]}
        self.http = httpx.Client(trust_env=False, timeout=WAIT, event_hooks=hooks)
        options = {"http": self.http, "say": self.said.append, "retries": 0}
        self.client = Client(tenant.service.base_url, tenant.keys[role], **options)  # type: ignore[arg-type]

    def _note(self, request: httpx.Request) -> None:
        self.asked.append(str(request.url).removeprefix(self.tenant.service.base_url))

    def open(self, window: str = "30d", tables: list[str] | None = None) -> Workspace:
        self.asked.clear()
        return self.client.workspace(window, tables, cache=self.cache)

    @property
    def days(self) -> list[str]:
        """The days that rows were asked for of, in the words of the requests."""
        return [each.partition("?")[2].partition("&format")[0] for each in self.asked if "since=" in each]


Notebooks = Callable[..., Notebook]


def same(workspace: Workspace, client: Client, window: str = "30d") -> None:
    """Every table is, row for row and type for type, what the service says."""
    for table in workspace.tables:
        expected, found = client.frame(table, window), workspace.table(table).collect()
        assert found.schema == expected.schema, table
        # The order in which rows were recorded is kept within a day; across days they come by day.
        columns = expected.columns
        assert found.sort(columns).equals(expected.sort(columns)), table


def held(cache: Path) -> str:
    """Everything that the Parquet files say, and the names and bytes of all others."""
    texts = []
    for path in cache.rglob("*"):
        texts.append(str(path))
        if path.suffix == ".parquet":
            texts.append(str(pl.read_parquet(path, hive_partitioning=False).to_dicts()))
        elif path.is_file():
            texts.append(path.read_text(encoding="utf-8"))
    return "\n".join(texts)
