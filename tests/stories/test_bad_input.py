"""Bodies that are wrong in every way we could think of: each is refused, by name, and nothing is recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from msgspec import inspect

from tests.every import every
from tests.live import LiveService
from tests.stories.bodies import ENDPOINT, RIGHT, WRONG, Member, Target, members
from tests.stories.problems import refused
from tests.stories.tenant import Reply, Tenant
from tests.tiers import deep

MEMBERS = list(members())
NUMBERS = [member for member in MEMBERS if isinstance(member.kind, inspect.IntType | inspect.FloatType)]
TEXTS = [member for member in MEMBERS if isinstance(member.kind, inspect.StrType) and member.kind.max_length]


@pytest.fixture(scope="module")
def target(service: LiveService, http: httpx.Client) -> Target:
    return Target(Tenant(service, http))


@pytest.fixture(autouse=True)
def nothing_recorded(target: Target) -> Iterator[None]:
    before = target.tenant.recorded()
    yield
    assert target.tenant.recorded() == before


def send(target: Target, operation: str, body: Any, **headers: str) -> Reply:
    method = ENDPOINT[operation].method
    return target.tenant.send(method, target.path(operation), body, key=target.key(operation), **headers)


def raw(target: Target, operation: str, member: str, value: str) -> bytes:
    """The right body with one member's JSON as it is written here."""
    body = json.dumps({**target.right(operation), member: "HERE"})
    return body.replace('"HERE"', value).encode()


MALFORMED = {
    "no JSON": b"decision=allow",
    "cut short": b'{"action_type": "lo',
    "trailing comma": b'{"action_type": "look",}',
    "single quotes": b"{'action_type': 'look'}",
    "two values": b'{"action_type": "look"}{}',
    "a comment": b'{"action_type": "look" /* now */}',
    "a byte order mark": b'\xef\xbb\xbf{"action_type": "look"}',
    "UTF-16": '{"action_type": "look"}'.encode("utf-16"),
    "Latin-1": b'{"action_type": "caf\xe9"}',
    "an encoded surrogate": b'{"action_type": "\xed\xa0\x80"}',
    "an overlong slash": b'{"action_type": "\xc0\xaf"}',
    "a lone high surrogate": b'{"action_type": "\\ud800"}',
    "a lone low surrogate": b'{"action_type": "\\udc00x"}',
    "a reversed pair": b'{"action_type": "\\udc00\\ud800"}',
    "a control character": b'{"action_type": "a\x00b"}',
    "a leading zero": b'{"risk_score": 012, "action_type": "look"}',
    "a hundred thousand brackets": b"[" * 100_000 + b"]" * 100_000,
    "a hundred thousand braces": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "brackets without an end": b"[" * 100_000,
}


@pytest.mark.parametrize("operation", RIGHT)
@every("kind", MALFORMED)
def test_what_is_no_json(target: Target, operation: str, kind: str) -> None:
    refused(send(target, operation, MALFORMED[kind]), 400, "invalid_json")


@deep("bad input of each kind is in the quick tier")
@pytest.mark.parametrize("operation", RIGHT)
@every("body", [b"[]", b'[{"action_type": "look"}]', b"null", b"true", b"1", b'"look"'])
def test_what_is_no_object(target: Target, operation: str, body: bytes) -> None:
    refused(send(target, operation, body), 400, "invalid_body")


@pytest.mark.parametrize("operation", sorted({member.operation for member in MEMBERS if member.required}))
@pytest.mark.parametrize("body", [b"", b"{}"], ids=["nothing", "an empty object"])
def test_what_leaves_out_everything(target: Target, operation: str, body: bytes) -> None:
    refused(send(target, operation, body), 400, "invalid_body")


@pytest.mark.parametrize("operation", ["update_outcome", "import_policies"])
def test_what_asks_for_nothing(target: Target, operation: str) -> None:
    refused(send(target, operation, b""), 400)


@pytest.mark.parametrize("member", [each for each in MEMBERS if type(each.kind) in WRONG], ids=str)
def test_a_member_of_another_kind(target: Target, member: Member) -> None:
    for wrong in WRONG[type(member.kind)]:
        reply = send(target, member.operation, {**target.right(member.operation), member.name: wrong})
        refused(reply, 400, "invalid_body")
        (place,) = reply.places
        assert place.partition("[")[0] == member.name, f"{member} = {wrong!r}: {reply.content!r}"


@pytest.mark.parametrize("member", NUMBERS, ids=str)
@every("number", ["NaN", "Infinity", "-Infinity", "1e400", "-1e400", "0x10", "1_000", "+1"])
def test_what_is_no_number(target: Target, member: Member, number: str) -> None:
    refused(send(target, member.operation, raw(target, member.operation, member.name, number)), 400, "invalid_json")


@deep("bad input of each kind is in the quick tier")
@pytest.mark.parametrize("member", NUMBERS, ids=str)
@every("number", ["9007199254740993", "-1", "1" + "0" * 30, "-1" + "0" * 30, "1e308", "18446744073709551616"])
def test_a_number_out_of_range(target: Target, member: Member, number: str) -> None:
    reply = send(target, member.operation, raw(target, member.operation, member.name, number))
    refused(reply, 400, "invalid_body", member.name)


OPEN = [("guard", "anything", "anything"), ("create_action", "anything", "anything")]
OPEN += [(operation, "metadata", "metadata.a[1].b") for operation in ("guard", "create_action", "update_outcome")]


@pytest.mark.parametrize("number", ["9007199254740993", "-9007199254740992", "1" + "0" * 30, "18446744073709551616"])
@pytest.mark.parametrize(("operation", "member", "place"), OPEN)
def test_a_whole_number_in_the_open_that_others_would_round(
    target: Target, operation: str, member: str, place: str, number: str
) -> None:
    value = f'{{"a": [0, {{"b": {number}}}]}}' if "." in place else number
    refused(send(target, operation, raw(target, operation, member, value)), 400, "invalid_body", place)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e400"])
@pytest.mark.parametrize(("operation", "member", "place"), OPEN)
def test_no_number_in_the_open(target: Target, operation: str, member: str, place: str, number: str) -> None:
    value = f'{{"a": [0, {{"b": {number}}}]}}' if "." in place else number
    refused(send(target, operation, raw(target, operation, member, value)), 400, "invalid_json")


@pytest.mark.parametrize(("operation", "member", "place"), OPEN)
def test_nesting_in_the_open_that_no_reader_should_follow(
    target: Target, operation: str, member: str, place: str
) -> None:
    for depth in (130, 500, 900):
        value = '{"a":' * depth + "1" + "}" * depth
        reply = send(target, operation, raw(target, operation, member, value))
        refused(reply, 400)
        assert reply.code in {"invalid_body", "invalid_json"}


@deep("bad input of each kind is in the quick tier")
@pytest.mark.parametrize("member", TEXTS, ids=str)
def test_a_text_that_is_too_long(target: Target, member: Member) -> None:
    assert isinstance(member.kind, inspect.StrType)
    assert member.kind.max_length is not None
    for length in (member.kind.max_length + 1, max(10_000, member.kind.max_length + 1)):
        reply = send(target, member.operation, {**target.right(member.operation), member.name: "ä" * length})
        refused(reply, 400, "invalid_body", member.name)


@pytest.mark.parametrize(
    ("operation", "member", "value"),
    [
        ("guard", "declared_goal", "x" * 10_000),
        ("create_action", "declared_goal", "x" * 10_000),
        ("guard", "systems_touched", ["x"] * 51),
        ("guard", "action_type", ""),
        ("create_action", "action_id", "a b"),
        ("create_action", "action_id", "../x"),
        ("create_action", "action_id", "act\n"),
        ("create_action", "action_id", ""),
        ("create_action", "idempotency_key", ""),
        ("create_action", "parent_action_id", "ä"),
        ("create_org", "slug", "Up"),
        ("create_org", "slug", "a/b"),
        ("create_org", "slug", "a\n"),
        ("create_key", "name", ""),
        ("create_key", "role", "root"),
        ("halt", "reason", ""),
        ("record_assumption", "assumption", ""),
        ("approve_action", "decision", "approved"),
    ],
)
def test_a_value_that_is_not_allowed(target: Target, operation: str, member: str, value: Any) -> None:
    reply = send(target, operation, {**target.right(operation), member: value})
    refused(reply, 400, "invalid_body", member)


TIMES = ["0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "9999-12-31T23:59:59-14:00"]


@deep("bad input of each kind is in the quick tier")
@pytest.mark.parametrize("member", [each for each in MEMBERS if isinstance(each.kind, inspect.DateTimeType)], ids=str)
@every("time", TIMES)
def test_a_time_that_no_table_can_hold(target: Target, member: Member, time: str) -> None:
    reply = send(target, member.operation, {**target.right(member.operation), member.name: time})
    refused(reply, 400, "invalid_body", member.name)


def test_a_time_in_a_trial_is_checked_as_well(target: Target) -> None:
    context = {"action_type": "look", "source": "import", "occurred_at": TIMES[0]}
    refused(send(target, "test_policies", {"context": context}), 400, "invalid_body", "occurred_at")


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"validated": True, "invalidated": True}, "invalidated"),
        ({"invalidated": True}, "invalidated_reason"),
        ({"source": "import", "occurred_at": "2990-01-01T00:00:00Z"}, "occurred_at"),
    ],
)
def test_an_assumption_that_contradicts_itself(target: Target, body: dict[str, Any], place: str) -> None:
    refused(
        send(target, "record_assumption", {**target.right("record_assumption"), **body}), 400, "invalid_body", place
    )


@pytest.mark.parametrize("status", ["blocked", "pending_approval"])
def test_a_status_that_only_the_service_gives(target: Target, status: str) -> None:
    refused(send(target, "update_outcome", {"status": status}), 400, "invalid_body")


@pytest.mark.parametrize("operation", [name for name in RIGHT if not ENDPOINT[name].open_body])
def test_a_misspelt_member_when_the_client_is_strict(target: Target, operation: str) -> None:
    body = {**target.right(operation), "reasonning": "x"}
    refused(send(target, operation, body, prefer="handling=strict"), 400, "unknown_member", "reasonning")


@pytest.mark.parametrize("key", ["", '""', "x" * 256, "schlüssel", "a\tb"], ids=repr)
@pytest.mark.parametrize("operation", ["create_action", "approve_action"])
def test_an_idempotency_key_that_is_none(target: Target, operation: str, key: str) -> None:
    reply = send(target, operation, target.right(operation), idempotency_key=key)
    refused(reply, 400, "invalid_body", "Idempotency-Key")


@pytest.mark.parametrize("operation", RIGHT)
def test_a_body_that_is_too_large(target: Target, operation: str) -> None:
    limit = ENDPOINT[operation].limit
    body = json.dumps({**target.right(operation), "filling": "x" * limit}).encode()
    reply = send(target, operation, body)
    refused(reply, 413, "payload_too_large")
    assert str(limit) in reply.body["detail"]


@deep("bad input of each kind is in the quick tier")
@pytest.mark.parametrize("operation", RIGHT)
def test_a_body_that_is_too_large_and_does_not_say_so(target: Target, operation: str) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(ENDPOINT[operation].limit // 100_000 + 2):
            yield b"x" * 100_000

    tenant = target.tenant
    key = tenant.keys.get(target.key(operation), target.key(operation))
    with httpx.Client(trust_env=False) as client:
        url = tenant.service.base_url + target.path(operation)
        response = client.request(ENDPOINT[operation].method, url, content=chunks(), headers={"x-api-key": key})
    refused(Reply(response.status_code, response.headers, response.content), 413, "payload_too_large")
