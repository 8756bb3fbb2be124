"""What is kept of what is said, and what makes it the same record."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.exchange.goals import GOAL, CreateGoal, UpdateGoal
from assent.contract.exchange.journal import AGENT_DECISION, SHARED_DOC
from assent.contract.exchange.kinds import Kind, OfKind, Verb
from assent.contract.exchange.preferences import PREFERENCES, PreferenceType
from assent.contract.exchange.records import KINDS, RECORD_ENDPOINTS, REQUESTS
from assent.contract.exchange.snippets import SNIPPET, SaveSnippet
from assent.contract.exchange.strategies import STRATEGY
from assent.contract.exchange.workflows import WORKFLOW
from assent.contract.problems import Code
from assent_service.base.problem import Refusal
from assent_service.exchange.records import rules
from assent_service.exchange.records.rules import RecordRow

NOW = datetime(2026, 11, 20, tzinfo=UTC)
APPROACH = PREFERENCES[PreferenceType.APPROACH][0]


def goal(**members: Any) -> dict[str, Any]:
    return rules.members_of(GOAL, msgspec.convert(members, CreateGoal), members)


def test_what_was_said_is_kept_with_what_the_kind_does_not_know() -> None:
    assert goal(title="Ship", progress=40, priority=1, nothing=None, agent_id="bot") == {
        "title": "Ship",
        "progress": 40,
        "status": "active",
        "priority": 1,
    }


@pytest.mark.parametrize("name", ["goal_id", "org_id", "created_at", "created_by"])
def test_what_the_service_says_itself_cannot_be_said(name: str) -> None:
    assert name not in goal(title="Ship", **{name: "mine"})


def test_a_use_count_cannot_be_made_up() -> None:
    members = {"name": "n", "code": "c", "use_count": 99}
    assert rules.members_of(SNIPPET, msgspec.convert(members, SaveSnippet), members) == {"name": "n", "code": "c"}


@pytest.mark.parametrize("value", [2**60, "\ud800", {"deep": [2**60]}])
def test_what_has_no_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises(Refusal) as refused:
        goal(title="Ship", more=value)
    assert refused.value.code is Code.INVALID_BODY


def test_a_change_replaces_what_it_names_and_nothing_else() -> None:
    before = goal(title="Ship", progress=40)
    change = rules.members_of(GOAL, UpdateGoal(progress=90), {"progress": 90})
    assert rules.again(GOAL, before, change) == {"title": "Ship", "progress": 90, "status": "active"}


def test_a_version_counts_changes_of_what_is_versioned() -> None:
    first = {"name": "w", "steps": [1]}
    assert "version" not in rules.again(WORKFLOW, first, {"name": "x"})
    second = rules.again(WORKFLOW, first, {"steps": [2]})
    assert (second["version"], rules.again(WORKFLOW, second, {"steps": [3]})["version"]) == (2, 3)
    assert rules.again(WORKFLOW, second, {"steps": [2]}) == second


def test_a_configuration_is_merged() -> None:
    before = {"name": "s", "config": {"primary": 1, "budget": 2}}
    assert rules.again(STRATEGY, before, {"config": {"budget": 3}})["config"] == {"primary": 1, "budget": 3}


@given(st.lists(st.sampled_from([True, False, None]), max_size=12))
def test_an_approach_counts_what_was_said_of_it(said: list[bool | None]) -> None:
    told = [{"approach": "ask"} | ({} if success is None else {"success": success}) for success in [None, *said]]
    kept = rules.first(APPROACH, told[0])
    for each in told[1:]:
        kept = rules.again(APPROACH, kept, each)
    assert (kept.get("success_count", 0), kept.get("fail_count", 0)) == (said.count(True), said.count(False))


def key(kind: Kind, agent: str | None, **data: Any) -> str:
    return rules.natural_key(kind, agent, None, data)


def test_what_makes_a_record_the_same() -> None:
    assert key(GOAL, "a", title="Ship", progress=1) == key(GOAL, "a", title="Ship", progress=2)
    assert key(GOAL, "a", title="Ship") != key(GOAL, "b", title="Ship")
    assert key(GOAL, "a", title="Ship") != key(GOAL, "a", title="Sail")
    assert key(SHARED_DOC, "a", name="r") == key(SHARED_DOC, "b", name="r")
    assert key(AGENT_DECISION, "a", decision="x") != key(AGENT_DECISION, "a", decision="x", context="y")
    assert rules.natural_key(GOAL, "a", "p1", {"title": "t"}) != rules.natural_key(GOAL, "a", "p2", {"title": "t"})


def test_a_record_is_answered_with_its_members_and_its_own_last() -> None:
    stored = RecordRow(
        org_id="org_1",
        record_id="goal_1",
        kind="goal",
        parent_id=None,
        agent_id="bot",
        name="Ship",
        status="active",
        natural_key="k",
        data={"title": "Ship", "status": "active", "priority": 1, "org_id": "another"},
        created_by="key_1",
        created_at=NOW,
        updated_at=NOW,
    )
    shown = rules.public(GOAL, stored)
    assert (shown["org_id"], shown["goal_id"], shown["priority"], shown["progress"]) == ("org_1", "goal_1", 1, None)
    assert shown["created_at"] == "2026-11-20T00:00:00Z"


@pytest.mark.parametrize("kind", KINDS.values(), ids=str)
def test_every_kind_is_declared_soundly(kind: Kind) -> None:
    request = REQUESTS[kind.name]
    known = set(request.__struct_fields__)
    assert set(kind.key) | set(kind.merged) | set(kind.versioned) | set(kind.refers) | set(kind.searched) <= known
    assert kind.named is None or kind.named in known
    assert "agent_id" in known
    assert {"org_id", kind.id_name, *known} <= set(kind.row.__struct_fields__)
    assert set(kind.refers.values()) <= set(KINDS)
    if kind.within is not None:
        assert kind.within.id_name in kind.row.__struct_fields__
        assert f"{{{kind.within.id_name}}}" in kind.path


def test_kinds_share_neither_name_nor_prefix() -> None:
    assert len({kind.prefix for kind in KINDS.values()}) == len(KINDS)
    assert len({kind.one for kind in KINDS.values()}) == len(KINDS)


@pytest.mark.parametrize("endpoint", [each for each in RECORD_ENDPOINTS if isinstance(each, OfKind)], ids=str)
def test_what_a_list_filters_by_is_a_member(endpoint: OfKind[Any, Any, Any]) -> None:
    if endpoint.verb is Verb.LIST:
        assert endpoint.query is not None
        filters = set(endpoint.query.__struct_fields__) - {"agent_id", "limit", "offset", "cursor", "search", "tag"}
        assert filters <= set(endpoint.kind.row.__struct_fields__)
        assert "search" not in endpoint.query.__struct_fields__ or endpoint.kind.searched
