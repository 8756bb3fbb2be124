"""`Client` and `AsyncClient`: every operation, run by blocking or by awaiting."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import httpx

from assent.client.actions import ActionOperations
from assent.client.activity import ActivityOperations
from assent.client.agents import AgentOperations
from assent.client.ambient import Ambient
from assent.client.answer import bare
from assent.client.approvals import ApprovalOperations
from assent.client.assumptions import AssumptionOperations
from assent.client.backtest import BacktestOperations
from assent.client.calibration import CalibrationOperations
from assent.client.compliance import ComplianceOperations
from assent.client.context import AsyncContexts, Contexts
from assent.client.data import DataOperations
from assent.client.drift import DriftOperations
from assent.client.erasure import ErasureOperations
from assent.client.evaluations import EvaluationOperations
from assent.client.events import EventOperations
from assent.client.feedback import FeedbackOperations
from assent.client.guard import GuardOperations
from assent.client.halt import HaltOperations
from assent.client.handoffs import HandoffOperations
from assent.client.health import HealthOperations
from assent.client.identities import IdentityOperations
from assent.client.injection import InjectionOperations
from assent.client.insight import InsightOperations
from assent.client.journal import JournalOperations
from assent.client.key_points import KeyPointOperations
from assent.client.keys import KeyOperations
from assent.client.learning import LearningOperations
from assent.client.lessons import LessonOperations
from assent.client.loops import LoopOperations
from assent.client.messages import MessageOperations
from assent.client.organizations import OrganizationOperations
from assent.client.outcomes import OutcomeOperations
from assent.client.pairings import PairingOperations
from assent.client.pcaa import PcaaOperations
from assent.client.policies import PolicyOperations
from assent.client.prompts import PromptOperations
from assent.client.proofs import ProofOperations
from assent.client.purchases import PurchaseOperations
from assent.client.readiness import ReadinessOperations
from assent.client.request import Line, headers_of
from assent.client.risk_templates import RiskTemplateOperations
from assent.client.routing import RoutingOperations
from assent.client.scoring import ScoringOperations
from assent.client.secrets import SecretOperations
from assent.client.signals import SignalOperations
from assent.client.snippets import SnippetOperations
from assent.client.studio import StudioOperations
from assent.client.sync import SyncOperations
from assent.client.threads import ThreadOperations
from assent.client.transport import AsyncDriver, Driver
from assent.client.wallet import WalletOperations
from assent.client.webhooks import WebhookOperations
from assent.client.workspace import AsyncWorkspaces, Workspaces
from assent.settings import ClientSettings

if TYPE_CHECKING:
    from assent.proof.private_key import GivenKey, Signer


class Operations(
    GuardOperations,
    ActionOperations,
    OutcomeOperations,
    AssumptionOperations,
    LoopOperations,
    SignalOperations,
    ApprovalOperations,
    AgentOperations,
    HandoffOperations,
    ThreadOperations,
    KeyPointOperations,
    MessageOperations,
    EvaluationOperations,
    ScoringOperations,
    LearningOperations,
    LessonOperations,
    DriftOperations,
    RiskTemplateOperations,
    CalibrationOperations,
    EventOperations,
    ErasureOperations,
    HaltOperations,
    InjectionOperations,
    SecretOperations,
    PolicyOperations,
    BacktestOperations,
    KeyOperations,
    OrganizationOperations,
    DataOperations,
    ReadinessOperations,
    HealthOperations,
    PcaaOperations,
    InsightOperations,
    PairingOperations,
    IdentityOperations,
    FeedbackOperations,
    PromptOperations,
    SyncOperations,
    ActivityOperations,
    ComplianceOperations,
    WebhookOperations,
    ProofOperations,
    WalletOperations,
    JournalOperations,
    PurchaseOperations,
    SnippetOperations,
    StudioOperations,
    RoutingOperations,
):
    """Everything a client can be asked."""

    def _introduce(
        self,
        settings: ClientSettings,
        agent_name: str | None,
        timeout: float,
        retries: int,
        ambient: Ambient,
        private_key: GivenKey | None,
    ) -> Line:
        if not timeout > 0 or retries < 0:
            raise ValueError(f"timeout is {timeout!r} and retries {retries!r}; give seconds above 0 and 0 or more")
        self.base_url = bare(settings.base_url)
        self.agent_id, self.agent_name = settings.agent_id, agent_name
        self.retries, self.ambient = retries, ambient
        self.signer = None if private_key is None else _signer(private_key)
        headers = headers_of(settings.api_key)
        return Line(base_url=settings.base_url, headers=headers, timeout=timeout, retries=retries)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self.base_url!r}, agent_id={self.agent_id!r})"


class Client(Driver, Operations, Contexts, Workspaces):
    """Asks and reports, blocking. Safe to share between threads.

    `base_url`, `api_key` and `agent_id` default to ASSENT_BASE_URL (else http://127.0.0.1:8484), ASSENT_API_KEY and
    ASSENT_AGENT_ID. `timeout` is in seconds, for each attempt; `retries` counts attempts after the first, for calls
    that may be repeated without harm. `http` is an httpx.Client to go through (its base URL counts where
    `base_url` is not given); it is not closed with this client. `private_key` is the agent's own (a PEM, its path, or
    a key of `cryptography`): actions are then created with its signature, over the RFC 8785 form of the body. `say`
    gets the lines meant for a person. `ambient` and `sleep` are for tests.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        agent_id: str | None = None,
        *,
        agent_name: str | None = None,
        timeout: float = 30.0,
        retries: int = 3,
        private_key: GivenKey | None = None,
        http: httpx.Client | None = None,
        say: Callable[[str], object] = print,
        ambient: Ambient | None = None,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        given = base_url or _own_address(http)
        settings = ClientSettings.from_environment(base_url=given, api_key=api_key, agent_id=agent_id)
        ambient = ambient or Ambient()
        line = self._introduce(settings, agent_name, timeout, retries, ambient, private_key)
        self._owns = http is None
        super().__init__(http or httpx.Client(), line, say=say, ambient=ambient, sleep=sleep)

    def close(self) -> None:
        """Close the connections, unless they were handed in."""
        if self._owns:
            self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncClient(AsyncDriver, Operations, AsyncContexts, AsyncWorkspaces):
    """Asks and reports, awaiting. The parameters are those of `Client`; `http` is an httpx.AsyncClient."""

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        agent_id: str | None = None,
        *,
        agent_name: str | None = None,
        timeout: float = 30.0,
        retries: int = 3,
        private_key: GivenKey | None = None,
        http: httpx.AsyncClient | None = None,
        say: Callable[[str], object] = print,
        ambient: Ambient | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        given = base_url or _own_address(http)
        settings = ClientSettings.from_environment(base_url=given, api_key=api_key, agent_id=agent_id)
        ambient = ambient or Ambient()
        line = self._introduce(settings, agent_name, timeout, retries, ambient, private_key)
        self._owns = http is None
        super().__init__(http or httpx.AsyncClient(), line, say=say, ambient=ambient, sleep=sleep)

    async def close(self) -> None:
        """Close the connections, unless they were handed in."""
        if self._owns:
            await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _signer(private_key: GivenKey) -> Signer:
    # Brought in by whoever signs; the others need not wait for it.
    from assent.proof.private_key import Signer

    return Signer(private_key)


def _own_address(http: httpx.Client | httpx.AsyncClient | None) -> str | None:
    return str(http.base_url) or None if http is not None else None
