"""The page Policies, with a real service behind it."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
import streamlit as st

from assent.contract.analysis.backtest import ReplayedOutcomes
from assent.contract.analysis.changes import (
    BeforeAfter,
    ChangeMeasure,
    ChangeWhat,
    EffectMethod,
    EffectStatus,
    MeasuredEffect,
    MeasuredSide,
    PlaceboResult,
    RuleChange,
    RuleKind,
)
from assent_analytics.changes import sentence
from assent_dashboard.views.policies.backtest import STATE as BACKTEST
from assent_dashboard.views.policies.diff import unknown_in_words
from assent_dashboard.views.policies.history import STATE as MOVED
from assent_dashboard.views.policies.history import basis_in_words
from assent_dashboard.views.policies.listing import MATCHES_STATE as MATCHES
from assent_dashboard.views.policies.observed import observed_table
from assent_dashboard.views.policies.widgets import changed, show
from tests.dashboard.looker import Looker
from tests.live import WAIT
from tests.stories.tenant import Tenant

Look = Callable[..., Looker]
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


def opened(looker: Looker, policy_id: str) -> Looker:
    looker.page.query_params["policy_id"] = policy_id
    return looker.draw()


def counted(looker: Looker) -> Looker:
    """The page once the numbers are there."""
    looker.draw()
    assert looker.page.session_state[MATCHES].wait(WAIT)
    return looker.draw()


def backtested(looker: Looker) -> Looker:
    looker.press("policy_backtest")
    assert looker.page.session_state[BACKTEST].wait(WAIT)
    return looker.draw()


def type_yaml(looker: Looker, text: str) -> Looker:
    looker.page.text_area(key="policy_yaml").set_value(text).run()
    return looker.draw()


def yaml(looker: Looker) -> str:
    return str(looker.page.text_area(key="policy_yaml").value)


def by_name(house: Tenant, name: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = house.call("GET", "/api/policies")["policies"]
    return next(policy for policy in found if policy["name"] == name)


def guard(house: Tenant, action_type: str, **members: Any) -> str:
    body = {"action_type": action_type, "agent_id": "bot", **members}
    return str(house.call("POST", "/api/guard", body, key="agent")["decision"])


def disabled(looker: Looker, key: str) -> bool:
    return bool(looker.page.button(key=key).disabled)


def test_the_list_says_what_each_policy_does_how_often_and_by_whom(look: Look, house: Tenant) -> None:
    for action_type in ("pay", "pay", "look"):
        guard(house, action_type)
    looker = counted(look(house, "policies", "admin"))
    words = looker.words
    assert "Asks a person before pay." in words
    assert "Blocks wipe." in words
    assert "matches 2 of 3 decisions of the last 30 days" in words
    assert f"made by {house.call('GET', '/api/keys/own')['name']}" in words
    assert "would have changed none of 3 decisions since" in words
    looker.requests.take()
    looker.draw()
    assert looker.requests.take() == [], "a page that is drawn again asks nothing"


def test_switching_off_is_asked_twice_and_guard_follows(look: Look, house: Tenant) -> None:
    policy_id = by_name(house, "Nobody wipes")["policy_id"]
    looker = counted(look(house, "policies", "admin")).press(f"policy_switch_{policy_id}")
    assert guard(house, "wipe") == "block", "one press changes nothing"
    looker.press("policy_confirm")
    assert guard(house, "wipe") == "allow"
    assert "Switched off: Nobody wipes" in looker.words
    looker.press(f"policy_mode_{policy_id}").press("policy_cancel")
    assert by_name(house, "Nobody wipes")["mode"] == "enforce"
    looker.press(f"policy_delete_{policy_id}").press("policy_confirm")
    assert "Nobody wipes" not in [each["name"] for each in house.call("GET", "/api/policies")["policies"]]


def test_what_somebody_else_changed_is_not_switched_unseen(look: Look, house: Tenant) -> None:
    policy_id = by_name(house, "Nobody wipes")["policy_id"]
    looker = counted(look(house, "policies", "admin")).press(f"policy_switch_{policy_id}")
    house.call("PATCH", f"/api/policies/{policy_id}", {"mode": "observe"})
    looker.press("policy_confirm")
    assert "Somebody changed this policy a moment ago" in looker.words
    assert by_name(house, "Nobody wipes")["active"] is True


def test_an_operator_may_do_everything_but_save(look: Look, house: Tenant) -> None:
    guard(house, "pay")
    policy_id = by_name(house, "Ask before paying")["policy_id"]
    looker = counted(look(house, "policies"))
    assert all(disabled(looker, f"policy_{key}_{policy_id}") for key in ("switch", "mode", "delete"))
    opened(looker, policy_id)
    type_yaml(looker, yaml(looker).replace("pay", "pay, refund").replace("- pay, refund", "- refund"))
    assert "Asks a person before refund." in looker.words
    backtested(looker)
    assert "It matches 0 of 1 decision." in looker.words
    assert disabled(looker, "policy_save")
    assert "saving needs an admin key" in looker.words


def test_a_form_and_its_yaml_are_one_draft(look: Look, house: Tenant) -> None:
    policy_id = house.policy("Ask at 60", "risk_threshold", {"threshold": 60, "action": "require_approval"})
    looker = opened(look(house, "policies", "admin"), policy_id)
    assert "threshold: 60" in yaml(looker)
    looker.page.number_input(key="policy_rule_threshold").set_value(72.0).run()
    assert "threshold: 72\n" in yaml(looker.draw())
    type_yaml(looker, yaml(looker).replace("72", "45.5"))
    assert looker.page.number_input(key="policy_rule_threshold").value == 45.5
    type_yaml(looker, yaml(looker).replace("45.5", "450"))
    assert "Line 6: rules.threshold is 450" in looker.words
    assert looker.page.number_input(key="policy_rule_threshold").value == 45.5, "the form keeps the last good draft"
    assert disabled(looker, "policy_save")
    looker.press("policy_yaml_anew")
    assert "threshold: 45.5" in yaml(looker)
    looker.page.selectbox(key="policy_type").set_value("condition").run()
    assert "op: gte" in yaml(looker.draw())


def test_escalation_is_two_members_or_none(look: Look, house: Tenant) -> None:
    policy_id = house.policy("Ask before refunds", "require_approval", {"action_types": ["refund"]})
    looker = opened(look(house, "policies", "admin"), policy_id)
    assert "escalate" not in yaml(looker)
    looker.page.number_input(key="policy_rule_escalate_after_minutes").set_value(15).run()
    assert "rules.escalate_to is missing" in looker.draw().words
    looker.page.text_input(key="policy_rule_escalate_to").set_value(" Leads ").run()
    assert "escalate_after_minutes: 15" in yaml(looker.draw())
    assert "escalate_to: Leads" in yaml(looker)
    assert "After 15 minutes without a decision it escalates to Leads." in looker.words
    assert "the backtest does not look at it" in looker.words
    nobody = "escalates to 'Leads', which is no group of the rota"
    assert nobody in looker.words
    rules = {"action_types": ["refund"], "escalate_after_minutes": 15, "escalate_to": "Leads"}
    house.call("PATCH", f"/api/policies/{policy_id}", {"rules": rules})
    listed = look(house, "policies", "operator").draw()
    assert nobody in listed.words
    group = {"name": "leads", "members": ["the operator"], "shifts": []}
    house.call("POST", "/api/rota", {"groups": [group]})
    assert nobody not in look(house, "policies", "operator").draw().words
    looker.page.number_input(key="policy_rule_escalate_after_minutes").set_value(0).run()
    looker.page.text_input(key="policy_rule_escalate_to").set_value("").run()
    assert "escalate" not in yaml(looker.draw())


def test_an_event_that_left_before_the_page_arrived_takes_nothing_back(look: Look, house: Tenant) -> None:
    policy_id = house.policy("Ask at 60", "risk_threshold", {"threshold": 60, "action": "require_approval"})
    looker = opened(look(house, "policies", "admin"), policy_id)
    before = yaml(looker)
    looker.page.number_input(key="policy_rule_threshold").set_value(72.0).run()
    assert "threshold: 72\n" in yaml(looker)
    # The browser still shows the text of before, and sends it along with the next field.
    looker.page.text_area(key="policy_yaml").set_value(before)
    looker.page.text_input(key="policy_name").set_value("Ask at 72").run()
    for words in ("threshold: 72\n", "name: Ask at 72\n"):
        assert words in yaml(looker.draw())
    # The same text, typed once the browser shows the new one, is a change.
    type_yaml(looker, before)
    assert looker.page.number_input(key="policy_rule_threshold").value == 60
    assert looker.page.text_input(key="policy_name").value == "Ask at 60"


def test_what_the_page_shows_itself_is_nobodys_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """A look by itself brings the text of before, draws nothing of the form, and hides that the page shows another."""
    state: dict[str, Any] = {}
    monkeypatch.setattr(st, "session_state", state)
    taken: list[str] = []
    arrived = changed("text", taken.append)
    show("text", "old")
    show("text", "new")
    for said in ("old", "new"):
        state["text"] = said
        arrived()
    assert taken == []
    state["text"] = "typed"
    arrived()
    show("text", "typed")
    # Once the page shows something else, the same text is a change.
    state["text"] = "new"
    arrived()
    assert taken == ["typed", "new"]


def test_a_condition_is_edited_as_rows(look: Look, house: Tenant) -> None:
    rules = {"when": {"field": "action_type", "op": "eq", "value": "pay"}, "action": "warn"}
    policy_id = house.policy("Warn at pay", "condition", rules)
    looker = opened(look(house, "policies", "admin"), policy_id).press("policy_when_root_add")
    assert "Warns when action_type is “pay” and risk_score is at least 80." in looker.words
    looker.page.selectbox(key="policy_when_0_op").set_value("in").run()
    looker.page.text_input(key="policy_when_0_value").set_value('pay, "a, b"').run()
    looker.page.selectbox(key="policy_when_root_group").set_value("any").run()
    looker.press("policy_when_root_nest").press("policy_when_1_remove")
    looker.draw()
    assert "is one of “pay” or “a, b” or (risk_score" in looker.words


def test_a_pattern_that_does_not_compile_is_an_error_before_saving(look: Look, house: Tenant) -> None:
    rules = {"when": {"field": "declared_goal", "op": "matches", "value": "refund"}, "action": "warn"}
    policy_id = house.policy("Pattern", "condition", rules)
    looker = opened(look(house, "policies", "admin"), policy_id)
    looker.page.text_input(key="policy_when_root_value").set_value("(unclosed").run()
    looker.draw()
    assert "**Error.**" in looker.words
    assert "missing )" in looker.words
    assert disabled(looker, "policy_save")


def test_saving_takes_one_press_after_a_backtest_and_two_without(look: Look, house: Tenant) -> None:
    house.policy("Ask at 60", "risk_threshold", {"threshold": 60, "action": "require_approval"})
    policy_id = by_name(house, "Ask before paying")["policy_id"]
    looker = opened(look(house, "policies", "admin"), policy_id)
    looker.page.multiselect(key="policy_rule_action_types").set_value(["pay", "refund"]).run()
    looker.draw().press("policy_save")
    assert guard(house, "refund") == "allow"
    assert "was not backtested" in looker.words
    looker.press("policy_save_anyway")
    assert guard(house, "refund") == "require_approval"
    assert "The next guard call follows it." in looker.words
    opened(looker, policy_id)
    looker.page.multiselect(key="policy_rule_action_types").set_value(["pay"]).run()
    backtested(looker.draw())
    assert "2 fewer asked a person, 2 more allowed" in looker.words
    looker.press("policy_save")
    assert guard(house, "refund") == "allow"


def test_the_loser_of_two_is_told_by_whom_and_keeps_the_draft(look: Look, house: Tenant) -> None:
    house.add_key("Nora", "admin")
    policy_id = house.policy("Ask at 60", "risk_threshold", {"threshold": 60, "action": "require_approval"})
    looker = opened(look(house, "policies", "admin"), policy_id)
    looker.page.number_input(key="policy_rule_threshold").set_value(70.0).run()
    house.call("PATCH", f"/api/policies/{policy_id}", {"rules": {"threshold": 50, "action": "block"}}, key="Nora")
    looker.draw().press("policy_save").press("policy_save_anyway")
    assert "the Nora changed this policy" in looker.words
    assert by_name(house, "Ask at 60")["rules"]["threshold"] == 50
    shown = str(looker.page.code[0].value)
    assert "-    threshold: 50" in shown
    assert "+    threshold: 70" in shown
    assert "threshold: 70" in yaml(looker), "nothing of the draft is lost"
    looker.press("policy_save_over")
    assert by_name(house, "Ask at 60")["rules"] == {"threshold": 70, "action": "require_approval"}


def test_a_removed_policy_can_be_saved_as_a_new_one(look: Look, house: Tenant) -> None:
    policy_id = house.policy("Ask at 60", "risk_threshold", {"threshold": 60, "action": "require_approval"})
    looker = opened(look(house, "policies", "admin"), policy_id)
    looker.page.number_input(key="policy_rule_threshold").set_value(70.0).run()
    house.call("DELETE", f"/api/policies/{policy_id}")
    looker.draw().press("policy_save").press("policy_save_anyway")
    assert "removed this policy" in looker.words
    looker.press("policy_save_over")
    assert by_name(house, "Ask at 60")["rules"]["threshold"] == 70


def test_a_context_is_tried_with_and_without_the_draft(look: Look, house: Tenant) -> None:
    guard(house, "look", declared_goal="Look at the ledger", metadata={"amount": 7})
    looker = opened(look(house, "policies"), "new")
    looker.page.text_input(key="policy_name").set_value("Nobody looks").run()
    looker.page.selectbox(key="policy_type").set_value("block_action_type").run()
    looker.page.multiselect(key="policy_rule_action_types").set_value(["look"]).run()
    looker.page.selectbox(key="policy_mode").set_value("enforce").run()
    looker.page.segmented_control(key="policy_lookings").set_value("Test on a context").run()
    looker.draw()
    context = json.loads(str(looker.page.text_area(key="policy_context").value))
    assert (context["action_type"], context["metadata"]) == ("look", {"amount": 7}), "that of a real decision"
    looker.press("policy_try")
    assert "With this policy: :red[:material/block: **block**]" in looker.words
    assert "Without it: :green[:material/check_circle: **allow**]" in looker.words
    assert "Matched: Nobody looks" in looker.words
    looker.page.text_area(key="policy_context").set_value('{"action_type": "look",}').run()
    looker.draw().press("policy_try")
    assert "Line 1, column 24" in looker.words


def test_what_observing_policies_would_have_asked_is_listed_with_reasons_beside_enforcing(
    look: Look, house: Tenant
) -> None:
    policy_id = house.policy("Watch refunds", "block_action_type", {"action_types": ["refund"]}, mode="observe")
    action_id = house.create("refund")
    guard(house, "refund", session_id="run 1")
    guard(house, "look")
    looker = counted(look(house, "policies", "admin"))
    words = looker.words
    assert "2 of 3 decisions would have been blocked, with the policies enforced as they observed then" in words
    assert "would have blocked 2 of 3 decisions since" in words
    assert "they may let some of these through" in words
    assert "The list is of 1 session;" in words
    assert "**Observed** · 2 rows" in words
    assert "view=decisions" in words, "the way to a decision of which no action came"
    assert "Tools: `refund` 2" in words
    assert words.count("Watch refunds: actions of this type are blocked") == 2
    assert ":green[:material/check_circle: **allow**] → :red[:material/block: **block**]" in words
    assert action_id in words
    assert "run+1" in words
    looker.requests.take()
    looker.draw()
    assert looker.requests.take() == [], "a page that is drawn again asks nothing"
    opened(looker, policy_id)
    looker.page.segmented_control(key="policy_lookings").set_value("What it observed").run()
    looker.draw()
    assert "**Would have blocked 2 of 3 decisions since" in looker.words
    assert looker.words.count("Watch refunds: actions of this type are blocked") == 2
    looker.press("policy_back").press(f"observed_enforce_{policy_id}").press("policy_confirm")
    assert by_name(house, "Watch refunds")["mode"] == "enforce"
    assert guard(house, "refund") == "block"


def test_nothing_observes_and_an_operator_may_not_enforce(look: Look, house: Tenant) -> None:
    for policy in house.call("GET", "/api/policies")["policies"]:
        if policy["mode"] == "observe":
            house.call("DELETE", f"/api/policies/{policy['policy_id']}")
    assert "No policy observes." in look(house, "policies").draw().words
    policy_id = house.policy("Watch refunds", "block_action_type", {"action_types": ["refund"]}, mode="observe")
    looker = look(house, "policies").draw()
    assert "would have changed none of 0 decisions since" in looker.words
    assert disabled(looker, f"observed_enforce_{policy_id}")


def test_what_is_enforced_is_told_apart_from_what_was_before(look: Look, house: Tenant) -> None:
    """Rules of before are marked, a row says its type of action, and what a flow policy leaves alone is counted."""
    policy_id = house.policy("Limit in 5 minutes", "risk_threshold", {"threshold": 0, "action": "warn"}, mode="observe")
    guard(house, "refund", tool="bank.refund", declared_goal="Refund *order* 7")
    house.call("PATCH", f"/api/policies/{policy_id}", {"rules": {"threshold": 99, "action": "warn"}})
    guard(house, "get_order")
    words = look(house, "policies", "admin").draw().words
    assert "would have changed none of 1 decision since" in words
    assert "1 more by its rules of before" in words
    assert "Limit in 5 minutes: the risk score is 0 or more (by its rules of before)" in words
    assert "`bank.refund` (action type `refund`)" in words
    with house.client("operator", agent_id=None) as client:
        (row,) = observed_table(client.get_observed_decisions()).to_dicts()
    assert (row["tool"], row["action_type"], row["declared_goal"]) == ("bank.refund", "refund", "Refund *order* 7")
    assert (row["policies"], row["earlier"], row["reasons"]) == ([policy_id], [True], ["the risk score is 0 or more"])
    assert "Refund *order* 7 · risk 25" in words
    assert "Enforced, it would ask about at least 1 more of 2 calls in sessions that were told nothing." in words


def test_an_empty_organization_is_offered_the_starter_pack(look: Look, house: Tenant) -> None:
    for policy in house.call("GET", "/api/policies")["policies"]:
        house.call("DELETE", f"/api/policies/{policy['policy_id']}")
    assert disabled(look(house, "policies").draw(), "policies_starter")
    looker = look(house, "policies", "admin").draw()
    assert "guard allows everything" in looker.words
    assert "asks every ten seconds" in looker.words
    looker.press("policies_starter")
    assert len(house.call("GET", "/api/policies")["policies"]) == 4
    assert "Added 4 policies" in looker.words


def test_an_unknown_policy_is_said_to_be_none(look: Look, house: Tenant) -> None:
    looker = opened(look(house, "policies"), "pol_nobody_knows")
    assert "There is no policy `pol_nobody_knows`" in looker.words


def test_a_draft_stays_while_others_are_looked_at(look: Look, house: Tenant) -> None:
    policy_id = house.policy("Ask at 60", "risk_threshold", {"threshold": 60, "action": "require_approval"})
    looker = opened(look(house, "policies", "admin"), policy_id)
    looker.page.number_input(key="policy_rule_threshold").set_value(70.0).run()
    looker.press("policy_back")
    assert "Draft not saved" in looker.words
    opened(looker, policy_id)
    assert "threshold: 70" in yaml(looker)
    looker.press("policy_discard")
    assert "threshold: 60" in yaml(looker)


def outcomes(failures: int, released: int, stopped: int = 0, asked: int = 0) -> ReplayedOutcomes:
    portions = (
        *("failures_stopped", "failures_asked", "failures_released"),
        *("work_stopped", "work_asked", "work_released"),
    )
    given: dict[str, Any] = {
        name: {"n": 0, "of": 9, "rate": 0.0, "low": 0.0, "high": 0.3, "status": "ok"} for name in portions
    }
    given["failures_released"]["n"] = failures
    counts = {"unknown_released": released, "unknown_stopped": stopped, "unknown_asked": asked}
    known = {"known": 9, "unknown": released + stopped + asked, "failed": 9, "completed": 0}
    return msgspec.convert(given | counts | known, ReplayedOutcomes)


def test_what_was_stopped_is_said_to_be_unknown_with_the_most_that_it_may_be() -> None:
    said = unknown_in_words(outcomes(2, 3630)).replace("\u202f", ",")
    assert "3,630 more decisions would no longer wait" in said
    assert said.endswith("So between 2 and 3,632 failures would be let go.")
    assert unknown_in_words(outcomes(0, 0, stopped=1)) == (
        "Not known: 1 more decision would be blocked, and ended without an outcome (blocked, denied, expired or never "
        "tried). Each may be a failure or good work."
    )
    assert unknown_in_words(outcomes(3, 0)) == ""


def test_the_history_says_who_changed_what_and_what_moved_with_it(look: Look, house: Tenant) -> None:
    policy_id = by_name(house, "Nobody wipes")["policy_id"]
    house.call("PATCH", f"/api/policies/{policy_id}", {"mode": "observe"})
    change = house.call("GET", "/api/policies/history")["changes"][0]
    looker = counted(look(house, "policies", "admin"))
    assert f"Policy **Nobody wipes** changed by {change['by_name']}" in looker.words
    assert "mode: `enforce` → `observe`" in looker.words
    looker.press(f"policy_moved_{change['change_id']}")
    assert looker.page.session_state[MOVED].wait(WAIT)
    words = looker.draw().words
    assert "**What moved** within 28d before and after: 0 decisions" in words
    assert "Decisions that asked a person: cannot be known. " in words
    assert "Nothing can be said of any measure; each says why." in words


def test_what_moved_is_told_with_its_n_its_clusters_and_what_it_rests_on() -> None:
    side = MeasuredSide(n=120, clusters=60, n_effective=80, design_effect=1.5, mean=0.25, low=0.2, high=0.3)
    measure = MeasuredEffect(
        measure=ChangeMeasure.ASKED,
        unit="share",
        status=EffectStatus.OK,
        reason="",
        method=EffectMethod.INTERRUPTED_TIME_SERIES,
        estimate=0.1,
        low=0.04,
        high=0.16,
        raw=0.12,
        before=side,
        after=side,
        control_before=None,
        control_after=None,
        blocks_before=10,
        blocks_after=9,
        season=["weekday"],
        mix=["agent_id"],
        left_out={},
        assumptions=[],
        placebo=PlaceboResult.FAILED,
        placebos=[],
        possible_low=None,
        possible_high=None,
        sentence="",
    )
    told = sentence(measure)
    assert "25.0 % before, 25.0 % after; +10.0 points (95 %: +4.0 points to +16.0 points). It rose, compared" in told
    assert "n 120 and 120 in 60 and 60 clusters" in told
    assert told.endswith("so this one need not come from the change.")
    change = RuleChange(
        change_id="1",
        kind=RuleKind.POLICY,
        id="pol_1",
        name="p",
        what=ChangeWhat.CREATED,
        at=NOW,
        by="key_1",
        by_name=None,
        version=1,
        members=[],
    )
    found = BeforeAfter(
        change=change,
        window="28d",
        since=NOW,
        until=NOW,
        n=240,
        touched=240,
        simulated=0,
        imported=0,
        reach="every decision in this time",
        basis="session",
        others=[],
        measures=[measure],
    )
    words = basis_in_words(found)
    assert words.startswith("A cluster is one session; intervals compare 10 blocks of time before with 9 after.")
    assert "Standardised on weekday and agent_id." in words
    assert "show a difference too for: decisions that asked a person." in words


def test_the_list_says_which_policy_always_asks(look: Look, house: Tenant) -> None:
    rules = {"action_types": ["wire"]}
    house.policy("Ask before wiring", "require_approval", rules, always_ask="always")
    assert "always asks, although a standing grant covers it" in counted(look(house, "policies", "admin")).words
