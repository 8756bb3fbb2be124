"""Organizations in memory, in the order in which they were made."""

from __future__ import annotations

from assent.contract.events import EventName
from assent.contract.organizations import Organization
from assent_service.core.payload import decode
from assent_service.core.rows import record, select
from assent_service.organizations.tables import ORGANIZATIONS
from assent_service.store.event import Event
from assent_service.store.ledger import Read


class OrganizationState:
    """Every organization by id. They have rising times of creation (`organizations`), the first one the lowest."""

    types = frozenset({EventName.ORGANIZATION_CREATED.value, EventName.ORGANIZATION_UPDATED.value})

    def __init__(self) -> None:
        self.by_id: dict[str, Organization] = {}
        self._slugs: dict[str, str] = {}

    def load(self, read: Read) -> None:
        for row in read(f"SELECT {select(ORGANIZATIONS)} FROM organizations ORDER BY created_at", []):
            self._keep(record(ORGANIZATIONS, row, Organization))

    def fold(self, event: Event) -> None:
        self._keep(decode(event, Organization))

    @property
    def first(self) -> Organization | None:
        """The organization that the service started with; its admins make the others."""
        return next(iter(self.by_id.values()), None)

    @property
    def newest(self) -> Organization | None:
        return next(reversed(self.by_id.values()), None)

    def named(self, slug: str) -> Organization | None:
        org_id = self._slugs.get(slug)
        return None if org_id is None else self.by_id[org_id]

    def _keep(self, organization: Organization) -> None:
        self.by_id[organization.org_id] = organization
        self._slugs[organization.slug] = organization.org_id
