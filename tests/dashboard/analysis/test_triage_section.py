"""Triage on the page Asking: how it stands in words, and a plan that is given and stopped there."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import msgspec
import pytest

from assent.contract.control.triage import (
    Triage,
    TriageAlarm,
    TriageAlarmKind,
    TriagePlan,
    TriageState,
    TriageStratum,
)
from assent_dashboard.views.triage import STATES, cost, promise, stands, summary, table
from tests.dashboard.looker import Looker
from tests.stories.tenant import Tenant

Look = Callable[..., Looker]
NOW = datetime(2026, 11, 20, 14, 2, 7, tzinfo=UTC)
PLAN = TriagePlan(
    org_id="org_1",
    plan_id="tri_1",
    action_types=["refund", "mail"],
    alpha=0.01,
    delta=0.05,
    thresholds=[20, 35],
    room=50,
    least_audited=0.1,
    horizon_hours=168,
    reason=None,
    created_at=NOW,
    created_by="key_1",
    created_by_name="ana",
    stopped_at=None,
    stopped_by=None,
)
REFUND = TriageStratum(
    action_type="refund",
    state=TriageState.PASSING,
    threshold=35.0,
    audit_share=0.25,
    asked=300,
    audited=110,
    passed=1200,
    known_harmful=1,
    bound=12,
    budget=50.0,
    epoch=0,
    tested=110,
    tested_harmful=0,
    pending=4,
    needed=None,
    alarms=[],
    says="It passes.",
)
ALARM = TriageAlarm(
    kind=TriageAlarmKind.BOUND,
    epoch=0,
    threshold=35.0,
    audits=40,
    harmful=3,
    passed=90,
    known_harmful=2,
    bound=51,
    budget=50.0,
    says="Of 90 that passed up to 51 may be harmful.",
)
MAIL = msgspec.structs.replace(
    REFUND,
    action_type="mail",
    state=TriageState.FALLEN_BACK,
    threshold=None,
    audit_share=1.0,
    asked=40,
    audited=10,
    passed=90,
    bound=51,
    alarms=[ALARM],
)


def test_it_is_said_what_passed_what_bounds_it_and_where_an_alarm_is() -> None:
    assert summary(Triage(plan=None, strata=[], at=NOW)).startswith("Triage is off: people are asked about everything")
    assert summary(Triage(plan=PLAN, strata=[REFUND], at=NOW)) == (
        "Triage is on for 1 type: 1\N{NARROW NO-BREAK SPACE}200 actions passed without asking, at most 12 of them "
        "harmful (50 are accepted). People were asked about 300, 110 of them as audits."
    )
    both = summary(Triage(plan=PLAN, strata=[REFUND, MAIL], at=NOW))
    assert "at most 63 of them harmful (100 are accepted)" in both
    assert both.endswith("An alarm has everything asked again: mail.")


def test_a_type_stands_in_numbers_and_the_plan_in_a_sentence() -> None:
    assert stands(REFUND).startswith("below risk 35 all but 25 % passes · 1")
    assert "1 known to be harmful, at most 12 of 50 accepted · 300 asked, 110 audits, 4 not known yet" in stands(REFUND)
    assert stands(MAIL).startswith("nothing passes yet")
    waiting = msgspec.structs.replace(REFUND, audit_share=1.0)
    assert stands(waiting).startswith("everything is asked")
    assert promise(PLAN) == (
        "Of what passes of each type at most 1 % is harmful, or 50 actions until 5\u202f000 have passed, but for a "
        "probability of 5 %; at least 10 % is asked anyway. What has not ended after 7 d counts as never known."
    )
    assert set(STATES) == set(TriageState)
    assert table(Triage(plan=PLAN, strata=[REFUND, MAIL], at=NOW))["alarms"].to_list() == [0, 1]


@pytest.mark.parametrize(
    ("alpha", "types", "said"),
    [
        # The table of docs/how-to/ask-less-with-a-bound.md, for one type; two types have half of delta each.
        (0.01, 1, "Of each type 550 below the threshold have to be asked about"),
        (0.05, 1, "Of each type 108 below the threshold"),
        (0.05, 0, "Choose a type of action first."),
        (0.3, 1, "Such a plan cannot be kept: alpha is 0.3"),
    ],
)
def test_what_a_plan_costs_is_said_before_it_is_given(alpha: float, types: int, said: str) -> None:
    assert cost(alpha, 0.05, 50, 0.1, types).startswith(said)


def test_an_admin_gives_a_plan_and_stops_it(look: Look, house: Tenant) -> None:
    house.create("pay", agent_id="bot")
    looker = look(house, "asking", "admin").draw()
    assert "Triage is off: people are asked about everything that a policy wants a person for." in looker.words
    assert looker.page.button(key="triage_given").disabled
    looker.page.multiselect(key="triage_types").set_value(["pay"]).run()
    assert "Of each type 108 below the threshold" in looker.words
    assert "Until 1 000 of a type have passed, 50 harmful ones may be among them." in looker.words
    looker.page.number_input(key="triage_alpha").set_value(2.0)
    looker.page.text_area(key="triage_reason").set_value("Payments are *nearly* all fine")
    looker.press("triage_given")
    plan = house.call("GET", "/api/triage")["plan"]
    given = {"action_types": ["pay"], "alpha": 0.02, "delta": 0.05, "room": 20, "least_audited": 0.1}
    given |= {"horizon_hours": 168, "reason": "Payments are *nearly* all fine"}
    assert {name: plan[name] for name in given} == given
    assert "Triage is on for 1 type: 0 actions passed without asking" in looker.words
    assert "“Payments are *nearly* all fine”" in looker.words
    assert "`pay`: Everything is asked; 274 more without harm would certify a threshold." in looker.words
    looker.press("triage_stopped")
    assert house.call("GET", "/api/triage")["plan"] is None
    assert "Triage is off" in looker.words


def test_an_operator_stops_it_and_gives_none_and_an_auditor_looks(look: Look, house: Tenant) -> None:
    house.call("POST", "/api/triage", {"action_types": ["pay"], "alpha": 0.05})
    operator, auditor = (look(house, "asking", role).draw() for role in ("operator", "auditor"))
    for looker, may_stop in ((operator, True), (auditor, False)):
        assert looker.page.button(key="triage_stopped").disabled is not may_stop
        assert looker.page.button(key="triage_given").disabled
        assert "To give a plan, an admin key is needed." in looker.words
    operator.press("triage_stopped")
    assert house.call("GET", "/api/triage")["plan"] is None
    auditor.feed.count += 1
    assert "Triage is off" in auditor.draw().words, "another one's press is seen"


def test_a_plan_that_cannot_be_kept_is_refused_in_words(look: Look, house: Tenant) -> None:
    house.create("pay", agent_id="bot")
    looker = look(house, "asking", "admin").draw()
    looker.page.multiselect(key="triage_types").set_value(["pay"])
    looker.page.number_input(key="triage_room").set_value(1).run()
    assert "Such a plan cannot be kept: room is 1" in looker.words
    looker.press("triage_given")
    assert house.call("GET", "/api/triage")["plan"] is None
    assert "room" in str(looker.page.error[0].value)
