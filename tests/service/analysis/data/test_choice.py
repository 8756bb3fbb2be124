"""What a request may ask for, where HTTP cannot reach: keys that see one agent's rows only."""

from __future__ import annotations

from datetime import datetime

import pytest

from assent.contract.analysis.data import DataQuery
from assent.contract.control.actions import ActionStatus
from assent.contract.control.guard import Decision
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.analysis.data.choice import choose, rows_of
from assent_service.base.problem import Refusal
from assent_service.core.principal import Principal

NOW = 1_800_000_000_000_000
START = datetime.fromisoformat("2027-01-08T08:00:00")
"""One week before, as `date -u -d @1799395200` says."""
BOUND = Principal("org_1", "key_1", "bot", Role.AGENT, "one")
FREE = Principal("org_1", "key_2", "ops", Role.AUDITOR, None)


def test_a_key_that_sees_one_agent_gets_that_agents_rows() -> None:
    choice = choose(BOUND, "actions", DataQuery(window="7d"), None, NOW)
    assert choice.rows.where == 'org_id = ? AND "timestamp_start" >= ? AND "agent_id" = ?'
    assert choice.rows.parameters == ["org_1", START, "one"]


def test_asking_for_another_agent_beside_gives_nothing_of_it() -> None:
    choice = choose(BOUND, "actions", DataQuery(agent_id="two"), None, NOW)
    assert choice.rows.where.count('"agent_id" = ?') == 2
    assert choice.rows.parameters[2:] == ["two", "one"]


def test_a_table_that_does_not_tell_agents_apart_is_refused_to_such_a_key() -> None:
    with pytest.raises(Refusal) as caught:
        choose(BOUND, "events", DataQuery(), None, NOW)
    assert caught.value.code is Code.FORBIDDEN


def test_outcomes_are_actions_with_an_end_counted_by_it() -> None:
    choice = choose(FREE, "outcomes", DataQuery(window="7d", source=None), None, NOW)
    assert choice.rows.where == 'org_id = ? AND timestamp_end IS NOT NULL AND "timestamp_end" >= ?'
    assert " FROM actions WHERE " in rows_of(choice)


def test_status_and_decision_are_bound_as_the_tables_spell_them() -> None:
    asked = DataQuery(window="7d", status=ActionStatus.PENDING_APPROVAL, decision=Decision.REQUIRE_APPROVAL)
    choice = choose(FREE, "actions", asked, None, NOW)
    assert choice.rows.where == 'org_id = ? AND "timestamp_start" >= ? AND "status" = ? AND "decision" = ?'
    assert choice.rows.parameters == ["org_1", START, "pending_approval", "require_approval"]


@pytest.mark.parametrize("table", ["actions", "outcomes"])
def test_a_status_that_no_action_can_have_is_refused(table: str) -> None:
    with pytest.raises(Refusal) as caught:
        choose(FREE, table, DataQuery(status="resolved"), None, NOW)
    assert caught.value.code is Code.INVALID_QUERY
    assert "status is 'resolved'; give one of running, " in caught.value.detail


@pytest.mark.parametrize(
    ("table", "status"), [("loops", "resolved"), ("webhook_deliveries", "retrying"), ("threads", "never_heard_of")]
)
def test_other_tables_have_statuses_of_their_own(table: str, status: str) -> None:
    choice = choose(FREE, table, DataQuery(status=status), None, NOW)
    assert choice.rows.where.endswith('AND "status" = ?')
    assert choice.rows.parameters[-1] == status


def test_a_filter_that_the_table_has_no_column_for_is_refused_by_its_name() -> None:
    with pytest.raises(Refusal) as caught:
        choose(FREE, "decisions", DataQuery(status=ActionStatus.FAILED), None, NOW)
    assert caught.value.code is Code.INVALID_QUERY
    assert "its filters are: agent_id, action_type, source, decision." in caught.value.detail


@pytest.mark.parametrize("table", ["actions", "decisions", "approvals", "assumptions", "outcomes", "events"])
@pytest.mark.parametrize("named", ["arrow", "parquet", "ndjson", "csv"])
def test_no_query_sorts_or_joins_and_every_one_is_limited_to_the_organization(table: str, named: str) -> None:
    choice = choose(FREE, table, DataQuery(format=named), None, NOW)
    sql = rows_of(choice)
    assert sql.count("?") == len(choice.rows.parameters) == 2
    assert "WHERE org_id = ? AND" in sql
    assert not any(word in sql for word in ("ORDER", "JOIN", "GROUP", "DISTINCT", "OVER"))
