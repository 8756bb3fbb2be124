"""The five checkpoints of one action, how far guard reaches into it, and which receipts it left."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import streamlit as st

from assent import ActionTrace
from assent.contract.pcaa import CheckpointId, CheckpointStatus, Enforceability, Receipts
from assent.pcaa import ActionFacts, checkpoint_states_of, facts_of, receipts_of
from assent_analytics.charts.palette import CHECKPOINTS, spoken
from assent_dashboard.views import words

STYLE = """<style>
.st-key-action_checkpoints > * { flex: 1 1 160px; }
</style>"""
"""Five beside each other on a desk, two on a telephone."""
_LOOK: dict[CheckpointStatus, tuple[str, str]] = {
    CheckpointStatus.COMPLETE: ("green", ":material/check:"),
    CheckpointStatus.DENIED: ("red", ":material/block:"),
    CheckpointStatus.PENDING: ("blue", ":material/hourglass_empty:"),
    CheckpointStatus.MISSING: ("orange", ":material/error:"),
    CheckpointStatus.NOT_REQUIRED: ("gray", ":material/remove:"),
}
_REACH: dict[Enforceability, str] = {
    Enforceability.ENFORCE_BEFORE_EXECUTE: "Guard is asked before anything runs, so all of these can be expected.",
    Enforceability.HOOK_MEDIATED: "A hook asks guard before each call. Hooks see calls and not beliefs, so no "
    "assumption is expected.",
    Enforceability.OBSERVE_ONLY: "It was only observed, so neither an assumption nor an approval is expected.",
}


def facts(trace: ActionTrace) -> ActionFacts:
    return facts_of(trace.action, trace.trace.assumptions.items, trace.approval)


def states(trace: ActionTrace, now: datetime) -> dict[CheckpointId, CheckpointStatus]:
    """How the action stands at each checkpoint, in their order."""
    return {each.id: each.status for each in checkpoint_states_of(facts(trace), now)}


def draw(trace: ActionTrace, now: datetime) -> None:
    """Keys: `action_checkpoints`, `action_receipts`."""
    cards(states(trace, now))
    receipts(receipts_of(facts(trace), now))


def cards(stand: Mapping[CheckpointId, CheckpointStatus]) -> None:
    """How an action stands at each checkpoint, in the order given. Key: `action_checkpoints`."""
    st.html(STYLE)
    with st.container(key="action_checkpoints", horizontal=True, gap="small"):
        for each, status in stand.items():
            colour, icon = _LOOK[status]
            with st.container(border=True, gap="xxsmall"):
                st.caption(CHECKPOINTS[each.value])
                st.markdown(f":{colour}-badge[{icon} {spoken(status)}]")


def receipts(found: Receipts) -> None:
    """Key: `action_receipts`."""
    with st.container(key="action_receipts"):
        st.caption(f"{told(found)} :gray-badge[{spoken(found.enforceability)}] {_REACH[found.enforceability]}")


def told(receipts: Receipts) -> str:
    """`2 of 3 expected receipts are there (66.7 %). Not there: Outcome.`"""
    missing = [CHECKPOINTS[each.value] for each in receipts.expected if each not in receipts.observed]
    expected = len(receipts.expected)
    there = f"{expected - len(missing)} of {words.several(expected, 'expected receipt')}"
    share = words.percent(100 * receipts.completeness)
    ending = f" Not there: {', '.join(missing)}." if missing else ""
    return f"{there} {'is' if expected - len(missing) == 1 else 'are'} there ({share}).{ending}"
