"""The page of PCAA health: with a real service behind it, and its words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assent.contract.evidence.pcaa import CheckpointId
from assent.contract.evidence.pcaa_gaps import PcaaEstimate, PcaaGap
from assent_dashboard.views import pcaa as pcaa_words
from assent_dashboard.views.pcaa import estimate_rows, lacking, of_its_kind
from tests.dashboard.looker import Looker
from tests.stories.tenant import Tenant

Look = Callable[..., Looker]
ASKED = ["GET /api/pcaa/gaps"]
LONG_AGO = "2026-01-02T03:04:05Z"


def gap(**changed: object) -> PcaaGap:
    members: dict[str, object] = {
        "id": CheckpointId.OUTCOME_CLOSURE,
        "agent_id": "bot",
        "action_type": "pay",
        "expected": 1200,
        "missing": 3,
        "newest_action_id": "act_1",
    }
    return PcaaGap(**(members | changed))  # type: ignore[arg-type]  # a gap of its members


@pytest.fixture
def risky(house: Tenant) -> str:
    """An action that is over and owed an assumption, beside one that has everything."""
    owed = house.create("refund", agent_id="bot", declared_goal="Refund", risk_score=90)
    house.call("PATCH", f"/api/actions/{owed}", {"status": "completed", "output_summary": "done"})
    fine = house.create("look", agent_id="seer", declared_goal="Look")
    house.call("PATCH", f"/api/actions/{fine}", {"status": "completed", "output_summary": "done"})
    return owed


def test_an_empty_workspace_says_what_to_do_next(look: Look, house: Tenant) -> None:
    looker = look(house, "pcaa").draw()
    assert "No action happened in the last 30 days" in looker.words
    assert any("client.track" in str(each.value) for each in looker.page.code)
    assert "Guard decided before the action ran." in looker.words, "the words are explained all the same"


def test_numbers_have_their_interval_and_n(look: Look, house: Tenant, risky: str) -> None:
    looker = look(house, "pcaa").draw()
    found = house.call("GET", "/api/pcaa/gaps?window=30d")["all"]
    shown = {metric.label: metric.value for metric in looker.page.metric}
    assert shown["Reached approval"] == "0 %"
    assert set(shown) == {"Checkpoint coverage", "Reached approval", "Evidence completion"}
    low, high = found["coverage"]["low"], found["coverage"]["high"]
    assert f"95 %: {low:.1f} to {high:.1f}, n = 2 actions." in looker.words


def test_what_is_missing_leads_to_the_actions(look: Look, house: Tenant, risky: str) -> None:
    looker = look(house, "pcaa").draw()
    assert "**Assumption** is missing from 1 of 1 action: **bot** · `refund`" in looker.words
    assert f"/ledger?action_id={risky}" in looker.words
    assert "/ledger?window=30d&action_type=refund&agent_id=bot" in looker.words
    assert "Have the agent call `record_assumption`" in looker.words
    assert "Have the agent call `update_outcome`" not in looker.words, "none lacks an outcome"


def test_a_look_again_asks_nothing_and_checking_again_does(look: Look, house: Tenant, risky: str) -> None:
    looker = look(house, "pcaa").draw()
    assert [each for each in sorted(looker.requests.take()) if "pcaa" in each] == ASKED
    assert looker.draw().requests.take() == []
    assert sorted(looker.press("pcaa_again").requests.take()) == ASKED


def test_the_address_narrows_everything(look: Look, house: Tenant, risky: str) -> None:
    looker = look(house, "pcaa")
    looker.page.query_params["agent_id"] = "seer"
    looker.draw()
    assert "**Nothing is missing.**" in looker.words
    assert "n = 1 action." in looker.words
    looker.page.query_params["action_type"] = "refund"
    assert "No action happened in the last 30 days that fits." in looker.draw().words


def test_who_is_compared_is_chosen(look: Look, house: Tenant, risky: str) -> None:
    looker = look(house, "pcaa").draw()
    looker.page.segmented_control(key="pcaa_by").set_value("Type")
    looker.page.segmented_control(key="pcaa_number").set_value("Evidence")
    looker.draw()
    assert looker.requests.take(), "of the first drawing"
    table = looker.page.dataframe[-1].value
    assert sorted(table["Type"]) == ["look", "refund"]
    assert looker.draw().requests.take() == []


def test_strangers_words_stay_words() -> None:
    said = pcaa_words.gap(gap(agent_id="![x](http://evil)", action_type="`x`"))
    assert r"\!\[x\]" in said
    assert "`` `x` ``" in said
    assert "3 of 1\u202f200 actions" in said
    assert "no agent named" in pcaa_words.gap(gap(agent_id=None))


def test_the_ways_to_the_ledger() -> None:
    assert of_its_kind(gap(), "7d") == {"window": "7d", "action_type": "pay", "agent_id": "bot", "status": "running"}
    assert of_its_kind(gap(agent_id=None, id=CheckpointId.APPROVAL), "1d") == {"window": "1d", "action_type": "pay"}


def test_what_to_do_is_told_once_for_each_checkpoint_in_their_order() -> None:
    gaps = [gap(), gap(agent_id="other"), gap(id=CheckpointId.ASSUMPTION_CAPTURE)]
    assert lacking(gaps) == [CheckpointId.ASSUMPTION_CAPTURE, CheckpointId.OUTCOME_CLOSURE]
    assert set(pcaa_words.EXPLAINED) == set(CheckpointId)


def test_an_estimate_of_nothing_is_no_number() -> None:
    assert pcaa_words.estimated(PcaaEstimate(value=None, low=0, high=100)) == "–"
    assert pcaa_words.estimated(PcaaEstimate(value=97.46, low=90.04, high=99)) == "97.5 % (95 %: 90.0 to 99.0)"
    assert estimate_rows([], "coverage").height == 0
