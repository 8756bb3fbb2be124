"""What a session was told, as it is recorded: digests and labels. Pure.

A session has a row of counts and labels, and a row for each time that it was told something, which has the digests
that were new, or that labels were taken off. The first is changed with each of the others, and stays when those are
erased: so what is missing is known by the count.
"""

from __future__ import annotations

import struct
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from hashlib import sha256
from typing import Annotated

from msgspec import Struct
from msgspec.structs import replace

from assent.contract.control.flows import FlowSession, RemovedLabel, RemoveFlowLabels, TellFlow
from assent.contract.names import comparable
from assent.contract.problems import Code, FieldError
from assent.contract.record import OrganizationId, RecordedAt, meaning
from assent.flows import (
    BOUNDS,
    Called,
    CallFacts,
    Digester,
    Event,
    Folded,
    History,
    LabelPut,
    LabelRemoved,
    Pack,
    Session,
    UserText,
    fold_result,
    user_text,
)
from assent.flows.pack import EFFECTS, INJECTION
from assent.flows.session import UNTRUSTED
from assent_service.base.clock import microseconds, moment, new_id
from assent_service.base.problem import refuse
from assent_service.core.principal import Principal

_CHECKED = "assent"


class StatementKind(StrEnum):
    USER = "user"
    RESULT = "result"
    REMOVAL = "removal"


class FlowStatement(Struct, frozen=True, kw_only=True):
    """The payload of `flow.told` and of `flow.labels_removed`. Digests are 64-bit numbers, little-endian, in base64."""

    org_id: OrganizationId
    told_id: Annotated[str, meaning("id of what was told", frozen=True)]
    flow_id: Annotated[str, meaning("the flow of the outermost session", frozen=True)]
    session_id: Annotated[str, meaning("the session that was told it", frozen=True)]
    agent_id: Annotated[str | None, meaning("who told it", frozen=True)]
    action_id: Annotated[str | None, meaning("the action that it belongs to", frozen=True)]
    number: Annotated[int, meaning("which time it is that the flow was told something", frozen=True)]
    kind: Annotated[StatementKind, meaning("user said it, result of a tool, removal of labels", frozen=True)]
    call: Annotated[int, meaning("number of the call that was answered; 0 for none", frozen=True)]
    tool: Annotated[str, meaning("the tool that answered", frozen=True)]
    user: Annotated[str, meaning("new digests of what the user said", frozen=True)]
    leaves: Annotated[dict[str, str], meaning("new digests of whole values, by their fields", frozen=True)]
    free: Annotated[str, meaning("new digests of texts", frozen=True)]
    text: Annotated[bool, meaning("whether it held text of somebody else", frozen=True)]
    page: Annotated[bool, meaning("whether it is what stands at an address outside", frozen=True)]
    complete: Annotated[bool, meaning("whether everything that was told is kept", frozen=True)]
    labels: Annotated[list[str], meaning("labels that it put on, or took off", frozen=True)]
    key_check: Annotated[str, meaning("tells by which key the digests were made", frozen=True)]
    created_by: Annotated[str, meaning("id of the key that told it", frozen=True)]
    created_at: RecordedAt
    reason: Annotated[str, meaning("why labels were taken off", frozen=True)] = ""
    effect: Annotated[str, meaning("what the tool does, by the pack of then; empty for none", frozen=True)] = ""

    def events(self) -> Iterable[Event]:
        """As a session folds them."""
        number = self.number
        match self.kind:
            case StatementKind.USER:
                yield UserText(unpacked(self.user), self.complete)
            case StatementKind.RESULT:
                yield Called(self.call)
                leaves = tuple((digest, field) for field, some in self.leaves.items() for digest in unpacked(some))
                free = unpacked(self.free)
                yield Folded(self.call, self.tool, leaves, free, self.text, self.page, self.complete, number)
            case StatementKind.REMOVAL:
                for label in self.labels:
                    yield LabelRemoved(self.call, label, self.created_by, self.reason, number)
                return
        for label in self.labels:
            yield LabelPut(self.call, label, "told", number)


@lru_cache(maxsize=4_096)
def flow_id_of(org_id: str, session_id: str) -> str:
    """Follows from the session, whose own id may be any text."""
    return "fl_" + sha256(f"{org_id}\0{session_id}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def key_check(key: bytes) -> str:
    """Tells keys apart, and nothing of them."""
    return f"{Digester(key).word(_CHECKED):016x}"


def packed(digests: Sequence[int]) -> str:
    return b64encode(struct.pack(f"<{len(digests)}Q", *digests)).decode()


def unpacked(text: str) -> tuple[int, ...]:
    data = b64decode(text)
    return struct.unpack(f"<{len(data) // 8}Q", data)


def recall(history: History, row: FlowStatement, session: Session) -> None:
    """Adds the call that a row is the answer of; `session` is as it was before it."""
    if row.kind is not StatementKind.RESULT:
        return
    effect = next((each for each in EFFECTS if each == row.effect), None)
    if effect is None:
        # It was told before effects were kept.
        history.complete = False
        return
    tool, at = comparable(row.tool), microseconds(row.created_at) / 1_000_000
    history.add(CallFacts(tool, effect, session.held(), at))


def assembled(head: FlowSession, told: Iterable[FlowStatement]) -> tuple[Session, History, str]:
    """The session as its rows add up, its calls, and what tells the key of its digests; nothing for none. It is not
    complete where rows are missing or were made with different keys, and has the labels that hold whatever is missing;
    its history is not where rows are missing."""
    session, history, number, check = Session(), History(), 0, ""
    for row in told:
        number += 1
        recall(history, row, session)
        for event in row.events():
            session.fold(event)
        if check not in ("", row.key_check):
            session.lose("key")
        check = row.key_check
    history.complete &= number == head.told
    session.complete &= head.complete
    if number != head.told:
        session.lose("erased")
    session.fold(Called(head.calls))
    for label in head.labels:
        if not session.holds(label):
            session.fold(LabelPut(0, label, "kept", head.told))
    return session, history, check


def moved(head: FlowSession, row: FlowStatement, session: Session, at: datetime) -> FlowSession:
    """The session's row after it was told this; `session` is as it was before."""
    labels = {*head.labels, *row.labels} | ({UNTRUSTED} if row.text else set())
    return replace(
        head,
        told=row.number,
        calls=max(head.calls, row.call),
        complete=session.complete and row.complete,
        labels=sorted(labels),
        removed=[each for each in head.removed if each.label not in labels],
        updated_at=at,
    )


def relieved(head: FlowSession, row: FlowStatement) -> FlowSession:
    """The session's row after an operator took these labels off."""
    removed = [each for each in head.removed if each.label not in row.labels]
    removed += [
        RemovedLabel(label=each, reason=row.reason, by=row.created_by, at=row.created_at) for each in row.labels
    ]
    return replace(
        head,
        told=row.number,
        labels=[each for each in head.labels if each not in row.labels],
        removed=removed,
        updated_at=row.created_at,
    )


def begun(
    principal: Principal, session_id: str, parent: str | None, root_id: str, agent_id: str | None, now: int
) -> FlowSession:
    return FlowSession(
        org_id=principal.org_id,
        flow_id=flow_id_of(principal.org_id, session_id),
        session_id=session_id,
        parent_session_id=parent,
        root_id=root_id,
        agent_id=agent_id,
        told=0,
        calls=0,
        complete=True,
        labels=[],
        created_by=principal.key_id,
        created_at=moment(now),
        updated_at=moment(now),
    )


def digested(said: TellFlow, pack: Pack, key: bytes) -> UserText | Folded:
    """What is told, as digests. Its call is numbered when it is recorded."""
    digester = Digester(key)
    if said.user_text is not None:
        told = user_text(said.user_text, digester)
        return told._replace(complete=told.complete and not said.cut)
    name = str(said.tool)
    tool = pack.tool(name, said.arguments or ())
    found = fold_result(said.result, call=0, name=name, tool=tool, digester=digester, pack=pack)
    return found._replace(complete=found.complete and not said.cut)


def told_row(
    principal: Principal,
    said: TellFlow,
    agent_id: str | None,
    pack: Pack,
    told: UserText | Folded,
    orders: bool,
    check: str,
    head: FlowSession,
    session: Session,
    now: int,
) -> FlowStatement:
    """What is new of it to the session, as far as there is room. `orders` says that the scan found some in it."""
    labels, complete = list(said.labels or ()), told.complete
    user: Sequence[int] = ()
    leaves: dict[str, list[int]] = {}
    free: Sequence[int] = ()
    call, effect = 0, ""
    if isinstance(told, UserText):
        user = [each for each in told.digests if each not in session.user]
        user, complete = _room(user, BOUNDS.user - len(session.user), complete)
    else:
        call = head.calls + 1
        new = [(digest, field) for digest, field in told.leaves if digest not in session.leaves]
        kept = new[: max(0, BOUNDS.leaves - len(session.leaves))]
        complete = complete and len(kept) == len(new)
        for digest, field in kept:
            leaves.setdefault(field, []).append(digest)
        free = [each for each in told.free if each not in session.free]
        free, complete = _room(free, BOUNDS.free - len(session.free), complete)
        tool = pack.tool(str(said.tool), said.arguments or ())
        labels += tool.labels
        effect = tool.effect
    labels = sorted({*labels, INJECTION} if orders else set(labels))
    if INJECTION in labels:
        # Whoever gives orders wrote a text, however short it is.
        labels = sorted({*labels, UNTRUSTED})
    fresh = [each for each in labels if each not in session.labels]
    if len(session.labels) + len(fresh) >= BOUNDS.labels:
        message = f"would be more than {BOUNDS.labels - 1}, the most of one session; begin another one"
        raise refuse(Code.INVALID_BODY, f"labels {message}.", FieldError(place="labels", message=message))
    return FlowStatement(
        org_id=principal.org_id,
        told_id=new_id("ft_", now),
        flow_id=head.flow_id,
        session_id=said.session_id,
        agent_id=agent_id,
        action_id=said.action_id,
        number=head.told + 1,
        kind=StatementKind.USER if isinstance(told, UserText) else StatementKind.RESULT,
        call=call,
        tool=said.tool or "",
        user=packed(user),
        leaves={field: packed(digests) for field, digests in leaves.items()},
        free=packed(free),
        text=isinstance(told, Folded) and told.text,
        page=isinstance(told, Folded) and told.page,
        complete=complete,
        labels=labels,
        key_check=check,
        created_by=principal.key_id,
        created_at=moment(now),
        effect=effect,
    )


def removal_row(
    principal: Principal, said: RemoveFlowLabels, labels: Sequence[str], check: str, head: FlowSession, now: int
) -> FlowStatement:
    """That these labels, which hold, were taken off."""
    return FlowStatement(
        org_id=principal.org_id,
        told_id=new_id("ft_", now),
        flow_id=head.flow_id,
        session_id=head.session_id,
        agent_id=head.agent_id,
        action_id=None,
        number=head.told + 1,
        kind=StatementKind.REMOVAL,
        call=head.calls,
        tool="",
        user="",
        leaves={},
        free="",
        text=False,
        page=False,
        complete=True,
        labels=sorted(labels),
        key_check=check,
        created_by=principal.key_id,
        created_at=moment(now),
        reason=said.reason,
    )


def _room(found: Sequence[int], room: int, complete: bool) -> tuple[Sequence[int], bool]:
    kept = found[: max(0, room)]
    return kept, complete and len(kept) == len(found)
