"""Assent: govern what AI agents do. Ask before acting, record durably, have a person decide where it matters.

    from assent import Client

    with Client() as client:
        with client.track("send_email", "Tell the customer about the refund") as action:
            ...

Names are imported when they are first used, so that `import assent` costs next to nothing.
"""

# The name is what type checkers look for; `typing` itself would cost more than everything else here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from assent.client.ambient import Ambient
    from assent.client.client import AsyncClient, Client
    from assent.client.context import ActionContext, AsyncActionContext
    from assent.contract.analysis.data import DataDictionary, DataFormat, DataTable
    from assent.contract.analysis.insight import ApprovalInsight, DecisionMix
    from assent.contract.analysis.readiness import ConnectionTest, ReadinessState, WorkspaceReadiness
    from assent.contract.analysis.scorers import Scorer
    from assent.contract.control.actions import (
        Action,
        ActionDetail,
        Actions,
        ActionStatus,
        ApprovedAction,
        CreatedAction,
        UpdatedAction,
        Verification,
    )
    from assent.contract.control.approvals import Approval, ApprovalState, Verdict
    from assent.contract.control.assumptions import Assumption, AssumptionDetail, Assumptions, RecordedAssumption
    from assent.contract.control.externality import Externality
    from assent.contract.control.guard import Decision, GuardDecision, GuardDecisions, GuardResult, Runtime, Source
    from assent.contract.control.halt import Halt
    from assent.contract.control.injection import InjectionScan
    from assent.contract.control.loops import OpenLoop
    from assent.contract.control.outcomes import Outcome
    from assent.contract.control.policies import (
        DeletedPolicy,
        ImportedPolicies,
        Mode,
        Policies,
        Policy,
        PolicyDetail,
        PolicyTest,
    )
    from assent.contract.control.questions import ApprovalQuestion
    from assent.contract.control.secrets import ContentScan
    from assent.contract.control.signals import Signal
    from assent.contract.events import Event, EventName
    from assent.contract.evidence.activity import ActivityLogs
    from assent.contract.evidence.compliance import ComplianceMap, Presence
    from assent.contract.evidence.pcaa import CheckpointId, CheckpointStatus, Enforceability, PcaaHealth
    from assent.contract.evidence.proofs import ProofBundle, ProofSnapshot, ProofVerification
    from assent.contract.evidence.traces import ActionTrace
    from assent.contract.exchange.feedback import Feedback
    from assent.contract.exchange.handoffs import Handoff
    from assent.contract.exchange.messages import Message
    from assent.contract.exchange.prompts import RenderedPrompt
    from assent.contract.exchange.sync import SyncResult
    from assent.contract.exchange.threads import Thread, ThreadEntry
    from assent.contract.exchange.webhooks import Webhook
    from assent.contract.file import File
    from assent.contract.health import Health, Readiness
    from assent.contract.people.agents import Agent
    from assent.contract.people.identities import Algorithm, Identity
    from assent.contract.people.keys import CreatedKey, Key, Keys, RevokedKey
    from assent.contract.people.organizations import CreatedOrganization, Organization, Organizations
    from assent.contract.people.pairings import Pairing
    from assent.contract.problems import Code, FieldError
    from assent.contract.roles import Role
    from assent.errors import (
        ActionOverError,
        ApiError,
        ApprovalDeniedError,
        ApprovalError,
        ApprovalExpiredError,
        ApprovalQuestionError,
        ApprovalTimeoutError,
        ApprovalWithdrawnError,
        ArgumentsChanged,
        AssentError,
        Conflict,
        ConnectionFailed,
        Forbidden,
        Gone,
        GuardBlockedError,
        InheritedConnections,
        InvalidRequest,
        MissingExtra,
        NoFreeConnection,
        NotAwaitingApprovalError,
        NotConfigured,
        NotFound,
        OutcomeLost,
        OutcomeSpooled,
        PairingError,
        PairingExpiredError,
        PairingTimeoutError,
        ServerError,
        TooManyRequests,
        Unauthorized,
        Unavailable,
        UnboundAnswer,
    )
    from assent.governing.decorator import governed
    from assent.pcaa import PCAA_CHECKPOINTS, build_pcaa_checkpoint_states

__version__ = "0.1.0"

_HOMES = {
    "client.ambient": ("Ambient",),
    "client.client": ("AsyncClient", "Client"),
    "client.context": ("ActionContext", "AsyncActionContext"),
    "contract.control.actions": (
        "Action",
        "ActionDetail",
        "ActionStatus",
        "Actions",
        "ApprovedAction",
        "CreatedAction",
        "UpdatedAction",
        "Verification",
    ),
    "contract.evidence.activity": ("ActivityLogs",),
    "contract.people.agents": ("Agent",),
    "contract.control.approvals": ("Approval", "ApprovalState", "Verdict"),
    "contract.control.assumptions": ("Assumption", "AssumptionDetail", "Assumptions", "RecordedAssumption"),
    "contract.evidence.compliance": ("ComplianceMap", "Presence"),
    "contract.analysis.data": ("DataDictionary", "DataFormat", "DataTable"),
    "contract.events": ("Event", "EventName"),
    "contract.control.externality": ("Externality",),
    "contract.exchange.feedback": ("Feedback",),
    "contract.file": ("File",),
    "contract.control.guard": ("Decision", "GuardDecision", "GuardDecisions", "GuardResult", "Runtime", "Source"),
    "contract.control.halt": ("Halt",),
    "contract.exchange.handoffs": ("Handoff",),
    "contract.health": ("Health", "Readiness"),
    "contract.people.identities": ("Algorithm", "Identity"),
    "contract.control.injection": ("InjectionScan",),
    "contract.analysis.insight": ("ApprovalInsight", "DecisionMix"),
    "contract.people.keys": ("CreatedKey", "Key", "Keys", "RevokedKey"),
    "contract.control.loops": ("OpenLoop",),
    "contract.exchange.messages": ("Message",),
    "contract.people.organizations": ("CreatedOrganization", "Organization", "Organizations"),
    "contract.control.outcomes": ("Outcome",),
    "contract.people.pairings": ("Pairing",),
    "contract.evidence.pcaa": ("CheckpointId", "CheckpointStatus", "Enforceability", "PcaaHealth"),
    "contract.control.policies": (
        "DeletedPolicy",
        "ImportedPolicies",
        "Mode",
        "Policies",
        "Policy",
        "PolicyDetail",
        "PolicyTest",
    ),
    "contract.problems": ("Code", "FieldError"),
    "contract.exchange.prompts": ("RenderedPrompt",),
    "contract.evidence.proofs": ("ProofBundle", "ProofSnapshot", "ProofVerification"),
    "contract.analysis.readiness": ("ConnectionTest", "ReadinessState", "WorkspaceReadiness"),
    "contract.roles": ("Role",),
    "contract.analysis.scorers": ("Scorer",),
    "contract.control.questions": ("ApprovalQuestion",),
    "contract.control.secrets": ("ContentScan",),
    "contract.control.signals": ("Signal",),
    "contract.exchange.sync": ("SyncResult",),
    "contract.exchange.threads": ("Thread", "ThreadEntry"),
    "contract.evidence.traces": ("ActionTrace",),
    "contract.exchange.webhooks": ("Webhook",),
    "errors": (
        "ActionOverError",
        "ApiError",
        "ApprovalDeniedError",
        "ApprovalError",
        "ApprovalExpiredError",
        "ApprovalQuestionError",
        "ApprovalWithdrawnError",
        "ArgumentsChanged",
        "ArgumentsChanged",
        "ApprovalTimeoutError",
        "AssentError",
        "Conflict",
        "ConnectionFailed",
        "Forbidden",
        "Gone",
        "GuardBlockedError",
        "InheritedConnections",
        "InvalidRequest",
        "MissingExtra",
        "NoFreeConnection",
        "NotAwaitingApprovalError",
        "NotConfigured",
        "NotFound",
        "OutcomeLost",
        "OutcomeSpooled",
        "PairingError",
        "PairingExpiredError",
        "PairingTimeoutError",
        "ServerError",
        "TooManyRequests",
        "Unauthorized",
        "Unavailable",
        "UnboundAnswer",
    ),
    "governing.decorator": ("governed",),
    "pcaa": ("PCAA_CHECKPOINTS", "build_pcaa_checkpoint_states"),
}
_HOME = {name: f"assent.{home}" for home, names in _HOMES.items() for name in names}

__all__ = [
    "PCAA_CHECKPOINTS",
    "Action",
    "ActionContext",
    "ActionDetail",
    "ActionOverError",
    "ActionStatus",
    "ActionTrace",
    "Actions",
    "ActivityLogs",
    "Agent",
    "Algorithm",
    "Ambient",
    "ApiError",
    "Approval",
    "ApprovalDeniedError",
    "ApprovalError",
    "ApprovalExpiredError",
    "ApprovalInsight",
    "ApprovalQuestion",
    "ApprovalQuestionError",
    "ApprovalState",
    "ApprovalTimeoutError",
    "ApprovalWithdrawnError",
    "ApprovedAction",
    "ArgumentsChanged",
    "AssentError",
    "Assumption",
    "AssumptionDetail",
    "Assumptions",
    "AsyncActionContext",
    "AsyncClient",
    "CheckpointId",
    "CheckpointStatus",
    "Client",
    "Code",
    "ComplianceMap",
    "Conflict",
    "ConnectionFailed",
    "ConnectionTest",
    "ContentScan",
    "CreatedAction",
    "CreatedKey",
    "CreatedOrganization",
    "DataDictionary",
    "DataFormat",
    "DataTable",
    "Decision",
    "DecisionMix",
    "DeletedPolicy",
    "Enforceability",
    "Event",
    "EventName",
    "Externality",
    "Feedback",
    "FieldError",
    "File",
    "Forbidden",
    "Gone",
    "GuardBlockedError",
    "GuardDecision",
    "GuardDecisions",
    "GuardResult",
    "Halt",
    "Handoff",
    "Health",
    "Identity",
    "ImportedPolicies",
    "InheritedConnections",
    "InjectionScan",
    "InvalidRequest",
    "Key",
    "Keys",
    "Message",
    "MissingExtra",
    "Mode",
    "NoFreeConnection",
    "NotAwaitingApprovalError",
    "NotConfigured",
    "NotFound",
    "OpenLoop",
    "Organization",
    "Organizations",
    "Outcome",
    "OutcomeLost",
    "OutcomeSpooled",
    "Pairing",
    "PairingError",
    "PairingExpiredError",
    "PairingTimeoutError",
    "PcaaHealth",
    "Policies",
    "Policy",
    "PolicyDetail",
    "PolicyTest",
    "Presence",
    "ProofBundle",
    "ProofSnapshot",
    "ProofVerification",
    "Readiness",
    "ReadinessState",
    "RecordedAssumption",
    "RenderedPrompt",
    "RevokedKey",
    "Role",
    "Runtime",
    "Scorer",
    "ServerError",
    "Signal",
    "Source",
    "SyncResult",
    "Thread",
    "ThreadEntry",
    "TooManyRequests",
    "Unauthorized",
    "Unavailable",
    "UnboundAnswer",
    "UpdatedAction",
    "Verdict",
    "Verification",
    "Webhook",
    "WorkspaceReadiness",
    "__version__",
    "build_pcaa_checkpoint_states",
    "governed",
]


if not TYPE_CHECKING:  # else a misspelt name would pass for a lazy one

    def __getattr__(name):
        if name not in _HOME:
            raise AttributeError(f"module 'assent' has no attribute {name!r}; it has {', '.join(__all__)}")
        from importlib import import_module

        value = globals()[name] = getattr(import_module(_HOME[name]), name)
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
