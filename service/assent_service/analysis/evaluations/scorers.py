"""Making, changing and removing scorers. Names are unique among those that are not removed."""

from __future__ import annotations

import msgspec

from assent.contract.analysis.scorers import CreateScorer, DeletedScorer, Scorer, ScorerChange, Scorers, ScorerType
from assent.contract.events import EventName
from assent.contract.problems import Code, FieldError
from assent_service.analysis.evaluations.config import ConfigError, as_data, read_config, type_of
from assent_service.base.clock import Clock, microseconds, moment, new_id
from assent_service.base.problem import Refusal, refuse
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.rows import find_row, record, select
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger
from assent_service.store.tables import Table

SCORERS = Table.of(
    Scorer,
    name="scorers",
    meaning="scorers as they are now, deleted ones included",
    key="id",
    created=("scorer.created",),
    replaced=("scorer.updated",),
)


SCORERS_FENCE = Fence("scorers")
MOST = 1000
"""Scorers of an organization."""

_ALL = (
    f"SELECT {select(SCORERS)} FROM scorers WHERE org_id = ? AND deleted_at IS NULL ORDER BY created_at DESC, id DESC"
)


class ScorerBook:
    """The scorers of every organization."""

    def __init__(self, ledger: Ledger, clock: Clock, locks: EntityLocks) -> None:
        self._ledger, self._clock, self._locks = ledger, clock, locks

    async def create(self, principal: Principal, said: CreateScorer) -> Scorer:
        """Raises `invalid_scorer` naming the place, and `scorer_exists`."""
        scorer_type, config = _configured(said.scorer_type, said.config)
        async with self._locks.hold(SCORERS_FENCE.of(principal.org_id)):
            await self._check(principal.org_id, said.name, None)
            now = self._clock()
            made = Scorer(
                id=new_id("es_", now),
                org_id=principal.org_id,
                name=said.name,
                scorer_type=scorer_type,
                config=config,
                description=said.description,
                created_at=moment(now),
                created_by=principal.key_id,
                updated_at=moment(now),
                updated_by=principal.key_id,
                deleted_at=None,
            )
            await self._record(EventName.SCORER_CREATED, made)
            return made

    async def update(self, principal: Principal, scorer_id: str, said: ScorerChange) -> Scorer:
        """Raises `scorer_not_found`, `invalid_scorer` and `scorer_exists`."""
        async with self._locks.hold(SCORERS_FENCE.of(principal.org_id)):
            before = await self.find(principal.org_id, scorer_id)
            scorer_type, config = before.scorer_type, before.config
            if said.scorer_type is not None or said.config is not None:
                given = before.config if said.config is None else said.config
                scorer_type, config = _configured(said.scorer_type or before.scorer_type, given)
            if said.name is not None and said.name != before.name:
                await self._check(principal.org_id, said.name, scorer_id)
            after = msgspec.structs.replace(
                before,
                name=before.name if said.name is None else said.name,
                scorer_type=scorer_type,
                config=config,
                description=before.description if said.description is None else said.description,
            )
            if after == before:
                return before
            return await self._change(principal, after)

    async def delete(self, principal: Principal, scorer_id: str) -> DeletedScorer:
        """Raises `scorer_not_found`, also for one that was removed before."""
        async with self._locks.hold(SCORERS_FENCE.of(principal.org_id)):
            before = await self.find(principal.org_id, scorer_id)
            await self._change(principal, msgspec.structs.replace(before, deleted_at=moment(self._clock())))
            return DeletedScorer(deleted=True, id=scorer_id)

    async def find(self, org_id: str, scorer_id: str) -> Scorer:
        """Raises `scorer_not_found` for a foreign scorer and for a removed one as for an unknown one."""
        found = await find_row(self._ledger, SCORERS, Scorer, org_id, scorer_id)
        if found is None or found.deleted_at is not None:
            raise refuse(Code.SCORER_NOT_FOUND, f"There is no scorer {scorer_id[:128]!r} in this organization.")
        return found

    async def all_of(self, org_id: str) -> Scorers:
        rows = await self._ledger.read(_ALL, [org_id])
        return Scorers(scorers=[record(SCORERS, row, Scorer) for row in rows], llm_available=False)

    async def id_of(self, org_id: str, name: str) -> str | None:
        """The scorer of this name, None when there is none."""
        rows = await self._ledger.read(
            "SELECT id FROM scorers WHERE org_id = ? AND name = ? AND deleted_at IS NULL", [org_id, name]
        )
        return str(rows[0][0]) if rows else None

    async def _check(self, org_id: str, name: str, scorer_id: str | None) -> None:
        """That the name is free, and that there is room for one more when it is a new one's."""
        if await self.id_of(org_id, name) is not None:
            raise refuse(
                Code.SCORER_EXISTS,
                f"A scorer named {name!r} exists already; change that one or choose another name.",
                FieldError(place="name", message="is taken"),
            )
        if scorer_id is None and len((await self.all_of(org_id)).scorers) >= MOST:
            raise refuse(Code.INVALID_SCORER, f"An organization can have {MOST} scorers; remove some first.")

    async def _change(self, principal: Principal, after: Scorer) -> Scorer:
        # A clock that was set back must not make a change older than what it changes.
        now = max(self._clock(), microseconds(after.updated_at))
        changed = msgspec.structs.replace(after, updated_at=moment(now), updated_by=principal.key_id)
        await self._record(EventName.SCORER_UPDATED, changed)
        return changed

    async def _record(self, name: EventName, scorer: Scorer) -> None:
        await self._ledger.append(
            Draft(
                org=scorer.org_id,
                type=name.value,
                ts=microseconds(scorer.updated_at),
                subject=scorer.id,
                actor=scorer.updated_by,
                data=encode(scorer),
            )
        )


def _configured(scorer_type: str, config: object) -> tuple[ScorerType, dict[str, object]]:
    try:
        known = type_of(scorer_type)
        return known, as_data(read_config(known, config))
    except ConfigError as error:
        raise invalid(error) from error


def invalid(error: ConfigError) -> Refusal:
    return refuse(
        Code.INVALID_SCORER,
        f"The scorer cannot be used: {error.place} {error.message}.",
        FieldError(place=error.place, message=error.message),
    )
