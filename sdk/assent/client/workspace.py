"""Workspaces: the tables as copies on this machine, of which a second call fetches only what has changed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assent.client.operation import AsyncRunner, Caller, Runner

if TYPE_CHECKING:
    from assent.data.workspace import AsyncWorkspace, Workspace


class Workspaces(Caller, Runner):
    def workspace(
        self, window: str = "90d", tables: Sequence[str] | None = None, *, cache: Path | str | None = None
    ) -> Workspace:
        """The tables of the last `window` as Polars LazyFrames (`ws.actions`, `ws.decisions`, ...) and for SQL
        (`ws.sql("SELECT ...")`), from copies on this machine: one Parquet file for each day. The first call fetches
        everything, each further one the days in which anything has changed since, also by an erasure. `tables` are
        names from the data dictionary, all of them without it; `cache` is a folder in place of the user's own (or
        ASSENT_CACHE).

        Without an answer from the service, what was fetched before is opened; it is `stale` then and says until when it
        is right. Raises ConnectionFailed where nothing was fetched before, Forbidden for an agent's key, ValueError for
        a window or a table that is none, and MissingExtra where polars, pyarrow or duckdb is not installed.
        """
        from assent.data.workspace import Workspace, opening, wanted

        asked = wanted(window, tables, cache)
        return Workspace(self.run(opening(self, asked)), lambda: self.run(opening(self, asked, strictly=True)))


class AsyncWorkspaces(Caller, AsyncRunner):
    async def workspace(
        self, window: str = "90d", tables: Sequence[str] | None = None, *, cache: Path | str | None = None
    ) -> AsyncWorkspace:
        """The tables of the last `window` as Polars LazyFrames (`ws.actions`, `ws.decisions`, ...) and for SQL
        (`ws.sql("SELECT ...")`), from copies on this machine: one Parquet file for each day. The first call fetches
        everything, each further one the days in which anything has changed since, also by an erasure. `tables` are
        names from the data dictionary, all of them without it; `cache` is a folder in place of the user's own (or
        ASSENT_CACHE).

        Without an answer from the service, what was fetched before is opened; it is `stale` then and says until when it
        is right. Raises ConnectionFailed where nothing was fetched before, Forbidden for an agent's key, ValueError for
        a window or a table that is none, and MissingExtra where polars, pyarrow or duckdb is not installed.
        """
        from assent.data.workspace import AsyncWorkspace, WorkspaceState, opening, wanted

        asked = wanted(window, tables, cache)
        opened = await self.run(opening(self, asked))

        async def again() -> WorkspaceState:
            return await self.run(opening(self, asked, strictly=True))

        return AsyncWorkspace(opened, again)
