"""Feedback: what people and agents thought of what an agent did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.feedback import (
    DELETE_FEEDBACK,
    GET_FEEDBACK,
    GET_FEEDBACK_STATS,
    LIST_FEEDBACK,
    RESOLVE_FEEDBACK,
    SUBMIT_FEEDBACK,
    DeletedFeedback,
    Feedback,
    FeedbackList,
    FeedbackQuery,
    FeedbackStats,
    ResolveFeedback,
    Sentiment,
    SubmitFeedback,
)


class FeedbackOperations(Caller):
    @operation
    def submit_feedback(
        self,
        rating: float | Mapping[str, Any] | None = None,
        comment: str | None = None,
        action_id: str | None = None,
        agent_id: str | None = None,
        category: str | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        *,
        source: str | None = None,
    ) -> Flow[Feedback]:
        """Say what was good or bad: a `rating` from 1 to 5, a `comment`, or both, or a mapping with all of it. It is
        about the action, else about `agent_id`, else about the client's own agent.

        Raises ValueError for feedback without either, NotFound for an unknown action.
        """
        said = dict(rating) if isinstance(rating, Mapping) else {"rating": rating}
        if isinstance(said.get("rating"), str):
            raise TypeError(
                f"rating is {said['rating']!r}; the order is rating, comment, action_id, so name what you give: "
                "submit_feedback(action_id=..., rating=5)"
            )
        more = {
            "comment": comment,
            "action_id": action_id,
            "agent_id": agent_id,
            "category": category,
            "tags": tags,
            "metadata": metadata,
            "source": source,
        }
        body = {**said, **members(SubmitFeedback, more, "submit_feedback")}
        if body.get("rating") is None and not body.get("comment"):
            raise ValueError("feedback needs a rating from 1 to 5, or a comment, or both")
        if body.get("action_id", body.get("actionId")) is None and body.get("agent_id", body.get("agentId")) is None:
            body["agent_id"] = self.agent_id
        body.setdefault("source", "sdk")
        given = {name: value for name, value in body.items() if value is not None}
        return (yield from send(SUBMIT_FEEDBACK, body=given))

    @operation
    def list_feedback(
        self,
        action_id: str | None = None,
        agent_id: str | None = None,
        category: str | None = None,
        sentiment: Sentiment | str | None = None,
        resolved: bool | None = None,
        limit: int | None = None,
        offset: int | None = None,
        *,
        cursor: str | None = None,
    ) -> Flow[FeedbackList]:
        """A page of feedback, newest first; `limit` is 1 to 200."""
        given = {"action_id": action_id, "agent_id": agent_id, "category": category, "sentiment": sentiment}
        more = {"resolved": resolved, "limit": limit, "offset": offset, "cursor": cursor}
        return (yield from send(LIST_FEEDBACK, query=members(FeedbackQuery, {**given, **more}, "list_feedback")))

    @operation
    def get_feedback(self, feedback_id: str) -> Flow[Feedback]:
        """One piece of feedback. Raises NotFound."""
        return (yield from send(GET_FEEDBACK, path={"feedback_id": feedback_id}))

    @operation
    def resolve_feedback(
        self, feedback_id: str, resolved_by: str | None = None, *, resolved: bool = True
    ) -> Flow[Feedback]:
        """Say that somebody has seen to it, or with `resolved=False` that it is to be taken up again. Whoever was first
        stands. Raises NotFound."""
        body = ResolveFeedback(resolved_by=resolved_by, resolved=resolved)
        return (yield from send(RESOLVE_FEEDBACK, path={"feedback_id": feedback_id}, body=body))

    @operation
    def delete_feedback(self, feedback_id: str) -> Flow[DeletedFeedback]:
        """Take it out of every list and count; needs an operator's key. Raises NotFound."""
        return (yield from send(DELETE_FEEDBACK, path={"feedback_id": feedback_id}))

    @operation
    def get_feedback_stats(self, agent_id: str | None = None) -> Flow[FeedbackStats]:
        """How much feedback there is, how good it is and about what, of one agent or of all."""
        return (yield from send(GET_FEEDBACK_STATS, query={"agent_id": agent_id}))
