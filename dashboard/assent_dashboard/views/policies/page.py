"""The page Policies: what guard goes by, and the list of policies as a table to take away.

`/policies?policy_id=...` opens one, `?policy_id=new` makes one.

The keys are those of the frame (`policies_…`), of `listing`, `observed`, `grants`, `exploring`, `history` and `confirm`
for the list, and of `editor`, `form`, `exploring`, `conditions`, `save`, `backtest`, `value`, `diff`, `trial` and
`observed` for the policy that is open.
"""

from __future__ import annotations

import msgspec
import polars as pl
import streamlit as st

from assent_analytics.changes import history
from assent_dashboard.sessions import Session
from assent_dashboard.views.addresses import PoliciesAddress
from assent_dashboard.views.export import Tables
from assent_dashboard.views.frame import scoped_page
from assent_dashboard.views.policies import confirm, drafts
from assent_dashboard.views.policies.data import PolicyList, load
from assent_dashboard.views.policies.editor import draw_editor
from assent_dashboard.views.policies.exploring import draw_exploring
from assent_dashboard.views.policies.grants import draw_grants
from assent_dashboard.views.policies.history import draw_history
from assent_dashboard.views.policies.listing import counted, draw_listing
from assent_dashboard.views.policies.observed import draw_observing, observed_table
from assent_dashboard.views.policies.sentences import does


def draw(session: Session, address: PoliciesAddress, listing: PolicyList) -> None:
    said = st.session_state.pop(drafts.SAID, None)
    if isinstance(said, str):
        st.toast(said, icon=":material/check_circle:")
        st.success(said, icon=":material/check_circle:")
    if address.policy_id is not None:
        draw_editor(session, address.scope, listing, address.policy_id)
        return
    draw_listing(session, address.scope, listing, counted(session, address.scope, listing))
    draw_observing(session, address.scope, listing)
    draw_grants(session, listing)
    draw_exploring(session, listing)
    draw_history(session, listing)
    confirm.open_dialog(session)


def busy() -> bool:
    """A page that is drawn anew would take away what somebody types, or an open dialog."""
    return drafts.open_id() is not None or confirm.asking()


# The list of policies as a table, to take away.


TIME = pl.Datetime("us", "UTC")
COLUMNS = {
    "policy_id": pl.String(),
    "name": pl.String(),
    "does": pl.String(),
    "policy_type": pl.String(),
    "mode": pl.String(),
    "active": pl.Boolean(),
    "agent_ids": pl.List(pl.String()),
    "rules": pl.String(),
    "version": pl.Int64(),
    "created_at": TIME,
    "created_by": pl.String(),
    "updated_at": TIME,
    "updated_by": pl.String(),
}


def tables(listing: PolicyList) -> Tables:
    """Every policy in guard's order, `rules` as JSON text, people by name where it is known; the newest decisions that
    observing policies would have made stricter; and the newest changes."""
    rows = [
        (
            policy.policy_id,
            policy.name,
            does(policy.policy_type, policy.rules),
            policy.policy_type,
            policy.mode.value,
            policy.active,
            policy.agent_ids,
            msgspec.json.encode(policy.rules).decode(),
            policy.version,
            policy.created_at,
            listing.named(policy.created_by),
            policy.updated_at,
            listing.named(policy.updated_by),
        )
        for policy in listing.policies
    ]
    changes = history(listing.history().changes)
    return {
        "policies": pl.DataFrame(rows, schema=COLUMNS, orient="row"),
        "observed": observed_table(listing.observed()),
        "changes": changes,
    }


show = scoped_page(
    PoliciesAddress, "Policies", load=load, draw=draw, tables=tables, by=("window", "agent_id"), busy=busy
)
