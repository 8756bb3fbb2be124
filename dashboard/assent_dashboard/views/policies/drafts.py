"""The drafts of this browser tab: each policy that was opened keeps its own until it is saved or discarded."""

from __future__ import annotations

import streamlit as st

from assent.contract.control.policies import Policy
from assent_dashboard.views.addresses import PoliciesAddress
from assent_dashboard.views.controls import drawn, here, put
from assent_dashboard.views.policies.draft import NEW, EditedPolicy, begin

DRAFTS, SAID = "assent_policy_drafts", "assent_policy_said"


def open_id() -> str | None:
    """Which policy the address opens: an id, or `new`."""
    return here(PoliciesAddress)[0].policy_id


def go(policy_id: str) -> None:
    """Open the editor; for callbacks of widgets."""
    put(drawn(PoliciesAddress), policy_id=policy_id)


def leave() -> None:
    """Back to the list. The draft stays."""
    put(drawn(PoliciesAddress), policy_id=None)


def of(policy_id: str, stored: Policy | None) -> EditedPolicy | None:
    """The draft of a policy; None for an unknown one. An untouched draft follows what is stored."""
    kept = _all().get(policy_id)
    if kept is not None and (kept.touched or kept.base == stored):
        return kept
    if stored is None and policy_id != NEW:
        return None
    made = _all()[policy_id] = begin(stored)
    return made


def drop(policy_id: str) -> None:
    _all().pop(policy_id, None)


def move(policy_id: str, draft: EditedPolicy) -> None:
    """Keep a draft under the id that it has now."""
    drop(policy_id)
    _all()[draft.policy_id] = draft


def touched() -> set[str]:
    """Ids of policies that have a draft which differs from what is stored."""
    return {policy_id for policy_id, draft in _all().items() if draft.touched and policy_id != NEW}


def _all() -> dict[str, EditedPolicy]:
    found: dict[str, EditedPolicy] = st.session_state.setdefault(DRAFTS, {})
    return found
