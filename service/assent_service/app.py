"""The service put together: the nouns, as they stand on each other, behind one door for each path."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any

from litestar import Litestar, Request, Response, asgi
from litestar.exceptions import HTTPException
from litestar.handlers import ASGIRouteHandler
from litestar.types import Receive, Scope, Send

from assent.contract.events import STREAM
from assent.contract.organizations import CreatedOrganization
from assent.contract.problems import PROBLEM_JSON, Code
from assent_service import (
    actions,
    approvals,
    around,
    assumptions,
    backtest,
    calibration,
    data,
    documentation,
    drift,
    events,
    guard,
    halt,
    health,
    identities,
    injection,
    insight,
    keys,
    learning,
    loops,
    organizations,
    pairings,
    pcaa,
    policies,
    proofs,
    readiness,
    risk_templates,
    secrets,
    signals,
    telemetry,
    traces,
    wallet,
)
from assent_service.core.clock import Clock, system_clock
from assent_service.core.locks import EntityLocks
from assent_service.core.problem import refuse, render
from assent_service.core.route import Route
from assent_service.core.router import Router
from assent_service.core.thresholds import Thresholds
from assent_service.guard import Outside
from assent_service.settings import Settings
from assent_service.store.auditor import Auditor
from assent_service.store.ledger import Ledger, Memory
from assent_service.store.tables import Table

TABLES: tuple[Table, ...] = (
    organizations.ORGANIZATIONS,
    keys.KEYS,
    policies.POLICIES,
    halt.HALTS,
    risk_templates.RISK_TEMPLATES,
    guard.GUARD_DECISIONS,
    actions.ACTIONS,
    identities.IDENTITIES,
    approvals.APPROVALS,
    assumptions.ASSUMPTIONS,
    loops.LOOPS,
    signals.SIGNALS,
    injection.INJECTION_SCANS,
    injection.INJECTION_FINDINGS,
    injection.ALLOWED_TEXTS,
    *around.TABLES,
)
MEGABYTE = 1 << 20

log = logging.getLogger("assent.service")


@dataclass(frozen=True)
class Service:
    """Everything that runs. `app` is the ASGI application; `created` the first organization when it was just made."""

    settings: Settings
    ledger: Ledger
    organizations: organizations.Organizations
    keys: keys.Keys
    policies: policies.Policies
    halts: halt.Halts
    injection: injection.Injection
    guard: guard.Guard
    actions: actions.Actions
    approvals: approvals.Approvals
    identities: identities.Identities
    pairings: pairings.Pairings
    wallet: wallet.Wallet
    proofs: proofs.ProofParts
    assumptions: assumptions.Assumptions
    loops: loops.Loops
    herald: signals.Herald
    learned: learning.LearningMemory
    keeper: learning.Keeper
    signals: signals.Signals
    events: events.Events
    data: data.Data
    outside: Outside
    drift: drift.Drift
    app: Litestar
    memories: tuple[Memory, ...]


def build(
    settings: Settings,
    *,
    clock: Clock = system_clock,
    on_first_start: Callable[[CreatedOrganization], None] | None = None,
    more: Iterable[Route] = (),
    keep_tree: bool = True,
    otel: telemetry.Otel | None = None,
) -> Service:
    """Open the data folder and put the service together; it serves once `app` is started.

    `more` are routes beside the contract's, for tests and benchmarks; so is `keep_tree`, which shows what the Merkle
    trees cost: without them there are no proofs. `otel` says what is told to a collector. Raises what the log raises
    for a data folder that is in use or damaged, and OSError for an access log that cannot be opened.
    """
    segment_bytes = settings.segment_megabytes * MEGABYTE
    watch = telemetry.open_telemetry(settings, otel, frozenset({STREAM.path}))
    ledger = Ledger(Path(settings.home), TABLES, segment_bytes=segment_bytes, keep_tree=keep_tree, files=watch.files)
    locks = EntityLocks()
    secret = settings.webhook_secret
    hooks = guard.WebhookSettings(
        secret=secret.encode() if secret else None, allow_private=settings.webhooks_to_private_addresses
    )
    outside = Outside(guard.open_client(hooks), hooks)
    all_keys = keys.Keys(ledger, clock, locks)
    all_policies = policies.Policies(ledger, clock, locks)
    all_organizations = organizations.Organizations(ledger, all_keys, clock, locks, all_policies.seed)
    halts = halt.Halts(ledger, clock, locks)
    all_signals = signals.Signals(signals.SignalState(clock, settings.signals or Thresholds()), clock)
    herald = signals.Herald(ledger, clock, all_signals, lambda: list(all_organizations.state.by_id))
    all_templates = risk_templates.RiskTemplateBook(ledger, clock, locks)
    learned = learning.LearningMemory(clock, settings.episodes)
    keeper = learning.Keeper(ledger, clock, learned, data.Pace)
    scans = injection.Injection(ledger, clock, locks, injection.Mode(settings.prompt_injection_scan))
    the_guard = guard.Guard(
        ledger,
        clock,
        policies=all_policies.state,
        halted=halts.state.reason,
        outside=outside,
        active=all_signals.warnings,
        templates=all_templates.state,
        learning=learned.of,
        screen=scans.screen,
    )
    store = approvals.ApprovalStore()
    all_identities = identities.Identities(ledger, clock, locks)
    all_actions = actions.Actions(
        ledger,
        clock,
        locks,
        the_guard,
        timedelta(hours=settings.approval_hours),
        all_identities.state,
        require_signatures=settings.require_signatures,
    )
    all_approvals = approvals.Approvals(ledger, clock, locks, all_actions, store, halts.state.reason)
    all_assumptions = assumptions.Assumptions(ledger, clock, locks, all_actions, scans.screen)
    all_loops = loops.Loops(ledger, clock, locks, all_actions)
    all_events = events.Events(ledger, clock, heartbeat=settings.heartbeat_seconds, queue=settings.stream_queue)
    all_data = data.Data(ledger, clock)
    auditor = Auditor(ledger, Path(settings.home), clock, settings.verify_hours) if settings.verify_hours else None
    vitals = health.Vitals(ledger, Path(settings.home), clock, [auditor.inspect] if auditor else [])
    connection = readiness.ConnectionCheck(ledger, clock, all_actions, all_approvals, all_events)
    trial = policies.Trial(all_policies, the_guard, clock)
    foundation = around.Foundation(
        settings=settings,
        ledger=ledger,
        clock=clock,
        locks=locks,
        actions=all_actions,
        identities=all_identities,
        screen=scans.screen,
        organizations=lambda: list(all_organizations.state.by_id),
    )
    surroundings = around.build(foundation)
    all_signals.presence = surroundings.agents
    all_traces = traces.Traces(ledger, all_actions, all_assumptions, all_loops, surroundings.proofs.heads)
    learned.alerts = surroundings.drift.state.about
    summary = readiness.Readiness(
        ledger,
        clock,
        vitals=vitals,
        keys=all_keys,
        halts=halts,
        policies=all_policies,
        approvals=store,
        disabled=surroundings.webhooks.disabled,
        proven=surroundings.proofs.sampling.get,
    )
    memories: tuple[Memory, ...] = (
        all_organizations.state,
        all_keys.state,
        all_policies.state,
        halts.state,
        scans.allowed.state,
        all_templates.state,
        all_actions.state,
        store,
        the_guard.state,
        all_signals.state,
        learned,
        all_identities.state,
        *surroundings.memories,
    )
    ledger.remember(memories)

    async def reload_rates(org_id: str) -> None:
        await the_guard.follow_policies(org_id)

    all_policies.on_change = reload_rates
    routes: list[Route] = [
        *guard.routes(the_guard, ledger, clock),
        *actions.routes(all_actions, ledger, clock, all_approvals.of, all_assumptions.of, all_loops.open_of),
        *traces.routes(all_traces),
        *assumptions.routes(all_assumptions),
        *loops.routes(all_loops),
        *signals.routes(all_signals),
        *approvals.routes(all_approvals),
        *policies.routes(all_policies, trial),
        *backtest.routes(backtest.Backtests(ledger, clock, all_policies)),
        *risk_templates.routes(all_templates),
        *events.routes(all_events),
        *data.routes(all_data),
        *halt.routes(halts),
        *injection.routes(scans),
        *secrets.routes(ledger, clock),
        *keys.routes(all_keys),
        *identities.routes(all_identities),
        *organizations.routes(all_organizations),
        *readiness.routes(summary, connection),
        *health.routes(vitals),
        *pcaa.routes(ledger, clock),
        *pcaa.action_routes(all_traces, surroundings.proofs.proofs),
        *insight.routes(ledger, clock),
        *calibration.routes(ledger, clock),
        traces.replay(settings.dashboard_url),
        *surroundings.routes,
        *watch.routes(lambda: next(iter(all_organizations.state.by_id), None)),
        *more,
    ]
    watch.follow(
        ledger,
        telemetry.Gauges(
            waiting=lambda: len(store.awaiting),
            behind=lambda: ledger.head - ledger.applied,
            readers=lambda: all_events.readers,
        ),
    )

    @asynccontextmanager
    async def lifespan(_: Litestar) -> AsyncIterator[None]:
        ledger.start()
        watch.start()
        await scans.start()
        created = await all_organizations.bootstrap(settings.admin_key)
        if created is not None and on_first_start is not None:
            on_first_start(created)
        for org_id in list(all_organizations.state.by_id):
            await the_guard.follow_policies(org_id)
        all_approvals.start()
        await herald.start()
        await keeper.start()
        for begin in surroundings.starts:
            await begin()
        if auditor is not None:
            auditor.start()
        try:
            yield
        finally:
            all_events.stop_all()
            all_data.exports.stop_all()
            if auditor is not None:
                await asyncio.to_thread(auditor.stop)
            for end in reversed(surroundings.stops):
                await end()
            await keeper.stop()
            await herald.stop()
            await all_approvals.stop()
            await scans.stop()
            await outside.client.aclose()
            all_data.exports.close()
            ledger.close()
            await watch.stop()

    app = Litestar(
        route_handlers=[
            _mount(
                Router(
                    map(watch.reading, routes),
                    watch.authenticating(all_keys.authenticate),
                    surroundings.seen,
                    watch.around,
                )
            ),
            *documentation.handlers(version("assent"), watch.around),
        ],
        lifespan=[lifespan],
        openapi_config=None,
        exception_handlers={HTTPException: _elsewhere},
        logging_config=None,
        debug=False,
    )
    return Service(
        settings=settings,
        ledger=ledger,
        organizations=all_organizations,
        keys=all_keys,
        policies=all_policies,
        halts=halts,
        injection=scans,
        guard=the_guard,
        actions=all_actions,
        approvals=all_approvals,
        identities=all_identities,
        pairings=surroundings.pairings,
        wallet=surroundings.wallet,
        proofs=surroundings.proofs,
        assumptions=all_assumptions,
        loops=all_loops,
        signals=all_signals,
        herald=herald,
        learned=learned,
        keeper=keeper,
        events=all_events,
        data=all_data,
        outside=outside,
        drift=surroundings.drift,
        app=app,
        memories=memories,
    )


def _mount(router: Router) -> ASGIRouteHandler:
    async def everything(scope: Scope, receive: Receive, send: Send) -> None:
        await router(scope, receive, send)

    return asgi("/", is_mount=True, copy_scope=False)(everything)


def _elsewhere(request: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    """What the framework refuses by itself: paths that are not there."""
    path = request.scope["path"]
    if error.status_code == 404:
        refusal = refuse(Code.ROUTE_NOT_FOUND, f"There is nothing at {path[:200]!r}; /schema lists what there is.")
    else:
        log.error("the framework refused %s: %s", path, error)
        refusal = refuse(Code.INTERNAL_ERROR, "The service failed on this request; its log says why. Try again.")
    return Response(render(refusal, path), status_code=refusal.status, media_type=PROBLEM_JSON)
