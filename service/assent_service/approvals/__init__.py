"""Approvals: an operator, or time, decides on an action that waits."""

from assent_service.approvals.approvals import Approvals, requested
from assent_service.approvals.routes import routes
from assent_service.approvals.state import ApprovalStore
from assent_service.approvals.tables import APPROVALS
from assent_service.approvals.transition import DENIED_WITHOUT_WORDS, request

__all__ = ["APPROVALS", "DENIED_WITHOUT_WORDS", "ApprovalStore", "Approvals", "request", "requested", "routes"]
