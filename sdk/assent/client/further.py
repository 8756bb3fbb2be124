"""The nouns beside the loop: what agents tell each other, what operators set, what can be shown, what it adds up to.

They come along when somebody first reaches for a method of one of them (`nouns`).
"""

from __future__ import annotations

from assent.client.activity import ActivityOperations
from assent.client.agents import AgentOperations
from assent.client.assignments import AssignmentOperations
from assent.client.backtest import BacktestOperations
from assent.client.calibration import CalibrationOperations
from assent.client.changes import ChangeOperations
from assent.client.comments import CommentOperations
from assent.client.compliance import ComplianceOperations
from assent.client.data import DataOperations
from assent.client.drift import DriftOperations
from assent.client.escalations import EscalationOperations
from assent.client.evaluations import EvaluationOperations
from assent.client.events import EventOperations
from assent.client.feedback import FeedbackOperations
from assent.client.flows import FlowOperations
from assent.client.grants import GrantOperations
from assent.client.handoffs import HandoffOperations
from assent.client.insight import InsightOperations
from assent.client.journal import JournalOperations
from assent.client.key_points import KeyPointOperations
from assent.client.learning import LearningOperations
from assent.client.lessons import LessonOperations
from assent.client.messages import MessageOperations
from assent.client.observed import ObservedOperations
from assent.client.organizations import OrganizationOperations
from assent.client.pairings import PairingOperations
from assent.client.pcaa import PcaaOperations
from assent.client.policies import PolicyOperations
from assent.client.prompts import PromptOperations
from assent.client.proofs import ProofOperations
from assent.client.purchases import PurchaseOperations
from assent.client.readiness import ReadinessOperations
from assent.client.risk_templates import RiskTemplateOperations
from assent.client.rota import RotaOperations
from assent.client.routing import RoutingOperations
from assent.client.scans import ScanOperations
from assent.client.scoring import ScoringOperations
from assent.client.snippets import SnippetOperations
from assent.client.snoozes import SnoozeOperations
from assent.client.studio import StudioOperations
from assent.client.threads import ThreadOperations
from assent.client.triage import TriageOperations
from assent.client.webhooks import WebhookOperations


class FurtherOperations(
    CommentOperations,
    SnoozeOperations,
    AssignmentOperations,
    EscalationOperations,
    AgentOperations,
    HandoffOperations,
    ThreadOperations,
    TriageOperations,
    FlowOperations,
    KeyPointOperations,
    MessageOperations,
    EvaluationOperations,
    ScoringOperations,
    LearningOperations,
    LessonOperations,
    DriftOperations,
    RiskTemplateOperations,
    GrantOperations,
    CalibrationOperations,
    EventOperations,
    ScanOperations,
    PolicyOperations,
    BacktestOperations,
    ChangeOperations,
    ObservedOperations,
    OrganizationOperations,
    RotaOperations,
    DataOperations,
    ReadinessOperations,
    PcaaOperations,
    InsightOperations,
    PairingOperations,
    FeedbackOperations,
    PromptOperations,
    ActivityOperations,
    ComplianceOperations,
    WebhookOperations,
    ProofOperations,
    JournalOperations,
    PurchaseOperations,
    SnippetOperations,
    StudioOperations,
    RoutingOperations,
):
    """Everything that a client can be asked beside the loop."""
