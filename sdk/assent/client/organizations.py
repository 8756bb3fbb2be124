"""Organizations and their API keys. All but looking at what is one's own needs an admin's key."""

from __future__ import annotations

from assent.client.method import Response, sends
from assent.client.operation import Caller
from assent.contract.people.keys import (
    CREATE_KEY,
    GET_KEY,
    GET_KEYS,
    GET_OPERATORS,
    GET_OWN_KEY,
    REVOKE_KEY,
)
from assent.contract.people.organizations import (
    CREATE_ORGANIZATION,
    GET_ORGANIZATION,
    GET_ORGANIZATION_KEYS,
    GET_ORGANIZATIONS,
    UPDATE_ORGANIZATION,
)
from assent.contract.roles import Role


class OrganizationOperations(Caller):
    @sends(CREATE_ORGANIZATION)
    def create_org(self, name: str, slug: str) -> Response:
        """Make an organization; the answer holds its first admin key, shown this once. `slug` is lower case, digits
        and hyphens, and unique. Needs an admin's key of the service's first organization.
        """

    @sends(GET_ORGANIZATIONS)
    def get_org(self) -> Response:
        """The caller's organization; for an admin of the first one, all of them."""

    @sends(GET_ORGANIZATION)
    def get_org_by_id(self, org_id: str) -> Response:
        """One organization: the caller's own; for an admin of the first one any. Raises NotFound."""

    @sends(UPDATE_ORGANIZATION, without=("slug",))
    def update_org(self, org_id: str, *, name: str | None = None, explore_below: float | None = None) -> Response:
        """Rename the caller's organization, or say below which risk (to 70; 0: never) its policies may explore. Raises
        NotFound for any other."""

    @sends(GET_ORGANIZATION_KEYS)
    def get_org_keys(self, org_id: str) -> Response:
        """The keys of the caller's organization, without their secrets. Raises NotFound for any other."""

    @sends(CREATE_KEY, one_of={"role": Role}, unless_default=("role", "any_agent"))
    def create_key(
        self, name: str, role: Role | str = Role.AGENT, agent_id: str | None = None, *, any_agent: bool = False
    ) -> Response:
        """Make a key. `api_key` in the answer is shown this once. A key with an `agent_id` speaks for that agent
        alone; `any_agent` says that one of role agent is meant for many. Raises ValueError for an unknown role.
        """

    @sends(GET_KEYS)
    def get_keys(self) -> Response:
        """The organization's keys without their secrets, revoked ones included."""

    @sends(GET_KEY)
    def get_key(self, key_id: str) -> Response:
        """One key without its secret, revoked or not. Raises NotFound."""

    @sends(GET_OWN_KEY)
    def get_own_key(self) -> Response:
        """The key that this client uses, without its secret: whose it is and what it may do."""

    @sends(GET_OPERATORS)
    def get_operators(self) -> Response:
        """Who may decide: the valid keys of operators and admins, by name. Raises Forbidden for an agent's key."""

    @sends(REVOKE_KEY)
    def revoke_key(self, key_id: str) -> Response:
        """Revoke a key; the next request with it is refused. Raises Conflict for the last admin key."""
