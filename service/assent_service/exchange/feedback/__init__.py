"""Feedback: what people and agents thought of what an agent did."""

from assent_service.exchange.feedback.feedback import FEEDBACK_TABLE, TABLES, Feedbacks, open_feedback

__all__ = ["FEEDBACK_TABLE", "TABLES", "Feedbacks", "open_feedback"]
