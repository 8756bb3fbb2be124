"""What flow policies that only observe say of tools changes nothing that enforced ones decide: random histories, once
with them and once without.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace as replaced

from assent.contract.control.policies import Mode
from assent_service.control.guard import PolicySet, SessionView
from tests.properties.test_flows import World, again, asked, decided, flow_rules, policy, told
from tests.tiers import deep


def compare_observed(seed: int) -> tuple[int, int]:
    """A history with questions, once with policies that only observe beside the enforced ones and once without: how
    many questions, and how many of them observing ones said something about."""
    random = Random(seed)
    enforced = [replaced(policy(number, random), mode=Mode.ENFORCE) for number in range(random.choice([1, 2]))]
    enforced[0] = replaced(enforced[0], policy_type="flow", rules=flow_rules(random), active=True)
    observing = [
        replaced(policy(9 + number, random), policy_type="flow", rules=flow_rules(random), mode=Mode.OBSERVE)
        for number in range(2)
    ]
    every = [observing[0], *enforced, observing[1]]
    alone, beside = (World(Random(seed), each, PolicySet(each).pack, operated=True) for each in (enforced, every))
    labels, number, watched = sorted(alone.pack.labels), 0, 0
    for _ in range(random.choice([2, 5, 9])):
        if random.random() < 0.5:
            said = told(random, labels)
            alone.tell(said)
            beside.tell(said)
            continue
        sent, found = asked(random), list[dict[str, Any]]()
        for world in (alone, beside):
            world.pass_time()
            found.append(decided(world, sent, world.view() if world.rows else SessionView(None))[0])
            assert again(found[-1], world.policies).agrees, seed
        for name in ("decision", "matched_policies", "reasons", "risk_score"):
            assert found[0][name] == found[1][name], (seed, name, sent, [each.rules for each in every])
        number, watched = number + 1, watched + bool(found[1]["observed_policies"])
    return number, watched


def test_what_observing_policies_say_changes_nothing_that_enforced_ones_decide() -> None:
    found = [compare_observed(seed) for seed in range(5_000_000, 5_000_250)]
    assert sum(each for each, _ in found) > 400
    assert sum(each for _, each in found) > 100


@deep("10,000 histories")
@pytest.mark.parametrize("part", range(10))
def test_it_changes_nothing_in_ten_thousand_histories(part: int) -> None:
    found = [compare_observed(6_000_000 + 1000 * part + each) for each in range(1000)]
    assert sum(each for _, each in found) > 400
