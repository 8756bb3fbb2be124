"""Risk templates in guard: which one counts, what it adds, and that the breakdown still explains the score."""

from __future__ import annotations

from datetime import UTC, datetime
from math import ceil
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.contract.control.risk_conditions import RiskRule, parse_risk_condition
from assent.contract.control.risk_templates import RiskTemplate, TemplateStatus, choose
from assent.proof.matching import holds
from assent_service.control.guard.context import Facts, gather
from assent_service.control.guard.risk import RiskHistory, assess
from assent_service.control.guard.templates import CompiledTemplate, TemplateSet

AT = datetime(2026, 11, 1, tzinfo=UTC)
CALM = RiskHistory(total=4, mean_risk=10.0)


def template(name: str = "t", **members: Any) -> RiskTemplate:
    rules = [RiskRule(condition=condition, add=add) for condition, add in members.pop("rules", [])]
    ordinary: dict[str, Any] = {
        "id": f"rt_{name}",
        "org_id": "org_1",
        "name": name,
        "description": None,
        "action_type": None,
        "base_risk": 0,
        "rules": rules,
        "status": TemplateStatus.ACTIVE,
        "version": 1,
        "created_at": AT,
        "created_by": "key_1",
        "updated_at": AT,
        "updated_by": "key_1",
        "deleted_at": None,
    }
    return RiskTemplate(**(ordinary | members))


def facts(**members: Any) -> Facts:
    context = {"action_type": "test"} | members
    return gather(
        context,
        action_type=context["action_type"],
        declared_goal=context.get("declared_goal"),
        systems_touched=tuple(context.get("systems_touched", ())),
        reversible=context.get("reversible"),
        agent_risk_score=context.get("risk_score"),
    )


# `test` has the base 15; no history adds nothing with CALM.
@pytest.mark.parametrize(
    ("base", "rules", "context", "score", "raised", "own"),
    [
        (0, [], {}, 15, 0, 0),
        (40, [], {}, 40, 25, 40),
        (40, [('metadata.env == "production"', 30)], {"metadata": {"env": "production"}}, 70, 55, 70),
        (40, [('metadata.env == "production"', 30)], {"metadata": {"env": "dev"}}, 40, 25, 40),
        (40, [("amount > 100", 25), ("amount > 1000", 25)], {"amount": 5000}, 90, 75, 90),
        (90, [("amount > 100", 25)], {"amount": 101}, 100, 85, 100),  # clamped above
        (10, [("amount > 100", -100)], {"amount": 101}, 15, 0, 0),  # clamped below
        (40, [], {"risk_score": 60}, 60, 0, 40),  # the agent's own is the greatest: the template raised nothing
        (70, [], {"risk_score": 60}, 70, 55, 70),
        (70, [], {"risk_score": 59.5}, 70, 55, 70),
        (60, [], {"risk_score": 59.5}, 60, 0, 60),  # ceil(59.5) is 60 already
        # What the conditions see: the agent's own risk under both names, the formula's factors, the systems.
        (20, [("risk_score >= 30", 40)], {"risk_score": 30}, 60, 45, 60),
        (20, [("agent_risk_score >= 30", 40)], {"risk_score": 30}, 60, 45, 60),
        (20, [("agent_risk_score == null", 40)], {}, 60, 45, 60),
        (40, [('risk_factors contains "irreversible"', 30)], {"reversible": False}, 70, 40, 70),
        (40, [('systems_touched contains "Redis"', 20)], {"systems_touched": ["Redis"]}, 60, 35, 60),
        (0, [({"not": {"field": "ticket", "op": "exists", "value": True}}, 50)], {}, 50, 35, 50),
    ],
)
def test_the_greatest_of_three_counts(
    base: int, rules: list[Any], context: dict[str, Any], score: int, raised: int, own: int
) -> None:
    risk = assess(facts(**context), CALM, CompiledTemplate(template(base_risk=base, rules=rules)))
    assert risk.template is not None
    assert (risk.score, risk.template.raised, risk.template.score) == (score, raised, own)


def test_history_comes_behind_the_template() -> None:
    failing = RiskHistory(total=4, failed=3, mean_risk=10.0)
    risk = assess(facts(), failing, CompiledTemplate(template(base_risk=90)))
    assert (risk.score, risk.predictive.adjustment) == (100, 15)
    assert assess(facts(), failing, CompiledTemplate(template(base_risk=50))).score == 65


def test_without_a_template_nothing_is_said_of_one() -> None:
    assert assess(facts(), CALM).template is None


kinds = st.sampled_from([None, "test", "deploy", "pay"])
drafts = st.lists(st.tuples(kinds, st.booleans()), max_size=6)


@given(drafts, st.sampled_from(["test", "deploy", "pay", "other"]))
def test_the_compiled_choice_is_the_contracts(given_ones: list[tuple[str | None, bool]], action_type: str) -> None:
    templates = [
        template(str(at), action_type=kind, status=TemplateStatus.ACTIVE if active else TemplateStatus.INACTIVE)
        for at, (kind, active) in enumerate(given_ones)
    ]
    chosen = choose(templates, action_type)
    found = TemplateSet(templates).of(action_type)
    assert (found.template_id if found else None) == (chosen.id if chosen else None)
    # Said in other words: of the active ones, those of the type before those of none, the older before the younger.
    ranked = sorted(
        (each.action_type is None, at)
        for at, each in enumerate(templates)
        if each.status == "active" and each.action_type in (None, action_type)
    )
    assert (chosen.id if chosen else None) == (templates[ranked[0][1]].id if ranked else None)


conditions = st.sampled_from(
    [
        "amount > 100",
        'metadata.env == "production"',
        "reversible == false",
        "risk_score > 40",
        'risk_factors contains "secrets_goal"',
        'ticket != "T-1"',
        {"any": [{"field": "amount", "op": "lt", "value": 5}, {"field": "ticket", "op": "exists", "value": False}]},
    ]
)
rules_of = st.lists(st.tuples(conditions, st.integers(-100, 100)), max_size=5)
contexts = st.fixed_dictionaries(
    {"action_type": st.sampled_from(["test", "deploy", "security"])},
    optional={
        "amount": st.sampled_from([1, 101, "101"]),
        "metadata": st.sampled_from([{"env": "production"}, {}]),
        "reversible": st.booleans(),
        "risk_score": st.sampled_from([0, 35.5, 41, 100]),
        "declared_goal": st.sampled_from(["drop table keys", "rotate the API_KEY", "look"]),
        "ticket": st.sampled_from(["T-1", "T-2"]),
        "systems_touched": st.just(["production"]),
    },
)


@given(st.integers(0, 100), rules_of, contexts)
def test_points_are_counted_rule_by_rule(base: int, rules: list[tuple[Any, int]], context: dict[str, Any]) -> None:
    """Against the sum over another evaluator of the tree, and the breakdown against the score."""
    asked = facts(**context)
    risk = assess(asked, CALM, CompiledTemplate(template(base_risk=base, rules=rules)))
    fields = {**asked.fields, "agent_risk_score": asked.agent_risk_score, "risk_factors": list(risk.factor_names)}
    points = base + sum(add for condition, add in rules if holds(parse_risk_condition(condition), fields))
    assert risk.template is not None
    assert risk.template.score == min(100, max(0, points))
    plain = assess(asked, CALM)
    assert risk.score == max(plain.score, risk.template.score)
    formula = min(100, risk.base + sum(factor.addition for factor in risk.factors))
    if risk.score > ceil(asked.agent_risk_score or 0):
        assert formula + risk.template.raised == risk.score
    else:
        assert risk.template.raised == 0
