"""Sessions at a real service: what guard and creations keep of them, and that a decision made inside is used inside."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assent import ApiError, Code
from tests.stories.proving import bundle_of, failing, offline, published_keys
from tests.stories.tenant import Tenant

QUESTION: dict[str, Any] = {"action_type": "read", "declared_goal": "Read a page"}


def test_session_and_parent_are_kept_with_the_decision_and_the_action(tenant: Tenant) -> None:
    with tenant.client() as client:
        with client.session("run 7"), client.session("sub"):
            asked = client.guard(QUESTION)
            made = client.create_action(**QUESTION, decision_id=asked.decision_id)
            apart = client.create_action(**QUESTION)
        client.create_action(**QUESTION)
        assert (asked.warnings, made.action.session_id, apart.action.session_id) == ([], "sub", "sub")
        found = [each.action_id for each in client.iterate_actions(session_id="sub", limit=1)]
        assert found == [apart.action_id, made.action_id]
        context = client.get_action_trace(made.action_id).context
        assert isinstance(context, dict)
        assert (context["session_id"], context["parent_session_id"]) == ("sub", "run 7")
        assert len({each.decision_id for each in client.iterate_guard_decisions(limit=1)}) == 3


def test_a_policy_can_ask_for_the_session_around(tenant: Tenant) -> None:
    rules = {"when": {"field": "parent_session_id", "op": "exists", "value": True}, "action": "require_approval"}
    tenant.policy("sub-agents ask", "condition", rules)
    with tenant.client() as client:
        assert client.guard(QUESTION).decision == "allow"
        with client.session("run"), client.session("sub"):
            assert client.guard(QUESTION).decision == "require_approval"


def test_a_proof_of_what_was_done_in_a_session_verifies(tenant: Tenant) -> None:
    with tenant.client() as client, client.session("run"), client.session("sub"):
        made = client.create_action(**QUESTION)
        client.update_outcome(made.action_id, "completed")
    bundle = bundle_of(tenant, made.action_id)
    assert '"parent_session_id":"run"' in json.dumps(bundle).replace(" ", "").replace("\\", "")
    assert failing(offline(bundle, published_keys(tenant.service, tenant.org_id))) == set()


def test_a_decision_of_another_session_is_not_used(tenant: Tenant) -> None:
    with tenant.client() as client:
        with client.session("a"), client.session("b"):
            asked = client.guard(QUESTION)
        with client.session("c"), client.session("b"), pytest.raises(ApiError) as refused:
            client.create_action(**QUESTION, decision_id=asked.decision_id)
    assert refused.value.code == Code.DECISION_UNUSABLE


def test_a_session_too_long_is_told_by_its_name(tenant: Tenant) -> None:
    with tenant.client() as client, pytest.raises(ApiError) as refused:
        client.guard(QUESTION, session_id="s", parent_session_id="x" * 129)
    assert refused.value.code == Code.INVALID_BODY
    assert [error.place for error in refused.value.errors] == ["parent_session_id"]


def test_purchases_workflows_and_token_reports_say_session_and_parent(tenant: Tenant) -> None:
    why = {"purchase_reason": "Full.", "context_gap": "Unknown.", "expected_value": "Quiet."}
    with tenant.client() as client:
        template = client.create_workflow_template("clean up", steps=[{"name": "look"}]).template_id
        with client.session("run"), client.session("sub"):
            bought = client.record_purchase(None, "Acme Disks", "No full disks", **why)
            paid = client.record_x402_purchase(None, "Acme Disks", 3.0, transaction_hash="0x1")
            launched = client.launch_workflow_template(template)
            reported = client.report_token_usage(10, 5)
        apart = client.report_token_usage(10, 5)
        for action_id in (bought.action_id, paid.action.action_id, launched.action_id):
            context = client.get_action_trace(action_id).context
            assert isinstance(context, dict)
            assert (context["session_id"], context["parent_session_id"]) == ("sub", "run")
        for kept in (bought.purchase, paid.purchase, reported.usage):
            assert (kept.session_id, kept.parent_session_id) == ("sub", "run")
        assert (apart.usage.session_id, apart.usage.parent_session_id) == (None, None)
        found = client.get_token_usage(session_id="sub").usage
        assert [each.usage_id for each in found] == [reported.usage_id]
