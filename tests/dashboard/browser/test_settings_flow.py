"""Who may speak to the service, settled in a browser: pairings, keys, and the kill switch."""

from __future__ import annotations

import time
from collections.abc import Callable
from urllib.parse import urlsplit

from playwright.sync_api import Page, WebSocketRoute, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.dashboard.browser.dashboard import Operator
from tests.dashboard.browser.pairing_agent import pairing_agent
from tests.live import WAIT, LiveService
from tests.stories.tenant import Tenant
from tests.tiers import deep

HELD = "() => JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}, document.body.innerHTML])"


def press(page: Page, key: str) -> None:
    page.locator(f".st-key-{key} button").first.click()


class Overtaken:
    """While `on`, each run of the program ends as one does that another run begins before the browser is told."""

    def __init__(self, page: Page) -> None:
        self.on, self.ends = False, 0
        page.route_web_socket("**/_stcore/stream", self._connect)

    def _connect(self, browser: WebSocketRoute) -> None:
        server = browser.connect_to_server()
        server.on_message(lambda message: browser.send(self._changed(message)))

    def _changed(self, message: str | bytes) -> str | bytes:
        assert isinstance(message, bytes)
        said = ForwardMsg.FromString(message)
        if not self.on or said.WhichOneof("type") != "script_finished":
            return message
        self.ends += 1
        said.script_finished = ForwardMsg.ScriptFinishedStatus.FINISHED_EARLY_FOR_RERUN
        changed: bytes = said.SerializeToString()
        return changed

    def happened(self, page: Page) -> None:
        """The end of a run comes after what the run drew."""
        deadline = time.monotonic() + WAIT
        while not self.ends:
            assert time.monotonic() < deadline, "no run was overtaken"
            page.wait_for_timeout(50)


def is_over(page: Page) -> None:
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_an_agent_waits_and_its_link_leads_through_the_sign_in_to_the_approval(
    desk: Operator, tenant: Tenant, page_service: LiveService
) -> None:
    with pairing_agent(page_service.base_url, tenant.keys["agent"]) as agent:
        link = urlsplit(agent.url)
        path = f"{link.path}?{link.query}"
        desk.sign_in(tenant.keys["admin"], path)
        desk.heading("Settings")
        assert desk.page.url == desk.address + path, "the link is kept through the sign-in"
        linked = desk.page.locator(".st-key-linked")
        expect(linked.get_by_text(agent.fingerprint)).to_be_visible()
        linked.get_by_role("button", name="Approve").click()
        dialog = desk.page.get_by_role("dialog")
        dialog.get_by_label("Fingerprint that the agent shows (optional)").fill("sha256:" + "0" * 64)
        press(desk.page, "confirm")
        expect(dialog.get_by_text("two different keys")).to_be_visible()
        assert agent.waits
        dialog.get_by_label("Fingerprint that the agent shows (optional)").fill(agent.fingerprint)
        press(desk.page, "confirm")
        is_over(desk.page)
        assert agent.ended() == {"before": "unknown_key", "status": "approved", "verified": True}
    expect(linked.get_by_text("was approved by")).to_be_visible()


@deep("each page has one flow in the quick tier")
def test_a_pairing_that_is_asked_for_elsewhere_appears_on_the_open_page(
    desk: Operator, tenant: Tenant, page_service: LiveService
) -> None:
    desk.sign_in(tenant.keys["admin"], "/settings?section=pairings")
    desk.sees("No agent waits to be paired.")
    with pairing_agent(page_service.base_url, tenant.keys["agent"]) as agent:
        expect(desk.page.get_by_text(agent.fingerprint)).to_be_visible()


@deep("each page has one flow in the quick tier")
def test_a_key_is_made_used_and_revoked_and_leaves_nothing_behind(desk: Operator, tenant: Tenant) -> None:
    page = desk.page
    overtaken = Overtaken(page)
    desk.sign_in(tenant.keys["admin"], "/settings?section=keys")
    press(page, "keys_new")
    page.get_by_label("Name", exact=True).fill("The night shift")
    page.get_by_role("textbox", name="Bound to the agent").fill("night-shift")
    overtaken.on = True
    press(page, "confirm")
    shown = page.locator(".st-key-secret code")
    expect(shown).to_be_visible()
    expect(page.locator(".st-key-confirm")).to_have_count(0)
    overtaken.happened(page)
    overtaken.on = False
    secret = shown.inner_text().strip()
    own = tenant.call("GET", "/api/keys/own", key=secret)
    assert (own["name"], own["role"], own["agent_id"]) == ("The night shift", "agent", "night-shift")
    # Longer than the page's own beats: nothing takes it away before it is copied.
    page.wait_for_timeout(3000)
    expect(shown).to_be_visible()
    press(page, "done")
    is_over(page)
    expect(page.get_by_text("The night shift")).to_be_visible()
    assert secret not in page.evaluate(HELD)
    assert all(secret not in url for url in desk.asked)
    page.locator(f".st-key-revoke-{own['key_id']} button").click()
    press(page, "confirm")
    is_over(page)
    assert tenant.send("GET", "/api/keys/own", key=secret).status == 401
    expect(page.locator(f".st-key-revoke-{own['key_id']}")).to_have_count(0)


@deep("each page has one flow in the quick tier")
def test_the_kill_switch_shows_on_every_open_page_and_blocks(new_desk: Callable[..., Operator], tenant: Tenant) -> None:
    hand, other = new_desk(), new_desk()
    other.sign_in(tenant.keys["admin"], "/settings?section=keys")
    other.heading("Settings")
    press(other.page, "keys_new")
    name = other.page.get_by_label("Name", exact=True)
    name.fill("Half a na")
    hand.sign_in(tenant.keys["operator"], "/settings?section=kill-switch")
    press(hand.page, "halt")
    hand.page.locator(".st-key-reason textarea").fill("A runaway agent")
    press(hand.page, "confirm")
    is_over(hand.page)
    hand.sees("On: everything is blocked")
    banner = ".st-key-halted"
    expect(hand.page.locator(banner).get_by_text("A runaway agent")).to_be_visible()
    # On a page that was open already, and without taking away what somebody is in the middle of.
    expect(other.page.locator(banner).get_by_text("the operator")).to_be_visible()
    expect(name).to_have_value("Half a na")
    assert tenant.call("POST", "/api/guard", {"action_type": "look"}, key="agent")["decision"] == "block"
    other.open("/")
    expect(other.page.locator(banner)).to_be_visible()
    other.page.locator(banner).get_by_text("To the kill switch").click()
    other.heading("On: everything is blocked")
    press(other.page, "resume")
    press(other.page, "confirm")
    is_over(other.page)
    for desk in (hand, other):
        expect(desk.page.locator(banner)).to_have_count(0)
        desk.heading("Off: guard decides by policy")
    assert tenant.call("POST", "/api/guard", {"action_type": "look"}, key="agent")["decision"] == "allow"
