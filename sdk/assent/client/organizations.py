"""Organizations: who shares a service without ever seeing each other."""

from __future__ import annotations

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.contract.organizations import (
    CREATE_ORGANIZATION,
    GET_ORGANIZATIONS,
    CreatedOrganization,
    CreateOrganization,
    Organizations,
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
