"""The page of what asking is worth: with a real service behind it, and its words."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import msgspec
import pytest

from assent.contract.analysis.asking import (
    AskedGroup,
    AskingAdvice,
    AskingStatus,
    AskingWorth,
    OperatorAgreement,
    OperatorTime,
    OperatorTiring,
    UnaskedType,
)
from assent.contract.control.triage import Triage
from assent_dashboard.views.asking import Asked, agreed, denied, effect, failing, may_ask, time_of, tired, took
from tests.dashboard.control.test_policies_lint import stored
from tests.dashboard.looker import Looker
from tests.stories.tenant import Tenant

Look = Callable[..., Looker]
GROUP = AskedGroup(
    name="pay",
    asked=14,
    decided=12,
    denied=3,
    expired=1,
    withdrawn=0,
    awaiting=1,
    simulated=0,
    waited_minutes=20.0,
    attention_minutes=5.0,
    attention_seen=4,
    denied_share=0.25,
    denied_low=0.055,
    denied_high=0.5719,
    ended=9,
    failed=1,
    failed_share=0.111,
    failed_low=0.0028,
    failed_high=0.4825,
    stopped=4,
    clusters=12,
    advice=AskingAdvice.TOO_FEW,
)
AGREEMENT = OperatorAgreement(
    n=40,
    operators=3,
    kinds=12,
    pairs=60,
    same=0.8,
    by_chance=0.6,
    alpha=0.5,
    alpha_low=0.2,
    alpha_high=0.7,
    own_pairs=20,
    own=0.9,
    status=AskingStatus.OK,
)


@pytest.fixture
def answered(house: Tenant) -> str:
    """Three requests of which one is denied and one fails, by a policy; and thirty that nobody is asked about, half of
    which fail. The policy's id."""
    with house.client("admin", None) as client:
        made = client.create_policy("Ask before *pay*", "require_approval", {"action_types": ["pay"]})
        for at, verdict in enumerate(("allow", "deny", "allow")):
            action = client.create_action("pay", "Pay", agent_id="bot", session_id=f"s{at}")
            client.approve_action(action.action_id, verdict, "Because")
            if verdict == "allow":
                client.update_outcome(action.action_id, status="failed" if at else "completed")
        for at in range(30):
            action = client.create_action("move", "Move", agent_id="bot", session_id=f"m{at}")
            client.update_outcome(action.action_id, status="failed" if at % 2 else "completed")
        return str(made.policy.policy_id)


def test_an_empty_workspace_says_what_to_do_next(look: Look, house: Tenant) -> None:
    looker = look(house, "asking").draw()
    assert "Nobody was asked anything in the last 30 days." in looker.words
    assert "No action ran and ended without anybody being asked." in looker.words


def test_what_it_takes_and_changes_is_said_first(look: Look, house: Tenant, answered: str) -> None:
    looker = look(house, "asking").draw()
    for each in (
        "Operators answered 3 of 3 requests: how long that took them cannot be told, for 2 of 3 were timed and 10 are "
        "needed; agents waited",
        "1 was denied.",
        "it fails where nobody is asked. 15 of 30 failed (50 %; 95 %:",
        "No two operators have answered requests of one kind",
        "0 bursts of six decisions or more: ten are needed",
        "between none and all of it would have failed",
    ):
        assert each in looker.words, each
    by_type, by_policy = (
        each.value
        for each in looker.page.dataframe
        if {"Type", "Policy"} & set(each.value.columns) and "Asked" in each.value
    )
    assert by_type["Type"].tolist() == ["pay"]
    assert sorted(by_policy["Policy"]) == ["Ask before *pay*", "Ask before paying"]
    assert by_policy["It"].tolist() == ["asks", "asks"]
    assert by_policy["Operators' time (95 %)"].tolist() == ["too few timed", "too few timed"]
    assert by_policy["Failed of those allowed"].tolist() == ["1 of 2", "1 of 2"]
    looker.requests.take()
    looker.draw()
    assert looker.requests.take() == []


def test_an_agent_of_another_window_has_nothing(look: Look, house: Tenant, answered: str) -> None:
    looker = look(house, "asking")
    looker.page.query_params["agent_id"] = "other"
    assert "Nobody was asked anything" in looker.draw().words


def test_the_words_of_a_group() -> None:
    assert denied(GROUP) == "pay: 3 of 12 denied (25 %; 95 %: 5.5 % to 57.2 %)"
    without = msgspec.structs.replace(GROUP, denied_low=None, denied_high=None)
    assert denied(without) == "pay: 3 of 12 denied (25 %)"
    assert denied(msgspec.structs.replace(without, denied=0, decided=0, denied_share=None)) == "pay: 0 of 0 denied"
    kind = UnaskedType(
        name="move",
        ended=30,
        failed=15,
        failed_share=0.5,
        failed_low=0.3,
        failed_high=0.7,
        clusters=12,
        simulated=0,
        advice=AskingAdvice.BEGIN,
    )
    assert failing(kind) == "15 of 30 failed (50 %; 95 %: 30 % to 70 %), in 12 sessions."
    assert failing(msgspec.structs.replace(kind, failed_low=None)) == "15 of 30 failed, in 12 sessions."


def test_operators_time_has_its_n_and_its_interval_or_is_too_few() -> None:
    time = OperatorTime(minutes=35.0, low=30.0, high=62.0, seen=11, decided=12)
    assert took(time) == "about 35 min of their time (95 %: 30 min to 1 h 2 min; 11 of 12 were timed)"
    few = msgspec.structs.replace(time, low=None, high=None, seen=1)
    assert took(few) == "how long that took them cannot be told, for 1 of 12 was timed and 10 are needed"
    assert took(msgspec.structs.replace(few, minutes=None, seen=0)) == took(None)
    assert time_of(GROUP) == "too few timed"
    bounded = msgspec.structs.replace(GROUP, attention_low=4.0, attention_high=7.0)
    assert time_of(bounded) == "5 min (4 min to 7 min)"


@pytest.mark.parametrize(
    ("policy_type", "rules", "does", "may"),
    [
        ("require_approval", {"action_types": ["pay"]}, "asks", True),
        ("risk_threshold", {"threshold": 60, "action": "require_approval"}, "asks", True),
        ("risk_threshold", {"threshold": 60, "action": "warn"}, "warns", False),
        ("rate_limit", {"max_actions": 3}, "warns", False),
        ("block_action_type", {"action_types": ["pay"]}, "blocks", False),
        ("webhook_check", {"url": "https://a.invalid/x"}, "its webhook says", True),
    ],
)
def test_a_policy_that_only_warned_did_not_ask(
    policy_type: str, rules: dict[str, object], does: str, may: bool
) -> None:
    one = stored("pay", policy_type, rules)
    asked = Asked(worth=cast("AskingWorth", None), policies={"pay": one}, triage=cast("Triage", None))
    assert effect(one) == does
    assert may_ask(GROUP, asked) is may
    assert may_ask(msgspec.structs.replace(GROUP, name="gone"), asked)


def test_the_words_of_agreement_say_no_more_than_the_interval() -> None:
    assert agreed(AGREEMENT).endswith("Alpha 0.50 (95 %: 0.20 to 0.70): the kind of request decides.")
    doubtful = msgspec.structs.replace(AGREEMENT, alpha_low=-0.1)
    assert agreed(doubtful).endswith("that is no more than chance would show.")
    few = msgspec.structs.replace(AGREEMENT, kinds=4, alpha_low=None, alpha_high=None)
    assert agreed(few).endswith("4 kinds are too few for an interval.")
    alike = msgspec.structs.replace(AGREEMENT, same=1.0, alpha=None)
    assert agreed(alike).endswith("100 % agree: all answers are alike.")


def test_the_words_of_tiring_say_no_more_than_the_interval() -> None:
    found = OperatorTiring(steps=[], n=120, bursts=14, change=0.2, low=0.05, high=0.35, status=AskingStatus.OK)
    assert tired(found).startswith(
        "In the last third of a burst 20.0 points more is allowed than in its first, beyond chance"
    )
    assert "which may be chance" in tired(msgspec.structs.replace(found, low=-0.05))
    assert "ten are needed" in tired(msgspec.structs.replace(found, status=AskingStatus.INSUFFICIENT_DATA))
