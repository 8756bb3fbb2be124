"""Using an approval: the rules one by one, then on a service without HTTP."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assent.contract.control.actions import Action, ActionStatus
from assent.contract.control.approvals import Approval, ApprovalState, ApproveAction, Verdict
from assent.contract.control.claims import ClaimAction, ClaimedAction
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent.proof.act import ACT, act_digest, parameters_digest
from assent_service.base.clock import microseconds, moment
from assent_service.base.problem import Refusal
from assent_service.control.approvals import claim as claims
from assent_service.core.principal import Principal
from tests.service.control.actions.samples import NINE, an_action, an_approval
from tests.service.control.actions.world import HOUR, MINUTE, World, opened, refused

BOT = Principal("org_1", "key_bot", "the bot", Role.AGENT, "bot")
TEN = microseconds(NINE) + HOUR
ORDER = {"order": 7, "amount": 12.50}
DONE_WITH = parameters_digest(ORDER)
ACTED: dict[str, Any] = {
    "action_type": "refund",
    "declared_goal": "give it back",
    "systems_touched": ["bank", "mail"],
    "parameters_digest": DONE_WITH,
}


def given(**members: Any) -> Approval:
    """An approval that Ann gave."""
    ordinary = {"state": ApprovalState.APPROVED, "decided_by": "Ann", "decided_at": NINE}
    fixed = {**ACTED, "act_digest": act_digest(*ACTED.values())}
    return an_approval(**(ordinary | fixed | members))


def act_of(**members: Any) -> claims.Act:
    return claims.claimed_act(msgspec.convert(ACTED | members, ClaimAction))


# The rules


@pytest.mark.parametrize(
    ("approval", "says"),
    [
        (None, "is running and asked for no approval"),
        (
            an_approval(expires_at=moment(TEN + 1)),
            "still waits for an operator, until 2026-03-02T10:00:00.000001+00:00",
        ),
        (an_approval(expires_at=moment(TEN)), "expired at 2026-03-02T10:00:00+00:00 before anybody decided"),
        (an_approval(state=ApprovalState.EXPIRED, decided_at=NINE), "expired at 2026-03-03T09:00:00+00:00"),
        (
            an_approval(state=ApprovalState.DENIED, decided_by="Ann", decided_at=NINE),
            "was denied by Ann at 2026-03-02T09:00:00+00:00",
        ),
    ],
    ids=["none", "awaiting", "overdue", "expired", "denied"],
)
def test_only_an_approval_that_was_given_is_used(approval: Approval | None, says: str) -> None:
    with pytest.raises(Refusal) as found:
        claims.check_usable(an_action(), approval, TEN)
    assert (found.value.code, found.value.status) == (Code.NOT_APPROVED, 409)
    assert says in found.value.detail
    assert found.value.extras == ({} if approval is None else {"approval": approval})


def test_a_halt_is_stronger_than_an_approval() -> None:
    claims.check_running(None)
    for reason in ("runaway", ""):
        with pytest.raises(Refusal) as found:
            claims.check_running(reason)
        assert found.value.code is Code.HALTED
        assert found.value.detail.startswith(f"Halted: {reason}.")


def test_an_approval_that_was_given_can_be_used() -> None:
    approval = given()
    assert claims.check_usable(an_action(), approval, TEN) is approval
    claims.check_claim(an_action(), approval, TEN)


def test_a_used_one_says_when_and_by_whom() -> None:
    approval = given(claimed_at=NINE, claimed_by="key_other")
    with pytest.raises(Refusal) as found:
        claims.check_claim(an_action(status=ActionStatus.COMPLETED), approval, TEN)
    assert (found.value.code, found.value.status) == (Code.RECEIPT_USED, 409)
    assert "was used at 2026-03-02T09:00:00+00:00 by key key_other" in found.value.detail
    assert found.value.extras["approval"] is approval


@pytest.mark.parametrize("status", [each for each in ActionStatus if each is not ActionStatus.RUNNING])
def test_only_a_running_action_is_claimed(status: ActionStatus) -> None:
    with pytest.raises(Refusal) as found:
        claims.check_claim(an_action(status=status), given(), TEN)
    assert found.value.code is Code.NOT_APPROVED
    assert f"is {status} now" in found.value.detail


def test_the_last_moment_is_one_microsecond_before_valid_until() -> None:
    approval = given(valid_until=moment(TEN))
    claims.check_claim(an_action(), approval, TEN - 1)
    for late in (TEN, TEN + 1):
        with pytest.raises(Refusal) as found:
            claims.check_claim(an_action(), approval, late)
        assert (found.value.code, found.value.status) == (Code.RECEIPT_EXPIRED, 410)
        assert "2026-03-02T10:00:00+00:00" in found.value.detail


@pytest.mark.parametrize(
    ("claimed", "expected"),
    [
        ({}, []),
        ({"action_type": "refunds"}, ["action_type"]),
        ({"declared_goal": None}, ["declared_goal"]),
        ({"declared_goal": "Give it back"}, ["declared_goal"]),
        ({"systems_touched": ["mail", "bank"]}, ["systems_touched"]),
        ({"systems_touched": ["bank"]}, ["systems_touched"]),
        ({"systems_touched": ["bank", "mail", "mail"]}, ["systems_touched"]),
        ({"systems_touched": None}, ["systems_touched"]),
        ({"parameters_digest": None}, ["parameters_digest"]),
        ({"parameters_digest": parameters_digest({"order": 7, "amount": 12.51})}, ["parameters_digest"]),
        ({"declared_goal": "", "action_type": "x"}, ["action_type", "declared_goal"]),
        (
            {"action_type": "x", "declared_goal": "y", "systems_touched": [], "parameters_digest": None},
            ["action_type", "declared_goal", "systems_touched", "parameters_digest"],
        ),
    ],
)
def test_every_member_that_differs_is_named(claimed: dict[str, Any], expected: list[str]) -> None:
    approval = given()
    approved, came = claims.approved_act(an_action(), approval), act_of(**claimed)
    assert claims.differing(approved, came) == expected
    assert (approved.digest == came.digest) is (expected == [])
    if expected:
        refusal = claims.mismatch(approval, approved, came, expected)
        assert (refusal.code, refusal.status) == (Code.RECEIPT_MISMATCH, 409)
        assert [error.place for error in refusal.errors] == expected
        said = f"{', '.join(expected)} {'differs' if len(expected) == 1 else 'differ'}. Do exactly what was approved"
        assert said in refusal.detail


def test_a_mismatch_says_what_was_approved_and_what_came() -> None:
    approval = given()
    approved, came = claims.approved_act(an_action(), approval), act_of(declared_goal=None, systems_touched=["mail"])
    (goal, systems) = claims.mismatch(approval, approved, came, claims.differing(approved, came)).errors
    assert goal.message == 'approved was "give it back", claimed is null'
    assert systems.message == 'approved was ["bank","mail"], claimed is ["mail"]'


def test_what_was_approved_is_the_approvals_own_word() -> None:
    approved = claims.approved_act(an_action(declared_goal="something else"), given())
    assert approved == claims.Act(ACTED, act_digest(*ACTED.values()))


def test_an_approval_older_than_receipts_is_for_what_its_action_says() -> None:
    old = an_approval(state=ApprovalState.APPROVED, declared_goal="give it back")
    assert old.act_digest is None
    action = an_action(declared_goal="give it back", systems_touched=["bank", "mail"])
    approved = claims.approved_act(action, old)
    assert approved.members == ACTED | {"parameters_digest": None}
    assert approved.digest == act_digest("refund", "give it back", ["bank", "mail"], None)
    assert claims.differing(approved, act_of(parameters_digest=None)) == []


@pytest.mark.parametrize(
    ("by", "kept", "sent", "expected"),
    [
        ("key_bot", "k1", "k1", True),
        ("key_bot", "k1", "k2", False),
        ("key_bot", "k1", None, False),
        ("key_bot", None, None, False),
        ("key_bot", None, "k1", False),
        ("key_other", "k1", "k1", False),
    ],
)
def test_only_the_same_key_repeats_its_claim(by: str, kept: str | None, sent: str | None, *, expected: bool) -> None:
    approval = given(claimed_at=NINE, claimed_by=by, claim_idempotency_key=kept)
    approved = claims.approved_act(an_action(), approval)
    assert claims.repeats(approval, approved, act_of(), BOT, sent) is expected


def test_a_repeat_with_another_body_is_none() -> None:
    approval = given(claimed_at=NINE, claimed_by="key_bot", claim_idempotency_key="k1")
    with pytest.raises(Refusal) as found:
        claims.repeats(approval, claims.approved_act(an_action(), approval), act_of(action_type="x"), BOT, "k1")
    assert (found.value.code, found.value.status) == (Code.IDEMPOTENCY_MISMATCH, 422)


# On a service


async def approved(world: World, **decided: Any) -> Action:
    """An action that was created with `ORDER`, and allowed."""
    await world.policy("require_approval", {"action_types": ["refund"]})
    created = await world.create(agent_id="bot", **asked())
    said = ApproveAction(decision=Verdict.ALLOW, **decided)
    return (await world.service.approvals.decide(world.operator("Ann"), created.action_id, said, None)).action


def asked() -> dict[str, Any]:
    return {name: value for name, value in ACTED.items() if name != "parameters_digest"} | {"parameters": ORDER}


async def claim(
    world: World, action: Action, by: Principal | None = None, key: str | None = None, **members: Any
) -> ClaimedAction:
    said = msgspec.convert(ACTED | members, ClaimAction)
    return await world.service.approvals.claim(by or bot(world), action.action_id, said, key)


def bot(world: World) -> Principal:
    return world.somebody(Role.AGENT, "bot", "bot")


async def receipt(world: World, action: Action) -> Approval:
    found = await world.service.actions.approval(action)
    assert found is not None
    return found


async def test_what_is_approved_is_fixed_when_it_is_asked_for(world: World) -> None:
    action = await approved(world, conditions=["Only once", "By noon: größer"], valid_minutes=30)
    asked_for = json.loads((await world.events(kind="approval.requested"))[0].data or b"")
    assert {name: asked_for[name] for name in ACT} == ACTED
    assert asked_for["act_digest"] == act_digest(*ACTED.values())
    assert (asked_for["conditions"], asked_for["valid_until"], asked_for["refused_claims"]) == ([], None, 0)
    approval = await receipt(world, action)
    assert approval.conditions == ["Only once", "By noon: größer"]
    assert approval.decided_at is not None
    assert approval.valid_until == approval.decided_at + timedelta(minutes=30)
    assert approval.act_digest == asked_for["act_digest"]
    assert (approval.claimed_at, approval.claimed_by) == (None, None)


async def test_a_claim_is_recorded_as_the_row_after_it(world: World) -> None:
    action = await approved(world)
    answer = await claim(world, action, key="k1")
    assert (answer.action, answer.act_digest) == (action, act_digest(*ACTED.values()))
    assert answer.approval == await receipt(world, action)
    assert (answer.approval.claimed_by, answer.approval.claimed_at) == ("key_bot", world.clock.moment)
    event = (await world.events())[-1]
    assert (event.type, event.subject, event.action, event.actor) == (
        "approval.claimed",
        answer.approval.approval_id,
        action.action_id,
        "key_bot",
    )
    assert msgspec.json.decode(event.data or b"", type=Approval) == answer.approval
    assert answer.approval.state is ApprovalState.APPROVED


async def test_a_refused_claim_is_counted_and_the_receipt_stays_good(world: World) -> None:
    action = await approved(world)
    for count in (1, 2):
        async with refused(Code.RECEIPT_MISMATCH) as found:
            await claim(world, action, declared_goal="take it", parameters_digest=None)
        assert found.value.extras["approval"].refused_claims == count
    event = (await world.events())[-1]
    assert event.type == "approval.claim_refused"
    kept = json.loads(event.data or b"")
    assert kept.pop("refusal") == {
        "at": world.clock.moment.isoformat().replace("+00:00", "Z"),
        "by": "key_bot",
        "act_digest": act_digest("refund", "take it", ["bank", "mail"], None),
        "differing": ["declared_goal", "parameters_digest"],
    }
    assert msgspec.convert(kept, Approval, strict=False) == await receipt(world, action)
    answer = await claim(world, action)
    assert (answer.approval.refused_claims, answer.approval.claimed_by) == (2, "key_bot")


async def test_it_is_used_once(world: World) -> None:
    action = await approved(world)
    first = await claim(world, action, key="k1")
    for by, key in ((bot(world), None), (bot(world), "k2"), (world.admin, "k1"), (world.operator("Ann"), None)):
        async with refused(Code.RECEIPT_USED) as found:
            await claim(world, action, by, key)
        assert "by key key_bot" in found.value.detail
    # Not even for something else, which is no longer looked at.
    async with refused(Code.RECEIPT_USED):
        await claim(world, action, action_type="other")
    assert await receipt(world, action) == first.approval
    assert len(await world.events(kind="approval.claim")) == 1


async def test_the_first_answer_comes_again_whatever_happened_since(world: World) -> None:
    action = await approved(world, valid_minutes=1)
    first = await claim(world, action, key="k1")
    assert await claim(world, action, key="k1") == first
    done = await world.report(action, status="completed")
    world.clock.turn(HOUR)
    again = await claim(world, action, key="k1")
    assert (again.approval, again.action, again.act_digest) == (first.approval, done, first.act_digest)
    async with refused(Code.IDEMPOTENCY_MISMATCH):
        await claim(world, action, key="k1", systems_touched=[])
    assert len(await world.events(kind="approval.claim")) == 1


async def test_of_many_claims_at_once_one_wins(world: World) -> None:
    action = await approved(world)
    answers = await asyncio.gather(*(claim(world, action, key=f"k{n}") for n in range(50)), return_exceptions=True)
    won = [each for each in answers if isinstance(each, ClaimedAction)]
    lost = [each.code for each in answers if isinstance(each, Refusal)]
    assert (len(won), lost) == (1, [Code.RECEIPT_USED] * 49)
    assert len(await world.events(kind="approval.claim")) == 1


async def test_time_ends_it(world: World) -> None:
    action = await approved(world, valid_minutes=2)
    world.clock.turn(2 * MINUTE)
    async with refused(Code.RECEIPT_EXPIRED):
        await claim(world, action)
    assert (await receipt(world, action)).claimed_at is None


async def test_a_pending_denied_or_ended_action_is_not_claimed(world: World) -> None:
    await world.policy("require_approval", {"action_types": ["refund"]})
    waiting = (await world.create(agent_id="bot", **asked())).action
    async with refused(Code.NOT_APPROVED):
        await claim(world, waiting)
    await world.decide(waiting, "deny", world.operator("Ann"))
    async with refused(Code.NOT_APPROVED) as found:
        await claim(world, waiting)
    assert "denied by Ann" in found.value.detail
    free = await world.act(agent_id="bot", action_type="look")
    async with refused(Code.NOT_APPROVED):
        await claim(world, free, action_type="look")
    over = (await world.create(agent_id="bot", **asked())).action
    await world.decide(over, "allow")
    await world.report(over, status="failed")
    async with refused(Code.NOT_APPROVED) as found:
        await claim(world, over)
    assert "failed now" in found.value.detail
    assert await world.events(kind="approval.claim") == []


async def test_a_bound_key_claims_its_own_agents_actions_only(world: World) -> None:
    action = await approved(world)
    async with refused(Code.ACTION_NOT_FOUND):
        await claim(world, action, world.somebody(Role.AGENT, "other"))
    async with refused(Code.AGENT_MISMATCH):
        await claim(world, action, world.somebody(Role.OPERATOR, "other"))
    async with refused(Code.ACTION_NOT_FOUND):
        await claim(world, action, await world.stranger())
    assert (await claim(world, action, world.somebody(Role.AGENT, None, "any"))).approval.claimed_by == "key_any"


async def test_nobody_has_to_claim(world: World) -> None:
    action = await approved(world)
    done = await world.report(action, status="completed")
    assert (done.status, done.approved_by) == ("completed", "Ann")


@pytest.mark.parametrize("member", [{"conditions": ["gently"]}, {"valid_minutes": 5}])
async def test_a_denial_has_neither_conditions_nor_a_limit(world: World, member: dict[str, Any]) -> None:
    await world.policy("require_approval", {"action_types": ["refund"]})
    waiting = await world.act(agent_id="bot")
    said = ApproveAction(decision=Verdict.DENY, **member)
    async with refused(Code.INVALID_BODY) as found:
        await world.service.approvals.decide(world.admin, waiting.action_id, said, None)
    assert [error.place for error in found.value.errors] == list(member)
    assert (await receipt(world, waiting)).state == "awaiting"


async def test_receipts_outlive_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as world:
        action = await approved(world, valid_minutes=600)
        async with refused(Code.RECEIPT_MISMATCH):
            await claim(world, action, action_type="other")
        clock = world.clock
    async with opened(tmp_path, clock) as world:
        answer = await claim(world, action, key="k1")
        assert answer.approval.refused_claims == 1
    async with opened(tmp_path, clock) as world:
        assert await claim(world, action, key="k1") == answer
        async with refused(Code.RECEIPT_USED):
            await claim(world, action, key="k2")
