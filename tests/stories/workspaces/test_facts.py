"""Facts against a real service: fetched, in a workspace and in SQL they are the same."""

from __future__ import annotations

import pytest
from polars.testing import assert_frame_equal

from assent import AsyncClient
from assent.errors import InvalidRequest
from tests.stories.tenant import Tenant
from tests.stories.workspaces.notebook import Notebook, ago, day
from tests.tiers import deep


def live(tenant: Tenant) -> dict[str, str]:
    """What agents wanted, by what became of it."""
    tenant.governed()
    allowed = tenant.create("look", session_id="s1", metadata={"tool": "search"})
    tenant.call("PATCH", f"/api/actions/{allowed}", {"status": "completed", "duration_ms": 40})
    tenant.call("POST", "/api/assumptions", {"action_id": allowed, "assumption": "it is there"})
    denied = tenant.create("pay", session_id="s2")
    tenant.call("POST", f"/api/approvals/{denied}", {"decision": "deny", "reasoning": "too much"}, key="operator")
    waiting = tenant.create("pay", session_id="s2")
    asked = tenant.call("POST", "/api/guard", {"action_type": "wipe", "session_id": "s3"}, key="agent")["decision_id"]
    return {
        "allowed": allowed,
        "denied": denied,
        "waiting": waiting,
        "asked": asked,
        "old": tenant.create(timestamp_start=ago(9)),
    }


def test_facts_are_the_same_fetched_and_copied_and_in_sql(tenant: Tenant, notebook: Notebook) -> None:
    ids = live(tenant)
    fetched = notebook.client.facts("30d").collect()
    rows = {row["action_id"]: row for row in fetched.to_dicts()}
    assert len(rows) == fetched.height == 4
    allowed, denied, waiting = (rows[ids[name]] for name in ("allowed", "denied", "waiting"))
    assert (allowed["outcome"], allowed["tool"], allowed["assumptions"]) == ("completed", "search", 1)
    assert (denied["censored"], denied["decided_by"], denied["cluster"]) == ("denied", "the operator", "session:s2")
    assert denied["waited_seconds"] > 0
    assert len(denied["matched_policies"]) > 2
    assert (waiting["censored"], waiting["waited_seconds"]) == ("awaiting", None)
    attempts = notebook.client.facts("30d", attempts=True).collect()
    (alone,) = attempts.filter(attempts["action_id"].is_null()).to_dicts()
    assert (alone["decision_id"], alone["censored"]) == (ids["asked"], "blocked")
    workspace = notebook.open()
    keys = ["action_id", "decision_id"]
    for name, expected in (("facts", fetched), ("attempts", attempts)):
        assert_frame_equal(workspace.table(name).collect().sort(keys), expected.sort(keys))
        assert_frame_equal(workspace.sql(f"FROM {name} ORDER BY ALL").sort(keys), expected.sort(keys))
    assert {"facts", "attempts"} <= set(dir(workspace))


@deep("the whole is in the quick tier")
async def test_facts_take_days_and_filters(tenant: Tenant, notebook: Notebook) -> None:
    ids = live(tenant)
    client = notebook.client
    assert client.facts(since=day(10), until=day(8)).collect()["action_id"].to_list() == [ids["old"]]
    assert client.facts(since=day(10), until=day(8), attempts=True).collect().height == 1
    assert client.facts("7d").collect().height == 3
    assert client.facts(action_type="pay").collect().height == 2
    with pytest.raises(ValueError, match="window is 'x'"):
        client.facts("x")
    with pytest.raises(InvalidRequest, match="since is 'soon'"):
        client.facts(since="soon")
    async with AsyncClient(tenant.service.base_url, tenant.keys["auditor"]) as other:
        assert (await other.facts("7d")).collect().height == 3


def test_drivers_name_policies_and_count_what_was_blocked_when_guard_was_asked(
    tenant: Tenant, notebook: Notebook
) -> None:
    live(tenant)
    found = notebook.client.drivers("block_rate", "7d")
    # Of four questions of this week one was blocked, and no action followed it; the week before has one action.
    assert (found.n, found.before, found.after) == ((1, 4), 0.0, 0.25)
    assert "Nobody wipes" in " ".join(found.table["name"].drop_nulls())
    assert set(found.table["status"]) == {"insufficient_data"}, "one cluster is before"
    assert found.sentence.startswith("The share that guard blocked was 0.0% before and 25.0% after")
    with pytest.raises(ValueError, match="there is no metric luck"):
        notebook.client.drivers("luck")


@deep("the whole is in the quick tier")
def test_a_workspace_without_the_tables_has_no_facts(tenant: Tenant, notebook: Notebook) -> None:
    tenant.create()
    workspace = notebook.open(tables=["actions"])
    with pytest.raises(AttributeError, match="no table 'decisions': it is not in this workspace"):
        _ = workspace.facts
    with pytest.raises(ValueError, match="facts does not exist"):
        workspace.sql("FROM facts")
    assert "facts" not in dir(workspace)
