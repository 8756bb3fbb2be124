"""Making organizations.

- An organization, its first admin key and its first policies are recorded together: there is never one that nobody
  can enter, or that has no policies yet.
- Organizations are made by the admins of the service's first one. They see all of them by name, and nothing that is
  in them; everybody else sees their own.
- A short name is taken for good.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from assent.contract.events import EventName
from assent.contract.keys import CreateKey
from assent.contract.organizations import CreatedOrganization, CreateOrganization, Organization
from assent.contract.problems import Code, FieldError
from assent.contract.roles import Role
from assent_service.core.clock import Clock, microseconds, moment, new_id
from assent_service.core.locks import EntityLocks
from assent_service.core.payload import encode
from assent_service.core.principal import Principal
from assent_service.core.problem import refuse
from assent_service.keys import Keys
from assent_service.organizations.secret import check_admin_secret
from assent_service.organizations.state import OrganizationState
from assent_service.store.event import Draft
from assent_service.store.ledger import Ledger

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
            return list(self.state.by_id.values())
        own = self.state.by_id.get(principal.org_id)
        return [own] if own else []

    async def create(self, principal: Principal, request: CreateOrganization) -> CreatedOrganization:
        """Raises `forbidden` for an admin of another organization than the first, and `organization_exists`."""
        if not self._leads(principal):
            raise refuse(Code.FORBIDDEN, "Only an admin of the service's first organization can make another one.")
        async with self._locks.hold("organizations"):
            if self.state.named(request.slug) is not None:
                raise refuse(
                    Code.ORGANIZATION_EXISTS,
                    f"There is an organization {request.slug!r} already; choose another slug.",
                    FieldError(place="slug", message="is taken"),
                )
            return await self._record(request, by=principal.key_id, secret=None)

    async def bootstrap(self, admin_secret: str | None) -> CreatedOrganization | None:
        """On an empty log, make the first organization; its admin key gets `admin_secret`, or a new secret.

        None when there are organizations already. The secret counts only on the first start: a later one that is no
        valid key changes nothing, and is warned about, since whoever could set it would be let in otherwise. Raises
        ValueError for a secret that no client could send.
        """
        async with self._locks.hold("organizations"):
            if self.state.first is None:
                if admin_secret is not None:
                    check_admin_secret(admin_secret)
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
        made = Organization(org_id=new_id("org_", now), name=request.name, slug=request.slug, created_at=moment(now))
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
        return CreatedOrganization(organization=made, key=created.key, api_key=created.api_key)

    def _leads(self, principal: Principal) -> bool:
        first = self.state.first
        return first is not None and first.org_id == principal.org_id
