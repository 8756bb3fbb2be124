"""The sample workspace of a first start: two policies, one agent, and a few actions of every kind of ending."""

from __future__ import annotations

import shlex
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from assent.errors import GuardBlockedError

if TYPE_CHECKING:
    from assent import Client

AGENT = "sample-agent"
FIRST_ACTION = {"action_type": "deploy", "declared_goal": "Release 1.4.0 of the shop to staging"}


def furnish(client: Client) -> str:
    """Fill a new workspace through the public API; the answer is the sample agent's key."""
    client.create_policy("Ask before a deployment", "require_approval", {"action_types": ["deploy"]})
    client.create_policy("Nobody deletes customer data", "block_action_type", {"action_types": ["delete_customers"]})
    done = client.create_action("review", "Review pull request 42", agent_id=AGENT, systems_touched=["repository"])
    client.record_assumption(assumption="The tests of pull request 42 are green", action_id=done.action_id)
    client.update_outcome(done.action_id, "completed", output_summary="Two remarks, no objection")
    failed = client.create_action("test", "Run the nightly load test", agent_id=AGENT, risk_score=20)
    client.update_outcome(failed.action_id, "failed", error_message="The database refused the connection")
    client.create_action(
        "deploy", "Release 1.3.9 of the shop to production", agent_id=AGENT, systems_touched=["production"]
    )
    with suppress(GuardBlockedError):  # being blocked is what this one is here to show
        client.create_action("delete_customers", "Remove customers without orders", agent_id=AGENT, reversible=False)
    return client.create_key("Sample agent", "agent", AGENT).api_key


def first_call(base_url: str, api_key: str) -> str:
    """A line for the shell that makes the first governed action."""
    body = msgspec.json.encode(FIRST_ACTION).decode()
    headers = (f"x-api-key: {api_key}", "content-type: application/json")
    parts = ["curl", "-sS", f"{base_url}/api/actions", *(part for header in headers for part in ("-H", header))]
    return shlex.join([*parts, "-d", body])
