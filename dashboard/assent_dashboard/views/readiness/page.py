"""The readiness page, which is the settings view: whether agents' actions are governed here, and what to do next.

Selectors that stay the same, as CSS classes `st-key-<key>`: `state` holds the state, `check-again` the button that
asks anew, `shares`, `checks` (the validation steps, each `step-<name>`), `setup`, `states` and `profiles` (each with
`setup-<runtime>`) their parts, `health` the checkpoints, `test-connection` the button of the connection test and
`connection` its result.
"""

from __future__ import annotations

from datetime import timedelta

import streamlit as st

from assent import Client
from assent.contract.pcaa import PcaaHealth
from assent.contract.readiness import WorkspaceReadiness
from assent.errors import ApiError
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.kept import asked, forget
from assent_dashboard.views.live import beat
from assent_dashboard.views.pcaa.health import WINDOW, draw_health
from assent_dashboard.views.readiness.connection_test import draw_connection_test
from assent_dashboard.views.readiness.parts import draw_profiles, draw_shares, draw_state, draw_states, draw_steps
from assent_dashboard.views.readiness.setup import draw_setup

AGE_SECONDS = 10.0
READINESS, HEALTH = "readiness", "readiness_health"


def show(session: Session) -> None:
    st.title("Readiness")
    # Counting checkpoints takes longest with a long history, so it is begun first and waited for last.
    health = asked(HEALTH, lambda: _health(session.client))
    kept = asked(READINESS, session.client.get_readiness)()
    readiness, now = kept.answer, kept.answer.checked_at + timedelta(seconds=kept.age)
    st.set_page_config(page_title=f"{readiness.title} · Readiness")
    draw_state(readiness, now, again=check_again)
    draw_simulated(readiness)
    draw_connection_test(session.client, readiness, now, tested=check_again)
    draw_shares(readiness)
    draw_steps(readiness, now)
    draw_setup(session.client.base_url)
    place = st.container()
    draw_profiles(readiness, session.client.base_url)
    draw_states(readiness)
    with place:
        draw_health(health().answer)
    beat(lambda: False, age=AGE_SECONDS)


def draw_simulated(readiness: WorkspaceReadiness) -> None:
    if readiness.simulated:
        st.info(
            f"**Simulated data.** A simulator made {words.several(readiness.simulated, 'action')} of the last 7 days. "
            "The numbers below count them too.",
            icon=":material/science:",
        )


def check_again() -> None:
    """Ask for the summary at the next look; the checkpoints of a month do not change with one action."""
    forget(READINESS)


def _health(client: Client) -> PcaaHealth | None:
    # The summary says what is the matter, and must be seen then most of all.
    try:
        return client.get_pcaa_health(window=WINDOW)
    except ApiError:
        return None
