"""Exploring on the page: the share of a policy, and whether the organization lets policies explore at all.

Nothing explores until an admin opts in, by the risk below which it may happen. Keys: `policy_explore` (the share, in
percent, in the form), `policies_exploring` (the organization's part below the list), `explore_below` and `explore_save`
in it.
"""

from __future__ import annotations

import streamlit as st

from assent.contract.control.exploration import MOST_EXPLORED
from assent.contract.control.rules import Effect, PolicyType
from assent.contract.people.organizations import HIGHEST_BOUND, Organization
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.answers import forget
from assent_dashboard.views.policies import drafts
from assent_dashboard.views.policies.data import PolicyList
from assent_dashboard.views.policies.draft import EditedPolicy
from assent_dashboard.views.policies.widgets import changed, show
from assent_dashboard.views.press import attempt

PROBLEM = "assent_explore_problem"
EXPLORING = (PolicyType.REQUIRE_APPROVAL, PolicyType.RISK_THRESHOLD, PolicyType.CONDITION)
BOUNDS = (
    "Only for an action that says it is reversible, whose goal does not speak of destruction and whose risk is below "
    "the organization's bound; never a block, and never what another policy, a webhook or the scan stops. There is one "
    "draw for each key and hour, so asking again gets the same answer."
)


def may_explore(draft: EditedPolicy) -> bool:
    """Whether a policy of this kind and effect may carry a share."""
    asks = draft.policy_type == PolicyType.REQUIRE_APPROVAL
    return draft.policy_type in EXPLORING and (asks or draft.rules.get("action") != Effect.BLOCK.value)


def draw_share(draft: EditedPolicy, opted: Organization | None) -> None:
    """The share, where the kind allows one; and where it does not but has one, so that it can be taken out."""
    share = float(draft.data.get("explore", 0.0))
    allowed = may_explore(draft)
    if not allowed and not share:
        return
    key = "policy_explore"
    show(key, round(100 * share, 4))
    st.number_input(
        "Explores in so many % of hours",
        min_value=0.0,
        max_value=100 * MOST_EXPLORED,
        step=1.0,
        format="%g",
        key=key,
        on_change=changed(key, lambda new: draft.change(explore=round(float(new) / 100, 6))),
        width=240,
        help=f"{BOUNDS} At most {100 * MOST_EXPLORED:g} %; 0, as it begins, is never.",
    )
    if not allowed:
        st.warning("This kind of policy cannot explore. Set the share to 0.", icon=":material/warning:")
        return
    st.caption(f"{words.plain(other_in_words(draft))} {words.plain(opted_in_words(opted))}")


def other_in_words(draft: EditedPolicy) -> str:
    """What the policy does instead in those hours, and what for."""
    warns = draft.policy_type != PolicyType.REQUIRE_APPROVAL and draft.rules.get("action") == Effect.WARN.value
    other = "asks a person instead of warning" if warns else "lets pass with a warning instead of asking"
    return f"In that share of each key's hours it {other}, so that it can be known what it changes."


def opted_in_words(opted: Organization | None) -> str:
    """Whether the organization lets its policies explore, as far as the reader may know."""
    if opted is None:
        return "It does so only where the organization has opted in, which an admin's key sees."
    if not opted.explore_below:
        return "The organization has not opted in, so nothing is explored, whatever the share."
    return f"The organization has opted in for risks below {opted.explore_below:g}."


def draw_exploring(session: Session, listing: PolicyList) -> None:
    """The organization's consent, below the list: read and changed by admins."""
    opted = listing.organization()
    problem = st.session_state.pop(PROBLEM, None)
    if isinstance(problem, str):
        st.error(words.plain(problem), icon=":material/error:")
    st.header("Exploring", anchor=False)
    with st.container(key="policies_exploring", gap="small"):
        st.markdown(words.plain(opted_in_words(opted)))
        st.caption(
            "A policy that carries a share now and then does the other thing, with real actions: it lets pass instead "
            f"of asking, or asks instead of warning. {BOUNDS}"
        )
        if opted is None:
            return
        # Another bound is another widget, so that what somebody else saved is shown.
        key = f"explore_below_{opted.explore_below:g}"
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            below = st.number_input(
                f"Explore below this risk (0 to {HIGHEST_BOUND}; 0 is never)",
                min_value=0.0,
                max_value=float(HIGHEST_BOUND),
                value=float(opted.explore_below),
                step=5.0,
                format="%g",
                key=key,
                width=330,
            )
            st.button(
                pressed_in_words(opted.explore_below, below),
                key="explore_save",
                icon=":material/save:",
                on_click=_save,
                args=(session, opted, key),
                disabled=below == opted.explore_below,
            )


def pressed_in_words(before: float, after: float) -> str:
    """What the press does."""
    if not after:
        return "Opt out"
    return "Save the bound" if before else "Opt in"


def _save(session: Session, opted: Organization, key: str) -> None:
    below = float(st.session_state[key])
    done, problem = attempt(lambda: session.client.update_org(opted.org_id, explore_below=below), "look here again")
    forget("policies")
    if done is None:
        st.session_state[PROBLEM] = problem
        return
    st.session_state[drafts.SAID] = (
        f"Policies may explore below a risk of {below:g} from now on" if below else "No policy explores any more"
    )
