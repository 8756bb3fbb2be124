"""Comments of operators on requests: for each other, and not for agents."""

from __future__ import annotations

from assent.client.method import Response, sends
from assent.client.operation import Caller
from assent.contract.control.comments import ADD_COMMENT, GET_COMMENTS


class CommentOperations(Caller):
    @sends(ADD_COMMENT, idempotent=True)
    def add_comment(self, action_id: str, text: str) -> Response:
        """Tell the other operators something about a request, while it waits or once it has ended. It decides nothing,
        and no agent's key reads it. The same words again, with nobody's in between, are the same comment.

        Raises NotFound, Conflict for an action that nobody was ever asked about, Forbidden for an agent's key.
        """

    @sends(GET_COMMENTS)
    def get_comments(
        self,
        *,
        action_id: str | None = None,
        agent_id: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """A page of what operators told each other, newest first; `limit` is 1 to 200. Raises Forbidden for an agent's
        key."""
