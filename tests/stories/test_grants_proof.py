"""What a stranger verifies of an action that a standing grant let through, with the service and without it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import msgspec

from assent.proof.verify import verify
from tests.live import start_service
from tests.stories.proving import bundle_of, checks, failing, published_keys
from tests.stories.tenant import Tenant
from tests.stories.test_grants import PAY, create, grant, grant_body, runs
from tests.tiers import deep


def verified_here(tenant: Tenant, bundle: dict[str, Any]) -> dict[str, Any]:
    return tenant.call("POST", "/api/governance/proof/verify", {"bundle": bundle}, key="operator")


def test_a_granted_action_is_proven_to_a_stranger(tenant: Tenant) -> None:
    tenant.governed()
    grant_id = grant(tenant, max_uses=3)
    before, action_id, after = (create(tenant).body["action_id"] for _ in range(3))
    act = {name: PAY[name] for name in ("action_type", "declared_goal", "parameters")}
    assert tenant.send("POST", f"/api/actions/{action_id}/claim", act, key="agent").status == 200
    tenant.call("POST", f"/api/grants/{grant_id}/revoke", {"reason": "over"})
    bundle = bundle_of(tenant, action_id)
    kinds = [event["header"].split('"type":"')[1].split('"')[0] for event in bundle["events"]]
    assert kinds.count("grant.created") == kinds.count("grant.used") == 1
    found = verify(bundle, keys=published_keys(tenant.service, tenant.org_id))
    assert failing(msgspec.to_builtins(found)) == set()
    (receipt,) = (check for check in found.checks if check.name == "approval_receipt")
    assert f"by grant {grant_id}: use 2 of at most 3" in receipt.detail
    here = verified_here(tenant, bundle)
    assert failing(here) == set()
    assert checks(here)["database_row"] == checks(here)["log"] == "pass"
    exchanged = bundle | {"events": bundle_of(tenant, before)["events"]}
    assert not verify(exchanged).ok
    assert "act_" in after


@deep("one proof is in the quick tier")
def test_an_erased_action_proves_that_it_was_there_and_names_no_grant(tenant: Tenant) -> None:
    tenant.governed()
    grant(tenant)
    action_id = create(tenant).body["action_id"]
    tenant.call("PATCH", f"/api/actions/{action_id}", {"status": "completed"}, key="agent")
    tenant.call("POST", f"/api/actions/{action_id}/erase", {"reason": "asked for"})
    bundle = bundle_of(tenant, action_id)
    assert "grant" not in str(bundle["events"]).replace("approval.granted", "")
    found = verify(bundle, keys=published_keys(tenant.service, tenant.org_id))
    assert failing(msgspec.to_builtins(found)) == set()
    assert failing(verified_here(tenant, bundle)) == set()


@deep("a service of its own, with another setting")
def test_a_service_that_refuses_own_decisions_refuses_own_grants(tmp_path: Path, http: httpx.Client) -> None:
    with start_service(tmp_path / "home", ASSENT_SELF_DECISIONS="refuse") as service:
        tenant = Tenant(service, http)
        tenant.governed()
        tenant.call("POST", "/api/grants", grant_body(), key="admin")
        assert not runs(create(tenant, key="admin"))
        assert runs(create(tenant, key="agent"))
