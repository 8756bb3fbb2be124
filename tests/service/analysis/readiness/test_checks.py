"""The judgements, at their borders."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from assent.contract.control.approvals import Approval, ApprovalState
from assent.contract.control.halt import Halt
from assent.contract.control.policies import Mode, Policy
from assent.contract.exchange.webhooks import Webhook
from assent.contract.health import Check
from assent.contract.people.keys import Key
from assent.contract.roles import Role
from assent_service.analysis.readiness import checks
from assent_service.people.keys import FailureCounts

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
INSTANT = timedelta(microseconds=1)


def approval(asked_before: timedelta, expires_after: timedelta, action_id: str = "act_1") -> Approval:
    return Approval(
        org_id="org_1",
        approval_id="apr_1",
        action_id=action_id,
        agent_id="bot",
        action_type="pay",
        declared_goal=None,
        risk_score=50,
        reasons=[],
        matched_policies=[],
        state=ApprovalState.AWAITING,
        requested_at=NOW - asked_before,
        expires_at=NOW + expires_after,
        decided_at=None,
        decided_by=None,
        decided_by_key=None,
        reasoning=None,
        idempotency_key=None,
        created_at=NOW - asked_before,
    )


def policy(mode: Mode, *, active: bool = True) -> Policy:
    return Policy(
        org_id="org_1",
        policy_id="pol_1",
        name="p",
        policy_type="risk_threshold",
        rules={},
        active=active,
        agent_ids=[],
        mode=mode,
        version=1,
        created_at=NOW,
        created_by="key_1",
        updated_at=NOW,
        updated_by="key_1",
        deleted_at=None,
    )


@pytest.mark.parametrize("status", ["pass", "warn", "fail"])
def test_what_the_service_needs_to_live_is_core(status: str) -> None:
    found = checks.check_health(Check(name="disk", status=status, detail="2 % free"))
    assert (found.name, found.core, found.status, found.detail) == ("disk", True, status, "2 % free")


@pytest.mark.parametrize(("keys", "status"), [(0, "fail"), (1, "pass"), (2, "pass")])
def test_somebody_has_to_be_in_charge(keys: int, status: str) -> None:
    found = checks.check_admin_key([key(f"key_{number}", Role.ADMIN) for number in range(keys)], set())
    assert (found.status, found.core) == (status, True)


def key(key_id: str, role: Role = Role.AGENT, agent_id: str | None = None, *, any_agent: bool = False) -> Key:
    return Key(
        org_id="org_1",
        key_id=key_id,
        name=f"the {key_id}",
        role=role,
        agent_id=agent_id,
        hint="abcd",
        created_at=NOW,
        created_by="system",
        revoked_at=None,
        revoked_by=None,
        any_agent=any_agent,
    )


def test_an_admin_key_that_can_be_guessed_is_named() -> None:
    keys = [key("key_1", Role.ADMIN), key("key_2", Role.ADMIN)]
    assert checks.check_admin_key(keys, {"key_gone"}).status == "pass"
    found = checks.check_admin_key(keys, {"key_2"})
    assert (found.status, found.core) == ("warn", True)
    assert found.detail.startswith("the key_2 (key_2) came with fewer than 32 characters")


def test_agents_keys_that_are_bound_to_nobody_are_named_unless_that_was_asked_for() -> None:
    bound, shared = key("key_1", agent_id="bot"), key("key_2", any_agent=True)
    found = checks.check_agent_keys([bound, shared])
    assert (found.status, found.core) == ("pass", False)
    assert found.detail == "1 agent key is bound to an agent; for any agent, as it was asked for: the key_2 (key_2)."
    found = checks.check_agent_keys([bound, shared, *(key(f"key_{number}") for number in range(10, 17))])
    assert found.status == "warn"
    assert found.detail.startswith("7 agent keys are bound to no agent and can speak for any: the key_10 (key_10), ")
    assert "the key_14 (key_14) and 2 more." in found.detail
    assert "key_2" not in found.detail


def test_failed_keys_are_told_and_warned_of_when_they_were_too_many() -> None:
    assert checks.check_failed_keys(FailureCounts(0, 0, 0, None)).status == "pass"
    few = checks.check_failed_keys(FailureCounts(3, 0, 2, "192.0.2.1"))
    assert (few.status, few.core) == ("pass", False)
    assert few.detail.startswith("3 requests of the last 24 hours came with a key that is not valid, from 2 addresses")
    many = checks.check_failed_keys(FailureCounts(300, 270, 1, "192.0.2.1"))
    assert many.status == "warn"
    assert "from 1 address, most from 192.0.2.1; 270 of the last hour were too many" in many.detail


def test_the_kill_switch_is_told_with_its_reason() -> None:
    assert checks.check_halt(Halt(halted=False, reason=None, changed_at=NOW, changed_by="key_1")).status == "pass"
    found = checks.check_halt(Halt(halted=True, reason="fire", changed_at=NOW, changed_by="key_1"))
    assert (found.status, found.core) == ("warn", False)
    assert "since 2026-05-01 12:00:00 UTC, by key_1: fire" in found.detail


@pytest.mark.parametrize(
    ("policies", "status"),
    [
        ([], "warn"),
        ([policy(Mode.OBSERVE)], "warn"),
        ([policy(Mode.ENFORCE, active=False), policy(Mode.OBSERVE)], "warn"),
        ([policy(Mode.OBSERVE), policy(Mode.ENFORCE)], "pass"),
    ],
)
def test_something_has_to_be_enforced(policies: list[Policy], status: str) -> None:
    found = checks.check_policies(policies)
    assert (found.status, found.core) == (status, False)


def test_a_newer_rule_than_the_stored_one_is_told() -> None:
    old = policy(Mode.ENFORCE)
    found = checks.check_policies([old], [old])
    assert found.status == "warn"
    assert "assent policies import --pack default" in found.detail
    switched_off = policy(Mode.ENFORCE, active=False)
    assert checks.check_policies([old, switched_off], [switched_off]).status == "pass"


def hook(name: str, mode: Mode = Mode.ENFORCE, *, active: bool = True, **rules: object) -> Policy:
    return msgspec.structs.replace(
        policy(mode, active=active), name=name, policy_id=f"pol_{name}", policy_type="webhook_check",
        rules={"url": "https://a.invalid/x", **rules},
    )  # fmt: skip


def test_a_webhook_that_lets_through_what_it_does_not_answer_is_named_with_what_to_do() -> None:
    for asking in (hook("ask"), hook("ask", on_timeout="allow")):
        found = checks.check_policies([asking, hook("strict", on_timeout="block")])
        assert found.status == "warn"
        assert "1 policy lets through what its webhook does not answer in time: ask (pol_ask)." in found.detail
        assert "set on_timeout to block" in found.detail
        assert "strict" not in found.detail
    harmless = [hook("strict", on_timeout="block"), hook("off", active=False), hook("watching", Mode.OBSERVE)]
    assert checks.check_policies(harmless).status == "pass"
    many = checks.check_policies([hook(f"h{at}") for at in range(7)])
    assert "7 policies let through what their webhooks do not answer in time: h0 (pol_h0), " in many.detail
    assert many.detail.count("pol_h") == 5
    assert "and 2 more" in many.detail
    both = checks.check_policies([hook("ask")], [hook("ask")])
    assert "assent policies import --pack default" in both.detail
    assert "ask (pol_ask)" in both.detail


@pytest.mark.parametrize(
    ("asked_before", "expires_after", "status"),
    [
        (timedelta(hours=12) - INSTANT, timedelta(hours=12) + INSTANT, "pass"),
        (timedelta(hours=12), timedelta(hours=12), "warn"),
        (timedelta(hours=12) + INSTANT, timedelta(hours=12) - INSTANT, "warn"),
        (timedelta(0), timedelta(minutes=1), "pass"),
        (timedelta(hours=25), timedelta(hours=-1), "warn"),
    ],
)
def test_an_approval_at_half_of_its_time(asked_before: timedelta, expires_after: timedelta, status: str) -> None:
    assert checks.check_approvals([approval(asked_before, expires_after)], NOW).status == status


def test_old_approvals_are_counted_and_the_most_urgent_one_is_named() -> None:
    hour = timedelta(hours=1)
    waiting = [
        approval(20 * hour, 4 * hour, "act_a"),
        approval(3 * hour, 2 * hour, "act_b"),
        approval(1 * hour, 23 * hour, "act_c"),
    ]
    found = checks.check_approvals(waiting, NOW)
    assert "2 of 3 waiting approvals" in found.detail
    assert "2 h 0 min (action act_b)" in found.detail
    assert not found.core
    assert "3 wait" in checks.check_approvals([approval(hour, 23 * hour)] * 3, NOW).detail
    assert "0 min" in checks.check_approvals([approval(25 * hour, -hour)], NOW).detail


@pytest.mark.parametrize(
    ("ahead", "status"),
    [
        (None, "pass"),
        (timedelta(0), "pass"),
        (timedelta(seconds=5), "pass"),
        (timedelta(seconds=5) + INSTANT, "warn"),
        (timedelta(days=1), "warn"),
    ],
)
def test_the_clock_was_set_back(ahead: timedelta | None, status: str) -> None:
    found = checks.check_clock(None if ahead is None else NOW + ahead, NOW)
    assert (found.status, found.core) == (status, False)


def test_the_skew_is_told_in_seconds() -> None:
    found = checks.check_clock(NOW + timedelta(seconds=75), NOW)
    assert "2026-05-01 12:01:15 UTC, 75 s after" in found.detail


def webhook(reason: str) -> Webhook:
    return Webhook(
        id="wh_1",
        org_id="org_1",
        webhook_id="wh_1",
        url="https://hooks.example/x",
        description=None,
        events=["all"],
        active=False,
        secret="whsec_...",
        retrying=0,
        failing_since=None,
        disabled_at=NOW,
        disabled_reason=reason,
        rotated_at=None,
        created_at=NOW,
        created_by="key_1",
        updated_at=NOW,
    )


def test_a_webhook_that_failed_for_too_long_is_told() -> None:
    assert checks.check_webhooks([]).status == "pass"
    found = checks.check_webhooks([webhook("Nothing got through for 5 days.")])
    assert (found.name, found.core, found.status) == ("webhooks", False, "warn")
    assert "1 webhook was switched off" in found.detail
    assert "wh_1: Nothing got through for 5 days." in found.detail
