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
    )
    from assent.contract.approvals import Approval, ApprovalState, Verdict
    from assent.contract.assumptions import Assumption, AssumptionDetail, Assumptions, RecordedAssumption
    from assent.contract.data import DataDictionary, DataFormat, DataTable
    from assent.contract.events import Event, EventName
    from assent.contract.guard import Decision, GuardDecision, GuardDecisions, GuardResult, Runtime, Source
    from assent.contract.halt import Halt
    from assent.contract.health import Health, Readiness
    from assent.contract.insight import ApprovalInsight, DecisionMix
    from assent.contract.keys import CreatedKey, Key, Keys, RevokedKey
    from assent.contract.organizations import CreatedOrganization, Organization, Organizations
    from assent.contract.pcaa import CheckpointId, CheckpointStatus, PcaaHealth
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
    from assent.contract.readiness import ConnectionTest, ReadinessState, WorkspaceReadiness
    from assent.contract.roles import Role
    from assent.contract.traces import ActionTrace
    from assent.errors import (
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
        NotFound,
        ServerError,
        Unauthorized,
        Unavailable,
    )

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
    ),
    "contract.approvals": ("Approval", "ApprovalState", "Verdict"),
    "contract.assumptions": ("Assumption", "AssumptionDetail", "Assumptions", "RecordedAssumption"),
    "contract.data": ("DataDictionary", "DataFormat", "DataTable"),
    "contract.events": ("Event", "EventName"),
    "contract.guard": ("Decision", "GuardDecision", "GuardDecisions", "GuardResult", "Runtime", "Source"),
    "contract.halt": ("Halt",),
    "contract.health": ("Health", "Readiness"),
    "contract.insight": ("ApprovalInsight", "DecisionMix"),
    "contract.keys": ("CreatedKey", "Key", "Keys", "RevokedKey"),
    "contract.organizations": ("CreatedOrganization", "Organization", "Organizations"),
    "contract.pcaa": ("CheckpointId", "CheckpointStatus", "PcaaHealth"),
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
    "contract.readiness": ("ConnectionTest", "ReadinessState", "WorkspaceReadiness"),
    "contract.roles": ("Role",),
    "contract.traces": ("ActionTrace",),
    "errors": (
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
        "NotFound",
        "ServerError",
        "Unauthorized",
        "Unavailable",
    ),
}
_HOME = {name: f"assent.{home}" for home, names in _HOMES.items() for name in names}

__all__ = [
    "Action",
    "ActionContext",
    "ActionDetail",
    "ActionStatus",
    "ActionTrace",
    "Actions",
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
    "Conflict",
    "ConnectionFailed",
    "ConnectionTest",
    "CreatedAction",
    "CreatedKey",
    "CreatedOrganization",
    "DataDictionary",
    "DataFormat",
    "DataTable",
    "Decision",
    "DecisionMix",
    "DeletedPolicy",
    "Event",
    "EventName",
    "FieldError",
    "Forbidden",
    "Gone",
    "GuardBlockedError",
    "GuardDecision",
    "GuardDecisions",
    "GuardResult",
    "Halt",
    "Health",
    "ImportedPolicies",
    "InvalidRequest",
    "Key",
    "Keys",
    "MissingExtra",
    "Mode",
    "NotAwaitingApprovalError",
    "NotFound",
    "Organization",
    "Organizations",
    "PcaaHealth",
    "Policies",
    "Policy",
    "PolicyDetail",
    "PolicyTest",
    "Readiness",
    "ReadinessState",
    "RecordedAssumption",
    "RevokedKey",
    "Role",
    "Runtime",
    "ServerError",
    "Source",
    "Unauthorized",
    "Unavailable",
    "UpdatedAction",
    "Verdict",
    "WorkspaceReadiness",
    "__version__",
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
