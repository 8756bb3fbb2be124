"""The answer of the service was lost: no page claims that nothing happened, and each says how to find out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import pytest

from assent import Client
from assent.errors import ConnectionFailed
from tests.dashboard.analysis.drifting import drifted
from tests.dashboard.looker import Looker
from tests.stories.tenant import Tenant
from tests.tiers import deep

Look = Callable[..., Looker]
DENIED = ("Nothing was", "Not done", "Not saved", "Not switched", "Not added")


@pytest.fixture
def lose(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """From now on this operation is carried out, and its answer does not arrive."""

    def lose(operation: str) -> None:
        really = getattr(Client, operation)

        def answerless(client: Client, *given: Any, **named: Any) -> NoReturn:
            really(client, *given, **named)
            raise ConnectionFailed(url="http://127.0.0.1", reason="the connection was closed", uncertain=True)

        monkeypatch.setattr(Client, operation, answerless)

    return lose


def in_doubt(looker: Looker) -> bool:
    said = looker.words
    return "may have been carried out: " in said and not [each for each in DENIED if each in said]


def test_a_template_that_was_added(look: Look, house: Tenant, lose: Callable[[str], None]) -> None:
    looker = look(house, "scores", "admin")
    looker.page.query_params["part"] = "templates"
    looker.draw()
    looker.page.text_input(key="scores_draft_name").set_value("Ours").run()
    lose("create_risk_template")
    assert in_doubt(looker.press("scores_draft_make"))
    assert "Ours" in looker.words, "the page shows what is there now"


@deep("one of each page's decisions is in the quick tier")
def test_an_alert_that_was_removed(look: Look, house: Tenant, lose: Callable[[str], None]) -> None:
    alert = drifted(house)
    looker = look(house, "drift", "admin").draw()
    lose("delete_drift_alert")
    assert in_doubt(looker.press(f"drift_removed_{alert.id}"))
    assert not looker.has(f"drift_removed_{alert.id}")


@deep("one of each page's decisions is in the quick tier")
def test_a_policy_that_was_switched_off(look: Look, house: Tenant, lose: Callable[[str], None]) -> None:
    policies = house.call("GET", "/api/policies")["policies"]
    policy_id = next(each["policy_id"] for each in policies if each["name"] == "Nobody wipes")
    looker = look(house, "policies", "admin").draw().press(f"policy_switch_{policy_id}")
    lose("update_policy")
    assert in_doubt(looker.press("policy_confirm"))
    looker.press("policy_cancel")
    assert looker.page.button(key=f"policy_switch_{policy_id}").label == "Switch on", "the list is asked for anew"


def test_a_policy_that_was_made(look: Look, house: Tenant, lose: Callable[[str], None]) -> None:
    looker = look(house, "policies", "admin")
    looker.page.query_params["policy_id"] = "new"
    looker.draw()
    looker.page.text_input(key="policy_name").set_value("Ours").run()
    looker.page.selectbox(key="policy_type").set_value("rate_limit").run()
    looker.draw()
    lose("create_policy")
    looker.press("policy_save").press("policy_save_anyway")
    assert in_doubt(looker)
    assert "look at the list of policies" in looker.words
    del looker.page.query_params["policy_id"]
    assert "Ours" in looker.draw().words
