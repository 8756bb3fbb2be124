"""Standing grants: given, used, revoked, and kept in memory while they are live.

1. A use is decided and recorded under the grant's fence: the last use is used once, however many ask at once, and by
   however many processes. The grant's event, which counts the use, is written with the action and its approval.
2. Whoever gives a grant gives approvals in advance, so what holds for an approval holds here: a key bound to an agent
   gives none for that agent.
3. Revoking is at once and stays: the same again changes nothing.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Protocol

import msgspec

from assent.contract.conditions import ConditionError, to_data
from assent.contract.control.actions import Action
from assent.contract.control.grants import (
    CREATE_GRANT,
    DRAFT_GRANT,
    GET_GRANT,
    LIST_GRANTS,
    MOST_DAYS,
    MOST_LIVE,
    REVOKE_GRANT,
    CreateGrant,
    Grant,
    GrantDetail,
    GrantDraft,
    GrantsQuery,
    GrantState,
    GrantUse,
    GrantUses,
    RevokeGrant,
    condition_of,
    state_of,
)
from assent.contract.control.grants import Grants as GrantList
from assent.contract.control.guard import Decision, RecordedDecision
from assent.contract.events import EventName
from assent.contract.names import comparable, same_name
from assent.contract.problems import Code, FieldError
from assent_service.base.clock import Clock, moment, naive, new_id
from assent_service.base.problem import Refusal, refuse
from assent_service.control.grants.coverage import Conditions, LiveGrant, asks_anyway, covering, facts_of
from assent_service.control.grants.pattern import pattern_of
from assent_service.control.guard import GuardQuestion, PolicySet
from assent_service.core.call import Call
from assent_service.core.carry import carry
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import decode, encode
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import Filter, Filters, find_row, list_rows, record, select
from assent_service.store.event import Draft, Event
from assent_service.store.ledger import Ledger, Read
from assent_service.store.spelling import name_in
from assent_service.store.tables import Table

GRANTS = Table.of(
    Grant,
    name="grants",
    meaning="standing grants: what people approved in advance, and how often that was used",
    key="grant_id",
    created=("grant.created",),
    replaced=("grant.used", "grant.revoked"),
)
GRANT_FENCE = Fence("grant", "grant_id")
"""Of a use, of revoking, and of claiming what the grant let through."""
GRANTS_FENCE = Fence("grants")
"""Of giving one: how many are live is bounded."""

_STATES = {
    GrantState.REVOKED: "revoked_at IS NOT NULL",
    GrantState.EXPIRED: "revoked_at IS NULL AND expires_at <= ?",
    GrantState.USED_UP: "revoked_at IS NULL AND expires_at > ? AND used >= max_uses",
    GrantState.LIVE: "revoked_at IS NULL AND expires_at > ? AND used < max_uses",
}
FILTERS = Filters(GRANTS, GrantsQuery, {"state": None, "agent_id": name_in("agent_ids")})


class Policies(Protocol):
    """What grants need of the policies noun."""

    def of(self, org_id: str) -> PolicySet: ...


class Actions(Protocol):
    """What the pattern of an action is taken from."""

    async def visible(self, principal: Principal, action_id: str) -> Action: ...

    async def decision(self, action: Action) -> RecordedDecision | None: ...


class GrantMemory:
    """The grants that may let something through, by organization and type; one that expires is put out when somebody
    looks."""

    types = frozenset({EventName.GRANT_CREATED.value, EventName.GRANT_USED.value, EventName.GRANT_REVOKED.value})

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._live: dict[str, dict[str, dict[str, LiveGrant]]] = {}

    def load(self, read: Read) -> None:
        live = _STATES[GrantState.LIVE]
        for row in read(f"SELECT {select(GRANTS)} FROM grants WHERE {live}", [naive(self._clock())]):
            self._keep(record(GRANTS, row, Grant))

    def fold(self, event: Event) -> None:
        self._keep(decode(event, Grant))

    def of(self, org_id: str, type_key: str) -> list[LiveGrant]:
        """Those of a type, by its compared name."""
        types = self._live.get(org_id)
        return [] if types is None else list(types.get(type_key, {}).values())

    def count(self, org_id: str, now: int) -> int:
        """How many are live; the expired ones are forgotten."""
        at, types = moment(now), self._live.get(org_id, {})
        for grant in [each.grant for grants in types.values() for each in grants.values()]:
            if at >= grant.expires_at:
                self._drop(grant)
        return sum(map(len, types.values()))

    def _keep(self, grant: Grant) -> None:
        if grant.revoked_at is not None or grant.used >= grant.max_uses:
            self._drop(grant)
            return
        types = self._live.setdefault(grant.org_id, {})
        before = types.get(comparable(grant.action_type), {}).get(grant.grant_id)
        # Its bounds never change.
        live = LiveGrant.of(grant) if before is None else LiveGrant(grant, before.conditions)
        types.setdefault(comparable(grant.action_type), {})[grant.grant_id] = live

    def _drop(self, grant: Grant) -> None:
        types, key = self._live.get(grant.org_id, {}), comparable(grant.action_type)
        types.get(key, {}).pop(grant.grant_id, None)
        if not types.get(key, True):
            del types[key]
        if not self._live.get(grant.org_id, True):
            del self._live[grant.org_id]


# A grant given, used and revoked. Pure.


def given(said: CreateGrant, principal: Principal, grant_id: str, now: int) -> Grant:
    """Raises `invalid_body` for a time that is over or too far, and for conditions that cannot be used; `self_approval`
    for the agent that the key is bound to."""
    _check_end(said, now)
    if principal.agent_id is not None and any(same_name(principal.agent_id, each) for each in said.agent_ids):
        raise refuse(
            Code.SELF_APPROVAL,
            f"This key is bound to agent {principal.agent_id!r}, and never decides on that agent's own actions, in "
            "advance neither. An operator gives the grant with another key.",
        )
    try:
        condition = condition_of(said.when)
        Conditions.of(said)
    except ConditionError as error:
        raise refuse(
            Code.INVALID_BODY,
            f"The conditions cannot be used: {error.place} {error.message}.",
            FieldError(place=error.place, message=error.message),
        ) from None
    return carry(
        Grant,
        said,
        org_id=principal.org_id,
        grant_id=grant_id,
        agent_ids=list({comparable(each): each for each in said.agent_ids}.values()),
        when=None if condition is None else to_data(condition),
        used=0,
        created_at=moment(now),
        created_by=principal.key_id,
        created_by_name=principal.name,
        last_use=None,
        revoked_at=None,
        revoked_by=None,
        revoked_reason=None,
    )


def _check_end(said: CreateGrant, now: int) -> None:
    latest = moment(now) + timedelta(days=MOST_DAYS)
    if moment(now) < said.expires_at <= latest:
        return
    message = f"has to be later than now ({moment(now).isoformat()}) and within {MOST_DAYS} days"
    raise refuse(
        Code.INVALID_BODY,
        f"expires_at {message}, it is {said.expires_at.isoformat()}.",
        FieldError(place="expires_at", message=message),
    )


def used(grant: Grant, *, action_id: str, approval_id: str, decision_id: str, own: bool, now: int) -> Grant:
    """The grant after one more use."""
    use = GrantUse(
        number=grant.used + 1,
        action_id=action_id,
        approval_id=approval_id,
        decision_id=decision_id,
        at=moment(now),
        self_decided=own,
    )
    return msgspec.structs.replace(grant, used=use.number, last_use=use)


def revoked(grant: Grant, reason: str | None, by: str, now: int) -> Grant:
    """The grant once it was revoked; the same object where it was before."""
    if grant.revoked_at is not None:
        return grant
    return msgspec.structs.replace(grant, revoked_at=moment(now), revoked_by=by, revoked_reason=reason)


class Grants:
    """The grants of every organization. With `refuses_own` none lets through what its maker's own key opens."""

    def __init__(
        self, ledger: Ledger, clock: Clock, locks: EntityLocks, policies: Policies, *, refuses_own: bool = False
    ) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self._policies, self._refuses_own = policies, refuses_own
        self.memory = GrantMemory(clock)

    # Using one

    def covering(self, asked: GuardQuestion, decision: RecordedDecision) -> Grant | None:
        """The grant that stands in for a person now, if one does."""
        if decision.decision is not Decision.REQUIRE_APPROVAL:
            return None
        org_id, facts = asked.principal.org_id, asked.facts
        live = self.memory.of(org_id, facts.type_key)
        if not live or asks_anyway(decision, facts, self._policies.of(org_id)) is not None:
            return None
        return covering(live, decision, facts, moment(asked.now), asked.principal.key_id if self._refuses_own else None)

    def live_for(self, org_id: str, agent_id: str, action_type: str) -> bool:
        """Whether some grant is live for what an agent does of a type, under whatever conditions."""
        at, agent_key = moment(self._clock()), comparable(agent_id)
        live = self.memory.of(org_id, comparable(action_type))
        return any(at < each.grant.expires_at and agent_key in each.conditions.agents for each in live)

    def draft_use(
        self, asked: GuardQuestion, grant: Grant, action_id: str, approval_id: str, decision_id: str
    ) -> Draft:
        """The event that counts a use, for whoever holds the grant."""
        after = used(
            grant,
            action_id=action_id,
            approval_id=approval_id,
            decision_id=decision_id,
            own=asked.principal.key_id == grant.created_by,
            now=asked.now,
        )
        return _event(EventName.GRANT_USED, after, asked.principal.key_id, asked.now)

    async def check_not_revoked(self, org_id: str, grant_id: str) -> None:
        """Raises `grant_revoked`; for whoever holds the grant."""
        grant = await self._find(org_id, grant_id)
        if grant.revoked_at is not None:
            raise refuse(
                Code.GRANT_REVOKED,
                f"Grant {grant_id}, which let this action through, was revoked at {grant.revoked_at.isoformat()}; what "
                "it approved can be claimed no more. Create the action again, and have it approved.",
            )

    # Giving and revoking

    async def create(self, principal: Principal, said: CreateGrant) -> Grant:
        """Raises `invalid_body`, `self_approval` and `too_many_grants`."""
        async with self._locks.hold(GRANTS_FENCE.of(principal.org_id)):
            now = self._clock()
            grant = given(said, principal, new_id("grant_", now), now)
            if self.memory.count(principal.org_id, now) >= MOST_LIVE:
                raise refuse(
                    Code.TOO_MANY_GRANTS,
                    f"{MOST_LIVE} grants of this organization are live, which is as many as may; revoke some first.",
                )
            await self._ledger.append(_event(EventName.GRANT_CREATED, grant, principal.key_id, now))
            return grant

    async def revoke(self, principal: Principal, grant_id: str, said: RevokeGrant) -> Grant:
        """Raises `grant_not_found`."""
        async with self._locks.hold(GRANT_FENCE.of(principal.org_id, grant_id)):
            before = await self._find(principal.org_id, grant_id)
            now = self._clock()
            after = revoked(before, said.reason, principal.key_id, now)
            if after is not before:
                await self._ledger.append(_event(EventName.GRANT_REVOKED, after, principal.key_id, now))
            return after

    # Reading

    async def with_uses(self, principal: Principal, grant_id: str) -> GrantUses:
        """Raises `grant_not_found`."""
        grant = await self._find(principal.org_id, grant_id)
        events = await self._ledger.events_by(principal.org_id, [grant_id], "subject")
        rows = [decode(each, Grant) for each in events.get(grant_id, ()) if each.type == EventName.GRANT_USED]
        uses = [row.last_use for row in rows if row.last_use is not None]
        return GrantUses(grant=grant, state=self.state(grant), uses=uses)

    def state(self, grant: Grant) -> GrantState:
        return state_of(grant, moment(self._clock()))

    async def page(self, principal: Principal, query: GrantsQuery) -> GrantList:
        """Newest first. Raises `invalid_query` for a cursor that is not one of ours."""
        now = self._clock()
        chosen = Filter(principal.org_id)
        FILTERS.narrow(chosen, query)
        if query.state is not None:
            condition = _STATES[query.state]
            chosen.add_all(condition, [naive(now)] * condition.count("?"))
        page = await list_rows(self._ledger, GRANTS, Grant, chosen, query)
        return GrantList(grants=page.rows, total=page.total, at=moment(now), next_cursor=page.next_cursor)

    def drafted(self, action: Action, decision: RecordedDecision) -> GrantDraft:
        """The pattern of what was asked."""
        facts = facts_of(decision)
        pattern = pattern_of(decision.context)
        draft = GrantDraft(
            action_id=action.action_id,
            agent_ids=[] if decision.agent_id is None else [decision.agent_id],
            action_type=decision.action_type,
            when=pattern.when,
            exact=pattern.exact,
            unbound=pattern.unbound,
            unbound_metadata=pattern.unbound_metadata,
            max_risk=decision.risk_score,
            covers=False,
            why_not=asks_anyway(decision, facts, self._policies.of(action.org_id)),
        )
        why_not = draft.why_not
        if why_not is None and pattern.unbound and not pattern.binds:
            why_not = "no condition can bind any of its arguments"
        if why_not is None and Conditions.of(draft).left_out_by(facts, decision):
            why_not = "its own pattern does not hold for it"
        return msgspec.structs.replace(draft, covers=why_not is None, why_not=why_not)

    async def _find(self, org_id: str, grant_id: str) -> Grant:
        found = await find_row(self._ledger, GRANTS, Grant, org_id, grant_id)
        if found is None:
            raise missing(grant_id)
        return found


def missing(grant_id: str) -> Refusal:
    return refuse(Code.GRANT_NOT_FOUND, f"There is no grant {grant_id[:128]!r} in this organization.")


def _event(name: EventName, grant: Grant, actor: str, now: int) -> Draft:
    return Draft(org=grant.org_id, type=name.value, ts=now, subject=grant.grant_id, actor=actor, data=encode(grant))


def routes(grants: Grants, actions: Actions) -> tuple[Route, ...]:
    @serves(CREATE_GRANT, holds=(GRANTS_FENCE,))
    async def create(call: Call[CreateGrant, None]) -> GrantDetail:
        if call.body.from_action_id is not None:
            await actions.visible(call.principal, call.body.from_action_id)
        grant = await grants.create(call.principal, call.body)
        return GrantDetail(grant=grant, state=grants.state(grant))

    @serves(LIST_GRANTS)
    async def list_all(call: Call[None, GrantsQuery]) -> GrantList:
        return await grants.page(call.principal, call.query)

    @serves(GET_GRANT)
    async def get(call: Call[None, None], grant_id: str) -> GrantUses:
        return await grants.with_uses(call.principal, grant_id)

    @serves(REVOKE_GRANT, holds=(GRANT_FENCE,))
    async def revoke(call: Call[RevokeGrant, None], grant_id: str) -> GrantDetail:
        grant = await grants.revoke(call.principal, grant_id, call.body)
        return GrantDetail(grant=grant, state=grants.state(grant))

    @serves(DRAFT_GRANT)
    async def draft(call: Call[None, None], action_id: str) -> GrantDraft:
        action = await actions.visible(call.principal, action_id)
        decision = await actions.decision(action)
        if decision is None:
            raise refuse(Code.ACTION_ERASED, f"What action {action_id} asked for was erased.")
        return grants.drafted(action, decision)

    return create, list_all, get, revoke, draft
