"""Read by the type checkers, never called: what the operations of feedback give, on both clients."""

from typing import assert_type

from assent import AsyncClient, Client
from assent.contract.exchange.feedback import DeletedFeedback, Feedback, FeedbackList, FeedbackStats, Sentiment


def blocking(client: Client) -> None:
    made = client.submit_feedback(5, "fast", action_id="act_1", tags=["x"], metadata={"a": 1})
    assert_type(made, Feedback)
    assert_type(made.rating, float | None)
    assert_type(made.sentiment, Sentiment)
    assert_type(client.submit_feedback({"rating": 4.5, "action_id": "act_1"}), Feedback)
    assert_type(client.list_feedback("act_1", sentiment="positive", limit=5), FeedbackList)
    assert_type(client.get_feedback("fb_1"), Feedback)
    assert_type(client.resolve_feedback("fb_1", "Ann", resolved=False), Feedback)
    assert_type(client.delete_feedback("fb_1"), DeletedFeedback)
    assert_type(client.get_feedback_stats("bot"), FeedbackStats)
    assert_type(client.get_feedback_stats().overall.avg_rating, float | None)


async def awaiting(client: AsyncClient) -> None:
    assert_type(await client.submit_feedback(comment="fast"), Feedback)
    assert_type(await client.list_feedback(), FeedbackList)
    assert_type(await client.get_feedback_stats(), FeedbackStats)
