"""Which events a reader of the stream is sent, and from which one on.

- `types` keeps the named ones; without it, all.
- `agent_id` keeps the events of that agent and those whose payload is about no agent at all (a halt, a policy): they
  concern every agent. An action whose agent nobody named belongs to no agent, and is not among them.
- What is for some agents alone (`audience`: a message and its two agents) is sent to a reader who asks as one of them.
- What is for agents with keys of their own alone is not sent to a key of role agent that is bound to none
  (`Principal.private`).
- What operators tell each other (`AMONG_OPERATORS`) is not sent to a key of role agent.
- A key of role agent that is bound to an agent reads as if it had asked for that one, and may ask for no other.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec import UNSET, Struct

from assent.contract.events import AMONG_OPERATORS, PRIVATE, EventName, StreamQuery
from assent.contract.names import is_among, same_name
from assent.contract.problems import Code, FieldError
from assent.contract.roles import Role
from assent_service.base.problem import Refusal, refuse
from assent_service.core.principal import Principal
from assent_service.evidence.events.frames import StreamFrame

SENT = frozenset(EventName) - PRIVATE


class StreamFilter(Struct, frozen=True):
    """None stands for every type, and for every agent. `withheld` are types that are not for the reader."""

    types: frozenset[str] | None
    agent_id: str | None
    private: Collection[str] = ()
    withheld: frozenset[str] = frozenset()

    def takes(self, frame: StreamFrame) -> bool:
        if frame.type in self.withheld or (self.types is not None and frame.type not in self.types):
            return False
        if frame.audience is not None and self.private and all(each in self.private for each in frame.audience):
            return False
        if self.agent_id is None:
            return True
        if frame.audience is not None:
            return is_among(self.agent_id, frame.audience)
        return frame.agent is UNSET or same_name(frame.agent, self.agent_id)


def choose(principal: Principal, query: StreamQuery) -> StreamFilter:
    """Raises `invalid_query` for a type that is never sent, `agent_mismatch` for another agent than the key's."""
    agent = principal.speaks_for(query.agent_id) if principal.role is Role.AGENT else query.agent_id
    withheld = AMONG_OPERATORS if principal.role is Role.AGENT else frozenset[EventName]()
    return StreamFilter(_types(query.types), agent, principal.private, withheld)


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


# Where a reader left off.
#
# The header `Last-Event-ID` counts before the query's `lastEventId`: a browser keeps the first address when it
# reconnects and tells the newer id in the header. A reader without either starts with what comes next.


def resume_point(header: str | None, query: int | None, head: int) -> int | None:
    """The last id that the reader has, None when it has none. `head` is the organization's newest event.

    Raises `invalid_query` for what is no id of this organization's: not a number, or beyond the head.
    """
    after = _number(header) if header else query
    if after is not None and after > head:
        raise _refusal(str(after), f"is beyond the newest event, {head}, so it was not read here", "beyond the newest")
    return after


def _number(header: str) -> int:
    if not (header.isascii() and header.isdecimal() and len(header) < 19):
        raise _refusal(repr(header[:60]), "is not an event id, which is a whole number from 0", "not an event id")
    return int(header)


def _refusal(value: str, why: str, short: str) -> Refusal:
    return refuse(
        Code.INVALID_QUERY,
        f"Last-Event-ID {value} {why}. Use the last id of this stream, or leave it out to start with what comes next.",
        FieldError(place="Last-Event-ID", message=short),
    )
