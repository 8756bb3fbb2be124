"""An organization of one test's own on a running service, with a key of every role."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

from assent import AsyncClient, Client
from tests.live import WAIT, LiveService

ROLES = ("agent", "operator", "auditor", "admin")
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Reply:
    status: int
    headers: httpx.Headers
    content: bytes

    @property
    def body(self) -> dict[str, Any]:
        members: dict[str, Any] = json.loads(self.content)
        return members

    @property
    def code(self) -> str:
        return str(self.body.get("code"))

    @property
    def places(self) -> list[str]:
        """Which members an error is about."""
        return [error["place"] for error in self.body["errors"]]


class Tenant:
    """Keys by role, and a connection. A new one starts with the default pack of policies, as any organization does."""

    def __init__(self, service: LiveService, http: httpx.Client) -> None:
        self.service, self.http = service, http
        self.keys: dict[str, str] = {}
        slug = f"tenant-{next(_numbers)}"
        made = self.send("POST", "/api/orgs", {"name": slug, "slug": slug}, key=service.admin_key).body
        self.org_id: str = made["organization"]["org_id"]
        self.keys["admin"] = made["api_key"]
        self.key_ids: dict[str, str] = {"admin": made["key"]["key_id"]}
        for role in ROLES[:3]:
            self.add_key(role, role)

    def add_key(self, name: str, role: str, agent_id: str | None = None) -> str:
        """A further key; its secret, which is also kept under its name."""
        made = self.call("POST", "/api/keys", {"name": f"the {name}", "role": role, "agent_id": agent_id})
        self.keys[name], self.key_ids[name] = made["api_key"], made["key"]["key_id"]
        return str(made["api_key"])

    def revoke(self, name: str) -> None:
        """End a key by the name it was added under."""
        self.call("DELETE", f"/api/keys/{self.key_ids[name]}")

    def send(self, method: str, path: str, body: Any = None, *, key: str | None = "admin", **headers: str) -> Reply:
        """One request. `key` is a role of this organization, a secret, or None; `body` JSON, or bytes as they are;
        header names have `_` for `-`."""
        sent = {name.replace("_", "-").encode(): value.encode() for name, value in headers.items()}
        if key is not None:
            sent[b"x-api-key"] = self.keys.get(key, key).encode()
        content = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        response = self.http.request(method, self.service.base_url + path, content=content, headers=sent)
        return Reply(response.status_code, response.headers, response.content)

    def call(self, method: str, path: str, body: Any = None, *, key: str = "admin") -> dict[str, Any]:
        """The JSON answer of a request that succeeds."""
        reply = self.send(method, path, body, key=key)
        assert reply.status < 300, reply.content
        return reply.body

    def client(self, role: str = "agent", agent_id: str | None = "bot", **options: Any) -> Client:
        options.setdefault("say", lambda _: None)
        return Client(self.service.base_url, self.keys[role], agent_id, **options)

    def async_client(self, role: str = "agent", agent_id: str | None = "bot", **options: Any) -> AsyncClient:
        options.setdefault("say", lambda _: None)
        return AsyncClient(self.service.base_url, self.keys[role], agent_id, **options)

    def policy(self, name: str, policy_type: str, rules: dict[str, Any], **more: Any) -> str:
        """A new policy's id."""
        draft = {"name": name, "policy_type": policy_type, "rules": rules, **more}
        return str(self.call("POST", "/api/policies", draft)["policy"]["policy_id"])

    def governed(self, of: str = "") -> None:
        """`wipe` is blocked and `pay` asks for approval, with what stands before the names of types."""
        self.policy("Nobody wipes", "block_action_type", {"action_types": [f"{of}wipe"]})
        self.policy("Ask before paying", "require_approval", {"action_types": [f"{of}pay"]})

    def create(self, action_type: str = "look", *, key: str = "agent", **members: Any) -> str:
        """A new action's id. One that began more than a day ago is recorded as history: no live one has."""
        start = members.get("timestamp_start")
        if start is not None and datetime.fromisoformat(start) < datetime.now(UTC) - timedelta(days=1):
            key, members = "admin", members | {"source": "import", "occurred_at": start}
        return str(self.call("POST", "/api/actions", {"action_type": action_type, **members}, key=key)["action_id"])

    def action(self, action_id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.call("GET", f"/api/actions/{action_id}")["action"]
        return found

    def recorded(self) -> int:
        """How many events the organization's log holds, as the stream's first words tell."""
        with self.http.stream(
            "GET", f"{self.service.base_url}/api/stream", headers={"x-api-key": self.keys["admin"]}, timeout=WAIT
        ) as response:
            assert response.status_code == 200
            for line in response.iter_lines():
                if line.startswith("data: "):
                    return int(json.loads(line.removeprefix("data: "))["last_event_id"]) + 1
        raise AssertionError("the stream ended without a word")
