"""What a bundle from outside says of the log, held against it: whatever it says, there is an answer."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from assent.contract.evidence.proofs import CheckStatus
from assent.proof.note import read_checkpoint
from assent_service.evidence.proofs.present import check_log
from tests.service.control.actions.world import World


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("not json", "Event 0 of the bundle is none that a log could hold"),
        ("[]", "Event 0 of the bundle is none that a log could hold"),
        ({"n": -1}, "Event 0 of the bundle is none that a log could hold"),
        ({"n": 2**60}, "Event 0 of the bundle is none that a log could hold"),
        ({"n": 10**6}, "Event 1000000 is not in the log."),
        ({"n": 0}, "Event 0 of the log is another one."),
        ({"org": "org_other"}, "of the log is another one."),
        ({}, "begins with the tree that was signed"),
    ],
)
async def test_an_event_is_in_its_place_or_not(world: World, written: str | dict[str, Any], said: str) -> None:
    action = await world.act()
    bundle = await world.service.proofs.proofs.bundle(world.admin, action.action_id)
    header = bundle.events[0].header
    if isinstance(written, str):
        other = written
    else:
        other = json.dumps(json.loads(header) | written, separators=(",", ":"), sort_keys=True)
    events = [msgspec.structs.replace(bundle.events[0], header=other), *bundle.events[1:]]
    checkpoint = read_checkpoint(bundle.checkpoint)[0]
    found = check_log(world.service.ledger.tree, world.org_id, checkpoint, events)
    assert found.status is (CheckStatus.PASS if other == header else CheckStatus.FAIL)
    assert said in found.detail
