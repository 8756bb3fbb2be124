"""wait_for_pairing in each of its endings, and what a client with a private key sends."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from assent import ConnectionFailed, NotFound
from assent.errors import PairingError, PairingExpiredError, PairingTimeoutError
from assent.proof.private_key import load_private_key, new_private_key, private_pem
from assent.proof.signing import verifies
from tests.sdk.client import samples
from tests.sdk.client.doubles import (
    BASE,
    Script,
    Stage,
    Way,
    again,
    answering,
    connected,
    frame,
    problematic,
    streaming,
)
from tests.sdk.client.exchanges.identity import STATUS

PATH = "/api/pairings/pair_1"
NO_STREAM = httpx.Response(404, text="no such thing")


class Service:
    """Tells the statuses one by one, the last again and again; plays one stream, if there is one."""

    def __init__(self, *statuses: str | Exception | httpx.Response, stream: Script | None = None) -> None:
        self.statuses, self.stream = list(statuses), stream

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/api/stream":
            assert "pairing.updated" in request.url.params["types"].split(",")
            stream, self.stream = self.stream, None
            return again(NO_STREAM) if stream is None else streaming(stream)
        assert request.url.path == PATH
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        if isinstance(status, Exception):
            raise status
        if isinstance(status, httpx.Response):
            return again(status)
        return httpx.Response(200, json={"pairing": {**STATUS, "status": status}})

    def becomes(self, status: str) -> Any:
        return lambda: self.statuses.__setitem__(slice(None), [status])


def updated(pairing_id: str = "pair_1", status: str = "approved") -> bytes:
    return frame("pairing.updated", {"pairing_id": pairing_id, "status": status}, 9)


async def test_it_is_approved_already(way: Way) -> None:
    stage = Stage(way, Service("approved"))
    pairing = await stage("wait_for_pairing", "pair_1")
    assert (pairing.pairing_id, pairing["status"]) == ("pair_1", "approved")
    assert stage.time.slept == []


async def test_an_approval_unblocks_over_the_stream(way: Way) -> None:
    service = Service("pending")
    service.stream = Script(connected(), updated("pair_2"), b": beat\n\n", service.becomes("approved"), updated())
    stage = Stage(way, service)
    assert (await stage("wait_for_pairing", "pair_1")).status == "approved"
    assert stage.time.slept == []
    # At opening, at connected and at its own change: another pairing's is none of its business.
    assert stage.paths == ["/api/stream", PATH, PATH, PATH]


async def test_without_a_stream_it_looks_now_and_then(way: Way) -> None:
    stage = Stage(way, Service("pending", "pending", httpx.ConnectError("gone"), "approved"))
    assert (await stage("wait_for_pairing", "pair_1", interval=3.0)).status == "approved"
    assert stage.time.slept.count(3.0) >= 2


async def test_an_expired_one_says_so(way: Way) -> None:
    stage = Stage(way, Service("pending", "expired"))
    with pytest.raises(PairingExpiredError, match=r"pair_1 of agent-7 expired.*Create a new one") as expired:
        await stage("wait_for_pairing", "pair_1")
    assert (expired.value.pairing_id, expired.value.pairing.status) == ("pair_1", "expired")


async def test_patience_has_an_end(way: Way) -> None:
    stage = Stage(way, Service("pending"))
    with pytest.raises(PairingTimeoutError, match="within 10 s") as late:
        await stage("wait_for_pairing", "pair_1", timeout=10.0, interval=4.0)
    assert isinstance(late.value, TimeoutError)
    assert isinstance(late.value, PairingError)
    assert sum(stage.time.slept) == 10.0


async def test_what_was_never_there(way: Way) -> None:
    stage = Stage(way, Service(problematic(samples.problem("pairing_not_found", 404))))
    with pytest.raises(NotFound):
        await stage("wait_for_pairing", "pair_1")
    nobody = Stage(way, Service(httpx.ConnectError("refused")), retries=0)
    with pytest.raises(ConnectionFailed):
        await nobody("wait_for_pairing", "pair_1")


@pytest.mark.parametrize(
    ("operation", "args", "kwargs", "message"),
    [
        ("wait_for_pairing", ("pair_1",), {"timeout": -1.0}, "timeout is -1"),
        ("wait_for_pairing", ("pair_1",), {"interval": 0.0}, "interval 0"),
        ("create_pairing", ("pem", "RS256"), {}, "algorithm is 'RS256'; give one of RSASSA-PKCS1-v1_5, Ed25519"),
        ("register_identity", ("bot", "pem", "x"), {}, "algorithm is 'x'"),
        ("revoke_identity", ("..",), {}, "which is no id"),
    ],
)
async def test_what_cannot_be_sent(
    way: Way, operation: str, args: tuple[Any, ...], kwargs: dict[str, Any], message: str
) -> None:
    stage = Stage(way, answering({}))
    with pytest.raises(ValueError, match=message):
        await stage(operation, *args, **kwargs)
    assert stage.requests == []


# Signing


@pytest.mark.parametrize("algorithm", ["Ed25519", "RSASSA-PKCS1-v1_5"])
async def test_a_client_with_a_private_key_signs_what_it_creates(way: Way, tmp_path: Path, algorithm: str) -> None:
    file = tmp_path / "agent.pem"
    file.write_bytes(private_pem(new_private_key(algorithm)))
    stage = Stage(way, answering(samples.created(), 201), private_key=file)
    for _ in range(2):
        await stage(
            "create_action",
            "deploy",
            "Grüße",
            risk_score=1.0,
            metadata={"b": 1e16, "a": [None, 0.1]},
            systems_touched=("db",),
            context={"ticket": 7},
        )
    key = load_private_key(file).public_key()
    first, second = stage.requests
    for request in (first, second):
        signature = json.loads(request.content)["_signature"]
        assert verifies(key, b64decode(signature), request.content)
        assert "idempotency-key" not in request.headers
    # The same thing done twice is not taken for a replay: what makes each repeatable is signed with it.
    assert [json.loads(each.content)["idempotency_key"] for each in (first, second)] == ["key-1", "key-2"]
    assert "PRIVATE" not in repr(stage.client)


async def test_what_was_signed_elsewhere_is_sent_as_it_is(way: Way) -> None:
    stage = Stage(way, answering(samples.created(), 201), private_key=new_private_key())
    await stage("create_action", "deploy", signature="bWluZQ==", idempotency_key="mine")
    sent = json.loads(stage.requests[0].content)
    assert (sent["_signature"], sent["idempotency_key"]) == ("bWluZQ==", "mine")


async def test_only_creations_are_signed(way: Way) -> None:
    stage = Stage(way, answering(samples.decision()), private_key=new_private_key())
    await stage("guard", {"action_type": "deploy"})
    assert b"_signature" not in stage.requests[0].content


async def test_a_number_that_nobody_could_verify_is_not_signed(way: Way) -> None:
    stage = Stage(way, answering(samples.created(), 201), private_key=new_private_key())
    with pytest.raises(ValueError, match=r"\$\.metadata\.n: an integer of 61 bits"):
        await stage("create_action", "deploy", metadata={"n": 2**60})
    assert stage.requests == []


async def test_a_lost_answer_is_asked_for_again_with_the_same_signature(way: Way) -> None:
    answers: Iterator[Exception | httpx.Response] = iter(
        [httpx.ReadError("lost"), httpx.Response(201, json=samples.created())]
    )

    def handler(_: httpx.Request) -> httpx.Response:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    stage = Stage(way, handler, private_key=new_private_key())
    await stage("create_action", "deploy")
    first, second = stage.requests
    assert first.content == second.content
    assert str(first.url) == f"{BASE}/api/actions"
