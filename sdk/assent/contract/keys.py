"""API keys: made once, shown once, kept as a hash, revoked at once."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Meta

from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Record, Request, ShortText
from assent.contract.roles import ADMIN, ANYONE, Role


class CreateKey(Request, frozen=True, kw_only=True):
    """A key bound to an `agent_id` can only speak for that agent."""

    name: Annotated[str, Meta(min_length=1, max_length=128)]
    role: Role = Role.AGENT
    agent_id: ShortText | None = None


class Key(Record, frozen=True, kw_only=True):
    """A key without its secret; `hint` is its last four characters."""

    org_id: str
    key_id: str
    name: str
    role: Role
    agent_id: str | None
    hint: str
    created_at: datetime
    created_by: str
    revoked_at: datetime | None
    revoked_by: str | None


class CreatedKey(Record, frozen=True, kw_only=True):
    """`api_key` is shown here and never again."""

    key: Key
    api_key: str


class Keys(Record, frozen=True, kw_only=True):
    keys: list[Key]


class RevokedKey(Record, frozen=True, kw_only=True):
    key: Key
    revoked: bool


CREATE_KEY = Endpoint(
    operation="create_key",
    method="POST",
    path="/api/keys",
    summary="Make a key; its secret is in this answer and nowhere else.",
    roles=ADMIN,
    request=CreateKey,
    response=CreatedKey,
    statuses=(201,),
)
GET_KEYS = Endpoint(
    operation="get_keys",
    method="GET",
    path="/api/keys",
    summary="The organization's keys, revoked ones included.",
    roles=ADMIN,
    response=Keys,
)
GET_OWN_KEY = Endpoint(
    operation="get_own_key",
    method="GET",
    path="/api/keys/own",
    summary="The key that asks: its name, its role, its agent.",
    roles=ANYONE,
    response=Key,
)
REVOKE_KEY = Endpoint(
    operation="revoke_key",
    method="DELETE",
    path="/api/keys/{key_id}",
    summary="Revoke a key; the next request with it is refused.",
    roles=ADMIN,
    response=RevokedKey,
    problems=(Code.KEY_NOT_FOUND, Code.LAST_ADMIN_KEY),
)
