"""Who may look at compliance, activity and organizations."""

from __future__ import annotations

from collections.abc import Callable

from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant


def at(path: str) -> Callable[[Tenant], Ask]:
    return lambda _: Ask(path)


ASKS = {
    "list_frameworks": Asking(" oum", at("/api/compliance/frameworks")),
    "map_compliance": Asking(" oum", at("/api/compliance/map?framework=soc2")),
    "analyze_gaps": Asking(" oum", at("/api/compliance/gaps?framework=soc2")),
    "get_compliance_report": Asking(" oum", at("/api/compliance/report?framework=soc2")),
    "get_compliance_evidence": Asking(" oum", at("/api/compliance/evidence")),
    "get_proof_report": Asking(" oum", at("/api/policies/proof")),
    "get_activity_logs": Asking(" oum", at("/api/activity")),
    "get_org_by_id": Asking("   m", lambda owner: Ask(f"/api/orgs/{owner.org_id}")),
    "update_org": Asking("   m", lambda owner: Ask(f"/api/orgs/{owner.org_id}", {"name": "renamed"})),
    "get_org_keys": Asking("   m", lambda owner: Ask(f"/api/orgs/{owner.org_id}/keys")),
}
