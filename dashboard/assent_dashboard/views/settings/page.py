"""The page Settings: keys, pairings, identities, webhooks, shifts, and the kill switch.

All but shifts and the kill switch is an admin's; an operator sees what there is and why it cannot be pressed. Who is on
shift everybody sees, and admins say when.

Keys: `settings_head`, `settings_section` (the choice), `settings_again`, `settings_body`; those of the sections are
named where they are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

import polars as pl
import streamlit as st

from assent import EventName, Role
from assent_dashboard.sessions import Session
from assent_dashboard.views.addresses import Section, SettingsAddress
from assent_dashboard.views.answers import FRESH_SECONDS, asked, checked_at
from assent_dashboard.views.controls import choose_part, draw_problems, go, here
from assent_dashboard.views.export import draw_export
from assent_dashboard.views.frame import beat, draw_checked
from assent_dashboard.views.settings import identities, keys, kill_switch, pairings, shifts, webhooks
from assent_dashboard.views.settings.dialogs import PAGE, open_dialog, present, say

LABELS = {
    Section.KEYS: "Keys",
    Section.PAIRINGS: "Pairings",
    Section.IDENTITIES: "Identities",
    Section.WEBHOOKS: "Webhooks",
    Section.SHIFTS: "Shifts",
    Section.KILL_SWITCH: "Kill switch",
}
OF_ADMINS = frozenset(Section) - {Section.SHIFTS, Section.KILL_SWITCH}
WATCHED: Mapping[Section, frozenset[EventName]] = {
    Section.KEYS: frozenset(),
    Section.PAIRINGS: frozenset({EventName.PAIRING_CREATED, EventName.PAIRING_UPDATED}),
    Section.IDENTITIES: frozenset({EventName.IDENTITY_CREATED, EventName.IDENTITY_UPDATED}),
    Section.WEBHOOKS: frozenset(),
    Section.SHIFTS: frozenset({EventName.ROTA_CREATED, EventName.ROTA_UPDATED}),
    Section.KILL_SWITCH: frozenset({EventName.HALT_CHANGED}),
}
"""What the stream tells of each. Of keys and webhooks it never tells anything."""


def section_of(address: SettingsAddress, role: Role) -> Section:
    """The section that an address asks for. A pairing's link needs none; without either, it is the first one that the
    role may use."""
    if address.section is not None:
        return address.section
    if address.pairing_id is not None:
        return Section.PAIRINGS
    return Section.KEYS if role is Role.ADMIN else Section.KILL_SWITCH


def may(section: Section, role: Role) -> bool:
    return section not in OF_ADMINS or role is Role.ADMIN


AGE_SECONDS = 15.0


@dataclass(frozen=True)
class SettingsSection:
    """One section: what it asks for, shows, and lets people take away. `of` is the id of the one thing in it that the
    address names."""

    load: Callable[[Session, str | None], Any]
    draw: Callable[[Session, Any, datetime], None]
    tables: Callable[[Any], Mapping[str, pl.DataFrame]]
    of: Callable[[SettingsAddress], str | None] = lambda _: None


PARTS = {
    Section.KEYS: SettingsSection(keys.load, keys.draw, keys.tables),
    Section.PAIRINGS: SettingsSection(
        pairings.load, pairings.draw, pairings.tables, of=lambda address: address.pairing_id
    ),
    Section.IDENTITIES: SettingsSection(identities.load, identities.draw, identities.tables),
    Section.WEBHOOKS: SettingsSection(
        webhooks.load, webhooks.draw, webhooks.tables, of=lambda address: address.webhook_id
    ),
    Section.SHIFTS: SettingsSection(shifts.load, shifts.draw, shifts.tables),
    Section.KILL_SWITCH: SettingsSection(kill_switch.load, kill_switch.draw, kill_switch.tables),
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
    address, problems = here(SettingsAddress)
    section = section_of(address, session.key.role)
    part = PARTS[section]
    id_ = part.of(address)
    version = _version(session, section)
    barred = not may(section, session.key.role)
    asks = not barred or section is Section.PAIRINGS
    coming = asked(PAGE, lambda: part.load(session, id_), (section, id_, version)) if asks else None
    with st.container(
        key="settings_head", horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        st.title("Settings", width="content", anchor=False)
        export = st.container(width="content")
    choose_part(replace(address, section=section), "section", "Section", LABELS, _open_section)
    draw_problems(problems)
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


def _open_section(section: StrEnum) -> None:
    go(SettingsAddress(section=Section(section)))


def _draw_barred(section: Section, role: Role) -> None:
    st.info(
        f"**{LOCKED[section]} needs an admin key; yours is an {role} key.** Sign out, and in again with an admin key, "
        "or ask whoever holds one.",
        icon=":material/lock:",
    )
    if section in LOCKED_BUTTONS:
        st.button(LOCKED_BUTTONS[section], key=f"{section}_new", icon=":material/add:", disabled=True)
