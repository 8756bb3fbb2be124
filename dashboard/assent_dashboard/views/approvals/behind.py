"""What stands behind the request that the cursor is on: what the agent says of it, what its risk is made of, which
policies stopped it, and the last five times.

Keys: `context`, `risk_parts`, `earlier`, `earlier-<action_id>`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

import polars as pl
import streamlit as st

from assent import Approval, GuardResult, Source
from assent.errors import ApiError, ConnectionFailed
from assent_dashboard.views import words
from assent_dashboard.views.approvals import context, risk
from assent_dashboard.views.approvals.background import LAST, Background, Earlier
from assent_dashboard.views.approvals.history import told
from assent_dashboard.views.approvals.inbox import Item
from assent_dashboard.views.links import to_findings, to_ledger

LONGEST_REASON = 160
GUARD_SAID = {
    "allow": ":green[:material/check_circle:] guard allowed it",
    "warn": ":orange[:material/warning:] guard warned",
    "require_approval": ":blue[:material/front_hand:] guard asked for approval",
    "block": ":red[:material/block:] guard blocked it",
}


def draw_behind(item: Item, coming: Callable[[], Background], policies: Mapping[str, str], now: datetime) -> None:
    """`policies` are the names of policies by their ids. Says so when it cannot be had."""
    try:
        with st.spinner("Asking what stands behind it"):
            found = coming()
    except (ConnectionFailed, ApiError) as error:
        st.caption(f"What stands behind it cannot be shown just now: {words.plain(str(error).splitlines()[0])}")
        return
    left, right = st.columns(2, gap="large")
    with left, st.container(key="context"):
        _context(item, found)
    with right, st.container(key="risk_parts"):
        _risk(item, found.decision)
        _policies(item.approval, found.decision, policies)
    _earlier(found.earlier, item, now)


def _context(item: Item, found: Background) -> None:
    st.markdown("**What the agent says of it**")
    _table(context.facts(item.action, found.context))
    if found.context:
        with st.expander("Everything that guard looked at"):
            st.code(context.whole(found.context), language="json")


def _risk(item: Item, decision: GuardResult | None) -> None:
    st.markdown(f"**Why risk {item.action.risk_score:g} of 100**")
    if decision is None:
        st.caption("What it is made of was erased.")
        return
    _table([(f"+{part.points:g}", part.meaning) for part in risk.parts(decision)])
    for note in risk.notes(decision):
        st.caption(note)


def _policies(approval: Approval, decision: GuardResult | None, names: Mapping[str, str]) -> None:
    """The policies that stopped it, by name; and what others, that only observe, would have said."""
    st.markdown("**Policies that matched**")
    if not approval.matched_policies:
        st.caption("None: the agent itself asked.")
    for policy_id in approval.matched_policies:
        name = names.get(policy_id)
        said = f"**{words.plain(name)}** {words.code(policy_id)}" if name else words.code(policy_id)
        st.markdown(f":material/policy: {said}")
    if decision is None:
        return
    for warning in decision.warnings:
        st.markdown(f":material/warning: {words.plain(warning)}")
    to_findings(decision.decision_id, decision.matched_policies)
    version = f"Policies at version {decision.policy_version}."
    if decision.would_decide is not None and decision.would_decide is not decision.decision:
        would = str(decision.would_decide).replace("_", " ")
        version += f" With every observed policy enforced it would have been: {would}."
    st.caption(version)


def _earlier(earlier: Sequence[Earlier] | None, item: Item, now: datetime) -> None:
    with st.container(key="earlier", gap="xsmall"):
        kind = words.code(item.action.action_type)
        if earlier is None:
            st.caption("The request names no agent, so nothing can be said of what it did before.")
        elif not earlier:
            st.caption(f"This agent has never done {kind} before.")
        else:
            st.markdown(
                f"**The last {len(earlier)} times this agent asked for {kind}**"
                if len(earlier) == LAST
                else f"**Every earlier time this agent asked for {kind}**"
            )
            for each in earlier:
                _line(each, now)


def _line(earlier: Earlier, now: datetime) -> None:
    action = earlier.action
    simulated = " :violet-badge[Simulated]" if action.source is Source.SIMULATED else ""
    reasoning = earlier.approved.approval.reasoning if earlier.approved is not None else None
    with st.container(
        key=f"earlier-{action.action_id}", horizontal=True, wrap=False, vertical_alignment="center", gap="small"
    ):
        said = f" “{words.plain(words.shorten(words.clean(reasoning), LONGEST_REASON))}”" if reasoning else ""
        st.markdown(
            f"{verdict(earlier)}{said} · then {outcome(earlier)} · {words.ago(action.timestamp_start, now)}{simulated}",
            width="stretch",
        )
        to_ledger(action.action_id)


def verdict(earlier: Earlier) -> str:
    """Who decided what: a person where one was asked, else guard. Markdown."""
    if earlier.approved is not None:
        return told(earlier.approved.approval, mark=True)
    return GUARD_SAID[str(earlier.action.decision)]


def outcome(earlier: Earlier) -> str:
    """What became of it, with why it failed. Markdown."""
    action = earlier.action
    said = f"**{str(action.status).replace('_', ' ')}**"
    known = earlier.approved.approval.reasoning if earlier.approved is not None else None
    if action.error_message and action.error_message != known:
        said += f" ({words.plain(words.shorten(words.clean(action.error_message), LONGEST_REASON))})"
    return said


def _table(rows: Iterable[tuple[str, str]]) -> None:
    """Label and value as Markdown, a line for each."""
    known = list(rows)
    frame = pl.DataFrame({"label": [f":gray[{label}]" for label, _ in known], "value": [value for _, value in known]})
    st.table(frame, hide_index=True, hide_header=True, border="horizontal")
