"""Read by mypy and basedpyright, never called: workspaces, days of tables, digests and the history of signals."""

from typing import assert_type

import polars as pl

from assent import AsyncClient, Client
from assent.contract.analysis.data import TableDays
from assent.contract.analysis.insight import SignalHistory
from assent.contract.analysis.weekly import WeeklyDigest
from assent.data.workspace import AsyncWorkspace, Workspace


def blocking(client: Client) -> None:
    assert_type(client.get_table_days("actions", unless="x"), TableDays)
    assert_type(client.get_digest("2026-W46"), WeeklyDigest)
    assert_type(client.get_signal_history(), SignalHistory)
    workspace = client.workspace("90d", ["actions"], cache="somewhere")
    assert_type(workspace, Workspace)
    assert_type(workspace.actions, pl.LazyFrame)
    assert_type(workspace.sql("FROM actions"), pl.DataFrame)
    assert_type(workspace.refresh(), Workspace)


async def awaiting(client: AsyncClient) -> None:
    assert_type(await client.get_table_days("actions"), TableDays)
    assert_type(await client.get_digest(), WeeklyDigest)
    assert_type(await client.get_signal_history("7d", "bot"), SignalHistory)
    workspace = await client.workspace()
    assert_type(workspace, AsyncWorkspace)
    assert_type(workspace.table("actions"), pl.LazyFrame)
    assert_type(await workspace.refresh(), AsyncWorkspace)
