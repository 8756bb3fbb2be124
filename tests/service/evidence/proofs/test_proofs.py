"""Proofs from inside the service: who gets which, what verifying compares, and what a changed table comes to."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pytest

from assent.contract.control.actions import Action
from assent.contract.control.outcomes import ReportOutcome
from assent.contract.evidence.proofs import (
    CheckName,
    CheckStatus,
    ExportQuery,
    ProofBundle,
    ProofVerification,
    VerifyProof,
)
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent.proof.canonical import MAX_DEPTH
from assent.proof.verify import verify
from assent_service.control.outcomes import Outcomes
from assent_service.evidence.proofs.shelf import BundleFiles
from tests.service.control.actions.world import World, opened, refused
from tests.tiers import deep


async def lived(world: World) -> Action:
    """An action with a bit of everything."""
    await world.policy("require_approval", {"action_types": ["pay"]})
    action = await world.act(action_type="pay", declared_goal="pay 7 \u20ac", risk_score=61.5)
    await world.believe(action, basis="the invoice")
    await world.decide(action, "allow", why="fine")
    return await world.report(action, status="completed", output_summary="paid")


def status(found: ProofVerification, name: CheckName) -> CheckStatus:
    (check,) = [check for check in found.checks if check.name is name]
    return check.status


def failing(found: ProofVerification) -> set[CheckName]:
    return {check.name for check in found.checks if check.status is CheckStatus.FAIL}


async def verified(world: World, action_id: str) -> ProofVerification:
    return await world.service.proofs.proofs.verify(world.admin, VerifyProof(action_id=action_id), b"{}")


async def test_a_whole_action_has_a_bundle_that_verifies_offline_with_every_check(world: World) -> None:
    action = await lived(world)
    bundle = await world.service.proofs.proofs.bundle(world.admin, action.action_id)
    found = verify(bundle, keys=world.service.wallet.jwks(world.org_id))
    assert found.ok, found.checks
    wanted = dict.fromkeys(CheckName, CheckStatus.PASS) | {CheckName.CONSISTENCY: CheckStatus.NOT_CHECKED}
    del wanted[CheckName.LOG], wanted[CheckName.DATABASE_ROW]
    assert {check.name: check.status for check in found.checks} == wanted
    certificate = found.certificate
    assert certificate is not None
    assert certificate["approval"]["reviewer"] == world.admin.name
    assert certificate["approval"]["reasoning"] == "fine"
    assert certificate["outcome"]["output_summary"] == "paid"
    assert [each["type"] for each in certificate["evidence"]] == [
        "guard.decision.created",
        "action.created",
        "approval.requested",
        "assumption.created",
        "approval.decided",
        "action.updated",
        "action.updated",
    ]


async def test_the_same_question_under_the_same_head_has_the_same_answer(world: World) -> None:
    action = await lived(world)
    proofs = world.service.proofs.proofs
    first = await proofs.bundle(world.admin, action.action_id)
    assert await proofs.bundle(world.admin, action.action_id) == first


async def test_the_service_checks_the_log_and_the_tables_too(world: World) -> None:
    action = await lived(world)
    found = await verified(world, action.action_id)
    assert found.ok
    assert status(found, CheckName.LOG) is CheckStatus.PASS
    assert status(found, CheckName.DATABASE_ROW) is CheckStatus.PASS


async def test_blocked_and_denied_actions_are_certified_as_not_run(world: World) -> None:
    await world.policy("block_action_type", {"action_types": ["wipe"]})
    refusal = await world.blocked(action_type="wipe")
    blocked = str(refusal.extensions["action"]["action_id"]) if hasattr(refusal, "extensions") else None
    if blocked is None:
        rows = await world.service.ledger.read("SELECT action_id FROM actions WHERE status = 'blocked'")
        blocked = str(rows[0][0])
    await world.policy("require_approval", {"action_types": ["pay"]})
    denied = await world.act(action_type="pay")
    await world.decide(denied, "deny", why="no")
    for action_id, basis in ((blocked, "blocked"), (denied.action_id, "denied")):
        found = await verified(world, action_id)
        assert found.ok, found.checks
        assert found.certificate is not None
        assert found.certificate["non_execution"]["basis"] == basis
        assert found.certificate["outcome"] is None


# Who gets which


async def test_an_agents_key_gets_the_proof_of_its_own_actions_only(world: World) -> None:
    mine = await world.act(agent_id="mine")
    other = await world.act(agent_id="other")
    agent = world.somebody(Role.AGENT, "mine")
    proofs = world.service.proofs.proofs
    assert (await proofs.snapshot(agent, mine.action_id)).ok
    for call in (proofs.snapshot(agent, other.action_id), proofs.bundle(agent, other.action_id)):
        async with refused(Code.ACTION_NOT_FOUND):
            await call
    for call in (proofs.snapshot(agent, None), proofs.bundle(agent, None)):
        async with refused(Code.FORBIDDEN):
            await call
    auditor = world.somebody(Role.AUDITOR)
    assert (await proofs.snapshot(auditor, None)).ok


async def test_unknown_and_foreign_actions_are_both_not_found(world: World) -> None:
    stranger = await world.stranger()
    foreign = (await world.create(stranger)).action_id
    for action_id in (foreign, "act_nothing"):
        async with refused(Code.ACTION_NOT_FOUND):
            await world.service.proofs.proofs.bundle(world.admin, action_id)


async def test_the_bundle_of_another_organization_fails_on_its_key(world: World) -> None:
    stranger = await world.stranger()
    foreign = (await world.create(stranger)).action_id
    bundle = await world.service.proofs.proofs.bundle(stranger, foreign)
    found = await world.service.proofs.proofs.verify(world.admin, *given(bundle))
    assert failing(found) == {CheckName.KEY}
    assert status(found, CheckName.DATABASE_ROW) is CheckStatus.NOT_CHECKED


async def test_a_kept_bundle_is_given_out_again_to_those_who_may_see_its_action(world: World) -> None:
    action = await world.act(agent_id="mine")
    proofs = world.service.proofs.proofs
    bundle = await proofs.bundle(world.admin, action.action_id)
    query = ExportQuery(bundle_id=bundle.bundle_id)
    name, content = await proofs.export(world.somebody(Role.AGENT, "mine"), query)
    assert name == f"proof-{action.action_id}-{bundle.bundle_id[7:19]}.json"
    assert msgspec.json.decode(content, type=ProofBundle) == bundle
    stranger = await world.stranger()
    for principal in (world.somebody(Role.AGENT, "other"), stranger):
        async with refused(Code.BUNDLE_NOT_FOUND):
            await proofs.export(principal, query)
    async with refused(Code.BUNDLE_NOT_FOUND):
        await proofs.export(world.admin, ExportQuery(bundle_id="sha256:" + "00" * 32))
    async with refused(Code.INVALID_QUERY):
        await proofs.export(world.admin, ExportQuery(bundle_id=bundle.bundle_id, action_id=action.action_id))


def given(bundle: ProofBundle, since: str | None = None) -> tuple[VerifyProof, bytes]:
    """A request with a bundle, as the door hands it on."""
    members = {"bundle": msgspec.to_builtins(bundle)} | ({"since": since} if since else {})
    raw = msgspec.json.encode(members)
    return msgspec.json.decode(raw, type=VerifyProof), raw


async def test_exactly_one_of_action_and_bundle(world: World) -> None:
    for body in (VerifyProof(), VerifyProof(action_id="act_1", bundle={})):
        async with refused(Code.INVALID_BODY):
            await world.service.proofs.proofs.verify(world.admin, body, b"{}")


async def test_a_bundle_with_a_name_twice_fails_though_it_decodes(world: World) -> None:
    action = await world.act()
    bundle = await world.service.proofs.proofs.bundle(world.admin, action.action_id)
    asked, raw = given(bundle)
    doubled = raw.replace(b'{"bundle":{', b'{"bundle":{"kind":"organization",', 1)
    assert failing(await world.service.proofs.proofs.verify(world.admin, asked, raw)) == set()
    found = await world.service.proofs.proofs.verify(world.admin, asked, doubled)
    assert failing(found) == {CheckName.SCHEMA}


async def test_a_bundle_with_too_many_values_is_not_made_into_any(world: World) -> None:
    raw = b'{"bundle":{"policies":[' + b"0," * 1_000_000 + b"0]}}"
    found = await world.service.proofs.proofs.verify(world.admin, VerifyProof(bundle={}), raw)
    assert failing(found) == {CheckName.SCHEMA}
    assert "more than 1000000 values" in found.checks[0].detail


async def test_a_head_that_was_kept_is_shown_to_be_the_beginning(world: World) -> None:
    early = (await world.service.proofs.heads.newest(world.org_id)).head
    action = await world.act()
    proofs = world.service.proofs.proofs
    asked = VerifyProof(action_id=action.action_id, since=early.checkpoint)
    found = await proofs.verify(world.admin, asked, b"{}")
    assert found.ok
    assert status(found, CheckName.CONSISTENCY) is CheckStatus.PASS
    bundle = await proofs.bundle(world.admin, action.action_id)
    without = await proofs.verify(world.admin, *given(bundle, early.checkpoint))
    assert failing(without) == {CheckName.CONSISTENCY}, "this bundle says nothing of that head"


# Ids that agents choose


@pytest.mark.parametrize("kind", ["action", "assumption"])
async def test_an_id_that_is_somebody_elses_decision_spoils_no_proof(world: World, kind: str) -> None:
    mine = await world.act(agent_id="mine")
    agent = world.somebody(Role.AGENT, "other")
    if kind == "action":
        theirs = await world.act(agent, action_id=mine.decision_id)
    else:
        theirs = await world.act(agent)
        await world.believe(theirs, agent, assumption_id=mine.decision_id)
    for action in (mine, theirs):
        found = await verified(world, action.action_id)
        assert found.ok, failing(found)
        assert found.certificate is not None
        assert found.certificate["decision"]["decision_id"] == action.decision_id
        assert found.certificate["assumptions"] == [] or (action is theirs and kind == "assumption")


# What agents say


async def test_whatever_is_taken_can_be_proven(world: World) -> None:
    """Down to the depth at which the door refuses it."""
    deep: object = "x"
    for _ in range(MAX_DEPTH - 2):
        deep = [deep]
    action = await world.act(metadata={"deep": deep})
    async with refused(Code.INVALID_BODY):
        await world.act(metadata={"deep": [deep]})
    said = ReportOutcome(status="partial", progress={"deep": [deep]})
    await Outcomes(world.service.ledger, world.clock, world.service.actions).report(world.admin, action.action_id, said)
    found = await verified(world, action.action_id)
    assert found.ok, failing(found)


# Tables that were changed behind the service's back


CHANGES = {
    "the outcome": "UPDATE actions SET output_summary = 'nothing' WHERE action_id = '{id}'",
    "the risk": "UPDATE actions SET risk_score = risk_score - 1 WHERE action_id = '{id}'",
    "the status": "UPDATE actions SET status = 'running' WHERE action_id = '{id}'",
    "guard's decision": "UPDATE guard_decisions SET decision = 'allow'",
    "the reviewer": "UPDATE approvals SET decided_by = 'somebody else'",
    "the belief": "UPDATE assumptions SET assumption = 'all is well'",
    "a row that is gone": "DELETE FROM assumptions",
    "an event's leaf": "UPDATE events SET leaf_hash = 'ab' WHERE type = 'approval.decided'",
    "an event's kind": "UPDATE events SET type = 'message.created' WHERE type = 'approval.decided'",
    "an event's action": "UPDATE events SET action_id = NULL WHERE type = 'approval.decided'",
    "an event's subject": "UPDATE events SET subject = 'x' WHERE type = 'guard.decision.created'",
    "an event's number": "UPDATE events SET n = n + 100 WHERE type = 'assumption.created'",
    "an event that is gone": "DELETE FROM events WHERE type = 'assumption.created'",
}


QUICK = ("the outcome", "guard's decision", "a row that is gone", "an event's leaf", "an event that is gone")
further = deep("one change of each kind is in the quick tier")


@pytest.mark.parametrize(
    "change",
    [each if each in QUICK else pytest.param(each, marks=further) for each in CHANGES],
    ids=lambda name: name.replace(" ", "-"),
)
async def test_a_changed_table_is_found_out(tmp_path: Path, change: str) -> None:
    async with opened(tmp_path) as world:
        action = await lived(world)
        assert (await verified(world, action.action_id)).ok
        clock = world.clock
    with duckdb.connect(str(tmp_path / "tables.duckdb")) as connection:
        connection.execute(CHANGES[change].format(id=action.action_id))
    async with opened(tmp_path, clock) as world:
        found = await verified(world, action.action_id)
        assert not found.ok
        assert CheckName.DATABASE_ROW in failing(found)
        summary = (await world.service.proofs.proofs.snapshot(world.admin, action.action_id)).summary
        assert "does NOT hold" in summary
        assert "database_row" in summary


async def test_a_hidden_decision_is_missed_even_where_a_belief_goes_by_its_name(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        action = await world.act()
        await world.believe(action, assumption_id=action.decision_id)
        assert (await verified(world, action.action_id)).ok
        clock = world.clock
    with duckdb.connect(str(tmp_path / "tables.duckdb")) as connection:
        connection.execute("UPDATE events SET subject = 'x' WHERE type = 'guard.decision.created'")
    async with opened(tmp_path, clock) as world:
        found = await verified(world, action.action_id)
        assert CheckName.DATABASE_ROW in failing(found)


async def test_an_event_whose_place_was_changed_is_read_as_what_is_there(tmp_path: Path) -> None:
    """The table of events is an index; a line is what it is, wherever it is looked for."""
    async with opened(tmp_path) as world:
        action = await lived(world)
        clock = world.clock
    with duckdb.connect(str(tmp_path / "tables.duckdb")) as connection:
        connection.execute(
            "UPDATE events SET position = (SELECT position FROM events WHERE type = 'organization.created'), length = "
            "(SELECT length FROM events WHERE type = 'organization.created') WHERE type = 'approval.decided'"
        )
    async with opened(tmp_path, clock) as world:
        found = await verified(world, action.action_id)
        assert CheckName.DATABASE_ROW in failing(found)


# Many at once


async def test_many_bundles_at_once_share_one_head(world: World) -> None:
    actions = [await world.act(declared_goal=f"goal {number}") for number in range(12)]
    proofs = world.service.proofs.proofs
    made: Sequence[ProofBundle] = await asyncio.gather(
        *(proofs.bundle(world.admin, action.action_id) for action in actions)
    )
    assert len({bundle.checkpoint for bundle in made}) == 1
    assert len({bundle.digest for bundle in made}) == len(actions)


async def test_a_bundle_that_was_made_before_an_erasure_is_not_kept_after_it(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between making and keeping it, the action is erased."""
    action = await lived(world)
    proofs = world.service.proofs.proofs
    put, erased = BundleFiles.put, asyncio.Event()
    loop = asyncio.get_running_loop()

    def late(shelf: BundleFiles, *given: Any) -> None:
        erasing = world.http("POST", f"/api/actions/{action.action_id}/erase", {"reason": "ticket 1"})
        asyncio.run_coroutine_threadsafe(erasing, loop).result(60)
        erased.set()
        put(shelf, *given)

    monkeypatch.setattr(BundleFiles, "put", late)
    bundle = await proofs.bundle(world.admin, action.action_id)
    assert any(event.body is not None for event in bundle.events)
    assert erased.is_set()
    assert list((tmp_path / "bundles").glob("*/*/*")) == []


async def test_a_bundle_that_nobody_could_verify_is_not_handed_out(world: World) -> None:
    """Thirty changes of a row of two megabytes are more than the fifty that a verifier takes."""
    action = await world.act(metadata={"text": "x" * 1_900_000})
    for number in range(30):
        await world.report(action, output_summary=f"step {number}")
    proofs = world.service.proofs.proofs
    async with refused(Code.BUNDLE_TOO_LARGE) as found:
        await proofs.bundle(world.admin, action.action_id)
    assert action.action_id in found.value.detail
    assert "bytes" in found.value.detail
    assert (await proofs.bundle(world.admin, None)).action_id is None
