"""One delivery over real sockets: where it may lead, what counts as delivered, what the receiver cannot do to us."""

from __future__ import annotations

import asyncio
import logging
import ssl
from pathlib import Path

import pytest

from assent_service.exchange.webhooks import sender
from tests.service.control.guard.conftest import certificate
from tests.service.exchange.webhooks.receiver import Post, Receiver, answer, posting, receiving, use_resolver
from tests.tiers import deep

__all__ = ["certificate"]


async def tried(post: Post, url: str) -> tuple[bool, int | None, str | None]:
    """What a test delivery to a new webhook with this address came to."""
    made = await post.create(url)
    return await again(post, made.webhook.webhook_id)


async def again(post: Post, webhook_id: str) -> tuple[bool, int | None, str | None]:
    tested = await post.webhooks.test(post.world.admin, webhook_id)
    assert tested.success == (tested.delivery.status == "delivered")
    return tested.success, tested.delivery.response_status, tested.delivery.error


@pytest.mark.parametrize(
    "status",
    [
        "200 OK",
        "204 No Content",
        *(pytest.param(each, marks=deep("a further success")) for each in ("201 Created", "202 Accepted")),
    ],
)
async def test_every_2xx_is_delivered(post: Post, receiver: Receiver, status: str) -> None:
    receiver.respond = answer(status)
    assert await tried(post, receiver.url) == (True, int(status[:3]), None)


async def test_the_log_is_not_told_where_a_delivery_went(
    post: Post, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    assert await tried(post, f"{receiver.url}/T00SECRET?token=also") == (True, 204, None)
    assert receiver.sent[0].target == "/hook/T00SECRET?token=also"
    assert "SECRET" not in caplog.text
    assert "also" not in caplog.text


async def test_what_nobody_foresaw_is_a_failed_attempt(
    post: Post, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_: object) -> None:
        raise RuntimeError("whsec_secret")

    monkeypatch.setattr(sender, "asked_wait", breaks)
    receiver.respond = answer("503 Busy")
    assert await tried(post, receiver.url) == (False, None, "the attempt failed (RuntimeError)")


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"])
async def test_redirects_are_not_followed(post: Post, receiver: Receiver, status: str) -> None:
    async with receiving() as elsewhere:
        receiver.respond = answer(status, b"", f"location: {elsewhere.url}")
        wrong = "it answered with a redirect, which is not followed"
        assert await tried(post, receiver.url) == (False, int(status[:3]), wrong)
        assert (len(receiver.sent), elsewhere.sent) == (1, [])


async def test_what_a_failing_receiver_says_is_kept_in_part(post: Post, receiver: Receiver) -> None:
    receiver.respond = answer("400 Bad Request", b"no\x00 <such>\r\n" + b"\xff" * 10 + b"x" * 5000)
    made = await post.create(receiver.url)
    tested = await post.webhooks.test(post.world.admin, made.webhook.webhook_id)
    excerpt = tested.delivery.response_excerpt
    assert excerpt is not None
    assert excerpt.startswith("no  <such>  " + "\ufffd" * 10 + "xxx")
    assert len(excerpt) == 500


async def test_an_answer_without_end_is_not_read_to_its_end(tmp_path: Path, receiver: Receiver) -> None:
    written = 0

    async def endless(writer: asyncio.StreamWriter) -> None:
        nonlocal written
        writer.write(b"HTTP/1.1 500 No\r\n\r\n")
        while True:
            writer.write(b"x" * 65536)
            await writer.drain()
            written += 65536

    receiver.respond = endless
    async with posting(tmp_path / "home", timeout=5) as post:
        assert await tried(post, receiver.url) == (False, 500, "it answered with status 500")
    assert written < 100_000_000


async def test_a_delivered_one_is_not_kept_waiting_for_its_body(tmp_path: Path, receiver: Receiver) -> None:
    async def dripping(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
        await writer.drain()
        await asyncio.sleep(60)

    receiver.respond = dripping
    async with posting(tmp_path / "home", timeout=50) as post:
        async with asyncio.timeout(40):
            assert await tried(post, receiver.url) == (True, 200, None)


async def test_a_slow_receiver_is_given_up(tmp_path: Path, receiver: Receiver) -> None:
    async def silent(_: asyncio.StreamWriter) -> None:
        await asyncio.sleep(60)

    receiver.respond = silent
    async with posting(tmp_path / "home", timeout=0.2) as post:
        assert await tried(post, receiver.url) == (False, None, "no answer within 0.2 s")


async def test_a_receiver_that_drips_its_excuse_still_has_its_status_told(tmp_path: Path, receiver: Receiver) -> None:
    async def dripping(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 503 Busy\r\ncontent-length: 1000\r\n\r\nlater")
        await writer.drain()
        await asyncio.sleep(60)

    receiver.respond = dripping
    async with posting(tmp_path / "home", timeout=1.0) as post:
        made = await post.create(receiver.url)
        tested = await post.webhooks.test(post.world.admin, made.webhook.webhook_id)
        assert (tested.delivery.response_status, tested.delivery.response_excerpt) == (503, "later")


async def test_nobody_there_and_what_is_no_http(post: Post, receiver: Receiver) -> None:
    async with receiving() as gone:
        url = gone.url
    success, status, error = await tried(post, url)
    assert (success, status) == (False, None)
    assert error is not None
    assert error.startswith("connecting failed")

    async def babble(writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-secret-banner\r\n")

    receiver.respond = babble
    success, status, error = await tried(post, receiver.url)
    assert (success, status, error) == (False, None, "the connection broke off (RemoteProtocolError)")


async def test_over_tls_the_certificate_must_be_the_hosts(
    tmp_path: Path, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trust = ssl.create_default_context(cafile=certificate)
    names = ("a.hooks.test", "elsewhere.test")
    async with receiving(certificate) as secure, posting(tmp_path / "home", verify=trust) as post:
        use_resolver(monkeypatch, {name: [["127.0.0.1"]] for name in names})
        assert await tried(post, f"https://a.hooks.test:{secure.port}/x?y=1") == (True, 204, None)
        assert secure.sent[0].target == "/x?y=1"
        assert secure.sent[0].headers["host"] == f"a.hooks.test:{secure.port}"
        success, _, error = await tried(post, f"https://elsewhere.test:{secure.port}/")
        assert not success
        assert error is not None
        assert "CERTIFICATE_VERIFY_FAILED" in error
        assert len(secure.sent) == 1


async def test_a_name_that_changes_its_mind_is_refused_at_the_delivery(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with receiving() as receiver, posting(tmp_path / "home", private=False) as post:
        url = f"https://a.hooks.test:{receiver.port}/"
        use_resolver(monkeypatch, {"a.hooks.test": [["1.1.1.1"], ["127.0.0.1"]]})
        success, status, error = await tried(post, url)
        assert (success, status) == (False, None)
        assert error == "its host a.hooks.test is at an address that is not public (loopback)"
        assert receiver.sent == []


async def test_public_first_then_private_between_two_deliveries(
    tmp_path: Path, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The address that is called "public" here is loopback as far as the check is told, so that it can be reached."""
    trust = ssl.create_default_context(cafile=certificate)
    answers = [["127.0.0.1"], ["127.0.0.1"], ["169.254.169.254"]]
    use_resolver(monkeypatch, {"a.hooks.test": answers})
    monkeypatch.setattr("assent_service.core.addresses.refusal", lambda each: None if each == "127.0.0.1" else "bad")
    async with receiving(certificate) as secure, posting(tmp_path / "home", private=False, verify=trust) as post:
        use_resolver(monkeypatch, {"a.hooks.test": answers})
        made = await post.create(f"https://a.hooks.test:{secure.port}/")
        assert await again(post, made.webhook.webhook_id) == (True, 204, None)
        refused = "its host a.hooks.test is at an address that is not public (bad)"
        assert await again(post, made.webhook.webhook_id) == (False, None, refused)
        assert len(secure.sent) == 1


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "169.254.169.254", "10.0.0.1", "192.168.1.1", "::1", "::ffff:127.0.0.1", "fd00::1", "0.0.0.0"],
)
async def test_a_name_that_was_unknown_and_then_leads_inside_is_never_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    async with posting(tmp_path / "home", private=False) as post:
        use_resolver(monkeypatch, {"later.test": [[], [address]]})
        success, status, error = await tried(post, "https://later.test/")
        assert (success, status) == (False, None)
        assert error is not None
        assert "at an address that is not public" in error
        assert address not in error


async def test_http_is_for_private_addresses_in_tests_only(tmp_path: Path, receiver: Receiver) -> None:
    async with posting(tmp_path / "home") as post:
        webhook_id = (await post.create(receiver.url)).webhook.webhook_id
    async with posting(tmp_path / "home", private=False) as post:
        refused = "its url must start with https, not http"
        assert await again(post, webhook_id) == (False, None, refused)
    assert receiver.sent == []
