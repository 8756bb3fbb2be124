"""The section Webhooks of the settings page, with a receiver of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import httpx
import pytest

from assent import EventName
from assent.contract.events import PRIVATE
from assent_dashboard.views.settings.webhooks import EVENTS
from tests.dashboard.looker import Looker
from tests.live import WAIT, LiveService, start_service
from tests.stories.postbox import Postbox, postbox
from tests.stories.tenant import Tenant
from tests.tiers import deep

Look = Callable[..., Looker]


@pytest.fixture(scope="module")
def near(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveService]:
    """A service that may tell receivers on this machine."""
    home = tmp_path_factory.mktemp("near") / "home"
    home.mkdir()
    (home / "assent.toml").write_text("webhooks_to_private_addresses = true\n")
    with start_service(home) as service:
        yield service


@pytest.fixture
def telling(near: LiveService) -> Iterator[Tenant]:
    with httpx.Client(timeout=WAIT, trust_env=False) as http:
        yield Tenant(near, http)


@pytest.fixture
def box() -> Iterator[Postbox]:
    with postbox() as opened:
        yield opened


def webhooks(look: Look, house: Tenant, **address: str) -> Looker:
    looker = look(house, "settings", "admin")
    for name, value in {"section": "webhooks", **address}.items():
        looker.page.query_params[name] = value
    return looker.draw()


def registered(house: Tenant, box: Postbox, **more: object) -> str:
    return str(house.call("POST", "/api/webhooks", {"url": box.url, **more})["webhook"]["webhook_id"])


def test_the_choice_of_events_is_what_the_service_takes(telling: Tenant, box: Postbox) -> None:
    id_ = registered(telling, box, events=list(EVENTS))
    assert set(telling.call("GET", "/api/webhooks")["webhooks"][0]["events"]) == set(EVENTS)
    assert {each.value for each in PRIVATE}.isdisjoint(EVENTS)
    assert {each.value for each in EventName} - {each.value for each in PRIVATE} <= set(EVENTS)
    assert id_


@deep("two processes of apprise; the dialog of a webhook is in the quick tier")
def test_a_notice_is_made_and_tested_without_showing_where_it_goes(look: Look, telling: Tenant, box: Postbox) -> None:
    looker = webhooks(look, telling)
    looker.press("webhooks_new")
    looker.page.text_input(key="webhook_url").set_value(box.url.replace("http://", "json://") + "/kept-to-itself")
    looker.page.text_input(key="webhook_digest").set_value("often")
    looker.press("confirm")
    assert "as a whole number" in looker.words
    looker.page.text_input(key="webhook_digest").set_value("30")
    looker.page.text_input(key="webhook_quiet_from").set_value("22:00")
    looker.page.text_input(key="webhook_quiet_until").set_value("07:00")
    looker.page.text_input(key="webhook_time_zone").set_value("Europe/Berlin")
    looker.press("confirm")
    assert "quiet from 22:00 to 07:00, Europe/Berlin · one in 30 minutes at most" in looker.words
    (made,) = telling.call("GET", "/api/webhooks")["webhooks"]
    looker.press(f"test-{made['webhook_id']}")
    (letter,) = box.letters(1)
    assert letter.said["title"] == "Assent: a test"
    assert "The receiver answered 204 after" in str(looker.page.success[0].value).replace("\\", "")
    looker.press(f"deliveries-{made['webhook_id']}")
    assert "kept-to-itself" not in repr(dict(looker.page.session_state.items())) + looker.words
    assert not [button for button in looker.page.button if button.key == f"secret-{made['webhook_id']}"]


def test_a_new_one_shows_its_secret_once_and_signs_with_it(look: Look, telling: Tenant, box: Postbox) -> None:
    looker = webhooks(look, telling)
    assert "Nobody is told yet" in looker.words
    looker.press("webhooks_new").press("confirm")
    assert "Give the address" in looker.words
    looker.page.text_input(key="webhook_url").set_value(box.url)
    looker.page.multiselect(key="webhook_events").set_value(["action.created"])
    looker.press("confirm")
    (secret,) = [str(code.value) for code in looker.page.code]
    assert secret.startswith("whsec_")
    looker.press("done")
    kept = repr(dict(looker.page.session_state.items())) + looker.words
    assert secret not in kept
    telling.create()
    (letter,) = box.letters(1)
    assert letter.signed_by(secret)
    assert "Told of `action.created`" in looker.words


def test_an_address_inside_is_refused_in_words(look: Look, house: Tenant) -> None:
    looker = webhooks(look, house).press("webhooks_new")
    looker.page.text_input(key="webhook_url").set_value("https://127.0.0.1/hook")
    looker.press("confirm")
    assert "not public" in looker.words
    assert house.call("GET", "/api/webhooks") == {"webhooks": []}


def test_a_test_says_what_came_of_it(look: Look, telling: Tenant, box: Postbox) -> None:
    id_ = registered(telling, box)
    looker = webhooks(look, telling).press(f"test-{id_}")
    assert "The receiver answered 204 after" in looker.page.success[0].value.replace("\\", "")
    box.status = 500
    looker.press(f"test-{id_}")
    assert "did not get through" in looker.words
    assert "500" in looker.words


def test_it_is_switched_off_and_on(look: Look, telling: Tenant, box: Postbox) -> None:
    id_ = registered(telling, box)
    looker = webhooks(look, telling).press(f"switch-{id_}")
    assert telling.call("GET", "/api/webhooks")["webhooks"][0]["active"] is False
    assert "**Off**" in looker.words
    looker.press(f"switch-{id_}")
    assert telling.call("GET", "/api/webhooks")["webhooks"][0]["active"] is True
    assert ":green[:material/check_circle:] **On**" in looker.words


def test_deliveries_are_opened_in_the_address_with_what_went_wrong(look: Look, telling: Tenant, box: Postbox) -> None:
    id_ = registered(telling, box, events=["action.created"])
    box.status = 503
    telling.create()
    box.letters(1)
    looker = webhooks(look, telling).press(f"deliveries-{id_}")
    assert looker.page.query_params["webhook_id"] == [id_] or looker.page.query_params["webhook_id"] == id_
    (table,) = looker.page.dataframe
    row = table.value.iloc[0]
    assert row["Event"] == "action.created"
    assert (row["Status"], row["Answer"]) == ("is tried again", 503)
    looker.press(f"deliveries-{id_}")
    assert len(looker.page.dataframe) == 0
    assert "There is no webhook `wh_x`" in webhooks(look, telling, webhook_id="wh_x").words


def test_a_new_secret_and_the_end_of_one(look: Look, telling: Tenant, box: Postbox) -> None:
    id_ = registered(telling, box)
    looker = webhooks(look, telling).press(f"secret-{id_}").press("confirm")
    (secret,) = [str(code.value) for code in looker.page.code]
    looker.press("done").press(f"test-{id_}")
    assert box.letters(1)[-1].signed_by(secret)
    looker.press(f"delete-{id_}")
    assert telling.call("GET", "/api/webhooks")["webhooks"] != [], "the first press deletes nothing"
    looker.press("confirm")
    assert telling.call("GET", "/api/webhooks") == {"webhooks": []}
    assert "Nobody is told yet" in looker.words
