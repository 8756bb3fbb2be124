"""Which requests flow policies look at, in which session, and whether they ask more by now. Pure."""

from __future__ import annotations

from typing import NamedTuple

from assent.contract.control.guard import RecordedDecision, Source
from assent.flows import Trace
from assent_service.control.guard.ask import GuardQuestion
from assent_service.control.guard.decide import flows_asking
from assent_service.control.guard.flows import FlowPolicies, SessionAsked, SessionView
from assent_service.control.guard.index import PolicySet


class Watching(NamedTuple):
    """Flow policies, of which those in the set `applying` apply to a request."""

    flows: FlowPolicies
    applying: int

    def looks_at(self, told: SessionView) -> bool:
        """Whether a request in this session is looked at."""
        return self.flows.looks_at(told, self.applying)


def watching_flows(asked: GuardQuestion, policies: PolicySet) -> Watching | None:
    """The flow policies, where any of them applies: history was told of nowhere."""
    flows = policies.flows
    if flows is None or asked.source is not Source.LIVE:
        return None
    applying = policies.scope(asked.facts.agent_key).applying
    return Watching(flows, applying) if flows.bits & applying else None


def session_of(asked: GuardQuestion) -> SessionAsked:
    parent = asked.context.get("parent_session_id")
    return SessionAsked(asked.principal, asked.agent_id, asked.session_id, parent if isinstance(parent, str) else None)


def asks_more(decision: RecordedDecision, asked: GuardQuestion, policies: PolicySet, seen: Trace | None) -> bool:
    """Whether a flow policy matches what is seen now that did not when it was decided; None is a session that is left
    alone."""
    if seen is None:
        return False
    asking = flows_asking(asked.facts, decision, policies, seen, asked.now)
    return not {*decision.matched_policies, *decision.observed_policies}.issuperset(asking)
