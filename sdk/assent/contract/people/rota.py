"""The rota: which operators are on shift when, in groups with weekly hours. What follows from it is a pure function.

    states = on_shift(rota.groups, datetime.now(UTC))
    [state.name for state in states if state.on]

1. A shift begins at `start` on each of its days and lasts until `end`; where `end` is not later than `start`, until
   `end` of the day after. So 22:00 to 06:00 is a night, and 00:00 to 00:00 a whole day.
2. Hours are of the group's time zone, with its summer time. A moment that the clock skips is one hour later by that
   clock; of one that comes twice the first counts, for beginnings and ends alike. So shifts that follow each other
   leave no gap and do not overlap on any day.
3. Shifts of a group that touch are one: it is on shift until the last of them ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Annotated, ClassVar
from zoneinfo import ZoneInfo

from msgspec import Meta, Struct

from assent.contract.endpoint import Endpoint
from assent.contract.people.keys import Operator
from assent.contract.record import Example, OrganizationId, Record, RecordedAt, Request, meaning
from assent.contract.roles import ADMIN, READING

ROTA_BYTES = 16_000
"""Bytes of all groups as JSON."""


class Weekday(StrEnum):
    MONDAY = "monday"
    TUESDAY = "tuesday"
    WEDNESDAY = "wednesday"
    THURSDAY = "thursday"
    FRIDAY = "friday"
    SATURDAY = "saturday"
    SUNDAY = "sunday"


DAYS = tuple(Weekday)
"""In the order of `date.weekday`."""
TimeOfDay = Annotated[
    str, Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9](?!\n)$", description="a time of the day, HH:MM")
]
GroupName = Annotated[str, Meta(min_length=1, max_length=64)]


class Shift(Struct, frozen=True, kw_only=True):
    """Each of these days from `start` to `end`, which is on the day after where it is not later than `start`."""

    days: Annotated[tuple[Weekday, ...], Meta(min_length=1, max_length=7)]
    start: TimeOfDay
    end: TimeOfDay


class OperatorGroup(Struct, frozen=True, kw_only=True):
    """`members` are keys of operators and admins by their names, such as an e-mail address."""

    name: GroupName
    members: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=128)], ...], Meta(min_length=1, max_length=50)
    ]
    time_zone: Annotated[str, Meta(max_length=64, description="name of a time zone, such as Europe/Berlin")] = "UTC"
    shifts: Annotated[tuple[Shift, ...], Meta(max_length=50)] = ()


class SetRota(Request, frozen=True, kw_only=True):
    """All groups: what is not among them is no group any more. At most 16,000 bytes as JSON."""

    example: ClassVar[Example] = {
        "groups": [
            {
                "name": "Payments",
                "members": ["ana@example.org", "ben@example.org"],
                "time_zone": "Europe/Berlin",
                "shifts": [{"days": ["monday", "tuesday"], "start": "09:00", "end": "17:00"}],
            }
        ]
    }

    groups: Annotated[tuple[OperatorGroup, ...], Meta(max_length=20)]


class Rota(Record, frozen=True, kw_only=True):
    """The groups of an organization, as they are now."""

    org_id: OrganizationId
    groups: Annotated[tuple[OperatorGroup, ...], meaning("the groups with their members and weekly hours")]
    updated_by: Annotated[str, meaning("who said so last, by name")]
    updated_by_key: Annotated[str, meaning("id of that key")]
    updated_at: Annotated[datetime, meaning("when that was said")]
    created_at: RecordedAt


class GroupDuty(Record, frozen=True, kw_only=True):
    """A group at one moment. `until` is when it goes off shift, None while it is not on, and where it always is;
    `next_at` when it comes on, None while it is on, and where it never does. `operators` are its members' valid keys,
    `unknown` the members who have none."""

    name: str
    on_shift: bool
    until: datetime | None
    next_at: datetime | None
    operators: list[Operator]
    unknown: list[str]


class Duty(Record, frozen=True, kw_only=True):
    """Who is on shift at `lastUpdated`, the service's time. `rota` is None where nobody has set one. `covered` is false
    in a gap: no group is on shift that has a valid key; `next_at` is when one comes on, None where none does."""

    rota: Rota | None
    groups: list[GroupDuty]
    covered: bool
    next_at: datetime | None
    lastUpdated: datetime  # noqa: N815 - as the lists have it


SET_ROTA = Endpoint(
    operation="set_rota",
    method="POST",
    path="/api/rota",
    summary="Say which operators are on shift when, all groups at once.",
    roles=ADMIN,
    request=SetRota,
    response=Duty,
)
GET_ROTA = Endpoint(
    operation="get_rota",
    method="GET",
    path="/api/rota",
    summary="Who is on shift now, and the rota that it follows from.",
    roles=READING,
    response=Duty,
)


# What follows from it.


AHEAD = 9
"""Days for which shifts are looked at: a week, and what begins before it and ends behind it."""
ALWAYS = timedelta(days=7, hours=1)
"""What is covered for so long on end is covered for good: a week, and an hour for a clock that is set."""


@dataclass(frozen=True)
class ShiftState:
    """Whether a group is on shift; `until` and `next_at` as `GroupDuty` has them."""

    name: str
    on: bool
    until: datetime | None
    next_at: datetime | None


def on_shift(groups: Sequence[OperatorGroup], now: datetime) -> list[ShiftState]:
    """Each group at this moment, in their order."""
    return [_state(group, now) for group in groups]


def _state(group: OperatorGroup, now: datetime) -> ShiftState:
    spans = hours(group, now)
    until = next((end for start, end in spans if start <= now < end), None)
    if until is not None:
        return ShiftState(group.name, True, None if until - now > ALWAYS else until, None)
    return ShiftState(group.name, False, None, next((start for start, _ in spans if start > now), None))


def hours(group: OperatorGroup, now: datetime) -> list[tuple[datetime, datetime]]:
    """When the group is on shift, from the day before until `AHEAD` days later, in UTC; what touches is one."""
    zone, spans = ZoneInfo(group.time_zone), list[tuple[datetime, datetime]]()
    today = now.astimezone(zone).date()
    for ahead in range(-1, AHEAD + 1):
        day = today + timedelta(days=ahead)
        for shift in group.shifts:
            if DAYS[day.weekday()] in shift.days:
                last = day if shift.end > shift.start else day + timedelta(days=1)
                spans.append((_moment(day, shift.start, zone), _moment(last, shift.end, zone)))
    merged: list[tuple[datetime, datetime]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _moment(day: date, at: str, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time.fromisoformat(at), zone).astimezone(UTC)
