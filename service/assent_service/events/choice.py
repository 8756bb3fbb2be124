"""Which events a reader is sent.

- `types` keeps the named ones; without it, all.
- `agent_id` keeps the events of that agent and those whose payload is about no agent at all (a halt, a policy): they
  concern every agent. An action whose agent nobody named belongs to no agent, and is not among them.
- What is for some agents alone (`audience`: a message and its two agents) is sent to a reader who asks as one of them.
- A key of role agent that is bound to an agent reads as if it had asked for that one, and may ask for no other.
"""

from __future__ import annotations

from msgspec import UNSET, Struct

from assent.contract.events import PRIVATE, EventName, StreamQuery
from assent.contract.problems import Code, FieldError
from assent.contract.roles import Role
from assent_service.core.principal import Principal
from assent_service.core.problem import refuse
from assent_service.events.frames import Frame

SENT = frozenset(EventName) - PRIVATE


class Choice(Struct, frozen=True):
    """None stands for every type, and for every agent."""

    types: frozenset[str] | None
    agent_id: str | None

    def takes(self, frame: Frame) -> bool:
        if self.types is not None and frame.type not in self.types:
            return False
        if self.agent_id is None:
            return True
        if frame.audience is not None:
            return self.agent_id in frame.audience
        return frame.agent is UNSET or frame.agent == self.agent_id


def choose(principal: Principal, query: StreamQuery) -> Choice:
    """Raises `invalid_query` for a type that is never sent, `agent_mismatch` for another agent than the key's."""
    agent = principal.speaks_for(query.agent_id) if principal.role is Role.AGENT else query.agent_id
    return Choice(_types(query.types), agent)


def _types(listed: str | None) -> frozenset[str] | None:
    names = {name.strip() for name in (listed or "").split(",")} - {""}
    unknown = sorted(names - SENT)
    if unknown:
        raise refuse(
            Code.INVALID_QUERY,
            f"types names what is not on the stream: {', '.join(unknown)[:200]}. Known are: {', '.join(sorted(SENT))}.",
            FieldError(place="types", message="unknown event name"),
        )
    return frozenset(names) or None
