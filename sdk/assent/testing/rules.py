"""What the service decides by, in memory: the service's own pure functions, without its log, tables, server and keys.

Guard's verdict, its risk, the record of a decision, what a creation becomes, how an approval moves and is used, and
how an action changes are the code of `assent_service` itself, and so is the scan for prompt injections where it is
switched on, and what sessions are told for flow policies (`testing.flows`). Not here are webhooks, exploration,
standing grants, signatures and erasure.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from assent.contract.conditions import ConditionError
from assent.contract.control.actions import (
    FINAL,
    Action,
    ActionStatus,
    CreateAction,
    CreatedAction,
    UpdateOutcome,
    Verification,
)
from assent.contract.control.approvals import Approval, ApprovalState, ApproveAction
from assent.contract.control.claims import ClaimAction, ClaimedAction
from assent.contract.control.flows import FlowSession, RemoveFlowLabels, TellFlow, flow_call
from assent.contract.control.guard import GuardContext, RecordedDecision, Source
from assent.contract.control.policies import Policy, PolicyDraft
from assent.contract.control.risk_templates import CreateRiskTemplate
from assent.contract.control.rules import PolicyError, RateLimit, WebhookCheck, parse_rules, rules_to_data
from assent.contract.names import comparable, same_name
from assent.contract.problems import Code, FieldError
from assent.errors import MissingExtra
from assent.flows import Trace
from assent.proof.canonical import digest
from assent.testing.flows import Sessions
from assent_service.base.clock import MINUTE, Clock, microseconds, moment, new_id
from assent_service.base.problem import refuse
from assent_service.control.actions import change, checks
from assent_service.control.actions.opening import open_action, opening_status
from assent_service.control.approvals import claim as claims
from assent_service.control.approvals import transition
from assent_service.control.guard import (
    NO_TEMPLATES,
    PolicySet,
    TemplateSet,
    check_name,
    check_rules,
    new_template,
    result_of,
)
from assent_service.control.guard.ask import GuardQuestion, question, recorded
from assent_service.control.guard.decide import ByKey, decide_by_key, limits_reached
from assent_service.control.guard.history import RiskTrack
from assent_service.control.guard.looking import asks_more, session_of, watching_flows
from assent_service.control.guard.rates import NoRates, RateWindow
from assent_service.control.guard.risk import RiskHistory, assess
from assent_service.core.faithful import digest_of
from assent_service.core.idempotency import is_repeat
from assent_service.core.principal import Principal

if TYPE_CHECKING:
    from assent.testing.scan import InjectionScan

APPROVAL_LIFE = timedelta(hours=24)
USABLE = 5 * MINUTE
"""For how long a decision can be used."""
NOT_COMPARED = frozenset({"idempotency_key", "timestamp_start"})


class Rules:
    """One organization in memory. Every method raises Refusal where the service refuses."""

    def __init__(self, org_id: str, clock: Clock) -> None:
        self.org_id, self.clock = org_id, clock
        self.policies: list[Policy] = []
        self.halted: str | None = None
        self.decisions: dict[str, RecordedDecision] = {}
        self.actions: dict[str, Action] = {}
        self.approvals: dict[str, Approval] = {}
        self._set = PolicySet([], 0)
        self._templates = NO_TEMPLATES
        self._scan: InjectionScan | None = None
        self._version = 0
        self._used: set[str] = set()
        self._histories: dict[tuple[str | None, str], RiskTrack] = {}
        self._asked: dict[tuple[str | None, str], str] = {}
        self._created: dict[tuple[str | None, str], tuple[str, str]] = {}
        self._rates, self._key_rates = RateWindow(), RateWindow()
        self._unbound: set[str] = set()
        self._sessions = Sessions(org_id, clock, self.find, self._holds_orders)

    # Policies

    def replace_policies(self, drafts: list[PolicyDraft], by: str) -> None:
        """Raises `invalid_policy`, `policy_exists` for two of one name, ValueError for one that asks a webhook or
        explores, and MissingExtra for a pattern without RE2."""
        made: list[Policy] = []
        for draft in drafts:
            check_name(draft.name, made)
            made.append(self._policy(draft, by))
        self._version += 1
        self.policies = made
        self._compile()

    def add_policy(self, draft: PolicyDraft, by: str) -> Policy:
        check_name(draft.name, self.policies)
        self._version += 1
        policy = self._policy(draft, by)
        self.policies.append(policy)
        self._compile()
        return policy

    @property
    def version(self) -> int:
        return self._version

    def _policy(self, draft: PolicyDraft, by: str) -> Policy:
        try:
            rules = parse_rules(draft.policy_type, draft.rules)
            check_rules(rules)
        except (PolicyError, ConditionError) as error:
            said = f"The policy cannot be used: {error.place}: {error.message}."
            raise refuse(Code.INVALID_POLICY, said, FieldError(place=error.place, message=error.message)) from error
        except ModuleNotFoundError as error:
            raise MissingExtra(what=f"the pattern of policy {draft.name!r}", extra="analytics") from error
        if isinstance(rules, WebhookCheck) or draft.explore:
            does = "explores" if draft.explore else "asks a webhook"
            raise ValueError(f"policy {draft.name!r} {does}, which this service does not; use a real service")
        at = moment(self.clock())
        return Policy(
            org_id=self.org_id,
            policy_id=new_id("pol_", self.clock()),
            name=draft.name,
            policy_type=draft.policy_type,
            rules=dict(rules_to_data(rules)),
            active=draft.active,
            agent_ids=list(draft.agent_ids),
            mode=draft.mode,
            version=self._version,
            created_at=at,
            created_by=by,
            updated_at=at,
            updated_by=by,
            deleted_at=None,
            always_ask=draft.always_ask,
        )

    def _compile(self) -> None:
        self._set = PolicySet(self.policies, self._version)
        limits = [parse_rules(each.policy_type, each.rules) for each in self.policies]
        largest = max((rules.max_actions for rules in limits if isinstance(rules, RateLimit)), default=0)
        self._rates, self._key_rates = RateWindow(largest), RateWindow(largest)
        for action in self.actions.values():
            self._count(action)

    def replace_templates(self, drafts: list[CreateRiskTemplate], by: str) -> None:
        """Raises `invalid_risk_template`."""
        ids = (new_id("rt_", self.clock()) for _ in drafts)
        made = [
            new_template(draft, org_id=self.org_id, template_id=id, by=by, now=self.clock())
            for id, draft in zip(ids, drafts, strict=True)
        ]
        self._templates = TemplateSet(made)

    def scan_injections(self) -> None:
        """Raises MissingExtra where the scan's libraries are not installed."""
        try:
            from assent.testing.scan import InjectionScan
        except ModuleNotFoundError as error:
            raise MissingExtra(what="the scan for prompt injections", extra="analytics") from error
        self._scan = InjectionScan()

    # Sessions

    def tell(self, by: Principal, said: TellFlow) -> FlowSession:
        return self._sessions.tell(by, said, self._set.pack)

    def remove_labels(self, by: Principal, flow_id: str, said: RemoveFlowLabels) -> FlowSession:
        return self._sessions.remove_labels(by, flow_id, said)

    @property
    def sessions(self) -> list[FlowSession]:
        """Those that were told something, newest first."""
        return self._sessions.list()

    def _holds_orders(self, source: str, said: list[tuple[str, object]]) -> bool:
        return self._scan is not None and self._scan.holds_orders(self.org_id, source, said)

    # Guard

    def guard(self, by: Principal, body: GuardContext, members: dict[str, Any], key: str | None) -> RecordedDecision:
        asked = question(by, body, members, self.clock())
        name = (asked.facts.agent_key, key or "")
        if key is not None and name in self._asked and self.halted is None:
            before = self.decisions[self._asked[name]]
            if not _same_question(before, asked):
                raise refuse(
                    Code.IDEMPOTENCY_MISMATCH,
                    f"This idempotency key asked guard something else, which was decided as {before.decision_id}; use "
                    "a new key.",
                )
            if not self._told_since(before, asked):
                return before
        decision = self._decide(asked)
        if key is not None:
            self._asked[name] = decision.decision_id
        return decision

    def _decide(self, asked: GuardQuestion) -> RecordedDecision:
        track = self._histories.get((asked.facts.agent_key, asked.facts.type_key))
        history = RiskHistory() if track is None else track.summary(asked.now)
        risk = assess(asked.facts, history, self._templates.of(asked.facts.action_type))
        live = asked.source is Source.LIVE
        rates, halted = (self._rates, self.halted) if live else (NoRates(), None)
        seen = self._seen(asked) if halted is None else None
        verdict, limited = decide_by_key(
            asked.facts, risk, self._set, rates, asked.now, halted, self._by_key(asked), seen
        )
        decision_id = new_id("dec_", asked.now)
        if self._scan is not None and halted is None and live:
            verdict = self._scan.joined(verdict, asked, decision_id)
        digest = self._set.digest
        decision = recorded(asked, decision_id, verdict, risk, self._version, digest, limited, seen=seen)
        self.decisions[decision_id] = decision
        return decision

    def _by_key(self, asked: GuardQuestion) -> ByKey | None:
        """The key, where rate limits count for it, too."""
        unbound = asked.principal.unbound and asked.source is Source.LIVE
        return ByKey(asked.principal.key_id, self._key_rates) if unbound else None

    def _limited_since(self, decision: RecordedDecision, asked: GuardQuestion) -> bool:
        """Whether a rate limit is reached by now that the decision did not have."""
        if asked.source is not Source.LIVE:
            return False
        reached = limits_reached(asked.facts, self._set, self._rates, asked.now, self._by_key(asked))
        return not {*decision.matched_policies, *decision.observed_policies}.issuperset(reached)

    def _seen(self, asked: GuardQuestion) -> Trace | None:
        """What flow policies look at; None where none does, or all of them leave the session alone."""
        watching = watching_flows(asked, self._set)
        if watching is None:
            return None
        told = self._sessions.seen(session_of(asked))
        if not watching.looks_at(told):
            return None
        return watching.flows.seen(flow_call(asked.facts.action_type, asked.context), told)

    def _told_since(self, decision: RecordedDecision, asked: GuardQuestion) -> bool:
        """Whether a flow policy matches by now that did not when it was decided."""
        return asks_more(decision, asked, self._set, self._seen(asked))

    def _usable(self, asked: GuardQuestion, decision_id: str) -> RecordedDecision | None:
        """None where it has to be decided anew. Raises `decision_unusable`."""
        if self.halted is not None:
            return None
        decision = self.decisions.get(decision_id)
        why = None
        if decision is None or decision_id in self._used or asked.now - microseconds(decision.evaluated_at) > USABLE:
            why = "it is unknown, older than five minutes, or was used already"
        elif not same_name(decision.agent_id, asked.agent_id):
            why = f"it was made for agent {decision.agent_id!r}"
        elif decision.policy_version != self._version:
            why = "the policies have changed since"
        elif not self._rated_alike(decision, asked):
            why = "the risk template that rates it has changed since"
        elif decision.context_digest != asked.context_digest:
            why = "it was made for another context"
        if why is not None or decision is None:
            said = f"Decision {decision_id!r} cannot be used: {why}. Ask guard again, or leave decision_id out."
            raise refuse(Code.DECISION_UNUSABLE, said)
        return None if self._told_since(decision, asked) or self._limited_since(decision, asked) else decision

    def _rated_alike(self, decision: RecordedDecision, asked: GuardQuestion) -> bool:
        template = self._templates.of(asked.facts.action_type)
        current = (UNSET, UNSET) if template is None else (template.template_id, template.version)
        return (decision.risk_template_id, decision.risk_template_version) == current

    # Actions

    def create(
        self, by: Principal, body: CreateAction, members: dict[str, Any], key: str | None
    ) -> tuple[CreatedAction, int]:
        """The answer and its status. Raises `action_blocked` with the recorded attempt."""
        asked = question(by, body, members, self.clock())
        checks.check_start(asked, body)
        key = key or body.idempotency_key
        name = (asked.facts.agent_key, key or "")
        said = digest({member: value for member, value in members.items() if member not in NOT_COMPARED})
        if key is not None and name in self._created:
            return self._again(*self._created[name], said)
        if body.action_id is not None and body.action_id in self.actions:
            raise checks.exists(body.action_id)
        replaced = None if body.replaces is None else self._replaceable(asked, body.replaces)
        decision = self._usable(asked, body.decision_id) if body.decision_id else None
        decision = decision or self._decide(asked)
        status = opening_status(body, decision.decision, asked.source)
        approval_id = new_id("apr_", asked.now) if status is ActionStatus.PENDING_APPROVAL else None
        action = open_action(
            body,
            asked,
            decision,
            action_id=body.action_id or new_id("act_", asked.now),
            approval_id=approval_id,
            status=status,
            idempotency_key=key,
            # Nobody is paired here.
            verification=Verification.UNSIGNED if body.signature is None else Verification.UNKNOWN_KEY,
        )
        approval = None
        if approval_id is not None:
            approval = self.approvals[action.action_id] = transition.request(
                action,
                approval_id=approval_id,
                reasons=decision.reasons,
                matched=decision.matched_policies,
                expires_at=action.created_at + APPROVAL_LIFE,
            )
        self._used.add(decision.decision_id)
        self.actions[action.action_id] = action
        if key is not None:
            self._created[name] = (action.action_id, said)
        if replaced is not None and action.status is not ActionStatus.BLOCKED:
            self._ended(replaced, transition.replaced(self.approval(replaced), action.action_id, by, asked.now), by)
        checks.check_made(action, decision, body)
        if by.unbound:
            self._unbound.add(by.key_id)
        self._count(action)
        if action.status is not ActionStatus.BLOCKED:
            self._remember(action, total=1, failed=int(action.status is ActionStatus.FAILED))
        created = CreatedAction(
            action_id=action.action_id,
            action=action,
            decision=result_of(decision),
            approval=approval,
            idempotent_replay=False,
        )
        return created, 201 if approval is None else 202

    def _again(self, action_id: str, before: str, said: str) -> tuple[CreatedAction, int]:
        if before != said:
            raise checks.made_otherwise(action_id)
        action = self.actions[action_id]
        decision = self.decisions[action.decision_id]
        checks.check_made_before(action, decision)
        approval = self.approvals.get(action_id)
        again = CreatedAction(
            action_id=action_id, action=action, decision=result_of(decision), approval=approval, idempotent_replay=True
        )
        return again, 200

    def find(self, action_id: str) -> Action:
        """Raises `action_not_found`."""
        if action_id not in self.actions:
            raise checks.not_found(action_id)
        return self.actions[action_id]

    def _replaceable(self, asked: GuardQuestion, action_id: str) -> Action:
        """The waiting action whose place a new one takes. Raises as the service does."""
        checks.check_replaces(asked)
        action = self.find(action_id)
        checks.check_same_agent(asked, action)
        transition.check_waiting(action, self.approvals.get(action_id), asked.now)
        return action

    def report(self, by: Principal, action_id: str, said: UpdateOutcome, sent: str | None) -> Action:
        """`sent` is the report's mark where it came with an idempotency key."""
        by.check_history(said)
        if said.metadata is not None:
            digest_of(said.metadata, "metadata")
        action = self.find(action_id)
        if said.close_if_running and action.status is not ActionStatus.RUNNING:
            return action
        if sent is not None and is_repeat(sent, action.outcome_marks or ()):
            return action
        found = change.reported(action, said, self.clock(), sent)
        if found is not None:
            after, _ = found
            self.actions[action_id] = after
            failed = int(after.status is ActionStatus.FAILED) - int(action.status is ActionStatus.FAILED)
            self._remember(after, total=0, failed=failed)
        return self.actions[action_id]

    def _count(self, action: Action) -> None:
        """Take a place of the rate limits."""
        if action.status is ActionStatus.BLOCKED or action.source is not Source.LIVE:
            return
        at = microseconds(action.created_at)
        if action.agent_id is not None:
            self._rates.reserve(comparable(action.agent_id), at)
        if action.created_by in self._unbound:
            self._key_rates.reserve(action.created_by, at)

    def _remember(self, action: Action, *, total: int, failed: int) -> None:
        if action.source is Source.SIMULATED:
            return
        name = (None if action.agent_id is None else comparable(action.agent_id), comparable(action.action_type))
        track = self._histories.setdefault(name, RiskTrack())
        track.add(microseconds(action.timestamp_start), total=total, failed=failed, risk=action.risk_score * total)

    # Approvals

    def approval(self, action: Action) -> Approval:
        """Raises `not_awaiting_approval`."""
        found = self.approvals.get(action.action_id)
        if found is None:
            raise transition.never_asked(action)
        return found

    def decide(self, by: Principal, action_id: str, said: ApproveAction, key: str | None) -> tuple[Action, Approval]:
        action = self.find(action_id)
        approval = self.approval(action)
        if transition.repeats(approval, said, key):
            return action, approval
        own = transition.check_decider(action, by, refuses_own=False)
        decided = transition.decide(approval, said, by, self.clock(), key, self_decided=own)
        decision = self.decisions[action.decision_id]
        if decided.state is ApprovalState.APPROVED and decision.flow is not UNSET and decision.flow.told:
            self._sessions.approve(action.session_id, decision.action_type, decision.context, self._set.pack)
        return self._ended(action, decided, by)

    def withdraw(self, by: Principal, action_id: str, reason: str | None) -> tuple[Action, Approval]:
        action = self.find(action_id)
        approval = self.approval(action)
        if approval.state is ApprovalState.WITHDRAWN:
            return action, approval
        return self._ended(action, transition.withdraw(approval, reason, by, self.clock()), by)

    def expire(self, action_id: str, by: Principal) -> None:
        action = self.find(action_id)
        self._ended(action, transition.expire(self.approval(action), self.clock()), by)

    def _ended(self, action: Action, approval: Approval, by: Principal) -> tuple[Action, Approval]:
        after, _ = change.decided(action, approval, by.key_id, self.clock())
        self.actions[action.action_id], self.approvals[action.action_id] = after, approval
        return after, approval

    def claim(self, by: Principal, action_id: str, said: ClaimAction, key: str | None) -> ClaimedAction:
        claimed = claims.claimed_act(said)
        action = self.find(action_id)
        claims.check_running(self.halted)
        now = self.clock()
        approval = claims.check_usable(action, self.approvals.get(action_id), now)
        approved = claims.approved_act(action, approval)
        if not claims.repeats(approval, approved, claimed, by, key):
            claims.check_claim(action, approval, now)
            differing = claims.differing(approved, claimed)
            if differing:
                after = self.approvals[action_id] = claims.refused(approval)
                raise claims.mismatch(after, approved, claimed, differing)
            approval = self.approvals[action_id] = claims.used(approval, by, now, key)
        return ClaimedAction(action=action, approval=approval, act_digest=approved.digest)


def is_over(action: Action) -> bool:
    return action.status in FINAL


def _same_question(decision: RecordedDecision, asked: GuardQuestion) -> bool:
    before = (decision.context_digest, decision.runtime, decision.session_id, decision.source)
    return before == (asked.context_digest, asked.runtime, asked.session_id, asked.source)
