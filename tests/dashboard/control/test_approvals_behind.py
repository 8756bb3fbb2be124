"""What stands behind a request: what its risk is made of, what the agent says, and the last five times."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from assent.contract.control.externality import DataClassification, Externality
from assent.contract.control.guard import PredictiveRisk, StatisticalRisk
from assent_dashboard.views.approvals import card, evidence
from assent_dashboard.views.approvals.evidence import KEPT, LAST, Backgrounds, Before, earlier_of, outcome, verdict
from assent_dashboard.views.approvals.waiting import SAME_PRESS_SECONDS
from tests.dashboard.control.approval_items import decision, item_of, pay, request
from tests.dashboard.looker import Looker
from tests.stories.tenant import Tenant

Look = Callable[..., Looker]


def history(total: int, rate: float, adjustment: float) -> PredictiveRisk:
    past = StatisticalRisk(
        adjustment=adjustment, failure_rate=rate, total_actions=total, avg_historical_risk=20.0, velocity=0
    )
    return PredictiveRisk(statistical=past, total_adjustment=adjustment)


def test_every_addition_is_told_with_its_points() -> None:
    made = decision(
        {"base": 20, "irreversible": 15, "history": 10}, 45, agent_risk_score=30.0, predictive_risk=history(8, 0.25, 10)
    )
    assert [(part.points, part.meaning) for part in card.parts(made)] == [
        (20, "what this type of action starts with"),
        (15, "it cannot be undone"),
        (10, "of 8 actions of this type in 30 days, 25 % failed"),
    ]
    assert card.notes(made) == [], "they add up, and the agent's own estimate is lower"


def test_an_agent_without_history_is_told_as_such() -> None:
    made = decision({"base": 20, "history": 5}, 25, predictive_risk=history(0, 0.0, 5))
    assert card.parts(made)[1].meaning == "this agent has no history of this type in 30 days"


def test_an_estimate_of_the_agent_that_counts_instead_is_told() -> None:
    made = decision({"base": 20, "history": 5}, 77, agent_risk_score=72.0)
    assert card.notes(made) == ["The agent's own estimate of 72 is higher than this before history; it counts instead."]


def test_a_risk_beyond_the_end_of_the_scale_is_told() -> None:
    assert card.notes(decision({"base": 80, "irreversible": 15, "secrets_goal": 15}, 100)) == [
        "No risk is higher than 100."
    ]


def test_a_template_is_named_with_its_version_and_what_it_rated() -> None:
    made = decision(
        {"base": 20, "template": 40},
        60,
        risk_template_id="rt_1",
        risk_template_version=3,
        risk_template_score=60.0,
    )
    assert card.parts(made)[1].meaning == "your risk template rates it higher"
    assert card.notes(made) == ["The risk template `rt_1`, version 3, rates it 60."]


def test_an_addition_of_a_later_service_is_told_by_its_name() -> None:
    assert card.parts(decision({"moon_phase": 3}, 3))[0].meaning == "moon phase"


def test_what_the_agent_sent_of_its_own_is_told_and_harmless() -> None:
    action = request(
        "a",
        reasoning="![x](http://192.0.2.1/x.png)",
        externality=Externality(data_classification=DataClassification.CONFIDENTIAL, reversal_bound_seconds=0),
    ).action
    said = dict(
        evidence.facts(
            action,
            {"action_type": "pay", "amount": 12.5, "parameters": {"to": "`Zoë`"}, "metadata": {"**t**": [1, 2]}},
        )
    )
    assert said["amount"] == "`12.5`"
    assert said["to \\(parameters\\)"] == "`` `Zoë` ``"
    assert said["\\*\\*t\\*\\* \\(metadata\\)"] == "`[1,2]`"
    assert said["Reasoning"].startswith("\\!\\[x\\]\\(http\\:")
    assert (said["Data"], said["Can be taken back"]) == ("confidential", "not at all")
    assert "action_type" not in said


def test_only_so_many_members_become_lines_and_the_whole_has_them_all() -> None:
    sent: dict[str, Any] = {f"member_{number}": number for number in range(evidence.MOST + 5)}
    shown = [label for label, _ in evidence.facts(request("a").action, sent) if label.startswith("member")]
    assert len(shown) == evidence.MOST
    assert '"member_16": 16' in evidence.whole(sent)


def test_parameters_that_the_agent_kept_are_told_by_their_digest() -> None:
    action = request("a", parameters_digest="sha256:" + 64 * "b").action
    assert "kept by the agent" in dict(evidence.facts(action, {}))["Parameters"]
    assert "Parameters" not in dict(evidence.facts(action, {"parameters": {"to": "A"}}))


@pytest.fixture
def paid(house: Tenant) -> str:
    """The sixth payment waits; of the five before, one was denied, one failed, one still runs and two are done."""
    for number, (said, status, more) in enumerate(
        [
            ("allow", "completed", {}),
            ("allow", "completed", {}),
            ("deny", None, {}),
            ("allow", "failed", {"error_message": "The bank refused"}),
            ("allow", None, {}),
        ]
    ):
        action_id = pay(house, f"Pay number {number}")
        house.call(
            "POST",
            f"/api/actions/{action_id}/approve",
            {"decision": said, "reasoning": f"Reason {number}"},
            key="operator",
        )
        if status is not None:
            house.call("PATCH", f"/api/actions/{action_id}", {"status": status, **more}, key="agent")
    house.create("pay", declared_goal="Of somebody else", agent_id="other")
    return pay(house, "Pay the sixth", parameters={"amount": 99})


def test_the_last_five_times_have_who_why_and_what_came_of_it(house: Tenant, paid: str) -> None:
    with house.client("operator") as client:
        earlier = earlier_of(client, item_of(client, paid).action)
    assert earlier is not None
    assert len(earlier.times) == LAST
    assert [each.action.declared_goal for each in earlier.times] == [
        f"Pay number {number}" for number in (4, 3, 2, 1, 0)
    ]
    told = [(verdict(each).split(":] ")[1].split(" after")[0], outcome(each)) for each in earlier.times]
    assert told == [
        ("allowed by **the operator**", "**running**"),
        ("allowed by **the operator**", "**failed** (The bank refused)"),
        ("denied by **the operator**", None),
        ("allowed by **the operator**", "**completed**"),
        ("allowed by **the operator**", "**completed**"),
    ]
    reasons = [each.approved.approval.reasoning for each in earlier.times if each.approved is not None]
    assert reasons == [f"Reason {number}" for number in (4, 3, 2, 1, 0)]


def test_nothing_that_was_asked_after_it_is_earlier(house: Tenant) -> None:
    """However many came later: what came before is found behind them."""
    before = pay(house, "Before")
    house.call("POST", f"/api/actions/{before}/approve", {"decision": "allow", "reasoning": "Go"}, key="operator")
    waiting = pay(house, "It waits")
    for number in range(LAST + 2):
        after = pay(house, f"After {number}")
        house.call("POST", f"/api/actions/{after}/approve", {"decision": "deny"}, key="operator")
    with house.client("operator") as client:
        earlier = earlier_of(client, item_of(client, waiting).action)
        first = earlier_of(client, client.get_action(before).action)
    assert earlier is not None
    assert [each.action.declared_goal for each in earlier.times] == ["Before"]
    assert earlier.times[0].approved is not None
    assert earlier.times[0].approved.approval.reasoning == "Go"
    assert earlier.whole
    assert first is not None
    assert first.times == []


def test_what_was_not_reached_is_not_said_to_be_nothing(
    look: Look, house: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence, "PAGES", 0)
    before = pay(house, "Before")
    house.call("POST", f"/api/actions/{before}/approve", {"decision": "allow"}, key="operator")
    waiting = pay(house, "It waits")
    for number in range(LAST + 2):
        after = pay(house, f"After {number}")
        house.call("POST", f"/api/actions/{after}/approve", {"decision": "deny"}, key="operator")
    with house.client("operator") as client:
        earlier = earlier_of(client, item_of(client, waiting).action)
    assert earlier == Before([], whole=False)
    words = look(house, "approvals").draw().words
    assert "never done" not in words
    assert "so often since that what came before is not looked up" in words


def test_what_was_withdrawn_is_said_once(look: Look, house: Tenant) -> None:
    gone = pay(house, "Withdrawn")
    house.call("POST", f"/api/actions/{gone}/withdraw", {"reason": "customer called off"}, key="agent")
    denied = pay(house, "Denied")
    house.call("POST", f"/api/actions/{denied}/approve", {"decision": "deny", "reasoning": "Too much"}, key="operator")
    pay(house, "It waits")
    text = look(house, "approvals").draw().words
    behind = text[text.index("Every earlier time") :]
    assert "“customer called off” · " in behind
    assert "“Too much” · " in behind
    assert "then **" not in behind
    assert "Withdrawn: customer called off" not in behind


def test_what_guard_decided_by_itself_is_among_them(house: Tenant) -> None:
    house.create("look", agent_id="payer")
    waiting = house.create("look", agent_id="payer", status="pending_approval")
    with house.client("operator") as client:
        earlier = earlier_of(client, item_of(client, waiting).action)
    assert earlier is not None
    assert [verdict(each).split(":] ")[1] for each in earlier.times] == ["guard allowed it"]


def test_an_action_without_an_agent_has_no_earlier_ones(house: Tenant) -> None:
    house.create("pay", declared_goal="Of somebody", agent_id="somebody")
    action_id = house.create("pay")
    with house.client("operator") as client:
        assert earlier_of(client, item_of(client, action_id).action) is None


def test_the_open_card_says_it_all(look: Look, house: Tenant, paid: str) -> None:
    looker = look(house, "approvals").draw()
    assert "The last 5 times this agent asked for `pay`" in looker.words
    assert "“Reason 3” · then **failed** (The bank refused)" in looker.words
    assert "**Ask before paying** `pol_" in looker.words
    tables = [table.value for table in looker.page.table]
    said = {str(label): str(value) for table in tables for label, value in table.to_numpy().tolist()}
    assert said[":gray[amount \\(parameters\\)]"] == "`99`"
    assert said[":gray[+20]"] == "what this type of action starts with"
    assert f"earlier-{paid}" not in looker.words


def test_what_is_kept_of_the_cards_one_has_looked_at_is_bounded(house: Tenant) -> None:
    backgrounds = Backgrounds()
    ids = [pay(house, f"Pay {number}") for number in range(KEPT + 3)]
    with house.client("operator") as client:
        items = {item.action.action_id: item for item in client.get_approvals(limit=200).approvals}
        for action_id in ids:
            assert backgrounds.asked(client, items[action_id], 0.0)().decision is not None
    assert backgrounds.count == KEPT


def test_what_was_asked_for_is_not_asked_for_again(look: Look, house: Tenant, paid: str) -> None:
    looker = look(house, "approvals").draw()
    looker.requests.take()
    looker.press("next")
    time.sleep(SAME_PRESS_SECONDS)
    looker.press("previous")
    asked = looker.requests.take()
    assert f"GET /api/actions/{paid}/trace" not in asked
