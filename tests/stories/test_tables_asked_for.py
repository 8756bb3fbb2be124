"""Asking for a table: formats, what is refused, who may, and who has it already."""

from __future__ import annotations

import io
from collections.abc import Callable

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.stories.exports import MEDIA_TYPES, fetch, rows, work
from tests.stories.problems import refused
from tests.stories.tenant import Tenant
from tests.tiers import deep


@pytest.mark.parametrize(
    ("query", "accept", "expected"),
    [
        ("", "*/*", "arrow"),
        ("", "application/json", "arrow"),
        ("", "image/png;q=0.3, ,;;", "arrow"),
        ("", "text/csv", "csv"),
        ("", "Text/CSV ; charset=utf-8", "csv"),
        ("", "text/csv;q=0.2, application/x-ndjson;q=0.9", "ndjson"),
        ("", "text/csv;q=x, application/vnd.apache.parquet", "parquet"),
        ("?format=parquet", "text/csv", "parquet"),
    ],
)
def test_the_parameter_wins_over_the_header(shared_tenant: Tenant, query: str, accept: str, expected: str) -> None:
    reply = fetch(shared_tenant, "events", query, accept=accept)
    assert reply.headers["content-type"] == MEDIA_TYPES[expected]
    assert reply.headers["vary"] == "accept, x-api-key"
    assert reply.headers["cache-control"] == "private, no-cache"
    assert reply.headers["content-disposition"].startswith('attachment; filename="assent-events-30d-')


@pytest.mark.parametrize(
    ("path", "status", "code", "says"),
    [
        ("keys", 404, "table_not_found", "actions, decisions, approvals, approval_questions, grants, assumptions"),
        ("guard_decisions", 404, "table_not_found", "decisions"),
        ("Actions", 404, "table_not_found", "actions"),
        ("actions?format=xml", 400, "invalid_query", "arrow, parquet, ndjson, csv"),
        ("actions?format=ARROW", 400, "invalid_query", "arrow, parquet, ndjson, csv"),
        ("actions?columns=org_id", 400, "invalid_query", "org_id; it has: action_id, agent_id"),
        ("actions?columns=action_id,idempotency_key", 400, "invalid_query", "idempotency_key"),
        ("events?columns=n,seq", 400, "invalid_query", "it has: n, type, subject"),
        ("actions?columns=status;DROP%20TABLE%20actions", 400, "invalid_query", "DROP TABLE"),
        ("actions?columns=status,status", 400, "invalid_query", "status more than once"),
        ("actions?columns=status,,action_id", 400, "invalid_query", "empty name"),
        ("actions?columns=,", 400, "invalid_query", "empty name"),
        ("actions?columns=" + "x" * 4001, 400, "invalid_query", "columns"),
        ("actions?window=0d", 400, "invalid_query", "1d to 3650d"),
        ("actions?window=-1d", 400, "invalid_query", "1d to 3650d"),
        ("actions?window=9999999d", 400, "invalid_query", "1d to 3650d"),
        ("actions?window=3651d", 400, "invalid_query", "1d to 3650d"),
        ("actions?window=abc", 400, "invalid_query", "1d to 3650d"),
        ("actions?window=", 400, "invalid_query", "1d to 3650d"),
        ("actions?window=7", 400, "invalid_query", "1d to 3650d"),
        ("actions?window=%D9%A3d", 400, "invalid_query", "1d to 3650d"),
        ("actions?since=2026-11-01&window=7d", 400, "invalid_query", "window and since were both given"),
        ("actions?until=2026-11-01&window=7d", 400, "invalid_query", "window and until were both given"),
        ("actions?since=2026-11-02&until=2026-11-01", 400, "invalid_query", "before since, 2026-11-02"),
        ("actions?since=2026-13-01", 400, "invalid_query", "since is '2026-13-01'; give a day in UTC as YYYY-MM-DD"),
        ("actions?since=20261101", 400, "invalid_query", "YYYY-MM-DD"),
        ("actions?since=2026-W47-6", 400, "invalid_query", "YYYY-MM-DD"),
        ("actions?since=2026-W47", 400, "invalid_query", "YYYY-MM-DD"),
        ("actions?since=2026-11-01T00:00:00Z", 400, "invalid_query", "YYYY-MM-DD"),
        ("actions?until=today", 400, "invalid_query", "YYYY-MM-DD"),
        ("actions?until=0000-01-01", 400, "invalid_query", "YYYY-MM-DD"),
        ("actions?since=" + "1" * 101, 400, "invalid_query", "since"),
        ("keys/days", 404, "table_not_found", "actions, decisions"),
        ("actions/days?window=0d", 400, "invalid_query", "1d to 3650d"),
        ("actions/days?window=", 400, "invalid_query", "1d to 3650d"),
        ("actions/days?since=2026-11-01", 400, "invalid_query", "Known are: window, unless"),
        ("actions/days?unless=" + "x" * 129, 400, "invalid_query", "unless"),
        ("actions?source=rumour", 400, "invalid_query", "source"),
        ("actions?status=done", 400, "invalid_query", "status"),
        ("actions?decision=ALLOW", 400, "invalid_query", "decision"),
        ("decisions?status=failed", 400, "invalid_query", "decisions cannot be filtered by status"),
        ("approvals?status=completed", 400, "invalid_query", "approvals cannot be filtered by status"),
        ("approvals?decision=block", 400, "invalid_query", "its filters are: agent_id, action_type."),
        ("assumptions?decision=block", 400, "invalid_query", "assumptions cannot be filtered by decision"),
        ("events?decision=block", 400, "invalid_query", "none"),
        ("events?agent_id=one", 400, "invalid_query", "events cannot be filtered by agent_id"),
        ("events?source=live", 400, "invalid_query", "none"),
        ("approvals?source=live", 400, "invalid_query", "agent_id, action_type"),
        ("actions?agnet_id=one", 400, "invalid_query", "agnet_id. Known are: window, since, until, format, columns"),
        ("actions?limit=1&foo=", 400, "invalid_query", "limit"),
        ("..", 404, "route_not_found", ""),
        ("a%2Fb", 404, "route_not_found", ""),
        ("%00", 400, "invalid_path", "table"),
        ("x" * 129, 400, "invalid_path", "table"),
    ],
)
def test_what_is_wrong_is_named(shared_tenant: Tenant, path: str, status: int, code: str, says: str) -> None:
    reply = fetch(shared_tenant, path)
    refused(reply, status, code)
    assert says in reply.body["detail"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("since=2026-03-02", {"2", "3", "4"}),
        ("until=2026-03-02", {"1", "2"}),
        ("since=2026-03-02&until=2026-03-02", {"2"}),
        ("since=2026-03-02&until=2026-03-03", {"2", "3"}),
        ("since=2026-03-05", set()),
        ("since=0001-01-01&until=9999-12-31", {"1", "2", "3", "4"}),
    ],
)
def test_days_begin_and_end_at_midnight_utc(tenant: Tenant, query: str, expected: set[str]) -> None:
    moments = ["2026-03-01T23:59:59.999999Z", "2026-03-02T00:00:00Z", "2026-03-03T23:59:59.999999Z"]
    for number, at in enumerate([*moments, "2026-03-05T01:00:00+02:00"], start=1):
        tenant.create(timestamp_start=at, declared_goal=str(number))
    assert {row["declared_goal"] for row in rows(tenant, "actions", f"&{query}")} == expected


@deep("one story of each kind is in the quick tier")
@pytest.mark.parametrize("week", ["x", "2026-W54", "2026-47", "9998-W01", "2026-W4%377", "2" * 101])
def test_a_week_that_is_none_is_named(shared_tenant: Tenant, week: str) -> None:
    reply = shared_tenant.send("GET", f"/api/insight/digest?week={week}")
    refused(reply, 400, "invalid_query")
    assert reply.places == ["week"]


@deep("one story of each kind is in the quick tier")
def test_days_of_tables_are_told_to_who_may_read_them(shared_tenant: Tenant) -> None:
    refused(fetch(shared_tenant, "actions/days", key="agent"), 403, "forbidden")
    refused(shared_tenant.send("GET", "/api/data/actions/days", key=None), 401, "unauthorized")
    refused(shared_tenant.send("GET", "/api/insight/signals?window=x", key="agent"), 400, "invalid_query")
    refused(shared_tenant.send("GET", "/api/insight/digest", key="agent"), 403, "forbidden")
    said = fetch(shared_tenant, "events/days").body
    again = fetch(shared_tenant, "events/days", f"?unless={said['state']}").body
    assert (again["unchanged"], again["days"]) == (True, [])


def test_an_agent_reads_no_table_but_may_know_what_they_mean(shared_tenant: Tenant) -> None:
    refused(fetch(shared_tenant, "actions", key="agent"), 403, "forbidden")
    refused(shared_tenant.send("GET", "/api/data/actions", key=None), 401, "unauthorized")
    refused(shared_tenant.send("GET", "/api/data", key=None), 401, "unauthorized")
    assert shared_tenant.send("GET", "/api/data", key="agent").status == 200
    for key in ("operator", "auditor", "admin"):
        assert fetch(shared_tenant, "actions", key=key).status == 200


def test_who_has_the_table_already_is_told_so(tenant: Tenant) -> None:
    work(tenant)
    first = fetch(tenant, "actions")
    tag = first.headers["etag"]
    for given in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
        again = fetch(tenant, "actions", if_none_match=given)
        assert (again.status, again.content, again.headers["etag"]) == (304, b"", tag)
        assert again.headers["cache-control"] == "private, no-cache"
    assert fetch(tenant, "actions", if_none_match='W/"other"').status == 200


@deep("one story of each kind is in the quick tier")
def test_a_tag_is_of_one_question(tenant: Tenant, new_tenant: Callable[[], Tenant]) -> None:
    work(tenant)
    questions = ["", "?format=csv", "?format=parquet", "?columns=status", "?agent_id=one", "?agent_id=two"]
    questions += ["?window=7d", "?status=failed", "?status=completed", "?decision=allow", "?decision=block"]
    tags = {fetch(tenant, "actions", question).headers["etag"] for question in questions}
    tags |= {fetch(tenant, table).headers["etag"] for table in ("outcomes", "decisions")}
    tags.add(fetch(new_tenant(), "actions").headers["etag"])
    assert len(tags) == len(questions) + 3


@deep("one story of each kind is in the quick tier")
def test_a_tag_changes_with_whatever_is_recorded(tenant: Tenant) -> None:
    ids = work(tenant)
    tag = fetch(tenant, "actions").headers["etag"]
    assert fetch(tenant, "actions", if_none_match=tag).status == 304
    tenant.call("PATCH", f"/api/actions/{ids['ended']}", {"status": "failed", "error_message": "after all"})
    changed = fetch(tenant, "actions", if_none_match=tag)
    assert changed.status == 200
    assert changed.headers["etag"] != tag


def test_the_answer_holds_what_was_recorded_a_moment_before(tenant: Tenant) -> None:
    for count in range(1, 31):
        tenant.create()
        assert len(rows(tenant, "actions", "&columns=action_id")) == count


def test_a_file_says_what_it_is(tenant: Tenant) -> None:
    work(tenant)
    schema = pq.read_schema(io.BytesIO(fetch(tenant, "actions", "?format=parquet&window=7d").content))
    assert schema.metadata[b"assent.table"] == b"actions"
    assert schema.metadata[b"assent.window"] == b"7d"
    assert schema.metadata[b"assent.simulated"] == b"no"
    assert b"assent.version" in schema.metadata
    stream = pa.ipc.open_stream(fetch(tenant, "events").content)
    assert stream.schema.metadata[b"assent.table"] == b"events"
    assert b"assent.simulated" not in stream.schema.metadata
