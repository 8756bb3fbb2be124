"""What feedback is when it is given, and what becomes of it when somebody has seen to it. Pure.

1. Feedback is a rating from 1 to 5, a comment that says something, or both; without either it is nothing.
2. Sentiment follows the rating: 4 and more is positive, 2 and less negative. A rating in between, or none, leaves it to
   the comment's words (`words`).
3. Tags are those that were given and then those that the comment brings along, each once, whatever its case.
4. Feedback on an action is about the action's agent and type, whatever the request says; other feedback is about the
   agent that it names.
5. Seeing to it again changes nothing: who did so first stands. It can be taken up again, and then seen to anew.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from assent.contract.control.actions import Action
from assent.contract.exchange.feedback import Feedback, FeedbackRow, ResolveFeedback, Sentiment, SubmitFeedback
from assent.contract.problems import Code, FieldError
from assent_service.base.clock import moment
from assent_service.base.problem import refuse
from assent_service.core.faithful import check_canonical
from assent_service.core.principal import Principal
from assent_service.exchange.feedback.words import mood, topics

LARGEST_METADATA = 16_384
"""Bytes of JSON."""


def as_row(
    said: SubmitFeedback, action: Action | None, principal: Principal, feedback_id: str, now: int
) -> FeedbackRow:
    """The feedback as it is recorded, about `action` if any.

    Raises `invalid_body` for feedback that says nothing and for metadata that cannot be kept.
    """
    comment = said.comment or ""
    if said.rating is None and not comment.strip():
        error = FieldError(place="rating", message="or comment is required")
        raise refuse(Code.INVALID_BODY, "Feedback needs a rating from 1 to 5, or a comment, or both.", error)
    check_canonical(said.metadata or {}, "metadata", LARGEST_METADATA)
    agent_id = said.agent_id or principal.agent_id
    at = moment(now)
    return FeedbackRow(
        org_id=principal.org_id,
        feedback_id=feedback_id,
        action_id=action.action_id if action else None,
        agent_id=(action.agent_id or agent_id) if action else agent_id,
        action_type=action.action_type if action else None,
        rating=said.rating,
        comment=comment,
        sentiment=sentiment_of(said.rating, comment),
        category=said.category or "general",
        tags=merged(said.tags or (), topics(comment)),
        metadata=said.metadata or {},
        source=said.source or "user",
        resolved=False,
        resolved_at=None,
        resolved_by=None,
        resolved_by_key=None,
        created_by=principal.key_id,
        created_at=at,
        updated_at=at,
        deleted_at=None,
    )


def sentiment_of(rating: float | None, comment: str) -> Sentiment:
    if rating is not None and rating >= 4:
        return Sentiment.POSITIVE
    if rating is not None and rating <= 2:
        return Sentiment.NEGATIVE
    return mood(comment)


def merged(tags: Iterable[str], found: Iterable[str]) -> list[str]:
    """All of them in order, the later spellings of the same one left out."""
    kept: dict[str, str] = {}
    for tag in (*tags, *found):
        kept.setdefault(tag.strip().casefold(), tag.strip())
    kept.pop("", None)
    return list(kept.values())


def resolved(feedback: FeedbackRow, said: ResolveFeedback, principal: Principal, now: int) -> FeedbackRow:
    """The feedback after somebody has seen to it, or taken it up again; the same object when it stands so already."""
    if feedback.resolved == said.resolved:
        return feedback
    seen = said.resolved
    return msgspec.structs.replace(
        feedback,
        resolved=seen,
        resolved_at=moment(now) if seen else None,
        resolved_by=(said.resolved_by or principal.name) if seen else None,
        resolved_by_key=principal.key_id if seen else None,
        updated_at=moment(now),
    )


def deleted(feedback: FeedbackRow, now: int) -> FeedbackRow:
    return msgspec.structs.replace(feedback, deleted_at=moment(now), updated_at=moment(now))


def as_answer(feedback: FeedbackRow) -> Feedback:
    """As it crosses the wire, with its id under both names."""
    return Feedback(id=feedback.feedback_id, **msgspec.structs.asdict(feedback))
