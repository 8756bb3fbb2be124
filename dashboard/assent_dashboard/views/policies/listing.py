"""The list of policies, in the order in which guard names them.

Keys: `policies_new`, `policies_pack` (the YAML of all), `policies_find`, `policies_shown`, `policies_more`; for each
policy `policy-<id>` (its card), and in it `policy_edit_<id>`, `policy_switch_<id>`, `policy_mode_<id>`,
`policy_delete_<id>`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import streamlit as st

from assent.contract.backtest import Backtest
from assent.contract.policies import Mode, Policy
from assent.packs import entry, write_pack
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.policies import confirm, drafts
from assent_dashboard.views.policies.data import LATELY, Listing, in_order, state
from assent_dashboard.views.policies.draft import NEW
from assent_dashboard.views.policies.matches import Matches
from assent_dashboard.views.policies.save_panel import may_save
from assent_dashboard.views.policies.sentences import does, names
from assent_dashboard.views.policies.starting import draw_starting
from assent_dashboard.views.scope import Scope, in_words

STEP, SHOWN = 25, "assent_policies_shown"
MANY = 8
"""From so many policies on, one may search among them."""
BADGES = {
    "Enforced": ":green-badge[:material/gavel: Enforced]",
    "Observed": ":blue-badge[:material/visibility: Observed]",
    "Off": ":gray-badge[:material/pause: Off]",
}


def draw_listing(session: Session, scope: Scope, listing: Listing, matches: Matches) -> None:
    admin = may_save(session)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button("New policy", key="policies_new", icon=":material/add:", on_click=drafts.go, args=(NEW,))
        if listing.policies:
            st.download_button(
                "Download YAML pack",
                data=lambda: write_pack(entry(policy) for policy in listing.policies),
                file_name="assent-policies.yaml",
                mime="application/yaml",
                key="policies_pack",
                icon=":material/download:",
                on_click="ignore",
            )
    if not listing.policies:
        draw_starting(session)
        return
    st.caption(
        "Guard asks all of them about every action, and the strictest answer counts. Reasons are given in this order."
    )
    if not admin:
        st.caption(":material/lock: Your key is an operator's: changing policies needs an admin key.")
    matches.tell(scope)
    chosen = _choose(listing)
    shown = int(st.session_state.get(SHOWN, STEP))
    changed = drafts.touched()
    for policy in chosen[:shown]:
        _card(session, policy, listing, matches.found, scope, admin=admin, changed=policy.policy_id in changed)
    if not chosen:
        st.info("No policy fits your choice.", icon=":material/search_off:")
    if len(chosen) > shown:
        st.button(f"Show {min(STEP, len(chosen) - shown)} more", key="policies_more", on_click=_more)


def _choose(listing: Listing) -> list[Policy]:
    if len(listing.policies) < MANY:
        return list(listing.policies)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        text = st.text_input("Find", key="policies_find", placeholder="A word of a name or rule", width=260)
        shown = st.pills("Show", list(BADGES), selection_mode="multi", key="policies_shown")
    return in_order(listing.policies, text or "", shown or [])


def _more() -> None:
    st.session_state[SHOWN] = int(st.session_state.get(SHOWN, STEP)) + STEP


def _card(
    session: Session,
    policy: Policy,
    listing: Listing,
    found: Backtest | None,
    scope: Scope,
    *,
    admin: bool,
    changed: bool,
) -> None:
    with st.container(border=True, key=f"policy-{policy.policy_id}", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"**{words.plain(policy.name)}**", width="content")
            draft = " :orange-badge[:material/edit: Draft not saved]" if changed else ""
            st.markdown(f"{BADGES[state(policy)]}{draft}", width="content")
        st.markdown(words.plain(does(policy.policy_type, policy.rules)))
        now = session.clock.now()
        facts = [agents_said(policy.agent_ids), *matched_said(policy, found, scope), changed_said(policy, listing, now)]
        if policy.mode is Mode.OBSERVE and policy.active:
            facts.append(observed_said(policy, listing, now))
        st.caption(" · ".join(words.plain(each) for each in facts))
        _buttons(policy, admin=admin)


def _buttons(policy: Policy, *, admin: bool) -> None:
    with st.container(horizontal=True, gap="small"):
        _button("Open", "edit", policy, ":material/edit:", drafts.go, policy.policy_id)
        off = "off" if policy.active else "on"
        mode = "observe" if policy.mode is Mode.ENFORCE else "enforce"
        for key, kind in (("switch", off), ("mode", mode), ("delete", "delete")):
            change = confirm.CHANGES[kind]
            _button(change.button, key, policy, change.icon, confirm.ask, kind, policy, disabled=not admin)


def _button(
    label: str, key: str, policy: Policy, icon: str, act: Callable[..., None], *given: object, disabled: bool = False
) -> None:
    st.button(
        label,
        key=f"policy_{key}_{policy.policy_id}",
        icon=icon,
        type="tertiary",
        on_click=act,
        args=given,
        disabled=disabled,
    )


def agents_said(agent_ids: list[str]) -> str:
    return f"For {names(agent_ids).replace(' or ', ' and ')}" if agent_ids else "For every agent"


def matched_said(policy: Policy, found: Backtest | None, scope: Scope) -> list[str]:
    """How often it matched; nothing for a policy that is off, or while nobody knows."""
    if found is None or not policy.active:
        return []
    matched = next((each.matched for each in found.policies if each.policy_id == policy.policy_id), None)
    if matched is None:
        return ["how often it matches cannot be replayed"]
    return [f"matches {words.amount(matched)} of {words.several(found.n, 'decision')} of {in_words(scope.window)}"]


def changed_said(policy: Policy, listing: Listing, now: datetime) -> str:
    did = "made" if policy.created_at == policy.updated_at else "changed"
    return f"{did} by {listing.named(policy.updated_by)} {words.ago(policy.updated_at, now)}"


def observed_said(policy: Policy, listing: Listing, now: datetime) -> str:
    """What an observed policy did among the newest decisions, as they were recorded."""
    seen = listing.observed(policy.policy_id)
    of = f"the newest {words.several(len(listing.lately), 'decision')}" if listing.lately else "the decisions"
    if not seen:
        return f"observed in none of {of} of this window"
    most = f"at most {LATELY} are looked at; " if len(listing.lately) == LATELY else ""
    return f"observed in {words.amount(len(seen))} of {of} ({most}the last {words.ago(seen[0].occurred_at, now)})"
