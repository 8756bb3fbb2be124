"""What somebody needs for a first governed action in a new workspace: an agent's key, and a line for the shell."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from assent import Client

AGENT = "sample-agent"
FIRST_ACTION = {"action_type": "deploy", "declared_goal": "Release 1.4.0 of the shop to staging"}


def make_agent_key(client: Client) -> str:
    """The key of the sample agent, made through the public API."""
    return client.create_key("Sample agent", "agent", AGENT).api_key


def first_call(base_url: str, api_key: str) -> str:
    """A line for the shell that makes the first governed action."""
    body = msgspec.json.encode(FIRST_ACTION).decode()
    headers = (f"x-api-key: {api_key}", "content-type: application/json")
    parts = ["curl", "-sS", f"{base_url}/api/actions", *(part for header in headers for part in ("-H", header))]
    return shlex.join([*parts, "-d", body])
