"""Taking away what is listed."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import replace

import polars as pl
import pyarrow.parquet as pq
import pytest
import streamlit as st

from assent import ActionStatus, Client, Decision
from assent.contract.analysis.data import DataFormat
from assent_dashboard.views.addresses import LedgerAddress, LedgerView
from assent_dashboard.views.ledger.export import export, file_name, snippet
from tests.dashboard.evidence.ledger_page import LedgerPage, Look
from tests.stories.tenant import Tenant

READ: dict[DataFormat, Callable[[io.BytesIO], pl.DataFrame]] = {
    DataFormat.ARROW: pl.read_ipc_stream,
    DataFormat.PARQUET: pl.read_parquet,
    DataFormat.NDJSON: pl.read_ndjson,
    DataFormat.CSV: pl.read_csv,
}


@pytest.fixture
def client(house: Tenant) -> Iterator[Client]:
    """An operator, where builder has failed once and completed once, and writer waits."""
    for goal, status in (("break", "failed"), ("mend", "completed")):
        action_id = house.create("deploy", declared_goal=goal, agent_id="builder")
        house.call("PATCH", f"/api/actions/{action_id}", {"status": status})
    house.create("pay", declared_goal="pay", agent_id="writer")
    with house.client("operator", None) as client:
        yield client


@pytest.mark.parametrize("format", DataFormat)
@pytest.mark.parametrize(
    ("filters", "goals"),
    [
        (LedgerAddress(), {"break", "mend", "pay"}),
        (LedgerAddress(agent_id="builder"), {"break", "mend"}),
        (LedgerAddress(action_type="pay"), {"pay"}),
        (LedgerAddress(agent_id="builder", status=ActionStatus.FAILED), {"break"}),
        (LedgerAddress(decision=Decision.REQUIRE_APPROVAL), {"pay"}),
        (
            LedgerAddress(view=LedgerView.DECISIONS, decision=Decision.ALLOW, status=ActionStatus.FAILED),
            {"break", "mend"},
        ),
    ],
)
def test_a_file_holds_what_the_list_counts(
    client: Client, filters: LedgerAddress, goals: set[str], format: DataFormat
) -> None:
    rows = READ[format](io.BytesIO(export(client, filters, format)))
    assert set(rows["declared_goal"]) == goals
    assert rows.height == len(goals)


@pytest.mark.parametrize(
    "filters",
    [
        LedgerAddress(),
        LedgerAddress(window="30d", agent_id="builder", status=ActionStatus.FAILED),
        LedgerAddress(view=LedgerView.DECISIONS, action_type="deploy", decision=Decision.ALLOW),
        LedgerAddress(agent_id='a"); import os; ("\\'),
    ],
)
def test_the_lines_for_a_notebook_give_the_same_rows(
    client: Client, house: Tenant, monkeypatch: pytest.MonkeyPatch, filters: LedgerAddress
) -> None:
    monkeypatch.setenv("ASSENT_BASE_URL", house.service.base_url)
    monkeypatch.setenv("ASSENT_API_KEY", house.keys["operator"])
    names: dict[str, pl.DataFrame] = {}
    lines = snippet(filters)
    # The page shows these lines for people to run, so a test runs them.
    exec(lines, names)
    expected = pl.read_ipc_stream(io.BytesIO(export(client, filters, DataFormat.ARROW)))
    assert names["frame"].equals(expected)


def test_lines_name_the_filters_as_a_person_writes_them() -> None:
    filters = LedgerAddress(window="30d", agent_id="bot", status=ActionStatus.FAILED, decision=Decision.WARN)
    assert snippet(filters).splitlines() == [
        "from assent import Client",
        "",
        "with Client() as client:",
        '    frame = client.frame("actions", window="30d", agent_id="bot", status="failed", decision="warn")',
    ]
    assert snippet(replace(filters, view=LedgerView.DECISIONS, agent_id=None)).splitlines()[3:] == [
        '    frame = client.frame("decisions", window="30d", decision="warn")'
    ]


def test_a_file_is_what_the_service_wrote(client: Client) -> None:
    filters = LedgerAddress(agent_id="builder", status=ActionStatus.FAILED, decision=Decision.ALLOW)
    schema = pq.read_schema(io.BytesIO(export(client, filters, DataFormat.PARQUET)))
    assert schema.metadata[b"assent.table"] == b"actions"
    assert schema.metadata[b"assent.simulated"] == b"no"


def test_files_are_named_by_what_they_hold() -> None:
    assert file_name(LedgerAddress(), DataFormat.PARQUET) == "assent-actions-7d.parquet"
    assert (
        file_name(LedgerAddress(window="30d", view=LedgerView.DECISIONS), DataFormat.ARROW)
        == "assent-decisions-30d.arrows"
    )


def test_no_file_is_made_before_its_button_is_pressed(look: Look, house: Tenant, client: Client) -> None:
    st.cache_resource.clear()
    page = LedgerPage.of(look, house, agent_id="builder", status="failed").run()
    assert [each for each in page.requests.take() if each == "GET /api/data/actions"] == []
    assert "**1 row** of `actions`, every column, the last 7 days." in page.words
    assert snippet(LedgerAddress(agent_id="builder", status=ActionStatus.FAILED)) in page.words
    assert [each.key for each in page.page.download_button] == [
        "ledger_export_parquet",
        "ledger_export_csv",
        "ledger_export_arrow",
        "ledger_export_ndjson",
    ]
