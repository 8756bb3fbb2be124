"""What policies that only observe would have asked, as guard recorded it: how many of all decisions, by which policy,
and each with its reason. Below the list of policies for all of them, and in the editor for the one that is open.

Keys: `policies_observed` (the whole), `observing_<id>` (an observing policy), `observed_enforce_<id>` and
`observed_open_<id>` (its buttons), `observed_<id>` (a decision).
"""

from __future__ import annotations

import streamlit as st

from assent.contract.analysis.observed import (
    NOT_KEPT,
    ObservedDecision,
    ObservedDecisions,
    ObservedReason,
    ObservingPolicy,
    observed_in_words,
)
from assent.contract.conditions import in_words as condition_in_words
from assent.contract.control.policies import Mode, Policy, once_enforced
from assent.contract.control.rules import PolicyType
from assent_dashboard.sessions import Session
from assent_dashboard.views import links, words
from assent_dashboard.views.addresses import Scope, in_words
from assent_dashboard.views.answers import asked
from assent_dashboard.views.blocks import some
from assent_dashboard.views.policies import confirm, drafts
from assent_dashboard.views.policies.data import OBSERVED, PolicyList
from assent_dashboard.views.policies.diff import decision_in_words
from assent_dashboard.views.policies.save import may_save

NAME = "policy_observed"


def would_have(policy: Policy, found: ObservedDecisions, window: str) -> str:
    """What an observed policy alone would have done in the window."""
    of = f"{words.several(found.n, 'decision')} of {in_words(window)}"
    count = next((each for each in found.policies if each.policy_id == policy.policy_id), None)
    did = [] if count is None else _counts(count)
    if did:
        return f"would have {' and '.join(did)}{',' if len(did) > 1 else ''} of {of}"
    alone = ", and leaves sessions alone that are told nothing" if policy.policy_type == PolicyType.FLOW else ""
    return f"would have changed none of {of}{alone}"


def _counts(count: ObservingPolicy) -> list[str]:
    counts = (("asked about", count.asked), ("blocked", count.blocked), ("warned of", count.warned))
    return [f"{what} {words.amount(n)}" for what, n in counts if n]


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
            _observing(session, policy, found, scope)
        some(found.decisions, lambda each: _decision(session, each), name="policies_observed")
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
    told = would_have(policy, found, scope.window)
    st.markdown(f"**{told[0].upper()}{told[1:]}.**")
    _made_up(found)
    with st.container(key=NAME, gap="small"):
        some(found.decisions, lambda each: _decision(session, each), name=NAME)
        _rest(found)


def _headline(found: ObservedDecisions, scope: Scope) -> None:
    st.markdown(f"**{observed_in_words(found, words.amount)}**")
    tools = ", ".join(f"{words.code(each.name)} {words.amount(each.n)}" for each in found.tools)
    st.caption(f"Of {in_words(scope.window)}." + (f" Tools: {tools}." if tools else ""))
    _made_up(found)


def _made_up(found: ObservedDecisions) -> None:
    if found.simulated:
        st.caption(f":material/science: A simulator made {words.several(found.simulated, 'decision')} of these.")


def _observing(session: Session, policy: Policy, found: ObservedDecisions, scope: Scope) -> None:
    count = next((each for each in found.policies if each.policy_id == policy.policy_id), None)
    since = None if count is None else count.observes_since
    with st.container(border=True, key=f"observing_{policy.policy_id}", gap="small"):
        when = "" if since is None else f" (observes since {words.moment(since)})"
        st.markdown(f"**{words.plain(policy.name)}**{when} {would_have(policy, found, scope.window)}.")
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


def _decision(session: Session, decision: ObservedDecision) -> None:
    with st.container(border=True, key=f"observed_{decision.decision_id}", gap="small"):
        who = words.plain(decision.agent_id or "no agent")
        when = words.ago(decision.occurred_at, session.clock.now())
        change = f"{decision_in_words(decision.decision)} → {decision_in_words(decision.would_decide)}"
        st.markdown(f"{who}: {words.code(decision.tool)}, {when} · {change}")
        for each in decision.policies:
            st.markdown(words.plain(why(each)))
        with st.container(horizontal=True, gap="small"):
            if decision.action_id is not None:
                links.to_ledger(decision.action_id, "Ledger")
            if decision.session_id is not None:
                links.to_flow(decision.session_id)


def why(said: ObservedReason) -> str:
    """What a policy would have said, behind its name."""
    return condition_in_words(f"{said.name}: {said.reason or NOT_KEPT}")


def _rest(found: ObservedDecisions) -> None:
    if found.total > len(found.decisions):
        st.caption(
            f"The newest {words.amount(len(found.decisions))} of {words.amount(found.total)} are here; "
            "`iterate_observed_decisions` in a notebook has all."
        )
