"""The section Webhooks of the settings: who is told what was recorded, programs and, by notices, people; how that goes,
what was sent lately, and the dialogs that show a secret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import polars as pl
import streamlit as st

from assent import Client, EventName, Webhook
from assent.contract.control.signals import SignalType
from assent.contract.events import PRIVATE
from assent.contract.exchange.webhooks import ALL, DeliveryStatus, TestedWebhook, WebhookDelivery
from assent.errors import NotFound
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import SettingsAddress
from assent_dashboard.views.answers import forget, later
from assent_dashboard.views.blocks import empty, some
from assent_dashboard.views.controls import drawn, put
from assent_dashboard.views.press import attempt
from assent_dashboard.views.settings.dialogs import (
    PAGE,
    Confirming,
    Making,
    begin,
    end,
    written,
)

RECENT = 50
KINDS = ("approval_granted", "approval_denied", *(each.value for each in SignalType))
EVENTS = (*KINDS, *sorted(each.value for each in EventName if each not in PRIVATE))
"""What a webhook may be told, the kinds that people ask for first."""
MANY = 4
MARKS = {
    DeliveryStatus.DELIVERED: (":green[:material/check_circle:]", "delivered"),
    DeliveryStatus.RETRYING: (":orange[:material/schedule:]", "is tried again"),
    DeliveryStatus.FAILED: (":red[:material/error:]", "given up"),
}


@dataclass(frozen=True)
class WebhookList:
    """`deliveries` are the newest of the webhook `opened`, None when none is or when it is not there."""

    webhooks: list[Webhook]
    opened: str | None
    deliveries: list[WebhookDelivery] | None


def load(session: Session, opened: str | None) -> WebhookList:
    deliveries = later(lambda: _deliveries(session, opened))
    return WebhookList(session.client.get_webhooks().webhooks, opened, deliveries())


def state(webhook: Webhook, now: datetime) -> str:
    """Markdown: whether it is on, and how it fares."""
    if not webhook.active:
        why = f": {words.plain(webhook.disabled_reason)}" if webhook.disabled_reason else ""
        when = "" if webhook.disabled_at is None else f" {words.ago(webhook.disabled_at, now)}"
        return f":gray[:material/pause_circle:] **Off**{when}{why}"
    if webhook.failing_since is not None:
        said = f":red[:material/error:] **On, and nothing gets through** since {words.moment(webhook.failing_since)}"
        return f"{said}{_again(webhook)}"
    if webhook.retrying:
        return f":orange[:material/schedule:] **On**{_again(webhook)}"
    return ":green[:material/check_circle:] **On**"


def _again(webhook: Webhook) -> str:
    if not webhook.retrying:
        return ""
    return f"; {words.several(webhook.retrying, 'delivery is', 'deliveries are')} tried again"


def in_words(webhook: Webhook) -> str:
    """Markdown: what it is told."""
    if ALL in webhook.events:
        return "Told of every event"
    shown = ", ".join(words.code(name) for name in webhook.events[:MANY])
    more = len(webhook.events) - MANY
    return f"Told of {shown}" + (f" and {more} more" if more > 0 else "")


def when(webhook: Webhook) -> str:
    """Markdown: when a notice is quiet, and how often it comes; empty where it comes at once."""
    quiet = f" · quiet from {webhook.quiet_from} to {webhook.quiet_until}, {words.plain(webhook.time_zone)}"
    often = f" · one in {words.several(webhook.digest_minutes, 'minute', 'minutes')} at most"
    return (quiet if webhook.quiet_from else "") + (often if webhook.digest_minutes else "")


def outcome(tested: TestedWebhook) -> str:
    """What came of a test, in a sentence."""
    took = words.exact(tested.delivery.duration_ms / 1000)
    if tested.success and tested.delivery.response_status is None:
        return f"The notice was taken after {took}."
    if tested.success:
        return f"The receiver answered {tested.delivery.response_status} after {took}."
    return f"The test did not get through: {why(tested.delivery)} (after {took})."


def why(delivery: WebhookDelivery) -> str:
    """What the last attempt came to."""
    if delivery.error:
        return delivery.error
    if delivery.response_status is None:
        return "no answer"
    return f"the receiver answered {delivery.response_status}"


def readable(deliveries: list[WebhookDelivery]) -> pl.DataFrame:
    """Deliveries as people read them."""
    return pl.DataFrame(
        [
            {
                "When": each.created_at,
                "Event": each.event,
                "Status": MARKS[each.status][1],
                "Attempts": each.attempts,
                "Answer": each.response_status,
                "Why": "" if each.status is DeliveryStatus.DELIVERED else words.clean(why(each)),
                "Took": words.exact(each.duration_ms / 1000),
                "Tried again": each.next_attempt_at,
            }
            for each in deliveries
        ],
        schema={
            "When": pl.Datetime("us", "UTC"),
            "Event": pl.String,
            "Status": pl.String,
            "Attempts": pl.Int64,
            "Answer": pl.Int64,
            "Why": pl.String,
            "Took": pl.String,
            "Tried again": pl.Datetime("us", "UTC"),
        },
    )


def tables(found: WebhookList) -> dict[str, pl.DataFrame]:
    """Never a secret: the service shows it masked here, and even that stays out."""
    texts = ("webhook_id", "url", "description", "disabled_reason", "created_by")
    moments = ("created_at", "failing_since", "disabled_at")
    schema: dict[str, pl.DataType | type[pl.DataType]] = dict.fromkeys(texts, pl.String)
    schema |= {"events": pl.List(pl.String), "active": pl.Boolean, "retrying": pl.Int64}
    schema |= {name: pl.Datetime("us", "UTC") for name in moments}
    made = {
        "webhooks": pl.DataFrame([{name: getattr(each, name) for name in schema} for each in found.webhooks], schema)
    }
    if found.deliveries is not None:
        made["deliveries"] = readable(found.deliveries)
    return made


def _deliveries(session: Session, webhook_id: str | None) -> list[WebhookDelivery] | None:
    if webhook_id is None:
        return None
    try:
        return session.client.get_webhook_deliveries(webhook_id, limit=RECENT).deliveries
    except NotFound:
        return None


# The section Webhooks: who is told, how that goes, and what was sent lately.
#
# `?webhook_id=` opens the deliveries of one. Keys: `webhooks_new` opens the dialog of a new one; `webhook-<webhook_id>`
# is the card of one, with the buttons `test-`, `switch-`, `secret-`, `delete-` and `deliveries-<webhook_id>`;
# `webhook_deliveries` is the table.


CAME = "assent_webhook_came"
"""What came of the newest press, by webhook: the sentence, and whether it is good news."""


def headline(webhooks: Sequence[Webhook]) -> str:
    """`3 webhooks and notices: 2 are on, of which 1 gets nothing through; 1 is off.`"""
    on = [each for each in webhooks if each.active]
    failing = sum(each.failing_since is not None for each in on)
    said = f"{words.several(len(webhooks), 'webhook or notice', 'webhooks and notices')}: {words.amount(len(on))} on"
    if failing:
        said += f", of which {words.amount(failing)} {'gets' if failing == 1 else 'get'} nothing through"
    off = len(webhooks) - len(on)
    return f"{said}; {words.amount(off)} off." if off else f"{said}."


def draw(session: Session, found: WebhookList, now: datetime) -> None:
    if found.webhooks:
        st.markdown(f"**{headline(found.webhooks)}**")
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.markdown(
            "Programs that are told what is recorded, each delivery signed; and people, by notices.", width="content"
        )
        st.button(
            "New webhook…",
            key="webhooks_new",
            icon=":material/add:",
            type="primary",
            on_click=lambda: begin(NewWebhook(session.client)),
        )
    if not found.webhooks:
        empty(
            "Nobody is told yet.",
            "A webhook tells another program what happens here: that an approval is asked for, that a signal came on. "
            "A notice tells people, in a chat or by e-mail.",
            key="webhooks_empty",
        )
    some(found.webhooks, lambda webhook: _card(session.client, found, webhook, now), name="webhooks")
    if found.opened is not None and found.deliveries is None:
        st.warning(f"There is no webhook {words.code(found.opened)}.", icon=":material/search_off:")


def _card(client: Client, found: WebhookList, webhook: Webhook, now: datetime) -> None:
    id_ = webhook.webhook_id
    opened = found.opened == id_
    with st.container(border=True, key=f"webhook-{id_}", gap="small"):
        icon = ":material/notifications:" if webhook.notice else ":material/webhook:"
        st.markdown(f"{icon} {words.code(webhook.url)}")
        if webhook.description:
            st.markdown(words.plain(webhook.description))
        st.markdown(state(webhook, now))
        st.caption(f"{in_words(webhook)}{when(webhook)} · made {words.ago(webhook.created_at, now)}")
        with st.container(horizontal=True, gap="small"):
            st.button("Send a test", key=f"test-{id_}", icon=":material/send:", on_click=_test, args=(client, webhook))
            st.button(
                "Switch off" if webhook.active else "Switch on",
                key=f"switch-{id_}",
                icon=":material/pause:" if webhook.active else ":material/play_arrow:",
                on_click=_switch,
                args=(client, webhook),
            )
            if not webhook.notice:
                st.button(
                    "New secret…",
                    key=f"secret-{id_}",
                    icon=":material/key:",
                    on_click=lambda: begin(NewSecret(client, webhook)),
                )
            st.button(
                "Hide deliveries" if opened else "Deliveries",
                key=f"deliveries-{id_}",
                icon=":material/expand_less:" if opened else ":material/list:",
                on_click=_open,
                args=(None if opened else id_,),
            )
            st.button(
                "Delete…",
                key=f"delete-{id_}",
                icon=":material/delete:",
                on_click=lambda: begin(_deleting(client, webhook)),
            )
        came: tuple[str, bool] | None = st.session_state.get(CAME, {}).get(id_)
        if came is not None:
            said, good = came
            (st.success if good else st.error)(
                words.plain(said), icon=":material/check_circle:" if good else ":material/error:"
            )
        if opened and found.deliveries is not None:
            _draw_deliveries(found)


def _draw_deliveries(found: WebhookList) -> None:
    deliveries = found.deliveries or []
    if not deliveries:
        st.caption("Nothing was sent to it yet.")
        return
    failed = sum(1 for each in deliveries if each.status != "delivered")
    says = f"The newest {words.several(len(deliveries), 'delivery', 'deliveries')}, {failed} of them not delivered"
    with st.container(key="webhook_deliveries"):
        st.caption(f"{says}.")
        st.dataframe(readable(deliveries), hide_index=True, alt=says)


def _test(client: Client, webhook: Webhook) -> None:
    tested: TestedWebhook | None
    tested, problem = attempt(lambda: client.test_webhook(webhook.webhook_id))
    _came(webhook, problem or "") if tested is None else _came(webhook, outcome(tested), good=tested.success)


def _switch(client: Client, webhook: Webhook) -> None:
    _, problem = attempt(lambda: client.update_webhook(webhook.webhook_id, active=not webhook.active))
    if problem is not None:
        _came(webhook, problem)
    else:
        off = "It is off: nothing is sent to it."
        _came(webhook, off if webhook.active else "It is on: it is told what is recorded from now on.", good=True)


def _came(webhook: Webhook, said: str, *, good: bool = False) -> None:
    st.session_state[CAME] = {webhook.webhook_id: (said, good)}
    forget(PAGE)


def _open(webhook_id: str | None) -> None:
    st.session_state.pop(CAME, None)
    put(drawn(SettingsAddress), webhook_id=webhook_id)


def _deleting(client: Client, webhook: Webhook) -> Confirming:
    return Confirming(
        title="Delete this webhook?",
        says=[f"Nothing more is sent to {words.code(webhook.url)}, and what waits to be tried again is given up."],
        label="Delete",
        icon=":material/delete:",
        do=lambda _: client.delete_webhook(webhook.webhook_id),
        done="The webhook was deleted",
    )


# The dialogs of webhooks that show a secret: a new one, and another secret for one that is there.
#
# Keys: `webhook_url`, `webhook_events` and `webhook_description` are the members of a new one, `webhook_quiet_from`,
# `webhook_quiet_until`, `webhook_time_zone` and `webhook_digest` those of a notice alone.


LONGEST_URL, LONGEST_DESCRIPTION = 2048, 500
ADVICE = "Give it to the receiver, which checks with it that a delivery came from here (Standard Webhooks)."


@dataclass
class NewWebhook(Making):
    title = "New webhook"
    what, advice, label = "The secret", ADVICE, "Make the webhook"

    client: Client

    def ask(self) -> None:
        st.text_input(
            "Address",
            key="webhook_url",
            max_chars=LONGEST_URL,
            on_change="ignore",
            placeholder="https://",
            help="https, for a program; or for people an address as apprise writes it, such as slack://... or "
            "mailtos://..., which is not shown again",
        )
        st.multiselect("Told of", EVENTS, key="webhook_events", placeholder="Every event", on_change="ignore")
        st.text_input(
            "Description (optional)", key="webhook_description", max_chars=LONGEST_DESCRIPTION, on_change="ignore"
        )
        with st.expander("When a notice comes"):
            st.text_input("Quiet from", key="webhook_quiet_from", placeholder="22:00", on_change="ignore")
            st.text_input("Until", key="webhook_quiet_until", placeholder="07:00", on_change="ignore")
            st.text_input("Time zone", key="webhook_time_zone", placeholder="Europe/Berlin", on_change="ignore")
            st.text_input(
                "Minutes from one to the next at least", key="webhook_digest", placeholder="0", on_change="ignore"
            )

    def make(self) -> str | None:
        url, about = written("webhook_url"), written("webhook_description")
        events = list(st.session_state.get("webhook_events") or []) or None
        if not url:
            self.problem = "Give the address that is to be told."
            return None
        minutes = written("webhook_digest")
        if minutes and not (minutes.isascii() and minutes.isdecimal()):
            self.problem = "Give the minutes from one notice to the next as a whole number."
            return None
        made, self.problem = attempt(
            lambda: self.client.create_webhook(
                url,
                events,
                about or None,
                quiet_from=written("webhook_quiet_from") or None,
                quiet_until=written("webhook_quiet_until") or None,
                time_zone=written("webhook_time_zone") or None,
                digest_minutes=int(minutes[:9]) if minutes else None,
            )
        )
        if made is not None and made.webhook.notice:
            end("The notice was made; send a test to see where it comes out")
            return None
        return None if made is None else made.webhook.secret


@dataclass
class NewSecret(Making):
    title = "Give it a new secret?"
    what, advice, label, icon = NewWebhook.what, ADVICE, "Make a new secret", ":material/key:"

    client: Client
    webhook: Webhook

    def ask(self) -> None:
        st.markdown(
            f"Deliveries to {words.code(self.webhook.url)} are signed with it from now on; for a day, with the old one "
            "too."
        )

    def make(self) -> str | None:
        made, self.problem = attempt(lambda: self.client.rotate_webhook_secret(self.webhook.webhook_id))
        return None if made is None else made.webhook.secret
