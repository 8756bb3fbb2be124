"""Which requests flow policies look at, in which session, and whether they ask more by now. Pure."""

from __future__ import annotations

from assent.contract.control.guard import RecordedDecision, Source
from assent.flows import Trace
from assent_service.control.guard.ask import GuardQuestion
from assent_service.control.guard.decide import flows_asking
from assent_service.control.guard.flows import FlowPolicies, SessionAsked
from assent_service.control.guard.index import PolicySet


def watching_flows(asked: GuardQuestion, policies: PolicySet) -> FlowPolicies | None:
    """The flow policies, where any of them applies: history was told of nowhere."""
    flows = policies.flows
    if flows is None or asked.source is not Source.LIVE:
        return None
    return flows if flows.bits & policies.scope(asked.facts.agent_key).applying else None


def session_of(asked: GuardQuestion) -> SessionAsked:
    parent = asked.context.get("parent_session_id")
    return SessionAsked(asked.principal, asked.session_id, parent if isinstance(parent, str) else None)


def asks_more(decision: RecordedDecision, asked: GuardQuestion, policies: PolicySet, seen: Trace) -> bool:
    """Whether a flow policy matches what is seen now that did not when it was decided."""
    asking = flows_asking(asked.facts, policies, seen)
    return not {*decision.matched_policies, *decision.observed_policies}.issuperset(asking)
