"""Approval comments: what operators tell each other about a request.

1. Whoever decides may comment on a request, while it waits and once it has ended; an auditor reads. A comment decides
   nothing and changes nothing of the request.
2. No key of role agent reads one, neither by an operation nor on the stream: operators say here what an agent could
   shape its next request to. What an agent is to know is a question, or the reason of a decision.
3. A comment is never changed. It goes with the erasure of its action.
4. The same words by the same key, with no comment on the request in between, are the same comment: whoever lost an
   answer sends again.
5. It is no part of the action's certificate, which is about what was asked, decided and done.
"""

from __future__ import annotations

from typing import Protocol

from assent.contract.control.actions import Action
from assent.contract.control.approvals import Approval
from assent.contract.control.comments import (
    ADD_COMMENT,
    COMMENT_BYTES,
    GET_COMMENTS,
    AddComment,
    ApprovalComment,
    CommentDetail,
    CommentsQuery,
)
from assent.contract.control.comments import Comments as CommentList
from assent.contract.events import EventName
from assent.contract.problems import Code, FieldError
from assent_service.base.clock import Clock, moment, new_id
from assent_service.base.problem import refuse
from assent_service.control.approvals import never_asked
from assent_service.core.call import Call
from assent_service.core.foundation import Foundation
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import Filters, list_rows, of_caller, record, select
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger
from assent_service.store.tables import Table

__all__ = ["APPROVAL_COMMENTS", "TABLES", "Comments", "open_comments"]

APPROVAL_COMMENTS = Table.of(
    ApprovalComment,
    name="approval_comments",
    meaning="what operators told each other about requests, one row for each comment",
    key="comment_id",
    created=("approval_comment.created",),
)
TABLES = (APPROVAL_COMMENTS,)
FILTERS = Filters(APPROVAL_COMMENTS, CommentsQuery)
COMMENTS_FENCE = Fence("comments", "action_id")
"""Of commenting on one request: the newest comment tells a repetition."""
_NEWEST = (
    f"SELECT {select(APPROVAL_COMMENTS)} FROM approval_comments WHERE org_id = ? AND action_id = ? "
    "ORDER BY created_at DESC, comment_id DESC LIMIT 1"
)


def check_text(text: str) -> None:
    """Raises `invalid_body` for a blank text, and for one of more than COMMENT_BYTES."""
    size = len(text.encode("utf-8", "surrogatepass"))
    message = None
    if not text.strip():
        message = "is blank"
    elif size > COMMENT_BYTES:
        message = f"holds {size:,} bytes in UTF-8, at most {COMMENT_BYTES:,}"
    if message is not None:
        raise refuse(Code.INVALID_BODY, f"text {message}.", FieldError(place="text", message=message))


def written(action: Action, approval: Approval, text: str, by: Principal, now: int) -> ApprovalComment:
    return ApprovalComment(
        org_id=action.org_id,
        comment_id=new_id("cmt_", now),
        action_id=action.action_id,
        approval_id=approval.approval_id,
        agent_id=action.agent_id,
        action_type=action.action_type,
        text=text,
        written_by=by.name,
        written_by_key=by.key_id,
        created_at=moment(now),
    )


class Actions(Protocol):
    """What a comment needs of the action it is about."""

    async def visible(self, principal: Principal, action_id: str) -> Action: ...


class Approvals(Protocol):
    """What a comment needs of the approval it is about."""

    async def of(self, action: Action) -> Approval | None: ...


class Comments:
    """The comments of every organization."""

    def __init__(
        self, ledger: Ledger, clock: Clock, locks: EntityLocks, actions: Actions, approvals: Approvals
    ) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self._actions, self._approvals = actions, approvals

    async def add(self, principal: Principal, action_id: str, said: AddComment) -> ApprovalComment:
        """Raises `invalid_body`, `action_not_found` and `not_awaiting_approval` where nobody was ever asked."""
        check_text(said.text)
        async with self._locks.hold(COMMENTS_FENCE.of(principal.org_id, action_id)):
            action = await self._actions.visible(principal, action_id)
            approval = await self._approvals.of(action)
            if approval is None:
                raise never_asked(action)
            newest = await self._newest(action)
            if newest is not None and (newest.text, newest.written_by_key) == (said.text, principal.key_id):
                return newest
            now = self._clock()
            comment = written(action, approval, said.text, principal, now)
            await self._ledger.append(_event(comment, principal, now))
            return comment

    async def page(self, principal: Principal, query: CommentsQuery) -> CommentList:
        chosen = of_caller(principal)
        FILTERS.narrow(chosen, query)
        page = await list_rows(self._ledger, APPROVAL_COMMENTS, ApprovalComment, chosen, query)
        return CommentList(
            comments=page.rows,
            total=page.total,
            lastUpdated=moment(self._clock()),
            next_cursor=page.next_cursor,
        )

    async def _newest(self, action: Action) -> ApprovalComment | None:
        rows = await self._ledger.read(_NEWEST, [action.org_id, action.action_id])
        return record(APPROVAL_COMMENTS, rows[0], ApprovalComment) if rows else None


def _event(comment: ApprovalComment, principal: Principal, now: int) -> Draft:
    return Draft(
        org=comment.org_id,
        type=EventName.COMMENT_CREATED.value,
        ts=now,
        subject=comment.comment_id,
        actor=principal.key_id,
        data=encode(comment),
        action=comment.action_id,
    )


def routes(comments: Comments) -> tuple[Route, ...]:
    @serves(ADD_COMMENT, holds=(COMMENTS_FENCE,))
    async def add(call: Call[AddComment, None], action_id: str) -> CommentDetail:
        return CommentDetail(comment=await comments.add(call.principal, action_id, call.body))

    @serves(GET_COMMENTS)
    async def list_all(call: Call[None, CommentsQuery]) -> CommentList:
        return await comments.page(call.principal, call.query)

    return add, list_all


def open_comments(on: Foundation, actions: Actions, approvals: Approvals) -> Comments:
    comments = Comments(on.ledger, on.clock, on.locks, actions, approvals)
    on.bring(routes=routes(comments))
    return comments
