"""Flows: what sessions are told."""

from __future__ import annotations

from tests.stories.ask import Ask, Asking
from tests.stories.tenant import Tenant

_TOLD = {"session_id": "a run of the agent's", "user_text": "Please pay the bill"}
_REMOVED = {"labels": ["customer_data"], "reason": "These are made-up customers"}


def flow(owner: Tenant) -> str:
    """The id of a session of somebody's that has the label."""
    told = {"session_id": "of customers", "agent_id": "somebody", "user_text": "Look", "labels": ["customer_data"]}
    return str(owner.call("POST", "/api/flows", told)["flow"]["flow_id"])


ASKS: dict[str, Asking] = {
    "tell_flow": Asking("ao m", lambda _: Ask("/api/flows", _TOLD)),
    "remove_flow_labels": Asking(" o m", lambda owner: Ask(f"/api/flows/{flow(owner)}/labels/remove", _REMOVED)),
    "get_flow_steps": Asking("aoum", lambda owner: Ask(f"/api/flows/{flow(owner)}/steps")),
    "get_flows": Asking("aoum", lambda _: Ask("/api/flows")),
}
