"""The section Shifts of the settings: who is on shift now, in which groups with which weekly hours, and the form in
which an admin says so, as JSON.

Keys: `duty` holds who is on shift, `rota_edit` opens the form, `rota_text` is its text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec
import polars as pl
import streamlit as st

from assent import Client, Role
from assent.contract.people.rota import DAYS, ROTA_BYTES, Duty, GroupDuty, OperatorGroup, SetRota, Shift
from assent.contract.prepared import prepared
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.press import attempt
from assent_dashboard.views.settings.dialogs import begin, buttons, end, present

TEXT = "rota_text"
MIDNIGHT = "00:00"
SHORT = {day: day.value[:3].capitalize() for day in DAYS}


def load(session: Session, _: str | None) -> Duty:
    return session.client.get_rota()


def draw(session: Session, duty: Duty, now: datetime) -> None:
    admin = session.key.role is Role.ADMIN
    with st.container(border=True, key="duty"):
        st.header(heading(duty), anchor=False)
        st.markdown("\n".join(f"- {line(each, now)}" for each in duty.groups) or "There are no groups yet.")
        if duty.rota is not None:
            by = words.plain(duty.rota.updated_by)
            st.caption(
                f"Set by **{by}** {words.ago(duty.rota.updated_at, now)} ({words.moment(duty.rota.updated_at)})."
            )
        st.button(
            "Change…",
            key="rota_edit",
            icon=":material/edit_calendar:",
            on_click=lambda: begin(Editing(session.client, duty)),
            disabled=not admin,
            help=None if admin else "An admin says who is on shift when.",
        )
    if duty.rota is not None:
        st.header("Weekly hours", anchor=False)
    for group in () if duty.rota is None else duty.rota.groups:
        st.markdown(f"**{words.plain(group.name)}** ({words.plain(', '.join(group.members))})")
        zone = words.plain(group.time_zone)
        st.markdown("\n".join(f"- {hours(each)}, {zone}" for each in group.shifts) or "- no hours")
    st.caption(
        "A member is the key of an operator or an admin, by its name, such as an e-mail address. "
        "Who is on shift is told above the inbox. It restricts nobody: whoever may decide still may."
    )


def heading(duty: Duty) -> str:
    """Markdown: whether somebody is on shift; a gap says so."""
    if duty.rota is None:
        return ":gray[:material/schedule: Nobody has said who is on shift when]"
    if duty.covered:
        return ":green[:material/check_circle: Somebody is on shift]"
    until = "" if duty.next_at is None else f" until {words.moment(duty.next_at)}"
    return f":red[:material/error: Nobody is on shift{until}]"


def line(group: GroupDuty, now: datetime) -> str:
    """Markdown: whether a group is on shift, until when, and who has no key."""
    name = f"**{words.plain(group.name)}**"
    if group.on_shift:
        end_ = "always" if group.until is None else f"until {words.moment(group.until)}"
        who = ", ".join(words.plain(each.name) for each in group.operators) or "nobody with a valid key"
        said = f"{name} is on shift, {end_}: {who}"
    elif group.next_at is not None:
        said = f"{name} comes on shift at {words.moment(group.next_at)}"
    else:
        said = f"{name} is never on shift"
    unknown = ", ".join(words.plain(each) for each in group.unknown)
    return f"{said}. :orange[Without a valid key: {unknown}]" if unknown else f"{said}."


def hours(shift: Shift) -> str:
    """`Mon, Tue 09:00 to 17:00`, `Fri 22:00 to 06:00 of the day after`, `every day, all day`. A shift that ends when it
    begins lasts a day."""
    days = (
        "every day" if set(DAYS) <= set(shift.days) else ", ".join(SHORT[each] for each in DAYS if each in shift.days)
    )
    if shift.start == shift.end == MIDNIGHT:
        return f"{days}, all day"
    after = "" if shift.end > shift.start else " of the day after"
    return f"{days} {shift.start} to {shift.end}{after}"


def tables(duty: Duty) -> dict[str, pl.DataFrame]:
    schema: dict[str, Any] = {
        "group": pl.String,
        "member": pl.String,
        "time_zone": pl.String,
        "days": pl.List(pl.String),
        "start": pl.String,
        "end": pl.String,
    }
    rows = [
        (group.name, member, group.time_zone, [str(day) for day in shift.days], shift.start, shift.end)
        for group in (() if duty.rota is None else duty.rota.groups)
        for member in group.members
        for shift in group.shifts
    ]
    return {"shifts": pl.DataFrame(rows, schema=schema, orient="row")}


EXAMPLE = msgspec.convert(SetRota.example, prepared(SetRota)).groups


def written(groups: Sequence[OperatorGroup]) -> str:
    return msgspec.json.format(msgspec.json.encode(groups), indent=2).decode()


@dataclass
class Editing:
    """The form. It is checked by the service, which says what is wrong and where."""

    client: Client
    duty: Duty
    problem: str | None = field(default=None, init=False)

    title = "Who is on shift when"

    def draw(self) -> None:
        groups = EXAMPLE if self.duty.rota is None else self.duty.rota.groups
        st.markdown("All groups at once. A shift whose `end` is not later than its `start` ends on the day after.")
        text = st.text_area("Groups, as JSON", written(groups), key=TEXT, max_chars=4 * ROTA_BYTES, height=360) or ""
        problem = st.empty()
        saved, left = buttons("Save", ":material/save:", danger=True)
        if left:
            end()
        elif saved:
            self.save(text)
        if self.problem is not None and present() is self:
            problem.error(words.plain(self.problem))

    def save(self, text: str) -> None:
        try:
            groups = msgspec.convert({"groups": msgspec.json.decode(text)}, prepared(SetRota)).groups
        except (msgspec.MsgspecError, RecursionError) as error:
            self.problem = str(error)
            return
        _, self.problem = attempt(lambda: self.client.set_rota(groups))
        if self.problem is None:
            end("The shifts are set")
