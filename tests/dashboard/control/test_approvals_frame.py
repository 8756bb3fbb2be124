"""The approvals page around its queue: the cursor, the address, the export, and what is kept in memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any, cast

import pytest

from assent import Client
from assent.contract.control.inbox import ActionApproval, Approvals
from assent_dashboard.views.addresses import Scope
from assent_dashboard.views.approvals.inbox import DECIDED, MOST, PAGE, Inbox
from assent_dashboard.views.approvals.page import SCHEMA, STATE, tables
from assent_dashboard.views.approvals.waiting import ASKS, SAME_PRESS_SECONDS, STEPPED
from assent_dashboard.views.export import to_csv
from tests.dashboard.control.approval_items import AT, pay, request
from tests.dashboard.looker import Looker
from tests.live import WAIT
from tests.stories.tenant import Tenant

Look = Callable[..., Looker]


def current(looker: Looker) -> str:
    """The goal on the open card; cards in short have a button that opens them."""
    keys = [str(button.key) for button in looker.page.button]
    closed = {key.removeprefix("open-") for key in keys if key.startswith("open-")}
    inbox = looker.page.session_state[STATE]
    (found,) = [item for item in inbox.waiting if item.action.action_id not in closed]
    return str(found.action.declared_goal)


def step(looker: Looker, *names: str) -> None:
    """Press these buttons with the time between them that a hand needs."""
    for name in names:
        time.sleep(SAME_PRESS_SECONDS)
        looker.press(name)


def test_a_press_that_arrives_twice_moves_once(look: Look, house: Tenant) -> None:
    for number in range(4):
        pay(house, f"Pay {number}")
    looker = look(house, "approvals").draw()
    looker.page.session_state[STEPPED] = time.monotonic() + WAIT
    assert current(looker.press("next")) == "Pay 3", "it came right after another"
    looker.page.session_state[STEPPED] = time.monotonic() - SAME_PRESS_SECONDS
    assert current(looker.press("next")) == "Pay 2"


def test_the_cursor_moves_stays_and_goes_to_the_nearest(look: Look, house: Tenant) -> None:
    ids = [pay(house, f"Pay {number}") for number in range(4)]
    looker = look(house, "approvals").draw()
    assert current(looker) == "Pay 3"
    assert looker.page.button(key="previous").disabled
    step(looker, "next", "next")
    assert current(looker) == "Pay 1"
    pay(house, "Pay the newest")
    looker.feed.count += 1
    assert current(looker.draw()) == "Pay 1", "others come and go above it"
    looker.press(f"deny-{ids[1]}").write("reasoning", "No").press("confirm")
    assert current(looker) == "Pay 0", "the next one down"
    house.call("POST", f"/api/actions/{ids[0]}/approve", {"decision": "allow"}, key="operator")
    looker.feed.count += 1
    assert current(looker.draw()) == "Pay 2", "there is none further down"
    looker.press(f"open-{ids[3]}")
    assert current(looker) == "Pay 3"


def test_the_address_restores_the_view(look: Look, house: Tenant) -> None:
    house.policy("Ask before shipping", "require_approval", {"action_types": ["ship"]})
    ids = [pay(house, f"Pay {number}") for number in range(3)]
    house.create("ship", declared_goal="Ship it", agent_id="shipper")
    looker = look(house, "approvals")
    for name, value in {"agent_id": "payer", "order": "expires", "window": "7d", "action_id": ids[1]}.items():
        looker.page.query_params[name] = value
    looker.draw()
    assert looker.texts == ["Pay 0", "Pay 1", "Pay 2"]
    assert current(looker) == "Pay 1"
    assert "Decided in the last 7 days" in looker.words
    looker.press("next")
    assert current(looker) == "Pay 2", "the address says only where the cursor begins"


def test_a_link_to_one_that_no_longer_waits_says_so(look: Look, house: Tenant) -> None:
    action_id = pay(house)
    house.call("POST", f"/api/actions/{action_id}/approve", {"decision": "allow"}, key="operator")
    looker = look(house, "approvals")
    looker.page.query_params["action_id"] = action_id
    assert f"`{action_id}` does not wait here any more." in looker.draw().words


def test_an_order_that_is_none_is_told(look: Look, house: Tenant) -> None:
    looker = look(house, "approvals")
    looker.page.query_params["order"] = "random"
    assert "order is 'random'; it can be newest, expires, risk." in looker.draw().words


def test_the_chosen_order_goes_into_the_address(look: Look, house: Tenant) -> None:
    looker = look(house, "approvals").draw()
    looker.page.segmented_control(key="order").set_value("Highest risk").run()
    assert looker.page.query_params["order"] == "risk"
    looker.page.segmented_control(key="order").set_value("Newest").run()
    assert "order" not in looker.page.query_params


def test_the_window_is_for_what_was_decided_and_never_hides_what_waits(look: Look, house: Tenant) -> None:
    pay(house)
    looker = look(house, "approvals").draw()
    assert "Decided in the last day" in looker.words
    assert "Whatever waits is shown; the window is for what was decided." in looker.words
    inbox = looker.page.session_state[STATE]
    assert inbox.scope == Scope(window="1d")


def test_it_says_when_it_was_checked_and_checks_again(look: Look, house: Tenant) -> None:
    looker = look(house, "approvals").draw()
    assert "Last checked, by the service's clock: " in looker.words
    assert "(just now; live)" in looker.words
    looker.requests.take()
    looker.press("approvals_again")
    assert looker.requests.take().count("GET /api/approvals") == 2


def test_what_waits_and_what_was_decided_can_be_taken_away(look: Look, house: Tenant) -> None:
    waiting = pay(house, "=1+1", systems_touched=["bank", "books"], metadata={"amount": 5})
    decided = pay(house, "Done")
    house.call("POST", f"/api/actions/{decided}/approve", {"decision": "deny", "reasoning": "No"}, key="operator")
    looker = look(house, "approvals").draw()
    made = tables(looker.page.session_state[STATE])
    (row,) = made["waiting"].to_dicts()
    assert (row["action_id"], row["systems_touched"], row["metadata"]) == (waiting, ["bank", "books"], '{"amount":5}')
    assert (row["state"], row["decided_by"], row["reasons"] != []) == ("awaiting", None, True)
    (row,) = made["decided"].to_dicts()
    assert (row["action_id"], row["state"], row["reasoning"]) == (decided, "denied", "No")
    assert isinstance(row["decided_at"], datetime)
    assert "'=1+1" in to_csv(made["waiting"]).decode()
    keys = {button.key for button in looker.page.get("download_button")}
    assert {"approvals_waiting_csv", "approvals_decided_parquet"} <= keys


def test_an_empty_page_has_tables_too() -> None:
    assert tables(Inbox())["waiting"].schema.names() == list(SCHEMA)


def test_what_an_empty_page_says_to_run_makes_an_agent_wait(
    look: Look, house: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    looker = look(house, "approvals").draw()
    assert ASKS.strip() in [str(code.value).strip() for code in looker.page.code]
    monkeypatch.setenv("ASSENT_BASE_URL", house.service.base_url)
    monkeypatch.setenv("ASSENT_API_KEY", house.keys["agent"])
    agent = threading.Thread(target=exec, args=(ASKS, {}), daemon=True)
    agent.start()
    while not (waiting := house.call("GET", "/api/approvals?state=awaiting")["approvals"]):
        assert agent.is_alive()
    looker.feed.count += 1
    assert "Refund order 1042: the parcel never came" in looker.draw().texts
    action_id = waiting[0]["action"]["action_id"]
    looker.press(f"allow-{action_id}").press("confirm")
    agent.join(WAIT)
    assert not agent.is_alive()


class Endless:
    """A service where more waits than anybody can look at."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def get_approvals(self, **query: Any) -> Approvals:
        self.asked.append(query)
        found: list[ActionApproval] = [
            request(f"act_{len(self.asked)}_{number}") for number in range(int(query["limit"]))
        ]
        return Approvals(approvals=found, total=10**6, lastUpdated=AT, next_cursor="more")


def test_an_inbox_holds_no_more_than_it_says_however_often_it_is_read() -> None:
    endless = Endless()
    inbox = Inbox()
    for version in range(20):
        inbox.refresh(cast(Client, endless), version)
        assert (len(inbox.waiting), len(inbox.decided), inbox.total) == (MOST, DECIDED, 10**6)
    assert len(endless.asked) == 20 * (MOST // PAGE + 1)
