"""What an action left open, on its page, and how that ended. What agents wrote is shown letter by letter."""

from __future__ import annotations

import streamlit as st

from assent.contract.loops import LoopStatus, OpenLoop
from assent.contract.traces import LoopTrace
from assent_dashboard.views import words
from assent_dashboard.views.links import to_page

_STANDS: dict[LoopStatus, str] = {
    LoopStatus.OPEN: ":blue-badge[:material/pending: open]",
    LoopStatus.RESOLVED: ":green-badge[:material/check: resolved]",
    LoopStatus.CANCELLED: ":gray-badge[:material/close: cancelled]",
}


def draw(left: LoopTrace) -> None:
    """Key: `action_loops`."""
    with st.container(key="action_loops"):
        st.header("What it left open", anchor=False)
        for each in left.items:
            _one(each)
        if left.open:
            to_page("messages", "Close it", {"view": "loops", "status": "open"}, icon=":material/check:")


def _one(loop: OpenLoop) -> None:
    st.markdown(f"{_STANDS[loop.status]} {words.plain(loop.description)}")
    said = [loop.loop_type.value, f"{loop.priority.value} priority", words.moment(loop.created_at)]
    said += [f"for {words.plain(loop.owner)}"] if loop.owner else []
    said += [f"closed {words.moment(loop.resolved_at)}"] if loop.resolved_at else []
    said += [f"how: {words.plain(loop.resolution)}"] if loop.resolution else []
    st.caption(" · ".join(said))
