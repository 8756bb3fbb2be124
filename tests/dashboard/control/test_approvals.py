"""The page around the inbox of approvals, with a real service behind it: what was decided, the address, the export.

The inbox itself is a component that AppTest does not run: its desk, rows and evidence have tests of their own beside
this one, its core and its routes in `tests/dashboard/inbox`, and the whole in `tests/dashboard/browser`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

import httpx
import pytest
import streamlit as st

from assent import Client, Verdict
from assent.deciding import Deciding, DecisionDetails, Stage
from assent_dashboard.views.addresses import Scope
from assent_dashboard.views.approvals import page
from assent_dashboard.views.approvals.decided import Decided
from assent_dashboard.views.approvals.page import SCHEMA, STATE, draw_checked, table, tables
from assent_dashboard.views.export import to_csv
from tests.dashboard.control.approval_items import item_of, pay
from tests.dashboard.looker import Looker
from tests.live import WAIT, start_service
from tests.stories.tenant import Tenant
from tests.tiers import deep

Look = Callable[..., Looker]
BESIDES = ["GET /api/snoozes", "GET /api/assignments", "GET /api/escalations", "GET /api/rota"]
"""What this operator has put off, who takes care of what, what was escalated, and who is on shift."""
LISTS = sorted(["GET /api/approvals", "GET /api/approvals", *BESIDES])
"""What waits, for the export, what was decided, and what stands beside it."""
PAST = ["GET /api/approvals"]
NAMES = ["GET /api/guard", "GET /api/policies"]


def decide(house: Tenant, action_id: str, decision: str = "allow", key: str = "operator", **more: object) -> None:
    house.call("POST", f"/api/actions/{action_id}/approve", {"decision": decision, **more}, key=key)


def test_what_was_decided_says_how_by_whom_and_why(look: Look, house: Tenant) -> None:
    decide(house, pay(house, "Pay the supplier"))
    decide(house, pay(house, "Pay the other one"), "deny", reasoning="Not this week")
    house.add_key("clerk", "agent")
    gone = pay(house, "Pay nobody")
    house.call("POST", f"/api/actions/{gone}/withdraw", {"reason": "the customer hung up"}, key="clerk")
    words = look(house, "approvals").draw().words
    assert "`pay` · allowed by **the operator** after" in words
    assert "`pay` · denied by **the operator** after" in words
    assert "“Not this week”" in words
    assert "`pay` · withdrawn by **the clerk** after" in words


def test_a_page_of_a_silent_service_says_when_it_answered_last(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(st, "warning", lambda text, **_: said.append(text))
    past = Decided(scope=Scope("1d"), clock=lambda: 100.0)
    past.server_time, past.read_at, past.problem = datetime(2026, 11, 20, 14, 2, 7, tzinfo=UTC), 40.0, "no answer"
    draw_checked(past, live=True)
    [text] = said
    assert "This is what it said at 14:02:07 UTC" in text


def test_no_markdown_of_a_stranger_is_carried_out(look: Look, house: Tenant) -> None:
    action_id = pay(house, "![a](http://192.0.2.1/a.png)", agent_name="**b** ![b](http://192.0.2.1)")
    decide(house, action_id, "deny", reasoning="![c](http://192.0.2.1)")
    looker = look(house, "approvals").draw()
    marked = [str(each.value) for kind in (looker.page.markdown, looker.page.caption) for each in kind]
    assert any("\\!\\[c\\]\\(http\\:" in text for text in marked)
    assert not any("![" in text for text in marked)


def test_an_idle_page_asks_nothing_and_a_new_event_asks_for_what_is_new(look: Look, house: Tenant) -> None:
    pay(house)
    looker = look(house, "approvals")
    now = 100.0
    looker.page.session_state[STATE] = Decided(scope=Scope("1d"), clock=lambda: now)
    looker.draw()
    assert sorted(each for each in looker.requests.take() if each not in NAMES) == LISTS
    for _ in range(3):
        looker.draw()
    assert looker.requests.take() == []
    decide(house, pay(house, "Pay another one"))
    looker.draw()
    assert looker.requests.take() == [], "nobody has told the page yet"
    looker.feed.count += 1
    now += 4.9
    looker.draw()
    assert looker.requests.take() == [*PAST, *BESIDES], "what waits, for the export; what was decided a little later"
    now += 0.2
    looker.draw()
    assert looker.requests.take() == PAST
    assert "allowed by **the operator**" in looker.words


def test_while_the_stream_is_down_the_page_asks_every_few_seconds(look: Look, house: Tenant) -> None:
    looker = look(house, "approvals")
    now = 100.0
    looker.page.session_state[STATE] = Decided(scope=Scope("1d"), clock=lambda: now)
    looker.draw()
    looker.requests.take()
    looker.feed.live = False
    now += 3.9
    assert looker.draw().requests.take() == []
    now += 0.2
    assert looker.draw().requests.take() == PAST
    assert "asks every 4 s" in looker.words


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


def test_a_decision_after_the_session_has_ended_says_so(house: Tenant) -> None:
    action_id = pay(house)
    with house.client("operator") as client:
        deciding = Deciding(item_of(client, action_id), Verdict.ALLOW)
    deciding.send(client, DecisionDetails("too late"))
    assert deciding.stage is Stage.OPEN
    assert "Your session has ended" in str(deciding.problem)
    assert house.action(action_id)["status"] == "pending_approval"


def test_a_decision_that_the_service_would_take_later_says_so_and_a_wrong_one_does_not(house: Tenant) -> None:
    with house.client("operator") as client:
        item = item_of(client, pay(house))
        wrong = Deciding(item, Verdict.ALLOW)
        wrong.send(client, DecisionDetails(conditions=["x" * 501]))
        assert (wrong.stage, wrong.passing) == (Stage.OPEN, False)
        assert "conditions" in str(wrong.problem)
    with Client("http://127.0.0.1:9", "key", retries=0, say=lambda _: None) as nobody:
        later = Deciding(item, Verdict.ALLOW)
        later.send(nobody, DecisionDetails())
        assert (later.stage, later.passing) == (Stage.OPEN, True)


def test_a_decision_by_the_key_that_asked_is_marked(look: Look, house: Tenant) -> None:
    own = house.create("pay", key="operator", agent_id="clerk")
    decide(house, own)
    looker = look(house, "approvals").draw()
    assert "decided by the key that asked" in looker.words
    (row,) = table(looker.page.session_state[STATE].items).to_dicts()
    assert row["self_decided"] is True


@deep("a page's main ways are in the quick tier")
def test_a_decision_by_somebody_else_is_not_marked(look: Look, house: Tenant) -> None:
    decide(house, pay(house))
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
        deadline = time.monotonic() + WAIT
        while house.action(action_id)["status"] == "pending_approval":
            assert time.monotonic() < deadline, "the approval never expired"
            time.sleep(0.1)
        assert "`pay` · expired after" in look(house, "approvals").draw().words


@deep("a page's main ways are in the quick tier")
def test_a_service_that_goes_away_keeps_what_was_seen(look: Look, tmp_path: Path) -> None:
    with start_service(tmp_path / "home") as service, httpx.Client(timeout=WAIT) as http:
        house = Tenant(service, http)
        house.governed()
        decide(house, pay(house), "deny", reasoning="Seen before")
        looker = look(house, "approvals").draw()
    looker.page.session_state[STATE].outdate()
    looker.draw()
    assert "The service does not answer just now" in looker.words
    assert "“Seen before”" in looker.words


@deep("a page's main ways are in the quick tier")
def test_a_page_that_has_seen_nothing_yet_shows_the_inbox_and_says_so(look: Look, tmp_path: Path) -> None:
    with start_service(tmp_path / "home") as service, httpx.Client(timeout=WAIT) as http:
        looker = look(Tenant(service, http), "approvals")
    with patch.object(page, "draw_inbox") as inbox:
        looker.draw()
    inbox.assert_called_once()
    assert "The service does not answer. This page comes back by itself." in looker.words
    assert "Decided in" not in looker.words


@deep("a page's main ways are in the quick tier")
def test_names_that_cannot_be_read_again_are_those_of_before(look: Look, tmp_path: Path) -> None:
    with start_service(tmp_path / "home") as service, httpx.Client(timeout=WAIT) as http:
        house = Tenant(service, http)
        house.governed()
        pay(house)
        looker = look(house, "approvals").draw()
        box = looker.page.selectbox(key="approvals_agent_id")
        assert box.options == ["payer"]
    st.cache_data.clear()  # the minute for which they are kept is over
    looker.draw()
    assert looker.page.selectbox(key="approvals_agent_id").options == ["payer"]
    assert not looker.page.exception


def test_what_the_past_cannot_be_read_of_has_no_time() -> None:
    past = Decided()
    with Client("http://127.0.0.1:9", "key", retries=0) as client:
        past.refresh(client, 0)
    assert (past.server_time, past.items) == (None, [])
    assert "no answer from" in str(past.problem)


# The address and what stands around


def test_the_address_restores_the_view(look: Look, house: Tenant) -> None:
    decide(house, pay(house, "Pay 1"))
    house.policy("Ask before shipping", "require_approval", {"action_types": ["ship"]})
    decide(house, house.create("ship", declared_goal="Ship it", agent_id="shipper"))
    looker = look(house, "approvals")
    for name, value in {"agent_id": "payer", "order": "expires", "window": "7d", "search": "x y"}.items():
        looker.page.query_params[name] = value
    looker.draw()
    assert "Decided in the last 7 days" in looker.words
    assert "Pay 1" in looker.words
    assert "Ship it" not in looker.words
    assert looker.page.query_params["search"] == "x y"


def test_an_order_that_is_none_and_too_long_a_search_are_told(look: Look, house: Tenant) -> None:
    looker = look(house, "approvals")
    looker.page.query_params["order"] = "random"
    looker.page.query_params["search"] = "x" * 201
    words = looker.draw().words
    assert "order is 'random'; it can be newest, expires, risk." in words
    assert "search has 201 characters" in words


def test_the_chosen_order_goes_into_the_address(look: Look, house: Tenant) -> None:
    looker = look(house, "approvals").draw()
    looker.page.segmented_control(key="order").set_value("Highest risk").run()
    assert looker.page.query_params["order"] == "risk"
    looker.page.segmented_control(key="order").set_value("Newest").run()
    assert "order" not in looker.page.query_params


def test_the_window_is_for_what_was_decided(look: Look, house: Tenant) -> None:
    looker = look(house, "approvals").draw()
    assert "Decided in the last day" in looker.words
    assert "Whatever waits is shown; the window is for what was decided." in looker.words
    assert looker.page.session_state[STATE].scope == Scope(window="1d")


def test_it_says_when_it_was_checked_and_checks_again(look: Look, house: Tenant) -> None:
    looker = look(house, "approvals").draw()
    assert "Last checked, by the service's clock: " in looker.words
    assert "(just now; live)" in looker.words
    looker.requests.take()
    looker.press("approvals_again")
    assert looker.requests.take() == PAST


def test_what_waits_and_what_was_decided_can_be_taken_away(look: Look, house: Tenant) -> None:
    waiting = pay(house, "=1+1", systems_touched=["bank", "books"], metadata={"amount": 5})
    decided = pay(house, "Done")
    decide(house, decided, "deny", reasoning="No")
    looker = look(house, "approvals").draw()
    made = tables(looker.session, looker.page.session_state[STATE])
    (row,) = made["waiting"].to_dicts()
    assert (row["action_id"], row["systems_touched"], row["metadata"]) == (waiting, ["bank", "books"], '{"amount":5}')
    assert (row["state"], row["decided_by"], row["reasons"] != []) == ("awaiting", None, True)
    (row,) = made["decided"].to_dicts()
    assert (row["action_id"], row["state"], row["reasoning"]) == (decided, "denied", "No")
    assert isinstance(row["decided_at"], datetime)
    assert "'=1+1" in to_csv(made["waiting"]).decode()
    keys = {button.key for button in looker.page.get("download_button")}
    assert {"approvals_waiting_csv", "approvals_decided_parquet"} <= keys
    narrowed = tables(looker.session, Decided(scope=Scope("1d", agent_id="somebody else")))
    assert narrowed["waiting"].is_empty()


def test_an_empty_page_has_tables_too() -> None:
    assert table([]).schema.names() == list(SCHEMA)
