"""Standing grants on the page of policies, with a real service behind it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from tests.dashboard.control.test_policies import Look, counted, disabled
from tests.stories.tenant import Tenant
from tests.tiers import deep

SMALL = {"field": "parameters.amount", "op": "lte", "value": 50}


def grant(house: Tenant, **members: Any) -> str:
    body = {
        "agent_ids": ["payer"], "action_type": "pay", "when": SMALL, "max_risk": 40, "max_uses": 20, "reason": "Sale",
        "expires_at": (datetime.now(UTC) + timedelta(hours=1)).isoformat(), **members,
    }  # fmt: skip
    return str(house.call("POST", "/api/grants", body, key="operator")["grant"]["grant_id"])


def test_a_live_grant_is_listed_and_revoked_with_one_press(look: Look, house: Tenant) -> None:
    without = counted(look(house, "policies", "admin")).words
    assert "Standing grants" not in without
    grant_id, other = grant(house), grant(house, action_type="send", when=None)
    looker = counted(look(house, "policies", "operator"))
    assert "payer may pay, where parameters.amount is at most 50, up to risk 40" in looker.words
    assert "payer may send, up to risk 40" in looker.words
    assert "used 0 of 20 times" in looker.words
    assert "2 grants" in looker.words
    looker.press(f"grant_revoke_{grant_id}")
    assert house.call("GET", f"/api/grants/{grant_id}")["state"] == "revoked"
    assert house.call("GET", f"/api/grants/{other}")["state"] == "live"
    assert "Revoked: payer may pay" in looker.words
    assert "1 grant" in looker.words


@deep("one page of grants is in the quick tier")
def test_an_auditor_looks_and_cannot_revoke(look: Look, house: Tenant) -> None:
    grant_id = grant(house)
    looker = counted(look(house, "policies", "auditor"))
    assert disabled(looker, f"grant_revoke_{grant_id}")
