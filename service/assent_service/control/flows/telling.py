"""What a session may be told, by whom, and what becomes of it. Pure: whoever keeps the sessions looks up those that are
named, and hands them in.

The rules are those of `assent.contract.control.flows`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from assent.contract.control.actions import Action
from assent.contract.control.flows import FlowSession, RemoveFlowLabels, TellFlow, flow_call
from assent.contract.names import same_name
from assent.contract.problems import Code, FieldError
from assent.flows import (
    BOUNDS,
    Approved,
    Digester,
    FlowError,
    Folded,
    Gap,
    History,
    Pack,
    Session,
    UserText,
    check_label,
    digest_call,
)
from assent_service.base.clock import moment
from assent_service.base.problem import Refusal, refuse
from assent_service.control.flows.rows import (
    FlowStatement,
    begun,
    flow_id_of,
    moved,
    recall,
    relieved,
    removal_row,
    told_row,
)
from assent_service.control.guard import SessionAsked
from assent_service.core.principal import Principal


@dataclass(slots=True)
class KnownSession:
    """`head` is None for a session of which it is known that it was told nothing. What was told is in the outermost
    one's `session` and `history`, and `check` tells by which key."""

    head: FlowSession | None = None
    session: Session = field(default_factory=Session)
    check: str = ""
    history: History = field(default_factory=History)

    def tell(self, row: FlowStatement) -> None:
        """Add what is recorded. What does not fit leaves the session incomplete."""
        recall(self.history, row, self.session)
        for event in row.events():
            try:
                self.session.fold(event)
            except FlowError:
                self.session.complete = False
        if self.check not in ("", row.key_check):
            self.session.lose("key")
        self.check = row.key_check


class Place(NamedTuple):
    """Where a session's telling goes: the outermost session's flow, and what is known of it. `own` is the session's own
    row."""

    root_id: str
    root: KnownSession
    own: FlowSession | None


class Telling(NamedTuple):
    """What is recorded of a telling: the sessions that begin with it, what was told, and the outermost session after
    it."""

    opened: tuple[FlowSession, ...]
    row: FlowStatement
    after: FlowSession


# Telling


def check_said(said: TellFlow, pack: Pack) -> None:
    """Raises `invalid_body`."""
    if (said.user_text is None) is (said.tool is None):
        message = "give either user_text or tool, the one that this is about"
        raise refuse(Code.INVALID_BODY, f"user_text: {message}.", FieldError(place="user_text", message=message))
    for place, label in enumerate(said.labels or ()):
        try:
            check_label(label, pack.labels)
        except FlowError as error:
            raise refuse(
                Code.INVALID_BODY,
                f"labels[{place}]: {error}.",
                FieldError(place=f"labels[{place}]", message="is declared by no flow policy"),
            ) from None


def check_action(said: TellFlow, action: Action) -> None:
    """Raises `invalid_body` for an action of another session."""
    if action.session_id != said.session_id:
        where = "no session" if action.session_id is None else f"session {action.session_id!r}"
        raise _wrong(
            "action_id",
            f"is {said.action_id!r}, which is in {where} and not in {said.session_id!r}; leave it out",
        )


def scanned(said: TellFlow, pack: Pack) -> tuple[str, list[tuple[str, object]]]:
    """What is scanned for orders, and where it came from, which the scan counts: as much as is read of it, nothing of a
    tool that the house trusts, and nothing that the user said, whose orders are what the agent is for."""
    if said.user_text is not None:
        return "user_input", []
    answers = pack.tool(str(said.tool), said.arguments or ()).answers
    if answers == "trusted":
        return "tool_output", []
    result = said.result[: BOUNDS.characters] if isinstance(said.result, str) else said.result
    return "web_page" if answers == "page" else "tool_output", [("result", result)]


def told_in(
    said: TellFlow, own_id: str, own: FlowSession | None, parent_id: str | None, parent: FlowSession | None
) -> str:
    """The flow of the outermost session, into which it is told. Raises `invalid_body` for a session that was begun
    elsewhere."""
    if own is not None and said.parent_session_id not in (None, own.parent_session_id):
        was = "in no other one" if own.parent_session_id is None else f"in {own.parent_session_id!r}"
        message = f"was begun {was}, which stays so"
        raise refuse(
            Code.INVALID_BODY,
            f"parent_session_id: session {said.session_id!r} {message}; say the same, or use another session.",
            FieldError(place="parent_session_id", message=message),
        )
    if parent_id == own_id:
        raise refuse(
            Code.INVALID_BODY,
            f"parent_session_id is {said.parent_session_id!r}, the session itself; leave it out.",
            FieldError(place="parent_session_id", message="is the session itself"),
        )
    if own is not None:
        return own.root_id
    return parent.root_id if parent is not None else parent_id or own_id


def check_joins(
    principal: Principal, said: TellFlow, agent_id: str | None, own: FlowSession | None, root: FlowSession | None
) -> None:
    """`agent_id` is for whom it is told. Raises `agent_mismatch` for the session of another agent, and for words of the
    user that a sub-agent of another name tells: the user spoke to the outermost session's agent, which tells them."""
    if root is None:
        return
    inside = said.session_id != root.session_id
    if not _joins(agent_id, principal, root, own, inside=inside):
        session = own if own is not None and same_name(agent_id, root.agent_id) else root
        whose = "no agent" if session.agent_id is None else f"agent {session.agent_id!r}"
        raise refuse(
            Code.AGENT_MISMATCH,
            f"{_named(said.session_id, root)} was begun for {whose}, and {_speaks(principal, agent_id)}; "
            f"{_instead(principal, session)}.",
        )
    if said.user_text is not None and not same_name(agent_id, root.agent_id):
        raise refuse(
            Code.AGENT_MISMATCH,
            f"{_named(said.session_id, root)} is inside of a session of agent {root.agent_id!r}, and "
            f"{_speaks(principal, agent_id)}: what the user said is told for {root.agent_id!r} alone. Tell what tools "
            "answered, or have that agent tell it.",
        )


def telling(
    principal: Principal,
    said: TellFlow,
    agent_id: str | None,
    pack: Pack,
    told: UserText | Folded,
    orders: bool,
    check: str,
    place: Place,
    now: int,
) -> Telling:
    """`told` are its digests (`rows.digested`), made by the key that `check` tells; `orders` says that the scan found
    some in it. Raises `invalid_body` for more labels than a session keeps."""
    own_id = flow_id_of(principal.org_id, said.session_id)
    opened, head = list[FlowSession](), place.root.head
    if head is None:
        outermost = said.session_id if place.root_id == own_id else str(said.parent_session_id)
        head = begun(principal, outermost, None, place.root_id, agent_id, now)
        opened.append(head)
    if place.own is None and place.root_id != own_id:
        opened.append(begun(principal, said.session_id, said.parent_session_id, place.root_id, agent_id, now))
    row = told_row(principal, said, agent_id, pack, told, orders, check, head, place.root.session, now)
    return Telling(tuple(opened), row, moved(head, row, place.root.session, moment(now)))


# Taking labels off


def check_reason(said: RemoveFlowLabels) -> None:
    """Raises `invalid_body`."""
    if not said.reason.strip():
        raise _wrong("reason", "is blank; say why these labels need not hold any more")


def relieving(
    principal: Principal,
    flow_id: str,
    said: RemoveFlowLabels,
    own: FlowSession | None,
    root: KnownSession,
    check: str,
    now: int,
) -> tuple[FlowSession, FlowStatement | None]:
    """The outermost session afterwards, and what is recorded; None where none of the labels holds any more. `own` is
    the row of the session that is named. Raises `flow_not_found`, `self_approval`, `invalid_body` and
    `flow_changed`."""
    head = root.head
    if head is None:
        raise refuse(Code.FLOW_NOT_FOUND, f"No session {flow_id!r} of this organization was told anything.")
    named = _named(head.session_id if own is None else own.session_id, head)
    if principal.agent_id is not None and same_name(principal.agent_id, head.agent_id):
        raise refuse(
            Code.SELF_APPROVAL,
            f"{named} is of agent {head.agent_id!r}, and key {principal.key_id} is bound to that agent: it never takes "
            "a label off the agent's own sessions. An operator does so with another key.",
        )
    _check_removal(said, named, head, root.session)
    labels = [each for each in dict.fromkeys(said.labels) if each in head.labels]
    if not labels:
        return head, None
    row = removal_row(principal, said, labels, root.check or check, head, now)
    return relieved(head, row), row


def _named(session_id: str, root: FlowSession) -> str:
    """How a refusal names a session, with the outermost one, which has what was told."""
    inside = "" if session_id == root.session_id else f", which is told into session {root.session_id!r},"
    return f"Session {session_id!r}{inside}"


def _check_removal(said: RemoveFlowLabels, named: str, head: FlowSession, session: Session) -> None:
    """`named` is how the session is named. Raises `invalid_body` for a label that the session never had and for more
    removals than it keeps, and `flow_changed` for a label that was put on after what the caller has read."""
    if said.if_told is not None and said.if_told > head.told:
        raise _wrong(
            "if_told", f"is {said.if_told}, and the session was told something {head.told} times; read it again"
        )
    for place, label in enumerate(said.labels):
        known = session.labels.get(label)
        if known is None and label not in head.labels:
            had = ", ".join(head.labels) or "none"
            raise _wrong(f"labels[{place}]", f"is {label!r}. {named} never had it; it has {had}")
        if said.if_told is not None and label in head.labels and known is not None and known.put > said.if_told:
            again = " again" if known.removed >= 0 else ""
            raise refuse(
                Code.FLOW_CHANGED,
                f"{named} got label {label!r}{again} with what it was told as number {known.put}, and if_told is "
                f"{said.if_told}; read the session again.",
            )
    if len(session.removals) + len(said.labels) > BOUNDS.removals:
        raise _wrong("labels", f"would be more than {BOUNDS.removals} removals, the most of one session")


# Asked by guard


def asked_in(own_id: str, own: FlowSession | None, around: FlowSession | None) -> str:
    """The flow of the outermost session of one that guard is asked about; `around` is the one that it says it is in,
    which counts while it was told nothing itself."""
    if own is not None:
        return own.root_id
    return own_id if around is None else around.root_id


def not_seen(asked: SessionAsked, own: FlowSession | None, root: FlowSession | None) -> tuple[Gap, ...] | None:
    """Why guard sees nothing of what the outermost session was told, without a cause where it was told nothing; None
    where guard sees it. Another agent's session is told apart first: an operator has to hear of that."""
    if root is None:
        return ()
    inside = asked.session_id != root.session_id
    if not _joins(asked.agent_id, asked.principal, root, own, inside=inside):
        return ("foreign",)
    named = asked.parent_session_id
    return ("moved",) if own is not None and named not in (None, own.parent_session_id) else None


def approved(action_type: str, context: Mapping[str, Any], digester: Digester, pack: Pack) -> Approved | None:
    """What an operator has trusted by approving a request; None where a secret was taken out of it."""
    call = flow_call(action_type, context)
    if call.gaps:
        return None
    return digest_call(call.tool, call.parameters, digester=digester, pack=pack).approved()


def _joins(
    agent_id: str | None, principal: Principal, root: FlowSession, own: FlowSession | None, *, inside: bool
) -> bool:
    """Whether a session is that of whoever tells it or asks in it, for this agent and by this key.

    Whose it is, says the outermost one, which has what was told: it is the agent's that it was first told for, or
    nobody's. A key that is bound to no agent may name any, so it is asked for the same one as everybody: otherwise it
    would put words into the mouth of another agent's user by mistake, or by leaving the name out. A sub-agent
    (`inside`) may go by a name of its own where the very key that began the outermost session speaks for both: they are
    one program. It joins its own sessions alone; `own` is the session's row, if it has one."""
    if same_name(agent_id, root.agent_id):
        return True
    named = agent_id is not None and (own is None or same_name(agent_id, own.agent_id))
    return inside and named and root.agent_id is not None and principal.key_id == root.created_by


def _speaks(principal: Principal, agent_id: str | None) -> str:
    """How a refusal says who it is told for."""
    if principal.agent_id is not None:
        return f"key {principal.key_id} is bound to agent {principal.agent_id!r}"
    return f"this is told for {'no agent' if agent_id is None else f'agent {agent_id!r}'}"


def _instead(principal: Principal, session: FlowSession) -> str:
    """What a refusal says to do."""
    if principal.agent_id is not None:
        return "use a session of the agent's own"
    if session.agent_id is None:
        return "leave agent_id out, or use a session of the agent's own"
    return f"say agent_id {session.agent_id!r} if it is that agent's, or use another session"


def _wrong(place: str, message: str) -> Refusal:
    return refuse(Code.INVALID_BODY, f"{place} {message}.", FieldError(place=place, message=message))
