"""API keys. All but looking at the own one needs an admin's key."""

from __future__ import annotations

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.contract.keys import (
    CREATE_KEY,
    GET_KEYS,
    GET_OWN_KEY,
    REVOKE_KEY,
    CreatedKey,
    CreateKey,
    Key,
    Keys,
    RevokedKey,
)
from assent.contract.roles import Role


class KeyOperations(Caller):
    @operation
    def create_key(self, name: str, role: Role | str = Role.AGENT, agent_id: str | None = None) -> Flow[CreatedKey]:
        """Make a key. `api_key` in the answer is shown this once. A key with an `agent_id` speaks for that agent
        alone. Raises ValueError for an unknown role.
        """
        return (yield from send(CREATE_KEY, body=CreateKey(name=name, role=_role(role), agent_id=agent_id)))

    @operation
    def get_keys(self) -> Flow[Keys]:
        """The organization's keys without their secrets, revoked ones included."""
        return (yield from send(GET_KEYS))

    @operation
    def get_own_key(self) -> Flow[Key]:
        """The key that this client uses, without its secret: whose it is and what it may do."""
        return (yield from send(GET_OWN_KEY))

    @operation
    def revoke_key(self, key_id: str) -> Flow[RevokedKey]:
        """Revoke a key; the next request with it is refused. Raises Conflict for the last admin key."""
        return (yield from send(REVOKE_KEY, path={"key_id": key_id}))


def _role(role: str) -> Role:
    try:
        return Role(role)
    except ValueError:
        raise ValueError(f"role is {role!r}; give one of {', '.join(Role)}") from None
