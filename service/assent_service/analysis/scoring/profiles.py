"""Making, changing and removing scoring profiles and their dimensions.

Every change of an organization's profiles holds its one lock. Removing a profile leaves its dimensions and its scores
in the tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from assent.contract.analysis.scoring import (
    ADD_SCORING_DIMENSION,
    CREATE_SCORING_PROFILE,
    DELETE_SCORING_DIMENSION,
    DELETE_SCORING_PROFILE,
    GET_SCORING_PROFILE,
    LIST_SCORING_PROFILES,
    MOST_DIMENSIONS,
    UPDATE_SCORING_DIMENSION,
    UPDATE_SCORING_PROFILE,
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
from assent.contract.events import EventName
from assent.contract.problems import Code, FieldError
from assent_service.analysis.scoring.change import (
    SCORING_DIMENSIONS,
    SCORING_PROFILES,
    DimensionRow,
    ProfileRow,
    added,
    altered,
    begun,
    changed,
    check_size,
    dimension_answer,
    profile_answer,
    read_listed,
)
from assent_service.base.clock import Clock, microseconds, moment
from assent_service.base.problem import Refusal, refuse
from assent_service.core.call import Call
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.route import Route, serves
from assent_service.core.rows import Filter, Filters, find_row, list_rows, record, select
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

SCORING_FENCE = Fence("scoring")
MOST = 1000
"""Profiles of an organization."""
ALL = "all"
FILTERS = Filters(SCORING_PROFILES, ScoringProfilesQuery, {"status": None})

_OF = (
    f"SELECT {select(SCORING_DIMENSIONS)} FROM scoring_dimensions WHERE org_id = ? "
    "AND profile_id IN (SELECT unnest(?::VARCHAR[])) AND deleted_at IS NULL ORDER BY sort_order, created_at, id"
)

S = TypeVar("S", ProfileRow, DimensionRow)


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
        async with self._locks.hold(SCORING_FENCE.of(principal.org_id)):
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
        return profile_answer(profile, ordered)

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
        chosen.add("status = ?", None if query.status == ALL else query.status)
        FILTERS.narrow(chosen, query)
        page = await list_rows(self._ledger, SCORING_PROFILES, ProfileRow, chosen, query)
        dimensions = await self._dimensions(principal.org_id, [each.id for each in page.rows])
        profiles = [
            profile_answer(each, [one for one in dimensions if one.profile_id == each.id]) for each in page.rows
        ]
        return ScoringProfiles(profiles=profiles, total=page.total, next_cursor=page.next_cursor)

    async def get(self, principal: Principal, profile_id: str) -> ScoringProfile:
        """Raises `profile_not_found`."""
        profile = await self._find(principal.org_id, profile_id)
        return profile_answer(profile, await self._dimensions(principal.org_id, [profile_id]))

    async def update(self, principal: Principal, profile_id: str, said: ScoringProfileChange) -> ScoringProfile:
        """Raises `profile_not_found`, `invalid_profile` and `invalid_body`. A change that says nothing new records
        nothing."""
        async with self._locks.hold(SCORING_FENCE.of(principal.org_id)):
            before = await self._find(principal.org_id, profile_id)
            after = changed(before, said)
            if after != before:
                after = await self._record(EventName.SCORING_PROFILE_UPDATED, after, principal)
        return profile_answer(after, await self._dimensions(principal.org_id, [profile_id]))

    async def delete(self, principal: Principal, profile_id: str) -> DeletedScoringProfile:
        """Raises `profile_not_found`, also for one that was removed before."""
        async with self._locks.hold(SCORING_FENCE.of(principal.org_id)):
            before = await self._find(principal.org_id, profile_id)
            gone = msgspec.structs.replace(before, deleted_at=moment(self._clock()))
            await self._record(EventName.SCORING_PROFILE_UPDATED, gone, principal)
        return DeletedScoringProfile(deleted=True, id=profile_id)

    async def add(self, principal: Principal, profile_id: str, said: AddScoringDimension) -> ScoringDimension:
        """Raises `profile_not_found`, `invalid_profile` and `invalid_body`."""
        async with self._locks.hold(SCORING_FENCE.of(principal.org_id)):
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
        return dimension_answer(dimension)

    async def alter(
        self, principal: Principal, profile_id: str, dimension_id: str, said: ScoringDimensionChange
    ) -> ScoringDimension:
        """Raises `profile_not_found`, `dimension_not_found`, `invalid_profile` and `invalid_body`."""
        async with self._locks.hold(SCORING_FENCE.of(principal.org_id)):
            before = await self._find_dimension(principal.org_id, profile_id, dimension_id)
            after = altered(before, said)
            if after != before:
                there = await self._dimensions(principal.org_id, [profile_id])
                check_size([after, *(each for each in there if each.id != dimension_id)])
                after = await self._record(EventName.SCORING_DIMENSION_UPDATED, after, principal)
        return dimension_answer(after)

    async def remove(self, principal: Principal, profile_id: str, dimension_id: str) -> DeletedScoringDimension:
        """Raises `profile_not_found` and `dimension_not_found`, also for one that was removed before."""
        async with self._locks.hold(SCORING_FENCE.of(principal.org_id)):
            before = await self._find_dimension(principal.org_id, profile_id, dimension_id)
            gone = msgspec.structs.replace(before, deleted_at=moment(self._clock()))
            await self._record(EventName.SCORING_DIMENSION_UPDATED, gone, principal)
        return DeletedScoringDimension(deleted=True, id=dimension_id)

    async def check_known(self, org_id: str, profile_id: str) -> None:
        """Raises `profile_not_found` unless there is or was such a profile."""
        if await find_row(self._ledger, SCORING_PROFILES, ProfileRow, org_id, profile_id) is None:
            raise _no_profile(profile_id)

    async def _find(self, org_id: str, profile_id: str) -> ProfileRow:
        found = await find_row(self._ledger, SCORING_PROFILES, ProfileRow, org_id, profile_id)
        if found is None or found.deleted_at is not None:
            raise _no_profile(profile_id)
        return found

    async def _find_dimension(self, org_id: str, profile_id: str, dimension_id: str) -> DimensionRow:
        await self._find(org_id, profile_id)
        found = await find_row(self._ledger, SCORING_DIMENSIONS, DimensionRow, org_id, dimension_id)
        if found is None or found.deleted_at is not None or found.profile_id != profile_id:
            raise refuse(
                Code.DIMENSION_NOT_FOUND,
                f"Dimension not found: scoring profile {profile_id} has no dimension {dimension_id[:128]!r}.",
            )
        return found

    async def _dimensions(self, org_id: str, profile_ids: Sequence[str]) -> list[DimensionRow]:
        rows = await self._ledger.read(_OF, [org_id, list(profile_ids)])
        return [record(SCORING_DIMENSIONS, row, DimensionRow) for row in rows]

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


def _event(name: EventName, what: ProfileRow | DimensionRow) -> Draft:
    return Draft(
        org=what.org_id,
        type=name.value,
        ts=microseconds(what.updated_at),
        subject=what.id,
        actor=what.updated_by,
        data=encode(what),
    )


def _of_profiles(profiles: Profiles) -> tuple[Route, ...]:
    @serves(CREATE_SCORING_PROFILE, holds=(SCORING_FENCE,))
    async def create(call: Call[CreateScoringProfile, None]) -> ScoringProfile:
        return await profiles.create(call.principal, call.body)

    @serves(LIST_SCORING_PROFILES)
    async def list_all(call: Call[None, ScoringProfilesQuery]) -> ScoringProfiles:
        return await profiles.page(call.principal, call.query)

    @serves(GET_SCORING_PROFILE)
    async def get(call: Call[None, None], profile_id: str) -> ScoringProfile:
        return await profiles.get(call.principal, profile_id)

    @serves(UPDATE_SCORING_PROFILE, holds=(SCORING_FENCE,))
    async def update(call: Call[ScoringProfileChange, None], profile_id: str) -> ScoringProfile:
        return await profiles.update(call.principal, profile_id, call.body)

    @serves(DELETE_SCORING_PROFILE, holds=(SCORING_FENCE,))
    async def delete(call: Call[None, None], profile_id: str) -> DeletedScoringProfile:
        return await profiles.delete(call.principal, profile_id)

    return create, list_all, get, update, delete


def _of_dimensions(profiles: Profiles) -> tuple[Route, ...]:
    @serves(ADD_SCORING_DIMENSION, holds=(SCORING_FENCE,))
    async def add(call: Call[AddScoringDimension, None], profile_id: str) -> ScoringDimension:
        return await profiles.add(call.principal, profile_id, call.body)

    @serves(UPDATE_SCORING_DIMENSION, holds=(SCORING_FENCE,))
    async def alter(call: Call[ScoringDimensionChange, None], profile_id: str, dimension_id: str) -> ScoringDimension:
        return await profiles.alter(call.principal, profile_id, dimension_id, call.body)

    @serves(DELETE_SCORING_DIMENSION, holds=(SCORING_FENCE,))
    async def remove(call: Call[None, None], profile_id: str, dimension_id: str) -> DeletedScoringDimension:
        return await profiles.remove(call.principal, profile_id, dimension_id)

    return add, alter, remove


def routes(profiles: Profiles) -> tuple[Route, ...]:
    return (*_of_profiles(profiles), *_of_dimensions(profiles))
