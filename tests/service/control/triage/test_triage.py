"""Triage in the real service, in process: nothing passes before it is certified, the bound holds, an alarm falls back,
a start goes on where it was, and what may not pass never does.

With alpha 0.2, delta 0.5, one type and one threshold a certificate takes `NEEDED` harmless audits.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assent.contract.control.actions import Action, ActionStatus, CreateAction, CreatedAction
from assent.contract.control.guard import Decision, TriageAnswer
from assent.contract.control.triage import AUDITED, PASSED, SetTriage, TriageState, TriageStratum
from assent.contract.problems import Code
from assent.proof.policies import snapshot
from assent.proof.replay import replay
from assent_analytics.triage import Plan, Triage, audits_needed, draw_of
from assent_service.base.problem import Refusal
from assent_service.control.triage import Stratum
from assent_service.core.principal import Principal
from tests.service.control.actions.world import DAY, HOUR, Hands, World, opened
from tests.tiers import deep

PLAN: dict[str, Any] = {"action_types": ["refund"], "alpha": 0.2, "delta": 0.5, "room": 10, "thresholds": [60]}
NEEDED = audits_needed(0.2, 0.5 / 2 / 2)
"""Half of delta is of the first epoch, half of that of certificates."""
PAUSE = 10 * HOUR
"""An agent that acts or fails more often is told of by a signal, and asked about."""
ASKS = "require_approval {'action_types': ['refund']}: actions of this type need approval"


async def on(world: World, by: Principal | None = None, **members: Any) -> None:
    await world.service.triage.set(by or world.admin, msgspec.convert(PLAN | members, SetTriage))


async def asking(world: World, **members: Any) -> None:
    """People are asked about refunds, and triage is on."""
    await world.policy("require_approval", {"action_types": ["refund"]})
    await on(world, **members)


async def ask(world: World, **members: Any) -> CreatedAction:
    sent: dict[str, Any] = {"agent_id": "bot", "reversible": True, "declared_goal": "Pay back"} | members
    return await world.create(**sent)


async def end(world: World, action: Action, *, harmful: bool = False) -> None:
    """A person allows what waits; then it is done, or fails."""
    if action.status is ActionStatus.PENDING_APPROVAL:
        action = await world.decide(action, "allow")
    await world.report(action, status="failed" if harmful else "completed")


async def go(world: World, times: int, harmful: float = 0.0, seed: int = 1, **members: Any) -> list[CreatedAction]:
    """So many requests one after another, each known before the next."""
    rng, made = random.Random(seed), []
    for _ in range(times):
        world.clock.turn(PAUSE)
        made.append(await ask(world, **members))
        await end(world, made[-1].action, harmful=rng.random() < harmful)
        await world.service.triage.learn()
    return made


def stratum(world: World, org_id: str | None = None) -> TriageStratum:
    (found,) = world.service.triage.strata(org_id or world.org_id)
    return found


def passed(made: CreatedAction) -> bool:
    return made.decision.triaged is True


async def decision_of(world: World, made: CreatedAction) -> dict[str, Any]:
    """The recorded decision, as a bundle has it."""
    events = await world.events(kind="guard.decision.created")
    (found,) = [each for each in events if each.subject == made.decision.decision_id]
    payload: dict[str, Any] = msgspec.json.decode(found.data or b"")
    return payload


async def test_nothing_passes_before_it_is_certified_and_then_all_but_the_audits(world: World) -> None:
    await asking(world)
    learning = await go(world, NEEDED)
    assert {each.decision.decision for each in learning} == {Decision.REQUIRE_APPROVAL}
    assert {each.decision.reasons[0] for each in learning} == {ASKS}
    found = stratum(world)
    assert (found.state, found.threshold, found.asked, found.passed) == (TriageState.PASSING, 60.0, NEEDED, 0)
    later = await go(world, 40)
    through = [each for each in later if passed(each)]
    audits = [each for each in later if not passed(each)]
    assert through
    assert audits
    for each in through:
        assert (each.decision.decision, each.action.status, each.approval) == (Decision.WARN, "running", None)
        assert (each.decision.reasons, each.decision.warnings) == ([], [f"{ASKS}; {PASSED}"])
    for each in audits:
        assert (each.decision.decision, each.action.status) == (Decision.REQUIRE_APPROVAL, "pending_approval")
        assert each.decision.reasons == [f"{ASKS}; {AUDITED}"]
        assert each.approval is not None
        assert each.approval.reasons == each.decision.reasons, "the operator reads why"
    found = stratum(world)
    assert (found.passed, found.audited, found.asked) == (len(through), len(audits), NEEDED + len(audits))
    assert found.bound <= found.budget
    assert (await world.guard(agent_id="bot", reversible=True)).decision is Decision.REQUIRE_APPROVAL
    assert (await ask(world, risk_score=60)).action.status is ActionStatus.PENDING_APPROVAL


async def test_the_service_decides_as_the_state_machine_alone_does(world: World) -> None:
    """The same requests, draws and ends, given to the machine by hand."""
    await asking(world)
    live = world.service.triage.plans.of(world.org_id)
    assert live is not None
    alone = Triage(Plan(alpha=0.2, delta=0.5, thresholds=(60,), starts=1, room=10))
    rng = random.Random(7)
    for number in range(120):
        world.clock.turn(PAUSE)
        made = await ask(world, risk_score=rng.choice([5, 40, 65]))
        key, harmful = made.decision.decision_id, rng.random() < (0.0 if number < 60 else 0.3)
        choice = alone.decide(key, made.decision.risk_score, draw_of(live.plan.seed, key))
        assert passed(made) is (choice.answer is TriageAnswer.ALLOW)
        await end(world, made.action, harmful=harmful)
        assert await world.service.triage.learn() == 1
        alone.learn(key, harmful=harmful)
        status, found = alone.status(), stratum(world)
        for name in ("state", "threshold", "audit_share", "passed", "bound", "budget", "epoch", "tested", "pending"):
            assert getattr(found, name) == getattr(status, name), name
    assert stratum(world).passed > 0


async def test_the_bound_holds_over_what_passed_and_an_alarm_falls_back_and_says_why(world: World) -> None:
    await asking(world)
    await go(world, NEEDED + 10)
    drift = await go(world, 80, harmful=0.9)
    found = stratum(world)
    assert found.alarms, "nine of ten are harmful by now"
    alarm = found.alarms[0]
    assert "Everything is asked again." in alarm.says
    assert found.says.startswith(found.alarms[-1].says)
    assert found.state is TriageState.FALLEN_BACK
    assert not passed((await go(world, 1, harmful=1.0))[0])
    through = [await world.service.actions.visible(world.admin, each.action_id) for each in drift if passed(each)]
    harmful = sum(each.status is ActionStatus.FAILED for each in through)
    assert harmful == found.known_harmful
    assert harmful <= max(0.2 * found.passed, 10), "what the plan accepts"


async def test_requests_that_come_at_once_take_their_steps_one_after_another(world: World) -> None:
    await asking(world)
    await go(world, NEEDED)
    world.clock.turn(2 * DAY)
    made = await asyncio.gather(*(ask(world, agent_id=f"bot-{number}") for number in range(40)))
    rows = [msgspec.json.decode(each.data or b"") for each in await world.events(kind="triage.")]
    numbers = sorted([each["number"] for each in rows if each["ended"] is None])
    numbers += [each["learned_number"] for each in rows if each["ended"] is not None]
    assert sorted(numbers) == list(range(2 * NEEDED + 40))
    marks = [(await decision_of(world, each))["triage"] for each in made if passed(each)]
    assert sorted(each["passed"] for each in marks) == list(range(1, stratum(world).passed + 1))
    assert all(each["bound"] <= each["budget"] for each in marks), "each knew of the others' audits"
    assert 0 < stratum(world).audited < 40


async def test_a_step_that_is_not_recorded_was_never_taken(world: World) -> None:
    await asking(world)
    await go(world, NEEDED + 3)
    before, files = state_of(world), world.break_disk()
    files.room = 0
    with pytest.raises(Refusal) as found:
        await ask(world)
    assert found.value.code in (Code.STORAGE_UNAVAILABLE, Code.READ_ONLY)
    assert state_of(world) == before


@deep("several streams through the real service")
async def test_the_bound_holds_beside_an_adversary_in_all_but_a_share_of_delta(tmp_path: Path) -> None:
    """Everything is harmful once something passes, what passed says that it was completed, and what is audited is
    withdrawn and asked again at once. Of 12 streams each may miss with a probability of 0.1: more than 5 do with one of
    0.0005."""
    missed = 0
    for number in range(12):
        async with opened(tmp_path / str(number)) as world:
            await asking(world, delta=0.1, room=12)
            needed = stratum(world).needed
            assert needed is not None
            await go(world, needed)
            harmful, worst = 0, False
            for _ in range(120):
                world.clock.turn(PAUSE)
                made = await ask(world)
                if passed(made):
                    harmful += 1
                    await end(world, made.action)
                elif stratum(world).state is TriageState.FALLEN_BACK:
                    break
                else:
                    await world.withdraw(made.action)
                await world.service.triage.learn()
                worst = worst or harmful > max(0.2 * stratum(world).passed, 12)
            assert stratum(world).state is not TriageState.PASSING, "it has been found out"
            missed += worst
    assert missed <= 5


async def test_a_start_in_the_middle_goes_on_where_it_was(tmp_path: Path) -> None:
    clock = Hands()
    async with opened(tmp_path, clock) as world:
        await asking(world)
        await go(world, NEEDED + 25)
        waits = await ask(world)
        while not passed(waits):
            await end(world, waits.action)  # as long as it is not known, hardly anything passes
            await world.service.triage.learn()
            waits = await ask(world)
        ended = await ask(world)
        await end(world, ended.action, harmful=True)  # nobody has taken it in when the service stops
        before = state_of(world)
        await world.service.ledger.caught_up()
    async with opened(tmp_path, clock) as world:
        assert state_of(world) == before
        assert await world.service.triage.learn() == 1
        assert ended.decision.decision_id not in only(world).open
        assert waits.decision.decision_id in only(world).open
        after, (told,) = state_of(world), world.service.triage.strata(world.org_id)
    (tmp_path / "tables.duckdb").unlink()
    async with opened(tmp_path, clock) as world:
        assert state_of(world) == after, "from the log alone"
        assert stratum(world) == told


def only(world: World) -> Stratum:
    live = world.service.triage.plans.of(world.org_id)
    assert live is not None
    return live.strata["refund"]


def state_of(world: World) -> Any:
    """All that a stratum holds: what it says, and what is inside its machine."""
    found = only(world)
    return {
        "told": found.told(),
        "steps": found.steps,
        "open": {key: (each.number, each.answer) for key, each in found.open.items()},
        "due": dict(found.due),
        "machine": inside(found.machine),
    }


def inside(value: Any) -> Any:
    """All that the machine keeps, comparable."""
    if isinstance(value, dict):
        return {key: inside(each) for key, each in value.items()}
    if isinstance(value, list | deque):
        return [inside(each) for each in value]
    if isinstance(value, Triage) or type(value).__name__ in ("_Epoch", "Change"):
        slots = getattr(type(value), "__slots__", ())
        return {name: inside(getattr(value, name)) for name in (*getattr(value, "__dict__", {}), *slots)}
    return value


async def test_what_may_not_pass_never_takes_part(world: World) -> None:
    await asking(world)
    await go(world, NEEDED + 5)
    assert stratum(world).state is TriageState.PASSING
    steps = only(world).steps
    await world.policy("require_approval", {"action_types": ["pay"]})
    for members in (
        {"reversible": False},
        {"reversible": None},
        {"declared_goal": "delete all customer data"},
        {"status": "pending_approval"},
        {"action_type": "pay"},
        {"agent_id": None},
        {"risk_score": 90, "reversible": False},
    ):
        for _ in range(4):
            world.clock.turn(PAUSE)
            made = await ask(world, **members)
            assert made.action.status is ActionStatus.PENDING_APPROVAL, members
    spike = [await ask(world) for _ in range(12)]
    assert spike[-1].action.status is ActionStatus.PENDING_APPROVAL, "a signal is on: so many within an hour"
    assert only(world).steps < steps + 12
    steps = only(world).steps
    await ask(world, agent_id="another")
    assert only(world).steps == steps + 1, "no signal is on for another agent"
    steps += 1
    await world.policy("webhook_check", {"url": "https://hook.invalid/", "timeout_ms": 1000})
    await ask(world, agent_id="another")
    assert only(world).steps == steps, "a webhook has a say"


async def test_what_the_scan_found_something_in_takes_no_part(world: World) -> None:
    await asking(world)
    members = {"action_type": "refund", "agent_id": "bot", "reversible": True}
    body = msgspec.convert(members, CreateAction)
    asked = world.service.guard.question(world.admin, body, members)
    decision = (await world.service.guard.decide(asked)).decision
    triage = world.service.triage
    assert triage.stratum(asked, body, decision) is only(world)
    assert triage.stratum(asked, body, decision, flagged=True) is None


async def test_an_end_that_nobody_will_know_counts_as_harmful_where_people_were_asked(world: World) -> None:
    await asking(world, horizon_hours=24)
    withdrawn, denied, silent = [(await ask(world)).action for _ in range(3)]
    await world.withdraw(withdrawn)
    await world.decide(denied, "deny")
    await world.decide(silent, "allow")
    assert await world.service.triage.learn() == 2
    world.clock.turn(DAY - HOUR)
    assert await world.service.triage.learn() == 0
    world.clock.turn(2 * HOUR)
    assert await world.service.triage.learn() == 1
    found = stratum(world)
    assert (found.tested, found.tested_harmful, found.pending) == (3, 3, 0)
    rows = [msgspec.json.decode(each.data or b"") for each in await world.events(kind="triage.learned")]
    assert [(each["ended"], each["harmful"]) for each in rows] == [
        ("cancelled", None),
        ("cancelled", None),
        ("horizon", None),
    ]
    await world.report(silent, status="completed")
    assert await world.service.triage.learn() == 0, "the first end counts"


async def test_a_decision_that_is_brought_along_is_made_anew(world: World) -> None:
    await asking(world)
    await go(world, NEEDED)
    seen = set()
    for _ in range(30):
        world.clock.turn(PAUSE)
        asked = await world.guard(agent_id="bot", reversible=True, declared_goal="Pay back")
        assert asked.decision is Decision.REQUIRE_APPROVAL
        made = await ask(world, decision_id=asked.decision_id)
        seen.add(made.action.status)
        await end(world, made.action)
        await world.service.triage.learn()
    assert seen == {ActionStatus.RUNNING, ActionStatus.PENDING_APPROVAL}


async def test_a_replay_agrees_with_what_triage_decided_and_with_no_forgery(world: World) -> None:
    policies = await decided_by(world)
    await on(world)
    made = await go(world, NEEDED + 30)
    through = await decision_of(world, next(each for each in made if passed(each)))
    audit = await decision_of(world, next(each for each in made[NEEDED:] if not passed(each)))
    for payload in (through, audit):
        found = replay(payload, policies)
        assert found.agrees, found
        assert "the draw of triage" in found.detail
        assert payload["propensity"] == pytest.approx(
            payload["triage"]["share"] if payload is audit else 1 - payload["triage"]["share"]
        )
    mark = through["triage"]
    forged: list[dict[str, Any]] = [
        {"triage": None},
        {"triage": mark | {"draw": mark["share"] / 2}},
        {"triage": mark | {"draw": 1.0}},
        {"triage": mark | {"share": 1.0}},
        {"triage": mark | {"share": mark["share"] / 2}},
        {"triage": mark | {"threshold": through["risk_score"]}},
        {"triage": mark | {"threshold": 71}},
        {"triage": mark | {"answer": "audit"}},
        {"triage": mark | {"answer": "ask"}},
        {"triage": mark | {"stratum": "pay"}},
        {"triage": mark | {"bound": 11}},
        {"triage": mark | {"alpha": 0.3}},
        {"propensity": 1.0},
        {"risk_score": 60.0},
        {"destructive": True},
        {"source": "import"},
        {"agent_id": None},
        {"decision": "allow"},
        {"decision": "require_approval"},
        {"warnings": [ASKS]},
        {"reasons": [ASKS], "reason": ASKS},
        {"explore_draw": 0.1, "explore_below": 50.0},
        {"matched_policies": []},
    ]
    for change in forged:
        payload = {name: value for name, value in (through | change).items() if value is not None or name != "triage"}
        assert not replay(payload, policies).agrees, change
    assert not replay(audit | {"decision": "warn"}, policies).agrees
    always = [policy | {"always_ask": "always"} for policy in policies]
    assert not replay(through, always).agrees


async def decided_by(world: World) -> list[dict[str, Any]]:
    """The policies that ask about refunds, as a bundle has them."""
    await world.policy("require_approval", {"action_types": ["refund"]})
    found: list[dict[str, Any]] = msgspec.json.decode(
        msgspec.json.encode(snapshot(world.service.policies.state.list(world.org_id)))
    )
    return found


async def test_a_policy_that_always_asks_is_asked(world: World) -> None:
    await asking(world)
    await go(world, NEEDED + 5)
    await world.policy("risk_threshold", {"threshold": 0, "action": "require_approval"}, always_ask="always")
    steps = only(world).steps
    made = [await ask(world) for _ in range(8)]
    assert {each.action.status for each in made} == {ActionStatus.PENDING_APPROVAL}
    assert only(world).steps == steps


async def test_it_is_off_by_default_and_of_one_organization(world: World) -> None:
    await world.policy("require_approval", {"action_types": ["refund"]})
    made = await ask(world)
    assert (made.decision.triaged, await world.events(kind="triage")) == (msgspec.UNSET, [])
    stranger = await world.stranger()
    await on(world, by=stranger)
    assert world.service.triage.strata(world.org_id) == []
    assert world.service.triage.told(world.org_id).plan is None
    assert stratum(world, stranger.org_id).asked == 0
    assert not passed(await ask(world))
    assert await world.events(kind="triage") == []


async def test_stopping_asks_at_once_and_a_new_plan_begins_anew(world: World) -> None:
    await asking(world)
    await go(world, NEEDED + 5)
    await on(world, action_types=["  REFUND "])
    assert stratum(world).state is TriageState.PASSING, "the same plan again changes nothing"
    await on(world, room=20)
    assert (stratum(world).state, stratum(world).asked) == (TriageState.LEARNING, 0)
    await world.service.triage.stop_plan(world.operator("Ann"))
    assert world.service.triage.told(world.org_id).plan is None
    assert not passed(await ask(world))
    events = await world.events(kind="triage_plan")
    assert [each.type.partition(".")[2] for each in events] == ["created", "stopped", "created", "stopped"]


@pytest.mark.parametrize(
    ("members", "place"),
    [
        ({"alpha": 0}, "alpha"),
        ({"alpha": 1e-5}, "alpha"),
        ({"alpha": 1}, "alpha"),
        ({"alpha": None}, "alpha"),
        ({"alpha": "NaN"}, "alpha"),
        ({"delta": 0}, "delta"),
        ({"delta": 0.51}, "delta"),
        ({"least_audited": 0.04}, "least_audited"),
        ({"least_audited": 1}, "least_audited"),
        ({"room": 0}, "room"),
        ({"room": 1}, "room"),
        ({"thresholds": []}, "thresholds"),
        ({"thresholds": [40, 20]}, "thresholds"),
        ({"thresholds": [71]}, "thresholds"),
        ({"action_types": []}, "action_types"),
        ({"horizon_hours": 0}, "horizon_hours"),
    ],
)
async def test_a_plan_that_cannot_be_kept_is_refused_by_its_member(
    world: World, members: dict[str, Any], place: str
) -> None:
    answer = await world.http("POST", "/api/triage", PLAN | members)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_body")
    assert place in str(answer.json()["errors"]), answer.json()
    assert world.service.triage.told(world.org_id).plan is None


async def test_a_plan_that_names_no_room_has_one_for_each_type(world: World) -> None:
    """20 types and a tiny delta want more than the usual 10 each (11, by the bound of nine audits of ten)."""
    types = [f"type {number}" for number in range(20)]
    for delta, room in ((0.05, 10), (1e-6, 11)):
        told = (await world.http("POST", "/api/triage", {"action_types": types, "alpha": 0.01, "delta": delta})).json()
        assert told["plan"]["room"] == room
        assert [each["budget"] for each in told["strata"]] == [room] * 20


async def test_the_plan_over_http_names_no_seed(world: World) -> None:
    answer = await world.http("POST", "/api/triage", PLAN)
    assert answer.status_code == 201
    told = answer.json()
    assert told["plan"]["action_types"] == ["refund"]
    assert [each["state"] for each in told["strata"]] == ["learning"]
    assert "seed" not in str(told)
    ready = (await world.http("GET", "/api/readiness")).json()
    (check,) = [each for each in ready["checks"] if each["name"] == "triage"]
    assert (check["status"], "would certify a threshold" in check["detail"]) == ("pass", True)
    assert (await world.http("DELETE", "/api/triage")).json()["strata"] == []
