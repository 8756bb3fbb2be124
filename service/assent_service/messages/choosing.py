"""Which messages and threads a question is about, as conditions on the tables.

An agent's inbox is what was sent to it or to all, not by itself, and what it has not archived. What was sent to all
within a thread of some was sent to those: the message's `audience`. `unread` keeps what the agent has still to read; of
what was sent, what nobody has read. See `showing` for who sees what.
"""

from __future__ import annotations

from assent.contract.message_threads import MessageThreadsQuery
from assent.contract.messages import Direction, Mark, MessagesQuery
from assent.contract.problems import Code
from assent_service.core.principal import Principal
from assent_service.core.rows import Filter
from assent_service.messages.compose import check_thread_id, named

_NOT_MARKED = "message_id NOT IN (SELECT message_id FROM message_marks WHERE org_id = ? AND agent_id = ? AND mark = ?)"
_READ_BY_NOBODY = "message_id NOT IN (SELECT message_id FROM message_marks WHERE org_id = ? AND mark = ?)"
# Empty where the message is older than the column.
_TO_ALL_WITH_IT = (
    "(to_agent_id IS NULL AND (audience IS NULL OR CAST(audience AS VARCHAR) = '[]' "
    "OR ? = ANY(CAST(audience AS VARCHAR[]))))"
)
_TAKES_PART = "(CAST(participants AS VARCHAR) = '[]' OR created_by = ? OR ? = ANY(CAST(participants AS VARCHAR[])))"


def looker(principal: Principal, agent_id: str | None) -> str | None:
    """The agent for whom is looked: the one named, else the key's own. Raises `agent_mismatch` for another's name."""
    if not principal.sees(agent_id):
        principal.speaks_for(agent_id)
    return agent_id or principal.agent_id


def visible(principal: Principal) -> Filter:
    """The messages that the caller may see."""
    chosen = Filter(principal.org_id)
    if not principal.sees(None):
        _add_own(chosen, principal.agent_id)
    return chosen


def chosen_messages(principal: Principal, query: MessagesQuery, agent_id: str | None) -> Filter:
    """Raises `invalid_query` for an inbox that is nobody's, and for the id of a context thread."""
    check_thread_id(query.thread_id, Code.INVALID_QUERY)
    chosen = visible(principal)
    if query.direction is Direction.INBOX:
        owner = named("agent_id", agent_id, "has this inbox", Code.INVALID_QUERY)
        _add_inbox(chosen, principal.org_id, owner)
    elif query.direction is Direction.SENT:
        chosen.add("from_agent_id = ?", named("agent_id", agent_id, "sent them", Code.INVALID_QUERY))
    elif agent_id is not None:
        _add_own(chosen, agent_id)
    chosen.add("message_type = ?", query.message_type and query.message_type.value)
    chosen.add("thread_id = ?", query.thread_id)
    if query.unread:
        if query.direction is Direction.SENT or agent_id is None:
            chosen.add_all(_READ_BY_NOBODY, [principal.org_id, Mark.READ.value])
        else:
            _add_unread(chosen, principal.org_id, agent_id)
    return chosen


def unread_inbox(org_id: str, agent_id: str) -> Filter:
    chosen = Filter(org_id)
    _add_inbox(chosen, org_id, agent_id)
    _add_unread(chosen, org_id, agent_id)
    return chosen


def chosen_threads(principal: Principal, query: MessageThreadsQuery, agent_id: str | None) -> Filter:
    chosen = Filter(principal.org_id)
    if agent_id is not None:
        chosen.add_all(_TAKES_PART, [agent_id, agent_id])
    chosen.add("status = ?", query.status and query.status.value)
    return chosen


def _add_own(chosen: Filter, agent_id: str | None) -> None:
    chosen.add_all(f"({_TO_ALL_WITH_IT} OR to_agent_id = ? OR from_agent_id = ?)", [agent_id, agent_id, agent_id])


def _add_inbox(chosen: Filter, org_id: str, agent_id: str) -> None:
    chosen.add_all(f"({_TO_ALL_WITH_IT} OR to_agent_id = ?) AND from_agent_id <> ?", [agent_id, agent_id, agent_id])
    chosen.add_all(_NOT_MARKED, [org_id, agent_id, Mark.ARCHIVE.value])


def _add_unread(chosen: Filter, org_id: str, agent_id: str) -> None:
    chosen.add_all("(to_agent_id = ? OR (to_agent_id IS NULL AND from_agent_id <> ?))", [agent_id, agent_id])
    chosen.add_all(_NOT_MARKED, [org_id, agent_id, Mark.READ.value])
