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
    from assent.contract.actions import (
        Action,
        ActionDetail,
        Actions,
        ActionStatus,
        ApprovedAction,
        CreatedAction,
        UpdatedAction,
        Verification,
    )
    from assent.contract.activity import ActivityLogs
    from assent.contract.agents import Agent
    from assent.contract.approvals import Approval, ApprovalState, Verdict
    from assent.contract.assumptions import Assumption, AssumptionDetail, Assumptions, RecordedAssumption
    from assent.contract.compliance import ComplianceMap, Presence
    from assent.contract.data import DataDictionary, DataFormat, DataTable
    from assent.contract.events import Event, EventName
    from assent.contract.externality import Externality
    from assent.contract.feedback import Feedback
    from assent.contract.file import File
    from assent.contract.guard import Decision, GuardDecision, GuardDecisions, GuardResult, Runtime, Source
    from assent.contract.halt import Halt
    from assent.contract.handoffs import Handoff
    from assent.contract.health import Health, Readiness
    from assent.contract.identities import Algorithm, Identity
    from assent.contract.injection import InjectionScan
    from assent.contract.insight import ApprovalInsight, DecisionMix
    from assent.contract.keys import CreatedKey, Key, Keys, RevokedKey
    from assent.contract.loops import OpenLoop
    from assent.contract.messages import Message
    from assent.contract.organizations import CreatedOrganization, Organization, Organizations
    from assent.contract.outcomes import Outcome
    from assent.contract.pairings import Pairing
    from assent.contract.pcaa import CheckpointId, CheckpointStatus, Enforceability, PcaaHealth
    from assent.contract.policies import (
        DeletedPolicy,
        ImportedPolicies,
        Mode,
        Policies,
        Policy,
        PolicyDetail,
        PolicyTest,
    )
    from assent.contract.problems import Code, FieldError
    from assent.contract.prompts import RenderedPrompt
    from assent.contract.proofs import ProofBundle, ProofSnapshot, ProofVerification
    from assent.contract.readiness import ConnectionTest, ReadinessState, WorkspaceReadiness
    from assent.contract.roles import Role
    from assent.contract.scorers import Scorer
    from assent.contract.secrets import ContentScan
    from assent.contract.signals import Signal
    from assent.contract.sync import SyncResult
    from assent.contract.threads import Thread, ThreadEntry
    from assent.contract.traces import ActionTrace
    from assent.contract.webhooks import Webhook
    from assent.errors import (
        ActionOverError,
        ApiError,
        ApprovalDeniedError,
        ApprovalError,
        ApprovalExpiredError,
        ApprovalTimeoutError,
        AssentError,
        Conflict,
        ConnectionFailed,
        Forbidden,
        Gone,
        GuardBlockedError,
        InvalidRequest,
        MissingExtra,
        NotAwaitingApprovalError,
        NotConfigured,
        NotFound,
        PairingError,
        PairingExpiredError,
        PairingTimeoutError,
        ServerError,
        Unauthorized,
        Unavailable,
    )
    from assent.governing.decorator import governed
    from assent.pcaa import PCAA_CHECKPOINTS, build_pcaa_checkpoint_states

__version__ = "0.1.0"

_HOMES = {
    "client.ambient": ("Ambient",),
    "client.client": ("AsyncClient", "Client"),
    "client.context": ("ActionContext", "AsyncActionContext"),
    "contract.actions": (
        "Action",
        "ActionDetail",
        "ActionStatus",
        "Actions",
        "ApprovedAction",
        "CreatedAction",
        "UpdatedAction",
        "Verification",
    ),
    "contract.activity": ("ActivityLogs",),
    "contract.agents": ("Agent",),
    "contract.approvals": ("Approval", "ApprovalState", "Verdict"),
    "contract.assumptions": ("Assumption", "AssumptionDetail", "Assumptions", "RecordedAssumption"),
    "contract.compliance": ("ComplianceMap", "Presence"),
    "contract.data": ("DataDictionary", "DataFormat", "DataTable"),
    "contract.events": ("Event", "EventName"),
    "contract.externality": ("Externality",),
    "contract.feedback": ("Feedback",),
    "contract.file": ("File",),
    "contract.guard": ("Decision", "GuardDecision", "GuardDecisions", "GuardResult", "Runtime", "Source"),
    "contract.halt": ("Halt",),
    "contract.handoffs": ("Handoff",),
    "contract.health": ("Health", "Readiness"),
    "contract.identities": ("Algorithm", "Identity"),
    "contract.injection": ("InjectionScan",),
    "contract.insight": ("ApprovalInsight", "DecisionMix"),
    "contract.keys": ("CreatedKey", "Key", "Keys", "RevokedKey"),
    "contract.loops": ("OpenLoop",),
    "contract.messages": ("Message",),
    "contract.organizations": ("CreatedOrganization", "Organization", "Organizations"),
    "contract.outcomes": ("Outcome",),
    "contract.pairings": ("Pairing",),
    "contract.pcaa": ("CheckpointId", "CheckpointStatus", "Enforceability", "PcaaHealth"),
    "contract.policies": (
        "DeletedPolicy",
        "ImportedPolicies",
        "Mode",
        "Policies",
        "Policy",
        "PolicyDetail",
        "PolicyTest",
    ),
    "contract.problems": ("Code", "FieldError"),
    "contract.prompts": ("RenderedPrompt",),
    "contract.proofs": ("ProofBundle", "ProofSnapshot", "ProofVerification"),
    "contract.readiness": ("ConnectionTest", "ReadinessState", "WorkspaceReadiness"),
    "contract.roles": ("Role",),
    "contract.scorers": ("Scorer",),
    "contract.secrets": ("ContentScan",),
    "contract.signals": ("Signal",),
    "contract.sync": ("SyncResult",),
    "contract.threads": ("Thread", "ThreadEntry"),
    "contract.traces": ("ActionTrace",),
    "contract.webhooks": ("Webhook",),
    "errors": (
        "ActionOverError",
        "ApiError",
        "ApprovalDeniedError",
        "ApprovalError",
        "ApprovalExpiredError",
        "ApprovalTimeoutError",
        "AssentError",
        "Conflict",
        "ConnectionFailed",
        "Forbidden",
        "Gone",
        "GuardBlockedError",
        "InvalidRequest",
        "MissingExtra",
        "NotAwaitingApprovalError",
        "NotConfigured",
        "NotFound",
        "PairingError",
        "PairingExpiredError",
        "PairingTimeoutError",
        "ServerError",
        "Unauthorized",
        "Unavailable",
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
    "ApprovalState",
    "ApprovalTimeoutError",
    "ApprovedAction",
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
    "InjectionScan",
    "InvalidRequest",
    "Key",
    "Keys",
    "Message",
    "MissingExtra",
    "Mode",
    "NotAwaitingApprovalError",
    "NotConfigured",
    "NotFound",
    "OpenLoop",
    "Organization",
    "Organizations",
    "Outcome",
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
    "Unauthorized",
    "Unavailable",
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
