"""The section Webhooks: who is told, how that goes, and what was sent lately.

`?webhook_id=` opens the deliveries of one. Keys: `webhooks_new` opens the dialog of a new one; `webhook-<webhook_id>`
is the card of one, with the buttons `test-`, `switch-`, `secret-`, `delete-` and `deliveries-<webhook_id>`;
`webhook_deliveries` is the table.
"""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from assent import Client, Webhook
from assent.contract.webhooks import TestedWebhook
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.attempt import attempt
from assent_dashboard.views.empty import empty
from assent_dashboard.views.kept import forget
from assent_dashboard.views.rows import some
from assent_dashboard.views.settings.dialogs import PAGE, Confirming, begin
from assent_dashboard.views.settings.webhook_dialog import NewSecret, NewWebhook
from assent_dashboard.views.settings.webhook_list import WebhookList, outcome, shown, state, told

CAME = "assent_webhook_came"
"""What came of the newest press, by webhook: the sentence, and whether it is good news."""


def draw(session: Session, found: WebhookList, now: datetime) -> None:
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.markdown("Addresses that are told what is recorded, each delivery signed.", width="content")
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
            "A webhook tells another program what happens here: that an approval is asked for, that a signal came on.",
            key="webhooks_empty",
        )
    some(found.webhooks, lambda webhook: _card(session.client, found, webhook, now), name="webhooks")
    if found.opened is not None and found.deliveries is None:
        st.warning(f"There is no webhook {words.code(found.opened)}.", icon=":material/search_off:")


def _card(client: Client, found: WebhookList, webhook: Webhook, now: datetime) -> None:
    id_ = webhook.webhook_id
    opened = found.opened == id_
    with st.container(border=True, key=f"webhook-{id_}", gap="small"):
        st.markdown(f":material/webhook: {words.code(webhook.url)}")
        if webhook.description:
            st.markdown(words.plain(webhook.description))
        st.markdown(state(webhook, now))
        st.caption(f"{told(webhook)} · made {words.ago(webhook.created_at, now)}")
        with st.container(horizontal=True, gap="small"):
            st.button("Send a test", key=f"test-{id_}", icon=":material/send:", on_click=_test, args=(client, webhook))
            st.button(
                "Switch off" if webhook.active else "Switch on",
                key=f"switch-{id_}",
                icon=":material/pause:" if webhook.active else ":material/play_arrow:",
                on_click=_switch,
                args=(client, webhook),
            )
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
            _deliveries(found)


def _deliveries(found: WebhookList) -> None:
    deliveries = found.deliveries or []
    if not deliveries:
        st.caption("Nothing was sent to it yet.")
        return
    failed = sum(1 for each in deliveries if each.status != "delivered")
    says = f"The newest {words.several(len(deliveries), 'delivery', 'deliveries')}, {failed} of them not delivered"
    with st.container(key="webhook_deliveries"):
        st.caption(f"{says}.")
        st.dataframe(shown(deliveries), hide_index=True, alt=says)


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
    if webhook_id is None:
        st.query_params.pop("webhook_id", None)
    else:
        st.query_params["webhook_id"] = webhook_id


def _deleting(client: Client, webhook: Webhook) -> Confirming:
    return Confirming(
        title="Delete this webhook?",
        says=[f"Nothing more is sent to {words.code(webhook.url)}, and what waits to be tried again is given up."],
        label="Delete",
        icon=":material/delete:",
        do=lambda _: client.delete_webhook(webhook.webhook_id),
        done="The webhook was deleted",
    )
