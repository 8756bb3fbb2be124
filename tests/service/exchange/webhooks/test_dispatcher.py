"""Deliveries: what is sent, when it is tried again, what a crash costs, when a webhook is given up."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import pytest

from assent.contract.problems import Code
from assent_service.base.clock import moment
from assent_service.base.problem import Refusal, refuse
from assent_service.exchange.webhooks import dispatcher as couriers
from assent_service.exchange.webhooks.state import WebhookState
from assent_service.store.database import Row
from tests.service.control.actions.world import DAY, HOUR, MINUTE, SECOND, Hands
from tests.service.exchange.webhooks.receiver import BROKEN, OK, Post, Receiver, answer, posting, receiving
from tests.tiers import deep

STANDARD = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR]


async def test_what_is_recorded_is_sent_signed_and_in_order(post: Post, receiver: Receiver) -> None:
    await post.world.act(action_type="before")
    made = await post.create(receiver.url)
    action = await post.world.act(action_type="deploy", agent_id="bot", declared_goal="ship é")
    await post.world.report(action, status="completed")
    webhook_id = made.webhook.webhook_id
    assert await post.rounds(webhook_id) == 3

    kept = sorted(receiver.sent, key=lambda each: int(each.said["id"]))
    assert [each.said["type"] for each in kept] == ["guard.decision.created", "action.created", "action.updated"]
    created = kept[1]
    assert created.signed_by(made.webhook.secret)
    assert not created.signed_by("whsec_" + "A" * 43 + "=")
    assert created.target == "/hook"
    assert created.said["event"] == "action.created"
    assert created.said["org_id"] == post.world.org_id
    assert created.said["data"]["action_id"] == action.action_id
    assert created.said["data"]["declared_goal"] == "ship é"
    *_, recorded = await post.world.events(kind="action.created")
    assert recorded.data is not None
    assert created.body.endswith(b'"data":' + recorded.data + b"}")
    assert created.said["id"] == recorded.n
    assert datetime.fromisoformat(created.said["timestamp"]) == moment(recorded.ts)
    found = await post.deliveries(webhook_id)
    assert sorted(each.delivery_id for each in found) == sorted(each.id for each in receiver.sent)
    assert {each.status for each in found} == {"delivered"}
    assert {(each.attempts, each.response_status, each.error, each.next_attempt_at) for each in found} == {
        (1, 204, None, None)
    }


async def test_only_what_was_asked_for(post: Post, receiver: Receiver) -> None:
    made = await post.create(receiver.url, ["approval_denied", "halt.changed"])
    await post.world.policy("require_approval", {"action_types": ["pay"]})
    for verdict in ("allow", "deny"):
        await post.world.decide(await post.world.act(action_type="pay"), verdict)
    await post.world.service.halts.halt(post.world.admin, "fire")
    await post.rounds(made.webhook.webhook_id)
    assert sorted(receiver.types) == ["approval.decided", "halt.changed"]
    assert {each.said["data"].get("state") for each in receiver.sent} == {"denied", None}


async def test_deliveries_and_webhooks_are_never_delivered(post: Post, receiver: Receiver) -> None:
    made = await post.create(receiver.url, ["all"])
    await post.update(made.webhook.webhook_id, description="mine")
    await post.world.act()
    assert await post.rounds(made.webhook.webhook_id) == 2
    assert await post.rounds(made.webhook.webhook_id) == 0
    assert not [each for each in receiver.types if each.startswith("webhook")]


async def test_another_organization_is_told_nothing(post: Post, receiver: Receiver) -> None:
    stranger = await post.world.stranger()
    made = await post.create(receiver.url)
    await post.world.act(by=stranger)
    assert await post.rounds(made.webhook.webhook_id) == 0
    assert receiver.sent == []


async def test_the_schedule_of_retries(post: Post, receiver: Receiver) -> None:
    receiver.respond = BROKEN
    made = await post.create(receiver.url, ["action.created"])
    webhook_id = made.webhook.webhook_id
    await post.world.act()
    for number, wait in enumerate(STANDARD, 1):
        assert await post.round(webhook_id) == 1
        (delivery,) = await post.deliveries(webhook_id)
        assert (delivery.status, delivery.attempts, delivery.response_status) == ("retrying", number, 500)
        assert (delivery.error, delivery.response_excerpt) == ("it answered with status 500", "no luck")
        assert delivery.next_attempt_at is not None
        left = (delivery.next_attempt_at - delivery.updated_at).total_seconds() * SECOND
        assert 0.9 * wait <= left <= 1.1 * wait
        post.clock.turn(round(0.89 * wait))
        assert await post.round(webhook_id) == 0
        post.clock.turn(round(0.22 * wait))
    assert await post.round(webhook_id) == 1
    (delivery,) = await post.deliveries(webhook_id)
    assert (delivery.status, delivery.attempts, delivery.next_attempt_at) == ("failed", 10, None)
    post.clock.turn(30 * DAY)
    assert await post.round(webhook_id) == 0
    assert len(receiver.sent) == 10
    assert len({each.id for each in receiver.sent}) == 1
    assert len({each.headers["webhook-timestamp"] for each in receiver.sent}) == 10
    assert all(each.signed_by(made.webhook.secret) for each in receiver.sent)


async def test_a_receiver_may_ask_for_more_time(post: Post, receiver: Receiver) -> None:
    receiver.script = [answer("429 Too Many Requests", b"", "retry-after: 3600")]
    webhook_id = (await post.create(receiver.url, ["action.created"])).webhook.webhook_id
    await post.world.act()
    await post.round(webhook_id)
    post.clock.turn(59 * MINUTE)
    assert await post.round(webhook_id) == 0
    post.clock.turn(2 * MINUTE)
    assert await post.round(webhook_id) == 1
    assert [each.status for each in await post.deliveries(webhook_id)] == ["delivered"]


async def test_one_event_that_is_refused_holds_up_no_other(post: Post, receiver: Receiver) -> None:
    webhook_id = (await post.create(receiver.url, ["action.created"])).webhook.webhook_id
    receiver.script = [BROKEN]
    for _ in range(6):
        await post.world.act()
    assert await post.rounds(webhook_id) == 6
    found = await post.deliveries(webhook_id)
    assert sorted(each.status for each in found) == ["delivered"] * 5 + ["retrying"]
    post.clock.turn(6 * SECOND)
    assert await post.rounds(webhook_id) == 1
    found = await post.deliveries(webhook_id)
    assert sorted((each.status, each.attempts) for each in found) == [("delivered", 1)] * 5 + [("delivered", 2)]
    assert post.get(webhook_id).failing_since is None


async def test_an_event_that_is_always_refused_keeps_to_its_schedule(post: Post, receiver: Receiver) -> None:
    webhook_id = (await post.create(receiver.url, ["action.created"])).webhook.webhook_id
    receiver.script = [BROKEN]
    await post.world.act(action_type="poison")
    await post.rounds(webhook_id)
    (poison,) = await post.deliveries(webhook_id)

    for number in range(8):
        # Whatever is on its way is taken, and only the poison refused.
        receiver.script = [OK, BROKEN]
        await post.world.act()
        await post.round(webhook_id)
        receiver.script = [BROKEN] * 3
        await post.round(webhook_id)
        receiver.script = []
        if number == 0:
            post.clock.turn(SECOND)
    again = next(each for each in await post.deliveries(webhook_id) if each.delivery_id == poison.delivery_id)
    assert (again.status, again.attempts) == ("retrying", 2)


async def test_when_something_gets_through_again_the_rest_is_due(post: Post, receiver: Receiver) -> None:
    receiver.respond = BROKEN
    webhook_id = (await post.create(receiver.url, ["action.created"])).webhook.webhook_id
    for _ in range(5):
        await post.world.act()
    await post.rounds(webhook_id)
    post.clock.turn(6 * SECOND)
    await post.rounds(webhook_id)
    assert post.get(webhook_id).failing_since is not None
    assert post.get(webhook_id).retrying == 5
    receiver.respond = OK
    await post.world.act()
    assert await post.rounds(webhook_id) == 6
    assert {each.status for each in await post.deliveries(webhook_id)} == {"delivered"}
    assert (post.get(webhook_id).failing_since, post.get(webhook_id).retrying) == (None, 0)


async def test_while_many_are_tried_again_no_new_ones_are_begun(
    post: Post, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(couriers, "MOST_RETRYING", 3)
    receiver.respond = BROKEN
    webhook_id = (await post.create(receiver.url, ["action.created"])).webhook.webhook_id
    for _ in range(10):
        await post.world.act()
    await post.rounds(webhook_id)
    assert post.get(webhook_id).retrying <= 6
    held = len(await post.deliveries(webhook_id))
    assert held < 10
    receiver.respond = OK
    post.clock.turn(HOUR)
    await post.rounds(webhook_id)
    assert len([each for each in await post.deliveries(webhook_id) if each.status == "delivered"]) == 10


async def test_a_webhook_that_fails_for_long_is_disabled_and_can_be_switched_on(post: Post, receiver: Receiver) -> None:
    receiver.respond = BROKEN
    webhook_id = (await post.create(receiver.url, ["action.created"])).webhook.webhook_id
    await post.world.act()
    for _ in range(10):
        await post.rounds(webhook_id)
        post.clock.turn(27 * HOUR)
    # Given up after more than nine days of nothing but failures.
    hook = post.get(webhook_id)
    assert (hook.active, hook.retrying) == (False, 0)
    assert hook.disabled_reason == "Nothing has got through for five days."
    assert [each.webhook_id for each in post.webhooks.disabled(post.world.org_id)] == [webhook_id]
    receiver.respond = OK
    sent = len(receiver.sent)
    await post.world.act(action_type="meanwhile")
    assert await post.rounds(webhook_id) == 0

    again = await post.update(webhook_id, active=True)
    assert (again.active, again.failing_since, again.disabled_at, again.disabled_reason) == (True, None, None, None)
    await post.world.act(action_type="afterwards")
    assert await post.rounds(webhook_id) == 1
    assert [each.said["data"]["action_type"] for each in receiver.sent[sent:]] == ["afterwards"]


async def test_three_days_of_failures_do_not_disable(post: Post, receiver: Receiver) -> None:
    receiver.respond = BROKEN
    webhook_id = (await post.create(receiver.url, ["action.created"])).webhook.webhook_id
    await post.world.act()
    for wait in [0, *STANDARD]:
        post.clock.turn(round(1.11 * wait))
        await post.round(webhook_id)
    assert [each.status for each in await post.deliveries(webhook_id)] == ["failed"]
    assert post.get(webhook_id).active


async def test_gone_means_never_again(post: Post, receiver: Receiver) -> None:
    webhook_id = (await post.create(receiver.url, ["action.created"])).webhook.webhook_id
    receiver.script = [BROKEN]
    await post.world.act()
    await post.round(webhook_id)
    receiver.respond = answer("410 Gone")
    await post.world.act()
    await post.round(webhook_id)
    hook = post.get(webhook_id)
    assert (hook.active, hook.disabled_reason, hook.retrying) == (False, "The receiver answered 410 Gone.", 0)
    found = await post.deliveries(webhook_id)
    assert [(each.status, each.next_attempt_at) for each in found] == [("failed", None)] * 2
    assert found[0].error == "it answered with status 500; given up: The receiver answered 410 Gone."


async def test_a_restart_goes_on_where_it_was(tmp_path: Path, receiver: Receiver) -> None:
    clock = Hands()
    receiver.script = [BROKEN]
    async with posting(tmp_path / "home", clock) as post:
        made = await post.create(receiver.url, ["action.created"])
        webhook_id = made.webhook.webhook_id
        await post.world.act(action_type="one")
        await post.round(webhook_id)
        await post.world.act(action_type="two")
    async with posting(tmp_path / "home", clock) as post:
        assert post.get(webhook_id).retrying == 1
        await post.world.act(action_type="three")
        clock.turn(6 * SECOND)
        assert await post.rounds(webhook_id) == 3
        assert await post.rounds(webhook_id) == 0
        assert {each.status for each in await post.deliveries(webhook_id)} == {"delivered"}
    first, *others = receiver.sent
    assert sorted(each.said["data"]["action_type"] for each in others) == ["one", "three", "two"]
    assert first.id in {each.id for each in others}
    assert all(each.signed_by(made.webhook.secret) for each in receiver.sent)


async def test_what_was_sent_but_not_recorded_is_sent_again_under_its_id(
    tmp_path: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Hands()
    async with posting(tmp_path / "home", clock) as post:
        webhook_id = (await post.create(receiver.url, ["action.created"])).webhook.webhook_id
        await post.world.act()

        async def full(*_: object) -> None:
            raise refuse(Code.STORAGE_UNAVAILABLE, "no space")

        monkeypatch.setattr(post.world.service.ledger, "append", full)
        with pytest.raises(Refusal):
            await post.round(webhook_id)
        monkeypatch.undo()
    async with posting(tmp_path / "home", clock) as post:
        assert await post.rounds(webhook_id) == 1
    assert len(receiver.sent) == 2
    assert len({each.id for each in receiver.sent}) == 1


async def test_memory_is_the_same_from_the_tables_and_from_events(tmp_path: Path, receiver: Receiver) -> None:
    clock = Hands()
    receiver.script = [BROKEN, BROKEN]
    async with posting(tmp_path / "home", clock) as post:
        kept = (await post.create(receiver.url, ["action.created"])).webhook.webhook_id
        gone = (await post.create(receiver.url, ["action.created"])).webhook.webhook_id
        await post.world.act()
        await post.round(kept)
        await post.round(gone)
        await post.webhooks.delete(post.world.admin, gone)
        await post.world.service.ledger.caught_up()
        loaded = WebhookState()
        loaded.load(post.world.service.ledger.read_now)
        org_id = post.world.org_id
        (webhook,) = post.state.of(org_id)
        assert (loaded.of(org_id), loaded.wanted(org_id)) == ([webhook], post.state.wanted(org_id))
        assert loaded.retrying(webhook.key) == post.state.retrying(webhook.key) != {}
        assert loaded.reached(webhook) == post.state.reached(webhook) > webhook.after_n
        assert loaded.retrying((org_id, gone)) == post.state.retrying((org_id, gone)) == {}


@deep("in process each step of it is in the quick tier")
async def test_the_running_service_delivers_by_itself_and_stops_cleanly(tmp_path: Path, receiver: Receiver) -> None:
    clock = Hands()
    async with posting(tmp_path / "home", clock) as post:
        await post.hooks.start()
        made = await post.create(receiver.url, ["action.created"])
        for _ in range(20):
            await post.world.act()
        await receiver.until(20)
        held = asyncio.Event()

        async def hang(_: asyncio.StreamWriter) -> None:
            held.set()
            await asyncio.sleep(60)

        receiver.respond = hang
        await post.world.act(action_type="last")
        async with asyncio.timeout(40):
            await held.wait()
    receiver.respond = OK
    async with posting(tmp_path / "home", clock) as post:
        await post.hooks.start()
        await receiver.until(22)
        await post.dispatcher.stop()
        found = await post.deliveries(made.webhook.webhook_id)
        assert len(found) == 21
        assert {each.status for each in found} == {"delivered"}
    assert receiver.sent[-1].said["data"]["action_type"] == "last"
    assert len({each.id for each in receiver.sent}) == 21


async def test_tables_that_follow_right_after_a_look_hide_nothing(
    post: Post, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = post.world.service.ledger
    looks: list[int] = []

    async def read(sql: str, parameters: Sequence[object] = (), *, remembered: int = 0) -> list[Row]:
        """Rows as they are; by the time that they are answered, the tables have everything."""
        rows = await real(sql, parameters, remembered=remembered)
        if sql.startswith("SELECT n FROM events"):
            looks.append(len(rows))
            await ledger.caught_up()
        return rows

    await post.create(receiver.url, ["action.created"])
    await ledger.caught_up()
    real = ledger.read
    monkeypatch.setattr(ledger, "read", read)
    await post.hooks.start()
    for count in range(1, 6):
        await post.world.act()
        await receiver.until(count)
    assert 0 in looks, "no look came before the tables followed"


async def test_deleting_ends_what_waited(post: Post, receiver: Receiver) -> None:
    receiver.respond = BROKEN
    webhook_id = (await post.create(receiver.url, ["action.created"])).webhook.webhook_id
    await post.world.act()
    await post.round(webhook_id)
    await post.webhooks.delete(post.world.admin, webhook_id)
    post.clock.turn(DAY)
    assert await post.rounds(webhook_id) == 0
    rows = await post.world.service.ledger.read("SELECT status, error FROM webhook_deliveries", [])
    assert rows == [("failed", "it answered with status 500; given up: The webhook was deleted.")]


async def test_a_slow_webhook_does_not_keep_another_waiting(tmp_path: Path) -> None:
    async with receiving() as slow, receiving() as quick, posting(tmp_path / "home", timeout=1.0) as post:

        async def hang(_: asyncio.StreamWriter) -> None:
            await asyncio.sleep(5)

        slow.respond = hang
        await post.hooks.start()
        await post.create(slow.url, ["action.created"])
        made = await post.create(quick.url, ["action.created"])
        for _ in range(5):
            await post.world.act()
        await quick.until(5)
        await post.dispatcher.stop()
        assert len([each for each in await post.deliveries(made.webhook.webhook_id) if each.status == "delivered"]) == 5
