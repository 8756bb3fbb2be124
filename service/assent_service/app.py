"""The service put together: the nouns, opened in the order in which they stand on each other, behind one door for each
path."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from litestar import Litestar, Request, Response, asgi
from litestar.exceptions import HTTPException
from litestar.handlers import ASGIRouteHandler
from litestar.types import Receive, Scope, Send

from assent.contract.endpoint import MEGABYTE as BODY_MEGABYTE
from assent.contract.events import STREAM
from assent.contract.people.organizations import CreatedOrganization
from assent.contract.problems import PROBLEM_JSON, Code
from assent.flows import Pack
from assent.secrets import keep_out, without_own
from assent.secrets.own_values import SHORTEST as SHORTEST_VALUE
from assent_service import documentation, health, telemetry
from assent_service.analysis import (
    asking,
    backtest,
    calibration,
    changes,
    data,
    drift,
    evaluations,
    grant_previews,
    insight,
    learning,
    observed,
    readiness,
    scoring,
)
from assent_service.base.clock import Clock, Correction, SteadyClock
from assent_service.base.memory import MemoryBudget
from assent_service.base.problem import refuse, render
from assent_service.base.release import release
from assent_service.control import (
    actions,
    approvals,
    assignments,
    assumptions,
    authzen,
    comments,
    erasure,
    escalations,
    flows,
    grants,
    guard,
    halt,
    injection,
    loops,
    outcomes,
    policies,
    questions,
    risk_templates,
    secrets,
    signals,
    snoozes,
    triage,
)
from assent_service.core.caller import Callers
from assent_service.core.echo import echoing
from assent_service.core.express import Express
from assent_service.core.failed_keys import FailedKeys
from assent_service.core.foundation import Foundation
from assent_service.core.route import Route
from assent_service.core.router import Router
from assent_service.core.settings import SECRETS, Settings
from assent_service.evidence import activity, compliance, events, pcaa, proofs, traces, wallet
from assent_service.exchange import (
    feedback,
    handoffs,
    key_points,
    messages,
    prompts,
    records,
    routing,
    sync,
    threads,
    webhooks,
)
from assent_service.people import agents, identities, keys, organizations, pairings, rota
from assent_service.replicas import open_replica
from assent_service.store.budget import Budget
from assent_service.store.ledger import Ledger, Memory
from assent_service.store.log import Log, OpenLog
from assent_service.store.tables import Table

TABLES: tuple[Table, ...] = (
    *organizations.TABLES,
    *keys.TABLES,
    *rota.TABLES,
    *policies.TABLES,
    *halt.TABLES,
    *risk_templates.TABLES,
    *guard.TABLES,
    *actions.TABLES,
    *identities.TABLES,
    *approvals.TABLES,
    *questions.TABLES,
    *grants.TABLES,
    *comments.TABLES,
    *snoozes.TABLES,
    *assignments.TABLES,
    *escalations.TABLES,
    *triage.TABLES,
    *flows.TABLES,
    *assumptions.TABLES,
    *loops.TABLES,
    *signals.TABLES,
    *injection.TABLES,
    *health.TABLES,
    *erasure.TABLES,
    *outcomes.TABLES,
    *feedback.TABLES,
    *prompts.TABLES,
    *agents.TABLES,
    *handoffs.TABLES,
    *threads.TABLES,
    *key_points.TABLES,
    *pairings.TABLES,
    *messages.TABLES,
    *webhooks.TABLES,
    *evaluations.TABLES,
    *scoring.TABLES,
    *drift.TABLES,
    *learning.TABLES,
    *records.TABLES,
    *routing.TABLES,
    *wallet.TABLES,
    *compliance.TABLES,
)
"""In the order in which they are listed to who asks for the data."""
MEGABYTE = 1 << 20

log = logging.getLogger("assent.service")


@dataclass(frozen=True)
class Nouns:
    """Those that others than their own routes have to do with."""

    organizations: organizations.Organizations
    keys: keys.Keys
    policies: policies.Policies
    halts: halt.Halts
    injection: injection.Injection
    outside: guard.Outside
    flows: flows.Flows
    guard: guard.Guard
    actions: actions.Actions
    waiting: approvals.ApprovalStore
    approvals: approvals.Approvals
    escalations: escalations.Escalations
    questions: questions.Questions
    identities: identities.Identities
    pairings: pairings.Pairings
    agents: agents.Agents
    wallet: wallet.Wallet
    proofs: proofs.ProofParts
    assumptions: assumptions.Assumptions
    loops: loops.Loops
    announcer: signals.SignalAnnouncer
    learned: learning.LearningMemory
    keeper: learning.Keeper
    signals: signals.Signals
    events: events.Events
    data: data.Data
    drift: drift.Drift
    triage: triage.Triages
    schedules: compliance.Schedules


@dataclass(frozen=True)
class Front:
    """What requests come to: the ASGI application, and the quick ways beside it, by their paths."""

    app: Litestar
    express: Mapping[bytes, Express]


@dataclass(frozen=True)
class Service(Nouns):
    """Everything that runs. Its front is made when somebody asks for it: who only simulates serves nobody."""

    settings: Settings
    ledger: Ledger
    memories: tuple[Memory, ...]
    make_front: Callable[[], Front]

    @cached_property
    def front(self) -> Front:
        return self.make_front()

    @property
    def app(self) -> Litestar:
        return self.front.app

    @property
    def express(self) -> Mapping[bytes, Express]:
        return self.front.express


def build(
    settings: Settings,
    *,
    clock: Clock | None = None,
    on_first_start: Callable[[CreatedOrganization], None] | None = None,
    more: Iterable[Route] = (),
    keep_tree: bool = True,
    otel: telemetry.Otel | None = None,
    open_log: OpenLog = Log.open,
) -> Service:
    """Open the data folder and put the service together; it serves once `app` is started.

    `more` are routes beside the contract's, for tests and benchmarks; so is `keep_tree`, which shows what the Merkle
    trees cost: without them there are no proofs. `open_log` opens the evidence log. Without a `clock` time is the
    machine's, without its jumps. `otel` says what is told to a collector. Raises what the log raises for a data folder
    that is in use or damaged, SettingsError for what does not fit a log in a database, and OSError for an access log
    that cannot be opened.
    """
    _keep_secrets_out(settings)
    base, correction = clock or SteadyClock(), Correction()
    replica = open_replica(settings, correction)
    clock = base if replica is None else correction.of(base)
    memory = MemoryBudget(settings.memory_megabytes)
    watch = telemetry.open_telemetry(settings, otel, frozenset({STREAM.path}))
    home = Path(settings.home)
    opened = partial(
        Ledger,
        home,
        TABLES,
        segment_bytes=settings.segment_megabytes * MEGABYTE,
        keep_tree=keep_tree,
        files=watch.files,
        backlog=memory.of("backlog"),
        budget=Budget(
            at_once=settings.analytics_at_once,
            seconds=settings.analytics_seconds,
            bytes=settings.analytics_megabytes * MEGABYTE,
        ),
        clock=clock,
    )
    if replica is None:
        ledger = opened(open_log=open_log)
    else:
        ledger = replica.open_ledger(
            home, partial(opened, open_log=replica.open_log, shared=replica.shared, holder=replica.holder)
        )
    on = Foundation(settings=settings, ledger=ledger, clock=clock, memory=memory)
    if replica is not None:
        replica.standing.follow(lambda: ledger.head)
        on.bring(inspect=replica.standing.inspect)
    failed_keys = FailedKeys(Callers(settings.trusted_proxies), settings.failed_keys_per_minute)
    try:
        nouns = _open(on, failed_keys, on_first_start)
        on.bring(routes=[*watch.routes(on.first_organization), *more])
        ledger.remember(on.memories)
        nouns.wallet.check_shared_keys()
    except BaseException:
        ledger.close()
        raise
    if replica is not None:
        watch.follow_replica(ledger, replica)
    watch.follow(
        ledger,
        telemetry.Gauges(
            waiting=lambda: len(nouns.waiting.awaiting),
            tables=lambda: ledger.tables_behind,
            drift=lambda: nouns.drift.follower.trail.behind(),
            readers=lambda: nouns.events.readers,
        ),
    )
    return Service(
        **vars(nouns),
        settings=settings,
        ledger=ledger,
        memories=tuple(on.memories),
        make_front=lambda: _front(on, nouns, watch, failed_keys),
    )


def _front(on: Foundation, nouns: Nouns, watch: telemetry.Telemetry, failed_keys: FailedKeys) -> Front:
    router = Router(
        map(watch.reading, on.routes),
        watch.authenticating(nouns.keys.authenticate),
        nouns.agents.note_call,
        watch.watch,
        failed_keys,
        round(on.settings.body_megabytes * BODY_MEGABYTE),
        lambda route: Express(route, nouns.keys.authenticate, on.ledger, nouns.agents.note_call, watch.watching(route)),
        on.ledger,
    )

    @asynccontextmanager
    async def lifespan(_: Litestar) -> AsyncIterator[None]:
        on.ledger.start()
        watch.start()
        await on.start()
        try:
            yield
        finally:
            on.ledger.log.end_soon()
            await on.stop()
            on.ledger.close()
            await watch.stop()

    app = Application(
        route_handlers=[_mount(router), *documentation.handlers(release(), watch.watch)],
        lifespan=[lifespan],
        openapi_config=None,
        exception_handlers={HTTPException: _elsewhere},
        logging_config=None,
        debug=False,
    )
    return Front(app, router.express)


def _open(
    on: Foundation, failed_keys: FailedKeys, on_first_start: Callable[[CreatedOrganization], None] | None
) -> Nouns:
    """Every noun, each after those that it stands on. What runs in the background starts in this order, too, and stops
    in reverse."""
    # What guard stands on.
    outside = guard.open_outside(on)
    scans = injection.open_injection(on)
    all_keys = keys.open_keys(on)
    all_rotas = rota.open_rotas(on, all_keys)
    all_policies = policies.open_policies(on)
    all_organizations = organizations.open_organizations(on, all_keys, all_policies.seed, on_first_start)
    all_identities = identities.open_identities(on)
    all_agents, connections = agents.open_agents(on)
    halts = halt.open_halts(on)
    templates = risk_templates.open_risk_templates(on)
    all_signals, announcer = signals.open_signals(on, all_agents)
    all_drift = drift.open_drift(on)
    learned, keeper = learning.open_learning(on, all_drift)

    def pack_of(org_id: str) -> Pack:
        return all_policies.state.of(org_id).pack

    told = flows.open_flows(on, pack_of, scans.screen)

    # The governed loop.
    the_guard = guard.Guard(
        on.ledger,
        on.clock,
        on.locks,
        policies=all_policies.state,
        halted=halts.state.reason,
        outside=outside,
        active=all_signals.warnings,
        templates=templates.state,
        learning=learned.of,
        screen=scans.screen,
        unbound=all_keys.state.unbound,
        exploring=all_organizations.state.exploring,
        sessions=told,
        memory=on.memory,
    )
    all_policies.on_change = the_guard.follow_policies
    guard.bring_guard(on, the_guard)
    policies.serve_policies(on, all_policies, the_guard, all_rotas.duty)
    waiting = approvals.ApprovalStore(on.memory)
    asked = questions.QuestionStore(on.memory)
    all_grants = grants.open_grants(on, all_policies.state)
    all_triage = triage.open_triage(on, all_policies.state, all_signals.warnings)
    all_actions = actions.open_actions(on, the_guard, all_identities, waiting, asked, all_grants, all_triage)
    all_approvals = approvals.open_approvals(on, all_actions, waiting, halts.state.reason, asked, all_grants)
    authzen.open_authzen(on, the_guard, all_actions, all_approvals)
    all_questions = questions.open_questions(on, all_actions, all_approvals, asked)
    comments.open_comments(on, all_actions, all_approvals)
    snoozes.open_snoozes(on, all_actions, all_approvals)
    assignments.open_assignments(on, all_actions, all_approvals, all_keys)
    all_escalations = escalations.open_escalations(on, waiting.awaiting, all_policies.state, all_rotas.duty)
    grants.serve_grants(on, all_grants, all_actions)
    flows.serve_flows(on, told, all_actions)
    all_assumptions = assumptions.open_assumptions(on, all_actions, scans.screen)
    all_loops = loops.open_loops(on, all_actions)
    actions.serve_actions(on, all_actions, all_approvals.of, all_assumptions.of, all_loops.open_of)
    outcomes.open_outcomes(on, all_actions)
    secrets.open_secrets(on)
    auth_failures = keys.open_auth_failures(on, failed_keys)
    all_pairings = pairings.open_pairings(on, all_identities)

    # What agents tell each other.
    feedback.open_feedback(on, all_actions)
    prompts.open_prompts(on, all_actions)
    messages.open_messages(on, all_actions, scans.screen)
    all_handoffs = handoffs.open_handoffs(on, scans.screen)
    all_threads = threads.open_threads(on)
    all_points = key_points.open_key_points(on)
    all_records = records.open_records(on, all_actions)
    routing.open_routing(on)
    hooks = webhooks.bring_webhooks(on, waiting.awaiting)
    erasure.open_erasures(on, all_actions, all_actions.erasures, hooks.erased_replies.silenced)
    sync.open_sync(
        on,
        sync.SyncedNouns(
            actions=all_actions,
            connections=connections,
            handoffs=all_handoffs,
            key_points=all_points,
            threads=all_threads,
            records=all_records,
        ),
    )

    # What can be shown.
    the_wallet = wallet.open_wallet(on)
    proven = proofs.bring_proofs(on, the_wallet)
    all_traces = traces.open_traces(on, all_actions, all_assumptions, all_loops, proven.heads)
    pcaa.open_pcaa(on, all_traces, proven.proofs)
    activity.open_activity(on)
    all_schedules = compliance.open_compliance(on, the_wallet)

    # What it means.
    backtest.open_backtest(on, all_policies)
    changes.open_changes(on)
    observed.open_observed(on)
    grant_previews.open_grant_previews(on, all_policies.state, all_grants)
    evaluations.open_evaluations(on, all_actions)
    scoring.open_scoring(on)
    insight.open_insight(on)
    asking.open_asking(on)
    calibration.open_calibration(on)

    # How it stands, and what goes on as long as somebody reads: that ends first.
    health.open_clock_watch(on, the_guard.state.turn_back)
    vitals = health.open_health(on)
    all_data = data.open_data(on)
    all_events = events.open_events(on)
    readiness.bring_readiness(
        on,
        readiness.Readiness(
            on.ledger,
            on.clock,
            vitals=vitals,
            keys=all_keys,
            auth_failures=auth_failures,
            halts=halts,
            policies=all_policies,
            approvals=waiting,
            disabled=hooks.webhooks.disabled,
            proven=proven.sampling.get,
            triage=all_triage,
            duty=all_rotas.duty,
            refuses_own=on.settings.self_decisions == "refuse",
        ),
        readiness.ConnectionCheck(on.ledger, on.clock, all_actions, all_approvals, all_events),
    )
    return Nouns(
        organizations=all_organizations,
        keys=all_keys,
        policies=all_policies,
        halts=halts,
        injection=scans,
        flows=told,
        guard=the_guard,
        outside=outside,
        actions=all_actions,
        approvals=all_approvals,
        escalations=all_escalations,
        questions=all_questions,
        waiting=waiting,
        identities=all_identities,
        pairings=all_pairings,
        agents=all_agents,
        wallet=the_wallet,
        proofs=proven,
        assumptions=all_assumptions,
        loops=all_loops,
        announcer=announcer,
        learned=learned,
        keeper=keeper,
        signals=all_signals,
        events=all_events,
        data=all_data,
        drift=all_drift,
        triage=all_triage,
        schedules=all_schedules,
    )


def _keep_secrets_out(settings: Settings) -> None:
    """The settings' secrets are taken out of everything from now on, by their values."""
    given = {name: value for name in SECRETS if (value := getattr(settings, name)) is not None}
    short = keep_out(given.values())
    for name, value in given.items():
        if value in short:
            log.warning(
                "%s is so short that it would be found in words: it is not taken out of texts by its value. Use at "
                "least %d characters.",
                name,
                SHORTEST_VALUE,
            )


class Application(Litestar):
    """Litestar, whose every answer names the request that it is of."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await super().__call__(scope, receive, echoing(scope, send) if scope["type"] == "http" else send)


def _mount(router: Router) -> ASGIRouteHandler:
    async def everything(scope: Scope, receive: Receive, send: Send) -> None:
        await router(scope, receive, send)

    return asgi("/", is_mount=True, copy_scope=False)(everything)


def _elsewhere(request: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    """What the framework refuses by itself: paths that are not there."""
    path = without_own(request.scope["path"])
    if error.status_code == 404:
        refusal = refuse(Code.ROUTE_NOT_FOUND, f"There is nothing at {path[:200]!r}; /schema lists what there is.")
    else:
        log.error("the framework refused %s: %s", path, error)
        refusal = refuse(Code.INTERNAL_ERROR, "The service failed on this request; its log says why. Try again.")
    return Response(render(refusal, path), status_code=refusal.status, media_type=PROBLEM_JSON)
