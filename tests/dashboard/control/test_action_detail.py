"""An action in full, with a real service behind it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import msgspec
import pytest
import streamlit as st

from assent.contract.evidence.pcaa import CheckpointId, CheckpointStatus
from assent_analytics.replay import timeline
from assent_dashboard.views.ledger.trace import says, states
from tests.dashboard.evidence.ledger_page import LedgerPage, Look
from tests.stories.tenant import Tenant
from tests.tiers import deep

Open = Callable[..., LedgerPage]
COMPLETE, NOT_REQUIRED = CheckpointStatus.COMPLETE, CheckpointStatus.NOT_REQUIRED


@pytest.fixture
def ledger(look: Look, house: Tenant) -> Open:
    st.cache_data.clear()
    return lambda **address: LedgerPage.of(look, house, **address)


@pytest.fixture
def story(house: Tenant) -> str:
    """An approved payment that rested on a wrong belief, was completed, corrected to failed, and led to a mail."""
    action_id = house.create(
        "pay",
        declared_goal="Pay invoice 7",
        agent_id="payer",
        reasoning="It is due.",
        systems_touched=["bank"],
        reversible=False,
        metadata={"invoice": 7},
    )
    house.call("POST", f"/api/actions/{action_id}/approve", {"decision": "allow", "reasoning": "Seen."}, key="operator")
    believed = {"action_id": action_id, "assumption": "The invoice is right", "basis": "The supplier said so"}
    made = house.call("POST", "/api/assumptions", believed, key="agent")["assumption_id"]
    wrong = {"validated": False, "invalidated_reason": "It was paid before"}
    house.call("PATCH", f"/api/assumptions/{made}", wrong, key="agent")
    asked = {"from_agent_id": "payer", "to": "desk", "subject": "Due?", "body": "Is invoice 7 due?", "urgent": True}
    said = house.call("POST", "/api/messages", asked | {"action_id": action_id}, key="agent")["message_id"]
    seen = {"message_ids": [said], "action": "read", "agent_id": "desk"}
    house.call("PATCH", "/api/messages", seen, key="agent")
    done = {"status": "completed", "output_summary": "Paid 50 EUR", "duration_ms": 4200, "cost_estimate": 0.25}
    house.call("PATCH", f"/api/actions/{action_id}", done)
    house.call("PATCH", f"/api/actions/{action_id}", {"status": "failed", "error_message": "Paid twice"})
    house.create("mail", declared_goal="Say sorry", agent_id="payer", parent_action_id=action_id)
    return action_id


def test_the_whole_story_is_told(ledger: Open, house: Tenant, story: str) -> None:
    admin = house.call("GET", "/api/keys/own")["name"]
    page = ledger(action_id=story)
    assert str(page.page.title[0].value) == "Pay invoice 7"
    for said in (
        story,
        ":orange-badge[failed]",
        "It is due.",
        "`bank`",
        "cannot be undone",
        '"invoice": 7',
        "**Require approval** at risk",
        "Ask before paying",
        "**Approved** by **the operator**",
        "> Seen.",
        ":red-badge[was wrong] The invoice is right",
        "Rests on: The supplier said so · Why: It was paid before",
        ":red-badge[urgent] `payer` to `desk` **Due?**",
        "Is invoice 7 due?",
        "Read by `desk`",
        "urgent, payer to desk: Due?",
        "Paid 50 EUR",
        "Paid twice",
        "4.20 s",
        "0.25 USD",
        "guard decided: require approval",
        f"**Correction** by **{admin}**",
        "status: failed :gray[instead of] completed",
        "Invalidated assumption",
    ):
        assert said in page.words, said
    assert "simulated" not in page.words


def test_what_was_denied_is_denied_in_every_part_of_the_page(ledger: Open, house: Tenant) -> None:
    action_id = house.create("pay", declared_goal="Pay invoice 8", agent_id="payer")
    said = {"decision": "deny", "reasoning": "Not on a Friday"}
    house.call("POST", f"/api/actions/{action_id}/approve", said, key="operator")
    approval = house.call("GET", f"/api/actions/{action_id}/trace")["approval"]
    page = ledger(action_id=action_id).words
    for part in (
        ":red-badge[denied]",
        "guard decided: require approval",
        "denied by the operator: Not on a Friday",
        "did not run: denied",
        "status: denied :gray[instead of] pending approval",
        "**Denial** by **the operator**",
    ):
        assert part in page, part
    decided = datetime.fromisoformat(approval["decided_at"])
    at = f"{decided.day} {decided:%b %Y, %H:%M:%S} UTC"
    assert (
        f"approval: `{approval['approval_id']}` · decided by: **the operator** · decided at: {at} · "
        "reasoning: “Not on a Friday”"
    ) in page
    assert f"timestamp end: {at}" in page
    for raw in ("cancelled", "pending_approval", "require_approval", approval["decided_at"]):
        assert raw not in page, raw
    with house.client("operator", None) as client:
        trace = client.get_action_trace(action_id)
    picture = says(timeline(msgspec.to_builtins(trace), datetime.now(UTC)))
    assert picture.endswith("; denied.")
    assert picture.count("denied") == 1


@deep("a page's main ways are in the quick tier")
def test_the_timeline_is_in_the_order_of_time(ledger: Open, story: str) -> None:
    words = ledger(action_id=story).words
    told = [
        "guard decided",
        "waited for an operator",
        "approved by the operator",
        "The invoice is right",
        "payer to desk",
        "corrected",
    ]
    line = next(text for text in words.split("\n\n") if "guard decided" in text)
    places = [line.index(each) for each in told]
    assert places == sorted(places)


@deep("a page's main ways are in the quick tier")
def test_other_actions_are_links_that_keep_the_filters(ledger: Open, house: Tenant, story: str) -> None:
    (child,) = (each for each in house.call("GET", "/api/actions?action_type=mail")["actions"])
    page = ledger(action_id=story, window="30d", agent_id="payer")
    assert page.links["Back to the list"] == "window=30d&agent_id=payer"
    there = next(query for label, query in page.links.items() if "Say sorry" in label)
    assert there == f"window=30d&agent_id=payer&action_id={child['action_id']}"
    back = next(
        query for label, query in ledger(action_id=child["action_id"]).links.items() if "Pay invoice 7" in label
    )
    assert back == f"window=7d&action_id={story}"


@deep("a page's main ways are in the quick tier")
def test_an_unknown_action_is_said_to_be_none(ledger: Open) -> None:
    page = ledger(action_id="act_nobody_knows", status="failed")
    assert str(page.page.title[0].value) == "No such action"
    assert "no action `act_nobody_knows`" in page.words
    assert page.links["Back to the list"] == "window=7d&status=failed"


@pytest.mark.parametrize(
    "action_id",
    [
        "../x",
        "a b",
        "`![x](http://192.0.2.1)`",
        *(pytest.param(each, marks=deep("three are in the quick tier")) for each in ["ä" * 128, "%00", "?"]),
    ],
)
def test_no_id_is_too_strange(ledger: Open, action_id: str) -> None:
    page = ledger(action_id=action_id)
    assert str(page.page.title[0].value) == "No such action"
    assert not any("![" in str(each.value).replace("`` `![", "") for each in page.page.info)


@deep("a page's main ways are in the quick tier")
def test_what_was_simulated_or_imported_says_so(ledger: Open, house: Tenant) -> None:
    past = (datetime.now(UTC) - timedelta(days=2)).isoformat()
    history = {"agent_id": "bot", "occurred_at": past, "status": "completed", "key": "admin"}
    simulated = ledger(action_id=house.create("look", source="simulated", **history)).words
    assert "A simulator made this action. It never happened." in simulated
    imported = ledger(action_id=house.create("look", source="import", **history)).words
    assert "recorded as history; guard's decision was made afterwards" in imported
    assert "simulator" not in imported


def test_a_blocked_attempt_shows_why(ledger: Open, house: Tenant) -> None:
    reply = house.send("POST", "/api/actions", {"action_type": "wipe", "agent_id": "bot"}, key="agent")
    assert reply.status == 403
    (action,) = house.call("GET", "/api/actions?status=blocked")["actions"]
    page = ledger(action_id=action["action_id"])
    assert "No goal was declared" in page.words
    assert ":red-badge[blocked]" in page.words
    assert "**Block** at risk" in page.words
    assert "Nobody wipes" in page.words


def test_what_can_be_expected_and_what_is_there_is_said(ledger: Open, house: Tenant, story: str) -> None:
    whole = ledger(action_id=story).words
    assert "5 of 5 expected receipts are there (100 %). :gray-badge[enforce before execute]" in whole
    assert "Guard is asked before anything runs" in whole
    hooked = ledger(action_id=house.create("look", agent_id="bot", runtime="coding_agent", risk_score=90)).words
    # The decision, and nothing of a goal that nobody declared.
    assert "1 of 2 expected receipts is there (50 %). Not there: Action open. :gray-badge[hook mediated]" in hooked
    past = (datetime.now(UTC) - timedelta(days=2)).isoformat()
    history = {"agent_id": "bot", "occurred_at": past, "status": "completed", "key": "admin", "declared_goal": "look"}
    observed = ledger(action_id=house.create("look", source="import", **history)).words
    assert "2 of 3 expected receipts are there (66.7 %). Not there: Outcome. :gray-badge[observe only]" in observed
    assert "neither an assumption nor an approval is expected" in observed


def test_the_checkpoints_are_those_of_the_whole_windows_numbers(house: Tenant, story: str) -> None:
    now = datetime.now(UTC)
    with house.client("operator", None) as client:
        assert states(client.get_action_trace(story), now) == {
            CheckpointId.PRE_ACTION_ADMISSIBILITY: COMPLETE,
            CheckpointId.ACTION_OPEN: COMPLETE,
            CheckpointId.ASSUMPTION_CAPTURE: COMPLETE,
            CheckpointId.APPROVAL: COMPLETE,
            CheckpointId.OUTCOME_CLOSURE: COMPLETE,
        }
        waiting = client.get_action_trace(house.create("pay", agent_id="payer"))
        assert states(waiting, now) == {
            CheckpointId.PRE_ACTION_ADMISSIBILITY: COMPLETE,
            CheckpointId.ACTION_OPEN: COMPLETE,
            CheckpointId.ASSUMPTION_CAPTURE: CheckpointStatus.PENDING,
            CheckpointId.APPROVAL: CheckpointStatus.PENDING,
            CheckpointId.OUTCOME_CLOSURE: NOT_REQUIRED,
        }
