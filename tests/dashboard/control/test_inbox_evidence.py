"""What stands behind a request: its arguments, what is different, what its risk is made of, and how such ones ended."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assent import ActionStatus, ApprovalState
from assent.contract.control.externality import DataClassification, Externality
from assent.contract.control.guard import PredictiveRisk, StatisticalRisk
from assent.contract.control.inbox import ActionApproval
from assent.deciding import MOST_ARGUMENTS, MOST_CHARACTERS
from assent.nearest import DECIDED, Difference, nearest_of
from assent.origins import REACH
from assent_analytics.rates import wilson
from assent_dashboard.inbox import evidence
from assent_dashboard.inbox.evidence import (
    LAST,
    Backgrounds,
    Earlier,
    detail,
    earlier_of,
    nearest_call,
    outcome,
    record,
    verdict,
)
from assent_dashboard.inbox.rows import ending_of
from assent_dashboard.inbox.talk import Talk
from tests.dashboard.control.approval_items import AT, decision, item_of, pay, request
from tests.stories.tenant import Tenant

NOTHING_SAID = Talk(questions=[], comments=[])


def history(total: int, rate: float, adjustment: float) -> PredictiveRisk:
    past = StatisticalRisk(
        adjustment=adjustment, failure_rate=rate, total_actions=total, avg_historical_risk=20.0, velocity=0
    )
    return PredictiveRisk(statistical=past, total_adjustment=adjustment)


def test_every_addition_is_told_with_its_points() -> None:
    made = decision(
        {"base": 20, "irreversible": 15, "history": 10}, 45, agent_risk_score=30.0, predictive_risk=history(8, 0.25, 10)
    )
    assert [(part.points, part.meaning) for part in evidence.parts(made)] == [
        (20, "what this type of action starts with"),
        (15, "it cannot be undone"),
        (10, "of 8 actions of this type in 30 days, 25 % failed"),
    ]
    assert evidence.notes(made) == [], "they add up, and the agent's own estimate is lower"


def test_an_agent_without_history_is_told_as_such() -> None:
    made = decision({"base": 20, "history": 5}, 25, predictive_risk=history(0, 0.0, 5))
    assert evidence.parts(made)[1].meaning == "this agent has no history of this type in 30 days"


def test_an_estimate_of_the_agent_that_counts_instead_is_told() -> None:
    made = decision({"base": 20, "history": 5}, 77, agent_risk_score=72.0)
    assert evidence.notes(made) == [
        "The agent's own estimate of 72 is higher than this before history; it counts instead."
    ]


def test_numbers_for_people_have_one_decimal_at_most() -> None:
    made = decision({"base": 20}, 23.3, agent_risk_score=70 / 3)
    assert evidence.notes(made) == [
        "The agent's own estimate of 23.3 is higher than this before history; it counts instead."
    ]


def test_a_risk_beyond_the_end_of_the_scale_is_told() -> None:
    assert evidence.notes(decision({"base": 80, "irreversible": 15, "secrets_goal": 15}, 100)) == [
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
    assert evidence.parts(made)[1].meaning == "your risk template rates it higher"
    assert evidence.notes(made) == ["The risk template rt_1, version 3, rates it 60."]


def test_an_addition_of_a_later_service_is_told_by_its_name() -> None:
    assert evidence.parts(decision({"moon_phase": 3}, 3))[0].meaning == "moon phase"


def test_what_the_agent_sent_of_its_own_is_told_as_it_is() -> None:
    action = request(
        "a",
        reasoning="![x](http://192.0.2.1/x.png)",
        externality=Externality(data_classification=DataClassification.CONFIDENTIAL, reversal_bound_seconds=0),
    ).action
    sent: dict[str, Any] = {
        "action_type": "pay",
        "amount": 12.5,
        "parameters": {"to": "`Zoë`\u202e"},
        "metadata": {"**t**": [1, 2]},
    }
    assert evidence.arguments(action, sent).lines == [
        ("amount", "12.5"),
        ("to (parameters)", "`Zoë`\N{REPLACEMENT CHARACTER}"),
        ("**t** (metadata)", "[1,2]"),
    ]
    twice: dict[str, Any] = {"parameters": {"am\u043eunt": 9000, "amount": 9}}
    assert evidence.arguments(action, twice).lines == [
        ("am\u043eunt (other characters than in “amount”) (parameters)", "9000"),
        ("amount (parameters)", "9"),
    ]
    hidden: dict[str, Any] = {
        "parameters": {" amount": "5", "amount": 5, "run": "echo # old\nrm -rf /srv", "x\u2028": "[]"}
    }
    assert evidence.arguments(action, hidden).lines == [
        ('"␣amount" (other blanks than in “amount”) (parameters)', '"5"'),
        ("amount (parameters)", "5"),
        ("run (parameters)", "echo # old ⏎\nrm -rf /srv"),
        ('"x ⏎" (other characters than in “x”) (parameters)', '"[]"'),
    ]
    faked: dict[str, Any] = {"to (parameters)": "ACME", "parameters": {"to": "Mallory", "a\u200b": 1, "a\u200c": 2}}
    assert evidence.arguments(action, faked).lines == [
        ("“to (parameters)”", "ACME"),
        ("to (parameters)", "Mallory"),
        ("a\ufffd (other characters than in “a”) (parameters)", "1"),
        ("a\ufffd (other characters than in “a”) (parameters) (number 2 that looks so)", "2"),
    ]
    assert evidence.whole({"parameters": {"run\u200b": "echo\u202e; rm", "to": "  x"}}) == (
        '{\n  "parameters": {\n    "run\ufffd": "echo\ufffd; rm",\n    "to": "␣␣x"\n  }\n}'
    )
    said = dict(evidence.facts(action))
    assert said["Reasoning"] == "![x](http://192.0.2.1/x.png)"
    assert (said["Data"], said["Can be taken back"]) == ("confidential", "not at all")


def test_what_is_not_shown_whole_is_counted_and_the_whole_has_it() -> None:
    action = request("a").action
    sent: dict[str, Any] = {f"member_{number}": number for number in range(MOST_ARGUMENTS + 5)}
    found = evidence.arguments(action, sent)
    assert (len(found.lines), found.hidden) == (MOST_ARGUMENTS, 5)
    assert f'"member_{MOST_ARGUMENTS + 4}": {MOST_ARGUMENTS + 4}' in evidence.whole(sent)
    long = evidence.arguments(action, {"parameters": {"text": "x" * 4001, "n" * 401: 1, "amount": 5}})
    assert long.hidden == 2
    assert long.lines[2] == ("amount (parameters)", "5")
    assert (len(long.lines[0][1]), len(long.lines[1][0])) == (4000, 400)
    many = evidence.arguments(action, {"parameters": {f"text {number}": "x" * 4000 for number in range(9)}})
    assert len(many.lines) + many.hidden >= 9
    assert sum(len(name) + len(value) for name, value in many.lines) <= MOST_CHARACTERS + 100
    assert evidence.arguments(action, {"parameters": {"text": "x" * 4000}}).hidden == 0


def test_alike_is_what_was_sent_alike_and_not_what_is_shown_alike() -> None:
    def alike(sent: dict[str, Any], name: str = "a", **more: Any) -> str:
        return evidence.arguments(request(name, **more).action, sent).alike

    run = {"session_id": "one", "parameters": {"run": "ls", "on": "db"}}
    assert alike(run) == alike({"session_id": "two", "parameters": {"on": "db", "run": "ls"}}, "b")
    others: list[dict[str, Any]] = [
        run | {"parameters": {"run": "ls\u200b", "on": "db"}},
        run | {"parameters": {"run": "ls", "o\u043d": "db"}},
        run | {"metadata": {"run": "ls"}},
        run | {"tenant": "ls"},
        {},
    ]
    found = [alike(each) for each in others] + [alike({}, "b")]
    found += [alike(run, **more) for more in ({"declared_goal": "Pay  it"}, {"declared_goal": "Pay it"})]
    found += [alike(run, agent_id="other"), alike(run, agent_name="Other"), alike(run, action_type="other")]
    found += [alike(run, systems_touched=systems) for systems in (["staging"], ["production"], ["a, b"], ["a", "b"])]
    found += [alike(run, reversible=not request("a").action.reversible), alike(run, risk_score=55.04)]
    reaches: list[dict[str, Any]] = [
        {"data_classification": DataClassification.RESTRICTED},
        {"data_classification": DataClassification.PUBLIC},
        {"reversal_bound_seconds": 90},
        {"reversal_bound_seconds": 91},
    ]
    found += [alike(run, externality=Externality(**each)) for each in reaches]
    assert len({alike(run), *found}) == 1 + len(found)
    assert alike(run, risk_score=55.01) == alike(run, risk_score=55.04), "as it is shown"


def test_parameters_that_the_agent_kept_are_told_by_their_digest() -> None:
    digest = "sha256:" + 64 * "b"
    action = request("a", parameters_digest=digest).action
    assert evidence.arguments(action, {}).lines == [("parameters", f"kept by the agent; their digest is {digest}")]
    assert evidence.arguments(action, {"parameters": {"to": "A"}}).lines == [("to (parameters)", "A")]


# What is different, and how such requests ended


def approved(action_id: str, **more: Any) -> ActionApproval:
    return request(
        action_id,
        approval_state=ApprovalState.APPROVED,
        approval_decided_by="ana",
        approval_decided_at=AT,
        **more,
    )


def test_how_such_requests_ended_has_its_n_and_its_interval() -> None:
    known = [approved(f"ok{n}", status=ActionStatus.COMPLETED) for n in range(6)]
    known += [approved("bad", status=ActionStatus.FAILED), approved("runs", status=ActionStatus.RUNNING)]
    known += [request(f"no{n}", approval_state=ApprovalState.DENIED) for n in range(2)]
    known += [request("late", approval_state=ApprovalState.EXPIRED)]
    low, high = (round(100 * each) for each in wilson(8, 10))
    assert (low, high) == (49, 94)
    assert record(known) == [
        "Allowed 8 of 10 (49 to 94 % at 95 % confidence) that people decided.",
        "Failed 1 of 7 (3 to 51 % at 95 % confidence) that were allowed and have ended.",
        "1 expired.",
    ]
    assert record([]) == []


def test_what_a_standing_grant_allowed_is_no_decision_of_people() -> None:
    granted = [
        approved(f"g{n}", approval_grant_id="grant_1", status=ActionStatus.COMPLETED, minutes=n) for n in range(2)
    ]
    assert record([approved("one", status=ActionStatus.RUNNING), *granted]) == [
        "Allowed 1 of 1 (21 to 100 % at 95 % confidence) that people decided.",
        "2 more by a standing grant of ana.",
        "Failed 0 of 2 (0 to 66 % at 95 % confidence) that were allowed and have ended.",
    ]
    assert record(granted)[0] == "2 allowed by a standing grant of ana."
    other = approved("other", approval_grant_id="grant_2", status=ActionStatus.RUNNING)
    assert record([other, granted[0]])[0] == "2 allowed by 2 standing grants of ana."
    assert verdict(Earlier(other.action, other)) == "allowed by a standing grant of ana"
    assert ending_of("other", other.approval).by == "a standing grant of ana"
    same = {"parameters": {"to": "ACME"}}
    nearest = nearest_of(same, [(granted[0], same)])
    assert nearest is not None
    assert nearest_call(nearest).by == "a standing grant of ana"


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
    told = [(verdict(each).split(" after")[0], outcome(each)) for each in earlier.times]
    assert told == [
        ("allowed by the operator", "running"),
        ("allowed by the operator", "failed (The bank refused)"),
        ("denied by the operator", None),
        ("allowed by the operator", "completed"),
        ("allowed by the operator", "completed"),
    ]
    reasons = [each.approved.approval.reasoning for each in earlier.times if each.approved is not None]
    assert reasons == [f"Reason {number}" for number in (4, 3, 2, 1, 0)]


def test_what_was_decided_up_to_now_counts_whenever_it_was_asked(house: Tenant) -> None:
    waiting = pay(house, "It waits")
    assert behind(house, waiting).title == "This agent has never done pay before."
    pay(house, "It waits, too")
    for number in range(2):
        after = pay(house, f"After {number}")
        house.call("POST", f"/api/actions/{after}/approve", {"decision": "allow", "reasoning": "Go"}, key="operator")
    found = behind(house, waiting)
    assert found.title == "Every other time this agent asked for pay"
    assert found.earlier[0].id == after
    assert [(line.mark, line.reason) for line in found.earlier] == [("approved", "Go")] * 2
    assert found.record[0].startswith("Allowed 2 of 2 ")
    assert found.nearest is not None
    assert after not in [line.id for line in behind(house, after).earlier], "it is not beside itself"


def behind(house: Tenant, action_id: str) -> evidence.Detail:
    with house.client("operator") as client:
        item = item_of(client, action_id)
        backgrounds = Backgrounds()
        return detail(item, backgrounds.of(client, item), backgrounds.policy_names(client), NOTHING_SAID)


def test_what_was_withdrawn_is_said_once(house: Tenant) -> None:
    gone = pay(house, "Withdrawn")
    house.call("POST", f"/api/actions/{gone}/withdraw", {"reason": "customer called off"}, key="agent")
    denied = pay(house, "Denied")
    house.call("POST", f"/api/actions/{denied}/approve", {"decision": "deny", "reasoning": "Too much"}, key="operator")
    found = behind(house, pay(house, "It waits"))
    assert found.title == "Every other time this agent asked for pay"
    assert [(line.reason, line.outcome) for line in found.earlier] == [
        ("Too much", None),
        ("customer called off", None),
    ]


def test_what_was_taken_back_since_hides_no_approved_call(house: Tenant) -> None:
    before = pay(house, "Pay forty", parameters={"amount": 40})
    house.call("POST", f"/api/actions/{before}/approve", {"decision": "allow"}, key="operator")
    for number in range(DECIDED + 1):
        gone = pay(house, f"Withdrawn {number}", parameters={"amount": 40})
        house.call("POST", f"/api/actions/{gone}/withdraw", {"reason": "not yet"}, key="agent")
    found = behind(house, pay(house, "Pay more", parameters={"amount": 900})).nearest
    assert found is not None
    assert (found.id, found.among) == (before, 1)
    assert Difference(name="parameters.amount", before="40", now="900") in found.changes
    assert DECIDED == 50


def test_what_guard_decided_by_itself_is_among_them(house: Tenant) -> None:
    house.create("look", agent_id="payer")
    waiting = house.create("look", agent_id="payer", status="pending_approval")
    with house.client("operator") as client:
        earlier = earlier_of(client, item_of(client, waiting).action)
    assert earlier is not None
    assert [verdict(each) for each in earlier.times] == ["guard allowed it"]


def test_an_action_without_an_agent_has_no_earlier_ones(house: Tenant) -> None:
    house.create("pay", declared_goal="Of somebody", agent_id="somebody")
    action_id = house.create("pay")
    with house.client("operator") as client:
        assert earlier_of(client, item_of(client, action_id).action) is None


def test_the_whole_of_it(house: Tenant, paid: str) -> None:
    found = behind(house, paid)
    assert found.title == "The last 5 times this agent asked for pay"
    (failed,) = [line for line in found.earlier if line.outcome and line.outcome.startswith("failed")]
    assert (failed.reason, failed.outcome, failed.mark) == ("Reason 3", "failed (The bank refused)", "approved")
    assert [name for _, name in found.policies] == ["Ask before paying"]
    assert ("amount (parameters)", "99") in found.arguments.lines
    assert ("+20", "what this type of action starts with") in found.parts
    assert paid not in [line.id for line in found.earlier]
    assert found.record[0].startswith("Allowed 4 of 5 (")
    assert found.record[1].startswith("Failed 1 of 3 (")
    assert found.nearest is not None
    assert (found.nearest.by, found.nearest.among) == ("the operator", 4)
    assert Difference(name="parameters.amount", before=None, now="99") in found.nearest.changes


def test_what_is_kept_of_what_one_has_looked_at_is_bounded(house: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "KEPT", 4)
    backgrounds = Backgrounds()
    ids = [pay(house, f"Pay {number}") for number in range(6)]
    with house.client("operator") as client:
        items = {item.action.action_id: item for item in client.get_approvals(limit=200).approvals}
        for action_id in ids:
            assert backgrounds.of(client, items[action_id]).decision is not None
    assert backgrounds.count == 4


def test_an_erased_decision_is_told() -> None:
    item = request("a")
    found = detail(item, evidence.Background(None, {}, None), {}, NOTHING_SAID)
    assert found.notes == ["What it is made of was erased."]
    assert (found.whole, found.nearest, found.record) == (None, None, [])
    assert "names no agent" in found.title
    assert msgspec.json.encode(found)


def test_where_the_values_came_from_is_told_with_them(house: Tenant) -> None:
    house.policy("Where values come from", "flow", {})
    with house.client(agent_id="payer") as client, client.session("the bill of the inbox"):
        client.user_said("Please pay the bill in bill.txt")
        text = "The open amount is 98.70; kindly pay it to DE89370400440532013000 by the end of the week."
        client.tool_answered("read_file", text, arguments=["path"])
        parameters = {"recipient": "DE89370400440532013000", "note": "bill", "amount": 98.7}
        waits = client.create_action("send_money", "Pay the bill\x1b", parameters=parameters).action_id
        plain = pay(house)
    found = behind(house, waits)
    assert [(each.argument, each.text, each.doubtful) for each in found.origins] == [
        ("recipient", "DE89370400440532013000", True),
    ]
    assert "appears only in the text of what read_file answered" in found.origins[0].sentence
    assert [each.split(":")[0] for each in found.session] == ["The session has the label untrusted_seen"]
    assert found.reach == REACH, "how far it goes to allow it stands where that is decided"
    assert behind(house, plain).reach == "", "nothing was told, so it is for this call alone"
    assert (found.flow_session, behind(house, plain).flow_session) == ("the bill of the inbox", None)
    assert (behind(house, plain).origins, behind(house, plain).session) == (
        [],
        ["Nothing was told of this session, so nobody knows where a value of this call came from."],
    )
