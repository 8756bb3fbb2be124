"""Organizations: who shares a service without ever seeing each other."""

from __future__ import annotations

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.contract.keys import Keys
from assent.contract.organizations import (
    CREATE_ORGANIZATION,
    GET_ORGANIZATION,
    GET_ORGANIZATION_KEYS,
    GET_ORGANIZATIONS,
    UPDATE_ORGANIZATION,
    CreatedOrganization,
    CreateOrganization,
    OrganizationDetail,
    Organizations,
    UpdateOrganization,
)


class OrganizationOperations(Caller):
    @operation
    def create_org(self, name: str, slug: str) -> Flow[CreatedOrganization]:
        """Make an organization; the answer holds its first admin key, shown this once. `slug` is lower case, digits
        and hyphens, and unique. Needs an admin's key of the service's first organization.
        """
        return (yield from send(CREATE_ORGANIZATION, body=CreateOrganization(name=name, slug=slug)))

    @operation
    def get_org(self) -> Flow[Organizations]:
        """The caller's organization; for an admin of the first one, all of them."""
        return (yield from send(GET_ORGANIZATIONS))

    @operation
    def get_org_by_id(self, org_id: str) -> Flow[OrganizationDetail]:
        """One organization: the caller's own; for an admin of the first one any. Raises NotFound."""
        return (yield from send(GET_ORGANIZATION, path={"org_id": org_id}))

    @operation
    def update_org(self, org_id: str, *, name: str | None = None) -> Flow[OrganizationDetail]:
        """Rename the caller's organization. Raises NotFound for any other."""
        return (yield from send(UPDATE_ORGANIZATION, path={"org_id": org_id}, body=UpdateOrganization(name=name)))

    @operation
    def get_org_keys(self, org_id: str) -> Flow[Keys]:
        """The keys of the caller's organization, without their secrets. Raises NotFound for any other."""
        return (yield from send(GET_ORGANIZATION_KEYS, path={"org_id": org_id}))
