"""How far an action reaches and what became of its approval, on its page, with a real service behind it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import streamlit as st

from assent.proof.act import act_digest, parameters_digest
from tests.dashboard.evidence.ledger_page import LedgerPage, Look
from tests.stories.tenant import Tenant

Open = Callable[..., LedgerPage]
INVOICE = {"invoice": 7}


@pytest.fixture
def ledger(look: Look, house: Tenant) -> Open:
    st.cache_data.clear()
    return lambda **address: LedgerPage.of(look, house, **address)


def pays(house: Tenant, **members: Any) -> str:
    return house.create("pay", declared_goal="Pay invoice 7", agent_id="payer", parameters=INVOICE, **members)


def test_how_far_it_reaches_is_said(ledger: Open, house: Tenant) -> None:
    reach = {
        "destination_visibility": "partner",
        "account_provenance": "third_party",
        "data_classification": "restricted",
        "reversal_bound_seconds": 5400,
    }
    words = ledger(action_id=pays(house, externality=reach)).words
    for said in ("partner", "third party", "restricted", "within 1 h 30 min", parameters_digest(INVOICE)):
        assert said in words, said
    never = ledger(action_id=pays(house, externality={"reversal_bound_seconds": 0})).words
    assert "not at all" in never
    nothing = ledger(action_id=house.create("look", agent_id="bot")).words
    for label in ("Destination", "Taken back", "Parameters"):
        assert label in words
        assert label not in nothing


def test_conditions_use_and_refused_claims_are_said(ledger: Open, house: Tenant) -> None:
    action_id = pays(house)
    allowed = {"decision": "allow", "conditions": ["Before *noon*"], "valid_minutes": 60}
    house.call("POST", f"/api/actions/{action_id}/approve", allowed, key="operator")
    waiting = ledger(action_id=action_id).words
    digest = parameters_digest(INVOICE)
    assert "Valid until" in waiting
    assert act_digest("pay", "Pay invoice 7", [], digest) in waiting
    assert "Used" not in waiting
    claim = {"action_type": "pay", "declared_goal": "Pay invoice 7", "parameters_digest": digest}
    wrong = house.send("POST", f"/api/actions/{action_id}/claim", claim | {"declared_goal": "x"}, key="agent")
    assert wrong.status == 409
    house.call("POST", f"/api/actions/{action_id}/claim", claim, key="agent")
    page = ledger(action_id=action_id)
    used = page.words
    assert any(str(each.value) == r"- On condition: Before \*noon\*" for each in page.page.markdown)
    assert f"by `{house.key_ids['agent']}`" in used
    assert "Refused claims" in used


def test_what_a_standing_grant_approved_says_so(ledger: Open, house: Tenant) -> None:
    end = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    bounds = {"agent_ids": ["payer"], "action_type": "pay", "max_risk": 100, "max_uses": 1, "expires_at": end}
    made = house.call("POST", "/api/grants", {**bounds, "reason": "Of the sale."}, key="operator")["grant"]
    granted, asked = ledger(action_id=pays(house)).words, ledger(action_id=pays(house)).words
    assert "Approved in advance" in granted
    assert made["grant_id"] in granted
    assert "Of the sale." in granted
    assert "Standing grant" not in asked
