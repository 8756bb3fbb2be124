"""One action as PCAA sees it, on a running service; the proofs are played, so that they can change in between."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any

import polars as pl
import pytest

from assent.contract.evidence.log import LogHead
from assent.contract.evidence.pcaa import CheckpointId, Enforceability
from assent.contract.evidence.proofs import Envelope, ProofBundle, ProofKind, ProofSnapshot
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_analytics import pcaa
from assent_service.core.principal import Principal
from assent_service.evidence.pcaa import ATTEMPTS, pcaa_action
from tests.service.control.actions.world import HOUR, MINUTE, World, refused

LETTERS = {"complete": "c", "pending": "p", "missing": "m", "not_required": "-", "denied": "d"}


async def nothing() -> None:
    """What happens in between unless a test says otherwise."""


class Played:
    """Proofs whose digest is the newest of `digests`; `between` happens after the snapshot was made."""

    def __init__(self, world: World, between: Callable[[], Awaitable[None]] = nothing) -> None:
        self.world, self.between = world, between
        self.digest = "sha256:0"
        self.asked: list[tuple[str, Principal, str]] = []

    async def snapshot(self, principal: Principal, action_id: str) -> ProofSnapshot:
        self.asked.append(("snapshot", principal, action_id))
        made = ProofSnapshot(
            schema="svc.proof.snapshot.v1",
            kind=ProofKind.ACTION,
            org_id=self.world.org_id,
            action_id=action_id,
            generated_at=self.world.clock.moment + timedelta(days=7),
            ok=True,
            summary="It holds.",
            digest=self.digest,
            head=head(self.world.clock.moment),
            checks=[],
            certificate={},
        )
        await self.between()
        return made

    async def bundle(self, principal: Principal, action_id: str) -> ProofBundle:
        self.asked.append(("bundle", principal, action_id))
        return ProofBundle(
            schema="svc.proof.v1",
            bundle_id="sha256:1",
            kind=ProofKind.ACTION,
            org_id=self.world.org_id,
            action_id=action_id,
            digest=self.digest,
            attestation=Envelope(payload="", payloadType="", signatures=[]),
            checkpoint="",
            events=[],
            policies=None,
            consistency=[],
            keys=[],
        )


def head(at: datetime) -> LogHead:
    return LogHead(origin="here", size=1, root="00", signed_at=at, kid="k", checkpoint="")


def letters(found: Any) -> str:
    return "".join(LETTERS[each.status] for each in found.checkpoints)


async def test_it_tells_the_whole_action(world: World) -> None:
    await world.policy("require_approval", {"action_types": ["pay"]})
    reach = {"destination_visibility": "partner", "reversal_bound_seconds": 0}
    action = await world.act(action_type="pay", declared_goal="pay", agent_id="bot", externality=reach)
    first = await world.believe(action, basis="the invoice")
    newest = await world.believe(action, basis=None)
    await world.decide(action, "allow")
    proofs = Played(world)
    found = await pcaa_action(world.traces, proofs, world.admin, action.action_id)
    assert found.action_id == found.replay.action.action_id == found.proof.action_id == found.export.action_id
    assert found.replay == await world.trace(action)
    assert [each.id for each in found.checkpoints] == list(CheckpointId)
    assert [each.value for each in found.checkpoints] == [
        "require_approval",
        action.action_id,
        newest.assumption_id,
        "approved",
        "running",
    ]
    assert first.assumption_id != newest.assumption_id
    assert letters(found) == "cccc-"
    assert found.enforceability is found.receipts.enforceability is Enforceability.ENFORCE_BEFORE_EXECUTE
    assert found.receipts.expected == found.receipts.observed == list(CheckpointId)[:4]
    assert found.receipts.completeness == 1.0
    assert found.externality is not None
    assert found.externality.destination_visibility == "partner"
    assert (found.externality.data_classification, found.externality.reversal_bound_seconds) == (None, 0)
    assert [what for what, *_ in proofs.asked] == ["snapshot", "bundle"]
    assert {(by.key_id, action_id) for _, by, action_id in proofs.asked} == {(world.admin.key_id, action.action_id)}


async def test_an_observer_owes_neither_belief_nor_approval(world: World) -> None:
    await world.policy("require_approval", {"action_types": ["pay"]})
    past = world.clock.moment
    action = await world.act(
        action_type="pay", risk_score=99, source="import", occurred_at=past, status="completed", declared_goal="pay"
    )
    world.clock.turn(HOUR)
    found = await pcaa_action(world.traces, Played(world), world.admin, action.action_id)
    assert (letters(found), found.enforceability) == ("cc--c", Enforceability.OBSERVE_ONLY)
    assert [each.value for each in found.receipts.expected] == [
        "pre_action_admissibility",
        "action_open",
        "outcome_closure",
    ]
    # It was completed without a word, so the last receipt is not there.
    assert found.receipts.completeness == pytest.approx(2 / 3)
    assert found.externality is None


async def test_the_moment_is_that_of_the_proofs_head(world: World) -> None:
    action = await world.act()
    for turned, expected in ((HOUR - MINUTE, "cc---"), (2 * MINUTE, "cc--p"), (24 * HOUR, "cc--m")):
        world.clock.turn(turned)
        assert letters(await pcaa_action(world.traces, Played(world), world.admin, action.action_id)) == expected


async def test_what_changes_in_between_is_read_again(world: World) -> None:
    """Once: then the snapshot, the trace and the bundle are of the same state."""
    action = await world.act()

    async def goes_on() -> None:
        if proofs.digest == "sha256:0":
            proofs.digest = "sha256:1"
            await world.report(action, status="completed", output_summary="done")

    proofs = Played(world, goes_on)
    found = await pcaa_action(world.traces, proofs, world.admin, action.action_id)
    assert (found.proof.digest, found.export.digest) == ("sha256:1", "sha256:1")
    assert found.checkpoints[-1].value == found.replay.action.status == "completed"
    assert [what for what, *_ in proofs.asked] == ["snapshot", "bundle"] * 2


async def test_what_never_rests_is_answered_all_the_same(world: World) -> None:
    action = await world.act()

    async def never_rests() -> None:
        proofs.digest += "0"

    proofs = Played(world, never_rests)
    found = await pcaa_action(world.traces, proofs, world.admin, action.action_id)
    assert (found.proof.digest, found.export.digest) == ("sha256:0" + "0" * (ATTEMPTS - 1), proofs.digest)
    assert len(proofs.asked) == 2 * ATTEMPTS


async def test_another_agents_action_is_not_there(world: World) -> None:
    action = await world.act(agent_id="bot")
    for principal in (world.somebody(Role.AGENT, "other"), await world.stranger()):
        async with refused(Code.ACTION_NOT_FOUND):
            await pcaa_action(world.traces, Played(world), principal, action.action_id)
    mine = await pcaa_action(world.traces, Played(world), world.somebody(Role.AGENT, "bot"), action.action_id)
    assert mine.action_id == action.action_id


async def test_it_is_what_the_tables_say(world: World) -> None:
    """Real rows of a real service: the columns and the answer agree on each of them."""
    await world.policy("require_approval", {"action_types": ["pay"]})
    made = [
        await world.act(action_type=kind, runtime=runtime, risk_score=risk, declared_goal="help")
        for kind in ("refund", "pay")
        for runtime in ("sdk_service", "coding_agent", "evidence_import")
        for risk in (10, 70)
    ]
    for number, action in enumerate(made):
        if number % 3 != 0:
            await world.believe(action, basis="the invoice" if number % 2 else None)
        if action.status == "pending_approval" and number % 5:
            await world.decide(action, "allow" if number % 2 else "deny")
        elif action.status == "running" and number % 4:
            await world.report(action, status="completed", output_summary="done" if number % 2 else "")
    world.clock.turn(2 * HOUR)
    answers = [await pcaa_action(world.traces, Played(world), world.admin, each.action_id) for each in made]
    await world.service.ledger.caught_up()
    acts, beliefs, asks = [await table(world, name) for name in ("actions", "assumptions", "approvals")]
    states = pcaa.checkpoint_states(acts, beliefs, asks, answers[-1].proof.head.signed_at).collect()
    rows = {row["action_id"]: row for row in states.iter_rows(named=True)}
    assert len({tuple(letters(answer)) for answer in answers}) >= 6
    for answer in answers:
        row = rows[answer.action_id]
        assert [row[each.id.value] for each in answer.checkpoints] == [each.status.value for each in answer.checkpoints]
        assert row["enforceability"] == answer.enforceability.value
        shared = set(answer.receipts.expected) & set(answer.receipts.observed)
        assert (row["expected"], row["observed"]) == (len(answer.receipts.expected), len(shared))


async def table(world: World, name: str) -> pl.DataFrame:
    return await world.service.ledger.frame(f"SELECT * FROM {name} WHERE org_id = ?", [world.org_id])
