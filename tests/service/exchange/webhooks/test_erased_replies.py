"""A receiver's answer may repeat what was erased; nothing of it stays, and nothing is sent again."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest

from assent.contract.exchange.webhooks import DeliveryStatus
from assent_service.control.erasure import Erasures
from assent_service.exchange.webhooks.erased_replies import ERASED, silent
from assent_service.exchange.webhooks.rows import DeliveryRow
from tests.service.control.actions.world import locks_of
from tests.service.exchange.webhooks.receiver import BROKEN, OK, Post, Receiver, answer

AT = datetime(2026, 3, 2, tzinfo=UTC)
NOW = 1_772_500_000_000_000
DELIVERY = DeliveryRow(
    org_id="org_a",
    delivery_id="wd_1",
    webhook_id="wh_1",
    event="action.created",
    event_n=7,
    status=DeliveryStatus.RETRYING,
    attempts=2,
    response_status=500,
    response_excerpt="cannot take xylomarker",
    error="HTTP 500: xylomarker",
    duration_ms=3,
    next_attempt_at=AT,
    created_at=AT,
    updated_at=AT,
)


@pytest.mark.parametrize("status", DeliveryStatus)
def test_the_answer_is_dropped_and_nothing_waits(status: DeliveryStatus) -> None:
    after = silent(msgspec.structs.replace(DELIVERY, status=status), NOW)
    assert b"xylomarker" not in msgspec.json.encode(after)
    assert after.next_attempt_at is None
    assert after.status is (DeliveryStatus.DELIVERED if status is DeliveryStatus.DELIVERED else DeliveryStatus.FAILED)
    assert after.error == (None if status is DeliveryStatus.DELIVERED else ERASED)
    assert (after.delivery_id, after.event_n, after.attempts, after.created_at) == ("wd_1", 7, 2, AT)


async def test_nothing_of_an_answer_stays(post: Post, receiver: Receiver) -> None:
    """One delivery failed for now, one got through at last, one has nothing to do with it."""
    world = post.world
    webhook_id = (await post.create(receiver.url, ["action.created", "action.updated"])).webhook.webhook_id
    echo = answer("500 Internal Server Error", b"cannot take xylomarker")
    action = await world.act(declared_goal="xylomarker")
    receiver.script = [echo]
    await post.round(webhook_id)
    post.clock.turn(10_000_000)
    await post.round(webhook_id)
    await world.report(action, status="completed")
    other = await world.act()
    receiver.respond = echo
    await post.rounds(webhook_id)
    assert {each.status for each in await post.deliveries(webhook_id)} == {"delivered", "retrying"}

    erased = await _erasures(post).erase(world.admin, action.action_id, "ticket 7")
    (others,) = [each.n for each in await world.events(kind="action.created") if each.subject == other.action_id]
    found = await post.deliveries(webhook_id)
    assert {(each.status, each.response_excerpt, each.error) for each in found if each.event_n != others} == {
        ("delivered", None, None),
        ("failed", None, ERASED),
    }
    (left,) = post.hooks.state.retrying((world.org_id, webhook_id)).values()
    assert left.response_excerpt is not None
    assert erased.events > 3
    receiver.respond = OK
    sent = len(receiver.sent)
    post.clock.turn(86_400_000_000)
    await post.rounds(webhook_id)
    assert b"xylomarker" not in b"".join(each.body for each in receiver.sent[sent:])


async def test_an_answer_that_comes_too_late_is_not_kept(post: Post, receiver: Receiver) -> None:
    """What was being delivered while it was erased."""
    world = post.world
    webhook_id = (await post.create(receiver.url, ["action.created"])).webhook.webhook_id
    receiver.respond = BROKEN
    action = await world.act(declared_goal="xylomarker", status="completed")

    async def erase_then_answer(writer: object) -> None:
        await _erasures(post).erase(world.admin, action.action_id, "ticket 7")
        await BROKEN(writer)  # type: ignore[arg-type]  # a stream writer, as it was handed in

    receiver.script = [erase_then_answer]
    await post.round(webhook_id)
    (delivery,) = await post.deliveries(webhook_id)
    assert (delivery.status, delivery.response_excerpt) == ("retrying", None)
    post.clock.turn(86_400_000_000)
    await post.round(webhook_id)
    (delivery,) = await post.deliveries(webhook_id)
    assert (delivery.status, delivery.error) == ("failed", ERASED)
    assert len(receiver.sent) == 1


def _erasures(post: Post) -> Erasures:
    service = post.world.service
    actions = service.actions
    return Erasures(
        service.ledger,
        post.clock,
        locks_of(service.ledger),
        actions,
        actions.erasures,
        post.hooks.erased_replies.silenced,
    )
