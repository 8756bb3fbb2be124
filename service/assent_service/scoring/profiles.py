"""Making, changing and removing scoring profiles and their dimensions.

Every change of an organization's profiles holds its one lock. Removing a profile leaves its dimensions and its scores
in the tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from assent.contract.events import EventName
from assent.contract.problems import Code, FieldError
from assent.contract.scoring import (
    MOST_DIMENSIONS,
    AddScoringDimension,
    CreateScoringProfile,
    DeletedScoringDimension,
    DeletedScoringProfile,
    ProfileStatus,
    ScoringDimension,
    ScoringDimensionChange,
    ScoringProfile,
    ScoringProfileChange,
    ScoringProfiles,
    ScoringProfilesQuery,
)
from assent_service.core.clock import Clock, microseconds, moment
from assent_service.core.find import find_row
from assent_service.core.locks import EntityLocks
from assent_service.core.page import read_page
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.problem import Refusal, refuse
from assent_service.core.rows import Filter, record, select
from assent_service.scoring.change import added, altered, begun, changed, check_size, read_listed
from assent_service.scoring.stored import StoredDimension, StoredProfile, shown, shown_dimension
from assent_service.scoring.tables import SCORING_DIMENSIONS, SCORING_PROFILES
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

MOST = 1000
"""Profiles of an organization."""
ALL = "all"

_OF = (
    f"SELECT {select(SCORING_DIMENSIONS)} FROM scoring_dimensions WHERE org_id = ? "
    "AND profile_id IN (SELECT unnest(?::VARCHAR[])) AND deleted_at IS NULL ORDER BY sort_order, created_at, id"
)

S = TypeVar("S", StoredProfile, StoredDimension)


class Profiles:
    """The scoring profiles of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks

    async def create(self, principal: Principal, said: CreateScoringProfile) -> ScoringProfile:
        """Raises `invalid_profile` and `invalid_body`, naming the place."""
        now = self._clock()
        profile = begun(said, principal, now)
        # Dimensions are made a microsecond apart, since they stand in the order in which they were made.
        dimensions = [
            added(read_listed(each, f"dimensions[{at}]"), profile, principal, now + at, f"dimensions[{at}]")
            for at, each in enumerate(said.dimensions or [])
        ]
        check_size(dimensions)
        async with self._locks.hold(f"scoring:{principal.org_id}"):
            counted = "SELECT count(*) FROM scoring_profiles WHERE org_id = ? AND deleted_at IS NULL"
            ((count,),) = await self._ledger.read(counted, [principal.org_id])
            if int(str(count)) >= MOST:
                raise refuse(
                    Code.INVALID_PROFILE, f"An organization can have {MOST} scoring profiles; remove some first."
                )
            await self._ledger.append(
                _event(EventName.SCORING_PROFILE_CREATED, profile),
                *(_event(EventName.SCORING_DIMENSION_CREATED, each) for each in dimensions),
            )
        ordered = sorted(dimensions, key=lambda each: (each.sort_order, each.created_at))
        return shown(profile, ordered)

    async def page(self, principal: Principal, query: ScoringProfilesQuery) -> ScoringProfiles:
        """Raises `invalid_query` for a status that there is not, and for a cursor that is none."""
        if query.status not in (ALL, *ProfileStatus):
            raise refuse(
                Code.INVALID_QUERY,
                f"status is {query.status!r}; give one of {', '.join(ProfileStatus)}, or {ALL}.",
                FieldError(place="status", message="is unknown"),
            )
        chosen = Filter(principal.org_id)
        chosen.add_all("deleted_at IS NULL", [])
        chosen.add("action_type = ?", query.action_type)
        chosen.add("status = ?", None if query.status == ALL else query.status)
        counted = f"SELECT count(*) FROM scoring_profiles WHERE {chosen.where}"
        ((total,),) = await self._ledger.read(counted, chosen.parameters)
        page = await read_page(
            self._ledger,
            SCORING_PROFILES,
            StoredProfile,
            chosen,
            cursor=query.cursor,
            limit=query.limit,
            offset=query.offset,
        )
        dimensions = await self._dimensions(principal.org_id, [each.id for each in page.rows])
        profiles = [shown(each, [one for one in dimensions if one.profile_id == each.id]) for each in page.rows]
        return ScoringProfiles(profiles=profiles, total=int(str(total)), next_cursor=page.next_cursor)

    async def get(self, principal: Principal, profile_id: str) -> ScoringProfile:
        """Raises `profile_not_found`."""
        profile = await self._find(principal.org_id, profile_id)
        return shown(profile, await self._dimensions(principal.org_id, [profile_id]))

    async def update(self, principal: Principal, profile_id: str, said: ScoringProfileChange) -> ScoringProfile:
        """Raises `profile_not_found`, `invalid_profile` and `invalid_body`. A change that says nothing new records
        nothing."""
        async with self._locks.hold(f"scoring:{principal.org_id}"):
            before = await self._find(principal.org_id, profile_id)
            after = changed(before, said)
            if after != before:
                after = await self._record(EventName.SCORING_PROFILE_UPDATED, after, principal)
        return shown(after, await self._dimensions(principal.org_id, [profile_id]))

    async def delete(self, principal: Principal, profile_id: str) -> DeletedScoringProfile:
        """Raises `profile_not_found`, also for one that was removed before."""
        async with self._locks.hold(f"scoring:{principal.org_id}"):
            before = await self._find(principal.org_id, profile_id)
            gone = msgspec.structs.replace(before, deleted_at=moment(self._clock()))
            await self._record(EventName.SCORING_PROFILE_UPDATED, gone, principal)
        return DeletedScoringProfile(deleted=True, id=profile_id)

    async def add(self, principal: Principal, profile_id: str, said: AddScoringDimension) -> ScoringDimension:
        """Raises `profile_not_found`, `invalid_profile` and `invalid_body`."""
        async with self._locks.hold(f"scoring:{principal.org_id}"):
            profile = await self._find(principal.org_id, profile_id)
            there = await self._dimensions(principal.org_id, [profile_id])
            if len(there) >= MOST_DIMENSIONS:
                raise refuse(
                    Code.INVALID_PROFILE, f"A profile can have {MOST_DIMENSIONS} dimensions; remove one first."
                )
            # A clock that was set back must not put it before those that were there.
            now = max([self._clock(), *(microseconds(each.created_at) + 1 for each in there)])
            dimension = added(said, profile, principal, now)
            check_size([*there, dimension])
            await self._ledger.append(_event(EventName.SCORING_DIMENSION_CREATED, dimension))
        return shown_dimension(dimension)

    async def alter(
        self, principal: Principal, profile_id: str, dimension_id: str, said: ScoringDimensionChange
    ) -> ScoringDimension:
        """Raises `profile_not_found`, `dimension_not_found`, `invalid_profile` and `invalid_body`."""
        async with self._locks.hold(f"scoring:{principal.org_id}"):
            before = await self._find_dimension(principal.org_id, profile_id, dimension_id)
            after = altered(before, said)
            if after != before:
                there = await self._dimensions(principal.org_id, [profile_id])
                check_size([after, *(each for each in there if each.id != dimension_id)])
                after = await self._record(EventName.SCORING_DIMENSION_UPDATED, after, principal)
        return shown_dimension(after)

    async def remove(self, principal: Principal, profile_id: str, dimension_id: str) -> DeletedScoringDimension:
        """Raises `profile_not_found` and `dimension_not_found`, also for one that was removed before."""
        async with self._locks.hold(f"scoring:{principal.org_id}"):
            before = await self._find_dimension(principal.org_id, profile_id, dimension_id)
            gone = msgspec.structs.replace(before, deleted_at=moment(self._clock()))
            await self._record(EventName.SCORING_DIMENSION_UPDATED, gone, principal)
        return DeletedScoringDimension(deleted=True, id=dimension_id)

    async def check_known(self, org_id: str, profile_id: str) -> None:
        """Raises `profile_not_found` unless there is or was such a profile."""
        if await find_row(self._ledger, SCORING_PROFILES, StoredProfile, org_id, profile_id) is None:
            raise _no_profile(profile_id)

    async def _find(self, org_id: str, profile_id: str) -> StoredProfile:
        found = await find_row(self._ledger, SCORING_PROFILES, StoredProfile, org_id, profile_id)
        if found is None or found.deleted_at is not None:
            raise _no_profile(profile_id)
        return found

    async def _find_dimension(self, org_id: str, profile_id: str, dimension_id: str) -> StoredDimension:
        await self._find(org_id, profile_id)
        found = await find_row(self._ledger, SCORING_DIMENSIONS, StoredDimension, org_id, dimension_id)
        if found is None or found.deleted_at is not None or found.profile_id != profile_id:
            raise refuse(
                Code.DIMENSION_NOT_FOUND,
                f"Dimension not found: scoring profile {profile_id} has no dimension {dimension_id[:128]!r}.",
            )
        return found

    async def _dimensions(self, org_id: str, profile_ids: Sequence[str]) -> list[StoredDimension]:
        rows = await self._ledger.read(_OF, [org_id, list(profile_ids)])
        return [record(SCORING_DIMENSIONS, row, StoredDimension) for row in rows]

    async def _record(self, name: EventName, after: S, principal: Principal) -> S:
        now = max(self._clock(), microseconds(after.updated_at))
        stamped = msgspec.structs.replace(after, updated_at=moment(now), updated_by=principal.key_id)
        await self._ledger.append(_event(name, stamped))
        return stamped


def _no_profile(profile_id: str) -> Refusal:
    # Published clients look for the first words.
    return refuse(
        Code.PROFILE_NOT_FOUND,
        f"Profile not found: there is no scoring profile {profile_id[:128]!r} in this organization.",
    )


def _event(name: EventName, what: StoredProfile | StoredDimension) -> Draft:
    return Draft(
        org=what.org_id,
        type=name.value,
        ts=microseconds(what.updated_at),
        subject=what.id,
        actor=what.updated_by,
        data=encode(what),
    )
