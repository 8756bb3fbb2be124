"""The real guard, asked about simulated actions, says what the simulation says."""

from __future__ import annotations

import json
import re
from itertools import product

import msgspec
import pytest

from assent.contract.control.flows import FlowTrace
from assent.contract.control.guard import Decision
from assent.contract.control.policies import Policy
from assent_analytics.backtest.flows import as_seen
from assent_analytics.simulate import KINDS, ActionKind, vocabulary
from assent_service.control.guard import PolicySet
from assent_service.control.guard.context import gather
from assent_service.control.guard.decide import decide_by_key
from assent_service.control.guard.rates import RateWindow
from assent_service.control.guard.risk import RiskHistory, assess
from tests.service.analysis.simulation.conftest import Simulated
from tests.stories.evidence import read_log
from tests.tiers import deep

pytestmark = deep("a simulated month")

SEEN = RiskHistory(total=10, failed=0, mean_risk=30.0, last_hour=0)
"""Some history without failures, to which the formula adds nothing."""


def test_risk_and_decision_are_those_of_the_service(simulated: Simulated) -> None:
    log = read_log(simulated.home)
    policies: dict[str, dict[str, object]] = {}
    for event in log:
        if event.type.startswith("policy."):
            policies[event.subject] = event.data
    kept = [_policy(data) for data in policies.values() if data["deleted_at"] is None]
    rules = PolicySet(kept, 1)
    decisions = [event.data for event in log if event.type == "guard.decision.created"]
    assert len(decisions) == simulated.report.actions
    for recorded in decisions:
        context = recorded["context"]
        facts = gather(
            context,
            action_type=context["action_type"],
            agent_id=context["agent_id"],
            declared_goal=context["declared_goal"],
            systems_touched=tuple(context["systems_touched"]),
            reversible=context["reversible"],
            agent_risk_score=context["risk_score"],
        )
        risk = assess(facts, SEEN)
        assert risk.score == recorded["risk_score"], (context, risk)
        flow = recorded.get("flow")
        seen = None if flow is None else as_seen(msgspec.convert(flow, FlowTrace))
        verdict, _ = decide_by_key(facts, risk, rules, RateWindow(0), 0, seen=seen)
        assert verdict.decision is Decision(recorded["decision"])
        assert verdict.would_decide == recorded["would_decide"]
        assert list(verdict.matched_policies) == recorded["matched_policies"]
        assert list(verdict.reasons) == recorded["reasons"]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_no_words_or_systems_of_a_type_are_riskier_than_its_floor(kind: ActionKind) -> None:
    found = set()
    for goal, systems in product(vocabulary.GOALS[kind.name], vocabulary.SYSTEMS[kind.name]):
        places = re.findall(r"\{(\w+)\}", goal)
        for number in range(max([1, *(len(vocabulary.WORDS[place]) for place in places)])):
            words = {place: vocabulary.WORDS[place][number % len(vocabulary.WORDS[place])] for place in places}
            facts = gather(
                {},
                action_type=kind.name,
                declared_goal=goal.format(**words),
                systems_touched=systems,
                reversible=kind.reversible,
            )
            found.add(assess(facts, SEEN).score)
    assert max(found) == kind.floor


def _policy(data: dict[str, object]) -> Policy:
    return msgspec.json.decode(json.dumps(data), type=Policy)
