"""Organizations over HTTP."""

from __future__ import annotations

from assent.contract.organizations import CREATE_ORGANIZATION, GET_ORGANIZATIONS
from assent.contract.organizations import Organizations as OrganizationList
from assent_service.core.call import Answer, Call
from assent_service.core.route import Route, route
from assent_service.organizations.organizations import Organizations


def routes(organizations: Organizations) -> tuple[Route, ...]:
    @route(CREATE_ORGANIZATION)
    async def create(call: Call) -> Answer:
        return Answer(await organizations.create(call.principal, call.body), 201)

    @route(GET_ORGANIZATIONS)
    async def list_organizations(call: Call) -> Answer:
        return Answer(OrganizationList(organizations=organizations.list(call.principal)))

    return create, list_organizations
