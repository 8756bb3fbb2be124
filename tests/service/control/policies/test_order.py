"""Policies stand in the order of their creation, after a restart too."""

from __future__ import annotations

from pathlib import Path

from assent.contract.control.policies import ImportPolicies
from assent_service.app import build
from assent_service.core.settings import Settings
from tests.service.control.actions.world import opened

PACK = "version: 1\npolicies:\n" + "".join(
    f"  - {{name: number {n}, policy_type: block_action_type, rules: {{action_types: [t{n}]}}}}\n" for n in range(12)
)


async def test_a_pack_keeps_its_order_over_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path / "home") as world:
        await world.service.policies.load_pack(world.somebody(), ImportPolicies(yaml=PACK))
        org_id = world.org_id
        before = [policy.name for policy in world.service.policies.state.list(org_id)]
        await world.service.ledger.caught_up()
    assert before[-12:] == [f"number {n}" for n in range(12)]
    again = build(Settings(home=str(tmp_path / "home")))
    try:
        assert [policy.name for policy in again.policies.state.list(org_id)] == before
    finally:
        again.ledger.close()
        await again.outside.client.aclose()
