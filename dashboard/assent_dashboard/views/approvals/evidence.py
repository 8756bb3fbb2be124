"""The evidence behind a request for approval: what the agent says of it, what its risk is made of, which policies
stopped it, and the last five times.

Keys: `context`, `risk_parts`, `earlier`, `earlier-<action_id>`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

import msgspec
import polars as pl
import streamlit as st
from msgspec import UnsetType

from assent import Action, ActionStatus, Approval, ApprovalState, Client, GuardResult, Source, Verification
from assent.contract.control.actions import standing
from assent.contract.control.inbox import ActionApproval
from assent.contract.evidence.traces import ActionTrace
from assent.errors import ApiError, ConnectionFailed
from assent_dashboard.views import words
from assent_dashboard.views.answers import both, later
from assent_dashboard.views.approvals import card
from assent_dashboard.views.approvals.history import end_in_words
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
    _earlier(found.before, item, now)


def _context(item: Item, found: Background) -> None:
    st.markdown("**What the agent says of it**")
    _table(facts(item.action, found.context))
    if found.context:
        with st.expander("Everything that guard looked at"):
            st.code(whole(found.context), language="json")


def _risk(item: Item, decision: GuardResult | None) -> None:
    st.markdown(f"**Why risk {item.action.risk_score:g} of 100**")
    if decision is None:
        st.caption("What it is made of was erased.")
        return
    _table([(f"+{part.points:g}", part.meaning) for part in card.parts(decision)])
    for note in card.notes(decision):
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


def _earlier(before: Before | None, item: Item, now: datetime) -> None:
    with st.container(key="earlier", gap="xsmall"):
        kind = words.code(item.action.action_type)
        if before is None:
            st.caption("The request names no agent, so nothing can be said of what it did before.")
        elif not before.times:
            st.caption(
                f"This agent has never done {kind} before."
                if before.whole
                else f"This agent did {kind} so often since that what came before is not looked up; the ledger has it."
            )
        else:
            st.markdown(
                f"**Every earlier time this agent asked for {kind}**"
                if before.whole and len(before.times) < LAST
                else f"**The last {words.several(len(before.times), 'time')} this agent asked for {kind}**"
            )
            for each in before.times:
                _line(each, now)


def _line(earlier: Earlier, now: datetime) -> None:
    action = earlier.action
    simulated = " :violet-badge[Simulated]" if action.source is Source.SIMULATED else ""
    reasoning = earlier.approved.approval.reasoning if earlier.approved is not None else None
    with st.container(
        key=f"earlier-{action.action_id}", horizontal=True, wrap=False, vertical_alignment="center", gap="small"
    ):
        said = f" “{words.plain(words.shorten(words.clean(reasoning), LONGEST_REASON))}”" if reasoning else ""
        became = outcome(earlier)
        then = "" if became is None else f" · then {became}"
        st.markdown(
            f"{verdict(earlier)}{said}{then} · {words.ago(action.timestamp_start, now)}{simulated}",
            width="stretch",
        )
        to_ledger(action.action_id)


def verdict(earlier: Earlier) -> str:
    """Who decided what: a person where one was asked, else guard. Markdown."""
    if earlier.approved is not None:
        return end_in_words(earlier.approved.approval, mark=True)
    return GUARD_SAID[str(earlier.action.decision)]


def outcome(earlier: Earlier) -> str | None:
    """What became of it, with why it failed. Markdown. None where the verdict says it: denied, expired, withdrawn."""
    action = earlier.action
    if earlier.approved is not None and standing(action) == earlier.approved.approval.state:
        return None
    said = f"**{standing(action).replace('_', ' ')}**"
    known = earlier.approved.approval.reasoning if earlier.approved is not None else None
    if action.error_message and action.error_message != known:
        said += f" ({words.plain(words.shorten(words.clean(action.error_message), LONGEST_REASON))})"
    return said


def _table(rows: Iterable[tuple[str, str]]) -> None:
    """Label and value as Markdown, a line for each."""
    known = list(rows)
    frame = pl.DataFrame({"label": [f":gray[{label}]" for label, _ in known], "value": [value for _, value in known]})
    st.table(frame, hide_index=True, hide_header=True, border="horizontal")


# What stands behind a request, for the card that the cursor is on: guard's decision with what its risk is made of, the
# context that guard looked at, and how the same agent fared with the same type before. Knows nothing of Streamlit.
#
# A decision and its context never change, so they are kept, for the last `KEPT` actions that were looked at. What came
# before may: it is asked for anew whenever the inbox was.


KEPT = 32
LAST = 5
"""So many earlier ones are shown."""
PAGE, PAGES = 200, 5
"""How many rows a further page has, and how many such pages are read at most."""

Row = TypeVar("Row")


@dataclass(frozen=True)
class Earlier:
    """An earlier action of the same agent and type; `approval` is None where guard decided by itself."""

    action: Action
    approved: ActionApproval | None


@dataclass(frozen=True)
class Before:
    """Those before a request, newest first, `LAST` at most. `whole` is False where there may be more of these that were
    not reached, because so many came later."""

    times: list[Earlier]
    whole: bool


@dataclass(frozen=True)
class Background:
    """`decision` is None where it was erased; `before` is None where the action names no agent."""

    decision: GuardResult | None
    context: dict[str, Any]
    before: Before | None


@dataclass
class Backgrounds:
    """Those of one page. `_earlier` holds what came before the last one that was asked for, and when."""

    _decided: dict[str, tuple[GuardResult | None, dict[str, Any]]] = field(default_factory=dict)
    _earlier: tuple[str, float, Before | None] | None = None

    def asked(self, client: Client, item: Item, read_at: float) -> Callable[[], Background]:
        """Begin to ask for what is not known; calling it waits. `read_at` is when the inbox was read.

        Raises what the client raises.
        """
        action = item.action
        decided = self._decided.get(action.action_id)
        earlier = (
            self._earlier if self._earlier is not None and self._earlier[:2] == (action.action_id, read_at) else None
        )
        if decided is not None and earlier is not None:
            known = Background(*decided, earlier[2])
            return lambda: known
        coming = later(
            lambda: both(
                lambda: decided or _decided(client.get_action_trace(action.action_id)),
                lambda: earlier or (action.action_id, read_at, earlier_of(client, action)),
            )
        )

        def wait() -> Background:
            found, before = coming()
            self._decided.pop(action.action_id, None)
            self._decided[action.action_id] = found
            for oldest in list(self._decided)[:-KEPT]:
                del self._decided[oldest]
            self._earlier = before
            return Background(*found, before[2])

        return wait

    @property
    def count(self) -> int:
        """How many decisions are in memory."""
        return len(self._decided)


def earlier_of(client: Client, action: Action) -> Before | None:
    """The last five actions of the same agent and type that were asked for before it and do not wait, newest first.
    Whatever of them was decided by a person is among the last five such approvals, since both stand in the order in
    which they were asked for."""
    if action.agent_id is None:
        return None
    mine = (action.created_at, action.action_id)

    def actions(limit: int, cursor: str | None) -> tuple[list[Action], str | None]:
        page = client.get_actions(
            agent_id=action.agent_id,
            action_type=action.action_type,
            exclude_status=ActionStatus.PENDING_APPROVAL,
            limit=limit,
            cursor=cursor,
        )
        return [each for each in page.actions if (each.created_at, each.action_id) < mine], page.next_cursor

    def approvals(limit: int, cursor: str | None) -> tuple[list[ActionApproval], str | None]:
        page = client.get_approvals(
            agent_id=action.agent_id,
            action_type=action.action_type,
            exclude_state=ApprovalState.AWAITING,
            limit=limit,
            cursor=cursor,
        )
        before = [each for each in page.approvals if (each.action.created_at, each.action.action_id) < mine]
        return before, page.next_cursor

    (found, whole), (decided, _) = both(lambda: _newest(actions), lambda: _newest(approvals))
    approved = {each.action.action_id: each for each in decided}
    return Before([Earlier(each, approved.get(each.action_id)) for each in found], whole)


def _newest(read: Callable[[int, str | None], tuple[list[Row], str | None]]) -> tuple[list[Row], bool]:
    """The first `LAST` that `read` gives, page by page, and whether no more was to be had. Most often one page has
    them; where many came later the pages are large, and no more than `PAGES` of them are read."""
    found: list[Row] = []
    cursor: str | None = None
    for limit in (LAST + 1, *[PAGE] * PAGES):
        rows, cursor = read(limit, cursor)
        found += rows
        if len(found) >= LAST or cursor is None:
            return found[:LAST], True
    return found, False


def _decided(trace: ActionTrace) -> tuple[GuardResult | None, dict[str, Any]]:
    decision = None if isinstance(trace.decision, UnsetType) else trace.decision
    return decision, {} if isinstance(trace.context, UnsetType) else trace.context


# What an agent says of its request, as lines: what is named by the contract first, then whatever else it sent. Pure.
#
# Values are Markdown in which nothing of a stranger is carried out.


LONGEST = 160
MOST = 12
"""So many members of its own are shown as lines; the rest stands with the whole."""
_SHOWN_ELSEWHERE = frozenset(
    {
        "action_type",
        "declared_goal",
        "agent_id",
        "systems_touched",
        "reversible",
        "risk_score",
        "runtime",
        "session_id",
        "externality",
        "source",
        "occurred_at",
        "parameters",
        "metadata",
        "parameters_digest",
    }
)
_SIGNED = {
    Verification.VERIFIED: "by the agent's own key",
    Verification.UNSIGNED: "no",
    Verification.UNKNOWN_KEY: "by a key that nobody knows",
    Verification.REPLAYED: "with a signature that was used before",
    Verification.REVOKED: "by a key that was revoked",
}


def facts(action: Action, context: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Label and value; what is not there has no line. `context` is what guard looked at."""
    said: list[tuple[str, str | None]] = [
        ("Reasoning", _text(action.reasoning)),
        ("Trigger", _text(action.trigger)),
        ("Allowed to", _text(action.authorization_scope)),
        ("Input", _text(action.input_summary)),
        *_reach(action),
        ("Cost", None if action.cost_estimate is None else f"{action.cost_estimate:g} US dollars, estimated"),
        *((words.plain(name), words.code(_value(value))) for name, value in _own(context)),
        ("Parameters", _parameters(action, context)),
        ("Confidence", f"{action.confidence} of 100"),
        ("Runtime", str(action.runtime).replace("_", " ")),
        ("Session", words.code(action.session_id) if action.session_id else None),
        ("Signed", _SIGNED.get(action.verification)),
    ]
    return [(label, value) for label, value in said if value]


def whole(context: Mapping[str, Any]) -> str:
    """Everything that guard looked at, as JSON."""
    return msgspec.json.format(msgspec.json.encode(context), indent=2).decode()


def _own(context: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """The members that this agent sent beyond those of the contract: on top, in parameters, in metadata."""
    found = [(name, value) for name, value in context.items() if name not in _SHOWN_ELSEWHERE]
    for within in ("parameters", "metadata"):
        members = context.get(within)
        if isinstance(members, dict):
            found += [(f"{name} ({within})", value) for name, value in members.items()]
    yield from found[:MOST]


def _parameters(action: Action, context: Mapping[str, Any]) -> str | None:
    if action.parameters_digest is None or "parameters" in context:
        return None
    return f"kept by the agent; their digest is {words.code(action.parameters_digest)}"


def _reach(action: Action) -> list[tuple[str, str | None]]:
    said = action.externality
    if said is None:
        return []
    bound = said.reversal_bound_seconds
    back = None if bound is None else f"within {words.span(bound)}" if bound else "not at all"
    return [
        ("Destination", _plain(said.destination_visibility)),
        ("Account", _plain(said.account_provenance)),
        ("Data", _plain(said.data_classification)),
        ("Can be taken back", back),
    ]


def _plain(value: object) -> str | None:
    return None if value is None else str(value).replace("_", " ")


def _text(text: str | None) -> str | None:
    return None if text is None else words.plain(words.shorten(words.clean(text), LONGEST))


def _value(value: object) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return words.shorten(words.clean(text), LONGEST)
