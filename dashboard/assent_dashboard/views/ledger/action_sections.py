"""The parts of an action's page that say what was wanted, what guard and the operator said, and what came of it.

What agents and operators wrote is shown letter by letter (`words.plain`, `words.code`, `st.text`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec
import polars as pl
import streamlit as st

from assent import Action, ActionTrace, Approval, ApprovalState, Assumption, GuardResult
from assent_analytics.charts.palette import spoken
from assent_dashboard.views import words
from assent_dashboard.views.links import to_findings

Facts = Mapping[str, str | None]


def wanted(action: Action) -> None:
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


def verdict(trace: ActionTrace, names: Mapping[str, str]) -> None:
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
    lines = [f"- {words.plain(reason)}" for reason in decision.reasons]
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


def approval(asked: Approval) -> None:
    st.header("What the operator said", anchor=False)
    by = f" by **{words.plain(asked.decided_by)}**" if asked.decided_by else ""
    if asked.decided_at is None:
        st.markdown(f"Waits since {words.moment(asked.requested_at)}; expires {words.moment(asked.expires_at)}.")
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
            "Valid until": words.moment(asked.valid_until) if asked.valid_until else None,
            "Used": f"{words.moment(asked.claimed_at)} by {words.code(asked.claimed_by)}" if asked.claimed_at else None,
            "Refused claims": str(asked.refused_claims) if asked.refused_claims else None,
            "Digest of what was asked": words.code(asked.act_digest) if asked.act_digest else None,
        }
    )


def assumptions(believed: Iterable[Assumption]) -> None:
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


def outcome(action: Action) -> None:
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
