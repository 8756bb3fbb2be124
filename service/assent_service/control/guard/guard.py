"""Guard: decides, and records the decision before anybody hears of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import httpx
import msgspec
from msgspec import UNSET

from assent.contract.control.actions import CreateAction
from assent.contract.control.flows import flow_call
from assent.contract.control.guard import (
    GET_GUARD_DECISIONS,
    GUARD,
    Decision,
    GuardContext,
    GuardDecisions,
    GuardDecisionsQuery,
    GuardQuery,
    GuardResult,
    Learning,
    RecordedDecision,
    Source,
)
from assent.contract.control.injection import SCAN_POLICY, SubjectKind
from assent.contract.events import EventName
from assent.contract.names import same_name
from assent.contract.prepared import prepared
from assent.contract.problems import Code
from assent.flows import Trace
from assent_service.base.clock import Clock, moment, naive, new_id
from assent_service.base.memory import DEFAULT, MemoryBudget
from assent_service.base.problem import refuse
from assent_service.control.guard import webhook
from assent_service.control.guard.ask import GuardQuestion, question, recorded, result_of
from assent_service.control.guard.decide import (
    ByKey,
    Rates,
    WebhookVerdict,
    decide_by_key,
    limits_reached,
    merge,
)
from assent_service.control.guard.decisions import GUARD_DECISIONS, list_decisions
from assent_service.control.guard.explore import Exploration, draw_of, explore, may_explore
from assent_service.control.guard.flows import READ_AT_ONCE, NoSessions, Sessions
from assent_service.control.guard.history import Key as HistoryKey
from assent_service.control.guard.history import RiskTrack, name_of
from assent_service.control.guard.index import PolicySet
from assent_service.control.guard.looking import Watching, asks_more, session_of, watching_flows
from assent_service.control.guard.rates import NoRates, RateWindow
from assent_service.control.guard.recent import KEEP, scope
from assent_service.control.guard.risk import Risk, RiskHistory, assess
from assent_service.control.guard.screening import effect, join, scanned_texts
from assent_service.control.guard.state import (
    GuardState,
    days_of_histories,
    minutes_of_histories,
    oldest_day,
    oldest_minute,
    spelled,
    track_of,
    unused,
)
from assent_service.control.guard.templates import NO_TEMPLATES, TemplateSet
from assent_service.control.guard.verdict import Verdict
from assent_service.control.injection import NOTHING, Mode, Noticed, Screen, Subject
from assent_service.core.call import Call, Recordable
from assent_service.core.idempotency import idempotency_key
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import find_row, record
from assent_service.store.conditions import Condition, once
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

GUARD_FENCE = Fence("guard", "idempotency_digest")
RATE_FENCE = Fence("rate", "agent_key")
"""Nobody waits for it: memory counts a creation before it is recorded. What other processes record moves it."""
KEY_RATE_FENCE = Fence("key_rate", "key_id")
"""The same of an agents' key that is bound to none."""
_ANY_TIME = moment(0)
RECALLS = 3
"""How often a history is counted in the tables when it changes meanwhile."""

_decode_recorded = msgspec.json.Decoder(prepared(RecordedDecision)).decode


class Policies(Protocol):
    """What guard needs of the policies noun."""

    def of(self, org_id: str) -> PolicySet: ...


class Templates(Protocol):
    """What guard needs of the risk templates noun."""

    def of(self, org_id: str) -> TemplateSet: ...


class NoTemplates:
    """No organization has any."""

    def of(self, org_id: str) -> TemplateSet:
        return NO_TEMPLATES


@dataclass(frozen=True)
class Outside:
    """What the second phase needs to ask webhooks."""

    client: httpx.AsyncClient
    settings: webhook.WebhookSettings


class Decided(msgspec.Struct, frozen=True):
    """A decision that is ready to be recorded, with the events of what the scan for prompt injections found, and what
    it rests on: no other process has told its session anything."""

    decision: RecordedDecision
    found: tuple[Draft, ...] = ()
    untold: tuple[Condition, ...] = ()


class TracedCall(NamedTuple):
    """What flow policies look at, and what that rests on; None where all of them leave the session alone."""

    trace: Trace | None
    untold: tuple[Condition, ...]


LEFT_ALONE = TracedCall(None, ())


def no_signals(org_id: str, agent_id: str | None) -> Sequence[str]:
    """Nobody watches."""
    return ()


def nothing_learned(org_id: str, agent_id: str | None, action_type: str) -> Learning | None:
    """Nobody remembers."""
    return None


def nobody_explores(org_id: str) -> tuple[float, str] | None:
    """No organization has opted in."""
    return None


def no_key(org_id: str, key_id: str) -> bool:
    """Nobody's key is known."""
    return False


class Guard:
    """`halted(org)` is the kill switch's reason, None when it is off; `active(org, agent)` are warnings of the signals
    that are on for an agent; `learning(org, agent, type)` is what its own outcomes say, which changes no decision;
    `unbound(org, key)` says whether a key is an agents' and bound to none, so that rate limits count for it, too.
    `screen` scans what agents say; without one nothing is scanned. `exploring(org)` is the risk below which an
    organization's policies may explore and the seed of its draws, None for one that has not opted in. `sessions` are
    those that were told something, for flow policies."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        locks: EntityLocks,
        *,
        policies: Policies,
        halted: Callable[[str], str | None],
        outside: Outside,
        active: Callable[[str, str | None], Sequence[str]] = no_signals,
        templates: Templates | None = None,
        learning: Callable[[str, str | None, str], Learning | None] = nothing_learned,
        screen: Screen | None = None,
        unbound: Callable[[str, str], bool] = no_key,
        exploring: Callable[[str], tuple[float, str] | None] = nobody_explores,
        sessions: Sessions | None = None,
        memory: MemoryBudget = DEFAULT,
    ) -> None:
        self._exploring, self._sessions = exploring, sessions or NoSessions()
        self._ledger, self._clock, self._locks, self._active = ledger, clock, locks, active
        self._policies, self._halted, self._outside = policies, halted, outside
        self._templates = templates or NoTemplates()
        self._learning, self._screen = learning, screen
        self.state = GuardState(clock, lambda org_id: policies.of(org_id).max_actions, unbound, memory)

    async def follow_policies(self, org_id: str) -> None:
        """Fill the window of rate limits from the tables when a policy looks further back than it was filled for:
        after policies have changed, and after a start, when that change was in the log's tail."""
        while self.state.needs_more(org_id):
            asked = self.state.rates_query(org_id)
            self.state.fill_rates(asked, await self._ledger.read(asked.sql, asked.parameters))

    async def ask(
        self,
        principal: Principal,
        context: GuardContext,
        members: dict[str, Any],
        *,
        include_signals: bool = False,
        idempotency_key: str | None = None,
    ) -> GuardResult:
        """Decide and record; nothing but the decision happens. With `include_signals` the signals that are on for the
        agent are among the warnings; they change no decision. The same question with the same key again is answered
        with the decision that was recorded, while that may be used; raises `idempotency_mismatch` when it is another
        one, and `decision_unusable` when what was recorded has been erased."""
        asked = question(principal, context, members, self._clock())
        if idempotency_key is None:
            decision = await self._decided(asked, include_signals, None)
        else:
            name = scope(asked.principal.org_id, asked.agent_id, idempotency_key)
            async with self._locks.hold(GUARD_FENCE.of(asked.principal.org_id, name.hex())):
                before = await self._before(asked, name)
                decision = before or await self._decided(asked, include_signals, idempotency_key)
        return self._answer(decision)

    def ask_at_once(
        self, principal: Principal, context: GuardContext, members: dict[str, Any], idempotency_key: str | None
    ) -> Recordable | None:
        """The same where nothing has to be awaited but the record; None where something has: the answer of a webhook,
        the tables, a long text, or another question with this key. Raises as `ask` does."""
        asked = question(principal, context, members, self._clock())
        release, conditions = None, tuple[Condition, ...]()
        if idempotency_key is not None:
            name = scope(asked.principal.org_id, asked.agent_id, idempotency_key)
            if self.state.repeats.get(name, asked.now) is not None:
                return None
            fence = GUARD_FENCE.of(asked.principal.org_id, name.hex())
            release = self._locks.hold_free(fence)
            if release is None:
                return None
            conditions = (self._locks.unmoved(fence),)
        decided = None
        try:
            decided = self.decide_at_once(asked)
        finally:
            if decided is None and release is not None:
                release()
        if decided is None:
            return None
        decision = decided.decision
        if idempotency_key is not None:
            decision = msgspec.structs.replace(decision, idempotency_key=idempotency_key)
        settled = None if release is None else lambda _: release()
        drafts = (self._draft(asked, decision), *decided.found)
        return Recordable(drafts, self._answer(decision), settled, (*conditions, *decided.untold))

    def _answer(self, decision: RecordedDecision) -> GuardResult:
        result = result_of(decision)
        learned = self._learning(decision.org_id, decision.agent_id, decision.action_type)
        return result if learned is None else msgspec.structs.replace(result, learning=learned)

    async def _decided(
        self, asked: GuardQuestion, include_signals: bool, idempotency_key: str | None
    ) -> RecordedDecision:
        """The decision, recorded."""
        decided = await self.decide(asked)
        decision = decided.decision
        if idempotency_key is not None:
            decision = msgspec.structs.replace(decision, idempotency_key=idempotency_key)
        if include_signals:
            active = self._active(decision.org_id, decision.agent_id)
            decision = msgspec.structs.replace(decision, warnings=(*decision.warnings, *active))
        drafts = (self._draft(asked, decision), *decided.found)
        await self._ledger.append(*drafts, conditions=decided.untold)
        return decision

    async def _before(self, asked: GuardQuestion, name: bytes) -> RecordedDecision | None:
        """The decision that this key made before. None while the organization is halted: what was allowed before the
        halt is not allowed now, so the question is decided anew; so it is where a flow policy asks by now."""
        org_id = asked.principal.org_id
        decision_id = self.state.repeats.get(name, asked.now)
        if decision_id is None or self._halted(org_id) is not None:
            return None
        payload = self.state.recent.get(org_id, decision_id, asked.now)
        if payload is None:
            decision = await find_row(self._ledger, GUARD_DECISIONS, RecordedDecision, org_id, decision_id)
        else:
            decision = _decode_recorded(payload)
        if decision is None:
            raise _unusable(decision_id, "what this idempotency key asked was erased since")
        if not _same_question(decision, asked):
            raise refuse(
                Code.IDEMPOTENCY_MISMATCH,
                f"This idempotency key asked guard something else, which was decided as {decision_id}; use a new key.",
            )
        return None if await self._told_since(decision, asked) else decision

    def question(
        self, principal: Principal, body: GuardContext | CreateAction, members: dict[str, Any]
    ) -> GuardQuestion:
        return question(principal, body, members, self._clock())

    async def decide(self, asked: GuardQuestion, policies: PolicySet | None = None) -> Decided:
        """The scan and both phases, unrecorded; `policies` instead of the organization's own to try some out. Raises
        `busy` when too many long texts wait to be scanned."""
        return self.decide_at_once(asked, policies) or await self._decide_waiting(asked, policies)

    def decide_at_once(self, asked: GuardQuestion, policies: PolicySet | None = None) -> Decided | None:
        """`decide` with what memory holds; None where that is not enough."""
        org_id, live = asked.principal.org_id, asked.source is Source.LIVE
        chosen = self._policies.of(org_id) if policies is None else policies
        window = self.state.rates(org_id) if live else NoRates()
        if isinstance(window, RateWindow) and not self._counts(window, asked, chosen):
            return None
        history = self.state.histories.of(org_id, asked.agent_id, asked.facts.action_type, asked.now)
        if history is None:
            return None
        decision_id = new_id("dec_", asked.now)
        halted = self._halted(org_id) if live else None
        noticed = self._look_at_once(asked, decision_id) if halted is None else NOTHING
        if noticed is None:
            return None
        watching, seen = watching_flows(asked, chosen), None
        if watching is not None and halted is None:
            seen = self._seen_at_once(asked, watching)
            if seen is None:
                return None
        risk = assess(asked.facts, history, self._templates.of(org_id).of(asked.facts.action_type))
        verdict, limited = decide_by_key(
            asked.facts, risk, chosen, window, asked.now, halted, self._by_key(asked), _trace_of(seen)
        )
        if verdict.webhooks:
            return None
        if halted is None:
            verdict = join(verdict, noticed, self._mode)
        drawn = None
        if chosen.explores and policies is None:
            verdict, drawn = self._explored(asked, chosen, verdict, risk)
        digest = chosen.digest if policies is None else None
        decision = recorded(asked, decision_id, verdict, risk, chosen.version, digest, limited, drawn, _trace_of(seen))
        return Decided(decision, noticed.drafts if halted is None else (), () if seen is None else seen.untold)

    async def _decide_waiting(self, asked: GuardQuestion, policies: PolicySet | None) -> Decided:
        """`decide` where something is asked that memory does not hold."""
        org_id = asked.principal.org_id
        decision_id = new_id("dec_", asked.now)
        noticed = await self._look(asked, decision_id)
        chosen = self._policies.of(org_id) if policies is None else policies
        rates: Rates = NoRates()
        if asked.source is Source.LIVE:
            rates = await self._counted(asked, chosen)
        history = self.state.histories.of(org_id, asked.agent_id, asked.facts.action_type, asked.now)
        if history is None:
            history = await self._recall(name_of(org_id, asked.agent_id, asked.facts.action_type), asked.now)
        risk = assess(asked.facts, history, self._templates.of(org_id).of(asked.facts.action_type))
        watching, seen = watching_flows(asked, chosen), None
        if watching is not None:
            seen = await self._seen(asked, watching)
        halted = None if asked.source is not Source.LIVE else self._halted(org_id)
        seen = seen if halted is None else None
        by_key = self._by_key(asked)
        looked_at = _trace_of(seen)
        verdict, limited = decide_by_key(asked.facts, risk, chosen, rates, asked.now, halted, by_key, looked_at)
        if halted is None:
            verdict = join(verdict, noticed, self._mode)
        drawn = None
        if chosen.explores and policies is None:
            verdict, drawn = self._explored(asked, chosen, verdict, risk)
        if verdict.webhooks:
            answers = await self._ask_outside(asked, verdict, risk)
            # Others may have taken the last places while somebody outside was asked, and the session may have been
            # told more.
            seen = seen if watching is None or seen is None else await self._seen(asked, watching)
            looked_at = _trace_of(seen)
            verdict, limited = decide_by_key(asked.facts, risk, chosen, rates, asked.now, halted, by_key, looked_at)
            verdict = join(verdict, noticed, self._mode)
            for answer in answers:
                verdict = merge(verdict, answer)
        digest = chosen.digest if policies is None else None
        decision = recorded(asked, decision_id, verdict, risk, chosen.version, digest, limited, drawn, looked_at)
        return Decided(decision, noticed.drafts if halted is None else (), () if seen is None else seen.untold)

    def _seen_at_once(self, asked: GuardQuestion, watching: Watching) -> TracedCall | None:
        """What flow policies look at, as it is now; None for what has to be looked up, and for long parameters."""
        told = self._sessions.told_at_once(session_of(asked))
        if told is None:
            return None
        if not watching.looks_at(told):
            return LEFT_ALONE
        call = flow_call(asked.facts.action_type, asked.context)
        return None if call.size > READ_AT_ONCE else TracedCall(watching.flows.seen(call, told), told.conditions)

    async def _seen(self, asked: GuardQuestion, watching: Watching) -> TracedCall:
        """The same. Nothing is awaited between the last look at the session and the return."""
        who = session_of(asked)
        told = await self._sessions.told(who)
        if not watching.looks_at(told):
            return LEFT_ALONE
        call = flow_call(asked.facts.action_type, asked.context)
        if call.size <= READ_AT_ONCE:
            return TracedCall(watching.flows.seen(call, told), told.conditions)
        while True:
            key = told.key
            digest = await asyncio.to_thread(watching.flows.reading(call, key, apart=True))
            told = self._sessions.told_at_once(who) or await self._sessions.told(who)
            if told.key == key:
                return TracedCall(watching.flows.trace(call, digest, told), told.conditions)

    def _untold(self, asked: GuardQuestion) -> tuple[Condition, ...]:
        """What a decision rests on that was made in this turn of the loop: no other process has told its session
        anything."""
        watching = watching_flows(asked, self._policies.of(asked.principal.org_id))
        if watching is None:
            return ()
        told = self._sessions.told_at_once(session_of(asked))
        return () if told is None or not watching.looks_at(told) else told.conditions

    async def _told_since(self, decision: RecordedDecision, asked: GuardQuestion) -> bool:
        """Whether a flow policy matches by now that did not when it was decided: then it has to be decided anew."""
        policies = self._policies.of(asked.principal.org_id)
        watching = watching_flows(asked, policies)
        if watching is None:
            return False
        return asks_more(decision, asked, policies, (await self._seen(asked, watching)).trace)

    def _explored(
        self, asked: GuardQuestion, policies: PolicySet, verdict: Verdict, risk: Risk
    ) -> tuple[Verdict, Exploration | None]:
        """The verdict after the draw of this key and hour, where the organization lets its policies explore; not of
        what a flow policy asks about."""
        if policies.flows is not None and not policies.flows.ids.isdisjoint(verdict.matched_policies):
            return verdict, None
        allowed = self._exploring(asked.principal.org_id)
        if allowed is None or asked.source is not Source.LIVE or not may_explore(asked.facts, risk.score, allowed[0]):
            return verdict, None
        below, seed = allowed
        found = explore(verdict, policies, below, draw_of(seed, asked.principal.key_id, asked.now))
        return (verdict, None) if found is None else found

    def drafts(self, asked: GuardQuestion, decided: Decided) -> tuple[Draft, ...]:
        """The events of a decision, to be recorded in one write."""
        return (self._draft(asked, decided.decision), *decided.found)

    def uncounted(self, asked: GuardQuestion) -> tuple[Condition, ...]:
        """What a creation rests on that takes a place of rate limits and was decided in this turn of the loop: no other
        process takes one of the agent's, or of the key's, or has told its session anything."""
        principal, policies = asked.principal, self._policies.of(asked.principal.org_id)
        untold = self._untold(asked)
        if not policies.max_actions:
            return untold
        names = [] if asked.facts.agent_key is None else [RATE_FENCE.of(principal.org_id, asked.facts.agent_key)]
        if principal.unbound and policies.for_keys is not None:
            names.append(KEY_RATE_FENCE.of(principal.org_id, principal.key_id))
        return (*untold, *(self._locks.unmoved(name, own=True) for name in names))

    def _draft(self, asked: GuardQuestion, decision: RecordedDecision) -> Draft:
        return Draft(
            org=decision.org_id,
            type=EventName.GUARD_DECISION_CREATED.value,
            ts=asked.now,
            subject=decision.decision_id,
            actor=asked.principal.key_id,
            data=encode(decision),
        )

    async def reuse(self, asked: GuardQuestion, decision_id: str) -> RecordedDecision | None:
        """The decision that the caller brings along, if it still answers the same question.

        None while the organization is halted, or when a rate limit is reached that was not when guard decided, or a
        flow policy matches that did not: then it has to be asked anew. Nothing is awaited between the look at rate
        limits and the return, so that whoever reserves at once takes the place that was counted. Raises
        `decision_unusable`, which says why.
        """
        org_id = asked.principal.org_id
        if self._halted(org_id) is not None:
            return None
        payload = self.state.recent.get(org_id, decision_id, asked.now)
        decision = await self._look_up(asked, decision_id) if payload is None else _decode_recorded(payload)
        decision = self._usable(asked, decision_id, decision)
        self._check_scan(decision, await self._look(asked, decision_id))
        if await self._told_since(decision, asked):
            return None
        return None if await self._limited_since(decision, asked) else decision

    def reuse_at_once(self, asked: GuardQuestion, decision_id: str) -> RecordedDecision | None:
        """`reuse` with what memory holds; None where that is not enough, and where it has to be asked anew."""
        org_id = asked.principal.org_id
        payload = self.state.recent.get(org_id, decision_id, asked.now)
        if payload is None or self._halted(org_id) is not None:
            return None
        noticed = self._look_at_once(asked, decision_id)
        window, policies = self.state.rates(org_id), self._policies.of(org_id)
        if noticed is None or not self._counts(window, asked, policies):
            return None
        watching, seen = watching_flows(asked, policies), None
        if watching is not None:
            seen = self._seen_at_once(asked, watching)
            if seen is None:
                return None
        decision = self._usable(asked, decision_id, _decode_recorded(payload))
        self._check_scan(decision, noticed)
        if seen is not None and asks_more(decision, asked, policies, seen.trace):
            return None
        return None if self._limited_by(decision, asked, policies, window) else decision

    def _usable(self, asked: GuardQuestion, decision_id: str, decision: RecordedDecision | None) -> RecordedDecision:
        """Raises `decision_unusable` where it does not answer what is asked now."""
        org_id = asked.principal.org_id
        if decision is None:
            raise _unusable(decision_id, "it is unknown, older than five minutes, or was used already")
        if not same_name(decision.agent_id, asked.agent_id):
            raise _unusable(decision_id, f"it was made for agent {decision.agent_id!r}")
        if decision.policy_version != self._policies.of(org_id).version:
            raise _unusable(decision_id, "the policies have changed since")
        template = self._templates.of(org_id).of(asked.facts.action_type)
        current = (UNSET, UNSET) if template is None else (template.template_id, template.version)
        if (decision.risk_template_id, decision.risk_template_version) != current:
            raise _unusable(decision_id, "the risk template that rates it has changed since")
        allowed = self._exploring(org_id) if decision.explored else None
        if decision.explored and (allowed is None or decision.risk_score >= allowed[0]):
            raise _unusable(decision_id, "the organization does not explore such actions any more")
        if decision.context_digest != asked.context_digest:
            raise _unusable(decision_id, "it was made for another context")
        return decision

    def _check_scan(self, decision: RecordedDecision, noticed: Noticed) -> None:
        if not self._still_says(decision, noticed):
            raise _unusable(decision.decision_id, "what the scan for prompt injections says of it has changed since")

    async def _limited_since(self, decision: RecordedDecision, asked: GuardQuestion) -> bool:
        """Whether a rate limit is reached by now that the decision did not have."""
        policies = self._policies.of(asked.principal.org_id)
        return self._limited_by(decision, asked, policies, await self._counted(asked, policies))

    def _limited_by(
        self, decision: RecordedDecision, asked: GuardQuestion, policies: PolicySet, rates: RateWindow
    ) -> bool:
        if not policies.max_actions or asked.source is not Source.LIVE:
            return False
        reached = limits_reached(asked.facts, policies, rates, asked.now, self._by_key(asked))
        return not {*decision.matched_policies, *decision.observed_policies}.issuperset(reached)

    async def _counted(self, asked: GuardQuestion, policies: PolicySet) -> RateWindow:
        """The window of rate limits, with what the tables have of the agent where memory forgot it."""
        org_id, agent_key = asked.principal.org_id, asked.facts.agent_key
        window = self.state.rates(org_id)
        if agent_key is not None and not self._counts(window, asked, policies):
            counted = self.state.rates_of_agent(org_id, agent_key)
            self.state.recall_rates(org_id, agent_key, await self._ledger.read(counted.sql, counted.parameters))
        return window

    @staticmethod
    def _counts(window: RateWindow, asked: GuardQuestion, policies: PolicySet) -> bool:
        """Whether the window has all that the policies count of the agent."""
        agent_key = asked.facts.agent_key
        if not policies.max_actions or agent_key is None or asked.source is not Source.LIVE:
            return True
        return window.knows(agent_key)

    def _by_key(self, asked: GuardQuestion) -> ByKey | None:
        """The key, where rate limits count for it, too."""
        principal = asked.principal
        if not principal.unbound or asked.source is not Source.LIVE:
            return None
        return ByKey(principal.key_id, self.state.key_rates(principal.org_id))

    async def _look(self, asked: GuardQuestion, decision_id: str) -> Noticed:
        """What is noticed in what the agent says, where that is looked at."""
        if self._screen is None or asked.source is not Source.LIVE or self._halted(asked.principal.org_id) is not None:
            return NOTHING
        return await self._screen.look(self._subject(asked, decision_id), scanned_texts(asked.facts))

    def _look_at_once(self, asked: GuardQuestion, decision_id: str) -> Noticed | None:
        """The same of an organization that is not halted, where it is read within the call; None where it is not."""
        if self._screen is None or asked.source is not Source.LIVE:
            return NOTHING
        return self._screen.look_at_once(self._subject(asked, decision_id), scanned_texts(asked.facts))

    @staticmethod
    def _subject(asked: GuardQuestion, decision_id: str) -> Subject:
        return Subject(asked.principal, SubjectKind.GUARD_DECISION, decision_id, asked.agent_id, asked.now)

    def _still_says(self, decision: RecordedDecision, noticed: Noticed) -> bool:
        """Whether the scan would make the same of it now: a text may have been allowed, or not be any more."""
        now = effect(noticed, self._mode)
        if now is Decision.BLOCK and decision.decision is not Decision.BLOCK:
            return False
        return (now is not Decision.ALLOW) is (SCAN_POLICY in decision.matched_policies)

    @property
    def _mode(self) -> Mode:
        return Mode.OFF if self._screen is None else self._screen.mode

    async def _look_up(self, asked: GuardQuestion, decision_id: str) -> RecordedDecision | None:
        """An unused decision that memory no longer holds."""
        since = naive(asked.now - KEEP)
        rows = await self._ledger.read(
            unused("d.org_id = ? AND d.decision_id = ?"), [since, asked.principal.org_id, decision_id, since]
        )
        return record(GUARD_DECISIONS, rows[0], RecordedDecision) if rows else None

    async def _recall(self, key: HistoryKey, now: int) -> RiskHistory:
        """A history that memory has no room for, out of the tables; it is in memory from then on, unless it changes
        faster than it can be counted. Raises `projection_behind`: what is not known is not decided on."""
        track = RiskTrack()
        where = f"org_id = ? AND {spelled('agent_id')} AND {spelled('action_type')}"
        for _ in range(RECALLS):
            recall = self.state.histories.recall(key)
            try:
                days = await self._ledger.read(days_of_histories(where), [oldest_day(now), *key])
                minutes = await self._ledger.read(minutes_of_histories(where), [oldest_minute(now), *key])
            except BaseException:
                self.state.histories.give_up(recall)
                raise
            track = track_of(key, days, minutes)
            if self.state.histories.recalled(recall, track):
                break
        return track.summary(now)

    async def _ask_outside(self, asked: GuardQuestion, verdict: Verdict, risk: Risk) -> Sequence[WebhookVerdict]:
        checks = [
            webhook.Check(
                policy_id=hook.policy_id,
                policy_name=hook.name,
                url=hook.rules.url,
                timeout_ms=hook.rules.timeout_ms,
                on_timeout=hook.rules.on_timeout.value,
            )
            for hook in verdict.webhooks
        ]
        facts = asked.facts
        snapshot = webhook.WebhookBody(
            org_id=asked.principal.org_id,
            timestamp=moment(asked.now),
            context=webhook.WebhookContext(
                action_type=facts.action_type,
                risk_score=risk.score,
                agent_id=facts.agent_id,
                systems_touched=facts.systems_touched,
                reversible=facts.reversible,
                declared_goal=facts.declared_goal,
            ),
            preliminary_decision=verdict.decision,
            matched_policies=verdict.matched_policies,
            reasons=verdict.reasons,
            warnings=verdict.warnings,
        )

        async def ask() -> Sequence[WebhookVerdict]:
            return await webhook.ask(
                checks,
                snapshot,
                client=self._outside.client,
                settings=self._outside.settings,
                new_id=lambda: new_id("msg_", self._clock()),
            )

        # The same question of a request that runs again was answered before.
        same = msgspec.json.encode(msgspec.structs.replace(snapshot, timestamp=_ANY_TIME))
        return await once((webhook.ask, *checks, same), ask)


def _same_question(decision: RecordedDecision, asked: GuardQuestion) -> bool:
    """Whether a decision answers this very question, whenever it is asked."""
    now = decision.occurred_at == decision.evaluated_at
    when = now if asked.at == asked.now else decision.occurred_at == moment(asked.at)
    before = (decision.context_digest, decision.runtime, decision.session_id, decision.source)
    return when and before == (asked.context_digest, asked.runtime, asked.session_id, asked.source)


def _trace_of(seen: TracedCall | None) -> Trace | None:
    return None if seen is None else seen.trace


def _unusable(decision_id: str, why: str) -> Exception:
    return refuse(
        Code.DECISION_UNUSABLE,
        f"Decision {decision_id!r} cannot be used: {why}. Ask guard again, or leave decision_id out.",
    )


def routes(guard: Guard, ledger: Ledger, clock: Clock) -> tuple[Route, ...]:
    def ask_at_once(call: Call[GuardContext, GuardQuery]) -> Recordable | None:
        return guard.ask_at_once(call.principal, call.body, call.sent.members, idempotency_key(call))

    @serves(GUARD, holds=(GUARD_FENCE,), effects="asks the webhooks of policies", at_once=ask_at_once)
    async def ask(call: Call[GuardContext, GuardQuery]) -> GuardResult:
        include = call.query.include_signals is True
        key = idempotency_key(call)
        return await guard.ask(
            call.principal, call.body, call.sent.members, include_signals=include, idempotency_key=key
        )

    @serves(GET_GUARD_DECISIONS)
    async def decisions(call: Call[None, GuardDecisionsQuery]) -> GuardDecisions:
        return await list_decisions(ledger, call.principal, call.query, clock())

    return ask, decisions
