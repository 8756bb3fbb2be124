"""Guard: asks the policies about a proposed action and records what they say."""

from assent_service.guard.ask import Question
from assent_service.guard.guard import Decided, Guard, Outside
from assent_service.guard.index import PolicySet
from assent_service.guard.matching import check_rules, compile_condition, value_test
from assent_service.guard.parameters import digest_of_parameters
from assent_service.guard.recorded import RecordedDecision
from assent_service.guard.routes import routes
from assent_service.guard.tables import GUARD_DECISIONS
from assent_service.guard.templates import NO_TEMPLATES, TemplateSet, compile_rules
from assent_service.guard.webhook import WebhookSettings, open_client

__all__ = [
    "GUARD_DECISIONS",
    "NO_TEMPLATES",
    "Decided",
    "Guard",
    "Outside",
    "PolicySet",
    "Question",
    "RecordedDecision",
    "TemplateSet",
    "WebhookSettings",
    "check_rules",
    "compile_condition",
    "compile_rules",
    "digest_of_parameters",
    "open_client",
    "routes",
    "value_test",
]
