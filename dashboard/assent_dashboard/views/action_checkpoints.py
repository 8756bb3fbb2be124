"""The five checkpoints of one action, by the same function that judges a window of them."""

from __future__ import annotations

from datetime import datetime

import msgspec
import polars as pl
import streamlit as st

from assent import ActionTrace
from assent.contract.pcaa import CheckpointId, CheckpointStatus
from assent_analytics.charts.palette import CHECKPOINTS, spoken
from assent_analytics.pcaa import OF_ACTIONS, checkpoint_states

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
_TIMES = ("timestamp_start", "approved_at")


def states(trace: ActionTrace, now: datetime) -> dict[CheckpointId, CheckpointStatus]:
    """How the action stands at each checkpoint, in their order."""
    action = {name: _plain(getattr(trace.action, name)) for name in OF_ACTIONS}
    assumptions = [{"action_id": each.action_id, "basis": each.basis} for each in trace.trace.assumptions.items]
    judged = checkpoint_states(
        pl.DataFrame([action], schema=_schema(OF_ACTIONS)),
        pl.DataFrame(assumptions, schema=_schema(("action_id", "basis"))),
        _approvals(trace),
        now,
    )
    row = judged.collect().row(0, named=True)
    return {each: CheckpointStatus(row[each.value]) for each in CheckpointId}


def draw(trace: ActionTrace, now: datetime) -> None:
    """Key: `action_checkpoints`."""
    st.html(STYLE)
    with st.container(key="action_checkpoints", horizontal=True, gap="small"):
        for each, status in states(trace, now).items():
            colour, icon = _LOOK[status]
            with st.container(border=True, gap="xxsmall"):
                st.caption(CHECKPOINTS[each.value])
                st.markdown(f":{colour}-badge[{icon} {spoken(status)}]")


def _approvals(trace: ActionTrace) -> pl.DataFrame:
    names = ("action_id", "state", "decided_by", "requested_at")
    rows = [] if trace.approval is None else [{name: _plain(getattr(trace.approval, name)) for name in names}]
    return pl.DataFrame(rows, schema=_schema(names))


def _schema(names: tuple[str, ...]) -> dict[str, pl.DataType]:
    moments = {name: pl.Datetime("us", "UTC") for name in (*_TIMES, "requested_at")}
    return {name: pl.Float64() if name == "risk_score" else moments.get(name, pl.String()) for name in names}


def _plain(value: object) -> object:
    """Members of enums as their text."""
    return value if isinstance(value, datetime) else msgspec.to_builtins(value)
