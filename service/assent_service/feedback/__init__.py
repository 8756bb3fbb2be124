"""Feedback: what people and agents thought of what an agent did."""

from assent_service.feedback.feedback import Feedbacks
from assent_service.feedback.routes import routes
from assent_service.feedback.tables import FEEDBACK

__all__ = ["FEEDBACK", "Feedbacks", "routes"]
