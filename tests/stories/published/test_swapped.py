"""48 methods of 2.9.0 pass method and path the wrong way round: they fail before anything is sent, whatever serves."""

from __future__ import annotations

from typing import Any

import pytest

from tests.stories.published.client import PublishedClient, PublishedError
from tests.stories.published.tally import methods, swaps
from tests.stories.published.versions import MIDDLE, NEWEST, OLDEST, only
from tests.stories.tenant import Tenant

SERVED: dict[str, tuple[Any, ...]] = {
    "submit_feedback": (5,),
    "list_feedback": (),
    "get_feedback": ("fb_1",),
    "resolve_feedback": ("fb_1",),
    "delete_feedback": ("fb_1",),
    "get_feedback_stats": (),
    "create_scoring_profile": (),
    "list_scoring_profiles": (),
    "get_scoring_profile": ("sp_1",),
    "update_scoring_profile": ("sp_1",),
    "delete_scoring_profile": ("sp_1",),
    "add_scoring_dimension": ("sp_1",),
    "update_scoring_dimension": ("sp_1", "sd_1"),
    "delete_scoring_dimension": ("sp_1", "sd_1"),
    "score_with_profile": ("sp_1", {}),
    "batch_score_with_profile": ("sp_1", []),
    "get_profile_scores": (),
    "get_profile_score_stats": ("sp_1",),
    "create_risk_template": (),
    "list_risk_templates": (),
    "update_risk_template": ("rt_1",),
    "delete_risk_template": ("rt_1",),
    "auto_calibrate": (),
    "compute_learning_velocity": (),
    "get_learning_velocity": (),
    "compute_learning_curves": (),
    "get_learning_curves": (),
    "get_learning_analytics_summary": (),
    "get_maturity_levels": (),
    "compute_drift_baselines": (),
    "detect_drift": (),
    "record_drift_snapshots": (),
    "list_drift_alerts": (),
    "acknowledge_drift_alert": ("da_1",),
    "delete_drift_alert": ("da_1",),
    "get_drift_stats": (),
    "get_drift_snapshots": (),
    "get_drift_metrics": (),
    "create_compliance_export": (["soc2"],),
    "list_compliance_exports": (),
    "get_compliance_export": ("ce_1",),
    "download_compliance_export": ("ce_1",),
    "delete_compliance_export": ("ce_1",),
    "create_compliance_schedule": (["soc2"], "0 0 * * *"),
    "list_compliance_schedules": (),
    "update_compliance_schedule": ("cs_1",),
    "delete_compliance_schedule": ("cs_1",),
    "get_compliance_trends": (),
}
"""What this service serves, to those who can ask."""


@only(MIDDLE)
def test_they_cannot_reach_a_server(agent: PublishedClient, asking: Tenant) -> None:
    before = asking.recorded()
    swapped = [name for name in methods(MIDDLE) if swaps(MIDDLE, name)]
    assert len(swapped) == 48
    for name in swapped:
        with pytest.raises(PublishedError, match="nonnumeric port") as failed:
            getattr(agent, name)(*SERVED[name])
        assert failed.value.members["status"] is None, name
    assert asking.recorded() == before


@only(OLDEST, NEWEST)
def test_only_one_version_cannot_send_them(version: str) -> None:
    """The oldest writes 48 calls alike, but takes method and path in either order."""
    assert [name for name in methods(version) if swaps(version, name)] == []
