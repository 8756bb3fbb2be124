"""Who may look at compliance, activity and organizations."""

from __future__ import annotations

from collections.abc import Callable

from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant


def at(path: str) -> Callable[[Tenant], Ask]:
    return lambda _: Ask(path)


def _export(owner: Tenant) -> str:
    made = owner.call("POST", "/api/compliance/exports", {"frameworks": ["soc2"]})
    return f"/api/compliance/exports/{made['export_id']}"


def _schedule(owner: Tenant) -> str:
    made = owner.call("POST", "/api/compliance/schedules", {"frameworks": ["soc2"], "cron_expression": "0 6 * * 1"})
    return f"/api/compliance/schedules/{made['schedule_id']}"


ASKS = {
    "list_frameworks": Asking(" oum", at("/api/compliance/frameworks")),
    "map_compliance": Asking(" oum", at("/api/compliance/map?framework=soc2")),
    "analyze_gaps": Asking(" oum", at("/api/compliance/gaps?framework=soc2")),
    "get_compliance_report": Asking(" oum", at("/api/compliance/report?framework=soc2")),
    "get_compliance_evidence": Asking(" oum", at("/api/compliance/evidence")),
    "get_proof_report": Asking(" oum", at("/api/policies/proof")),
    "create_compliance_export": Asking(" o m", lambda _: Ask("/api/compliance/exports", {"frameworks": ["soc2"]})),
    "list_compliance_exports": Asking(" oum", at("/api/compliance/exports")),
    "get_compliance_export": Asking(" oum", lambda owner: Ask(_export(owner))),
    "download_compliance_export": Asking(" oum", lambda owner: Ask(f"{_export(owner)}/download")),
    "delete_compliance_export": Asking(" o m", lambda owner: Ask(_export(owner))),
    "create_compliance_schedule": Asking(
        " o m",
        lambda _: Ask("/api/compliance/schedules", {"frameworks": ["soc2"], "cron_expression": "0 6 * * 1"}),
    ),
    "list_compliance_schedules": Asking(" oum", at("/api/compliance/schedules")),
    "get_compliance_schedule": Asking(" oum", lambda owner: Ask(_schedule(owner))),
    "update_compliance_schedule": Asking(" o m", lambda owner: Ask(_schedule(owner), {"enabled": False})),
    "delete_compliance_schedule": Asking(" o m", lambda owner: Ask(_schedule(owner))),
    "get_compliance_trends": Asking(" oum", at("/api/compliance/trends")),
    "get_activity_logs": Asking(" oum", at("/api/activity")),
    "get_org_by_id": Asking("   m", lambda owner: Ask(f"/api/orgs/{owner.org_id}")),
    "update_org": Asking("   m", lambda owner: Ask(f"/api/orgs/{owner.org_id}", {"name": "renamed"})),
    "get_org_keys": Asking("   m", lambda owner: Ask(f"/api/orgs/{owner.org_id}/keys")),
}
