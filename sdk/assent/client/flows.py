"""Telling a session what the user said and what tools answered, so that flow policies can ask where a value comes from.

with client.session():
    client.user_said("Please pay the bill in bill.txt")
    text = read_file("bill.txt")
    client.tool_answered("read_file", text, arguments=["path"])
    client.create_action("send_money", "Pay the bill", parameters={"recipient": account})   # guard knows the session
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from assent.answers import argument_names
from assent.client.flow import Flow, send
from assent.client.method import Response, calls, sends
from assent.client.operation import Caller, each
from assent.client.session import MEMBER
from assent.client.told_answer import as_told, members_of
from assent.contract.control.flow_steps import GET_FLOW_STEPS, FlowStep
from assent.contract.control.flows import (
    GET_FLOWS,
    LONGEST_TEXT,
    REMOVE_FLOW_LABELS,
    TELL_FLOW,
    FlowAnswer,
    FlowSession,
)
from assent.errors import InvalidRequest

NO_SESSION = (
    "No session is begun here: begin one (`with client.session():`) around what you tell, or name one as session_id."
)


class FlowOperations(Caller):
    @sends(TELL_FLOW, own=("agent_id",), unless_default=("cut",))
    def tell_flow(
        self,
        *,
        user_text: str | None = None,
        tool: str | None = None,
        arguments: Sequence[str] | None = None,
        result: Any = None,
        cut: bool = False,
        labels: Sequence[str] | None = None,
        action_id: str | None = None,
        session_id: str | None = None,
        parent_session_id: str | None = None,
        agent_id: str | None = None,
    ) -> Response:
        """Tell the session what the user said (`user_text`), or what a `tool` answered; `user_said` and `tool_answered`
        do so for texts and results of any size. The session is the one that is bound, unless `session_id` names one.

        Raises InvalidRequest for neither or both, for a label that no flow policy declares and for a session that was
        begun elsewhere, Forbidden for the session of another agent than the one that this is told for.
        """

    @calls(TELL_FLOW)
    def user_said(
        self,
        text: str,
        *,
        labels: Sequence[str] | None = None,
        session_id: str | None = None,
        agent_id: str | None = None,
    ) -> Flow[FlowAnswer]:
        """Tell the session what the user said: values in it may be used without a question. What is beyond a million
        characters is left out, and the session is not complete from then on.

        Raises InvalidRequest for a text outside of any session, Forbidden for the session of another agent.
        """
        said = {"user_text": text[:LONGEST_TEXT], **_cut(len(text) > LONGEST_TEXT)}
        return (yield from _told(said | _members(self, labels, session_id, agent_id)))

    @calls(TELL_FLOW)
    def tool_answered(
        self,
        tool: str,
        result: Any = None,
        *,
        arguments: Iterable[str] | None = None,
        labels: Sequence[str] | None = None,
        action_id: str | None = None,
        session_id: str | None = None,
        agent_id: str | None = None,
    ) -> Flow[FlowAnswer]:
        """Tell the session what a tool answered: a text, data, or the exception that it raised. `arguments` are the
        names of those that it was called with, or a mapping of them, where names two levels further down count as
        well: with a path it answers documents, with an address pages. What is beyond a million characters, and what
        JSON cannot carry, is left out, and the session is not complete from then on. With `action_id` it is erased
        with that action.

        Raises InvalidRequest for a result outside of any session and for an action of another session, NotFound for an
        action that is not there, Forbidden for the session of another agent.
        """
        plain, whole = as_told(result)
        if isinstance(plain, str):
            whole, plain = whole and len(plain) <= LONGEST_TEXT, plain[:LONGEST_TEXT]
        elif plain is not None:
            written = msgspec.json.encode(plain)
            if len(written) > LONGEST_TEXT:
                whole, plain = False, written[:LONGEST_TEXT].decode("utf-8", "replace")
        said = {"tool": tool, "result": plain, **_cut(not whole)}
        if arguments is not None:
            said["arguments"] = (
                argument_names(arguments, members_of) if isinstance(arguments, Mapping) else list(arguments)
            )
        if action_id is not None:
            said["action_id"] = action_id
        return (yield from _told(said | _members(self, labels, session_id, agent_id)))

    @sends(REMOVE_FLOW_LABELS)
    def remove_flow_labels(
        self, flow_id: str, labels: Sequence[str], reason: str, if_told: int | None = None
    ) -> Response:
        """Take labels off a session, for operators: they were put on for what it was told until now, and what it is
        told later puts them on again. A label that does not hold any more changes nothing. `if_told` is the session's
        `told` as you read it.

        Raises NotFound, Conflict where one of them was put on since then, InvalidRequest for a label that the session
        never had, Forbidden for the session of the agent that the key is bound to.
        """

    @sends(GET_FLOWS)
    def get_flows(
        self,
        *,
        session_id: str | None = None,
        agent_id: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """A page of sessions that were told something, newest first: how often, and which labels hold. `limit` is 1 to
        200."""

    iterate_flows = each(get_flows, FlowSession, lambda page: page.flows)

    @sends(GET_FLOW_STEPS)
    def get_flow_steps(self, flow_id: str, *, limit: int | None = None, cursor: str | None = None) -> Response:
        """What a session was told and what guard was asked in it, in the order of time, with where each value came
        from. `limit` is 1 to 1000: how many steps at most, the last ones; `cursor` gives those before.

        Raises NotFound.
        """

    iterate_flow_steps = each(get_flow_steps, FlowStep, lambda page: reversed(page.steps))


def _told(said: dict[str, Any]) -> Flow[FlowAnswer]:
    """The answer of a telling. Raises InvalidRequest, which says how a session is begun where none was."""
    try:
        return (yield from send(TELL_FLOW, body=said))
    except InvalidRequest as error:
        if MEMBER in said or MEMBER not in error.detail:
            raise
        raise InvalidRequest(
            status=error.status,
            code=error.code,
            detail=f"{error.detail} {NO_SESSION}",
            errors=error.errors,
            problem=error.problem,
        ) from None


def _cut(cut: bool) -> dict[str, Any]:
    return {"cut": True} if cut else {}


def _members(
    caller: Caller, labels: Sequence[str] | None, session_id: str | None, agent_id: str | None
) -> dict[str, Any]:
    given = {
        "labels": None if labels is None else list(labels),
        "session_id": session_id,
        "agent_id": agent_id or caller.agent_id,
    }
    return {name: value for name, value in given.items() if value is not None}
