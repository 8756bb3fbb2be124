"""Triage on the page Asking: what passes without asking, what bounds it, its alarms; giving a plan, and stopping it.

Keys: `triage` (the whole), `triage_<number>` (a type of action); `triage_stop` and `triage_stopped` are the popover
that stops it and its button, `triage_give` and `triage_given` those of a plan, with `triage_types`, `triage_alpha`,
`triage_delta`, `triage_room`, `triage_audited`, `triage_hours` and `triage_reason`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec
import polars as pl
import streamlit as st

from assent import EventName, Role
from assent.contract.control.triage import (
    LEAST_ALPHA,
    MOST_ALPHA,
    MOST_DELTA,
    MOST_HOURS,
    MOST_STRATA,
    Triage,
    TriagePlan,
    TriageState,
    TriageStratum,
    settles,
)
from assent.contract.roles import OPERATING
from assent_analytics.triage import Plan, audits_needed
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.answers import forget
from assent_dashboard.views.press import attempt, report

EVENTS = frozenset({EventName.TRIAGE_PLAN_CREATED, EventName.TRIAGE_PLAN_STOPPED})
PAGE = "asking"
STATES: dict[TriageState, str] = {
    TriageState.LEARNING: ":blue-badge[:material/school: learning]",
    TriageState.PASSING: ":green-badge[:material/fast_forward: passing]",
    TriageState.WAITING: ":blue-badge[:material/hourglass_empty: waiting for audits]",
    TriageState.FALLEN_BACK: ":orange-badge[:material/warning: fallen back to asking]",
}
LONGEST_REASON = 2000
NO_TYPE = "Choose a type of action first."
PERCENT = (
    ("Harmful share of what passes of each type, at most %", "alpha", 100 * LEAST_ALPHA, MOST_ALPHA),
    ("Probability that it is more in any, %", "delta", 0.1, MOST_DELTA),
    ("Asked anyway, at least %", "audited", 5.0, 0.9),
)
"""What is given in per cent: its label, name, and bounds."""


def summary(triage: Triage) -> str:
    """`Triage is on for 2 types: 1 200 actions passed without asking, at most 12 of them harmful (60 are accepted).
    People were asked about 340, 120 of them as audits.`"""
    if triage.plan is None:
        return "Triage is off: people are asked about everything that a policy wants a person for."
    passed, bound, asked, audited = (
        sum(getattr(each, name) for each in triage.strata) for name in ("passed", "bound", "asked", "audited")
    )
    accepted = words.amount(sum(int(each.budget) for each in triage.strata))
    back = [words.plain(each.action_type) for each in triage.strata if each.state is TriageState.FALLEN_BACK]
    alarm = f" An alarm has everything asked again: {', '.join(back)}." if back else ""
    return (
        f"Triage is on for {words.several(len(triage.strata), 'type')}: {words.several(passed, 'action')} passed "
        f"without asking, at most {words.amount(bound)} of them harmful ({accepted} are accepted). People were asked "
        f"about {words.amount(asked)}, {words.amount(audited)} of them as audits.{alarm}"
    )


def promise(plan: TriagePlan) -> str:
    """What a plan promises, in a sentence."""
    return (
        f"Of what passes of each type at most {words.percent(100 * plan.alpha)} is harmful, or "
        f"{words.several(plan.room, 'action')} until {words.amount(settles(plan.room, plan.alpha))} have passed, but "
        f"for a probability of {words.percent(100 * plan.delta)}; at least "
        f"{words.percent(100 * plan.least_audited)} is asked anyway. What has not ended after "
        f"{words.span(3600 * plan.horizon_hours)} counts as never known."
    )


def stands(stratum: TriageStratum) -> str:
    """How a type stands, in numbers."""
    below = (
        "nothing passes yet"
        if stratum.threshold is None
        else f"below risk {stratum.threshold:g} all but {words.percent(100 * stratum.audit_share)} passes"
        if stratum.audit_share < 1
        else "everything is asked"
    )
    return (
        f"{below} · {words.amount(stratum.passed)} passed, {words.amount(stratum.known_harmful)} known to be harmful, "
        f"at most {words.amount(stratum.bound)} of {words.amount(int(stratum.budget))} accepted · "
        f"{words.amount(stratum.asked)} asked, {words.several(stratum.audited, 'audit')}, "
        f"{words.amount(stratum.pending)} not known yet"
    )


def table(triage: Triage) -> pl.DataFrame:
    """For the export: a row for each type, its alarms counted."""
    rows = [msgspec.to_builtins(each) | {"alarms": len(each.alarms)} for each in triage.strata]
    return pl.DataFrame(rows, infer_schema_length=None)


def cost(alpha: float, delta: float, room: int | None, audited: float, types: int) -> str:
    """How many have to be asked before anything passes; or why such a plan cannot be kept."""
    if not types:
        return NO_TYPE
    try:
        plan = Plan(alpha=alpha, delta=delta, room=room, least_audited=audited, strata=types)
    except ValueError as error:
        return f"Such a plan cannot be kept: {error}."
    needed = words.amount(audits_needed(alpha, plan.delta_of(0) / plan.starts))
    accepted = plan.budget(0)
    return (
        f"Of each type {needed} below the threshold have to be asked about, none of them harmful, before any passes; "
        f"more, if some are. Until {words.amount(settles(accepted, alpha))} of a type have passed, "
        f"{words.several(int(accepted), 'harmful one')} may be among them."
    )


def draw_triage(session: Session, triage: Triage, types: Iterable[str]) -> None:
    """`types` are those that a plan may be given for, as far as they are known here."""
    st.header("What passes without asking", anchor=False)
    with st.container(key="triage", gap="small"):
        st.markdown(f"**{summary(triage)}**")
        plan = triage.plan
        if plan is None:
            st.caption(
                "Triage lets pass by itself what audits have certified to be harmless, and asks about a random share "
                "all the same. It never lets pass what cannot be undone, what the scan matched, what a policy always "
                "asks about, or a risk of 70 and more."
            )
        else:
            st.caption(f"{promise(plan)} All agents together, since {words.moment(plan.created_at)}.")
            why = f": “{words.plain(plan.reason)}”" if plan.reason else "."
            st.caption(f"Given by **{words.plain(plan.created_by_name)}**{why}")
            for number, stratum in enumerate(triage.strata):
                _stratum(stratum, number)
        with st.container(horizontal=True, gap="small"):
            if plan is not None:
                _stopping(session)
            _giving(session, plan, types)


def _stratum(stratum: TriageStratum, number: int) -> None:
    with st.container(border=True, key=f"triage_{number}", gap="xsmall"):
        st.markdown(f"{STATES[stratum.state]} {words.code(stratum.action_type)}: {words.plain(stratum.says)}")
        st.caption(stands(stratum))
        for alarm in stratum.alarms:
            st.markdown(f":orange[:material/notification_important:] {words.plain(alarm.says)}")


def _stopping(session: Session) -> None:
    may = session.key.role in OPERATING
    with st.popover("Stop triage…", icon=":material/front_hand:", key="triage_stop"):
        st.markdown(
            "People are asked about everything again, at once. A later plan begins anew, with nothing certified."
            if may
            else "To stop it, an operator's or an admin's key is needed."
        )
        st.button(
            "Ask about everything",
            key="triage_stopped",
            type="primary",
            disabled=not may,
            on_click=_do,
            args=(session.client.stop_triage, "Triage is off: people are asked about everything"),
        )


def _giving(session: Session, plan: TriagePlan | None, types: Iterable[str]) -> None:
    """The numbers are those of the plan that is on, at first."""
    may = session.key.role is Role.ADMIN
    first: dict[str, object] = {
        "types": [] if plan is None else list(plan.action_types),
        "alpha": 5.0 if plan is None else 100 * plan.alpha,
        "delta": 5.0 if plan is None else 100 * plan.delta,
        "room": None if plan is None else plan.room,
        "audited": 10.0 if plan is None else 100 * plan.least_audited,
        "hours": 168 if plan is None else plan.horizon_hours,
        "reason": "",
    }
    for name, value in first.items():
        st.session_state.setdefault(f"triage_{name}", value)
    label = "Turn triage on…" if plan is None else "Another plan…"
    with st.popover(label, icon=":material/fast_forward:", key="triage_give"):
        st.markdown(
            (
                "Another plan begins anew: nothing is certified, and nothing is spent."
                if plan
                else "It begins by asking."
            )
            if may
            else "To give a plan, an admin key is needed."
        )
        known = sorted({*types, *(str(each) for each in st.session_state["triage_types"])})
        # What is pressed is read from the widgets' state: a callback knows only what they held when it was drawn.
        chosen = st.multiselect(
            "Types of action",
            known,
            key="triage_types",
            max_selections=MOST_STRATA,
            accept_new_options=True,
            format_func=words.clean,
            placeholder="Choose, or type one",
            disabled=not may,
        )
        for text, name, least, most in PERCENT:
            st.number_input(text, least, 100 * most, step=0.1, format="%.4g", key=f"triage_{name}", disabled=not may)
        st.number_input(
            "Harmful ones of each type accepted while that share is fewer",
            1,
            100_000,
            key="triage_room",
            placeholder="That share of 1,000, 10 to 50",
            disabled=not may,
        )
        st.number_input("Hours until nobody will know", 1, MOST_HOURS, key="triage_hours", disabled=not may)
        st.text_area("Why", key="triage_reason", max_chars=LONGEST_REASON, height=80, disabled=not may)
        st.caption(words.plain(cost(_share("alpha"), _share("delta"), _room(), _share("audited"), len(chosen))))
        st.button(
            "Give this plan",
            key="triage_given",
            type="primary",
            disabled=not may or not chosen,
            on_click=_do,
            args=(lambda: _give(session), "The plan is on"),
        )


def _give(session: Session) -> Triage:
    given = st.session_state
    return session.client.set_triage(
        [str(each) for each in given["triage_types"]],
        _share("alpha"),
        delta=_share("delta"),
        room=_room(),
        least_audited=_share("audited"),
        horizon_hours=int(given["triage_hours"]),
        reason=str(given["triage_reason"]).strip() or None,
    )


def _share(name: str) -> float:
    """What somebody gave in per cent."""
    return round(float(st.session_state[f"triage_{name}"]) / 100, 6)


def _room() -> int | None:
    """None leaves it to the service."""
    given = st.session_state["triage_room"]
    return None if given is None else int(given)


def _do(act: Callable[[], object], did: str) -> None:
    _, problem = attempt(act, "look at how it stands before you press again")
    report(did, problem)
    forget(PAGE)
