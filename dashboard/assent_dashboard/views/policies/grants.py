"""Standing grants below the list of policies: what is approved in advance now, and the press that ends it.

Keys: `policies_grants` (the whole), `grant_<id>` (a grant), `grant_revoke_<id>` (its button).
"""

from __future__ import annotations

import streamlit as st

from assent.contract.conditions import describe, in_words
from assent.contract.control.grants import Grant, condition_of
from assent.contract.roles import OPERATING
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.answers import forget
from assent_dashboard.views.blocks import some
from assent_dashboard.views.policies import drafts
from assent_dashboard.views.policies.data import PolicyList
from assent_dashboard.views.policies.sentences import names
from assent_dashboard.views.press import attempt

PROBLEM = "assent_grant_problem"


def draw_grants(session: Session, listing: PolicyList) -> None:
    problem = st.session_state.pop(PROBLEM, None)
    if isinstance(problem, str):
        st.error(words.plain(problem), icon=":material/error:")
    found = listing.grants()
    if not found.grants:
        return
    st.header("Standing grants", anchor=False)
    with st.container(key="policies_grants", gap="small"):
        newest = f"; the newest {len(found.grants)} are here" if found.total > len(found.grants) else ""
        st.caption(f"Approved in advance, and live now: {words.several(found.total, 'grant')}{newest}.")
        some(found.grants, lambda grant: _grant(session, grant), name="policies_grants")


def _grant(session: Session, grant: Grant) -> None:
    with st.container(border=True, key=f"grant_{grant.grant_id}", gap="small"):
        st.markdown(f"**{words.plain(covers(grant))}**")
        st.markdown(f"> {words.plain(grant.reason)}")
        used = f"used {grant.used} of {words.several(grant.max_uses, 'time')}"
        until = f"until {words.moment(grant.expires_at)}"
        st.caption(f"{used} · {until} · given by {words.plain(grant.created_by_name)}")
        st.button(
            "Revoke",
            key=f"grant_revoke_{grant.grant_id}",
            icon=":material/block:",
            type="tertiary",
            on_click=_revoke,
            args=(session, grant),
            disabled=session.key.role not in OPERATING,
        )


def covers(grant: Grant) -> str:
    """`payer may pay, where parameters.amount is at most 50, up to risk 40`."""
    condition = condition_of(grant.when)
    where = "" if condition is None else f", where {in_words(describe(condition))}"
    return f"{names(grant.agent_ids)} may {grant.action_type}{where}, up to risk {grant.max_risk:g}"


def _revoke(session: Session, grant: Grant) -> None:
    done, problem = attempt(lambda: session.client.revoke_grant(grant.grant_id))
    forget("policies")
    if done is None:
        st.session_state[PROBLEM] = problem
    else:
        st.session_state[drafts.SAID] = f"Revoked: {covers(grant)}"
