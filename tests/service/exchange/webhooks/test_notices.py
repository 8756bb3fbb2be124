"""Notices: what they say, when they go out, where they may not lead, and the links in them. The first
tests send through the real process to a receiver on loopback."""

from __future__ import annotations

import asyncio
import re
import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest

from assent.contract.control.actions import Action
from assent.contract.exchange.webhooks import Webhook
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.base.clock import microseconds
from assent_service.base.problem import Refusal
from assent_service.core.notifier import NotifierReply, NotifierRequest, Why
from assent_service.exchange.webhooks import notifying, sender
from assent_service.exchange.webhooks.notices import opens, plain, quiet_until
from assent_service.exchange.webhooks.rows import WebhookRow
from tests.service.control.actions.world import DAY, HOUR, MINUTE, SECOND, Hands, opened, refused
from tests.service.control.guard.conftest import certificate
from tests.service.exchange.webhooks.receiver import DASHBOARD, Post, Receiver, answer, posting, receiving
from tests.tiers import deep

__all__ = ["certificate"]

SECRET = "k7Qz-secret-part-of-the-address"


class Sent:
    def __init__(self) -> None:
        self.orders: list[NotifierRequest] = []
        self.answers: list[NotifierReply] = []

    async def notify(self, order: NotifierRequest) -> NotifierReply:
        if not order.title:
            return NotifierReply()
        self.orders.append(order)
        return self.answers.pop(0) if self.answers else NotifierReply(status=200)

    @property
    def bodies(self) -> list[str]:
        return [order.body for order in self.orders]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    """In place of the process: what it was given, for tests of when and what."""
    made = Sent()
    monkeypatch.setattr(sender, "notify", made.notify)
    monkeypatch.setattr(notifying, "notify", made.notify)
    return made


@pytest.fixture
async def waits(post: Post) -> Post:
    await post.world.policy("require_approval", {"action_types": ["pay"]})
    return post


async def pay(post: Post, **members: Any) -> Action:
    return await post.world.act(action_type="pay", agent_id="bot", **members)


async def made(post: Post, url: str = f"jsons://chat.invalid/{SECRET}", **members: Any) -> Webhook:
    return (await post.create(url, **members)).webhook


def at(text: str, zone: str = "Europe/Berlin", fold: int = 0) -> int:
    return microseconds(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold).astimezone(UTC))


# Through the process


async def test_a_request_is_told_in_words_with_a_link(waits: Post, receiver: Receiver) -> None:
    notice = await made(waits, f"json://127.0.0.1:{receiver.port}/{SECRET}")
    assert (notice.notice, notice.url, notice.secret) == (True, "json://...", "")
    assert notice.events == [
        *("approval.requested", "approval.expiring", "approval.escalated", "halt.changed", "signal.detected")
    ]
    action = await pay(waits, declared_goal="<!channel> see http://evil.invalid")
    assert await waits.rounds(notice.webhook_id) == 1
    (came,) = receiver.sent
    assert came.target == f"/{SECRET}"
    assert (came.said["title"], came.said["type"]) == ("Assent: a request waits", "warning")
    text = came.said["message"]
    approval = await waits.world.service.actions.approval(action)
    assert approval is not None
    expires = f"{approval.expires_at:%Y-%m-%d %H:%M} UTC"
    assert re.fullmatch(rf"pay of bot waits, risk \d+, expires {expires}: {DASHBOARD}/notices/[\w.-]+", text)
    assert "evil" not in text
    assert "channel" not in text
    (delivery,) = await waits.deliveries(notice.webhook_id)
    assert (delivery.status, delivery.event, delivery.response_status, delivery.error, delivery.first_n) == (
        *("delivered", "approval.requested", 204, None),
        None,
    )


@deep("four more processes; one test of the quick tier sends through one")
async def test_what_is_refused_is_tried_again_and_never_tells_the_address(waits: Post, receiver: Receiver) -> None:
    receiver.script = [answer("500 Internal Server Error", SECRET.encode()), answer("302 Found", b"", "location: /x")]
    notice = await made(waits, f"json://user:{SECRET}@127.0.0.1:{receiver.port}/{SECRET}")
    await pay(waits)
    assert await waits.rounds(notice.webhook_id) == 1
    for status, wait in ((500, 6 * SECOND), (302, 6 * MINUTE)):
        (delivery,) = await waits.deliveries(notice.webhook_id)
        assert (delivery.status, delivery.response_status) == ("retrying", status)
        assert (delivery.error, delivery.response_excerpt) == (f"it answered with status {status}", None)
        waits.clock.turn(wait)
        assert await waits.round(notice.webhook_id) == 1
    (delivery,) = await waits.deliveries(notice.webhook_id)
    assert (delivery.status, delivery.attempts) == ("delivered", 3)
    assert [each.target for each in receiver.sent] == [f"/{SECRET}"] * 3
    assert len({each.body for each in receiver.sent}) == 1


@deep("the process of its own again, and the rule is tested by itself")
async def test_a_connection_to_a_private_address_is_refused_as_it_is_made(tmp_path: Path, receiver: Receiver) -> None:
    """The name was fine when the notice was made."""
    told = await notifying.notify(
        NotifierRequest(address=f"jsons://127.0.0.1:{receiver.port}/{SECRET}", title="Assent: a test", body="x")
    )
    assert (told.why, told.kind) == (Why.PRIVATE, "loopback")
    assert notifying.reason(told) == "its address leads to an address that is not public (loopback)"
    assert receiver.sent == []


async def mail_server(came: list[str], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """As much of SMTP (RFC 5321) as one message takes; the lines of its content come into `came`."""
    writer.write(b"220 mail.invalid\r\n")
    content = False
    while read := await reader.readline():
        line = read.decode().rstrip("\r\n")
        if content and line != ".":
            came.append(line)
            continue
        content = not content and line.upper() == "DATA"
        writer.write(b"354 go on\r\n" if content else b"221 bye\r\n" if line.upper() == "QUIT" else b"250 fine\r\n")
        await writer.drain()
    writer.close()


@deep("two processes")
async def test_a_certificate_that_nobody_trusts_is_refused(certificate: Path) -> None:
    async with receiving(certificate) as secure:
        address = f"jsons://127.0.0.1:{secure.port}/{SECRET}"
        order = NotifierRequest(address=address, private=True, title="Assent: a test", body="x")
        assert (await notifying.notify(order)).why is Why.FAILED
        assert secure.sent == []
        order = msgspec.structs.replace(order, address=f"{address}?verify=no")
        assert (await notifying.notify(order)).status == 204
        assert len(secure.sent) == 1


@deep("a process of its own again, for the other protocol that most services speak")
async def test_a_notice_by_mail() -> None:
    came: list[str] = []
    server = await asyncio.start_server(partial(mail_server, came), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    address = f"mailto://127.0.0.1:{port}?from=assent@chat.invalid&to=ops@chat.invalid&mode=insecure"
    order = NotifierRequest(address=address, private=True, title="Assent: a request waits", body="pay of bot waits")
    async with server:
        told = await notifying.notify(order)
    assert (told.why, told.status) == (None, None)
    assert "Subject: Assent: a request waits" in came
    assert "To: ops@chat.invalid" in came
    assert "pay of bot waits" in came


@deep("it starts processes")
async def test_a_process_that_hangs_is_ended_and_one_that_babbles_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    order = NotifierRequest(address="jsons://chat.invalid/x", title="Assent: a test", body="x")
    monkeypatch.setattr(notifying, "COMMAND", (sys.executable, "-c", "print('no JSON')"))
    assert (await notifying.notify(order)).why is Why.FAILED
    monkeypatch.setattr(notifying, "COMMAND", (sys.executable, "-c", "import time; time.sleep(60)"))
    monkeypatch.setattr(notifying, "TIMEOUT", 0.5)
    started: list[asyncio.subprocess.Process] = []
    start = asyncio.create_subprocess_exec

    async def noted(*args: Any, **options: Any) -> asyncio.subprocess.Process:
        started.append(await start(*args, **options))
        return started[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", noted)
    with pytest.raises(TimeoutError):
        await notifying.notify(order)
    assert [each.returncode for each in started] == [-9]


async def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifying, "find_spec", lambda _: None)
    with pytest.raises(Refusal) as found:
        await notifying.check_address(f"slack://{SECRET}", allow_private=False)
    assert found.value.code is Code.INVALID_WEBHOOK
    assert "pip install 'assent[notices]'" in str(found.value.detail)
    assert SECRET not in str(found.value.detail)


@deep("each look takes a process of its own")
@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("file:///etc/passwd", Why.UNKNOWN),
        ("exec://rm", Why.UNKNOWN),
        ("nosuchthing://host/x", Why.UNKNOWN),
        ("jsons://", Why.UNKNOWN),
        ("dbus://", Why.UNKNOWN),
        ("syslog://", Why.LOCAL),
        ("json://chat.invalid/x", Why.PLAIN),
        ("mailto://user:pass@chat.invalid", Why.PLAIN),
        ("jsons://chat.invalid/x?verify=no", Why.UNVERIFIED),
        ("slack://TokenA12B/TokenB12C/abcdefghijklmnopqrstuvwx/#ops", None),
        ("pagerduty://IntegrationKey1@ApiKey1", None),
        ("mailtos://user:pass@chat.invalid", None),
        (
            "workflows://chat.invalid/643a8c1f1c9d4b8fa2d5c0ffee123456/abcdefgh-1234_abcdEFGHIJKLMNOPQRSTUVWXYZ012345",
            None,
        ),
    ],
)
async def test_which_addresses_are_taken(address: str, why: Why | None) -> None:
    assert (await notifying.notify(NotifierRequest(address=address))).why is why


async def test_a_notice_to_a_private_address_is_refused_at_once(tmp_path: Path) -> None:
    async with posting(tmp_path / "home", private=False) as post:
        answered = await post.world.http("POST", "/api/webhooks", {"url": f"jsons://127.0.0.1/{SECRET}"})
        assert (answered.status_code, answered.json()["code"]) == (400, "invalid_webhook")
        assert [each["place"] for each in answered.json()["errors"]] == ["url"]
        assert "leads to an address that is not public (loopback)" in answered.text
        assert SECRET not in answered.text


# What, and when


CANNOT_BE: list[tuple[dict[str, Any], str]] = [
    ({"events": ["action.created"]}, "events"),
    ({"events": ["approval_granted"]}, "events"),
    ({"quiet_from": "22:00"}, "quiet_until"),
    ({"quiet_from": "22:00", "quiet_until": "22:00", "time_zone": "UTC"}, "quiet_until"),
    ({"quiet_from": "22:00", "quiet_until": "07:00"}, "time_zone"),
    ({"time_zone": "Mars/Olympus"}, "time_zone"),
    ({"time_zone": "../../etc/passwd"}, "time_zone"),
    ({"time_zone": "Europe"}, "time_zone"),
    ({"url": "json://chat.invalid/\n"}, "url"),
]
CANNOT_BE_READ = ({"quiet_from": "7:00"}, {"quiet_from": "24:00"}, {"digest_minutes": -1}, {"digest_minutes": 1441})


async def test_notices_that_cannot_be(post: Post, sent: Sent) -> None:
    for members, place in CANNOT_BE:
        with pytest.raises(Refusal) as found:
            await made(post, **members)
        assert found.value.code is Code.INVALID_WEBHOOK, members
        assert [each.place for each in found.value.errors] == [place], members
    for unread in CANNOT_BE_READ:
        answered = await post.world.http("POST", "/api/webhooks", {"url": "jsons://chat.invalid/x"} | unread)
        assert (answered.status_code, answered.json()["code"]) == (400, "invalid_body"), unread
    assert post.webhooks.of(post.world.org_id) == []


async def test_a_webhook_has_no_quiet_hours_and_stays_a_webhook(post: Post, receiver: Receiver, sent: Sent) -> None:
    async with refused(Code.INVALID_WEBHOOK):
        await post.create(receiver.url, digest_minutes=5)
    webhook = (await post.create(receiver.url)).webhook
    notice = await made(post)
    for one, url in ((webhook, "jsons://chat.invalid/x"), (notice, receiver.url)):
        async with refused(Code.INVALID_WEBHOOK):
            await post.update(one.webhook_id, url=url)
    async with refused(Code.INVALID_WEBHOOK):
        await post.webhooks.rotate(post.world.admin, notice.webhook_id)
    async with refused(Code.INVALID_WEBHOOK):
        await post.update(notice.webhook_id, quiet_from="22:00")
    changed = await post.update(notice.webhook_id, quiet_from="22:00", quiet_until="07:00", time_zone="Asia/Kolkata")
    assert (changed.quiet_from, changed.quiet_until, changed.time_zone) == ("22:00", "07:00", "Asia/Kolkata")
    changed = await post.update(notice.webhook_id, quiet_from="", quiet_until="")
    assert (changed.quiet_from, changed.quiet_until, changed.time_zone) == ("", "", "Asia/Kolkata")


ROW: WebhookRow = msgspec.convert(
    dict.fromkeys(("description", "rotated_at", "failing_since", "disabled_at", "disabled_reason", "deleted_at"))
    | dict.fromkeys(("org_id", "webhook_id", "url", "hint", "fingerprint", "created_by"), "x")
    | dict.fromkeys(("created_at", "updated_at"), datetime(2026, 1, 1, tzinfo=UTC))
    | {"events": [], "active": True, "version": 1, "after_n": 0},
    WebhookRow,
)
NIGHT = msgspec.structs.replace(ROW, quiet_from="22:00", quiet_until="07:30", time_zone="Europe/Berlin")
NOON = msgspec.structs.replace(NIGHT, quiet_from="12:00", quiet_until="13:00")
EARLY = msgspec.structs.replace(NIGHT, quiet_from="01:00", quiet_until="02:30")


@pytest.mark.parametrize(
    ("row", "now", "end"),
    [
        (NIGHT, at("2026-01-10T21:59:59"), None),
        (NIGHT, at("2026-01-10T22:00"), at("2026-01-11T07:30")),
        (NIGHT, at("2026-01-11T00:00"), at("2026-01-11T07:30")),
        (NIGHT, at("2026-01-11T07:29:59"), at("2026-01-11T07:30")),
        (NIGHT, at("2026-01-11T07:30"), None),
        (NIGHT, at("2026-07-10T22:00"), at("2026-07-10T22:00") + 9 * HOUR + 30 * MINUTE),
        # Clocks go forward: an hour less of quiet. They go back: an hour more.
        (NIGHT, at("2026-03-28T22:00"), at("2026-03-28T22:00") + 8 * HOUR + 30 * MINUTE),
        (NIGHT, at("2026-10-24T22:00"), at("2026-10-24T22:00") + 10 * HOUR + 30 * MINUTE),
        (NOON, at("2026-01-10T12:59"), at("2026-01-10T13:00")),
        (NOON, at("2026-01-10T11:59"), None),
        (NOON, at("2026-01-10T13:00"), None),
        # 02:30 comes twice; the second time counts.
        (EARLY, at("2026-10-25T01:30"), at("2026-10-25T02:30", fold=1)),
        (EARLY, at("2026-10-25T02:15", fold=1), at("2026-10-25T02:30", fold=1)),
        # 02:30 never comes; three o'clock is after it.
        (EARLY, at("2026-03-29T03:00"), None),
        (ROW, at("2026-01-10T23:00"), None),
    ],
)
def test_quiet_hours(row: WebhookRow, now: int, end: int | None) -> None:
    assert quiet_until(row, now) == (now if end is None else end)


def test_a_digest_that_falls_into_quiet_hours_waits_for_their_end() -> None:
    row = msgspec.structs.replace(NIGHT, digest_minutes=30)
    now = at("2026-01-10T21:50")
    assert opens(row, None, now) == now
    assert opens(row, now - 10 * MINUTE, now) == at("2026-01-11T07:30")
    assert opens(row, now - 25 * MINUTE, now) == now + 5 * MINUTE


async def test_quiet_hours_hold_what_comes_and_tell_it_together(waits: Post, sent: Sent) -> None:
    waits.clock.now = at("2026-03-02T21:00")
    notice = await made(waits, quiet_from="22:00", quiet_until="07:00", time_zone="Europe/Berlin")
    await pay(waits)
    assert await waits.rounds(notice.webhook_id) == 1
    waits.clock.now = at("2026-03-02T22:00")
    for _ in range(3):
        await pay(waits)
    await waits.world.service.halts.halt(waits.world.admin, "fire")
    assert await waits.rounds(notice.webhook_id) == 0
    waits.clock.now = at("2026-03-03T06:59")
    assert await waits.rounds(notice.webhook_id) == 0
    waits.clock.now = at("2026-03-03T07:00")
    assert await waits.rounds(notice.webhook_id) == 1
    assert [order.title for order in sent.orders] == ["Assent: a request waits", "Assent: 4 notices"]
    assert [order.urgent for order in sent.orders] == [False, True]
    lines = sent.bodies[1].splitlines()
    assert [line.split(",")[0] for line in lines] == ["pay of bot waits"] * 3 + ["everything is halted."]
    assert all("2026-03-03 22:00 Europe/Berlin" in line for line in lines[:3])
    _, delivery = await waits.deliveries(notice.webhook_id)
    first, *_, last = [each.n for each in await waits.world.events() if each.type in notice.events][1:]
    assert (delivery.event, delivery.first_n, delivery.event_n) == ("digest", first, last)


async def test_a_second_attempt_waits_for_the_end_of_quiet_hours_too(waits: Post, sent: Sent) -> None:
    waits.clock.now = at("2026-03-02T21:59:55")
    notice = await made(waits, quiet_from="22:00", quiet_until="07:00", time_zone="Europe/Berlin")
    sent.answers = [NotifierReply(why=Why.FAILED, status=503)]
    await pay(waits)
    assert await waits.rounds(notice.webhook_id) == 1
    waits.clock.now = at("2026-03-02T23:00")
    assert await waits.rounds(notice.webhook_id) == 0
    waits.clock.now = at("2026-03-03T07:00")
    assert await waits.rounds(notice.webhook_id) == 1
    assert sent.bodies[0] == sent.bodies[1]


async def test_a_digest_is_one_notice_in_so_many_minutes(waits: Post, sent: Sent) -> None:
    notice = await made(waits, digest_minutes=30)
    first = waits.clock.now
    for minutes in range(0, 90, 10):
        waits.clock.now = first + minutes * (MINUTE + SECOND)
        await pay(waits)
        await waits.rounds(notice.webhook_id)
    assert [len(body.splitlines()) for body in sent.bodies] == [1, 3, 3]


@deep("two services; the rule itself is in the quick tier")
async def test_a_digest_begins_from_the_last_notice_after_a_restart(tmp_path: Path, sent: Sent) -> None:
    clock = Hands()
    async with posting(tmp_path / "home", clock) as post:
        await post.world.policy("require_approval", {"action_types": ["pay"]})
        notice = await made(post, digest_minutes=30)
        await pay(post)
        assert await post.rounds(notice.webhook_id) == 1
        await pay(post)
        clock.turn(10 * MINUTE)
    async with posting(tmp_path / "home", clock) as post:
        assert await post.rounds(notice.webhook_id) == 0
        clock.turn(21 * MINUTE)
        assert await post.rounds(notice.webhook_id) == 1
    assert len(sent.orders) == 2


async def test_what_was_sent_and_not_recorded_is_sent_again_under_the_same_id(tmp_path: Path, sent: Sent) -> None:
    clock = Hands()
    async with posting(tmp_path / "home", clock) as post:
        await post.world.policy("require_approval", {"action_types": ["pay"]})
        notice = await made(post)
        await pay(post)
        files = post.world.break_disk()
        files.errors["write"] = 28
        with pytest.raises(Refusal):
            await post.round(notice.webhook_id)
        assert len(sent.orders) == 1
    async with posting(tmp_path / "home", clock) as post:
        await pay(post)
        assert await post.rounds(notice.webhook_id) == 1
        (delivery,) = await post.deliveries(notice.webhook_id)
        first, _ = [each.n for each in await post.world.events(kind="approval.requested")]
    assert delivery.first_n == first
    assert sent.bodies[1].splitlines()[0] == sent.bodies[0]
    assert len(sent.bodies[1].splitlines()) == 2


@deep("quiet hours tell several together in the quick tier")
async def test_many_are_counted_and_what_waits_no_more_says_so(waits: Post, sent: Sent) -> None:
    notice = await made(waits)
    actions = [await pay(waits) for _ in range(12)]
    await waits.world.decide(actions[0], "deny", why="no")
    assert await waits.rounds(notice.webhook_id) == 1
    (order,) = sent.orders
    assert order.title == "Assent: 12 notices"
    lines = order.body.splitlines()
    assert lines[0] == "A request that does not wait any more."
    assert len(lines) == 11
    assert lines[-1] == "And 2 more: look into the inbox."


async def test_a_test_is_sent_now_also_in_quiet_hours(post: Post, sent: Sent) -> None:
    post.clock.now = at("2026-03-02T23:00")
    notice = await made(post, quiet_from="22:00", quiet_until="07:00", time_zone="Europe/Berlin")
    tested = await post.webhooks.test(post.world.admin, notice.webhook_id)
    assert (tested.success, tested.delivery.event) == (True, "webhook.test")
    assert sent.orders[0].body.startswith("A test that an admin asked for; nothing has happened.")
    assert sent.orders[0].address == f"jsons://chat.invalid/{SECRET}"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("deploy.prod", "deploy prod"),
        ("<!channel> [x](http://evil.invalid)", "channel x http evil invalid"),
        ("@here\n*bold*", "here bold"),
        ("a" * 100, "a" * 64),
        ("übung_1-b", "übung_1-b"),
        ("\u202e<>", "without a name"),
        (None, "without a name"),
    ],
)
def test_names_lose_what_a_chat_makes_something_of(name: str | None, shown: str) -> None:
    assert plain(name) == shown


# The address is a secret


async def test_the_address_stands_nowhere_in_the_clear(tmp_path: Path, sent: Sent) -> None:
    home = tmp_path / "home"
    async with posting(home) as post:
        notice = await made(post)
        shown = await post.world.http("GET", "/api/webhooks")
        patched = await post.world.http("PATCH", f"/api/webhooks/{notice.webhook_id}", {"description": "ops"})
        assert SECRET not in shown.text + patched.text
        assert shown.json()["webhooks"][0]["url"] == "jsons://..."
        moved = f"jsons://other.invalid/{SECRET}2"
        await post.update(notice.webhook_id, url=moved)
        events = await post.world.events(kind="webhook.")
        assert not [each for each in events if SECRET.encode() in (each.data or b"")]
        await post.webhooks.test(post.world.admin, notice.webhook_id)
    assert [order.address for order in sent.orders] == [moved]
    assert not [file for file in home.rglob("*") if file.is_file() and SECRET.encode() in file.read_bytes()]


@deep("two services")
async def test_an_address_whose_key_is_lost_says_so(tmp_path: Path, sent: Sent) -> None:
    home = tmp_path / "home"
    async with posting(home) as post:
        notice = await made(post)
    (home / "webhooks.key").write_text("0" * 64)
    async with posting(home) as post:
        tested = await post.webhooks.test(post.world.admin, notice.webhook_id)
    assert not tested.success
    assert "its address is lost" in (tested.delivery.error or "")
    assert sent.orders == []


# Near the expiry


async def test_what_is_near_its_expiry_is_told_once(tmp_path: Path, sent: Sent) -> None:
    clock = Hands()
    async with posting(tmp_path / "home", clock) as post:
        await post.world.policy("require_approval", {"action_types": ["pay"]})
        notice = await made(post, events=["approval.expiring"])
        await pay(post)
        clock.turn(23 * HOUR + 29 * MINUTE)
        assert await post.world.service.approvals.warn() == 0
        clock.turn(2 * MINUTE)
        assert await post.world.service.approvals.warn() == 1
        assert await post.world.service.approvals.warn() == 0
    async with posting(tmp_path / "home", clock) as post:
        assert await post.world.service.approvals.warn() == 0
        assert await post.rounds(notice.webhook_id) == 1
        (event,) = await post.world.events(kind="approval.expiring")
        assert event.action is None
        assert set(msgspec.json.decode(event.data or b"")) == {
            *("org_id", "approval_id", "action_id", "expires_at", "created_at")
        }
    (order,) = sent.orders
    assert order.title == "Assent: a request expires soon"
    assert order.body.startswith("pay of bot expires soon, risk ")


async def test_what_was_escalated_is_told_with_whoever_is_on_shift(waits: Post, sent: Sent) -> None:
    rules = {"action_types": ["pay"], "escalate_after_minutes": 10, "escalate_to": "Leads <@here>"}
    await waits.world.policy("require_approval", rules)
    notice = await made(waits, events=["approval.escalated"])
    action = await pay(waits)
    waits.clock.turn(11 * MINUTE)
    assert await waits.world.service.escalations.escalate() == 1
    assert await waits.rounds(notice.webhook_id) == 1
    (order,) = sent.orders
    assert order.title == "Assent: a request was escalated"
    said = "pay of bot was escalated to Leads here (not on shift: nobody with a valid key), risk "
    assert order.body.startswith(said)
    opened = await waits.webhooks.open(waits.world.operator("ana"), order.body.rpartition("/")[2])
    assert (opened.action_id, opened.event) == (action.action_id, "approval.escalated")


@deep("three services; what is told is in the quick tier")
async def test_what_was_given_little_time_or_was_decided_is_told_of_by_nobody(tmp_path: Path) -> None:
    async with opened(tmp_path / "short", approval_hours=0.9) as world:
        await world.policy("require_approval", {"action_types": ["pay"]})
        await world.act(action_type="pay")
        world.clock.turn(30 * MINUTE)
        assert await world.service.approvals.warn() == 0
    async with opened(tmp_path / "long") as world:
        await world.policy("require_approval", {"action_types": ["pay"]})
        await world.decide(await world.act(action_type="pay"), "allow")
        await world.act(action_type="pay")
        world.clock.turn(DAY - 10 * MINUTE)
        assert await world.service.approvals.warn() == 1
    async with opened(tmp_path / "never", approval_warning_minutes=0) as world:
        await world.policy("require_approval", {"action_types": ["pay"]})
        await world.act(action_type="pay")
        world.clock.turn(DAY - MINUTE)
        assert await world.service.approvals.warn() == 0


# Links


class Linked:
    """A request, and the link that its notice had."""

    def __init__(self, post: Post, action: Action, link: str) -> None:
        self.post, self.action, self.link = post, action, link
        self.operator = post.world.operator("ana")

    async def open(self, link: str | None = None, by: Any = None) -> Any:
        return await self.post.webhooks.open(by or self.operator, self.link if link is None else link)


@pytest.fixture
async def linked(waits: Post, sent: Sent) -> Linked:
    notice = await made(waits)
    action = await pay(waits)
    await waits.rounds(notice.webhook_id)
    return Linked(waits, action, sent.bodies[0].rpartition("/")[2])


async def test_a_link_leads_to_its_request_once(linked: Linked) -> None:
    opened = await linked.open()
    assert (opened.action_id, opened.event) == (linked.action.action_id, "approval.requested")
    # The answer may have been lost.
    assert await linked.open() == opened
    with pytest.raises(Refusal) as found:
        await linked.open(by=linked.post.world.operator("ben"))
    assert found.value.code is Code.NOTICE_USED
    assert f"{opened.opened_at:%Y-%m-%d %H:%M:%S} UTC, with the key key_ana" in str(found.value.detail)
    linked.post.clock.turn(MINUTE)
    async with refused(Code.NOTICE_USED):
        await linked.open()
    (event,) = await linked.post.world.events(kind="notice.")
    assert (event.actor, event.action) == ("key_ana", None)


@deep("the same refusal one after the other is in the quick tier")
async def test_two_operators_at_once(linked: Linked) -> None:
    both = [linked.open(by=linked.post.world.operator(name)) for name in ("ana", "ben")]
    answers = await asyncio.gather(*both, return_exceptions=True)
    refusals = [each for each in answers if isinstance(each, Refusal)]
    assert [each.code for each in refusals] == [Code.NOTICE_USED]
    assert len(await linked.post.world.events(kind="notice.")) == 1


async def test_a_link_expires_after_a_day(linked: Linked) -> None:
    linked.post.clock.turn(DAY)
    async with refused(Code.NOTICE_EXPIRED):
        await linked.open()
    assert await linked.post.world.events(kind="notice.") == []


async def test_a_link_that_was_not_signed(linked: Linked) -> None:
    link = linked.link
    changed = {
        link[:-1] + ("A" if link[-1] != "A" else "B"),
        link.replace(".", ".1", 1),
        "wh_" + "0" * 32 + link[35:],
        link.rpartition(".")[0],
        "",
        "....",
        link + "é",
    }
    for each in changed - {link}:
        async with refused(Code.NOTICE_NOT_FOUND):
            await linked.open(each)
    stranger = await linked.post.world.stranger()
    async with refused(Code.NOTICE_NOT_FOUND):
        await linked.open(by=stranger)
    # Nobody has used it up.
    assert (await linked.open()).action_id == linked.action.action_id


@deep("the link of a request is in the quick tier")
async def test_a_link_of_what_is_near_its_expiry(waits: Post, sent: Sent) -> None:
    notice = await made(waits, events=["approval.expiring"])
    action = await pay(waits)
    waits.clock.turn(DAY - 10 * MINUTE)
    await waits.world.service.approvals.warn()
    await waits.rounds(notice.webhook_id)
    opened = await waits.webhooks.open(waits.world.operator("ana"), sent.bodies[0].rpartition("/")[2])
    assert (opened.action_id, opened.event) == (action.action_id, "approval.expiring")


@deep("the table of authorization has it in the quick tier")
async def test_only_who_may_decide_follows_a_link(linked: Linked) -> None:
    for role in (Role.AGENT, Role.AUDITOR):
        answered = await linked.post.world.http("POST", "/api/notices/open", {"link": linked.link}, role)
        assert (answered.status_code, answered.json()["code"]) == (403, "forbidden")
    answered = await linked.post.world.http("POST", "/api/notices/open", {"link": linked.link}, Role.OPERATOR)
    assert (answered.status_code, answered.json()["action_id"]) == (200, linked.action.action_id)
