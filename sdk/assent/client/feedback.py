"""Feedback: what people and agents thought of what an agent did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assent.client.flow import Flow, send
from assent.client.method import Response, calls, sends
from assent.client.operation import Caller, each
from assent.client.request import members
from assent.contract.exchange.feedback import (
    DELETE_FEEDBACK,
    GET_FEEDBACK,
    GET_FEEDBACK_STATS,
    LIST_FEEDBACK,
    RESOLVE_FEEDBACK,
    SUBMIT_FEEDBACK,
    Feedback,
    Sentiment,
    SubmitFeedback,
)


class FeedbackOperations(Caller):
    @calls(SUBMIT_FEEDBACK)
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

    @sends(LIST_FEEDBACK)
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
    ) -> Response:
        """A page of feedback, newest first; `limit` is 1 to 200."""

    iterate_feedback = each(list_feedback, Feedback, lambda page: page.feedback)

    @sends(GET_FEEDBACK)
    def get_feedback(self, feedback_id: str) -> Response:
        """One piece of feedback. Raises NotFound."""

    @sends(RESOLVE_FEEDBACK, unless_default=("resolved",))
    def resolve_feedback(self, feedback_id: str, resolved_by: str | None = None, *, resolved: bool = True) -> Response:
        """Say that somebody has seen to it, or with `resolved=False` that it is to be taken up again. Whoever was first
        stands. Raises NotFound."""

    @sends(DELETE_FEEDBACK)
    def delete_feedback(self, feedback_id: str) -> Response:
        """Take it out of every list and count; needs an operator's key. Raises NotFound."""

    @sends(GET_FEEDBACK_STATS)
    def get_feedback_stats(self, agent_id: str | None = None) -> Response:
        """How much feedback there is, how good it is and about what, of one agent or of all."""
