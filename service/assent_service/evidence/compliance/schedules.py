"""Schedules: exports of compliance that are made by the clock.

1. A schedule says which export, and when (`cron`). It has at most one turn in an hour, and an organization at most
   MOST_SCHEDULES schedules that are not deleted.
2. A turn records the export and the schedule after it in one write: all or none, so that no turn is taken twice.
3. Turns that passed while the service was down, or the schedule was late, are one: what is counted is what is there
   now, and an export can say nothing about the moment that it missed.
4. A turn that can make no export says why (`last_error`), and the next one tries again. Where only the tables are
   behind, the turn is not over: it is taken as soon as they are not.
5. Of services that share a log one takes the turns, under a lease. If two think that it is theirs, the fence of the
   organization's schedules lets one record.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from datetime import datetime
from functools import partial

import msgspec

from assent.contract.events import EventName
from assent.contract.evidence.compliance_exports import (
    CREATE_COMPLIANCE_SCHEDULE,
    DELETE_COMPLIANCE_SCHEDULE,
    GET_COMPLIANCE_SCHEDULE,
    LIST_COMPLIANCE_SCHEDULES,
    MOST_SCHEDULES,
    UPDATE_COMPLIANCE_SCHEDULE,
    ComplianceSchedule,
    ComplianceScheduleDetail,
    ComplianceSchedules,
    CreateComplianceSchedule,
    DeletedComplianceSchedule,
    UpdateComplianceSchedule,
)
from assent.contract.problems import Code, FieldError
from assent.contract.roles import Role
from assent_service.base.clock import Clock, microseconds, moment, naive, new_id
from assent_service.base.problem import Refusal, refuse
from assent_service.core.call import Call
from assent_service.core.carry import carry
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import find_row, record, select
from assent_service.evidence.compliance.cron import following, read_cron
from assent_service.evidence.compliance.exports import ComplianceReports, created, format_of, named
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger
from assent_service.store.tables import Table

COMPLIANCE_SCHEDULES = Table.of(
    ComplianceSchedule,
    name="compliance_schedules",
    meaning="what makes reports on compliance by the clock, one row for each schedule as it is now",
    key="schedule_id",
    created=("compliance_schedule.created",),
    replaced=("compliance_schedule.updated",),
)
SCHEDULES_FENCE = Fence("compliance_schedules")
SYSTEM = "system"
LOOK_SECONDS = 20.0
"""Between two looks for turns; a schedule has at most one in an hour."""
_ALL = (
    f"SELECT {select(COMPLIANCE_SCHEDULES)} FROM compliance_schedules WHERE org_id = ? AND deleted_at IS NULL "
    "ORDER BY created_at DESC, schedule_id DESC"
)
_DUE = "SELECT org_id, schedule_id FROM compliance_schedules WHERE deleted_at IS NULL AND enabled AND next_run_at <= ?"

log = logging.getLogger("assent.compliance")


def next_turn(cron_expression: str, enabled: bool, after: datetime) -> datetime | None:
    """None for a schedule that is not enabled. Raises `invalid_body` for an expression that is none or has no turn."""
    try:
        turn = following(read_cron(cron_expression), after)
    except ValueError as error:
        raise refuse(
            Code.INVALID_BODY,
            f"cron_expression {error}.",
            FieldError(place="cron_expression", message=str(error)),
        ) from None
    return turn if enabled else None


def changed(before: ComplianceSchedule, said: UpdateComplianceSchedule, now: int) -> ComplianceSchedule:
    """The schedule after the change, the same object where it says nothing new. Raises `framework_not_found`, and
    `invalid_body` as `next_turn` does."""
    given = {name: getattr(said, name) for name in said.__struct_fields__ if getattr(said, name) is not None}
    if "frameworks" in given:
        given["frameworks"] = named(given["frameworks"])
    if "format" in given:
        given["format"] = format_of(given["format"])
    after = msgspec.structs.replace(before, **given)
    if after == before:
        return before
    if (after.cron_expression, after.enabled) != (before.cron_expression, before.enabled):
        turn = next_turn(after.cron_expression, after.enabled, moment(now))
        after = msgspec.structs.replace(after, next_run_at=turn)
    return msgspec.structs.replace(after, updated_at=moment(now))


class Schedules:
    """The schedules of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks, kept: ComplianceReports) -> None:
        self._ledger, self._clock, self._locks, self._kept = ledger, clock, locks, kept
        self._watch: asyncio.Task[None] | None = None

    async def create(self, principal: Principal, said: CreateComplianceSchedule) -> ComplianceSchedule:
        """Raises `framework_not_found`, `too_many_schedules`, and `invalid_body` for an expression that is none."""
        frameworks = named(said.frameworks)
        async with self._locks.hold(SCHEDULES_FENCE.of(principal.org_id)):
            now = self._clock()
            turn = next_turn(said.cron_expression, said.enabled, moment(now))
            if len(await self._all(principal)) >= MOST_SCHEDULES:
                raise refuse(
                    Code.TOO_MANY_SCHEDULES,
                    f"There are {MOST_SCHEDULES} schedules already, which is the most; delete one, or change it.",
                )
            schedule = carry(
                ComplianceSchedule,
                said,
                org_id=principal.org_id,
                schedule_id=new_id("csch_", now),
                frameworks=frameworks,
                format=format_of(said.format),
                next_run_at=turn,
                last_run_at=None,
                last_export_id=None,
                last_error=None,
                created_by=principal.key_id,
                created_at=moment(now),
                updated_at=moment(now),
                deleted_at=None,
            )
            await self._ledger.append(_event(EventName.COMPLIANCE_SCHEDULE_CREATED, schedule, principal.key_id))
            return schedule

    async def get(self, principal: Principal, schedule_id: str) -> ComplianceSchedule:
        """Raises `compliance_schedule_not_found`, also for a deleted one."""
        found = await self._find(principal.org_id, schedule_id)
        if found is None:
            raise refuse(
                Code.COMPLIANCE_SCHEDULE_NOT_FOUND,
                f"There is no compliance schedule {schedule_id[:128]!r} in this organization.",
            )
        return found

    async def update(
        self, principal: Principal, schedule_id: str, said: UpdateComplianceSchedule
    ) -> ComplianceSchedule:
        """Raises `compliance_schedule_not_found`, and as `changed` does."""
        async with self._locks.hold(SCHEDULES_FENCE.of(principal.org_id)):
            before = await self.get(principal, schedule_id)
            after = changed(before, said, self._clock())
            if after is not before:
                await self._ledger.append(_event(EventName.COMPLIANCE_SCHEDULE_UPDATED, after, principal.key_id))
            return after

    async def delete(self, principal: Principal, schedule_id: str) -> DeletedComplianceSchedule:
        """Raises `compliance_schedule_not_found`, also for one that was deleted before."""
        async with self._locks.hold(SCHEDULES_FENCE.of(principal.org_id)):
            before = await self.get(principal, schedule_id)
            at = moment(self._clock())
            gone = msgspec.structs.replace(before, enabled=False, next_run_at=None, updated_at=at, deleted_at=at)
            await self._ledger.append(_event(EventName.COMPLIANCE_SCHEDULE_UPDATED, gone, principal.key_id))
            return DeletedComplianceSchedule(deleted=True, schedule_id=schedule_id)

    async def all_of(self, principal: Principal) -> ComplianceSchedules:
        found = await self._all(principal)
        return ComplianceSchedules(schedules=found, total=len(found))

    async def start(self) -> None:
        """Begin to take turns."""
        self._watch = asyncio.create_task(self._look())

    async def stop(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            with suppress(asyncio.CancelledError):
                await self._watch

    async def take_turns(self) -> int:
        """Make what is due now, and say how many exports there are of it."""
        due = await self._ledger.read(_DUE, [naive(self._clock())])
        made = 0
        for org_id, schedule_id in due:
            try:
                made += await self._ledger.run(partial(self._turn, str(org_id), str(schedule_id)))
            except Exception as error:  # noqa: BLE001 - whatever it is, the others must not wait for it
                log.warning("schedule %s was due and made no export; the next look tries again: %s", schedule_id, error)
        return made

    async def _turn(self, org_id: str, schedule_id: str) -> bool:
        async with self._locks.hold(SCHEDULES_FENCE.of(org_id)):
            before = await self._find(org_id, schedule_id)
            at = moment(self._clock())
            if before is None or before.next_run_at is None or before.next_run_at > at:
                return False
            system = Principal(org_id, SYSTEM, before.name, Role.ADMIN, None)
            after = msgspec.structs.replace(
                before,
                next_run_at=next_turn(before.cron_expression, before.enabled, at),
                last_run_at=at,
                last_error=None,
                updated_at=at,
            )
            try:
                export = await self._kept.make(system, before, schedule_id)
            except Refusal as refusal:
                if refusal.code is Code.PROJECTION_BEHIND:
                    raise
                after = msgspec.structs.replace(after, last_error=refusal.detail)
                await self._ledger.append(_event(EventName.COMPLIANCE_SCHEDULE_UPDATED, after, SYSTEM))
                return False
            after = msgspec.structs.replace(after, last_export_id=export.export_id, updated_at=export.created_at)
            event = _event(EventName.COMPLIANCE_SCHEDULE_UPDATED, after, SYSTEM)
            await self._ledger.append(created(export, SYSTEM), event)
            return True

    async def _look(self) -> None:
        turn = self._ledger.turn("compliance")
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                if await turn.is_ours():
                    await self.take_turns()
            except Refusal as refusal:
                log.debug("nobody can be asked which schedules are due: %s", refusal.detail)
            except Exception:
                log.exception("looking for schedules that are due failed; the next look tries again")

    async def _find(self, org_id: str, schedule_id: str) -> ComplianceSchedule | None:
        found = await find_row(self._ledger, COMPLIANCE_SCHEDULES, ComplianceSchedule, org_id, schedule_id)
        return None if found is None or found.deleted_at is not None else found

    async def _all(self, principal: Principal) -> list[ComplianceSchedule]:
        rows = await self._ledger.read(_ALL, [principal.org_id])
        return [record(COMPLIANCE_SCHEDULES, row, ComplianceSchedule) for row in rows]


def _event(name: EventName, schedule: ComplianceSchedule, actor: str) -> Draft:
    return Draft(
        org=schedule.org_id,
        type=name.value,
        ts=microseconds(schedule.updated_at),
        subject=schedule.schedule_id,
        actor=actor,
        data=encode(schedule),
    )


def routes(schedules: Schedules) -> tuple[Route, ...]:
    def answered(schedule: ComplianceSchedule) -> ComplianceScheduleDetail:
        return ComplianceScheduleDetail(schedule=schedule, schedule_id=schedule.schedule_id)

    @serves(CREATE_COMPLIANCE_SCHEDULE, holds=(SCHEDULES_FENCE,))
    async def create(call: Call[CreateComplianceSchedule, None]) -> ComplianceScheduleDetail:
        return answered(await schedules.create(call.principal, call.body))

    @serves(LIST_COMPLIANCE_SCHEDULES)
    async def list_all(call: Call[None, None]) -> ComplianceSchedules:
        return await schedules.all_of(call.principal)

    @serves(GET_COMPLIANCE_SCHEDULE)
    async def get(call: Call[None, None], schedule_id: str) -> ComplianceScheduleDetail:
        return answered(await schedules.get(call.principal, schedule_id))

    @serves(UPDATE_COMPLIANCE_SCHEDULE, holds=(SCHEDULES_FENCE,))
    async def update(call: Call[UpdateComplianceSchedule, None], schedule_id: str) -> ComplianceScheduleDetail:
        return answered(await schedules.update(call.principal, schedule_id, call.body))

    @serves(DELETE_COMPLIANCE_SCHEDULE, holds=(SCHEDULES_FENCE,))
    async def delete(call: Call[None, None], schedule_id: str) -> DeletedComplianceSchedule:
        return await schedules.delete(call.principal, schedule_id)

    return create, list_all, get, update, delete
