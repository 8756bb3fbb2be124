"""The rota: which operators are on shift when. What follows from it at a moment is in `contract.people.rota`.

1. An admin says all of it at once; the same again is no news. At most ROTA_BYTES as JSON, the names of groups differ in
   any spelling, and a time zone is one that is known here.
2. A member is a key by its name, in any spelling. Only valid keys of role operator and admin count: an agent's key of
   that name is nobody's. A member without one is told as unknown.
3. A group without a valid key covers nothing, whatever its hours.
4. No key of role agent hears of it: when nobody looks is nothing for an agent to know.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol
from zoneinfo import ZoneInfo

import msgspec

from assent.contract.events import EventName
from assent.contract.names import comparable
from assent.contract.people.keys import Operator
from assent.contract.people.rota import (
    GET_ROTA,
    ROTA_BYTES,
    SET_ROTA,
    Duty,
    GroupDuty,
    OperatorGroup,
    Rota,
    SetRota,
    on_shift,
)
from assent.contract.problems import Code, FieldError
from assent_service.base.clock import Clock, moment
from assent_service.base.problem import refuse
from assent_service.core.call import Call
from assent_service.core.foundation import Foundation
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import decode, encode
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import record, select
from assent_service.store.event import Draft, Event
from assent_service.store.ledger import Ledger, Read
from assent_service.store.tables import Table

__all__ = ["ROTAS", "TABLES", "RotaState", "Rotas", "duty_of", "open_rotas"]

ROTAS = Table.of(
    Rota,
    name="rotas",
    meaning="which operators are on shift when, one row for each organization that has said so",
    key="org_id",
    created=("rota.created",),
    replaced=("rota.updated",),
)
TABLES = (ROTAS,)
ROTA_FENCE = Fence("rota")


def check_groups(groups: Sequence[OperatorGroup]) -> None:
    """Raises `invalid_body`."""
    known: set[str] = set()
    for number, group in enumerate(groups):
        if comparable(group.name) in known:
            _refuse(f"groups[{number}].name", "is the name of another group already")
        known.add(comparable(group.name))
        if not _is_zone(group.time_zone):
            _refuse(f"groups[{number}].time_zone", "is no time zone that is known here; it looks like Europe/Berlin")
    size = len(msgspec.json.encode(groups))
    if size > ROTA_BYTES:
        _refuse("groups", f"holds {size:,} bytes as JSON, at most {ROTA_BYTES:,}")


def _refuse(place: str, message: str) -> None:
    raise refuse(Code.INVALID_BODY, f"{place} {message}.", FieldError(place=place, message=message))


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # none of that name; what is no name; the name of a folder
        return False
    return True


def duty_of(rota: Rota | None, operators: Sequence[Operator], now: datetime) -> Duty:
    """Who is on shift."""
    groups = () if rota is None else rota.groups
    by_name: dict[str, list[Operator]] = {}
    for each in operators:
        by_name.setdefault(comparable(each.name), []).append(each)
    told: list[GroupDuty] = []
    for group, state in zip(groups, on_shift(groups, now), strict=True):
        names = list(dict.fromkeys(map(comparable, group.members)))
        told.append(
            GroupDuty(
                name=group.name,
                on_shift=state.on,
                until=state.until,
                next_at=state.next_at,
                operators=[each for name in names for each in by_name.get(name, [])],
                unknown=[each for each in group.members if comparable(each) not in by_name],
            )
        )
    covered = any(each.on_shift and each.operators for each in told)
    coming = [each.next_at for each in told if each.next_at is not None and each.operators]
    return Duty(
        rota=rota,
        groups=told,
        covered=covered,
        next_at=None if covered else min(coming, default=None),
        lastUpdated=now,
    )


class RotaState:
    """Every organization's rota."""

    types = frozenset({EventName.ROTA_CREATED.value, EventName.ROTA_UPDATED.value})

    def __init__(self) -> None:
        self.by_org: dict[str, Rota] = {}

    def load(self, read: Read) -> None:
        for row in read(f"SELECT {select(ROTAS)} FROM rotas", []):
            rota = record(ROTAS, row, Rota)
            self.by_org[rota.org_id] = rota

    def fold(self, event: Event) -> None:
        self.by_org[event.org] = decode(event, Rota)


class Keys(Protocol):
    """What a rota needs of keys."""

    def operators(self, org_id: str) -> Sequence[Operator]: ...


class Rotas:
    """The rotas of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks, keys: Keys) -> None:
        self._ledger, self._clock, self._locks, self._keys = ledger, clock, locks, keys
        self.state = RotaState()

    def duty(self, org_id: str) -> Duty:
        """Who is on shift now."""
        return duty_of(self.state.by_org.get(org_id), self._keys.operators(org_id), moment(self._clock()))

    async def set(self, principal: Principal, said: SetRota) -> Duty:
        """Raises `invalid_body`."""
        check_groups(said.groups)
        org_id = principal.org_id
        async with self._locks.hold(ROTA_FENCE.of(org_id)):
            before = self.state.by_org.get(org_id)
            if before is None or before.groups != said.groups:
                now = self._clock()
                after = Rota(
                    org_id=org_id,
                    groups=said.groups,
                    updated_by=principal.name,
                    updated_by_key=principal.key_id,
                    updated_at=moment(now),
                    created_at=moment(now) if before is None else before.created_at,
                )
                name = EventName.ROTA_CREATED if before is None else EventName.ROTA_UPDATED
                await self._ledger.append(
                    Draft(
                        org=org_id,
                        type=name.value,
                        ts=now,
                        subject=org_id,
                        actor=principal.key_id,
                        data=encode(after),
                    )
                )
            return self.duty(org_id)


def routes(rotas: Rotas) -> tuple[Route, ...]:
    @serves(SET_ROTA, holds=(ROTA_FENCE,))
    async def set_all(call: Call[SetRota, None]) -> Duty:
        return await rotas.set(call.principal, call.body)

    @serves(GET_ROTA)
    async def duty(call: Call[None, None]) -> Duty:
        return rotas.duty(call.principal.org_id)

    return set_all, duty


def open_rotas(on: Foundation, keys: Keys) -> Rotas:
    rotas = Rotas(on.ledger, on.clock, on.locks, keys)
    on.bring(routes=routes(rotas), memory=rotas.state)
    return rotas
