"""A backtest decides as guard would have, call by call, with 0 differences."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from random import Random

import msgspec
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from assent.contract.conditions import Compare, Condition, ConditionError, Op, parse
from assent.contract.control.guard import Decision
from assent.contract.control.rules import PolicyType
from assent_analytics.backtest import backtest
from assent_analytics.backtest.database import ReplayDatabase
from assent_analytics.backtest.fields import Fields
from assent_service.control.guard import compile_condition
from tests.properties.backtest_trees import LISTS, MAPPINGS, PATTERNS, SCALARS
from tests.properties.backtest_worlds import World, make_world
from tests.tiers import deep, examples

WORLDS, QUICK, CALLS = 80, 30, 25
NEVER_REPLAYED = (PolicyType.WEBHOOK_CHECK, PolicyType.FLOW)
"""Somebody else is asked, or what was seen in a session: neither is in a recorded decision of these worlds."""


def differences(world: World) -> list[tuple[str, Decision, Decision]]:
    """Where the backtest and guard differ: decision, what guard says, what the backtest says."""
    found = backtest(
        world.decisions, world.actions, world.policies, templates=world.templates, include="verdicts", limit=10_000
    )
    assert found.verdicts is not UNSET
    assert {each.decision_id: each.before for each in found.verdicts} == world.recorded
    assert found.n == found.verdicts_total == len(world.expected)
    wrong = [
        (each.decision_id, world.expected[each.decision_id], each.after)
        for each in found.verdicts
        if each.after is not world.expected[each.decision_id]
    ]
    if not wrong:
        assert {each.policy_id: each.matched for each in found.policies if each.matched} == dict(world.matched)
    return wrong


@pytest.mark.parametrize(
    "seed",
    [*range(QUICK), *(pytest.param(each, marks=deep("more worlds of the same kind")) for each in range(QUICK, WORLDS))],
)
def test_backtest_and_guard_decide_alike(seed: int) -> None:
    assert differences(make_world(Random(seed), CALLS)) == []


@examples(0.5)
@given(st.randoms(use_true_random=False), st.integers(0, 12))
def test_they_do_in_worlds_that_hypothesis_looks_for(random: Random, calls: int) -> None:
    assert differences(make_world(random, calls)) == []


def test_every_leaf_says_of_every_value_what_guard_says() -> None:
    """Each operator with each value, on each value that a context may hold, and on none."""
    held = [*SCALARS, *LISTS, *MAPPINGS]
    contexts = ["{}", *(msgspec.json.encode({"x": value}).decode() for value in held)]
    leaves = [
        {"field": "x", "op": op.value, "value": [value, "x"] if op in (Op.IN, Op.NOT_IN) else value}
        for op in Op
        for value in (*SCALARS, *(PATTERNS if op is Op.MATCHES else ()))
    ]
    conditions: list[Condition] = []
    for leaf in leaves:
        with suppress(ConditionError):
            condition = parse(leaf)
            compile_condition(condition)
            conditions.append(condition)
    assert len(conditions) > 300
    wanted = [[compile_condition(each)(msgspec.json.decode(text)) for text in contexts] for each in conditions]
    for repeated in (1, 9):
        batch = pl.DataFrame({"context": contexts * repeated})
        with ReplayDatabase() as database:
            fields = Fields(batch, [each for each in conditions if isinstance(each, Compare)], database)
            found = fields.holding(conditions)
        for condition, here, there in zip(conditions, found, wanted, strict=True):
            assert here.to_list() == there * repeated, condition


@deep("thousands of worlds, to judge the generator")
def test_the_worlds_hold_what_they_should() -> None:
    """Every decision, many changes, and every kind of policy that is replayed and matches, limits that block among
    them; and those that are never replayed, which match nothing here."""
    worlds = [make_world(Random(seed), CALLS) for seed in range(WORLDS)]
    assert {each for world in worlds for each in world.expected.values()} == set(Decision)
    changed = sum(world.expected[each] != world.recorded[each] for world in worlds for each in world.expected)
    assert changed > WORLDS * CALLS / 4
    matched = [policy for world in worlds for policy in world.policies if world.matched[policy.policy_id]]
    kinds = Counter(policy.policy_type for policy in matched)
    assert min(kinds[kind] for kind in PolicyType if kind not in NEVER_REPLAYED) > 10
    there = Counter(policy.policy_type for world in worlds for policy in world.policies)
    assert [(kinds[kind], there[kind] > 0) for kind in NEVER_REPLAYED] == [(0, True)] * len(NEVER_REPLAYED)
    assert sum(policy.rules.get("action") == "block" for policy in matched if policy.policy_type == "rate_limit") > 5
    assert sum(bool(world.templates) for world in worlds) > WORLDS / 5
