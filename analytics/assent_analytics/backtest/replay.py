"""Deciding recorded decisions again, batch by batch, so that memory holds a few bytes for each and never all contexts.

1. Halted decisions stay blocked: the kill switch is replayed as it was recorded. So is the scan for prompt injections:
   what it blocked stays blocked, and what it warned of is at least a warning, whatever the policies say. A rate limit
   that the count of a key reached (`limited_by_key`) stays reached where the policies have it, by its id: what the key
   would have done under others is not known. Drafts, which have no id, and decisions from before that column count for
   agents alone.
2. Every policy that matches is counted; the decision is the most severe of those enforced, as in guard.
3. Names are compared by the rule that each decision was made under (`assent.contract.names`).
4. A decision that was drawn keeps its draw: a policy whose share is above it takes its other effect there, as in guard,
   while the risk stays below what the organization explored. What was not drawn is decided by rules alone, since
   nobody knows its draw.
5. Standing grants are left out: guard decides as without them, and so does a backtest. What it says would ask a person
   may have been approved in advance.
6. What a flow policy says of a decision whose trace does not tell it is not known (`flows`): the verdict is then that
   of the other policies.
7. Conditions look at each decision by itself (`fields`, `conditions`), rate limits at what went before (`limits`).
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from assent.contract.conditions import Condition
from assent.contract.control.actions import ActionStatus
from assent.contract.control.guard import Decision, Source
from assent.contract.control.injection import SCAN_POLICY, SCAN_SAYS
from assent.contract.names import RULE, RULES, comparable
from assent.flows import Pack, joined
from assent_analytics.backtest.conditions import leaves
from assent_analytics.backtest.database import ReplayDatabase
from assent_analytics.backtest.fields import Fields, columns_of, holding, recorded_columns_of
from assent_analytics.backtest.flows import ASKS, gathered, judge
from assent_analytics.backtest.flows import COLUMNS as OF_FLOWS
from assent_analytics.backtest.limits import NOBODY, AgentNumbers, CountedRecords, LimitedDecisions, places, reached
from assent_analytics.backtest.policies import EXACT, SEVERITY, Replayable
from assent_analytics.backtest.templates import COLUMNS as OF_TEMPLATES
from assent_analytics.backtest.templates import ReplayTemplate, rate
from assent_analytics.frames import Frame, has, need, time_type

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

BATCH = 500_000
AT_ONCE = min(4, os.cpu_count() or 1)
HALT = "builtin:halt"
_SCAN_REASON = f'"{SCAN_SAYS}'
"""How a reason of the scan begins in a JSON list."""
NO_OUTCOME, COMPLETED, FAILED = 0, 1, 2
UNKNOWN_CAUSE, OTHER_VERSION, OTHER_TEMPLATES, WEBHOOK = 0, 1, 2, 3
_DECISIONS = [decision.value for decision in Decision]
_SOURCES = [source.value for source in Source]
_SIMULATED = _SOURCES.index(Source.SIMULATED.value)
_STATUSES = [status.value for status in ActionStatus]
_BLOCK = SEVERITY["block"]
_OTHER = (0, SEVERITY["require_approval"], SEVERITY["warn"], _BLOCK)
"""The effect that a policy takes where it explores, by the place of its own."""
_MATCHING = {True: "matched_policies", False: "observed_policies"}
"""Where it is recorded that an enforced policy matched, and that one that observes did."""
_NEVER = -(1 << 62)
"""A moment that nobody gave."""
_ALWAYS = ("decision_id", "decision", "occurred_at", "risk_score")


@dataclass(frozen=True)
class BacktestQuestion:
    """What to decide by. `templates` is None where the recorded risk stays. With `history_as_live` rate limits also
    see what was imported or simulated, at the time when it happened. `version` is that of the policies, where they are
    the ones in force, and `webhooks` the ids of those that cannot be replayed: both only tell causes apart."""

    policies: Sequence[Replayable]
    templates: Sequence[ReplayTemplate] | None = None
    history_as_live: bool = False
    version: int | None = None
    webhooks: Sequence[str] = ()
    told_apart: bool = False
    """Whether each decision's agent and type are wanted too."""

    @property
    def limits(self) -> list[Replayable]:
        return [policy for policy in self.policies if policy.limit is not None]

    @property
    def explores(self) -> bool:
        return any(policy.explore for policy in self.policies)

    @property
    def flows(self) -> list[Replayable]:
        return [policy for policy in self.policies if policy.flow is not None]

    @property
    def pack(self) -> Pack:
        """What its flow policies say of tools, as guard joins it."""
        packs = [(each.flow or each.house, each.enforced) for each in self.policies]
        return joined((pack, enforced) for pack, enforced in packs if pack is not None)

    @property
    def conditions(self) -> list[Condition]:
        """Of each policy, letter by letter."""
        return [of[EXACT] for of in self.by_rule]

    @property
    def by_rule(self) -> list[Mapping[int, Condition]]:
        """The same in their order, by each rule of names."""
        return [policy.by_rule for policy in self.policies if policy.by_rule is not None]

    @property
    def rated(self) -> list[Condition]:
        return [of[EXACT] for template in self.templates or () for of in template.conditions]

    def columns(self) -> set[str]:
        """The columns of the decisions that have to be there; more are used where they are."""
        names = {*_ALWAYS, *columns_of(self.conditions), *columns_of(self.rated)}
        names |= OF_TEMPLATES if self.templates is not None else set()
        return names | ({"agent_id"} if self.limits else set())

    def optional(self) -> set[str]:
        names = {"source", "matched_policies", "reasons", "name_rule"}
        names |= {"created_at", "limited_by_key"} if self.limits else set()
        names |= {"agent_id", "action_type"} if self.told_apart else set()
        names |= {"explore_draw", "explore_below"} if self.explores else set()
        names |= OF_FLOWS if self.flows else set()
        names |= recorded_columns_of([*self.conditions, *self.rated])
        names |= {"observed_policies"} if any(each.house is not None for each in self.policies) else set()
        return names | ({"policy_version", "observed_policies"} if self.version is not None else set())


@dataclass(frozen=True)
class Replay:
    """One entry for each decision: `before` and `after` as places among the decisions, `risk` as replayed, in whole
    points rounded down, `at` in microseconds, `source` as a place among the sources, `outcome` and `cause` as numbered
    above; `who` and `what` as numbers of agents and types, none of them unless they are told apart; how many each
    policy matched, in the order of the policies; and what each flow policy said of the decisions that it applies to, as
    `flows.gathered` gives them."""

    ids: pl.Series
    before: Array
    after: Array
    risk: Array
    at: Array
    source: Array
    halted: Array
    outcome: Array
    cause: Array
    who: Array
    what: Array
    agents: list[str]
    types: list[str]
    matched: list[int]
    flows: list[pl.DataFrame]


@dataclass
class _Judged:
    """One batch."""

    ids: pl.Series
    before: Array
    after: Array
    risk: Array
    at: Array
    source: Array
    halted: Array
    cause: Array
    who: Array
    what: Array
    asked_at: Array
    agent: Array
    matched: Array
    by_key: list[Array]
    """Of each policy, the places of the decisions whose key reached it, as recorded."""
    flows: list[pl.DataFrame]
    """Of each flow policy, the decisions that it applies to."""


def replay(decisions: Frame, actions: Frame | None, question: BacktestQuestion) -> Replay:
    """Raises ValueError for columns that are not there and for contexts that are no JSON."""
    frame = need(decisions, sorted(question.columns()), "decisions")
    chosen = sorted(question.columns() | {name for name in question.optional() if has(decisions, name)})
    agents, types = AgentNumbers(), AgentNumbers()
    # Once names are compared by a rule, what an agent did before under another spelling counts for it too.
    newest = _newest_rule(frame, has(decisions, "name_rule"))
    counted = AgentNumbers() if newest == EXACT else AgentNumbers(partial(comparable, rule=newest))
    whole = _joined(_judged(frame.select(chosen), question, agents, types, counted), len(question.policies))
    outcome, records = _of_actions(actions, whole, counted, question)
    matched = whole.matched.tolist()
    if question.limits and records is not None:
        _limit(whole, records, question, counted, matched)
    return Replay(
        ids=whole.ids,
        before=whole.before,
        after=whole.after,
        risk=whole.risk,
        at=whole.at,
        source=whole.source,
        halted=whole.halted,
        outcome=outcome,
        cause=whole.cause,
        who=whole.who,
        what=whole.what,
        agents=agents.names,
        types=types.names,
        matched=matched,
        flows=whole.flows,
    )


def _judged(
    frame: pl.LazyFrame, question: BacktestQuestion, agents: AgentNumbers, types: AgentNumbers, counted: AgentNumbers
) -> list[_Judged]:
    """The batches in their order. Each keeps about one processor busy, so some are judged at once, and no more than
    these are in memory."""
    done: list[_Judged] = []
    begun: deque[Future[_Judged]] = deque()
    with ReplayDatabase() as database, ThreadPoolExecutor(AT_ONCE) as pool:
        for batch in frame.collect_batches(chunk_size=BATCH, maintain_order=True, lazy=True):
            if len(begun) == AT_ONCE:
                done.append(begun.popleft().result())
            begun.append(pool.submit(_judge, batch, question, agents, types, counted, database))
        done.extend(each.result() for each in begun)
    return done


def _judge(
    batch: pl.DataFrame,
    question: BacktestQuestion,
    agents: AgentNumbers,
    types: AgentNumbers,
    counted: AgentNumbers,
    database: ReplayDatabase,
) -> _Judged:
    rules = _rules(batch)
    conditions = [*question.by_rule, *(of for template in question.templates or () for of in template.conditions)]
    asked = [of[rule] for rule in np.unique(rules).tolist() or [RULE] for of in conditions]
    fields = Fields(batch, [leaf for each in asked for leaf in leaves(each)], database)
    risk = batch["risk_score"].cast(pl.Float64)
    if question.templates is not None:
        risk = rate(batch, fields, question.templates, rules)
        fields.give("risk_score", risk)
    halted = _halted(batch)
    after = np.maximum(np.where(halted, _BLOCK, 0).astype(np.uint8), _scanned(batch))
    matched = np.zeros(len(question.policies), np.int64)
    draw = _draws(batch, risk) if question.explores else np.float64(1.0)
    live = _live(batch)
    flows, said = list[pl.DataFrame](), iter(list[Array]())
    if question.conditions or question.flows:
        found = iter(holding(fields, question.by_rule, rules) if question.conditions else ())
        reaches = [None if policy.by_rule is None else next(found) & ~halted for policy in question.policies]
        if question.flows:
            asked_of = live | _simulated_with_a_trace(batch)
            applying = [
                (asked_of & ~halted if reach is None else asked_of & reach)
                for policy, reach in zip(question.policies, reaches, strict=True)
                if policy.flow is not None
            ]
            told = judge(
                batch,
                [each.flow for each in question.flows if each.flow is not None],
                np.any(applying, axis=0),
                question.pack,
            )
            flows = [gathered(batch, told, at, applies) for at, applies in enumerate(applying)]
            said = iter([applies & (told.said[at] == ASKS) for at, applies in enumerate(applying)])
        for place, policy in enumerate(question.policies):
            holds = reaches[place] if policy.flow is None else next(said)
            if holds is None:
                continue
            matched[place] = np.count_nonzero(holds)
            if policy.enforced:
                effect = np.where(draw < policy.explore, _OTHER[policy.severity], policy.severity)
                np.maximum(after, holds * effect.astype(np.uint8), out=after)
    _by_house(batch, question, ~halted, matched, after)
    by_key = _by_key(batch, question, after)
    at = _microseconds(batch["occurred_at"])
    asked_at, agent = at, np.zeros(0, np.int32)
    if question.limits:
        if "created_at" in batch.columns:
            asked_at = np.where(live, _microseconds(batch["created_at"]), at)
        agent = counted.of(batch["agent_id"])
        agent = np.where((live | question.history_as_live) & ~halted, agent, NOBODY).astype(np.int32)
    return _Judged(
        ids=batch["decision_id"],
        before=batch["decision"].cast(pl.Enum(_DECISIONS)).to_physical().cast(pl.UInt8).to_numpy(),
        after=after,
        risk=np.floor(np.clip(risk.fill_null(0.0).to_numpy(), 0.0, 100.0)).astype(np.uint8),
        at=at,
        source=_source(batch),
        halted=halted,
        cause=_cause(batch, risk, question),
        who=_numbers(batch, "agent_id", question, agents),
        what=_numbers(batch, "action_type", question, types),
        asked_at=asked_at if question.limits else np.zeros(0, np.int64),
        agent=agent,
        matched=matched,
        by_key=by_key,
        flows=flows,
    )


def _draws(batch: pl.DataFrame, risk: pl.Series) -> Array:
    """What was drawn for each decision; 1, above every share, where nothing was."""
    if not {"explore_draw", "explore_below"} <= set(batch.columns):
        return np.ones(batch.height)
    below = batch["explore_below"].cast(pl.Float64)
    return np.where((risk < below).fill_null(False), batch["explore_draw"].cast(pl.Float64).fill_null(1.0), 1.0)


def _numbers(batch: pl.DataFrame, name: str, question: BacktestQuestion, known: AgentNumbers) -> Array:
    """What tells decisions apart, NOBODY where they do not say it."""
    if not question.told_apart:
        return np.zeros(0, np.int32)
    return known.of(batch[name]) if name in batch.columns else np.full(batch.height, NOBODY, np.int32)


def _newest_rule(frame: pl.LazyFrame, there: bool) -> int:
    found = frame.select(pl.col("name_rule").max()).collect().item() if there else None
    return EXACT if found is None else _known_rule(int(found))


def _rules(batch: pl.DataFrame) -> Array:
    """By which rule each decision compared names; EXACT where they were compared letter by letter."""
    if "name_rule" not in batch.columns:
        return np.zeros(batch.height, np.int64)
    given = batch["name_rule"].cast(pl.Int64).fill_null(EXACT)
    return given.replace_strict({rule: _known_rule(rule) for rule in given.unique()}, return_dtype=pl.Int64).to_numpy()


def _known_rule(rule: int) -> int:
    """A rule that is newer than this package is read as the newest one here."""
    return rule if rule in (EXACT, *RULES) else RULE


def _halted(batch: pl.DataFrame) -> Array:
    return _holding(batch, "matched_policies", f'"{HALT}"')


def _scanned(batch: pl.DataFrame) -> Array:
    """The severity that the scan for prompt injections gave by itself."""
    found = _holding(batch, "matched_policies", f'"{SCAN_POLICY}"')
    blocked = _holding(batch, "reasons", _SCAN_REASON) if found.any() else found
    return np.where(found, np.where(blocked, _BLOCK, SEVERITY["warn"]), 0).astype(np.uint8)


def _by_house(batch: pl.DataFrame, question: BacktestQuestion, decided: Array, matched: Array, after: Array) -> None:
    """Policies with a rule of the house count where it is recorded that they matched."""
    for place, policy in enumerate(question.policies):
        if policy.house is None or policy.policy_id is None:
            continue
        there = _holding(batch, _MATCHING[policy.enforced], f'"{policy.policy_id}"') & decided
        matched[place] = np.count_nonzero(there)
        if policy.enforced:
            np.maximum(after, there * np.uint8(policy.severity), out=after)


def _by_key(batch: pl.DataFrame, question: BacktestQuestion, after: Array) -> list[Array]:
    """Of each policy the decisions of which it is recorded that a key had reached its limit, which count again."""
    found = [np.zeros(0, np.int64)] * len(question.policies)
    for place, policy in enumerate(question.policies):
        if policy.limit is None or policy.policy_id is None:
            continue
        there = _holding(batch, "limited_by_key", f'"{policy.policy_id}"')
        found[place] = np.flatnonzero(there)
        if policy.enforced:
            np.maximum(after, there * np.uint8(policy.severity), out=after)
    return found


def _holding(batch: pl.DataFrame, column: str, text: str) -> Array:
    if column not in batch.columns:
        return np.zeros(batch.height, np.bool_)
    return batch[column].cast(pl.String).str.contains(text, literal=True).fill_null(False).to_numpy()


def _cause(batch: pl.DataFrame, risk: pl.Series, question: BacktestQuestion) -> Array:
    """What may have made the decision another than today's policies do; the first that applies."""
    cause = np.zeros(batch.height, np.uint8)
    if question.version is None:
        return cause
    for name in ("matched_policies", "observed_policies"):
        if name in batch.columns and question.webhooks:
            named = batch[name].cast(pl.String).str.contains_any([f'"{each}"' for each in question.webhooks])
            cause[named.fill_null(False).to_numpy()] = WEBHOOK
    cause[(risk != batch["risk_score"].cast(pl.Float64)).fill_null(False).to_numpy()] = OTHER_TEMPLATES
    if "policy_version" in batch.columns:
        cause[(batch["policy_version"] != question.version).fill_null(True).to_numpy()] = OTHER_VERSION
    return cause


def _source(batch: pl.DataFrame) -> Array:
    if "source" not in batch.columns:
        return np.zeros(batch.height, np.uint8)
    return batch["source"].cast(pl.Enum(_SOURCES)).to_physical().cast(pl.UInt8).fill_null(0).to_numpy()


def _live(batch: pl.DataFrame) -> Array:
    return np.asarray(_source(batch) == 0)


def _simulated_with_a_trace(batch: pl.DataFrame) -> Array:
    if "flow" not in batch.columns:
        return np.zeros(batch.height, np.bool_)
    return np.asarray((_source(batch) == _SIMULATED) & batch["flow"].is_not_null().to_numpy())


def _microseconds(column: pl.Series) -> Array:
    return column.cast(time_type()).to_physical().fill_null(_NEVER).to_numpy()


def _joined(judged: Sequence[_Judged], policies: int) -> _Judged:
    def all_of(name: str, dtype: type[np.generic]) -> Array:
        return np.concatenate([np.zeros(0, dtype), *(getattr(each, name) for each in judged)]).astype(dtype, copy=False)

    ids = [each.ids for each in judged]
    begin = np.cumsum([0, *(len(each) for each in ids)])[:-1].tolist()
    return _Judged(
        ids=pl.concat(ids, rechunk=False) if ids else pl.Series("decision_id", [], dtype=pl.String),
        before=all_of("before", np.uint8),
        after=all_of("after", np.uint8),
        risk=all_of("risk", np.uint8),
        at=all_of("at", np.int64),
        source=all_of("source", np.uint8),
        halted=all_of("halted", np.bool_),
        cause=all_of("cause", np.uint8),
        who=all_of("who", np.int32),
        what=all_of("what", np.int32),
        asked_at=all_of("asked_at", np.int64),
        agent=all_of("agent", np.int32),
        matched=sum((each.matched for each in judged), np.zeros(policies, np.int64)),
        by_key=[
            np.concatenate(
                [np.zeros(0, np.int64), *(each.by_key[at] + start for each, start in zip(judged, begin, strict=True))]
            )
            for at in range(policies)
        ],
        flows=[pl.concat(parts) for parts in zip(*(each.flows for each in judged), strict=True)],
    )


def _of_actions(
    actions: Frame | None, whole: _Judged, agents: AgentNumbers, question: BacktestQuestion
) -> tuple[Array, CountedRecords | None]:
    """What became of each decision, and the records that rate limits may count."""
    outcome = np.zeros(len(whole.before), np.uint8)
    if actions is None:
        empty = np.zeros(0, np.int64)
        return outcome, CountedRecords(empty, empty, empty, np.zeros(0, np.bool_))
    wanted = ["decision_id", "status"]
    if question.limits:
        wanted += ["agent_id", "source", "created_at" if has(actions, "created_at") else "timestamp_start"]
        if question.history_as_live:
            wanted.append("timestamp_start")
    made = need(actions, wanted, "actions").select(list(dict.fromkeys(wanted))).collect()
    place = places(made["decision_id"], whole.ids)
    status = made["status"].cast(pl.Enum(_STATUSES), strict=False)
    there = place >= 0
    for value, number in ((ActionStatus.COMPLETED, COMPLETED), (ActionStatus.FAILED, FAILED)):
        outcome[place[there & (status == value.value).fill_null(False).to_numpy()]] = number
    if not question.limits:
        return outcome, None
    ran = (status != ActionStatus.BLOCKED.value).fill_null(made["status"].is_not_null()).to_numpy()
    return outcome, _records(made, place, ran, whole, agents, question)


def _records(
    made: pl.DataFrame, place: Array, ran: Array, whole: _Judged, agents: AgentNumbers, question: BacktestQuestion
) -> CountedRecords:
    recorded = "created_at" if "created_at" in made.columns else "timestamp_start"
    at = _microseconds(made[recorded])
    live = _live(made)
    if question.history_as_live:
        at = np.where(live, at, _microseconds(made["timestamp_start"]))
    agent = agents.of(made["agent_id"])
    linked = place >= 0
    was_blocked = np.zeros(len(place), np.bool_)
    was_blocked[linked] = whole.before[place[linked]] == _BLOCK
    # Without a decision here, the record itself says whether it was blocked.
    counts = (agent >= 0) & (live | question.history_as_live) & (linked | ran) & (at != _NEVER)
    anyway = ran & was_blocked
    if counts.all():
        return CountedRecords(at, agent, place, anyway)
    kept = np.flatnonzero(counts)
    return CountedRecords(at[kept], agent[kept], place[kept], anyway[kept])


def _limit(
    whole: _Judged, records: CountedRecords, question: BacktestQuestion, agents: AgentNumbers, matched: list[int]
) -> None:
    asked = LimitedDecisions(whole.asked_at, whole.agent, whole.after == _BLOCK)
    found = iter(reached(asked, records, question.limits, agents))
    for at, policy in enumerate(question.policies):
        if policy.limit is None:
            continue
        there = next(found)
        there[whole.by_key[at]] = True
        matched[at] = int(np.count_nonzero(there))
        if policy.enforced:
            np.maximum(whole.after, there * np.uint8(policy.severity), out=whole.after)
