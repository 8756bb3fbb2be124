"""Policy replay of decisions that a risk template took part in: the risk is taken as recorded, and all else agrees."""

from __future__ import annotations

from math import ceil
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.control.guard import GuardContext
from assent.contract.control.policies import Policy
from assent_service.control.guard.ask import question, recorded
from assent_service.control.guard.decide import decide
from assent_service.control.guard.index import PolicySet
from assent_service.control.guard.rates import RateWindow
from assent_service.control.guard.risk import RiskHistory, assess
from assent_service.control.guard.templates import CompiledTemplate
from tests.properties.test_decide import policy_lists
from tests.properties.test_replay import NOW, PRINCIPAL, again, asked, histories, normal
from tests.service.control.guard.test_templates import rules_of, template
from tests.tiers import examples

Payload = dict[str, Any]


@examples(2)
@given(policy_lists().map(normal), asked(), histories, st.integers(0, 100), rules_of)
def test_guard_and_replay_agree(
    policies: list[Policy], sent: Payload, history: RiskHistory, base: int, rules: list[tuple[Any, int]]
) -> None:
    asking = question(PRINCIPAL, msgspec.convert(sent, GuardContext), sent, NOW)
    risk = assess(asking.facts, history, CompiledTemplate(template(base_risk=base, rules=rules, version=3)))
    subject = PolicySet(policies)
    verdict = decide(asking.facts, risk, subject, RateWindow(subject.max_actions), NOW)
    decision = recorded(asking, "dec_1", verdict, risk, 1, subject.digest)
    payload: Payload = msgspec.json.decode(msgspec.json.encode(decision))
    assert (payload["risk_template_id"], payload["risk_template_version"]) == ("rt_t", 3)
    explained = sum(payload["risk_breakdown"].values())
    if ceil(payload["agent_risk_score"] or 0) < payload["risk_template_score"]:
        assert payload["risk_score"] == min(100, explained)
    if not verdict.webhooks:
        found = again(payload, policies)
        assert found.agrees, found
