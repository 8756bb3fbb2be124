"""Whose sign of life a request is. Pure.

- Operations that agents may not call say nothing: an admin who makes a key for an agent is not that agent.
- What is recorded as history happened at another time, and says nothing about now.
- A key that is bound to an agent speaks for that agent and for no other, whatever the body says.
- Otherwise it is the agent that the body names as the one who acts. Queries name whom one asks about.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assent.contract.control.guard import Source
from assent.contract.endpoint import AnyEndpoint
from assent.contract.roles import Role
from assent_service.core.principal import Principal

Seen = Callable[[Principal, str], None]
"""Told of each call that was made for an agent: of every one, so it must cost next to nothing."""
Speaker = Callable[[Principal, Any], str | None]

_MEMBERS = ("agent_id", "from_agent_id")
_NOW = (None, Source.LIVE)


def speaker_of(endpoint: AnyEndpoint[Any]) -> Speaker | None:
    """What finds the agent of a request of this endpoint; None where none of them says anything."""
    if endpoint.roles is None or Role.AGENT not in endpoint.roles:
        return None
    members = endpoint.request.__struct_fields__ if endpoint.request is not None else ()
    named = next((name for name in _MEMBERS if name in members), None)
    dated = "source" in members and "occurred_at" in members

    def speaker(principal: Principal, body: Any) -> str | None:
        if dated and (body.occurred_at is not None or body.source not in _NOW):
            return None
        if principal.agent_id is not None or named is None:
            return principal.agent_id
        agent_id: str | None = getattr(body, named)
        return agent_id

    return speaker
