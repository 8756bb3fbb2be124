"""What feedback is, without a service."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from assent.contract.control.actions import Action
from assent.contract.exchange.feedback import FeedbackRow, ResolveFeedback, SubmitFeedback
from assent.contract.problems import Code
from assent.contract.roles import Role
from assent_service.base.problem import Refusal
from assent_service.core.principal import Principal
from assent_service.exchange.feedback.opinion import as_answer, as_row, deleted, merged, resolved, sentiment_of
from tests.service.control.actions.samples import an_action

NOON_US = 1_772_452_800_000_000
NOON, LATER = datetime(2026, 3, 2, 12, 0, tzinfo=UTC), datetime(2026, 3, 2, 12, 1, tzinfo=UTC)
LATER_US = NOON_US + 60_000_000
ANN = Principal("org_1", "key_ann", "Ann's key", Role.OPERATOR, None)
BOT = Principal("org_1", "key_bot", "Bot's key", Role.AGENT, "bot")


def give(action: Action | None = None, by: Principal = ANN, **said: Any) -> FeedbackRow:
    return as_row(msgspec.convert(said, SubmitFeedback), action, by, "fb_1", NOON_US)


def test_a_rating_is_enough_and_everything_else_has_a_default() -> None:
    made = give(rating=5)
    assert (made.rating, made.comment, made.sentiment, made.category, made.tags) == (5, "", "positive", "general", [])
    assert (made.action_id, made.agent_id, made.action_type, made.metadata, made.source) == (
        None,
        None,
        None,
        {},
        "user",
    )
    assert (made.resolved, made.resolved_at, made.resolved_by, made.deleted_at) == (False, None, None, None)
    assert (made.org_id, made.created_by, made.created_at, made.updated_at) == ("org_1", "key_ann", NOON, NOON)
    assert as_answer(made).id == made.feedback_id == "fb_1"


@pytest.mark.parametrize("said", [{}, {"comment": ""}, {"comment": " \n\t"}, {"tags": ["x"], "metadata": {"a": 1}}])
def test_without_a_rating_and_a_comment_it_says_nothing(said: dict[str, Any]) -> None:
    with pytest.raises(Refusal, match="rating from 1 to 5, or a comment") as found:
        give(**said)
    assert (found.value.code, [error.place for error in found.value.errors]) == (Code.INVALID_BODY, ["rating"])


@pytest.mark.parametrize(
    ("rating", "comment", "expected"),
    [
        (5, "awful, wrong, bad", "positive"),
        (4, "awful", "positive"),
        (4.5, "", "positive"),
        (3.9, "awful", "negative"),
        (3, "great", "positive"),
        (3, "", "neutral"),
        (2.1, "great", "positive"),
        (2, "great", "negative"),
        (1, "great", "negative"),
        (None, "great", "positive"),
        (None, "it ran", "neutral"),
    ],
)
def test_the_rating_tells_the_sentiment_and_in_between_the_words_do(
    rating: float | None, comment: str, expected: str
) -> None:
    assert sentiment_of(rating, comment) == expected


def test_it_is_about_the_actions_agent_whatever_the_request_says() -> None:
    action = an_action(action_id="act_1", agent_id="bot", action_type="refund")
    made = give(action, rating=1, agent_id="somebody else")
    assert (made.action_id, made.agent_id, made.action_type) == ("act_1", "bot", "refund")
    nobodys = an_action(action_id="act_1", agent_id=None)
    assert give(nobodys, rating=1, agent_id="named").agent_id == "named"
    assert give(rating=1, agent_id="named").agent_id == "named"
    assert give(by=BOT, rating=1).agent_id == "bot"


def test_tags_come_from_both_sides_each_once() -> None:
    made = give(comment="slow and expensive", tags=["mine", "Performance", " mine ", "MINE", " "])
    assert made.tags == ["mine", "Performance", "cost"]
    assert merged([], []) == []


@pytest.mark.parametrize(
    ("metadata", "place"),
    [
        ({"n": 2**53}, "metadata.n"),
        ({"text": "x" * 16_384}, "metadata"),
    ],
)
def test_metadata_that_cannot_be_kept_is_refused_by_name(metadata: dict[str, Any], place: str) -> None:
    with pytest.raises(Refusal) as found:
        give(rating=5, metadata=metadata)
    assert found.value.code is Code.INVALID_BODY
    assert [error.place for error in found.value.errors] == [place]


def test_the_largest_metadata_is_kept() -> None:
    # {"text":"..."} is 11 bytes around the text.
    metadata = {"text": "x" * (16_384 - 11)}
    assert give(rating=5, metadata=metadata).metadata == metadata


def test_seeing_to_it_keeps_the_first_and_can_be_taken_back() -> None:
    start = give(rating=1)
    seen = resolved(start, ResolveFeedback(resolved_by="sdk"), ANN, LATER_US)
    assert (seen.resolved, seen.resolved_at, seen.resolved_by, seen.resolved_by_key) == (True, LATER, "sdk", "key_ann")
    assert seen.updated_at == LATER
    assert resolved(seen, ResolveFeedback(resolved_by="other"), BOT, LATER_US + 1) is seen
    again = resolved(seen, ResolveFeedback(resolved=False), BOT, LATER_US + 1)
    assert (again.resolved, again.resolved_at, again.resolved_by, again.resolved_by_key) == (False, None, None, None)
    assert resolved(start, ResolveFeedback(resolved=False), BOT, LATER_US) is start
    assert resolved(again, ResolveFeedback(), BOT, LATER_US + 2).resolved_by == "Bot's key"


def test_deleting_says_when_and_changes_nothing_else() -> None:
    start = give(rating=1)
    gone = msgspec.structs.asdict(deleted(start, LATER_US))
    assert gone == msgspec.structs.asdict(start) | {"deleted_at": LATER, "updated_at": LATER}
