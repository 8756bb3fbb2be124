"""What a draft would cause, on the page: with a real service behind it, and its words."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest
from msgspec.structs import replace

from assent.contract.analysis.policy_value import PolicyEvaluation, ValueInterval, ValueStatus
from assent_analytics.backtest import evaluate_policy
from assent_dashboard.views.policies.value import (
    STATE,
    chance_in_words,
    estimates,
    given_prices,
    known_in_words,
    overlap_in_words,
    verdict,
)
from tests.analytics.backtest.test_evaluation import BLOCKING, drawn, frames
from tests.benchmarks.exploration import NOBODY
from tests.dashboard.looker import Looker
from tests.live import WAIT
from tests.stories.tenant import Tenant

Look = Callable[..., Looker]


def looked(look: Look, house: Tenant, policy_id: str) -> Looker:
    looker = look(house, "policies")
    looker.page.query_params["policy_id"] = policy_id
    looker.draw()
    looker.page.segmented_control(key="policy_lookings").set_value("What it would cause").run()
    return looker


def answered(looker: Looker) -> Looker:
    looker.press("policy_value")
    assert looker.page.session_state[STATE].wait(WAIT)
    return looker.draw()


def test_what_nobody_saw_is_refused_in_words_before_any_number(look: Look, house: Tenant) -> None:
    for number in range(12):
        action_id = house.create("look", agent_id="bot", session_id=f"s{number}")
        house.call("PATCH", f"/api/actions/{action_id}", {"status": "failed" if number < 3 else "completed"})
    policy_id = house.policy("Ask to look", "require_approval", {"action_types": ["look"]}, mode="observe")
    looker = answered(looked(look, house, policy_id))
    words = looker.words
    for each in (
        "n = 12 decisions in 12 clusters (session).",
        "Does what nobody saw done in 12 of 12 decisions (100 %).",
        "Not identified: in 12 of 12 decisions (100.0%) the policy would do what nobody saw done.",
        "It asks a person in 12, where 0 were asked.",
        "Whether the draft is better than what was done cannot be said from this (by failures): nobody saw",
    ):
        assert each in words, each
    assert words.index("What this rests on") < words.index("Whether the draft is better")
    (rows,) = (each.value for each in looker.page.dataframe if "Outcome" in each.value)
    assert rows["As it was done"].tolist() == ["25 %", "75 %"]
    assert rows["With the draft"].tolist() == ["from 0 % to 100 %"] * 2
    looker.page.number_input(key="policy_price_failure").set_value(10.0).run()
    assert "the prices, the policies or the window changed since" in looker.words
    (rows,) = (each.value for each in answered(looker).page.dataframe if "Outcome" in each.value)
    # A failure costs 10, and of 1,000 decisions 250 failed.
    assert rows["Outcome"].tolist()[-1] == "Cost of 1 000 decisions"
    assert rows["As it was done"].tolist()[-1] == "2,500"


def test_an_empty_workspace_and_one_cluster_are_said(look: Look, house: Tenant) -> None:
    policy_id = house.policy("Block looks", "block_action_type", {"action_types": ["look"]}, mode="observe")
    looker = answered(looked(look, house, policy_id))
    assert "There are no decisions in this window, so nothing can be said." in looker.words
    assert "better than what was done" not in looker.words
    for _ in range(10):
        action_id = house.create("look", agent_id="bot", session_id="one")
        house.call("PATCH", f"/api/actions/{action_id}", {"status": "completed"})
    looker = answered(looked(look, house, policy_id))
    assert "All decisions are of one cluster, so nothing tells how much chance is in it." in looker.words
    assert "Work is lost: 10 of 10 decisions (100.0%) that would be blocked ended well." in looker.words
    (rows,) = (each.value for each in looker.page.dataframe if "Outcome" in each.value)
    assert rows["95 %"].tolist() == ["nothing tells it"] * 2


@cache
def explored() -> PolicyEvaluation:
    """By 30 of 120 draws, of which 6 failed; and 80 others, of which 8 failed."""
    others = [{"action_type": "look", "status": "failed" if at < 8 else "completed"} for at in range(80)]
    return evaluate_policy(*frames(*drawn(120, passed=30, failing=6), *others), NOBODY)


def test_draws_and_their_weights_stand_before_what_they_come_to() -> None:
    said = overlap_in_words(explored())
    assert said[0] == "n = 200 decisions in 200 clusters (session)."
    assert said[1] == "Does what was done in 80 of 200 decisions (40 %): their outcome is known."
    assert said[3] == "Does what a draw could have done in 120 of 200 decisions (60 %)."
    # Of weights that are all 4, the heaviest hundredth is one of 30.
    assert said[4] == (
        "30 draws did what it would: an effective sample size of 30 decisions; the heaviest hundredth has "
        "3.3 % of the weight, and the mean weight is 1.00 (right: 1)."
    )
    assert "no outcome" not in " ".join(said)
    rows = estimates(explored())
    # By hand: 8 and 6 times 4, of 200.
    assert rows["By inverse propensity"][0] == rows["Self-normalised"][0] == "16 %"
    assert rows["As it was done"][0] == "7 %"
    assert rows["Difference"][0].endswith(" points")
    assert " to " in rows["95 %"][0]


@pytest.mark.parametrize(
    ("status", "better", "says"),
    [
        (ValueStatus.OK, True, "The draft is better than what was done, beyond chance (by failures)."),
        (ValueStatus.OK, False, "The draft is worse than what was done, beyond chance (by failures)."),
        (ValueStatus.OK, None, "cannot be said from this (by failures)."),
        (ValueStatus.FEW_CLUSTERS, True, "(by failures): fewer than 10 clusters, so that the intervals may be too"),
        (ValueStatus.NOT_IDENTIFIED, None, "(by failures): nobody saw what it would do in some decisions"),
        (ValueStatus.INSUFFICIENT_DATA, None, "(by failures): one cluster tells nothing of chance."),
    ],
)
def test_the_verdict_says_no_more_than_the_answer(status: ValueStatus, better: bool | None, says: str) -> None:
    assert says in verdict(replace(explored(), status=status, better=better))


def test_what_is_blocked_needs_a_price_of_the_work_that_is_lost() -> None:
    rows = [{"status": "failed" if at < 100 else "completed"} for at in range(400)]
    priced = evaluate_policy(*frames(*rows), BLOCKING, costs=given_prices({"failure": 10.0, "lost_work": 9.0}))
    assert verdict(priced) == "The draft is worse than what was done, beyond chance (by the cost)."
    assert estimates(priced)["Outcome"].to_list() == ["Fail", "Complete", "Cost of 1 000 decisions"]
    assert estimates(priced)["Doubly robust"].to_list() == ["0 %", "0 %", "–"], "nothing that is blocked runs"


def test_prices_are_asked_for_only_where_there_is_one() -> None:
    assert given_prices({"interruption": None, "failure": None, "lost_work": None}) == {}
    assert given_prices({"interruption": None, "failure": 0.0, "lost_work": None}) == {"interruption": 0, "failure": 0}
    assert given_prices({"interruption": 2.0, "failure": None, "lost_work": 3.0}) == {
        "interruption": 2,
        "failure": 0,
        "lost_work": 3,
    }


def test_a_number_a_bound_and_a_chance_are_said_apart() -> None:
    known = ValueInterval(least=0.07, most=0.07, low=None, high=None)
    assert known_in_words(known, share=True) == "7 %"
    assert chance_in_words(known, share=True) == "nothing tells it"
    between = ValueInterval(least=-0.02, most=0.31, low=-0.05, high=0.4)
    assert known_in_words(between, share=True, signed=True) == "from -2.0 points to +31.0 points"
    assert chance_in_words(between, share=True) == "-5.0 points to +40.0 points"
    assert (
        known_in_words(ValueInterval(least=-1250.0, most=-1250.0, low=0, high=0), share=False, signed=True) == "-1,250"
    )
