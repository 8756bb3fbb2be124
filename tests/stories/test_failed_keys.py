"""Somebody guesses keys: slowed, recorded, told, and nobody else's trouble."""

from __future__ import annotations

import json
import socket
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.live import ADMIN_KEY, SETTINGS, StartRefused, start_service
from tests.tiers import deep

GUESSES = 400
AS_SHIPPED = "\n".join(line for line in SETTINGS.splitlines() if "failed_keys" not in line)


def guess(port: int, key: str) -> tuple[int, dict[str, str], str]:
    """Status, headers and code of a request with this key."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", "/api/keys", headers={"x-api-key": key})
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), json.loads(response.read()).get("code", "")
    finally:
        connection.close()


def test_guesses_are_slowed_and_valid_keys_are_not(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "assent.toml").write_text(AS_SHIPPED)
    with start_service(home) as service:
        answers = [guess(service.port, f"assent_guess_{number:0>40}") for number in range(GUESSES)]
        wrong = [status for status, _, _ in answers if status == 401]
        assert 30 <= len(wrong) <= 60, "30, and one more for every two seconds that this takes"
        slowed = [(status, code) for status, _, code in answers if status != 401]
        assert set(slowed) == {(429, "too_many_failed_keys")}
        last = answers[-1][1]
        assert (last["retry-after"], last["connection"]) in {("1", "close"), ("2", "close")}
        # Whoever has a key is let through from the very same address, and whoever has none is told just that.
        assert [guess(service.port, ADMIN_KEY)[0] for _ in range(20)] == [200] * 20
        assert service.call("GET", "/api/keys", key=None)[0] == 401
        checks = {each["name"]: each for each in service.call("GET", "/api/readiness")[1]["checks"]}
        told = checks["failed_keys"]
        assert told["status"] == "warn"
        assert told["detail"].startswith(f"{GUESSES} requests of the last 24 hours")
        assert "from 1 address, most from 127.0.0.1" in told["detail"]
        assert f"{GUESSES - len(wrong)} of the last hour" in told["detail"]
        other = service.call("POST", "/api/orgs", {"name": "b", "slug": "b"})[1]["api_key"]
        theirs = service.call("GET", "/api/readiness", key=other)[1]
        assert "failed_keys" not in {each["name"] for each in theirs["checks"]}, "whose service it is, is told"
    with start_service(home) as service:
        connection = HTTPConnection("127.0.0.1", service.port, timeout=60)
        connection.request("GET", "/api/data/auth_failures?format=ndjson", headers={"x-api-key": ADMIN_KEY})
        (line,) = connection.getresponse().read().splitlines()
        connection.close()
        row = json.loads(line)
        assert (row["address"], row["failures"], row["refused"]) == ("127.0.0.1", GUESSES, GUESSES - len(wrong))
        told = {each["name"]: each for each in service.call("GET", "/api/readiness")[1]["checks"]}["failed_keys"]
        assert told["detail"].startswith(f"{GUESSES} requests of the last 24 hours"), "a restart forgets nothing"
    kept = b"".join(file.read_bytes() for file in home.rglob("*") if file.is_file())
    assert b"auth.failed" in kept
    assert b"assent_guess_" not in kept


def test_a_short_admin_key_is_refused_in_one_sentence_before_anything_is_made(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with pytest.raises(StartRefused) as refused:
        start_service(home, ASSENT_ADMIN_KEY="correct-horse-battery-staple-31")
    said = refused.value.output
    assert "must be 32 to 500 visible ASCII characters" in said
    assert "the one given has 31 characters" in said
    assert "correct-horse" not in said
    assert "Traceback" not in said
    assert not (home / "log").exists()


@deep("one story of each kind is in the quick tier")
def test_a_request_that_never_names_its_key_costs_no_failure(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "assent.toml").write_text(AS_SHIPPED)
    with start_service(home) as service:
        for _ in range(50):
            assert service.call("GET", "/api/keys", key=None)[0] == 401
        assert guess(service.port, "assent_" + "x" * 40)[0] == 401
        with socket.create_connection(("127.0.0.1", service.port), timeout=60) as raw:
            raw.sendall(b"GET /api/keys HTTP/1.1\r\nhost: x\r\nx-api-key: \r\nconnection: close\r\n\r\n")
            assert raw.recv(64).startswith(b"HTTP/1.1 401")
