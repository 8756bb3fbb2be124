"""The dialogs of webhooks that show a secret: a new one, and another secret for one that is there.

Keys: `webhook_url`, `webhook_events` and `webhook_description` are the members of a new one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import streamlit as st

from assent import Client, Webhook
from assent.contract.webhooks import CreatedWebhook
from assent_dashboard.views import words
from assent_dashboard.views.attempt import attempt
from assent_dashboard.views.settings.dialogs import buttons, end, pressed, written
from assent_dashboard.views.settings.secret import gone, show_secret
from assent_dashboard.views.settings.webhook_list import EVENTS

LONGEST_URL, LONGEST_DESCRIPTION = 2048, 500
SECRET = "The secret"  # noqa: S105 - what it is called, not what it is
ADVICE = "Give it to the receiver, which checks with it that a delivery came from here (Standard Webhooks)."


@dataclass
class NewWebhook:
    client: Client
    title: str = "New webhook"
    made: bool = False
    problem: str | None = field(default=None, init=False)

    def draw(self) -> None:
        if self.made:
            gone(SECRET)
            return
        made = self._make() if pressed() else None
        if made is not None:
            show_secret(made.webhook.secret, SECRET, ADVICE)
        else:
            self._ask()

    def _ask(self) -> None:
        st.text_input(
            "Address",
            key="webhook_url",
            max_chars=LONGEST_URL,
            on_change="ignore",
            placeholder="https://",
            help="https, and reachable from where the service runs",
        )
        st.multiselect("Told of", EVENTS, key="webhook_events", placeholder="Every event", on_change="ignore")
        st.text_input(
            "Description (optional)", key="webhook_description", max_chars=LONGEST_DESCRIPTION, on_change="ignore"
        )
        if self.problem is not None:
            st.error(words.plain(self.problem))
        _, left = buttons("Make the webhook", ":material/add:")
        if left:
            end()

    def _make(self) -> CreatedWebhook | None:
        url, about = written("webhook_url"), written("webhook_description")
        events = list(st.session_state.get("webhook_events") or []) or None
        if not url:
            self.problem = "Give the address that is to be told."
            return None
        made, self.problem = attempt(lambda: self.client.create_webhook(url, events, about or None))
        self.made = made is not None
        return made


@dataclass
class NewSecret:
    client: Client
    webhook: Webhook
    title: str = "Give it a new secret?"
    made: bool = False
    problem: str | None = field(default=None, init=False)

    def draw(self) -> None:
        if self.made:
            gone(SECRET)
            return
        made = self._make() if pressed() else None
        if made is not None:
            show_secret(made.webhook.secret, SECRET, ADVICE)
            return
        st.markdown(
            f"Deliveries to {words.code(self.webhook.url)} are signed with it from now on; for a day, with the old one "
            "too."
        )
        if self.problem is not None:
            st.error(words.plain(self.problem))
        _, left = buttons("Make a new secret", ":material/key:")
        if left:
            end()

    def _make(self) -> CreatedWebhook | None:
        made, self.problem = attempt(lambda: self.client.rotate_webhook_secret(self.webhook.webhook_id))
        self.made = made is not None
        return made
