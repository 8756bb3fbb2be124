"""Organizations: who shares a service without ever seeing each other."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, ClassVar

from msgspec import Meta

from assent.contract.endpoint import Endpoint
from assent.contract.people.keys import Key, Keys
from assent.contract.problems import Code
from assent.contract.record import Example, OrganizationId, Record, RecordedAt, Request, meaning
from assent.contract.roles import ADMIN

HIGHEST_BOUND = 70
"""Of the risk below which policies may explore: what is riskier is never left to a draw."""


class CreateOrganization(Request, frozen=True, kw_only=True):
    """`slug` is the short name in lower case, unique within the service."""

    example: ClassVar[Example] = {"name": "Acme", "slug": "acme"}

    name: Annotated[str, Meta(min_length=1, max_length=256)]
    slug: Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9\-]{0,62}(?!\n)$")]


class Organization(Record, frozen=True, kw_only=True):
    org_id: OrganizationId
    name: Annotated[str, meaning("what people call it")]
    slug: Annotated[str, meaning("short name, unique within the service")]
    created_at: RecordedAt
    updated_at: Annotated[datetime | None, meaning("when it was last changed")] = None
    explore_below: Annotated[
        float, meaning("the risk below which its policies may explore; 0: none does", unit="0-70")
    ] = 0.0


class OrganizationRow(Organization, frozen=True, kw_only=True):
    """As it is recorded. Draws come from the `explore_seed`, which nobody is told who could ask in a good hour."""

    explore_seed: Annotated[str, meaning("what draws are made from")] = ""


class UpdateOrganization(Request, frozen=True, kw_only=True):
    """Members to change. A `slug` is taken for good and may only be repeated. `explore_below` is the risk below which
    policies with `explore` do the other thing now and then; 0, as it begins, is never."""

    example: ClassVar[Example] = {"name": "Acme Ltd"}

    name: Annotated[str, Meta(min_length=1, max_length=256)] | None = None
    slug: Annotated[str, Meta(max_length=64)] | None = None
    explore_below: Annotated[float, Meta(ge=0, le=HIGHEST_BOUND)] | None = None


class OrganizationDetail(Record, frozen=True, kw_only=True):
    organization: Organization


class CreatedOrganization(Record, frozen=True, kw_only=True):
    """The new organization with its first admin key, shown here and never again."""

    organization: Organization
    key: Key
    api_key: str


class Organizations(Record, frozen=True, kw_only=True):
    organizations: list[Organization]


CREATE_ORGANIZATION = Endpoint(
    operation="create_org",
    method="POST",
    path="/api/orgs",
    summary="Make an organization (an admin of the service's first organization only).",
    roles=ADMIN,
    request=CreateOrganization,
    response=CreatedOrganization,
    statuses=(201,),
    problems=(Code.ORGANIZATION_EXISTS,),
)
GET_ORGANIZATIONS = Endpoint(
    operation="get_org",
    method="GET",
    path="/api/orgs",
    summary="The caller's organization; for an admin of the first one, all of them.",
    roles=ADMIN,
    response=Organizations,
)
GET_ORGANIZATION = Endpoint(
    operation="get_org_by_id",
    method="GET",
    path="/api/orgs/{org_id}",
    summary="One organization: the caller's own, and for an admin of the first one any.",
    roles=ADMIN,
    response=OrganizationDetail,
    problems=(Code.ORGANIZATION_NOT_FOUND,),
)
UPDATE_ORGANIZATION = Endpoint(
    operation="update_org",
    method="PATCH",
    path="/api/orgs/{org_id}",
    summary="Rename the caller's organization, or say below which risk its policies may explore.",
    roles=ADMIN,
    request=UpdateOrganization,
    response=OrganizationDetail,
    problems=(Code.ORGANIZATION_NOT_FOUND,),
)
GET_ORGANIZATION_KEYS = Endpoint(
    operation="get_org_keys",
    method="GET",
    path="/api/orgs/{org_id}/keys",
    summary="The keys of the caller's organization, revoked ones included; never their secrets.",
    roles=ADMIN,
    response=Keys,
    problems=(Code.ORGANIZATION_NOT_FOUND,),
)
