"""Organizations: each with its own keys, policies and evidence; making, naming and listing them.

- An organization, its first admin key and its first policies are recorded together: there is never one that nobody
  can enter, or that has no policies yet.
- Organizations are made by the admins of the service's first one. They see all of them by name, and nothing that is
  in them; everybody else sees their own.
- A short name is taken for good. A name may change; only the organization itself changes it.
- Below which risk policies may explore is the organization's to say, and nobody's who may not see its draws: the seed
  that they come from is made anew each time that exploring begins, and is in no answer.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Sequence

import msgspec

from assent.contract.events import EventName
from assent.contract.people.keys import CreateKey, Key
from assent.contract.people.keys import Keys as KeyList
from assent.contract.people.organizations import (
    CREATE_ORGANIZATION,
    GET_ORGANIZATION,
    GET_ORGANIZATION_KEYS,
    GET_ORGANIZATIONS,
    UPDATE_ORGANIZATION,
    CreatedOrganization,
    CreateOrganization,
    Organization,
    OrganizationDetail,
    OrganizationRow,
    UpdateOrganization,
)
from assent.contract.people.organizations import Organizations as OrganizationList
from assent.contract.problems import Code, FieldError
from assent.contract.roles import Role
from assent_service.base.clock import Clock, microseconds, moment, new_id
from assent_service.base.problem import Refusal, refuse
from assent_service.core.call import Call
from assent_service.core.carry import carry
from assent_service.core.foundation import Foundation
from assent_service.core.locks import EntityLocks, Fence
from assent_service.core.payload import decode, encode
from assent_service.core.principal import Principal, check_admin_key
from assent_service.core.route import Route, serves
from assent_service.core.rows import record, select
from assent_service.people.keys import Keys
from assent_service.store.event import Draft, Event
from assent_service.store.ledger import Ledger, Read
from assent_service.store.tables import Table

__all__ = [
    "ORGANIZATIONS",
    "TABLES",
    "Organizations",
    "Seed",
    "open_organizations",
]


# Organizations in memory, in the order in which they were made.


ORGANIZATIONS = Table.of(
    OrganizationRow,
    name="organizations",
    meaning="the organizations that share the service",
    key="org_id",
    created=("organization.created",),
    replaced=("organization.updated",),
)
TABLES = (ORGANIZATIONS,)


class OrganizationState:
    """Every organization by id. They have rising times of creation (`organizations`), the first one the lowest."""

    types = frozenset({EventName.ORGANIZATION_CREATED.value, EventName.ORGANIZATION_UPDATED.value})

    def __init__(self) -> None:
        self.by_id: dict[str, OrganizationRow] = {}
        self._slugs: dict[str, str] = {}

    def load(self, read: Read) -> None:
        for row in read(f"SELECT {select(ORGANIZATIONS)} FROM organizations ORDER BY created_at", []):
            self._keep(record(ORGANIZATIONS, row, OrganizationRow))

    def fold(self, event: Event) -> None:
        self._keep(decode(event, OrganizationRow))

    @property
    def first(self) -> OrganizationRow | None:
        """The organization that the service started with; its admins make the others."""
        return next(iter(self.by_id.values()), None)

    @property
    def newest(self) -> OrganizationRow | None:
        return next(reversed(self.by_id.values()), None)

    def exploring(self, org_id: str) -> tuple[float, str] | None:
        """The risk below which the organization's policies may explore, and the seed of its draws; None for one that
        has not opted in."""
        found = self.by_id.get(org_id)
        return (found.explore_below, found.explore_seed) if found is not None and found.explore_below > 0 else None

    def named(self, slug: str) -> OrganizationRow | None:
        org_id = self._slugs.get(slug)
        return None if org_id is None else self.by_id[org_id]

    def _keep(self, organization: OrganizationRow) -> None:
        self.by_id[organization.org_id] = organization
        self._slugs[organization.slug] = organization.org_id


ORGANIZATIONS_FENCE = Fence("organizations", everywhere=True)
"""A slug is one organization's among all."""
FIRST = CreateOrganization(name="Default", slug="default")
SYSTEM = "system"

log = logging.getLogger("assent.organizations")

Seed = Callable[[str, str, int], list[Draft]]
"""`seed(org_id, by, now)`: what else is recorded with a new organization; `now` in microseconds."""


class Organizations:
    """Every organization of the service."""

    def __init__(self, ledger: Ledger, keys: Keys, clock: Clock, locks: EntityLocks, seed: Seed) -> None:
        self._ledger, self._keys, self._clock, self._locks, self._seed = ledger, keys, clock, locks, seed
        self.state = OrganizationState()

    def list(self, principal: Principal) -> list[Organization]:
        """The caller's organization, all of them for the first one's."""
        if self._leads(principal):
            return [_answered(each) for each in self.state.by_id.values()]
        own = self.state.by_id.get(principal.org_id)
        return [_answered(own)] if own else []

    async def create(self, principal: Principal, request: CreateOrganization) -> CreatedOrganization:
        """Raises `forbidden` for an admin of another organization than the first, and `organization_exists`."""
        if not self._leads(principal):
            raise refuse(Code.FORBIDDEN, "Only an admin of the service's first organization can make another one.")
        async with self._locks.hold(ORGANIZATIONS_FENCE.of()):
            if self.state.named(request.slug) is not None:
                raise refuse(
                    Code.ORGANIZATION_EXISTS,
                    f"There is an organization {request.slug!r} already; choose another slug.",
                    FieldError(place="slug", message="is taken"),
                )
            return await self._record(request, by=principal.key_id, secret=None)

    def visible(self, principal: Principal, org_id: str) -> Organization:
        """Raises `organization_not_found` for one that the caller may not know of."""
        found = self.state.by_id.get(org_id)
        if found is None or (org_id != principal.org_id and not self._leads(principal)):
            raise _not_found(org_id)
        return _answered(found)

    def keys_of(self, principal: Principal, org_id: str) -> Sequence[Key]:
        """Raises `organization_not_found` for any organization but the caller's."""
        if org_id != principal.org_id:
            raise _not_found(org_id)
        return self._keys.list(org_id)

    async def update(self, principal: Principal, org_id: str, change: UpdateOrganization) -> Organization:
        """Rename the caller's organization or say below which risk it explores. Raises `organization_not_found` for any
        other, and `invalid_body` for another slug."""
        if org_id != principal.org_id:
            raise _not_found(org_id)
        async with self._locks.hold(ORGANIZATIONS_FENCE.of()):
            before = self.state.by_id[org_id]
            if change.slug not in (None, before.slug):
                raise refuse(
                    Code.INVALID_BODY,
                    f"The slug is {before.slug!r} for good; leave it out, and change the name.",
                    FieldError(place="slug", message="cannot be changed"),
                )
            name = before.name if change.name is None else change.name
            below = before.explore_below if change.explore_below is None else change.explore_below
            if (name, below) == (before.name, before.explore_below):
                return _answered(before)
            now, seed = self._clock(), before.explore_seed
            if below and not before.explore_below:
                seed = secrets.token_hex(16)
            after = msgspec.structs.replace(
                before, name=name, explore_below=below, explore_seed=seed, updated_at=moment(now)
            )
            await self._ledger.append(
                Draft(
                    org=org_id,
                    type=EventName.ORGANIZATION_UPDATED,
                    ts=now,
                    subject=org_id,
                    actor=principal.key_id,
                    data=encode(after),
                )
            )
            return _answered(after)

    async def bootstrap(self, admin_secret: str | None) -> CreatedOrganization | None:
        """On an empty log, make the first organization; its admin key gets `admin_secret`, or a new secret.

        None when there are organizations already. The secret counts only on the first start: a later one that is no
        valid key changes nothing, and is warned about, since whoever could set it would be let in otherwise. Raises
        ValueError for a secret that is too short, or that no client could send.
        """
        return await self._ledger.run(lambda: self._bootstrap(admin_secret))

    async def _bootstrap(self, admin_secret: str | None) -> CreatedOrganization | None:
        async with self._locks.hold(ORGANIZATIONS_FENCE.of()):
            if self.state.first is None:
                if admin_secret is not None:
                    check_admin_key(admin_secret)
                return await self._record(FIRST, by=SYSTEM, secret=admin_secret)
        if admin_secret is not None and self._keys.authenticate(admin_secret) is None:
            log.warning(
                "The admin key in the settings is no valid key here and is ignored: it counts only on the first start "
                "of a data folder. Make a key with an admin's, or take the setting away."
            )
        return None

    async def _record(self, request: CreateOrganization, *, by: str, secret: str | None) -> CreatedOrganization:
        newest, now = self.state.newest, self._clock()
        if newest is not None:
            now = max(now, microseconds(newest.created_at) + 1)
        made = carry(OrganizationRow, request, org_id=new_id("org_", now), created_at=moment(now))
        event = Draft(
            org=made.org_id,
            type=EventName.ORGANIZATION_CREATED,
            ts=now,
            subject=made.org_id,
            actor=by,
            data=encode(made),
        )
        admin = CreateKey(name="First admin key", role=Role.ADMIN)
        key_event, created = self._keys.draft(made.org_id, admin, by=by, secret=secret)
        await self._ledger.append(event, key_event, *self._seed(made.org_id, by, now))
        return CreatedOrganization(organization=_answered(made), key=created.key, api_key=created.api_key)

    def _leads(self, principal: Principal) -> bool:
        first = self.state.first
        return first is not None and first.org_id == principal.org_id


def _answered(row: OrganizationRow) -> Organization:
    return carry(Organization, row)


def _not_found(org_id: str) -> Refusal:
    return refuse(
        Code.ORGANIZATION_NOT_FOUND, f"There is no organization {org_id[:128]!r} that this key may see; get_org lists."
    )


def routes(organizations: Organizations) -> tuple[Route, ...]:
    @serves(CREATE_ORGANIZATION, holds=(ORGANIZATIONS_FENCE,))
    async def create(call: Call[CreateOrganization, None]) -> CreatedOrganization:
        return await organizations.create(call.principal, call.body)

    @serves(GET_ORGANIZATIONS)
    async def list_organizations(call: Call[None, None]) -> OrganizationList:
        return OrganizationList(organizations=organizations.list(call.principal))

    @serves(GET_ORGANIZATION)
    async def one(call: Call[None, None], org_id: str) -> OrganizationDetail:
        return OrganizationDetail(organization=organizations.visible(call.principal, org_id))

    @serves(UPDATE_ORGANIZATION, holds=(ORGANIZATIONS_FENCE,))
    async def update(call: Call[UpdateOrganization, None], org_id: str) -> OrganizationDetail:
        changed = await organizations.update(call.principal, org_id, call.body)
        return OrganizationDetail(organization=changed)

    @serves(GET_ORGANIZATION_KEYS)
    async def keys(call: Call[None, None], org_id: str) -> KeyList:
        return KeyList(keys=list(organizations.keys_of(call.principal, org_id)))

    return create, list_organizations, one, update, keys


def open_organizations(
    on: Foundation, keys: Keys, seed: Seed, on_first_start: Callable[[CreatedOrganization], None] | None
) -> Organizations:
    """`seed` gives a new organization its policies; `on_first_start` is told of the one that the service starts
    with."""
    organizations = Organizations(on.ledger, keys, on.clock, on.locks, seed)
    on.organizations = lambda: list(organizations.state.by_id)

    async def start() -> None:
        created = await organizations.bootstrap(on.settings.admin_key)
        if created is not None and on_first_start is not None:
            on_first_start(created)

    on.bring(routes=routes(organizations), memory=organizations.state, start=start)
    return organizations
