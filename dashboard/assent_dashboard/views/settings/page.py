"""The page Settings: keys, pairings, identities, webhooks, and the kill switch.

`/settings?section=keys` opens a section, `?section=pairings&pairing_id=pair_...` the pairing that an agent's link leads
to, `?section=webhooks&webhook_id=wh_...` the deliveries of a webhook. All but the kill switch is an admin's; an
operator sees what there is and why it cannot be pressed.

Keys: `settings_head`, `settings_section` (the choice), `settings_again`, `settings_body`; those of the sections are
named where they are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import polars as pl
import streamlit as st

from assent import Role
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.checked import draw_checked
from assent_dashboard.views.export import draw_export
from assent_dashboard.views.kept import FRESH_SECONDS, asked, checked_at
from assent_dashboard.views.live import beat
from assent_dashboard.views.part import draw_part
from assent_dashboard.views.settings import (
    identities,
    identity_list,
    key_list,
    keys,
    kill_switch,
    pairing_list,
    pairings,
    webhook_list,
    webhooks,
)
from assent_dashboard.views.settings.dialogs import PAGE, open_dialog, present, say
from assent_dashboard.views.settings.sections import LABELS, WATCHED, Section, may, read

AGE_SECONDS = 15.0
LONGEST_ID = 128


@dataclass(frozen=True)
class Part:
    """One section: what it asks for (given the id in the address), shows, and lets people take away. `of` is the member
    of the address that names one thing in it."""

    load: Callable[[Session, str | None], Any]
    draw: Callable[[Session, Any, datetime], None]
    tables: Callable[[Any], Mapping[str, pl.DataFrame]]
    of: str | None = None


PARTS = {
    Section.KEYS: Part(key_list.load, keys.draw, key_list.tables),
    Section.PAIRINGS: Part(pairing_list.load, pairings.draw, pairing_list.tables, of="pairing_id"),
    Section.IDENTITIES: Part(identity_list.load, identities.draw, identity_list.tables),
    Section.WEBHOOKS: Part(webhook_list.load, webhooks.draw, webhook_list.tables, of="webhook_id"),
    Section.KILL_SWITCH: Part(kill_switch.load, kill_switch.draw, kill_switch.tables),
}
LOCKED = {
    Section.KEYS: "Making, listing and revoking keys",
    Section.PAIRINGS: "Approving the keys of agents",
    Section.IDENTITIES: "Saying which key an agent signs with",
    Section.WEBHOOKS: "Saying who is told what was recorded",
}
LOCKED_BUTTONS = {Section.KEYS: "New key…", Section.IDENTITIES: "Register a key…", Section.WEBHOOKS: "New webhook…"}


def show(session: Session) -> None:
    st.set_page_config(page_title="Settings · Assent")
    address = st.query_params.to_dict()
    # A link from another page reaches the script and not the browser's address; saying it again does.
    st.query_params.from_dict(address)
    section, problem = read(address, session.key.role)
    part = PARTS[section]
    id_ = (address.get(part.of, "").strip()[:LONGEST_ID] or None) if part.of else None
    version = _version(session, section)
    barred = not may(section, session.key.role)
    asks = not barred or section is Section.PAIRINGS
    coming = asked(PAGE, lambda: part.load(session, id_), (section, id_, version)) if asks else None
    with st.container(
        key="settings_head", horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        st.title("Settings", width="content", anchor=False)
        export = st.container(width="content")
    _choose(section)
    if problem is not None:
        st.warning(words.plain(problem), icon=":material/warning:")
    kept = None if coming is None else coming()
    now = session.clock.now()
    if kept is not None and not barred:
        draw_checked(PAGE, checked_at(session, kept), now)
        with export:
            draw_export(PAGE, part.tables(kept.answer), f"{now:%Y-%m-%d}")
    with st.container(key="settings_body"):
        if kept is None or barred:
            _draw_barred(section, session.key.role)
            if kept is not None:
                pairings.draw_barred(kept.answer, now)
        else:
            part.draw(session, kept.answer, now)
    dialog = present()
    if dialog is not None:
        open_dialog(dialog)
    say()
    beat(
        lambda: _version(session, section) != version or (kept is not None and kept.age >= FRESH_SECONDS),
        age=AGE_SECONDS,
        paused=dialog is not None,
    )


def _version(session: Session, section: Section) -> int:
    """What the stream has told of the section so far."""
    return session.feed.version(WATCHED[section]) if WATCHED[section] else 0


def _choose(section: Section) -> None:
    draw_part("Section", "settings_section", section, LABELS, _go)


def _go() -> None:
    chosen = Section(st.session_state["settings_section"])
    st.query_params.from_dict({"section": chosen.value})


def _draw_barred(section: Section, role: Role) -> None:
    st.info(
        f"**{LOCKED[section]} needs an admin key; yours is an {role} key.** Sign out, and in again with an admin key, "
        "or ask whoever holds one.",
        icon=":material/lock:",
    )
    if section in LOCKED_BUTTONS:
        st.button(LOCKED_BUTTONS[section], key=f"{section}_new", icon=":material/add:", disabled=True)
