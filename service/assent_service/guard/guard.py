"""Guard: decides, and records the decision before anybody hears of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import httpx
import msgspec
from msgspec import UNSET

from assent.contract.actions import CreateAction
from assent.contract.events import EventName
from assent.contract.guard import Decision, GuardContext, GuardResult, Learning, Source
from assent.contract.injection import SCAN_POLICY, SubjectKind
from assent.contract.prepared import prepared
from assent.contract.problems import Code
from assent_service.core.clock import Clock, moment, naive, new_id
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.problem import refuse
from assent_service.core.rows import record
from assent_service.guard import webhook
from assent_service.guard.ask import Question, question, recorded
from assent_service.guard.decide import Rates, decide, merge
from assent_service.guard.index import PolicySet
from assent_service.guard.recent import KEEP
from assent_service.guard.recorded import RecordedDecision
from assent_service.guard.risk import Risk, assess
from assent_service.guard.screening import effect, join, said
from assent_service.guard.state import GuardState, unused
from assent_service.guard.tables import GUARD_DECISIONS
from assent_service.guard.templates import NO_TEMPLATES, TemplateSet
from assent_service.guard.verdict import Verdict
from assent_service.injection import NOTHING, Mode, Noticed, Screen, Subject
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

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


class NoRates:
    """History is not rate-limited: it happened already, and not now."""

    def count(self, agent_id: str, since_us: int) -> int:
        return 0


@dataclass(frozen=True)
class Outside:
    """What the second phase needs to ask webhooks."""

    client: httpx.AsyncClient
    settings: webhook.WebhookSettings


@dataclass(frozen=True)
class Decided:
    """A decision that is ready to be recorded, with the events of what the scan for prompt injections found."""

    decision: RecordedDecision
    found: tuple[Draft, ...] = ()


def no_signals(org_id: str, agent_id: str | None) -> Sequence[str]:
    """Nobody watches."""
    return ()


def nothing_learned(org_id: str, agent_id: str | None, action_type: str) -> Learning | None:
    """Nobody remembers."""
    return None


class Guard:
    """`halted(org)` is the kill switch's reason, None when it is off; `active(org, agent)` are warnings of the signals
    that are on for an agent; `learning(org, agent, type)` is what its own outcomes say, which changes no decision.
    `screen` scans what agents say; without one nothing is scanned."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        *,
        policies: Policies,
        halted: Callable[[str], str | None],
        outside: Outside,
        active: Callable[[str, str | None], Sequence[str]] = no_signals,
        templates: Templates | None = None,
        learning: Callable[[str, str | None, str], Learning | None] = nothing_learned,
        screen: Screen | None = None,
    ) -> None:
        self._ledger, self._clock, self._active = ledger, clock, active
        self._policies, self._halted, self._outside = policies, halted, outside
        self._templates = templates or NoTemplates()
        self._learning, self._screen = learning, screen
        self.state = GuardState(clock, lambda org_id: policies.of(org_id).max_actions)

    async def follow_policies(self, org_id: str) -> None:
        """Fill the window of rate limits from the tables when a policy looks further back than it was filled for:
        after policies have changed, and after a start, when that change was in the log's tail."""
        while self.state.needs_more(org_id):
            asked = self.state.rates_query(org_id)
            self.state.fill_rates(asked, await self._ledger.read(asked.sql, asked.parameters))

    async def ask(
        self, principal: Principal, context: GuardContext, members: dict[str, Any], *, include_signals: bool = False
    ) -> GuardResult:
        """Decide and record; nothing but the decision happens. With `include_signals` the signals that are on for the
        agent are among the warnings; they change no decision."""
        asked = question(principal, context, members, self._clock())
        decided = await self.decide(asked)
        decision = decided.decision
        if include_signals:
            active = self._active(decision.org_id, decision.agent_id)
            decision = msgspec.structs.replace(decision, warnings=(*decision.warnings, *active))
        await self._ledger.append(self._draft(asked, decision), *decided.found)
        result = decision.result()
        learned = self._learning(decision.org_id, decision.agent_id, decision.action_type)
        return result if learned is None else msgspec.structs.replace(result, learning=learned)

    def question(self, principal: Principal, body: GuardContext | CreateAction, members: dict[str, Any]) -> Question:
        return question(principal, body, members, self._clock())

    async def decide(self, asked: Question, policies: PolicySet | None = None) -> Decided:
        """The scan and both phases, unrecorded; `policies` instead of the organization's own to try some out. Raises
        `busy` when too many long texts wait to be scanned."""
        org_id = asked.principal.org_id
        decision_id = new_id("dec_", asked.now)
        noticed = await self._look(asked, decision_id)
        chosen = self._policies.of(org_id) if policies is None else policies
        rates: Rates = NoRates() if asked.source is not Source.LIVE else self.state.rates(org_id)
        history = self.state.histories.of(org_id, asked.agent_id, asked.facts.action_type, asked.now)
        risk = assess(asked.facts, history, self._templates.of(org_id).of(asked.facts.action_type))
        halted = None if asked.source is not Source.LIVE else self._halted(org_id)
        verdict = decide(asked.facts, risk, chosen, rates, asked.now, halted)
        if halted is None:
            verdict = join(verdict, noticed, self._mode)
        if verdict.webhooks:
            verdict = await self._ask_outside(asked, verdict, risk)
        digest = chosen.digest if policies is None else None
        decision = recorded(asked, decision_id, verdict, risk, chosen.version, digest)
        return Decided(decision, noticed.drafts if halted is None else ())

    def drafts(self, asked: Question, decided: Decided) -> tuple[Draft, ...]:
        """The events of a decision, to be recorded in one write."""
        return (self._draft(asked, decided.decision), *decided.found)

    def _draft(self, asked: Question, decision: RecordedDecision) -> Draft:
        return Draft(
            org=decision.org_id,
            type=EventName.GUARD_DECISION_CREATED.value,
            ts=asked.now,
            subject=decision.decision_id,
            actor=asked.principal.key_id,
            data=encode(decision),
        )

    async def reuse(self, asked: Question, decision_id: str) -> RecordedDecision | None:
        """The decision that the caller brings along, if it still answers the same question.

        None while the organization is halted, since then it has to be asked anew. Raises `decision_unusable`, which
        says why.
        """
        org_id = asked.principal.org_id
        if self._halted(org_id) is not None:
            return None
        payload = self.state.recent.get(org_id, decision_id, asked.now)
        decision = await self._look_up(asked, decision_id) if payload is None else _decode_recorded(payload)
        if decision is None:
            raise _unusable(decision_id, "it is unknown, older than five minutes, or was used already")
        if decision.agent_id != asked.agent_id:
            raise _unusable(decision_id, f"it was made for agent {decision.agent_id!r}")
        if decision.policy_version != self._policies.of(org_id).version:
            raise _unusable(decision_id, "the policies have changed since")
        template = self._templates.of(org_id).of(asked.facts.action_type)
        current = (UNSET, UNSET) if template is None else (template.template_id, template.version)
        if (decision.risk_template_id, decision.risk_template_version) != current:
            raise _unusable(decision_id, "the risk template that rates it has changed since")
        if decision.context_digest != asked.context_digest:
            raise _unusable(decision_id, "it was made for another context")
        if not self._still_says(decision, await self._look(asked, decision_id)):
            raise _unusable(decision_id, "what the scan for prompt injections says of it has changed since")
        return decision

    async def _look(self, asked: Question, decision_id: str) -> Noticed:
        """What is noticed in what the agent says, where that is looked at."""
        if self._screen is None or asked.source is not Source.LIVE or self._halted(asked.principal.org_id) is not None:
            return NOTHING
        subject = Subject(asked.principal, SubjectKind.GUARD_DECISION, decision_id, asked.agent_id, asked.now)
        return await self._screen.look(subject, said(asked.facts))

    def _still_says(self, decision: RecordedDecision, noticed: Noticed) -> bool:
        """Whether the scan would make the same of it now: a text may have been allowed, or not be any more."""
        now = effect(noticed, self._mode)
        if now is Decision.BLOCK and decision.decision is not Decision.BLOCK:
            return False
        return (now is not Decision.ALLOW) is (SCAN_POLICY in decision.matched_policies)

    @property
    def _mode(self) -> Mode:
        return Mode.OFF if self._screen is None else self._screen.mode

    async def _look_up(self, asked: Question, decision_id: str) -> RecordedDecision | None:
        """An unused decision that memory no longer holds."""
        since = naive(asked.now - KEEP)
        rows = await self._ledger.read(
            unused("d.org_id = ? AND d.decision_id = ?"), [since, asked.principal.org_id, decision_id, since]
        )
        return record(GUARD_DECISIONS, rows[0], RecordedDecision) if rows else None

    async def _ask_outside(self, asked: Question, verdict: Verdict, risk: Risk) -> Verdict:
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
        snapshot = webhook.Snapshot(
            org_id=asked.principal.org_id,
            timestamp=moment(asked.now),
            context=webhook.Context(
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
        answers = await webhook.ask(
            checks,
            snapshot,
            client=self._outside.client,
            settings=self._outside.settings,
            new_id=lambda: new_id("msg_", self._clock()),
        )
        for answer in answers:
            verdict = merge(verdict, answer)
        return verdict


def _unusable(decision_id: str, why: str) -> Exception:
    return refuse(
        Code.DECISION_UNUSABLE,
        f"Decision {decision_id!r} cannot be used: {why}. Ask guard again, or leave decision_id out.",
    )
