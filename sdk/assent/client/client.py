"""`Client` and `AsyncClient`: every operation, run by blocking or by awaiting."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Self, TypedDict, Unpack

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
from assent.client.changes import ChangeOperations
from assent.client.comments import CommentOperations
from assent.client.compliance import ComplianceOperations
from assent.client.connections import MAX_CONNECTIONS, AsyncConnections, Connections
from assent.client.context import AsyncContexts, Contexts
from assent.client.data import DataOperations
from assent.client.drift import DriftOperations
from assent.client.evaluations import EvaluationOperations
from assent.client.events import EventOperations
from assent.client.feedback import FeedbackOperations
from assent.client.grants import GrantOperations
from assent.client.guard import GuardOperations
from assent.client.handoffs import HandoffOperations
from assent.client.insight import InsightOperations
from assent.client.journal import JournalOperations
from assent.client.key_points import KeyPointOperations
from assent.client.learning import LearningOperations
from assent.client.lessons import LessonOperations
from assent.client.loops import LoopOperations
from assent.client.messages import MessageOperations
from assent.client.organizations import OrganizationOperations
from assent.client.outbox import Outbox
from assent.client.outcomes import OutcomeOperations
from assent.client.pairings import PairingOperations
from assent.client.pcaa import PcaaOperations
from assent.client.policies import PolicyOperations
from assent.client.prompts import PromptOperations
from assent.client.proofs import ProofOperations
from assent.client.purchases import PurchaseOperations
from assent.client.questions import QuestionOperations
from assent.client.readiness import ReadinessOperations
from assent.client.request import Line, headers_of
from assent.client.retry import RETRIES
from assent.client.risk_templates import RiskTemplateOperations
from assent.client.routing import RoutingOperations
from assent.client.scans import ScanOperations
from assent.client.scoring import ScoringOperations
from assent.client.snippets import SnippetOperations
from assent.client.snoozes import SnoozeOperations
from assent.client.studio import StudioOperations
from assent.client.threads import ThreadOperations
from assent.client.transport import AsyncDriver, Driver
from assent.client.webhooks import WebhookOperations
from assent.client.workspace import AsyncWorkspaces, Workspaces
from assent.settings import ClientSettings
from assent.spool import fingerprint

if TYPE_CHECKING:
    from assent.proof.private_key import CheckedKey, Signer


class Options(TypedDict, total=False):
    """What `with_options` changes; each is as in `Client`."""

    timeout: float
    retries: int | None
    retry_seconds: float


class Operations(
    GuardOperations,
    ActionOperations,
    OutcomeOperations,
    AssumptionOperations,
    LoopOperations,
    ApprovalOperations,
    QuestionOperations,
    CommentOperations,
    SnoozeOperations,
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
    GrantOperations,
    CalibrationOperations,
    EventOperations,
    ScanOperations,
    PolicyOperations,
    BacktestOperations,
    ChangeOperations,
    OrganizationOperations,
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
    """Everything a client can be asked."""

    _line: Line
    _owns: bool = True

    def _introduce(
        self,
        settings: ClientSettings,
        agent_name: str | None,
        timeout: float,
        retries: int | None,
        max_connections: int | None,
        ambient: Ambient,
        private_key: CheckedKey | None,
    ) -> Line:
        self.base_url = bare(settings.base_url)
        self.agent_id, self.agent_name = settings.agent_id, agent_name
        self.ambient = ambient
        self.signer = None if private_key is None else _signer(private_key)
        headers = headers_of(settings.api_key)
        outbox = Outbox(settings.spool, settings.base_url, settings.api_key, settings.spool_bytes)
        return Line(
            base_url=settings.base_url,
            headers=headers,
            timeout=timeout,
            retries=retries,
            accept_unbound=settings.accept_unbound_answers,
            max_connections=max_connections,
            retry_seconds=settings.retry_seconds,
            outbox=outbox,
        )

    @property
    def key_fingerprint(self) -> str:
        """Tells the key of this client from others, and nothing else of it."""
        return fingerprint(self._line.headers.get("x-api-key"))

    @property
    def retries(self) -> int:
        """Attempts after the first, for calls that carry no idempotency key."""
        return RETRIES if self._line.retries is None else self._line.retries

    def with_options(self, **options: Unpack[Options]) -> Self:
        """The same client with other options, on the same connections; closing it leaves them open.

        Raises TypeError for a name that is no option, ValueError for a value that cannot be.
        """
        unknown = options.keys() - Options.__annotations__.keys()
        if unknown:
            known = ", ".join(sorted(Options.__annotations__))
            raise TypeError(f"with_options() has no option {sorted(unknown)[0]!r}; it takes {known}")
        twin = copy(self)
        vars(twin).update(_line=replace(self._line, **options), _owns=False)
        return twin

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self.base_url!r}, agent_id={self.agent_id!r})"


class Client(Driver, Operations, Contexts, Workspaces):
    """Asks and reports, blocking. Safe to share between threads, and to use on after a fork.

    `base_url`, `api_key` and `agent_id` default to ASSENT_BASE_URL (else http://127.0.0.1:8484), ASSENT_API_KEY and
    ASSENT_AGENT_ID. `timeout` is in seconds, for each attempt; the answer to an analysis is waited for two
    minutes at least. Calls that may be repeated without harm are tried again:
    those that carry an idempotency key (guard, creations, outcomes) for `retry_seconds` (ASSENT_RETRY_SECONDS, else
    20), readings three times; `retries` is how many attempts after the first any of them has at most. Outcomes that
    still cannot be delivered go to a folder of this machine (`spool`, else ASSENT_SPOOL), from which the next call that
    succeeds delivers; `off` keeps and delivers none. `http` is an httpx.Client to go through (its base URL counts where
    `base_url` is not given); it is not closed with this client, and InheritedConnections is raised where it is used in
    another process than before (or another event loop). Otherwise each process, and with AsyncClient each event loop,
    has connections of its own, `max_connections` at most. An answer that does not carry the id of its request is an
    UnboundAnswer; with `accept_unbound_answers` (ASSENT_ACCEPT_UNBOUND_ANSWERS) it need not carry one. `private_key` is
    the agent's own (a PEM, its path, or a key of `cryptography`): actions are then created with its signature, over the
    RFC 8785 form of the body. `say` gets the lines meant for a person. `ambient` and `sleep` are for tests.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        agent_id: str | None = None,
        *,
        agent_name: str | None = None,
        timeout: float = 30.0,
        retries: int | None = None,
        retry_seconds: float | None = None,
        private_key: CheckedKey | None = None,
        http: httpx.Client | None = None,
        max_connections: int = MAX_CONNECTIONS,
        accept_unbound_answers: bool | None = None,
        spool: str | None = None,
        say: Callable[[str], object] = print,
        ambient: Ambient | None = None,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        given = base_url or _own_address(http)
        settings = ClientSettings.from_environment(
            base_url=given,
            api_key=api_key,
            agent_id=agent_id,
            accept_unbound_answers=accept_unbound_answers,
            retry_seconds=retry_seconds,
            spool=spool,
        )
        ambient = ambient or Ambient()
        limit = max_connections if http is None else None
        line = self._introduce(settings, agent_name, timeout, retries, limit, ambient, private_key)
        super().__init__(Connections(http, max_connections, line.base_url), line, say=say, ambient=ambient, sleep=sleep)

    def close(self) -> None:
        """Close the connections, unless they were handed in."""
        if self._owns:
            self._connections.close()

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
        retries: int | None = None,
        retry_seconds: float | None = None,
        private_key: CheckedKey | None = None,
        http: httpx.AsyncClient | None = None,
        max_connections: int = MAX_CONNECTIONS,
        accept_unbound_answers: bool | None = None,
        spool: str | None = None,
        say: Callable[[str], object] = print,
        ambient: Ambient | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        given = base_url or _own_address(http)
        settings = ClientSettings.from_environment(
            base_url=given,
            api_key=api_key,
            agent_id=agent_id,
            accept_unbound_answers=accept_unbound_answers,
            retry_seconds=retry_seconds,
            spool=spool,
        )
        ambient = ambient or Ambient()
        limit = max_connections if http is None else None
        line = self._introduce(settings, agent_name, timeout, retries, limit, ambient, private_key)
        super().__init__(
            AsyncConnections(http, max_connections, line.base_url), line, say=say, ambient=ambient, sleep=sleep
        )

    async def close(self) -> None:
        """Close the connections, unless they were handed in."""
        if self._owns:
            await self._connections.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _signer(private_key: CheckedKey) -> Signer:
    # Brought in by whoever signs; the others need not wait for it.
    from assent.proof.private_key import Signer

    return Signer(private_key)


def _own_address(http: httpx.Client | httpx.AsyncClient | None) -> str | None:
    return str(http.base_url) or None if http is not None else None
