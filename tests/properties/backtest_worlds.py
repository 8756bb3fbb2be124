"""Random worlds for the backtest: policies, risk templates, and calls in time order that guard decides on.

Each call goes the whole way: question, risk, decision, the recorded payload, its JSON, the table, and out of it as it
is served. Beside what was recorded, guard itself decides every call by the other policies, with a window of rate limits
of its own, in which only what these policies let happen is counted. That is what a backtest has to find.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import duckdb
import msgspec
import polars as pl

from assent.contract.conditions import ConditionError
from assent.contract.control.exploration import check_explore
from assent.contract.control.guard import Decision, GuardContext, Source
from assent.contract.control.policies import Mode, Policy
from assent.contract.control.risk_templates import CreateRiskTemplate, RiskTemplate, TemplateStatus
from assent.contract.control.rules import PolicyError, parse_rules
from assent.contract.names import comparable
from assent.contract.roles import Role
from assent_service.base.clock import moment
from assent_service.control.guard import check_rules
from assent_service.control.guard.ask import question, recorded
from assent_service.control.guard.decide import decide
from assent_service.control.guard.decisions import GUARD_DECISIONS
from assent_service.control.guard.explore import Exploration, explore, may_explore
from assent_service.control.guard.index import PolicySet
from assent_service.control.guard.rates import NoRates, RateWindow
from assent_service.control.guard.risk import RiskHistory, assess
from assent_service.control.guard.templates import TemplateSet
from assent_service.control.guard.verdict import Verdict
from assent_service.core.names import settle
from assent_service.core.principal import Principal
from assent_service.store import schema
from assent_service.store.tables import ColumnKind
from tests.properties.backtest_trees import AGENTS, GOALS, LISTS, MAPPINGS, NEAR, SCALARS, TYPES, tree

START = 1_790_000_000_000_000
MINUTE = 60_000_000
BELOW = 70.0
"""The risk below which policies explore."""
CREATED = datetime(2026, 11, 1, tzinfo=UTC)
PRINCIPAL = Principal(org_id="org_1", key_id="key_1", name="operator", role=Role.ADMIN, agent_id=None)

HISTORIES = [
    RiskHistory(),
    RiskHistory(total=4, failed=3, mean_risk=50.0, last_hour=6),
    RiskHistory(total=10, failed=0, mean_risk=20.0, last_hour=9),
    RiskHistory(total=10, failed=3, mean_risk=20.0, last_hour=2),
]


@dataclass
class World:
    """`expected` is what guard decides by `policies` and `templates`, `matched` how often each policy matched."""

    policies: list[Policy]
    templates: list[CreateRiskTemplate] | None
    decisions: pl.DataFrame
    actions: pl.DataFrame
    expected: dict[str, Decision]
    matched: Counter[str]
    recorded: dict[str, Decision] = field(default_factory=dict[str, Decision])


def make_world(random: Random, calls: int) -> World:
    old, new = _policies(random, "old"), _policies(random, "new")
    templates = _templates(random) if random.random() < 0.5 else None
    old_templates = TemplateSet(_stored(_templates(random))) if random.random() < 0.3 else TemplateSet()
    before, after = PolicySet(old), PolicySet(new)
    new_templates = TemplateSet(_stored(templates)) if templates is not None else old_templates
    was, would = RateWindow(before.max_actions), RateWindow(after.max_actions)
    waiting: list[tuple[int, str, str | None, Decision, Decision, Source]] = []
    world = World(new, templates, pl.DataFrame(), pl.DataFrame(), {}, Counter())
    payloads: list[str] = []
    actions: list[dict[str, Any]] = []
    now, agents = START, random.sample(AGENTS, random.choice([1, 2, 4]))

    def act(at: int, decision_id: str, agent: str | None, then: Decision, other: Decision, source: Source) -> None:
        actions.append(_action(random, len(actions), at, decision_id, agent, then, source))
        if agent is not None and source is Source.LIVE:
            if then is not Decision.BLOCK:
                was.reserve(comparable(agent), at)
            if other is not Decision.BLOCK:
                would.reserve(comparable(agent), at)

    for _ in range(calls):
        now += random.choice([1, 1000, 1000, MINUTE // 3, MINUTE, MINUTE * 4])
        for late in [each for each in waiting if each[0] < now]:
            waiting.remove(late)
            act(*late)
        sent = _context(random, agents)
        source = random.choice([Source.LIVE] * 8 + [Source.IMPORT, Source.SIMULATED])
        if source is not Source.LIVE:
            sent |= {"source": source.value, "occurred_at": moment(now - MINUTE * random.randrange(90))}
        body = settle(msgspec.convert(sent, GuardContext))
        asked = question(PRINCIPAL, body, {**sent, "occurred_at": str(sent.get("occurred_at", ""))}, now)
        kind, history = asked.facts.action_type, random.choice(HISTORIES)
        halted = "stop" if source is Source.LIVE and random.random() < 0.03 else None
        rates = (was, would) if source is Source.LIVE else (NoRates(), NoRates())
        risk = assess(asked.facts, history, old_templates.of(kind))
        verdict = decide(asked.facts, risk, before, rates[0], now, halted)
        rated = assess(asked.facts, history, new_templates.of(kind))
        other = decide(asked.facts, rated, after, rates[1], now, halted)
        drawn, draw = None, random.choice([0.01, 0.1, 0.3, 0.9])
        if source is Source.LIVE and may_explore(asked.facts, risk.score, BELOW):
            verdict, drawn, other = _explored(
                verdict, before, other, after, draw, may_explore(asked.facts, rated.score, BELOW)
            )
        decision_id = f"dec_{len(payloads)}"
        world.recorded[decision_id], world.expected[decision_id] = verdict.decision, other.decision
        world.matched.update(other.matched_policies + other.observed_policies)
        payload = recorded(asked, decision_id, verdict, risk, 1, None, exploration=drawn)
        payloads.append(msgspec.json.encode(payload).decode())
        happens = random.random()
        if happens < 0.7:
            act(now, decision_id, asked.agent_id, verdict.decision, other.decision, source)
        elif happens < 0.85:
            later = now + random.randrange(2, 5 * MINUTE)
            waiting.append((later, decision_id, asked.agent_id, verdict.decision, other.decision, source))
    for late in waiting:
        act(*late)
    world.matched.pop("builtin:halt", None)
    world.decisions, world.actions = _served(payloads), _actions(actions)
    return world


def _explored(
    verdict: Verdict, before: PolicySet, other: Verdict, after: PolicySet, draw: float, may: bool
) -> tuple[Verdict, Exploration | None, Verdict]:
    """What was drawn is known, and what the other policies make of it too, where they `may` explore at their risk."""
    found = explore(verdict, before, BELOW, draw)
    if found is None:
        return verdict, None, other
    again = explore(other, after, BELOW, draw) if may else None
    return *found, other if again is None else again[0]


def _served(payloads: list[str]) -> pl.DataFrame:
    """What the table serves after these payloads were written to it."""
    with duckdb.connect() as connection:
        connection.execute(schema.create(GUARD_DECISIONS))
        connection.execute(schema.insert(GUARD_DECISIONS), [payloads])
        columns = ", ".join(
            f'CAST("{column.name}" AS VARCHAR) AS "{column.name}"'
            if column.kind is ColumnKind.JSON
            else f'"{column.name}"'
            for column in GUARD_DECISIONS.columns
        )
        served: pl.DataFrame = connection.sql(f"SELECT {columns} FROM guard_decisions").pl()
        return served


def _action(
    random: Random, number: int, at: int, decision_id: str, agent: str | None, decision: Decision, source: Source
) -> dict[str, Any]:
    statuses = ["completed", "failed", "running", "cancelled"]
    return {
        "action_id": f"act_{number}",
        "decision_id": decision_id,
        "agent_id": agent,
        "status": "blocked" if decision is Decision.BLOCK else random.choice(statuses),
        "source": source.value,
        "timestamp_start": moment(at),
        "created_at": moment(at),
    }


def _actions(rows: list[dict[str, Any]]) -> pl.DataFrame:
    texts = ("action_id", "decision_id", "agent_id", "status", "source")
    times = ("timestamp_start", "created_at")
    time = pl.Datetime("us", "UTC")
    return pl.DataFrame(rows, schema=dict.fromkeys(texts, pl.String) | dict.fromkeys(times, time))


def _context(random: Random, agents: list[str]) -> dict[str, Any]:
    """A context as an agent may send it."""
    sent: dict[str, Any] = {"action_type": random.choice(TYPES), "agent_id": random.choice([*agents * 4, None])}
    maybe: dict[str, Any] = {
        "declared_goal": random.choice(GOALS),
        "reversible": random.choice([True, False, None]),
        "systems_touched": random.choice([[], ["production"], ["Shell", "é"], ["ops", ""], [" Оps "]]),
        "risk_score": random.choice([None, 0, 12.5, 60, 99.99999999999999, 100]),
        "amount": random.choice([*SCALARS, *LISTS, *MAPPINGS, None, *NEAR["amount"] * 9]),
        "tags": random.choice([*LISTS, *SCALARS, *MAPPINGS]),
        "note": random.choice([*SCALARS, *LISTS]),
        "agent_name": random.choice(SCALARS),
        "metadata": _metadata(random),
        "metadata.team": "unreachable",
        "risk_factors": random.choice(SCALARS),
        "destructive": random.choice(SCALARS),
        "agent_risk_score": random.choice(SCALARS),
        "*": 1,
    }
    sent |= {name: value for name, value in maybe.items() if random.random() < 0.7}
    return {name: value for name, value in sent.items() if value is not None}


def _metadata(random: Random) -> dict[str, Any]:
    names = ["team", "0", "*", "a b", 'q"uote', "back\\slash", "ключ", "$", "'", "level", "source"]
    found = {name: random.choice([*SCALARS, *LISTS, None]) for name in names if random.random() < 0.5}
    if random.random() < 0.5:
        found["team"] = random.choice(NEAR["metadata.team"])
    if random.random() < 0.7:
        found["deep"] = random.choice([*MAPPINGS, *MAPPINGS, *SCALARS, None])
    return found


def _policies(random: Random, prefix: str) -> list[Policy]:
    found: list[Policy] = []
    wanted = random.choice([0, 1, 3, 6, 12])
    while len(found) < wanted:
        kind, rules = _rules(random)
        try:
            check_rules(parse_rules(kind, rules))
        except (PolicyError, ConditionError):
            continue
        found.append(
            Policy(
                policy_id=f"{prefix}_{len(found)}",
                name=f"{prefix} {len(found)}",
                policy_type=kind,
                rules=rules,
                active=random.random() < 0.9,
                agent_ids=random.choice([[], [], [], ["a1"], ["å🦉", "a3"]]),
                mode=random.choice([Mode.ENFORCE, Mode.ENFORCE, Mode.OBSERVE]),
                org_id="org_1",
                version=1,
                created_at=CREATED + timedelta(seconds=len(found)),
                created_by="key_1",
                updated_at=CREATED,
                updated_by="key_1",
                deleted_at=None,
                explore=_share(random, kind, rules),
            )
        )
    return found


def _share(random: Random, kind: str, rules: dict[str, Any]) -> float:
    share = random.choice([0.0, 0.02, 0.25, 0.5])
    try:
        check_explore(parse_rules(kind, rules), share)
    except PolicyError:
        return 0.0
    return share


def _rules(random: Random) -> tuple[str, dict[str, Any]]:
    action = random.choice(["warn", "require_approval", "block"])
    kind = random.choice(
        ["risk_threshold", "require_approval", "block_action_type", "known_types", "rate_limit", "rate_limit"]
        + ["condition"] * 6
    )
    if random.random() < 0.03:
        if random.random() < 0.5:
            return "flow", {"action": action, "pack": {}}
        return "webhook_check", {"url": "https://guard.example"}
    types = random.sample(TYPES, random.choice([1, 2]))
    rules: dict[str, dict[str, Any]] = {
        "risk_threshold": {"threshold": random.choice([0, 25, 40, 59.5, 60, 100]), "action": action},
        "require_approval": {"action_types": types}
        | ({"escalate_after_minutes": 5, "escalate_to": "Leads"} if len(types) == 2 else {}),
        "block_action_type": {"action_types": types},
        "known_types": {"action_types": types, "action": action},
        "rate_limit": {
            "max_actions": random.choice([1, 2, 3, 5]),
            "window_minutes": random.choice([1, 5, 10, 60]),
            "action": random.choice([action, "block"]),
        },
        "condition": {"when": tree(random), "action": action},
    }
    return kind, rules[kind]


def _templates(random: Random) -> list[CreateRiskTemplate]:
    found: list[CreateRiskTemplate] = []
    wanted = random.choice([0, 1, 2, 3])
    while len(found) < wanted:
        rules = [{"condition": tree(random, 2), "add": random.choice([-100, -7, 5, 30, 100])} for _ in range(2)]
        rules.append(
            {
                "condition": random.choice(['metadata.team == "1"', "risk_score >= 12.5", "amount != null"]),
                "add": random.choice([3, 60]),
            }
        )
        template = msgspec.convert(
            {
                "name": f"template {len(found)}",
                "action_type": random.choice([None, *TYPES]),
                "base_risk": random.choice([0, 20, 60, 100]),
                "status": random.choice(["active", "active", "inactive"]),
                "rules": rules,
            },
            CreateRiskTemplate,
        )
        try:
            TemplateSet(_stored([template]))
        except ConditionError:
            continue
        found.append(template)
    return found


def _stored(templates: list[CreateRiskTemplate]) -> list[RiskTemplate]:
    return [
        RiskTemplate(
            id=f"rt_{at}",
            org_id="org_1",
            name=each.name,
            description=None,
            action_type=each.action_type,
            base_risk=each.base_risk,
            rules=each.rules or [],
            status=each.status or TemplateStatus.ACTIVE,
            version=1,
            created_at=CREATED,
            created_by="key_1",
            updated_at=CREATED,
            updated_by="key_1",
            deleted_at=None,
        )
        for at, each in enumerate(templates)
    ]
