"""Tables as data over HTTP: read back by readers that are not ours, and equal to what the lists say."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assent import AsyncClient, Client
from tests.stories.exports import AWKWARD, MEDIA_TYPES, NOT_SERVED, fetch, rows, work
from tests.stories.tenant import Tenant
from tests.tiers import deep


def listed(tenant: Tenant) -> dict[str, dict[str, Any]]:
    actions: list[dict[str, Any]] = tenant.call("GET", "/api/actions?limit=200")["actions"]
    return {each["action_id"]: each for each in actions}


def plain(action: dict[str, Any]) -> dict[str, Any]:
    """What the list says of an action, as a table would: times as moments, and what it leaves out is empty."""
    return {"replaces": None} | {
        name: datetime.fromisoformat(value) if name in TIMES and value else value
        for name, value in action.items()
        if name not in NOT_SERVED
    }


TIMES = {"timestamp_start", "timestamp_end", "approved_at", "created_at", "updated_at"}
JSON = {"systems_touched", "side_effects", "artifacts_created", "metadata"}
FILTERS = {"agent_id": "one", "action_type": "pay", "source": "live", "status": "failed", "decision": "block"}


def test_the_lines_of_ndjson_are_what_the_list_of_actions_says(tenant: Tenant) -> None:
    work(tenant)
    found = {each["action_id"]: plain(each) for each in rows(tenant, "actions")}
    assert found == {key: plain(each) for key, each in listed(tenant).items()}
    assert len(found) == 4


@pytest.mark.parametrize("reader", ["pyarrow", "polars"])
def test_the_arrow_stream_is_what_the_list_of_actions_says(tenant: Tenant, reader: str) -> None:
    work(tenant)
    reply = fetch(tenant, "actions")
    if reader == "pyarrow":
        found = pa.ipc.open_stream(reply.content).read_all().to_pylist()
    else:
        found = pl.read_ipc_stream(reply.content).to_dicts()
    check_typed(found, listed(tenant))


@deep("one story of each kind is in the quick tier")
async def test_a_frame_is_what_other_readers_make_of_the_stream(tenant: Tenant) -> None:
    work(tenant)
    async with AsyncClient(tenant.service.base_url, tenant.keys["admin"]) as client_async:
        for table in ("actions", "decisions", "approvals", "assumptions", "outcomes", "events"):
            expected = pl.read_ipc_stream(fetch(tenant, table).content)
            with Client(tenant.service.base_url, tenant.keys["admin"]) as client:
                frame = client.frame(table)
            for found in (frame, await client_async.frame(table)):
                assert found.schema == expected.schema
                assert found.equals(expected)


@pytest.mark.parametrize("reader", ["pyarrow", "polars", "duckdb"])
def test_the_parquet_file_is_what_the_list_of_actions_says(
    tenant: Tenant, reader: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    work(tenant)
    reply = fetch(tenant, "actions", "?format=parquet")
    if reader == "pyarrow":
        found = pq.read_table(io.BytesIO(reply.content)).to_pylist()
    elif reader == "polars":
        found = pl.read_parquet(io.BytesIO(reply.content)).to_dicts()
    else:
        file = tmp_path_factory.mktemp("parquet") / "actions.parquet"
        file.write_bytes(reply.content)
        with duckdb.connect() as database:
            database.execute("SET TimeZone = 'UTC'")
            found = database.sql(f"SELECT * FROM '{file}'").pl().to_dicts()
    check_typed(found, listed(tenant))


def check_typed(found: list[dict[str, Any]], expected: dict[str, dict[str, Any]]) -> None:
    for row in found:
        assert all(row[name] is None or row[name].utcoffset() == timedelta(0) for name in TIMES)
        row |= {name: json.loads(row[name]) for name in JSON}
    assert {row["action_id"]: row for row in found} == {key: plain(each) for key, each in expected.items()}


def test_csv_is_what_the_list_of_actions_says(tenant: Tenant) -> None:
    work(tenant)
    text = fetch(tenant, "actions", "?format=csv").content.decode()
    assert text.count("\r\n") > 4
    assert text.splitlines()[0].startswith('"action_id","agent_id"')
    found = {row["action_id"]: row for row in csv.DictReader(io.StringIO(text, newline=""))}
    expected = listed(tenant)
    assert found.keys() == expected.keys()
    for key, row in found.items():
        for name, value in plain(expected[key]).items():
            read: Any = row[name]
            if name in TIMES and read:
                assert read.endswith("Z")
                read = datetime.fromisoformat(read)
            elif name in JSON:
                read = json.loads(read)
            elif isinstance(value, bool):
                read = {"true": True, "false": False}[read]
            elif isinstance(value, int | float):
                read = float(read)
            assert read == ("" if value is None else value), name


def test_no_text_of_a_csv_for_a_spreadsheet_begins_a_formula(tenant: Tenant) -> None:
    goals = ["=HYPERLINK(0)", "+1", "-1", "@SUM(A1)", "＝1", "a = 1", "'=1"]
    for goal in goals:
        tenant.create(declared_goal=goal, risk_score=0)
    told = [
        csv.DictReader(io.StringIO(fetch(tenant, "actions", f"?format=csv{more}").content.decode(), newline=""))
        for more in ("", "&spreadsheet=true")
    ]
    exact, harmless = ([row["declared_goal"] for row in rows] for rows in told)
    assert sorted(exact) == sorted(goals)
    changed = {goal: f"'{goal}" for goal in goals[:5]}
    assert harmless == [changed.get(goal, goal) for goal in exact]


def test_a_file_for_a_spreadsheet_is_another_one(tenant: Tenant) -> None:
    tenant.create(declared_goal="=1")
    tags = {fetch(tenant, "actions", f"?format=csv{more}").headers["etag"] for more in ("", "&spreadsheet=true")}
    assert len(tags) == 2
    refused = tenant.send("GET", "/api/data/actions?format=ndjson&spreadsheet=true", None)
    assert (refused.status, refused.body["code"]) == (400, "invalid_query")
    assert refused.body["detail"].startswith("spreadsheet is for csv, and ndjson was asked for")


@deep("one story of each kind is in the quick tier")
def test_csv_tells_an_empty_text_from_none(tenant: Tenant) -> None:
    ids = work(tenant)
    text = fetch(tenant, "outcomes", "?format=csv&columns=action_id,output_summary").content.decode()
    lines = {line.split(",")[0].strip('"'): line.split(",")[1] for line in text.split("\r\n")[1:-1]}
    assert lines[ids["ended"]] == '""'
    assert lines[ids["failed"]] == ""


@deep("one story of each kind is in the quick tier")
def test_outcomes_are_the_actions_that_have_ended(tenant: Tenant) -> None:
    ids = work(tenant)
    blocked = next(key for key, each in listed(tenant).items() if each["status"] == "blocked")
    found = {each["action_id"]: each for each in rows(tenant, "outcomes")}
    assert found.keys() == {ids["ended"], ids["failed"], blocked}
    assert found[ids["ended"]]["duration_ms"] == 17
    assert found[ids["failed"]]["error_message"] == AWKWARD
    # An approval that is denied ends its action; one that is given does not.
    tenant.call("POST", f"/api/actions/{ids['waiting']}/approve", {"decision": "deny", "reasoning": "no"})
    assert {each["status"] for each in rows(tenant, "outcomes", "&agent_id=one")} == {"completed", "cancelled"}


@deep("one story of each kind is in the quick tier")
def test_every_table_holds_what_was_recorded(tenant: Tenant) -> None:
    ids = work(tenant)
    decisions = tenant.call("GET", "/api/guard?limit=50")["decisions"]
    assert {each["decision_id"] for each in rows(tenant, "decisions")} == {each["decision_id"] for each in decisions}
    (approval,) = rows(tenant, "approvals")
    assert (approval["action_id"], approval["state"]) == (ids["waiting"], "awaiting")
    (assumption,) = rows(tenant, "assumptions")
    assert (assumption["action_id"], assumption["assumption"], assumption["basis"]) == (ids["ended"], AWKWARD, "")
    events = rows(tenant, "events")
    assert [each["n"] for each in events] == list(range(tenant.recorded()))
    assert {each["action_id"] for each in events} >= set(ids.values())


@deep("one story of each kind is in the quick tier")
def test_rows_come_in_the_order_in_which_they_were_recorded(tenant: Tenant) -> None:
    made = [tenant.create() for _ in range(20)]
    assert [each["action_id"] for each in rows(tenant, "actions")] == made


def test_nothing_of_another_organization_is_in_any_table(tenant: Tenant, new_tenant: Callable[[], Tenant]) -> None:
    other = new_tenant()
    work(tenant)
    theirs = work(other)
    for table in ("actions", "decisions", "approvals", "assumptions", "outcomes", "events"):
        text = fetch(tenant, table, "?format=ndjson").content.decode()
        assert text
        assert other.org_id not in text
        assert not any(each in text for each in theirs.values())


def test_what_is_private_is_in_no_table(tenant: Tenant) -> None:
    work(tenant)
    described = tenant.call("GET", "/api/data", key="agent")["tables"]
    names = {each["name"]: {column["name"] for column in each["columns"]} for each in described}
    assert {"actions", "decisions", "approvals", "assumptions", "outcomes", "events", "messages"} < set(names)
    for table, columns in names.items():
        assert not columns & (NOT_SERVED | {"seq", "segment"})
        assert table != "events" or not columns & {"position", "length"}, "where in the log it stands"
        frame = pl.read_ipc_stream(fetch(tenant, table).content)
        assert set(frame.columns) == columns


WORKED = {"actions", "decisions", "approvals", "assumptions", "outcomes", "events"}
"""The tables that `work` fills."""
OF_ANOTHER_MEANING = {("injection_scans", "source"), ("injection_findings", "source")}
"""Columns that are called like a filter and are none: where a text came from is not where a row came from."""


@deep("one story of each kind is in the quick tier")
def test_the_dictionary_says_what_arrives(tenant: Tenant) -> None:
    work(tenant)
    kinds = {
        "text": pl.String,
        "json": pl.String,
        "integer": pl.Int64,
        "number": pl.Float64,
        "boolean": pl.Boolean,
        "time": pl.Datetime("us", "UTC"),
    }
    for table in tenant.call("GET", "/api/data")["tables"]:
        frame = pl.read_ipc_stream(fetch(tenant, table["name"]).content)
        assert dict(frame.schema) == {each["name"]: kinds[each["type"]] for each in table["columns"]}
        assert frame[table["key"]].n_unique() == frame.height
        assert frame.height > 0 or table["name"] not in WORKED
        assert frame[table["time"]].null_count() == 0
        assert all(each["meaning"] for each in table["columns"])
        for name, value in FILTERS.items():
            taken = name in table["filters"]
            assert fetch(tenant, table["name"], f"?{name}={value}").status == (200 if taken else 400)
            assert taken == (name in frame.columns and (table["name"], name) not in OF_ANOTHER_MEANING)


@deep("one story of each kind is in the quick tier")
def test_columns_come_in_the_order_asked_for(tenant: Tenant) -> None:
    work(tenant)
    frame = pl.read_ipc_stream(fetch(tenant, "actions", "?columns=status,%20action_id").content)
    assert frame.columns == ["status", "action_id"]


@deep("one story of each kind is in the quick tier")
def test_filters_choose_rows(tenant: Tenant) -> None:
    ids = work(tenant)
    assert {each["agent_id"] for each in rows(tenant, "actions", "&agent_id=one")} == {"one"}
    (waiting,) = rows(tenant, "actions", "&action_type=pay")
    assert waiting["action_id"] == ids["waiting"]
    assert rows(tenant, "actions", "&source=import") == []
    assert len(rows(tenant, "actions", "&source=live")) == 4
    assert rows(tenant, "actions", "&agent_id='%20OR%201=1%20--") == []


@deep("one story of each kind is in the quick tier")
def test_status_and_decision_choose_rows(tenant: Tenant) -> None:
    ids = work(tenant)
    blocked = next(key for key, each in listed(tenant).items() if each["status"] == "blocked")

    def found(table: str, query: str) -> set[str]:
        return {each["action_id"] for each in rows(tenant, table, query)}

    assert found("actions", "&status=failed") == found("outcomes", "&status=failed") == {ids["failed"]}
    assert found("actions", "&status=pending_approval") == {ids["waiting"]}
    assert found("outcomes", "&status=pending_approval") == set()
    assert found("actions", "&decision=require_approval") == {ids["waiting"]}
    assert found("outcomes", "&decision=block") == {blocked}
    assert found("actions", "&decision=allow") == {ids["ended"], ids["failed"]}
    assert found("actions", "&decision=allow&status=completed&agent_id=one") == {ids["ended"]}
    assert found("actions", "&decision=block&status=completed") == set()
    (stopped,) = rows(tenant, "decisions", "&decision=require_approval")
    assert (stopped["action_type"], stopped["agent_id"]) == ("pay", "one")
    assert rows(tenant, "decisions", "&decision=warn") == []


@deep("one story of each kind is in the quick tier")
def test_a_window_counts_by_when_it_happened(tenant: Tenant) -> None:
    day = timedelta(days=1)
    now = datetime.fromisoformat(tenant.call("GET", "/health")["time"])
    for age in (day / 2, 3 * day, 40 * day):
        history: dict[str, Any] = {"source": "import", "occurred_at": (now - age).isoformat()}
        tenant.create(key="admin", metadata={"age": age // day}, **history)
    found = [[each["metadata"]["age"] for each in rows(tenant, "actions", f"&window={n}d")] for n in (1, 7, 365)]
    assert found == [[0], [0, 3], [0, 3, 40]]
    assert len(rows(tenant, "actions")) == 2


@deep("one story of each kind is in the quick tier")
@pytest.mark.parametrize("named", MEDIA_TYPES)
def test_an_empty_table_has_all_its_columns(tenant: Tenant, named: str) -> None:
    reply = fetch(tenant, "actions", f"?format={named}")
    assert reply.status == 200
    described = tenant.call("GET", "/api/data")["tables"][0]["columns"]
    if named == "arrow":
        assert pl.read_ipc_stream(reply.content).columns == [each["name"] for each in described]
    elif named == "parquet":
        table = pq.read_table(io.BytesIO(reply.content))
        assert (table.num_rows, table.column_names) == (0, [each["name"] for each in described])
    elif named == "csv":
        (header,) = csv.reader(io.StringIO(reply.content.decode(), newline=""))
        assert header == [each["name"] for each in described]
    else:
        assert reply.content == b""
