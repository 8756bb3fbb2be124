"""The dialog that decides on several identical requests: which they are, one reason for all, how far it is, and at the
end what became of each.

It closes when the operator closes it, never by itself: what did not hold is told first. Keys: those of `said`, and
`bulk_list`, `bulk_outcome`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

import streamlit as st

from assent import Client, Verdict
from assent.deciding import Deciding
from assent_dashboard.views import words
from assent_dashboard.views.approvals.bulk import Bulk
from assent_dashboard.views.approvals.dialog import end, repeat, verdict_line
from assent_dashboard.views.approvals.inbox import Item
from assent_dashboard.views.approvals.said import CANCEL, draw_buttons, draw_said
from assent_dashboard.views.approvals.wanted import waits

LIST_HEIGHT = 180


def open_bulk_dialog(bulk: Bulk, client: Client, now: datetime, left: Callable[[Bulk], None]) -> None:
    """Show it. `left` is called when it is closed, whatever was decided until then."""
    count = len(bulk.decisions)
    verb = "Allow" if bulk.verdict is Verdict.ALLOW else "Deny"

    def close() -> None:
        end()
        left(bulk)

    @st.dialog(f"{verb} {count} identical requests?", width="medium", on_dismiss=close)
    def dialog() -> None:
        with st.container(key="deciding"):
            repeat(bulk.decisions[0].item, now, count)
            _list(bulk.decisions, now)
            if bulk.open:
                closing = _ask(bulk, client, verb)
            else:
                _outcome(bulk, now)
                closing = st.button("Close", key=CANCEL, type="primary")
        if closing:
            close()
            st.rerun(scope="app")

    dialog()


def outcome(bulk: Bulk, now: datetime) -> list[str]:
    """What became of it, a line for each kind, with who decided what was decided by others. Markdown."""
    did = "Allowed" if bulk.verdict is Verdict.ALLOW else "Denied"
    lines = [f":material/check_circle: **{did} {len(bulk.held)} of {len(bulk.decisions)}**: your decision holds."]
    if bulk.too_late:
        lines.append(
            f":material/how_to_reg: **{len(bulk.too_late)} already decided**; those decisions stand:"
            + "".join(f"\n- {_stands(each, now)}" for each in bulk.too_late)
        )
    if bulk.expired:
        lines.append(
            f":material/timer_off: **{len(bulk.expired)} expired** before you decided; the agent has to ask again:"
            + "".join(f"\n- {_name(each)}" for each in bulk.expired)
        )
    if bulk.open:
        lines.append(f":material/hourglass_empty: **{len(bulk.open)} not known to be decided**; sending again is safe.")
    return lines


def _ask(bulk: Bulk, client: Client, verb: str) -> bool:
    """True when the operator leaves."""
    count = len(bulk.open)
    st.markdown("Your name and one reason stand under each of them; every one is recorded by itself.")
    said = draw_said(bulk.verdict)
    told = st.empty()
    confirmed, closing = draw_buttons(f"Send again ({count})" if bulk.begun else f"{verb} all {count}", bulk.verdict)
    if confirmed:
        total = len(bulk.decisions)
        bulk.send(client, said, lambda over: told.progress(over / total, f"{over} of {total}"))
        st.rerun()
    if bulk.begun or bulk.problem is not None:
        done = len(bulk.decisions) - count
        before = f"**{done} of {len(bulk.decisions)} are decided, then it stopped.** " if bulk.begun else ""
        told.error(before + words.plain(bulk.problem or "What was not sent still waits; sending again is safe."))
    return closing


def _outcome(bulk: Bulk, now: datetime) -> None:
    with st.container(key="bulk_outcome"):
        for line in outcome(bulk, now):
            st.markdown(line)


def _list(decisions: Sequence[Deciding[Item]], now: datetime) -> None:
    with st.container(key="bulk_list", height=LIST_HEIGHT if len(decisions) > 6 else "content", gap="xxsmall"):
        st.markdown("\n".join(f"- {_name(each)} · {waits(each.item.approval, now)}" for each in decisions))


def _stands(deciding: Deciding[Item], now: datetime) -> str:
    if deciding.settled is None:
        return f"{_name(deciding)}: {words.plain(deciding.problem)}"
    said = f" “{words.plain(deciding.settled.reasoning)}”" if deciding.settled.reasoning else ""
    return f"{_name(deciding)}: {verdict_line(deciding.settled, now)}{said}"


def _name(deciding: Deciding[Item]) -> str:
    return words.code(deciding.item.action.action_id)
