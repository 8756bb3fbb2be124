"""Making, changing, listing and trying out webhooks, over HTTP where the answer's form counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from assent.contract.problems import Code
from assent.contract.roles import Role
from tests.service.control.actions.world import refused
from tests.service.exchange.webhooks.receiver import BROKEN, OK, Post, Receiver, posting

HOOK = "https://93.184.216.34/hook"


async def test_a_secret_is_shown_once(tmp_path: Path) -> None:
    async with posting(tmp_path / "home") as post:
        made = (await post.world.http("POST", "/api/webhooks", {"url": HOOK, "description": "pager"})).json()
        webhook = made["webhook"]
        assert set(made) == {"webhook", "secret_warning"}
        assert (webhook["id"], webhook["events"], webhook["description"]) == (webhook["webhook_id"], ["all"], "pager")
        assert (webhook["active"], webhook["retrying"], webhook["failing_since"]) == (True, 0, None)
        secret = webhook["secret"]
        assert len(secret) == len("whsec_") + 44
        listed = await post.world.http("GET", "/api/webhooks")
        assert secret not in listed.text
        assert listed.json()["webhooks"] == [{**webhook, "secret": f"whsec_...{secret[-5:-1]}"}]
        changed = await post.world.http("PATCH", f"/api/webhooks/{webhook['id']}", {"description": "other"})
        assert secret not in changed.text
        assert changed.json()["webhook"]["description"] == "other"


async def test_published_spellings_and_null_events(post: Post) -> None:
    made = await post.world.http("POST", "/api/webhooks", {"url": HOOK, "events": None})
    assert (made.status_code, made.json()["webhook"]["events"]) == (201, ["all"])
    deleted = await post.world.http("DELETE", f"/api/webhooks?id={made.json()['webhook']['id']}")
    assert deleted.json() == {"success": True, "deleted": True, "webhook_id": made.json()["webhook"]["id"]}
    assert (await post.world.http("GET", "/api/webhooks")).json() == {"webhooks": []}
    again = await post.world.http("DELETE", f"/api/webhooks/{made.json()['webhook']['id']}")
    assert (again.status_code, again.json()["code"]) == (404, "webhook_not_found")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"url": ""},
        {"url": None},
        {"url": 7},
        {"url": "https://" + "a" * 2048},
        {"url": HOOK, "events": "all"},
        {"url": HOOK, "events": [7]},
        {"url": HOOK, "events": ["all"] * 101},
        {"url": HOOK, "description": "x" * 501},
    ],
)
async def test_bodies_that_cannot_be_read(post: Post, body: object) -> None:
    answer = await post.world.http("POST", "/api/webhooks", body)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_body")


@pytest.mark.parametrize("role", [Role.AGENT, Role.OPERATOR, Role.AUDITOR])
async def test_only_admins(post: Post, role: Role) -> None:
    assert (await post.world.http("GET", "/api/webhooks", by=role)).status_code == 403
    assert (await post.world.http("POST", "/api/webhooks", {"url": HOOK}, by=role)).status_code == 403


async def test_changing_nothing_records_nothing(post: Post) -> None:
    made = await post.create(HOOK.replace("https", "http"), ["halt.changed"])
    before = len(await post.world.events())
    same = await post.update(made.webhook.webhook_id, active=True, events=["halt.changed"], url=made.webhook.url)
    assert same.updated_at == made.webhook.updated_at
    assert len(await post.world.events()) == before


async def test_switching_off_and_on(post: Post, receiver: Receiver) -> None:
    webhook_id = (await post.create(receiver.url, ["action.created"])).webhook.webhook_id
    receiver.respond = BROKEN
    await post.world.act()
    await post.round(webhook_id)
    off = await post.update(webhook_id, active=False)
    assert (off.active, off.retrying, off.disabled_at) == (False, 0, off.updated_at)
    assert off.disabled_reason == f"An admin switched it off (key {post.world.admin.key_id})."
    assert post.webhooks.disabled(post.world.org_id) == [], "whoever switched it off needs no reminder"
    assert [each.status for each in await post.deliveries(webhook_id)] == ["failed"]
    await post.world.act()
    on = await post.update(webhook_id, active=True)
    assert (on.active, on.disabled_at, on.disabled_reason) == (True, None, None)
    assert await post.rounds(webhook_id) == 0


async def test_another_address_is_tried_at_once(post: Post, receiver: Receiver) -> None:
    receiver.respond = BROKEN
    webhook_id = (await post.create(receiver.url, ["action.created"])).webhook.webhook_id
    await post.world.act()
    await post.round(webhook_id)
    receiver.respond = OK
    await post.update(webhook_id, url=receiver.url.replace("/hook", "/elsewhere"))
    assert await post.round(webhook_id) == 1
    assert receiver.sent[-1].target == "/elsewhere"


async def test_other_events_count_from_then_on(post: Post, receiver: Receiver) -> None:
    webhook_id = (await post.create(receiver.url, ["halt.changed"])).webhook.webhook_id
    await post.world.act()
    await post.rounds(webhook_id)
    changed = await post.update(webhook_id, events=["action.created", "signals.detected"])
    assert changed.events == ["action.created", "signal.detected"]
    await post.world.act()
    await post.rounds(webhook_id)
    assert receiver.types == ["action.created"]


async def test_what_a_webhook_still_had_to_be_told_is_not_lost_to_other_events(post: Post, receiver: Receiver) -> None:
    webhook_id = (await post.create(receiver.url, ["action.created"])).webhook.webhook_id
    await post.world.service.halts.halt(post.world.admin, "drill")
    await post.world.service.halts.resume(post.world.admin)
    waits = await post.world.act()
    await post.update(webhook_id, events=["action.created", "halt.changed"])
    await post.world.service.halts.halt(post.world.admin, "fire")
    await post.rounds(webhook_id)
    assert sorted(receiver.types) == ["action.created", "halt.changed"]
    assert {each.said["data"].get("action_id") for each in receiver.sent} == {waits.action_id, None}
    assert {each.said["data"].get("reason") for each in receiver.sent} >= {"fire"}


async def test_a_test_is_sent_to_one_that_is_off_and_changes_nothing(post: Post, receiver: Receiver) -> None:
    made = await post.create(receiver.url)
    webhook_id = made.webhook.webhook_id
    off = await post.update(webhook_id, active=False)
    receiver.respond = BROKEN
    tested = await post.webhooks.test(post.world.admin, webhook_id)
    assert (tested.success, tested.delivery.status, tested.delivery.next_attempt_at) == (False, "failed", None)
    assert post.get(webhook_id) == off
    (sent,) = receiver.sent
    assert sent.signed_by(made.webhook.secret)
    assert (sent.said["type"], sent.said["event"], sent.id) == ("webhook.test", "webhook.test", tested.delivery.id)
    assert sent.said["data"]["webhook_id"] == webhook_id


async def test_pages_of_deliveries(post: Post, receiver: Receiver) -> None:
    webhook_id = (await post.create(receiver.url, ["action.created"])).webhook.webhook_id
    for _ in range(7):
        await post.world.act()
    await post.rounds(webhook_id)
    seen: list[str] = []
    path = f"/api/webhooks/{webhook_id}/deliveries?limit=3"
    cursor = ""
    for size in (3, 3, 1):
        page = (await post.world.http("GET", path + cursor)).json()
        assert len(page["deliveries"]) == size
        seen += [each["id"] for each in page["deliveries"]]
        cursor = f"&cursor={page['next_cursor']}"
    assert page["next_cursor"] is None
    assert sorted(seen) == sorted(each.id for each in receiver.sent)
    failed = await post.world.http("GET", f"/api/webhooks/{webhook_id}/deliveries?status=failed")
    assert failed.json()["deliveries"] == []


async def test_there_are_at_most_fifty(post: Post) -> None:
    for _ in range(50):
        await post.create("http://127.0.0.1:9/")
    async with refused(Code.INVALID_WEBHOOK):
        await post.create("http://127.0.0.1:9/")
    await post.webhooks.delete(post.world.admin, post.webhooks.of(post.world.org_id)[0].webhook_id)
    await post.create("http://127.0.0.1:9/")
