"""What the published clients have and this service does not do: each is told so, and what to use instead."""

from __future__ import annotations

from typing import Any

import pytest

from tests.stories.published.client import PublishedClient, PublishedError
from tests.stories.tenant import Tenant

ALL = ("2.1.0", "2.9.0", "4.8.0")
FIRST_AND_LAST = ("2.1.0", "4.8.0")
"""2.9.0 swaps method and path in these, so that they never reach a server."""
LAST = ("4.8.0",)

CALLS: dict[str, tuple[tuple[str, ...], tuple[Any, ...], str]] = {
    "invoke_capability": (LAST, ("cap_1",), "create_action"),
    "test_capability": (LAST, ("cap_1",), "create_action"),
    "get_capability_health": (LAST, ("cap_1",), "get_actions"),
    "list_capability_health": (LAST, (), "get_actions"),
    "get_capability_history": (LAST, ("cap_1",), "get_actions"),
    "invoke_registered_agent": (LAST, ("rag_1", "cap_1"), "create_action"),
    "complete_with_strategy": (LAST, ("mst_1", []), "update_outcome"),
    "execute_workflow_template": (LAST, ("wf_1",), "launch_workflow_template"),
    "get_agent_env": (LAST, (), "environment"),
    "get_agent_reputation": (LAST, ("bot",), "get_guard_decisions"),
    "list_agent_reputation_events": (LAST, ("bot",), "get_guard_decisions"),
    "recompute_agent_reputation": (LAST, ("bot",), "get_guard_decisions"),
    "get_agent_reputation_receipt": (LAST, ("bot",), "get_guard_decisions"),
    "verify_reputation_receipt": (LAST, ({},), "get_guard_decisions"),
    "get_recommendations": (ALL, (), "record_decision"),
    "get_recommendation_metrics": (ALL, (), "record_decision"),
    "record_recommendation_events": (ALL, ([],), "record_decision"),
    "set_recommendation_active": (ALL, ("rec_1", True), "record_decision"),
    "rebuild_recommendations": (ALL, (), "record_decision"),
    "recommend_action": (ALL, ({"action_type": "look"},), "record_decision"),
    "compute_learning_velocity": (FIRST_AND_LAST, (), "record_decision"),
    "get_learning_velocity": (FIRST_AND_LAST, (), "record_decision"),
    "compute_learning_curves": (FIRST_AND_LAST, (), "record_decision"),
    "get_learning_curves": (FIRST_AND_LAST, (), "record_decision"),
    "get_learning_analytics_summary": (FIRST_AND_LAST, (), "record_decision"),
    "get_maturity_levels": (FIRST_AND_LAST, (), "record_decision"),
    "compute_drift_baselines": (FIRST_AND_LAST, (), "get_signals"),
    "detect_drift": (FIRST_AND_LAST, (), "get_signals"),
    "record_drift_snapshots": (FIRST_AND_LAST, (), "get_signals"),
    "list_drift_alerts": (FIRST_AND_LAST, (), "get_signals"),
    "acknowledge_drift_alert": (FIRST_AND_LAST, ("da_1",), "get_signals"),
    "delete_drift_alert": (FIRST_AND_LAST, ("da_1",), "get_signals"),
    "get_drift_stats": (FIRST_AND_LAST, (), "get_signals"),
    "get_drift_snapshots": (FIRST_AND_LAST, (), "get_signals"),
    "get_drift_metrics": (FIRST_AND_LAST, (), "get_signals"),
    "create_compliance_export": (FIRST_AND_LAST, (["soc2"],), "get_compliance_evidence"),
    "list_compliance_exports": (FIRST_AND_LAST, (), "get_compliance_evidence"),
    "get_compliance_export": (FIRST_AND_LAST, ("ce_1",), "get_compliance_evidence"),
    "download_compliance_export": (FIRST_AND_LAST, ("ce_1",), "get_compliance_evidence"),
    "delete_compliance_export": (FIRST_AND_LAST, ("ce_1",), "get_compliance_evidence"),
    "create_compliance_schedule": (FIRST_AND_LAST, (["soc2"], "0 0 * * *"), "get_compliance_evidence"),
    "list_compliance_schedules": (FIRST_AND_LAST, (), "get_compliance_evidence"),
    "update_compliance_schedule": (FIRST_AND_LAST, ("cs_1",), "get_compliance_evidence"),
    "delete_compliance_schedule": (FIRST_AND_LAST, ("cs_1",), "get_compliance_evidence"),
    "get_compliance_trends": (FIRST_AND_LAST, (), "get_compliance_evidence"),
    "create_scoring_profile": (FIRST_AND_LAST, (), "create_scorer"),
    "list_scoring_profiles": (FIRST_AND_LAST, (), "create_scorer"),
    "get_scoring_profile": (FIRST_AND_LAST, ("sp_1",), "create_scorer"),
    "update_scoring_profile": (FIRST_AND_LAST, ("sp_1",), "create_scorer"),
    "delete_scoring_profile": (FIRST_AND_LAST, ("sp_1",), "create_scorer"),
    "add_scoring_dimension": (FIRST_AND_LAST, ("sp_1",), "create_scorer"),
    "update_scoring_dimension": (FIRST_AND_LAST, ("sp_1", "sd_1"), "create_scorer"),
    "delete_scoring_dimension": (FIRST_AND_LAST, ("sp_1", "sd_1"), "create_scorer"),
    "score_with_profile": (FIRST_AND_LAST, ("sp_1", {}), "create_scorer"),
    "batch_score_with_profile": (FIRST_AND_LAST, ("sp_1", []), "create_scorer"),
    "get_profile_scores": (FIRST_AND_LAST, (), "create_scorer"),
    "get_profile_score_stats": (FIRST_AND_LAST, ("sp_1",), "create_scorer"),
    "create_risk_template": (FIRST_AND_LAST, (), "create_scorer"),
    "list_risk_templates": (FIRST_AND_LAST, (), "create_scorer"),
    "update_risk_template": (FIRST_AND_LAST, ("rt_1",), "create_scorer"),
    "delete_risk_template": (FIRST_AND_LAST, ("rt_1",), "create_scorer"),
    "auto_calibrate": (FIRST_AND_LAST, (), "create_scorer"),
    "scan_content": (ALL, ("text",), "policy"),
    "report_security_finding": (ALL, ("text",), "policy"),
    "scan_prompt_injection": (ALL, ("text",), "policy"),
}
"""Which versions have it and can send it, its arguments, and a word of what it is told to use."""


@pytest.mark.parametrize("name", CALLS)
def test_it_says_what_to_use_instead(agent: PublishedClient, asking: Tenant, name: str) -> None:
    versions, args, instead = CALLS[name]
    before = asking.recorded()
    if agent.version not in versions:
        pytest.skip(f"{agent.version} does not have {name}, or swaps its method and path")
    with pytest.raises(PublishedError) as refused:
        getattr(agent, name)(*args)
    assert refused.value.members["status"] == 404
    assert "is not served" in refused.value.text
    assert instead in refused.value.text
    assert asking.recorded() == before


def test_the_methods_that_swap_method_and_path_fail_before_they_are_sent(agent: PublishedClient) -> None:
    if agent.version != "2.9.0":
        pytest.skip("only 2.9.0 does")
    for name, (versions, args, _) in CALLS.items():
        if versions is FIRST_AND_LAST:
            with pytest.raises(PublishedError) as failed:
                getattr(agent, name)(*args)
            assert failed.value.members.get("status") is None, name


def test_it_is_said_to_everybody_alike_and_only_where_nothing_else_is(asking: Tenant) -> None:
    for key in (None, "agent", "admin"):
        reply = asking.send("GET", "/api/drift/metrics", key=key)
        assert (reply.status, reply.code) == (404, "not_served")
        assert reply.headers["content-type"] == "application/problem+json"
    assert asking.send("PATCH", "/api/drift/metrics").code == "route_not_found"
    assert asking.send("GET", "/api/drift").code == "route_not_found"
    assert asking.send("GET", "/api/capabilities/healthy").code == "record_not_found"
