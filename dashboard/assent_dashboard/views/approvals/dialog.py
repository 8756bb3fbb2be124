"""The dialogs in which an operator approves or denies, one request or several identical ones, with the reason and what
came of it.

A dialog is the second press: it repeats what is about to happen.

Enter does not decide, Ctrl+Enter (Cmd+Enter) does. One dialog at most is open: that of one request, or that
of several identical ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import streamlit as st

from assent import Approval, ApprovalState, Client, Verdict
from assent.deciding import Deciding, DecisionDetails, Stage, expired, withdrawn
from assent_dashboard.views import words
from assent_dashboard.views.approvals.card import draw_badges, draw_goal, draw_stopped, sentence, waits
from assent_dashboard.views.approvals.inbox import Item

STATE = "assent_deciding"
_DID = {ApprovalState.APPROVED: "allowed", ApprovalState.DENIED: "denied", ApprovalState.WITHDRAWN: "withdrew"}


def present() -> Deciding[Item] | Bulk | None:
    """The decision that is open on this page."""
    deciding = st.session_state.get(STATE)
    return deciding if isinstance(deciding, Deciding | Bulk) else None


def begin(deciding: Deciding[Item] | Bulk) -> None:
    st.session_state[STATE] = deciding
    clear()


def end() -> None:
    st.session_state.pop(STATE, None)


def open_dialog(
    deciding: Deciding[Item], client: Client, now: datetime, sent: Callable[[Deciding[Item]], None]
) -> None:
    """Show the decision. `sent` is called once it counts; then the page is drawn again without the dialog."""
    title = "Allow this action?" if deciding.verdict is Verdict.ALLOW else "Deny this action?"

    @st.dialog(title, width="medium", on_dismiss=end)
    def dialog() -> None:
        with st.container(key="deciding"):
            repeat(deciding.item, now)
            if deciding.stage is Stage.OVER:
                _tell(deciding, now)
            else:
                _ask(deciding, client)
        if deciding.stage is Stage.SENT:
            end()
            sent(deciding)
            st.rerun(scope="app")

    dialog()


def repeat(item: Item, now: datetime, several: int = 1) -> None:
    """What is about to be decided."""
    with st.container(border=True):
        draw_goal(item, "deciding")
        draw_badges(item, now, several)
        st.markdown(sentence(item.action))
        draw_stopped(item.approval)


def _ask(deciding: Deciding[Item], client: Client) -> None:
    allows = deciding.verdict is Verdict.ALLOW
    st.markdown(
        "The waiting agent goes on at once, and your name stands under it."
        if allows
        else "The agent is told not to do it, and why. Your name stands under it."
    )
    said = draw_details(deciding.verdict)
    problem = st.empty()
    confirmed, left = draw_buttons("Allow" if allows else "Deny", deciding.verdict)
    if confirmed:
        deciding.send(client, said)
    if left:
        end()
    if left or deciding.stage is Stage.OVER:
        st.rerun()
    if deciding.problem is not None:
        problem.error(words.plain(deciding.problem))


def _tell(deciding: Deciding[Item], now: datetime) -> None:
    """Why the decision came too late, and what stands."""
    standing = deciding.settled
    if expired(standing):
        st.warning(
            "**Too late: it expired.** Nobody decided in time; the agent has to ask again.", icon=":material/timer_off:"
        )
    elif standing is not None and withdrawn(standing):
        st.info(
            f"**Too late: it was withdrawn.** {verdict_line(standing, now)} Nobody waits for it any more.",
            icon=":material/undo:",
        )
        _reason(standing)
    elif standing is not None:
        st.info(
            f"**Already decided.** {verdict_line(standing, now)} That decision stands.", icon=":material/how_to_reg:"
        )
        _reason(standing)
    else:
        st.warning(words.plain(deciding.problem))
    if st.button("Close", key=CANCEL, type="primary"):
        end()
        st.rerun()


def _reason(standing: Approval | None) -> None:
    if standing is not None and standing.reasoning:
        st.caption("The reason given:")
        st.text(words.clean(standing.reasoning))


def verdict_line(approval: Approval, now: datetime) -> str:
    """`**ana** denied it 3 min ago (20 Nov 2026, 14:02:07 UTC).`"""
    did = _DID.get(approval.state, str(approval.state))
    by = words.plain(approval.decided_by or "somebody")
    if approval.decided_at is None:
        return f"**{by}** {did} it."
    return f"**{by}** {did} it {words.ago(approval.decided_at, now)} ({words.moment(approval.decided_at)})."


# The fields of a decision: the reason, and with an approval its conditions and for how long it may be used.
#
# The reason has the focus when the dialog opens. Enter does not decide: in the texts it makes a new line, and in the
# number nothing. The words reach the service's side together with the press of the button, so that nothing is drawn
# anew while somebody types.
#
# Keys: `reasoning`, `conditions`, `valid_minutes`, `confirm`, `cancel`, and the container `said`.


REASONING, CONDITIONS, VALID, CONFIRM, CANCEL = "reasoning", "conditions", "valid_minutes", "confirm", "cancel"
LONGEST_REASONING, MOST_MINUTES = 4000, 525_600
_FOCUS = """<script>
(function focus(left) {
  const reason = document.querySelector(".st-key-reasoning textarea");
  const said = document.activeElement?.matches("[role=dialog] :is(textarea, input)");
  if (reason && !said) reason.focus();
  if (left && !said) setTimeout(focus, 100, left - 1);
})(30);
</script>"""
"""The dialog takes the focus when it opens, which may be after the text is there: so it is asked for until it holds."""


def clear() -> None:
    """Fields without words, for the next decision."""
    st.session_state[REASONING] = st.session_state[CONDITIONS] = ""
    st.session_state[VALID] = None


def draw_details(verdict: Verdict) -> DecisionDetails:
    allows = verdict is Verdict.ALLOW
    with st.container(key="said"):
        reasoning = st.text_area(
            "Reason (optional)" if allows else "Reason",
            key=REASONING,
            height=96,
            max_chars=LONGEST_REASONING,
            placeholder="Recorded with the decision" if allows else "Recorded, and shown to the agent",
            on_change="ignore",
        )
        st.html(_FOCUS, unsafe_allow_javascript=True)
        if not allows:
            return DecisionDetails(reasoning or "")
        conditions = st.text_area(
            "Conditions (optional)",
            key=CONDITIONS,
            height=68,
            placeholder="One on each line; recorded in the receipt, for the agent to keep to",
            on_change="ignore",
        )
        minutes = st.number_input(
            "Valid for so many minutes (optional)",
            key=VALID,
            min_value=1,
            max_value=MOST_MINUTES,
            value=None,
            step=15,
            placeholder="No limit: the agent may use it whenever it likes",
            on_change="ignore",
        )
    return DecisionDetails(reasoning or "", (conditions or "").splitlines(), minutes)


def draw_buttons(label: str, verdict: Verdict) -> tuple[bool, bool]:
    """Whether the decision was confirmed, and whether it was left."""
    with st.container(horizontal=True):
        confirmed = st.button(
            label,
            key=CONFIRM,
            type="primary",
            icon=":material/check:" if verdict is Verdict.ALLOW else ":material/block:",
            shortcut="Mod+Enter",
        )
        left = st.button("Cancel", key=CANCEL)
    return confirmed, left


# One decision on several identical requests, each sent by itself. Knows nothing of Streamlit.
#
# Every request gets a decision of its own, with an idempotency key of its own: each is recorded as if it had been
# decided alone, and sending the whole again after an answer was lost sends only what is not known to be over, and does
# nothing twice. It stops at the first one that cannot be sent, since the next would fare no better; what was not sent
# still waits.


@dataclass
class Bulk:
    """`problem` says why it stopped before the end."""

    verdict: Verdict
    decisions: tuple[Deciding[Item], ...]
    problem: str | None = None

    @classmethod
    def on(cls, items: Sequence[Item], verdict: Verdict) -> Bulk:
        return cls(verdict, tuple(Deciding(item=item, verdict=verdict) for item in items))

    def send(self, client: Client, said: DecisionDetails, told: Callable[[int], object]) -> None:
        """Send what is still open. `told` hears how many are over, after each."""
        self.problem = None
        for deciding in self.open:
            deciding.send(client, said)
            if deciding.stage is Stage.OPEN:
                self.problem = deciding.problem
                return
            told(len(self.decisions) - len(self.open))

    @property
    def open(self) -> list[Deciding[Item]]:
        """Not known to be decided."""
        return [each for each in self.decisions if each.stage is Stage.OPEN]

    @property
    def held(self) -> list[Deciding[Item]]:
        """Those that this operator decided."""
        return [each for each in self.decisions if each.stage is Stage.SENT]

    @property
    def too_late(self) -> list[Deciding[Item]]:
        """Those that somebody else had decided, or that could not be decided any more for another reason."""
        return [each for each in self.decisions if each.stage is Stage.OVER and not _open_ended(each.settled)]

    @property
    def expired(self) -> list[Deciding[Item]]:
        """Those that nobody had decided in time."""
        return [each for each in self.decisions if each.stage is Stage.OVER and expired(each.settled)]

    @property
    def withdrawn(self) -> list[Deciding[Item]]:
        """Those that nobody waits for any more."""
        return [each for each in self.decisions if each.stage is Stage.OVER and withdrawn(each.settled)]

    @property
    def begun(self) -> bool:
        """Whether anything of it is over."""
        return len(self.open) < len(self.decisions)


def _open_ended(settled: Approval | None) -> bool:
    """Whether it ended without anybody's decision."""
    return expired(settled) or withdrawn(settled)


# The dialog that decides on several identical requests: which they are, one reason for all, how far it is, and at the
# end what became of each.
#
# It closes when the operator closes it, never by itself: what did not hold is told first. Keys: those of a decision,
# `bulk_list` and `bulk_outcome`.


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
                closing = _ask_bulk(bulk, client, verb)
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
    if bulk.withdrawn:
        lines.append(
            f":material/undo: **{len(bulk.withdrawn)} withdrawn** before you decided; nobody waits for them any more:"
            + "".join(f"\n- {_name(each)}" for each in bulk.withdrawn)
        )
    if bulk.open:
        lines.append(f":material/hourglass_empty: **{len(bulk.open)} not known to be decided**; sending again is safe.")
    return lines


def _ask_bulk(bulk: Bulk, client: Client, verb: str) -> bool:
    """True when the operator leaves."""
    count = len(bulk.open)
    st.markdown("Your name and one reason stand under each of them; every one is recorded by itself.")
    said = draw_details(bulk.verdict)
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
