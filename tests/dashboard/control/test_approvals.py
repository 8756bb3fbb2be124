"""The approvals page, with a real service behind it."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import httpx
import msgspec
import pytest

from assent import Client, Source, Verdict
from assent.deciding import Deciding, DecisionDetails, Stage
from assent.errors import ConnectionFailed
from assent_dashboard.views.addresses import Order
from assent_dashboard.views.approvals.inbox import PAGE, Inbox
from assent_dashboard.views.approvals.page import STATE, tables
from assent_dashboard.views.approvals.queue import arrange
from assent_dashboard.views.approvals.waiting import STEP
from tests.dashboard.control.approval_items import item_of, pay
from tests.dashboard.looker import Looker
from tests.live import WAIT, start_service
from tests.stories.tenant import Tenant
from tests.tiers import deep

Look = Callable[..., Looker]
LISTS = ["GET /api/approvals", "GET /api/approvals"]
EARLIER = ["GET /api/actions", "GET /api/approvals"]
NAMES = ["GET /api/guard", "GET /api/policies"]
GOAL = "Pay 5 EUR ![seen](http://192.0.2.1/x.png) **now**"


def behind(action_id: str) -> list[str]:
    """What is asked for the card that the cursor is on."""
    return [*EARLIER, f"GET /api/actions/{action_id}/trace"]


def test_nothing_waits(look: Look, house: Tenant) -> None:
    looker = look(house, "approvals").draw()
    assert looker.title == "Approvals"
    assert "Nothing waits" in looker.words


def test_a_card_says_what_is_wanted_by_whom_and_why_it_was_stopped(look: Look, house: Tenant) -> None:
    action_id = pay(house, GOAL, systems_touched=["bank", "books"], reversible=False, risk_score=72)
    looker = look(house, "approvals").draw()
    assert looker.title == "Approvals · 1 waiting"
    assert GOAL in looker.texts, "the goal is shown as it is, never as Markdown"
    assert "**payer** wants to run `pay`, which touches `bank`, `books`." in looker.words
    assert "Stopped: Ask before paying" in looker.words
    assert "Cannot be undone" in looker.words
    assert "Can be undone" not in looker.words
    assert "Asked just now · expires in 23 h 59 min" in looker.words
    assert action_id in looker.words
    assert "Simulated" not in looker.words


def test_no_markdown_of_a_stranger_is_carried_out(look: Look, house: Tenant) -> None:
    action_id = pay(
        house, GOAL, systems_touched=["![a](http://192.0.2.1/a.png)"], agent_name="**b** ![b](http://192.0.2.1)"
    )
    house.call("POST", f"/api/actions/{action_id}/approve", {"decision": "deny", "reasoning": "![c](http://192.0.2.1)"})
    looker = look(house, "approvals").draw()
    marked = [str(each.value) for kind in (looker.page.markdown, looker.page.caption) for each in kind]
    assert any("\\!\\[c\\]\\(http\\:" in text for text in marked)
    assert not any("![" in text.replace("`![a](http://192.0.2.1/a.png)`", "") for text in marked)


def test_an_idle_page_asks_nothing_and_a_new_event_asks_for_what_is_new(look: Look, house: Tenant) -> None:
    first = pay(house)
    looker = look(house, "approvals").draw()
    asked = looker.requests.take()
    assert sorted(each for each in asked if each not in NAMES) == sorted([*LISTS, *behind(first)])
    for _ in range(3):
        looker.draw()
    assert looker.requests.take() == []
    pay(house, "Pay another one")
    looker.draw()
    assert looker.requests.take() == [], "nobody has told the page yet"
    looker.feed.count += 1
    looker.draw()
    # The cursor has stayed where it was, and so nothing is asked of the new one but what the lists say.
    assert sorted(looker.requests.take()) == sorted([*LISTS, *EARLIER])
    assert looker.title == "Approvals · 2 waiting"


def test_while_the_stream_is_down_the_page_asks_every_few_seconds(look: Look, house: Tenant) -> None:
    looker = look(house, "approvals")
    now = 100.0
    looker.page.session_state[STATE] = Inbox(clock=lambda: now)
    looker.draw()
    looker.requests.take()
    looker.feed.live = False
    now += 3.9
    assert looker.draw().requests.take() == []
    now += 0.2
    assert looker.draw().requests.take() == LISTS


def test_allowing_takes_two_presses_and_carries_the_operators_name(look: Look, house: Tenant) -> None:
    action_id = pay(house)
    looker = look(house, "approvals").draw().press(f"allow-{action_id}")
    assert house.action(action_id)["status"] == "pending_approval", "the first press decides nothing"
    looker.press("confirm")
    assert looker.title == "Approvals"
    decided = house.call("GET", f"/api/actions/{action_id}")["approval"]
    assert (decided["state"], decided["decided_by"], decided["reasoning"]) == ("approved", "the operator", None)
    assert "Allowed: Pay the supplier" in str(looker.page.toast[0].value)
    assert "`pay` · allowed by **the operator** after" in looker.words
    assert not looker.has("confirm")


def test_conditions_go_into_the_receipt_one_for_each_line(look: Look, house: Tenant) -> None:
    action_id = pay(house)
    looker = look(house, "approvals").draw().press(f"allow-{action_id}")
    looker.write("conditions", "Before noon\n\n  No more than 100  \n").press("confirm")
    decided = house.call("GET", f"/api/actions/{action_id}")["approval"]
    assert (decided["state"], decided["conditions"]) == ("approved", ["Before noon", "No more than 100"])


def test_an_approval_can_be_for_a_limited_time(look: Look, house: Tenant) -> None:
    action_id = pay(house)
    looker = look(house, "approvals").draw().press(f"allow-{action_id}")
    looker.page.number_input(key="valid_minutes").set_value(30)
    looker.press("confirm")
    decided = house.call("GET", f"/api/actions/{action_id}")["approval"]
    until, at = (datetime.fromisoformat(decided[name]) for name in ("valid_until", "decided_at"))
    assert until - at == timedelta(minutes=30)
    other = pay(house)
    looker.feed.count += 1
    looker.draw().press(f"allow-{other}")
    assert looker.page.number_input(key="valid_minutes").value is None, "the next one starts without a limit"


@deep("a page's main ways are in the quick tier")
def test_too_long_a_condition_is_refused_and_the_words_are_kept(look: Look, house: Tenant) -> None:
    action_id = pay(house)
    looker = look(house, "approvals").draw().press(f"allow-{action_id}")
    looker.write("conditions", "x" * 501).press("confirm")
    assert "conditions" in looker.words
    assert looker.page.text_area(key="conditions").value == "x" * 501
    assert house.action(action_id)["status"] == "pending_approval"


@deep("a page's main ways are in the quick tier")
def test_a_denial_has_no_conditions(look: Look, house: Tenant) -> None:
    action_id = pay(house)
    looker = look(house, "approvals").draw().press(f"deny-{action_id}")
    assert [area.key for area in looker.page.text_area] == ["reasoning"]


def test_a_denial_needs_a_reason_and_the_agent_gets_it(look: Look, house: Tenant) -> None:
    action_id = pay(house)
    looker = look(house, "approvals").draw().press(f"deny-{action_id}").write("reasoning", "  \n ").press("confirm")
    assert "Say why" in looker.words
    assert house.action(action_id)["status"] == "pending_approval"
    looker.write("reasoning", "Not this week").press("confirm")
    assert "Denied: Pay the supplier" in str(looker.page.toast[0].value)
    assert house.action(action_id)["error_message"] == "Not this week"
    assert "“Not this week”" in looker.words


def test_a_decision_whose_answer_was_lost_is_sent_again_without_harm(house: Tenant) -> None:
    action_id = pay(house)
    with house.client("operator") as client:
        item = item_of(client, action_id)
        deciding = Deciding(item, Verdict.ALLOW)
        deciding.send(client, DecisionDetails("once"))
        assert deciding.stage is Stage.SENT
        deciding.stage = Stage.OPEN
        deciding.send(client, DecisionDetails("once"))
        assert deciding.stage is Stage.SENT
        another = Deciding(item, Verdict.ALLOW)
        another.send(client, DecisionDetails("twice"))
        assert another.stage is Stage.OVER
        assert another.settled is not None
        assert another.settled.reasoning == "once"


def test_cancelling_decides_nothing_and_the_next_one_starts_without_words(look: Look, house: Tenant) -> None:
    action_id = pay(house)
    looker = look(house, "approvals").draw().press(f"deny-{action_id}").write("reasoning", "because").press("cancel")
    assert not looker.has("confirm")
    assert house.action(action_id)["status"] == "pending_approval"
    looker.press(f"allow-{action_id}")
    assert looker.page.text_area(key="reasoning").value == ""


def test_the_loser_of_a_race_sees_who_decided_what_and_why(look: Look, house: Tenant) -> None:
    house.add_key("ana", "operator")
    action_id = pay(house)
    looker = look(house, "approvals").draw().press(f"allow-{action_id}")
    house.call("POST", f"/api/actions/{action_id}/approve", {"decision": "deny", "reasoning": "I was first"}, key="ana")
    looker.write("reasoning", "I was second").press("confirm")
    assert "**Already decided.** **the ana** denied it just now" in looker.words
    assert "I was first" in looker.texts
    assert not looker.has("confirm"), "nothing is left to send"
    looker.press("cancel")
    assert house.action(action_id)["error_message"] == "I was first"


def test_a_withdrawn_one_leaves_the_queue_and_says_who_and_why(look: Look, house: Tenant) -> None:
    house.add_key("clerk", "agent")
    action_id, other = pay(house), pay(house, "Pay the other one")
    looker = look(house, "approvals").draw().press(f"allow-{action_id}")
    house.call("POST", f"/api/actions/{action_id}/withdraw", {"reason": "the customer hung up"}, key="clerk")
    looker.press("confirm")
    assert "**Too late: it was withdrawn.** **the clerk** withdrew it just now" in looker.words
    assert "the customer hung up" in looker.texts
    assert not looker.has("confirm"), "nothing is left to decide"
    looker.press("cancel")
    looker.feed.count += 1
    looker.draw()
    assert not looker.has(f"allow-{action_id}")
    assert looker.has(f"allow-{other}")
    assert "`pay` · withdrawn by **the clerk** after" in looker.words


def test_a_decision_by_the_key_that_asked_is_marked(look: Look, house: Tenant) -> None:
    own = house.create("pay", key="operator", agent_id="clerk")
    house.call("POST", f"/api/actions/{own}/approve", {"decision": "allow"}, key="operator")
    looker = look(house, "approvals").draw()
    assert "decided by the key that asked" in looker.words
    (row,) = tables(looker.page.session_state[STATE])["decided"].to_dicts()
    assert row["self_decided"] is True


@deep("a page's main ways are in the quick tier")
def test_a_decision_by_somebody_else_is_not_marked(look: Look, house: Tenant) -> None:
    house.call("POST", f"/api/actions/{pay(house)}/approve", {"decision": "allow"}, key="operator")
    assert "decided by the key that asked" not in look(house, "approvals").draw().words


@deep("a page's main ways are in the quick tier")
def test_an_expired_one_says_so(look: Look, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "assent.toml").write_text("approval_hours = 0.0006\n")
    with start_service(home) as service, httpx.Client(timeout=WAIT) as http:
        house = Tenant(service, http)
        house.governed()
        action_id = pay(house)
        looker = look(house, "approvals").draw().press(f"allow-{action_id}")
        deadline = time.monotonic() + WAIT
        while house.action(action_id)["status"] == "pending_approval":
            assert time.monotonic() < deadline, "the approval never expired"
            time.sleep(0.1)
        looker.press("confirm")
        assert "Too late: it expired" in looker.words
        looker.press("cancel")
        looker.feed.count += 1
        assert "`pay` · expired after" in looker.draw().words


@deep("a page's main ways are in the quick tier")
def test_a_service_that_goes_away_keeps_the_words_and_what_was_seen(look: Look, tmp_path: Path) -> None:
    with start_service(tmp_path / "home") as service, httpx.Client(timeout=WAIT) as http:
        house = Tenant(service, http)
        house.governed()
        action_id = pay(house)
        looker = look(house, "approvals").draw().press(f"deny-{action_id}").write("reasoning", "Keep these words")
    looker.press("confirm")
    assert "The service does not answer. Your words are kept" in looker.words
    assert looker.page.text_area(key="reasoning").value == "Keep these words"
    looker.press("cancel")
    looker.feed.count += 1
    looker.draw()
    assert "The service does not answer just now" in looker.words
    assert "Pay the supplier" in looker.texts
    assert looker.page.button(key=f"allow-{action_id}").disabled


@deep("a page's main ways are in the quick tier")
def test_simulated_actions_say_so(look: Look, house: Tenant) -> None:
    pay(house)
    looker = look(house, "approvals").draw()
    inbox = looker.page.session_state[STATE]
    inbox.waiting = [
        msgspec.structs.replace(item, action=msgspec.structs.replace(item.action, source=Source.SIMULATED))
        for item in inbox.waiting
    ]
    assert "Simulated" in looker.draw().words


def test_many_are_shown_a_few_at_a_time_in_the_order_that_was_chosen(look: Look, house: Tenant) -> None:
    ids = [pay(house, f"Pay number {number}", risk_score=number % 7) for number in range(STEP + 3)]
    looker = look(house, "approvals").draw()
    shown = [text for text in looker.texts if text.startswith("Pay number")]
    newest_first = [f"Pay number {number}" for number in reversed(range(STEP + 3))]
    assert shown == newest_first[:STEP], "its agent is still there"
    assert looker.page.button(key="more").label == "Show 3 more"
    looker.press("more")
    assert looker.has(f"allow-{ids[0]}")
    looker.page.segmented_control(key="order").set_value("Expires first").run()
    assert looker.texts[0] == "Pay number 0"
    looker.page.segmented_control(key="order").set_value("Highest risk").run()
    by_risk = sorted(map(house.action, ids), key=lambda action: (-action["risk_score"], action["created_at"]))
    assert looker.texts[: STEP + 3] == [action["declared_goal"] for action in by_risk]


def test_what_expires_first_is_there_however_many_wait(house: Tenant) -> None:
    ids = [pay(house, f"Pay number {number}", agent_id=f"bot-{number % 2}") for number in range(PAGE + 1)]
    inbox = Inbox()
    with house.client("operator") as client:
        inbox.refresh(client, 0)
    assert [item.action.action_id for item in arrange(inbox.waiting, Order.EXPIRES)] == ids
    assert inbox.total == len(ids)


def test_a_decision_after_the_session_has_ended_says_so(house: Tenant) -> None:
    action_id = pay(house)
    with house.client("operator") as client:
        deciding = Deciding(item_of(client, action_id), Verdict.ALLOW)
    deciding.send(client, DecisionDetails("too late"))
    assert deciding.stage is Stage.OPEN
    assert "Your session has ended" in str(deciding.problem)
    assert house.action(action_id)["status"] == "pending_approval"


@deep("a page's main ways are in the quick tier")
def test_what_waits_can_be_chosen_by_agent_and_by_type(look: Look, house: Tenant) -> None:
    house.policy("Ask before shipping", "require_approval", {"action_types": ["ship"]})
    for number in range(3):
        house.create("pay", declared_goal=f"Pay {number}", agent_id="payer")
        house.create("ship", declared_goal=f"Ship {number}", agent_id="shipper")
    looker = look(house, "approvals").draw()
    looker.page.selectbox(key="approvals_agent_id").set_value("shipper").run()
    assert looker.texts == ["Ship 2", "Ship 1", "Ship 0"]
    assert looker.title == "Approvals · 3 waiting"
    assert "3 other requests of other agents or types also wait." in looker.words
    looker.page.selectbox(key="approvals_action_type").set_value("pay").run()
    assert looker.texts == []
    assert "Nothing that waits fits your choice" in looker.words
    looker.press("everybody")
    assert looker.title == "Approvals · 6 waiting"


def test_a_page_that_has_seen_nothing_yet_has_nothing_to_show() -> None:
    with Client("http://127.0.0.1:9", "key", retries=0) as client, pytest.raises(ConnectionFailed):
        Inbox().refresh(client, 0)
