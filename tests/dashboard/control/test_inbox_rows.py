"""Requests as rows of the inbox: in plain words, and which are alike."""

from __future__ import annotations

from typing import Any

import pytest

from assent import ApprovalState, Runtime, Source, Verification
from assent_dashboard.inbox.rows import ending_of, likeness, row_of, sentence
from tests.dashboard.control.approval_items import AT, request

MILLISECONDS = round(AT.timestamp() * 1000)


def test_a_row_says_what_is_wanted_by_whom_and_why_it_was_stopped() -> None:
    row = row_of(
        request(
            "act_1",
            declared_goal="Pay 5 EUR ![seen](http://192.0.2.1/x.png) **now**\nand then \u202eworse",
            agent_id="payer",
            agent_name=None,
            action_type="pay",
            systems_touched=["bank", "books"],
            reversible=False,
            risk_score=72.0,
            agent_risk_score=70.0,
            approval_reasons=['action_type in ["pay"]'],
        )
    )
    assert row.goal == "Pay 5 EUR ![seen](http://192.0.2.1/x.png) **now** ⏎ and then \N{REPLACEMENT CHARACTER}worse"
    assert row.sentence == "payer wants to run pay, which touches bank, books."
    assert row.why == ["action type is one of “pay”"] or row.why == ['action_type in ["pay"]']
    assert (row.risk, row.own_risk, row.reversible, row.simulated) == (72.0, 70.0, False, False)
    assert (row.asked, row.expires) == (MILLISECONDS, MILLISECONDS + 24 * 3600 * 1000)


def test_a_name_stands_beside_the_id_whose_it_is() -> None:
    row = row_of(request("act_1", agent_id="mallory", agent_name="shop"))
    assert (row.agent, row.names) == ("shop (mallory)", ["shop", "mallory"])
    assert row_of(request("act_1", agent_id="mallory", agent_name=None)).agent == "mallory"
    # The name tells this id, and no other one.
    row = row_of(request("act_1", agent_id="refund-desk", agent_name="Refund desk"))
    assert (row.agent, row.names) == ("Refund desk (refund-desk)", ["Refund desk"])
    for other in ("refund_desk", "refunddesk", "Refund-desk", "refund-desk "):
        assert len(row_of(request("act_1", agent_id=other, agent_name="Refund desk")).names) == 2
    cyrillic = "ref\N{CYRILLIC SMALL LETTER U}nd"
    assert len(row_of(request("act_1", agent_id=cyrillic, agent_name=cyrillic.title())).names) == 2
    row = row_of(request("act_1", agent_id="shop", agent_name="shop"))
    assert (row.agent, row.names) == ("shop", ["shop"])


def test_risks_have_one_decimal_at_most() -> None:
    row = row_of(request("act_1", risk_score=70 / 3, agent_risk_score=70 / 3))
    assert (row.risk, row.own_risk) == (23.3, 23.3)
    assert row_of(request("act_1", agent_risk_score=None)).own_risk is None


def test_what_is_missing_is_said_so() -> None:
    item = request("act_1", declared_goal=None, agent_id=None, agent_name=None, systems_touched=[], approval_reasons=[])
    row = row_of(item)
    assert (row.goal, row.agent, row.names) == ("No goal was given", "An agent without a name", [row.agent])
    assert row.why == ["the agent itself asked for a person's decision"]
    assert sentence(item.action).endswith("; it names no system that it touches.")


def test_a_long_goal_is_cut_in_the_row() -> None:
    goal = row_of(request("act_1", declared_goal="x" * 4000)).goal
    assert (len(goal), goal[-1]) == (320, "…")


@pytest.mark.parametrize(
    "other",
    [
        {"digest": "sha256:bb"},
        {"digest": None},
        {"agent_id": "other"},
        {"agent_name": "Other"},
        {"verification": Verification.REPLAYED},
        {"approval_reasons": ["another reason"]},
        {"approval_matched_policies": ["pol_2"]},
        {"reasoning": "because"},
        {"authorization_scope": "all of it"},
        {"trigger": "a mail"},
        {"input_summary": "a file"},
        {"runtime": Runtime.CODING_AGENT},
        {"source": Source.SIMULATED},
    ],
    ids=str,
)
def test_one_that_differs_in_what_an_operator_looks_at_is_not_alike(other: dict[str, Any]) -> None:
    assert likeness(request("a")) == likeness(request("b", 5, session_id="s", risk_score=25.0))
    assert likeness(request("a")) != likeness(request("b", **other))
    assert row_of(request("a")).alike == row_of(request("b", 5, session_id="s", risk_score=25.0)).alike
    assert row_of(request("a")).alike != row_of(request("b", **other)).alike


def test_requests_whose_context_was_erased_are_alike_to_none() -> None:
    assert row_of(request("a", digest=None)).alike is None


def test_an_overdue_one_has_expired_and_others_say_who_and_why() -> None:
    overdue = ending_of("a", request("a").approval)
    assert (overdue.state, overdue.by, overdue.at) == ("expired", None, None)
    decided = request(
        "a",
        approval_state=ApprovalState.DENIED,
        approval_decided_by="ana **x**",
        approval_decided_at=AT,
        approval_reasoning="Not\nnow",
    ).approval
    ending = ending_of("a", decided, key="k")
    assert (ending.state, ending.by, ending.at, ending.reason) == ("denied", "ana **x**", MILLISECONDS, "Not ⏎ now")
    assert (ending.own, ending.key) == (False, "k")
