"""Organizations over HTTP."""

from __future__ import annotations

from assent.contract.keys import Keys as KeyList
from assent.contract.organizations import (
    CREATE_ORGANIZATION,
    GET_ORGANIZATION,
    GET_ORGANIZATION_KEYS,
    GET_ORGANIZATIONS,
    UPDATE_ORGANIZATION,
    OrganizationDetail,
)
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

    @route(GET_ORGANIZATION)
    async def one(call: Call) -> Answer:
        return Answer(OrganizationDetail(organization=organizations.visible(call.principal, call.path["org_id"])))

    @route(UPDATE_ORGANIZATION)
    async def update(call: Call) -> Answer:
        changed = await organizations.update(call.principal, call.path["org_id"], call.body)
        return Answer(OrganizationDetail(organization=changed))

    @route(GET_ORGANIZATION_KEYS)
    async def keys(call: Call) -> Answer:
        return Answer(KeyList(keys=list(organizations.keys_of(call.principal, call.path["org_id"]))))

    return create, list_organizations, one, update, keys
