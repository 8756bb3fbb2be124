"""What a webhook is sent, what its answer comes to, and every way of not answering."""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import hmac
import json
import socket

import pytest

from assent.contract.control.guard import Decision
from assent_service.control.guard.webhook import WebhookAnswer, WebhookSettings
from assent_service.core.outside import sign
from tests.service.control.guard.hook import ALLOW, Listen, Request, ask_all, ask_one, check, failure, reply

# Worked out by hand: 2026-11-20 is day 20777 since 1970 (56 years, 14 leap days, 323 days into 2026).
SENT_AT = 20777 * 86400 + 15 * 3600 + 30 * 60 + 5
SECRET = b"\x00not a secret you should see\xff"


async def test_the_webhook_gets_the_snapshot_and_its_answer_comes_back(
    listen: Listen, trusting: WebhookSettings
) -> None:
    hook = await listen(
        reply({"decision": "require_approval", "reasons": ["freeze week"], "warnings": ["ask Ana"], "more": 1})
    )
    answer = await ask_one(check(hook.port, path="/guard?team=ops"), trusting)
    assert answer == WebhookAnswer(
        policy_id="pol_w",
        policy_name="Ask ops",
        decision=Decision.REQUIRE_APPROVAL,
        reasons=("Ask ops: freeze week",),
        warnings=("Ask ops: ask Ana",),
    )
    (request,) = hook.requests
    assert (request.method, request.target) == ("POST", "/guard?team=ops")
    assert request.headers["content-type"] == "application/json"
    assert request.headers["host"] == f"127.0.0.1:{hook.port}"
    assert request.headers["webhook-id"] == "msg_1"
    assert request.headers["webhook-timestamp"] == str(SENT_AT)
    assert "webhook-signature" not in request.headers
    assert json.loads(request.body) == {
        "event": "guard.evaluation",
        "org_id": "org_1",
        "timestamp": "2026-11-20T15:30:05.250000Z",
        "context": {
            "action_type": "deploy",
            "risk_score": 85,
            "agent_id": "agent-7",
            "systems_touched": ["production"],
            "reversible": False,
            "declared_goal": "ship é",
        },
        "preliminary_decision": "warn",
        "matched_policies": ["pol_a"],
        "reasons": [],
        "warnings": ["Night shift: be careful"],
    }


def test_the_signature_is_that_of_the_published_example() -> None:
    key = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    signature = sign(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


async def test_a_secret_signs_what_was_sent_and_shows_nowhere(listen: Listen, trusting: WebhookSettings) -> None:
    hook = await listen(reply(b"", "500 Internal Server Error"))
    settings = WebhookSettings(secret=SECRET, allow_private=True, verify=trusting.verify)
    answer = await ask_one(check(hook.port), settings)
    (request,) = hook.requests
    version, _, signature = request.headers["webhook-signature"].partition(",")
    signed = b"msg_1." + str(SENT_AT).encode() + b"." + request.body
    assert version == "v1"
    assert base64.b64decode(signature) == hmac.new(SECRET, signed, hashlib.sha256).digest()
    assert "not a secret" not in repr(answer) + repr(settings)


@pytest.mark.parametrize(
    ("said", "reasons", "warnings"),
    [
        ({"decision": "allow"}, (), ()),
        ({"decision": "warn"}, (), ("Ask ops: its webhook answered warn",)),
        ({"decision": "block"}, ("Ask ops: its webhook answered block",), ()),
        ({"decision": "block", "warnings": ["w"]}, (), ("Ask ops: w",)),
    ],
)
async def test_an_answer_stronger_than_allow_has_a_text(
    listen: Listen,
    trusting: WebhookSettings,
    said: dict[str, object],
    reasons: tuple[str, ...],
    warnings: tuple[str, ...],
) -> None:
    hook = await listen(reply(said))
    answer = await ask_one(check(hook.port, on_timeout="allow"), trusting)
    assert (answer.decision, answer.reasons, answer.warnings) == (said["decision"], reasons, warnings)


async def test_all_are_asked_at_once_with_the_same_bytes_and_answered_in_order(
    listen: Listen, trusting: WebhookSettings
) -> None:
    together = asyncio.Barrier(3)

    async def respond(request: Request, writer: asyncio.StreamWriter) -> None:
        await together.wait()  # one after the other would wait here until the deadline
        await reply({"decision": "warn", "warnings": [request.target]})(request, writer)

    hook = await listen(respond)
    checks = [check(hook.port, path=f"/{n}", name=f"P{n}", timeout_ms=10_000) for n in range(3)]
    answers = await ask_all(checks, trusting)
    assert [answer.warnings for answer in answers] == [("P0: /0",), ("P1: /1",), ("P2: /2",)]
    assert len({request.body for request in hook.requests}) == 1
    assert {request.headers["webhook-id"] for request in hook.requests} == {"msg_1", "msg_2", "msg_3"}


async def test_no_checks_give_no_answers(trusting: WebhookSettings) -> None:
    assert await ask_all([], trusting) == []


async def test_one_failure_leaves_the_others_alone(listen: Listen, trusting: WebhookSettings) -> None:
    good, bad = await listen(reply(ALLOW)), await listen(reply(b"?"))
    answers = await ask_all([check(bad.port), check(good.port)], trusting)
    assert [answer.decision for answer in answers] == ["block", "allow"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"leak-me",
        b'{"decision":"allow"',
        b'["allow"]',
        b'{"reasons":["leak-me"]}',
        b'{"decision":"allow","reasons":"leak-me"}',
        b'{"decision":null}',
        b'{"decision":"\xff"}',
        b'{"decision":"allow","x":' + b"[" * 30_000,
    ],
)
async def test_bad_json(listen: Listen, trusting: WebhookSettings, body: bytes) -> None:
    hook = await listen(reply(body))
    reason = await failure(check(hook.port), trusting)
    assert "not JSON of the form {decision, reasons, warnings}" in reason
    assert "leak-me" not in reason


@pytest.mark.parametrize("decision", ["deny", "ALLOW", "", "leak-me"])
async def test_an_unknown_decision(listen: Listen, trusting: WebhookSettings, decision: str) -> None:
    hook = await listen(reply({"decision": decision}))
    reason = await failure(check(hook.port), trusting)
    assert "its decision is none of allow, warn, require_approval, block" in reason
    assert "leak-me" not in reason


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(listen: Listen, trusting: WebhookSettings, status: int) -> None:
    target = await listen(reply(ALLOW))
    hook = await listen(reply(b"", f"{status} Moved", f"location: https://127.0.0.1:{target.port}/"))
    assert f"redirect ({status}), which is not followed" in await failure(check(hook.port), trusting)
    assert target.requests == []


@pytest.mark.parametrize("status", ["400 Bad Request", "404 Not Found", "500 Oops", "503 Busy"])
async def test_a_status_that_is_not_2xx(listen: Listen, trusting: WebhookSettings, status: str) -> None:
    hook = await listen(reply(ALLOW, status))
    assert f"it answered with status {status[:3]};" in await failure(check(hook.port), trusting)
    assert len(hook.requests) == 2  # one for each call: nothing is tried twice


async def test_silence_ends_at_the_deadline(listen: Listen, trusting: WebhookSettings) -> None:
    async def respond(_request: Request, _writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(60)

    hook = await listen(respond)
    assert "no answer within 100 ms" in await failure(check(hook.port, timeout_ms=100), trusting)


async def test_an_answer_that_drips_ends_at_the_deadline(listen: Listen, trusting: WebhookSettings) -> None:
    async def respond(_request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 50000\r\n\r\n")
        while True:  # every read succeeds, so only a deadline over the whole can end it
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.01)

    hook = await listen(respond)
    assert "no answer within 200 ms" in await failure(check(hook.port, timeout_ms=200), trusting)


async def test_a_closed_port(trusting: WebhookSettings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert "connecting failed" in await failure(check(port), trusting)


async def test_a_connection_that_breaks_off(listen: Listen, trusting: WebhookSettings) -> None:
    async def respond(_request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{")
        await writer.drain()
        writer.close()

    hook = await listen(respond)
    assert "the connection broke off" in await failure(check(hook.port), trusting)


async def test_what_is_not_http_is_not_quoted(listen: Listen, trusting: WebhookSettings) -> None:
    async def respond(_request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(b"leak-me leak-me\r\n\r\n")

    hook = await listen(respond)
    reason = await failure(check(hook.port), trusting)
    assert "the connection broke off (RemoteProtocolError)" in reason
    assert "leak-me" not in reason


@pytest.mark.parametrize(("size", "accepted"), [(64 * 1024, True), (64 * 1024 + 1, False)])
async def test_an_answer_is_read_up_to_64_kb(
    listen: Listen, trusting: WebhookSettings, size: int, accepted: bool
) -> None:
    hook = await listen(reply(b'{"decision":"allow"}'.ljust(size)))
    if accepted:
        assert (await ask_one(check(hook.port), trusting)).decision == "allow"
    else:
        assert "its answer is longer than 65536 bytes" in await failure(check(hook.port), trusting)


async def test_compression_is_not_asked_for_and_not_undone(listen: Listen, trusting: WebhookSettings) -> None:
    packed = gzip.compress(json.dumps(ALLOW).encode())
    hook = await listen(reply(packed, "200 OK", "content-encoding: gzip"))
    assert "not JSON" in await failure(check(hook.port), trusting)
    assert {request.headers["accept-encoding"] for request in hook.requests} == {"identity"}
