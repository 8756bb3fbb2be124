"""The address follows the choice that is drawn, however late the browser hears of it."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import WebSocketRoute, expect

from tests.dashboard.browser.dashboard import Operator
from tests.stories.tenant import Tenant
from tests.tiers import deep

BEATS = 3
"""Looks of the banner, each of which names the address that the browser knows."""


class Gate:
    """Holds back what the server says, so that the browser goes on with what it knows. `sent` counts its messages."""

    def __init__(self, desk: Operator) -> None:
        self._closed, self._held, self.sent = False, list[Callable[[], None]](), 0
        desk.page.route_web_socket("**/_stcore/stream", self._connect)

    def close(self) -> None:
        self._closed = True

    def open(self) -> None:
        self._closed = False
        for send in self._held:
            send()
        self._held.clear()

    def _connect(self, browser: WebSocketRoute) -> None:
        server = browser.connect_to_server()

        def asked(message: str | bytes) -> None:
            self.sent += 1
            server.send(message)

        def told(message: str | bytes) -> None:
            if self._closed:
                self._held.append(lambda: browser.send(message))
            else:
                browser.send(message)

        browser.on_message(asked)
        server.on_message(told)


@deep("the rules are tested without a browser")
def test_looks_that_name_the_address_before_a_choice_do_not_take_it_back(desk: Operator, tenant: Tenant) -> None:
    with tenant.client("admin", None) as client:
        for at in range(12):
            made = client.create_action("look", "See", agent_id="bot", confidence=80, risk_score=20 + at)
            client.update_outcome(made.action_id, status="completed", duration_ms=1000 + at)
    gate = Gate(desk)
    desk.sign_in(tenant.keys["admin"], "/scores?part=calibration&window=7d&failure=50")
    expect(desk.page.get_by_label("A missed failure")).to_have_value("50.00")
    desk.settle()
    gate.close()
    desk.page.get_by_role("radio", name="Risk templates").click()
    before = gate.sent
    while gate.sent < before + BEATS:
        desk.page.wait_for_timeout(100)
    gate.open()
    desk.sees("No risk template yet")
    desk.is_at("part=templates")
    # Back is a choice of its own.
    desk.page.go_back()
    desk.is_at("part=calibration")
    desk.heading("Is confidence earned?")
