"""Many operators decide on one action at the same moment: one of them wins, and all others are told who."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.stories.approvers import race
from tests.stories.tenant import Tenant
from tests.tiers import deep

APPROVERS = 100
ROUNDS = 10
STATUS = {"allow": "running", "deny": "cancelled"}
STATE = {"allow": "approved", "deny": "denied"}


@pytest.fixture(scope="module")
def crowd(shared_tenant: Tenant) -> Tenant:
    shared_tenant.governed()
    for number in range(APPROVERS):
        shared_tenant.add_key(f"op-{number}", "operator")
    return shared_tenant


@pytest.mark.parametrize("turn", range(ROUNDS))
def test_of_a_hundred_approvers_one_wins(crowd: Tenant, turn: int) -> None:
    names = [f"op-{number}" for number in range(APPROVERS)]
    verdicts = ["allow", "deny"] * (APPROVERS // 2)
    random.Random(turn).shuffle(verdicts)
    action_id = crowd.create("pay")
    before = crowd.recorded()
    decided = race(crowd.service.port, [crowd.keys[name] for name in names], action_id, verdicts)
    assert Counter(each.status for each in decided) == {200: 1, 409: APPROVERS - 1}
    (at,) = (at for at, each in enumerate(decided) if each.status == 200)
    won, winner = decided[at], f"the {names[at]}"
    for each in decided:
        if each.status == 409:
            assert each.body["code"] == "already_decided"
            assert each.body["detail"].startswith(f"{winner} has {STATE[won.verdict]} action {action_id} at ")
            assert each.body["approval"]["decided_by_key"] == crowd.key_ids[names[at]]
    detail = crowd.call("GET", f"/api/actions/{action_id}")
    assert detail["action"]["status"] == STATUS[won.verdict]
    assert detail["approval"]["state"] == STATE[won.verdict]
    assert detail["approval"]["reasoning"] == f"I say {won.verdict}"
    assert detail["action"]["approved_by"] == (winner if won.verdict == "allow" else None)
    # The decision and the action's change, and nothing for those who came too late.
    assert crowd.recorded() == before + 2


def test_the_same_decision_sent_twice_at_once_is_one(crowd: Tenant) -> None:
    action_id = crowd.create("pay")
    before = crowd.recorded()
    both = race(crowd.service.port, [crowd.keys["op-0"]] * 2, action_id, ["allow"] * 2, idempotency_key="retry-1")
    assert [each.status for each in both] == [200, 200]
    assert both[0].body == both[1].body
    assert crowd.recorded() == before + 2


@deep("one story of each kind is in the quick tier")
def test_the_same_key_with_another_verdict_is_no_repetition(crowd: Tenant) -> None:
    action_id = crowd.create("pay")
    keys = [crowd.keys["op-0"]] * 2
    both = race(crowd.service.port, keys, action_id, ["allow", "deny"], idempotency_key="retry-2")
    assert sorted(each.status for each in both) == [200, 409]
