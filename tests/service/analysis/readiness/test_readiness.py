"""The summary over HTTP, as the workspace changes."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from datetime import datetime
from types import SimpleNamespace

import pytest

from assent.contract.analysis.readiness import ReadinessState
from assent.contract.problems import Code
from assent_service.analysis.readiness.checks import check_self_decisions
from assent_service.base.clock import microseconds
from assent_service.base.problem import refuse
from assent_service.store.database import Row
from tests.backend import Engine, chosen
from tests.service.analysis.readiness.asking import Asking, detail, status
from tests.service.control.actions.world import DAY, HOUR, MINUTE, refused

CHECKS = [
    "log",
    "tables",
    "disk",
    "evidence",
    "drift",
    "wallet",
    "heads",
    "clock_jumps",
    "admin_key",
    "agent_keys",
    "halt",
    "policies",
    "approvals",
    "webhooks",
    "self_decisions",
    "clock",
    "failed_keys",
]
CHECKS_OF_REPLICA = [*CHECKS[:4], "database", *CHECKS[4:]]


async def test_a_fresh_workspace_is_ready_but_not_verified(asking: Asking) -> None:
    found = await asking.readiness()
    assert found["state"] == "ready_unverified"
    assert found["title"] == "Ready but not fully verified"
    assert [check["name"] for check in found["checks"]] == (CHECKS if chosen() is Engine.FILES else CHECKS_OF_REPLICA)
    assert {check["status"] for check in found["checks"]} == {"pass"}
    assert [share["name"] for share in found["shares"]] == ["governed", "approval", "proof"]
    assert {(share["percent"], share["n"]) for share in found["shares"]} == {(None, 0)}
    assert (found["last_test"], found["simulated"]) == (None, 0)
    assert [profile["runtime"] for profile in found["profiles"]] == ["coding_assistant", "coding_agent", "sdk_service"]
    assert [state["state"] for state in found["states"]] == [state.value for state in ReadinessState]


async def test_the_time_of_the_answer_is_the_service_s(asking: Asking) -> None:
    before = asking.world.clock.now
    at = microseconds(datetime.fromisoformat((await asking.readiness())["checked_at"]))
    assert before < at <= asking.world.clock.now
    asking.world.clock.turn(DAY)
    again = microseconds(datetime.fromisoformat((await asking.readiness())["checked_at"]))
    assert DAY < again - at < DAY + MINUTE


async def test_a_passed_test_verifies_for_a_day(asking: Asking) -> None:
    await asking.test()
    found = await asking.readiness()
    assert (found["state"], found["last_test"]["passed"]) == ("verified", True)
    governed = found["shares"][0]
    assert (governed["percent"], governed["count"], governed["n"]) == (100, 1, 1)
    asking.world.clock.turn(24 * HOUR)
    assert await asking.state() == "ready_unverified"


@pytest.mark.parametrize(("imported", "state"), [(18, "verified"), (19, "ready_unverified")])
async def test_a_low_share_counts_from_twenty_rows_on(asking: Asking, imported: int, state: str) -> None:
    for _ in range(imported):
        await asking.world.act(source="import")
    await asking.test()
    found = await asking.readiness()
    assert (found["shares"][0]["count"], found["shares"][0]["n"]) == (1, imported + 1)
    assert found["state"] == state


async def test_approvals_that_wait_keep_from_being_verified(asking: Asking) -> None:
    await asking.world.policy("require_approval", {"action_types": ["pay"]})
    actions = [await asking.world.act(action_type="pay") for _ in range(20)]
    for action in actions[:18]:
        await asking.world.decide(action, "allow", asking.world.operator("Ann"))
    await asking.test()
    found = await asking.readiness()
    assert (found["shares"][1]["percent"], found["state"]) == (90, "ready_unverified")
    assert "18 of 20" in found["next_step"]
    await asking.world.decide(actions[18], "deny", asking.world.operator("Ann"))
    found = await asking.readiness()
    assert (found["shares"][1]["percent"], found["state"]) == (95, "verified")


async def test_the_kill_switch_needs_attention_until_it_is_off(asking: Asking) -> None:
    await asking.test()
    await asking.world.service.halts.halt(asking.world.admin, "fire")
    found = await asking.readiness()
    assert (found["state"], status(found, "halt")) == ("needs_attention", "warn")
    assert "fire" in detail(found, "halt")
    await asking.world.service.halts.resume(asking.world.admin)
    assert await asking.state() == "verified"


async def test_an_approval_past_half_of_its_time_needs_attention(asking: Asking) -> None:
    await asking.world.policy("require_approval", {"action_types": ["pay"]})
    action = await asking.world.act(action_type="pay")
    asking.world.clock.turn(12 * HOUR - MINUTE)
    assert await asking.state() == "ready_unverified"
    asking.world.clock.turn(MINUTE)
    found = await asking.readiness()
    assert (found["state"], status(found, "approvals")) == ("needs_attention", "warn")
    assert action.action_id in detail(found, "approvals")
    await asking.world.decide(action, "deny", asking.world.operator("Ann"))
    assert await asking.state() == "ready_unverified"


async def test_a_withdrawn_approval_is_nobodys_to_decide(asking: Asking) -> None:
    await asking.world.policy("require_approval", {"action_types": ["pay"]})
    first, second = [await asking.world.act(action_type="pay") for _ in range(2)]
    await asking.world.decide(first, "allow", asking.world.operator("Ann"))
    await asking.world.withdraw(second)
    share = (await asking.readiness())["shares"][1]
    assert (share["count"], share["n"]) == (1, 1)


async def test_decisions_by_the_key_that_asked_are_told_for_thirty_days(asking: Asking) -> None:
    await asking.world.policy("require_approval", {"action_types": ["pay"]})
    for by in (asking.world.admin, asking.world.operator("Ann"), asking.world.admin):
        await asking.world.decide(await asking.world.act(action_type="pay"), "allow", by)
    found = await asking.readiness()
    assert (found["state"], status(found, "self_decisions")) == ("needs_attention", "warn")
    assert detail(found, "self_decisions").startswith("2 decisions of the last 30 days")
    asking.world.clock.turn(30 * DAY)
    assert status(await asking.readiness(), "self_decisions") == "pass"


def test_where_they_are_refused_earlier_ones_are_no_warning() -> None:
    for count in (0, 3):
        found = check_self_decisions(count, refused=True)
        assert (found.status, found.core) == ("pass", False)
        assert "refused now" in found.detail
    assert check_self_decisions(0, refused=False).status == "pass"
    assert check_self_decisions(1, refused=False).status == "warn"


async def test_another_organization_s_troubles_are_its_own(asking: Asking) -> None:
    await asking.test()
    stranger = await asking.world.stranger()
    await asking.world.act(stranger, status="pending_approval")
    await asking.world.service.halts.halt(stranger, "fire")
    for _ in range(30):
        await asking.world.act(stranger, source="import")
    asking.world.clock.turn(13 * HOUR)
    found = await asking.readiness()
    assert found["state"] == "verified"
    assert (found["shares"][0]["n"], found["shares"][1]["n"]) == (1, 0)


async def test_policies_that_only_observe_need_attention(asking: Asking) -> None:
    policies = asking.world.service.policies
    for policy in policies.state.list(asking.world.org_id):
        if policy.mode == "enforce":
            await policies.delete(asking.world.admin, policy.policy_id)
    found = await asking.readiness()
    assert (found["state"], status(found, "policies")) == ("needs_attention", "warn")


@pytest.mark.parametrize(("back", "state"), [(3_000_000, "verified"), (HOUR, "needs_attention")])
async def test_a_clock_that_was_set_back_needs_attention(asking: Asking, back: int, state: str) -> None:
    await asking.test()
    asking.world.clock.turn(-back)
    found = await asking.readiness()
    assert found["state"] == state
    assert status(found, "clock") == ("pass" if state == "verified" else "warn")


async def test_simulated_actions_are_counted(asking: Asking) -> None:
    for _ in range(3):
        await asking.world.act(source="simulated")
    await asking.world.act()
    found = await asking.readiness()
    assert (found["simulated"], found["shares"][0]["n"]) == (3, 4)


async def test_a_read_only_log_blocks(asking: Asking) -> None:
    await asking.test()
    files = asking.world.break_disk()
    files.errors["fdatasync"] = errno.EIO
    async with refused(Code.READ_ONLY):
        await asking.world.act()
    found = await asking.readiness()
    assert (found["state"], status(found, "log")) == ("blocked", "fail")
    assert "log" in found["next_step"]
    assert found["last_test"]["passed"], "what is recorded can still be read"


async def test_a_full_disk_blocks_and_a_nearly_full_one_warns(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    for free, state in ((4, "needs_attention"), (0, "blocked"), (5, "ready_unverified")):
        monkeypatch.setattr("shutil.disk_usage", lambda _, free=free: SimpleNamespace(free=free, total=100))
        assert await asking.state() == state


async def test_tables_that_stopped_block_and_nothing_is_counted(
    asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    await asking.test()

    async def stopped(*_: object) -> Sequence[Row]:
        raise refuse(Code.PROJECTION_BEHIND, "The tables are behind the log: no space left.")

    monkeypatch.setattr(asking.world.service.ledger, "read", stopped)
    await asking.world.service.halts.halt(asking.world.admin, "fire")
    found = await asking.readiness()
    assert (found["state"], status(found, "tables")) == ("blocked", "fail")
    assert "no space left" in detail(found, "tables")
    assert status(found, "halt") == "warn", "memory still answers"
    assert {(share["available"], share["n"]) for share in found["shares"]} == {(False, 0)}
    assert found["last_test"] is None


async def test_revoked_admin_keys_are_nobody_s(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = asking.world.service.keys
    assert detail(await asking.readiness(), "admin_key") == "2 admin keys are active."
    first = next(key for key in keys.list(asking.world.org_id) if key.role == "admin")
    await keys.revoke(asking.world.admin, first.key_id)
    found = await asking.readiness()
    assert (status(found, "admin_key"), detail(found, "admin_key")) == ("pass", "1 admin key is active.")
    # The service never revokes the last one.
    left = [key for key in keys.list(asking.world.org_id) if key.role != "admin" or key.revoked_at is not None]
    monkeypatch.setattr(keys, "list", lambda _: left)
    found = await asking.readiness()
    assert (found["state"], status(found, "admin_key")) == ("blocked", "fail")


@pytest.mark.parametrize(
    ("role", "reads", "tests"),
    [
        ("agent", 403, 403),
        ("auditor", 200, 403),
        ("operator", 200, 200),
        ("admin", 200, 200),
    ],
)
async def test_who_may_look_and_who_may_test(asking: Asking, role: str, reads: int, tests: int) -> None:
    assert (await asking.send("GET", "/api/readiness", by=role)).status_code == reads
    assert (await asking.send("POST", "/api/readiness/test", by=role)).status_code == tests
