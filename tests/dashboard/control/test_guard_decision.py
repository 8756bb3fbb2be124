"""One decision in its window, and the way to the action that came of it."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs

import pytest
import streamlit as st

from assent import GuardDecision
from assent_dashboard.views.ledger.guard_decision import CHOSEN
from tests.dashboard.evidence.ledger_page import LedgerPage, Look
from tests.stories.tenant import Tenant

CAME = "The action that came of it · "
Open = Callable[[str], LedgerPage]


@pytest.fixture
def chosen(look: Look, house: Tenant) -> Open:
    """Opens the decisions of the last day at the window of the one with this id."""
    st.cache_data.clear()
    st.cache_resource.clear()

    def open_at(decision_id: str) -> LedgerPage:
        page = LedgerPage.of(look, house, view="decisions", window="1d")
        with house.client("operator", None) as client:
            listed: list[GuardDecision] = client.get_guard_decisions().decisions
        page.page.session_state[CHOSEN] = next(each for each in listed if each.decision_id == decision_id)
        return page.run()

    return open_at


def linked(page: LedgerPage) -> tuple[str, dict[str, list[str]]]:
    """What the link says and where it leads."""
    ((label, query),) = ((label, query) for label, query in page.links.items() if label.startswith(CAME))
    return label, parse_qs(query)


def test_a_decision_leads_to_the_action_that_was_created_with_it(chosen: Open, house: Tenant) -> None:
    made = [house.create("pay", agent_id="writer") for _ in range(2)]
    page = chosen(house.action(made[0])["decision_id"])
    label, query = linked(page)
    assert label == f"{CAME}pending approval"
    assert query == {"action_id": [made[0]], "view": ["decisions"], "window": ["1d"]}
    assert "No action came" not in page.words


def test_a_decision_that_was_brought_along_leads_to_its_action(chosen: Open, house: Tenant) -> None:
    context = {"action_type": "deploy", "agent_id": "builder"}
    decision_id = house.call("POST", "/api/guard", context)["decision_id"]
    action_id = house.create(decision_id=decision_id, **context)
    house.call("PATCH", f"/api/actions/{action_id}", {"status": "completed"})
    label, query = linked(chosen(decision_id))
    assert (label, query["action_id"]) == (f"{CAME}completed", [action_id])


def test_a_blocked_attempt_is_the_action_that_came_of_its_decision(chosen: Open, house: Tenant) -> None:
    refused = house.send("POST", "/api/actions", {"action_type": "wipe", "agent_id": "builder"})
    label, query = linked(chosen(refused.body["decision"]["decision_id"]))
    assert (label, query["action_id"]) == (f"{CAME}blocked", [refused.body["action"]["action_id"]])


def test_a_decision_of_which_no_action_came_says_so(chosen: Open, house: Tenant) -> None:
    context = {"action_type": "deploy", "agent_id": "builder"}
    decision_id = house.call("POST", "/api/guard", context)["decision_id"]
    # The same agent and type, and the same verdict: another decision all the same.
    house.create(**context)
    page = chosen(decision_id)
    assert "No action came of this decision." in page.words
    assert not any(label.startswith(CAME) for label in page.links)


def test_the_way_back_from_the_action_leads_to_the_list_alone(chosen: Open, house: Tenant) -> None:
    action_id = house.create("deploy", declared_goal="Mend it", agent_id="builder")
    page = chosen(house.action(action_id)["decision_id"])
    page.page.query_params["action_id"] = action_id
    page.run()
    assert page.page.title[0].value == "Mend it"
    del page.page.query_params["action_id"]
    page.run()
    assert page.rows is not None
    assert not any(label.startswith(CAME) for label in page.links)
