"""The nouns around the governed loop, put together: each stands on the ledger and, where it must, on actions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from assent_service import (
    activity,
    agents,
    compliance,
    drift,
    erasure,
    evaluations,
    feedback,
    handoffs,
    key_points,
    learning,
    messages,
    outcomes,
    pairings,
    prompts,
    proofs,
    records,
    routing,
    scoring,
    sync,
    threads,
    wallet,
    webhooks,
)
from assent_service.actions import Actions
from assent_service.core.clock import Clock
from assent_service.core.locks import EntityLocks
from assent_service.core.route import Route
from assent_service.core.speaker import Seen
from assent_service.data import Pace
from assent_service.identities import Identities
from assent_service.injection import Screen
from assent_service.settings import Settings
from assent_service.store.blobs import Blobs
from assent_service.store.ledger import Ledger, Memory
from assent_service.store.tables import Table

TABLES: tuple[Table, ...] = (
    erasure.ERASURES,
    outcomes.ACTION_OUTCOMES,
    feedback.FEEDBACK,
    prompts.PROMPT_TEMPLATES,
    prompts.PROMPT_VERSIONS,
    prompts.PROMPT_RUNS,
    agents.AGENTS,
    agents.CONNECTIONS,
    handoffs.HANDOFFS,
    threads.THREADS,
    threads.THREAD_ENTRIES,
    key_points.KEY_POINTS,
    pairings.PAIRINGS,
    messages.MESSAGES,
    messages.MESSAGE_MARKS,
    messages.MESSAGE_THREADS,
    webhooks.WEBHOOKS,
    webhooks.WEBHOOK_DELIVERIES,
    evaluations.SCORERS,
    evaluations.SCORES,
    evaluations.EVALUATION_RUNS,
    scoring.SCORING_PROFILES,
    scoring.SCORING_DIMENSIONS,
    scoring.PROFILE_SCORES,
    drift.DRIFT_ALERTS,
    learning.RECOMMENDATION_SWITCHES,
    learning.RECOMMENDATION_EVENTS,
    records.RECORDS,
    records.TOKEN_USAGE,
    routing.ROUTING_AGENTS,
    routing.ROUTING_TASKS,
    wallet.SIGNING_KEYS,
)


@dataclass(frozen=True)
class Foundation:
    """What every noun here may stand on. `organizations` gives the ids of all, the one that the service started with
    first."""

    settings: Settings
    ledger: Ledger
    clock: Clock
    locks: EntityLocks
    actions: Actions
    identities: Identities
    screen: Screen
    organizations: Callable[[], Sequence[str]]


@dataclass(frozen=True)
class Around:
    """`starts` run once the ledger is started, `stops` before it is closed, in reverse. `seen` is told of every call
    that was made for an agent."""

    routes: tuple[Route, ...]
    memories: tuple[Memory, ...]
    starts: tuple[Callable[[], Awaitable[None]], ...]
    stops: tuple[Callable[[], Awaitable[None]], ...]
    seen: Seen
    agents: agents.Agents
    webhooks: webhooks.Webhooks
    pairings: pairings.Pairings
    wallet: wallet.Wallet
    proofs: proofs.ProofParts
    drift: drift.Drift


def build(on: Foundation) -> Around:
    """Every noun, its routes and what it keeps in memory."""
    ledger, clock = on.ledger, on.clock
    routes: list[Route] = []
    memories: list[Memory] = []
    starts: list[Callable[[], Awaitable[None]]] = []
    stops: list[Callable[[], Awaitable[None]]] = []

    routes += outcomes.routes(outcomes.Outcomes(ledger, clock, on.actions))
    routes += activity.routes(ledger, clock)
    routes += compliance.routes(ledger, clock)
    routes += feedback.routes(feedback.Feedbacks(ledger, clock, on.locks, on.actions))
    all_prompts = prompts.Prompts(ledger, clock, on.locks)
    routes += prompts.routes(all_prompts, prompts.Runs(ledger, clock, all_prompts, on.actions))

    message_threads = messages.Threads(ledger, clock, on.locks)
    blobs = Blobs(Path(on.settings.home) / "blobs")
    all_messages = messages.Messages(ledger, clock, on.locks, on.actions, message_threads, blobs, on.screen)
    routes += messages.routes(all_messages, message_threads)
    starts.append(all_messages.start)

    pairing_life = timedelta(minutes=on.settings.pairing_minutes)
    all_pairings = pairings.Pairings(ledger, clock, on.locks, on.identities, pairing_life)
    routes += pairings.routes(all_pairings, on.settings.dashboard_url)
    memories.append(all_pairings.state)
    starts.append(all_pairings.start)
    stops.append(all_pairings.stop)

    interval = timedelta(minutes=on.settings.presence_minutes)
    offline_after = timedelta(minutes=on.settings.agent_offline_minutes)
    all_agents = agents.Agents(ledger, clock, offline_after=offline_after, interval=interval)
    recorder = agents.Recorder(ledger, clock, all_agents, seconds=on.settings.presence_write_seconds)
    connections = agents.Connections(ledger, clock, on.locks, interval=interval)
    routes += agents.routes(all_agents, connections)
    all_handoffs = handoffs.Handoffs(ledger, clock, on.locks, on.screen)
    routes += handoffs.routes(all_handoffs)
    all_threads = threads.Threads(ledger, clock, on.locks)
    routes += threads.routes(all_threads)
    all_points = key_points.KeyPoints(ledger, clock, on.locks)
    routes += key_points.routes(all_points)
    memories.append(all_agents.state)
    starts.append(recorder.start)
    stops.append(recorder.stop)
    hooks = webhooks.open_webhooks(
        ledger,
        clock,
        on.locks,
        Path(on.settings.home),
        allow_private=on.settings.webhooks_to_private_addresses,
        make_rests=Pace,
    )
    routes += webhooks.routes(hooks.webhooks)
    erasures = erasure.Erasures(ledger, clock, on.locks, on.actions, on.actions.erasures, hooks.echoes.silenced)
    routes += erasure.routes(erasures)
    memories.append(on.actions.erasures)
    starts.append(erasures.start)
    memories.append(hooks.state)
    starts.append(hooks.start)
    stops.append(hooks.courier.stop)

    all_evaluations = evaluations.Evaluations(ledger, clock, on.locks, on.actions, Pace)
    routes += evaluations.routes(all_evaluations)
    starts.append(all_evaluations.start)
    stops.append(all_evaluations.stop)
    all_profiles = scoring.Profiles(ledger, clock, on.locks)
    routes += scoring.routes(all_profiles, scoring.Scores(ledger, clock, all_profiles))
    all_drift = drift.Drift(
        ledger,
        clock,
        on.locks,
        Path(on.settings.home),
        Pace,
        weights=on.settings.episodes,
        alpha=on.settings.drift_false_alarms,
    )
    routes += drift.routes(all_drift)
    episodes = learning.Episodes(ledger, clock, on.settings.episodes)
    routes += learning.routes(episodes, all_drift.state, learning.Advice(ledger, on.locks, episodes))
    memories.append(all_drift.state)
    starts.append(all_drift.follower.start)
    stops.append(all_drift.follower.stop)

    all_records = records.Records(ledger, clock, on.locks)
    routes += records.routes(all_records, records.Digests(ledger, clock), on.actions, ledger, clock)
    all_routing = routing.Routing(ledger, clock, on.locks)
    routes += routing.routes(all_routing)
    memories.append(all_routing.state)
    the_wallet = wallet.Wallet(
        ledger,
        clock,
        on.locks,
        home=Path(on.settings.home),
        secret=on.settings.wallet_key,
        days=on.settings.signing_key_days,
    )
    routes += wallet.routes(the_wallet, lambda: next(iter(on.organizations()), None))
    memories.append(the_wallet.state)
    proven = proofs.open_proofs(
        ledger,
        clock,
        on.locks,
        the_wallet,
        Path(on.settings.home),
        on.organizations,
        origin=on.settings.log_origin,
        seconds=on.settings.head_seconds,
    )
    routes += proven.routes
    starts.append(proven.start)
    stops.append(proven.stop)
    nouns = sync.Nouns(
        actions=on.actions,
        connections=connections,
        handoffs=all_handoffs,
        key_points=all_points,
        threads=all_threads,
        records=all_records,
    )
    routes += sync.routes(sync.Sync(nouns))
    return Around(
        routes=tuple(routes),
        memories=tuple(memories),
        starts=tuple(starts),
        stops=tuple(stops),
        seen=all_agents.seen,
        agents=all_agents,
        webhooks=hooks.webhooks,
        pairings=all_pairings,
        wallet=the_wallet,
        proofs=proven,
        drift=all_drift,
    )
