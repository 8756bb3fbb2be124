"""Addresses in answers, content types, and paths that Envoy asks about."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from assent.contract.problems import Code
from assent_service.base.problem import Refusal
from assent_service.control.authzen.envoy import PREFIX, route_path
from assent_service.control.authzen.protocol import base_url, check_json
from assent_service.control.authzen.requests import ASKABLE
from assent_service.control.guard.recent import KEEP
from assent_service.core.call import AnyCall, Call, Sent
from assent_service.core.settings import Settings


def call(**headers: str) -> AnyCall:
    sent = {name.replace("_", "-").encode(): value.encode() for name, value in headers.items()}
    return Call(cast("Any", None), sent, None, None, Sent())


def settings(tmp_path: Path, **more: Any) -> Settings:
    return Settings(home=str(tmp_path), **more)


@pytest.mark.parametrize("host", ["127.0.0.1:8484", "[::1]:8484", "localhost", "LOCALHOST:1"])
def test_an_address_begins_with_the_setting_or_the_loopback_host_of_the_request(tmp_path: Path, host: str) -> None:
    assert base_url(call(host=host), settings(tmp_path)) == f"http://{host}"
    public = settings(tmp_path, public_url="https://assent.invalid")
    assert base_url(call(host=host), public) == "https://assent.invalid"


@pytest.mark.parametrize(
    "host",
    [
        *("", "a b", "user@localhost", "localhost/x", "[a]", "a\r\nb", "localhost:x", "127.0.0.1\n"),
        *("evil.invalid", "10.1.2.3:8484", "127.0.0.1.evil.invalid", "localhost.evil.invalid"),
    ],
)
def test_what_a_stranger_sends_as_host_is_in_no_address(tmp_path: Path, host: str) -> None:
    for listens, base in (
        ("127.0.0.1", "http://127.0.0.1:8484"),
        ("0.0.0.0", "http://127.0.0.1:8484"),
        ("10.0.0.7", "http://10.0.0.7:8484"),
        ("fd00::7", "http://[fd00::7]:8484"),
    ):
        assert base_url(call(host=host), settings(tmp_path, host=listens)) == base
    assert base_url(call(), settings(tmp_path)) == "http://127.0.0.1:8484"


def test_a_body_says_that_it_is_json() -> None:
    for kind in ("application/json", "Application/JSON", "application/json; charset=utf-8"):
        check_json(call(content_type=kind))
    for kind in ("", "text/json", "application/jsonl", "application/json+x"):
        with pytest.raises(Refusal):
            check_json(call(content_type=kind))
    with pytest.raises(Refusal):
        check_json(call())


SUBJECT, RESOURCE = '"subject": {"type": "agent", "id": "bot"}', '"resource": {"type": "r", "id": "x"}'


@pytest.mark.parametrize(
    ("action", "name"),
    [
        ('"action": {"name": "wipe"}, "action": {"name": "read"}', "action"),
        ('"action": {"name": "wipe", "name": "read"}', "name"),
        ('"action": {"Name": "wipe", "name": "read"}', "Name"),
        ('"Action": {"name": "wipe"}, "action": {"name": "read"}', "Action"),
        ('"action": {"name": "read", "properties": {"a": [{"b": 1, "b": 2}]}}', "b"),
        ('"action": {"name": "read"}, "evaluations": [{"action": {"name": "a", "NAME": "b"}}]', "NAME"),
    ],
)
def test_a_body_with_two_readings_is_refused(action: str, name: str) -> None:
    asked = call(content_type="application/json")
    asked.sent.raw = f"{{{SUBJECT}, {action}, {RESOURCE}}}".encode()
    with pytest.raises(Refusal, match=f"two readings: the member '{name}'") as refusal:
        check_json(asked)
    assert refusal.value.status == 400
    asked.sent.raw = f'{{{SUBJECT}, "action": {{"name": "read"}}, {RESOURCE}, "Notes": {{"Id": 1}}}}'.encode()
    check_json(asked)


def test_an_access_request_can_be_made_as_long_as_guards_decision_can_be_used() -> None:
    assert timedelta(microseconds=KEEP) == ASKABLE


@pytest.mark.parametrize(
    ("sent", "path"),
    [
        ("/", "/"),
        ("/orders/7", "/orders/7"),
        ("/orders/", "/orders/"),
        ("/caf%C3%A9", "/café"),
        ("/%61dmin", "/admin"),
        ("/a%20b", "/a b"),
        ("/...", "/..."),
        ("/access/envoy/x", "/access/envoy/x"),
        ("/100%25", "/100%"),
        ("/a%25zz", "/a%zz"),
    ],
)
def test_a_path_is_read_as_the_service_behind_reads_it(sent: str, path: str) -> None:
    assert route_path(f"{PREFIX}{sent}".encode()) == path


@pytest.mark.parametrize(
    "sent",
    [
        *("", "/..", "/.", "/a/../admin", "/a/./b", "/%2e%2e/admin", "/a/%2E./b", "//admin", "/a//b", "/a//"),
        *("/a%2fb", "/a%2Fb", "/a%5cb", "/a\\b", "/a%00", "/a%0ab", "/a%7f", "/%ff", "/%c0%af"),
        *("/%252e", "/%25252e", "/%2561dmin", "/;/admin", "/..;/admin", "/a%3Bb"),
    ],
)
def test_a_path_with_more_than_one_reading_is_refused(sent: str) -> None:
    with pytest.raises(Refusal) as refusal:
        route_path(f"{PREFIX}{sent}".encode())
    assert refusal.value.code is Code.FORBIDDEN
