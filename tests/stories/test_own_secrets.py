"""The service's own secrets are in nothing that it stores, logs or answers with, however they get into a text."""

from __future__ import annotations

import json
import socket
from base64 import b64encode
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.live import LiveService, start_service

ADMIN = "correct-horse-battery-staple-forty-two"
HOOK = "the.hooks+sign/with=this~one"
WALLET = b64encode(bytes(range(200, 232))).decode()
SECRETS = (ADMIN, HOOK, WALLET)
SPELLINGS = [
    spelled.encode()
    for secret in SECRETS
    for spelled in (secret, quote(secret, safe=""), secret.encode().hex(), b64encode(secret.encode()).decode())
]
SPELLINGS += [
    spelled.encode()
    for spelled in (
        WALLET.rstrip("="),
        bytes(range(200, 232)).hex(),
        quote(WALLET, safe="").replace("%2F", "%2f").replace("%2B", "%2b").replace("%3D", "%3d"),
        HOOK.replace("/", "\\/").replace("=", "%3d"),
        HOOK.replace("/", "\\u002f"),
    )
]


def answered(service: LiveService, method: str, path: str, body: object = None, **headers: str) -> bytes:
    """The whole answer, status line and headers included."""
    content = b"" if body is None else json.dumps(body).encode()
    sent = {"host": "x", "x-api-key": ADMIN, "content-length": str(len(content)), "connection": "close", **headers}
    lines = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
    with socket.create_connection(("127.0.0.1", service.port), timeout=60) as raw:
        raw.sendall(f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode() + content)
        parts = []
        while part := raw.recv(65_536):
            parts.append(part)
    return b"".join(parts)


def test_no_secret_of_the_settings_is_stored_logged_or_answered(tmp_path: Path) -> None:
    home = tmp_path / "home"
    environment: dict[str, Any] = {
        "ASSENT_ADMIN_KEY": ADMIN,
        "ASSENT_WEBHOOK_SECRET": HOOK,
        "ASSENT_WALLET_KEY": WALLET,
        "ASSENT_ACCESS_LOG": str(tmp_path / "access.log"),
        "ASSENT_LOG_LEVEL": "debug",
    }
    answers: list[bytes] = []
    with start_service(home, **environment) as service:
        for spelled in (text.decode() for text in SPELLINGS):
            say = f"I saw {spelled} there"
            members = {"action_type": "look", "declared_goal": say, "metadata": {"deep": [say], say: 1}}
            answers += [
                answered(service, "POST", "/api/guard", members),
                answered(service, "POST", "/api/actions", {**members, "parameters": {"note": say}}),
                answered(service, "POST", "/api/actions", {"action_type": "look", "agent_id": spelled}),
                answered(service, "POST", "/api/messages", {"from_agent_id": "a", "to": "b", "body": say}),
                answered(service, "POST", "/api/policies", {"name": say, "policy_type": spelled, "rules": {}}),
                answered(service, "GET", f"/api/{quote(spelled, safe='')}"),
                answered(service, "GET", f"/api/actions/{quote(spelled, safe='')}"),
                answered(service, "GET", f"/api/actions?status={quote(spelled, safe='')}"),
            ]
        assert answers[0].startswith(b"HTTP/1.1 200"), answers[0]
        assert b"[REDACTED:configured_secret]" in answers[1]
        answers.append(answered(service, "GET", "/health", **{"x-request-id": ADMIN}))
        # Where a part of it would be left by a cut.
        for cut in (60, 160):
            answers.append(answered(service, "GET", f"/{'x' * cut}{ADMIN}"))
            answers.append(answered(service, "GET", f"/api/actions/{'!' * cut}{ADMIN}"))
        answers.append(answered(service, "GET", f"/replay/{ADMIN}"))
        assert answers[-1].startswith(b"HTTP/1.1 302"), answers[-1]
        answers.append(answered(service, "GET", "/api/actions"))
        answers.append(answered(service, "GET", "/api/readiness"))
        service.stop()
        printed = service.output.encode()
    kept = {str(file.relative_to(tmp_path)): file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    assert kept.pop("home/admin.key").decode().strip() == ADMIN, "where the owner looks the key up, and nowhere else"
    assert b'"status":200' in kept["access.log"]
    for secret in SPELLINGS:
        assert [name for name, content in kept.items() if secret in content] == [], secret
        assert secret not in printed
        echoed = [each for each in answers if secret in each]
        assert echoed == [], (secret, echoed[:1])
    assert [each for each in answers if ADMIN[:12].encode() in each] == []
