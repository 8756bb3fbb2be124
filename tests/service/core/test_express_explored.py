"""A question that is explored takes the quick way as any other does."""

from __future__ import annotations

import json
from pathlib import Path

from assent.contract.control.policies import PolicyChange
from assent.contract.people.organizations import UpdateOrganization
from assent_service.base.clock import HOUR
from tests.service.core.test_express import opened, post


def test_what_is_drawn_is_drawn_alike_both_ways(tmp_path: Path) -> None:
    """A key's draw of an hour is one, whichever way the question comes."""
    look = {"action_type": "asked", "declared_goal": "Look it up", "agent_id": "agent-1", "reversible": True}
    with opened(tmp_path) as both:
        bench = both.bench
        organizations, policies = bench.service.organizations, bench.service.policies
        asking = next(each for each in policies.state.list(bench.admin.org_id) if each.name == "require_approval")
        both.run(policies.update(bench.admin, asking.policy_id, PolicyChange(explore=0.5)))
        both.run(organizations.update(bench.admin, bench.admin.org_id, UpdateOrganization(explore_below=60)))
        drawn = []
        for _ in range(12):
            bench.now += HOUR
            assert both.alike(*post(both, look))
            drawn.append(json.loads(bench.events[0].data or b"")["explored"])
            both.alike(*post(both, look | {"agent_id": "agent-W-2"}, address="/api/actions"))
    assert {True, False} == set(drawn)
