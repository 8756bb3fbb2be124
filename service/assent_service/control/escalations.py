"""Escalations: whoever looks tells another group of a request that nobody has decided for as long as a policy says.

1. A policy of kind `require_approval` that matched a request may say after how many minutes, and to which group of the
   rota. What it says now counts; of several the one that is due first (`due`).
2. It is told once for each approval, under the action's fence, whoever looks, and however often. What is decided,
   expired or withdrawn is not told of.
3. `approval.escalated` holds ids, times and the group with its members' keys, and has no action in its header: nothing
   of the request is in it. So evidence is what it was, and an erasure has nothing to blank.
4. A group that is not in the rota, or has no valid key, is escalated to all the same: the mark is seen by everybody.
5. Nothing of the request changes. Everybody who may decide still may.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple, Protocol

from assent.contract.control.approvals import Approval
from assent.contract.control.escalations import GET_ESCALATIONS, Escalation, EscalationsQuery
from assent.contract.control.escalations import Escalations as EscalationList
from assent.contract.control.policies import Policy
from assent.contract.control.rules import PolicyType
from assent.contract.events import EventName
from assent.contract.names import same_name
from assent.contract.people.rota import Duty
from assent_service.base.clock import Clock, moment
from assent_service.core.call import Call
from assent_service.core.foundation import Foundation
from assent_service.core.locks import ACTION_FENCE, EntityLocks
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import Filter, Filters, list_rows
from assent_service.store.event import Draft, Event
from assent_service.store.ledger import Ledger, Read
from assent_service.store.tables import Table

__all__ = ["ESCALATIONS", "TABLES", "EscalationState", "Escalations", "open_escalations"]

ESCALATIONS = Table.of(
    Escalation,
    name="escalations",
    meaning="which requests nobody had decided in time, and which group was told",
    key="approval_id",
    created=("approval.escalated",),
)
TABLES = (ESCALATIONS,)
FILTERS = Filters(ESCALATIONS, EscalationsQuery, {"current": None})
_CURRENT = "approval_id IN (SELECT approval_id FROM approvals WHERE org_id = ? AND state = 'awaiting')"
SYSTEM = "system"
LOOK_SECONDS = 1.0

log = logging.getLogger("assent.escalations")


class Step(NamedTuple):
    """What a policy says: after how many minutes, to which group."""

    policy_id: str
    minutes: int
    group: str


def steps_of(policies: Iterable[Policy]) -> dict[str, Step]:
    """By the id of the policy, of those that are on and escalate."""
    found: dict[str, Step] = {}
    for policy in policies:
        minutes, group = policy.rules.get("escalate_after_minutes"), policy.rules.get("escalate_to")
        asks = policy.active and policy.policy_type == PolicyType.REQUIRE_APPROVAL
        if asks and isinstance(minutes, int) and isinstance(group, str):
            found[policy.policy_id] = Step(policy.policy_id, minutes, group)
    return found


def due(approval: Approval, steps: Mapping[str, Step], now: datetime) -> Step | None:
    """What is to be told of a waiting request by now, by the policies that matched it."""
    found = [steps[each] for each in approval.matched_policies if each in steps]
    first = min(found, key=lambda step: step.minutes, default=None)
    if first is None or approval.requested_at + timedelta(minutes=first.minutes) > now or approval.expires_at <= now:
        return None
    return first


def escalation_of(approval: Approval, step: Step, duty: Duty, at: datetime) -> Escalation:
    group = next((each for each in duty.groups if same_name(each.name, step.group)), None)
    operators = [] if group is None else group.operators
    return Escalation(
        org_id=approval.org_id,
        approval_id=approval.approval_id,
        action_id=approval.action_id,
        policy_id=step.policy_id,
        after_minutes=step.minutes,
        escalated_to=step.group,
        on_shift=group is not None and group.on_shift,
        operators=[each.name for each in operators],
        operator_keys=[each.key_id for each in operators],
        expires_at=approval.expires_at,
        created_at=at,
    )


class EscalationState:
    """Which approvals were escalated; those that have ended are forgotten."""

    types = frozenset(
        {
            EventName.APPROVAL_ESCALATED.value,
            EventName.APPROVAL_DECIDED.value,
            EventName.APPROVAL_EXPIRED.value,
            EventName.APPROVAL_WITHDRAWN.value,
        }
    )

    def __init__(self) -> None:
        self._told: set[tuple[str, str]] = set()

    def load(self, read: Read) -> None:
        for org_id, approval_id in read(
            "SELECT e.org_id, e.approval_id FROM escalations e JOIN approvals a "
            "ON a.org_id = e.org_id AND a.approval_id = e.approval_id WHERE a.state = 'awaiting'",
            [],
        ):
            self._told.add((str(org_id), str(approval_id)))

    def fold(self, event: Event) -> None:
        key = (event.org, event.subject)
        if event.type == EventName.APPROVAL_ESCALATED.value:
            self._told.add(key)
        else:
            self._told.discard(key)

    def has(self, approval: Approval) -> bool:
        return (approval.org_id, approval.approval_id) in self._told


class Policies(Protocol):
    """What an escalation needs of policies."""

    def list(self, org_id: str) -> Iterable[Policy]: ...

    def version(self, org_id: str) -> int: ...


class Escalations:
    """`waiting` are the approvals that wait, by organization and action; `duty` says who is on shift."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        locks: EntityLocks,
        waiting: Mapping[tuple[str, str], Approval],
        policies: Policies,
        duty: Callable[[str], Duty],
    ) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks
        self._waiting, self._policies, self._duty = waiting, policies, duty
        self.state = EscalationState()
        self._steps: dict[str, tuple[int, dict[str, Step]]] = {}
        self._watch: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look for requests that wait for too long."""
        self._watch = asyncio.create_task(self._look())

    async def stop(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            with suppress(asyncio.CancelledError):
                await self._watch

    async def escalate(self) -> int:
        """Record which requests are due, each once, and say how many were."""
        now, recorded = moment(self._clock()), 0
        for approval in list(self._waiting.values()):
            if self._due(approval, now) is None:
                continue
            try:
                recorded += await self._ledger.run(partial(self._escalate, approval))
            except Exception as error:  # noqa: BLE001 - whatever it is, the others must not be forgotten for it
                log.warning("approval %s is due but not escalated: %s", approval.approval_id, error)
        return recorded

    async def page(self, principal: Principal, query: EscalationsQuery) -> EscalationList:
        chosen = Filter(principal.org_id)
        FILTERS.narrow(chosen, query)
        if query.current is not None:
            chosen.add(_CURRENT if query.current else f"NOT ({_CURRENT})", principal.org_id)
        page = await list_rows(self._ledger, ESCALATIONS, Escalation, chosen, query)
        return EscalationList(
            escalations=page.rows,
            total=page.total,
            lastUpdated=moment(self._clock()),
            next_cursor=page.next_cursor,
        )

    def _due(self, approval: Approval, now: datetime) -> Step | None:
        steps = self._steps_of(approval.org_id)
        return due(approval, steps, now) if steps and not self.state.has(approval) else None

    def _steps_of(self, org_id: str) -> Mapping[str, Step]:
        """What the organization's policies say, read anew when they change."""
        version, kept = self._policies.version(org_id), self._steps.get(org_id)
        if kept is None or kept[0] != version:
            kept = self._steps[org_id] = (version, steps_of(self._policies.list(org_id)))
        return kept[1]

    async def _escalate(self, approval: Approval) -> bool:
        async with self._locks.hold(ACTION_FENCE.of(approval.org_id, approval.action_id)):
            waiting = self._waiting.get((approval.org_id, approval.action_id))
            now = self._clock()
            if waiting is None or waiting.approval_id != approval.approval_id:
                return False
            step = self._due(waiting, moment(now))
            if step is None:
                return False
            said = escalation_of(waiting, step, self._duty(waiting.org_id), moment(now))
            await self._ledger.append(
                Draft(
                    org=waiting.org_id,
                    type=EventName.APPROVAL_ESCALATED.value,
                    ts=now,
                    subject=waiting.approval_id,
                    actor=SYSTEM,
                    data=encode(said),
                )
            )
            return True

    async def _look(self) -> None:
        turn = self._ledger.turn("approvals")
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                if await turn.is_ours():
                    await self.escalate()
            except Exception:
                log.exception("looking for requests to escalate failed; the next look tries again")


def routes(escalations: Escalations) -> tuple[Route, ...]:
    @serves(GET_ESCALATIONS)
    async def list_all(call: Call[None, EscalationsQuery]) -> EscalationList:
        return await escalations.page(call.principal, call.query)

    return (list_all,)


def open_escalations(
    on: Foundation, waiting: Mapping[tuple[str, str], Approval], policies: Policies, duty: Callable[[str], Duty]
) -> Escalations:
    escalations = Escalations(on.ledger, on.clock, on.locks, waiting, policies, duty)
    on.bring(routes=routes(escalations), memory=escalations.state, start=escalations.start, stop=escalations.stop)
    return escalations
