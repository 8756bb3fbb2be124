"""What policies that only observe would have asked, as guard recorded it: how many of all decisions, by which policy,
and each with its reason. Below the list of policies for all of them, and in the editor for the one that is open.

Keys: `policies_observed` (the whole), `observing_<id>` (an observing policy), `observed_enforce_<id>` and
`observed_open_<id>` (its buttons), `observed_<id>` (a decision).
"""

from __future__ import annotations

import polars as pl
import streamlit as st

from assent.contract.analysis.observed import (
    LET_THROUGH,
    ObservedDecision,
    ObservedDecisions,
    ObservingPolicy,
    observed_in_words,
    policy_in_words,
    read_with_in_words,
    reason_in_words,
    untold_in_words,
)
from assent.contract.control.policies import Mode, Policy, once_enforced
from assent_dashboard.sessions import Session
from assent_dashboard.views import links, words
from assent_dashboard.views.addresses import LedgerAddress, LedgerView, Scope, in_words
from assent_dashboard.views.answers import asked
from assent_dashboard.views.blocks import some
from assent_dashboard.views.policies import confirm, drafts
from assent_dashboard.views.policies.data import OBSERVED, PolicyList
from assent_dashboard.views.policies.diff import decision_in_words
from assent_dashboard.views.policies.save import may_save

NAME = "policy_observed"


def would_have(policy: Policy, found: ObservedDecisions) -> str:
    """What an observed policy alone would have done in the window, since it observes by its present rules."""
    count = count_of(policy, found)
    return "observes" if count is None else policy_in_words(count, found.since, words.moment, words.amount)


def count_of(policy: Policy, found: ObservedDecisions) -> ObservingPolicy | None:
    """None for one that came after what was found, and for one of very many."""
    return next((each for each in found.policies if each.policy_id == policy.policy_id), None)


def draw_observing(session: Session, scope: Scope, listing: PolicyList) -> None:
    """All observing policies, below the list; nothing where there are no policies at all."""
    if not listing.policies:
        return
    found = listing.observed()
    observing = [each for each in listing.policies if each.active and each.mode is Mode.OBSERVE]
    st.header("What observing would have asked", anchor=False)
    with st.container(key="policies_observed", gap="small"):
        if not observing and not found.total:
            st.caption(
                "No policy observes. *Observe*, beside a policy above, lets it record what it would decide, and stops "
                "nobody."
            )
            return
        _headline(found, scope)
        places = {each.policy_id: place for place, each in enumerate(found.policies)}
        for policy in sorted(observing, key=lambda each: places.get(each.policy_id, len(places))):
            _observing(session, policy, found)
        some(found.decisions, lambda each: _decision(session, each, scope), name="policies_observed")
        _rest(found)


def draw_observed(session: Session, policy: Policy, scope: Scope, listing: PolicyList) -> None:
    """One policy that observes."""
    client = session.client
    question = (policy.policy_id, scope.window, scope.agent_id, listing.version)

    def ask() -> ObservedDecisions:
        return client.get_observed_decisions(
            scope.window, policy_id=policy.policy_id, agent_id=scope.agent_id, limit=OBSERVED
        )

    found = asked(NAME, ask, question)().answer
    told = would_have(policy, found)
    st.markdown(f"**{told[0].upper()}{told[1:]}.**")
    _left_alone(policy, found)
    _about(found, scope)
    with st.container(key=NAME, gap="small"):
        some(found.decisions, lambda each: _decision(session, each, scope), name=NAME)
        _rest(found)


def _headline(found: ObservedDecisions, scope: Scope) -> None:
    st.markdown(f"**{observed_in_words(found, words.amount)}**")
    _about(found, scope)


def _about(found: ObservedDecisions, scope: Scope) -> None:
    """What the list holds, and what it leaves out."""
    said = [f"Of {in_words(scope.window)}."]
    if found.sessions:
        sessions = words.several(found.sessions, "session")
        said.append(f"The list is of {sessions}; what is approved is trusted for the rest of its session.")
    if found.tools:
        tools = ", ".join(f"{words.code(each.name)} {words.amount(each.n)}" for each in found.tools)
        said.append(f"Tools: {tools}.")
    st.caption(" ".join([*said, LET_THROUGH]))
    if found.simulated:
        st.caption(f":material/science: A simulator made {words.several(found.simulated, 'decision')} of these.")


def _left_alone(policy: Policy, found: ObservedDecisions) -> None:
    """What a flow policy looks at beyond this, or otherwise, once it is enforced."""
    count = count_of(policy, found)
    if count is None:
        return
    for said in (untold_in_words(count, words.amount), read_with_in_words(count)):
        if said is not None:
            st.markdown(f":orange[:material/warning:] {words.plain(said)}")


def _observing(session: Session, policy: Policy, found: ObservedDecisions) -> None:
    with st.container(border=True, key=f"observing_{policy.policy_id}", gap="small"):
        st.markdown(f"**{words.plain(policy.name)}** {would_have(policy, found)}.")
        _left_alone(policy, found)
        follows = once_enforced(policy)
        if follows is not None:
            st.caption(words.plain(follows))
        with st.container(horizontal=True, gap="small"):
            st.button(
                "Enforce",
                key=f"observed_enforce_{policy.policy_id}",
                icon=":material/gavel:",
                on_click=confirm.ask,
                args=("enforce", policy),
                disabled=not may_save(session),
            )
            st.button(
                "Open",
                key=f"observed_open_{policy.policy_id}",
                icon=":material/edit:",
                type="tertiary",
                on_click=drafts.go,
                args=(policy.policy_id,),
            )


def _decision(session: Session, decision: ObservedDecision, scope: Scope) -> None:
    with st.container(border=True, key=f"observed_{decision.decision_id}", gap="small"):
        who = words.plain(decision.agent_id or "no agent")
        when = words.ago(decision.occurred_at, session.clock.now())
        change = f"{decision_in_words(decision.decision)} → {decision_in_words(decision.would_decide)}"
        what = words.code(decision.tool)
        if decision.action_type != decision.tool:
            what += f" (action type {words.code(decision.action_type)})"
        st.markdown(f"{who}: {what}, {when} · {change}")
        goal = f"{words.plain(decision.declared_goal)} · " if decision.declared_goal else ""
        st.caption(f"{goal}risk {decision.risk_score:.0f}")
        for each in decision.policies:
            st.markdown(words.plain(reason_in_words(each)))
        with st.container(horizontal=True, gap="small"):
            if decision.action_id is not None:
                links.to_ledger(decision.action_id, "Ledger")
            else:
                links.to_page(_among_decisions(decision, scope), "Decisions like it", icon=":material/receipt_long:")
            if decision.session_id is not None:
                links.to_flow(decision.session_id)


def _among_decisions(decision: ObservedDecision, scope: Scope) -> LedgerAddress:
    """Where a decision stands of which no action came."""
    return LedgerAddress(
        window=scope.window,
        agent_id=decision.agent_id,
        action_type=decision.action_type,
        decision=decision.decision,
        view=LedgerView.DECISIONS,
    )


def _rest(found: ObservedDecisions) -> None:
    if found.total > len(found.decisions):
        st.caption(
            f"The newest {words.amount(len(found.decisions))} of {words.amount(found.total)} are here; "
            "`iterate_observed_decisions` in a notebook has all."
        )


OBSERVED_COLUMNS = {
    "occurred_at": pl.Datetime("us", "UTC"),
    **dict.fromkeys(("decision_id", "action_id", "agent_id", "session_id", "tool", "action_type"), pl.String()),
    **dict.fromkeys(("declared_goal", "decision", "would_decide"), pl.String()),
    "risk_score": pl.Float64(),
    "policies": pl.List(pl.String()),
    "earlier": pl.List(pl.Boolean()),
    "reasons": pl.List(pl.String()),
}


def observed_table(found: ObservedDecisions) -> pl.DataFrame:
    """The rows of the list, to take away; of a reason that is not kept stands nothing."""
    rows = [
        (
            each.occurred_at,
            each.decision_id,
            each.action_id,
            each.agent_id,
            each.session_id,
            each.tool,
            each.action_type,
            each.declared_goal,
            each.decision.value,
            each.would_decide.value,
            each.risk_score,
            [said.policy_id for said in each.policies],
            [said.earlier for said in each.policies],
            [said.reason or "" for said in each.policies],
        )
        for each in found.decisions
    ]
    return pl.DataFrame(rows, schema=OBSERVED_COLUMNS, orient="row")
