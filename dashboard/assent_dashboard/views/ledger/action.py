"""The page of one action, in full: what was wanted, what guard and the operator said, what came of it, its open loops
and messages.

Its address is `/ledger?action_id=act_...`.

Keys: `action_checkpoints`, `action_receipts`, `action_proven`, `action_left`, `action_right`, `action_replay`,
`action_loops`, `action_links`, `ledger_again`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec
import polars as pl
import streamlit as st

from assent import (
    Action,
    ActionStatus,
    ActionTrace,
    Approval,
    ApprovalState,
    Assumption,
    EventName,
    GuardResult,
    InvalidRequest,
    NotFound,
    Source,
)
from assent.contract.conditions import in_words
from assent.contract.control.actions import FINAL, standing
from assent.contract.control.loops import LoopStatus, OpenLoop
from assent.contract.evidence.traces import LoopTrace, MessageTrace
from assent.contract.exchange.messages import Message
from assent_analytics.charts.palette import spoken
from assent_analytics.replay import timeline
from assent_dashboard.sessions import Session
from assent_dashboard.views import words
from assent_dashboard.views.addresses import LedgerAddress, MessagesAddress, MessagesView
from assent_dashboard.views.answers import FRESH_SECONDS, asked, checked_at, forget
from assent_dashboard.views.frame import beat, draw_checked
from assent_dashboard.views.ledger import data as ledger_data
from assent_dashboard.views.ledger import trace as action_trace
from assent_dashboard.views.links import to_findings, to_flow, to_page, to_proof
from assent_dashboard.views.messages.words import LOOPS

NAME, BEAT_SECONDS = "ledger_action", 1.0
EVENTS = frozenset(
    {
        EventName.ACTION_UPDATED,
        EventName.OUTCOME_CREATED,
        EventName.APPROVAL_DECIDED,
        EventName.APPROVAL_EXPIRED,
        EventName.APPROVAL_WITHDRAWN,
        EventName.APPROVAL_CLAIMED,
        EventName.ASSUMPTION_CREATED,
        EventName.ASSUMPTION_UPDATED,
        EventName.MESSAGE_CREATED,
        EventName.LOOP_CREATED,
        EventName.LOOP_UPDATED,
    }
)
"""What may change the page of an action that has not ended."""
NO_GOAL = "No goal was declared"
LONGEST_GOAL = 300
COLOURS = {
    ActionStatus.COMPLETED: "green",
    ActionStatus.RUNNING: "violet",
    ActionStatus.PENDING_APPROVAL: "blue",
    ActionStatus.FAILED: "orange",
    ActionStatus.BLOCKED: "red",
}


def show(session: Session, filters: LedgerAddress, action_id: str) -> None:
    st.set_page_config(page_title="Action · Assent")
    to_page(filters.closed(), "Back to the list", icon=":material/arrow_back:")
    version = session.feed.version(EVENTS)
    coming = asked(NAME, lambda: session.client.get_action_trace(action_id), action_id)
    try:
        names = ledger_data.policy_names(session)
        kept = coming()
    except (NotFound, InvalidRequest):
        st.title("No such action", anchor=False)
        st.info(
            f"This organization has no action {words.code(action_id)}. Check the id; a link from another organization "
            "needs a key of that one.",
            icon=":material/search_off:",
        )
        return
    trace, now = kept.answer, session.clock.now()  # ages are the service's to tell, whatever the clock here says
    _head(trace.action)
    draw_checked("ledger", checked_at(session, kept), now, NAME)
    _proven(trace)
    action_trace.draw_checkpoints(trace, now)
    events = timeline(msgspec.to_builtins(trace), now)
    action_trace.draw_replay(trace.action, events)
    left, right = st.columns([3, 2], gap="large")
    with left, st.container(key="action_left"):
        _left(trace, names)
    with right, st.container(key="action_right"):
        action_trace.timeline(events)
        if trace.trace.root_cause_indicators:
            action_trace.causes(trace.trace.root_cause_indicators, names)
        if trace.trace.changes:
            action_trace.changes(trace.trace.changes)
    _draw_others(trace, filters)

    def due() -> bool:
        # What has ended hardly changes; what still waits or runs is followed as it happens.
        if trace.action.status not in FINAL and session.feed.version(EVENTS) != version:
            forget(NAME)
            return True
        return kept.age >= FRESH_SECONDS

    beat(due, every=BEAT_SECONDS)


def _proven(trace: ActionTrace) -> None:
    """Key: `action_proven`."""
    proof = trace.trace.proof
    with st.container(key="action_proven", horizontal=True, vertical_alignment="center", gap="small"):
        if proof is None:
            st.markdown(":gray[:material/hourglass_empty: No signed tree head covers it yet.]", width="content")
        else:
            st.markdown(
                f":green[:material/verified:] Proven since {words.moment(proof.signed_at)}, by the signed tree head of "
                f"{words.amount(proof.size)} events.",
                width="content",
            )
        to_proof(trace.action.action_id, "Proof of this action")


def _head(action: Action) -> None:
    st.title(words.plain(words.shorten(words.clean(action.declared_goal) or NO_GOAL, LONGEST_GOAL)), anchor=False)
    with st.container(horizontal=True, gap="small"):
        stands = standing(action)
        colour = "red" if stands == "denied" else COLOURS.get(action.status, "gray")
        st.markdown(f":{colour}-badge[{spoken(stands)}]")
        st.badge(f"risk {action.risk_score:g} of 100", color="gray")
        if action.source is Source.SIMULATED:
            st.badge("simulated", color="violet")
        elif action.source is Source.IMPORT:
            st.badge("import", color="gray")
    if action.source is Source.SIMULATED:
        st.caption("A simulator made this action. It never happened.")
    elif action.source is Source.IMPORT:
        st.caption("It happened before and was recorded as history; guard's decision was made afterwards.")
    st.code(action.action_id, language=None)


def _left(trace: ActionTrace, names: dict[str, str]) -> None:
    draw_wanted(trace.action)
    draw_verdict(trace, names)
    if trace.approval is not None:
        draw_approval(trace.approval)
    if trace.trace.assumptions.items:
        draw_assumptions(trace.trace.assumptions.items)
    if trace.trace.messages.items:
        draw_messages(trace.trace.messages)
    if has_outcome(trace.action):
        draw_outcome(trace.action)
    if trace.trace.loops.items:
        draw_loops(trace.trace.loops)


def _draw_others(trace: ActionTrace, filters: LedgerAddress) -> None:
    """Other actions, as links; the filters stay in them, so that the way back stays the same."""
    around = trace.trace
    groups: list[tuple[str, Sequence[Action]]] = [
        ("It was part of", around.parent_chain),
        ("It led to", around.sub_actions),
        ("The same agent within an hour", around.related_actions),
    ]
    if not any(actions for _, actions in groups):
        return
    with st.container(key="action_links"):
        for title, actions in groups:
            if actions:
                st.header(title, anchor=False)
            for action in actions:
                goal = words.plain(words.shorten(words.clean(action.declared_goal) or NO_GOAL, 80))
                simulated = " (simulated)" if action.source is Source.SIMULATED else ""
                to_page(
                    filters.opened(action.action_id),
                    f"{words.code(action.action_type)} {goal} · {spoken(standing(action))}{simulated}",
                    icon=":material/subdirectory_arrow_right:"
                    if title != "It was part of"
                    else ":material/north_west:",
                )


# The parts of an action's page that say what was wanted, what guard and the operator said, and what came of it.
#
# What agents and operators wrote is shown letter by letter (`words.plain`, `words.code`, `st.text`).


Facts = Mapping[str, str | None]


def draw_wanted(action: Action) -> None:
    st.header("What the agent wanted", anchor=False)
    facts(
        {
            "Agent": _agent(action),
            "Type": words.code(action.action_type),
            "Happened": words.moment(action.timestamp_start),
            "Reasoning": words.plain(action.reasoning),
            "Trigger": words.plain(action.trigger),
            "Allowed to": words.plain(action.authorization_scope),
            "Input": words.plain(action.input_summary),
            "Touches": ", ".join(words.code(system) for system in action.systems_touched),
            "Parameters": words.code(action.parameters_digest) if action.parameters_digest else None,
            "Undo": "can be undone" if action.reversible else "cannot be undone",
            **_reach(action),
            "Confidence": f"{action.confidence} of 100",
            "Runtime": spoken(action.runtime),
            "Session": words.code(action.session_id) if action.session_id else None,
        }
    )
    to_flow(action.session_id)
    if action.metadata:
        with st.expander("Metadata"):
            st.code(msgspec.json.format(msgspec.json.encode(action.metadata), indent=2).decode(), language="json")


def _reach(action: Action) -> Facts:
    """What the agent said of how far it reaches."""
    said = action.externality
    if said is None:
        return {}
    bound = said.reversal_bound_seconds
    undone = None if bound is None else f"within {words.span(bound)}" if bound else "not at all"
    return {
        "Destination": spoken(said.destination_visibility) if said.destination_visibility else None,
        "Account": spoken(said.account_provenance) if said.account_provenance else None,
        "Data": spoken(said.data_classification) if said.data_classification else None,
        "Taken back": undone,
    }


def draw_verdict(trace: ActionTrace, names: Mapping[str, str]) -> None:
    """`names` are those of policies by their ids."""
    st.header("What guard said", anchor=False)
    action = trace.action
    st.markdown(f"**{spoken(action.decision).capitalize()}** at risk **{action.risk_score:g}** of 100.")
    if isinstance(trace.decision, GuardResult):
        _reasons(trace.decision, names)
        to_findings(trace.decision.decision_id, trace.decision.matched_policies)
    else:
        st.caption("The decision's reasons are no longer kept.")
    if action.would_decide is not None and action.would_decide is not action.decision:
        st.caption(f"With every observed policy enforced it would have been: {spoken(action.would_decide)}.")
    st.caption(f"Recorded as {words.code(action.decision_id)}")


def _reasons(decision: GuardResult, names: Mapping[str, str]) -> None:
    lines = [f"- {words.plain(in_words(reason))}" for reason in decision.reasons]
    lines += [f"- Warning: {words.plain(warning)}" for warning in decision.warnings]
    st.markdown("\n".join(lines) or "No policy had anything to say.")
    facts(
        {
            "Policies": ", ".join(_policy(each, names) for each in decision.matched_policies),
            "Observed": ", ".join(_policy(each, names) for each in decision.observed_policies),
            "Agent's risk": None if decision.agent_risk_score is None else f"{decision.agent_risk_score:g}",
            "Service's risk": " + ".join(
                f"{spoken(name)} {value:g}" for name, value in decision.risk_breakdown.items()
            ),
            "History": _history(decision),
        }
    )


def _policy(policy_id: str, names: Mapping[str, str]) -> str:
    name = names.get(policy_id)
    return words.code(policy_id) if name is None else words.plain(name)


def _history(decision: GuardResult) -> str:
    past = decision.predictive_risk.statistical
    seen = f"{words.several(past.total_actions, 'action')} of this kind in 30 days"
    if not past.total_actions:
        return seen
    return f"{seen}, {words.percent(100 * past.failure_rate)} failed; adds {past.adjustment:g}"


def draw_approval(asked: Approval) -> None:
    st.header("What the operator said", anchor=False)
    by = f" by **{words.plain(asked.decided_by)}**" if asked.decided_by else ""
    if asked.decided_at is None:
        st.markdown(f"Waits since {words.moment(asked.requested_at)}; expires {words.moment(asked.expires_at)}.")
    elif asked.grant_id is not None:
        st.markdown(f"**Approved in advance**{by}, by a standing grant; nobody was asked.")
    else:
        waited = words.exact((asked.decided_at - asked.requested_at).total_seconds())
        st.markdown(f"**{spoken(asked.state).capitalize()}**{by}, {words.moment(asked.decided_at)}, after {waited}.")
    if asked.reasoning:
        st.markdown(f"> {words.plain(asked.reasoning)}")
    elif asked.state in {ApprovalState.APPROVED, ApprovalState.DENIED}:
        st.caption("No reason was given.")
    for condition in asked.conditions:
        st.markdown(f"- On condition: {words.plain(condition)}")
    facts(
        {
            "Who decided": "the key that had asked" if asked.self_decided else None,
            "Standing grant": words.code(asked.grant_id) if asked.grant_id else None,
            "Valid until": words.moment(asked.valid_until) if asked.valid_until else None,
            "Used": f"{words.moment(asked.claimed_at)} by {words.code(asked.claimed_by)}" if asked.claimed_at else None,
            "Refused claims": str(asked.refused_claims) if asked.refused_claims else None,
            "Digest of what was asked": words.code(asked.act_digest) if asked.act_digest else None,
        }
    )


def draw_assumptions(believed: Iterable[Assumption]) -> None:
    st.header("What it believed", anchor=False)
    for each in believed:
        held, colour = ("held", "green") if each.validated else ("not checked", "gray")
        if each.invalidated:
            held, colour = "was wrong", "red"
        st.markdown(f":{colour}-badge[{held}] {words.plain(each.assumption)}")
        more = [f"Rests on: {words.plain(each.basis)}"] if each.basis else []
        more += [f"Why: {words.plain(each.invalidated_reason)}"] if each.invalidated_reason else []
        if more:
            st.caption(" · ".join(more))


def draw_outcome(action: Action) -> None:
    st.header("What came of it", anchor=False)
    if action.output_summary:
        st.markdown(words.plain(action.output_summary))
    if action.error_message:
        st.error(words.plain(action.error_message))
    facts(
        {
            "Ended": words.moment(action.timestamp_end) if action.timestamp_end else None,
            "Took": words.exact(action.duration_ms / 1000) if action.duration_ms is not None else None,
            "Side effects": "; ".join(words.plain(each) for each in action.side_effects),
            "Made": ", ".join(words.code(each) for each in action.artifacts_created),
            "Cost": f"{action.cost_estimate:.4g} USD".replace("$", "") if action.cost_estimate is not None else None,
            "Tokens": _tokens(action),
            "Model": words.code(action.model) if action.model else None,
        }
    )


def _tokens(action: Action) -> str | None:
    if action.tokens_in is None and action.tokens_out is None:
        return None
    return f"{words.amount(action.tokens_in or 0)} in, {words.amount(action.tokens_out or 0)} out"


def has_outcome(action: Action) -> bool:
    said = (action.output_summary, action.error_message, action.timestamp_end, action.side_effects)
    return action.duration_ms is not None or any(said) or bool(action.artifacts_created)


def facts(given: Facts) -> None:
    """What there is of it, a line for each. Values are Markdown."""
    there = {label: value for label, value in given.items() if value}
    if there:
        frame = pl.DataFrame({"label": [f":gray[{label}]" for label in there], "value": list(there.values())})
        st.table(frame, hide_index=True, hide_header=True, border="horizontal")


def _agent(action: Action) -> str:
    if action.agent_name and action.agent_id:
        return f"{words.plain(action.agent_name)} ({words.code(action.agent_id)})"
    return words.code(action.agent_name or action.agent_id)


# What an action left open, on its page, and how that ended. What agents wrote is shown letter by letter.


_STANDS: dict[LoopStatus, str] = {
    LoopStatus.OPEN: ":blue-badge[:material/pending: open]",
    LoopStatus.RESOLVED: ":green-badge[:material/check: resolved]",
    LoopStatus.CANCELLED: ":gray-badge[:material/close: cancelled]",
}


def draw_loops(left: LoopTrace) -> None:
    """Key: `action_loops`."""
    with st.container(key="action_loops"):
        st.header("What it left open", anchor=False)
        for each in left.items:
            _loop(each)
        if left.open:
            to_page(
                MessagesAddress,
                "Close it",
                icon=":material/check:",
                view=MessagesView.LOOPS,
                status=LoopStatus.OPEN,
            )


def _loop(loop: OpenLoop) -> None:
    st.markdown(f"{_STANDS[loop.status]} {words.plain(loop.description)}")
    said = [LOOPS[loop.loop_type], f"{loop.priority.value} priority", words.moment(loop.created_at)]
    said += [f"for {words.plain(loop.owner)}"] if loop.owner else []
    said += [f"closed {words.moment(loop.resolved_at)}"] if loop.resolved_at else []
    said += [f"how: {words.plain(loop.resolution)}"] if loop.resolution else []
    st.caption(" · ".join(said))


# The messages that agents wrote about an action, on its page. What they wrote is shown letter by letter.


def draw_messages(said: MessageTrace) -> None:
    st.header("What agents wrote", anchor=False)
    for message in said.items:
        _message(message)
    if said.total > len(said.items):
        st.caption(f"These are the first {len(said.items)} of {said.total}.")


def _message(message: Message) -> None:
    to = "all" if message.to_agent_id is None else words.code(message.to_agent_id)
    urgent = ":red-badge[urgent] " if message.urgent else ""
    subject = f" **{words.plain(message.subject)}**" if message.subject else ""
    st.markdown(f"{urgent}{words.code(message.from_agent_id)} to {to}{subject}")
    st.markdown(words.plain(message.body))
    more = [f"Attached: {', '.join(words.plain(each.filename) for each in message.attachments)}"]
    more = more if message.attachments else []
    more += [f"Read by {', '.join(words.code(reader) for reader in message.read_by)}"] if message.read_by else []
    st.caption(" · ".join([message.message_type, words.moment(message.created_at), *more]))
