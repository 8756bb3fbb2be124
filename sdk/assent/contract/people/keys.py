"""API keys: made once, shown once, kept as a hash, revoked at once."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, ClassVar

from msgspec import Meta

from assent.contract.endpoint import Endpoint
from assent.contract.problems import Code
from assent.contract.record import Example, OrganizationId, Record, RecordedAt, Request, ShortText, meaning
from assent.contract.roles import ADMIN, ANYONE, READING, Role


class CreateKey(Request, frozen=True, kw_only=True):
    """A key bound to an `agent_id` can only speak for that agent. `any_agent` says that a key of role agent is meant
    for many: without it one that is bound to none does not read what was sent to an agent with a key of its own, and
    readiness warns of it."""

    example: ClassVar[Example] = {"name": "robot"}

    name: Annotated[str, Meta(min_length=1, max_length=128)]
    role: Role = Role.AGENT
    agent_id: ShortText | None = None
    any_agent: bool = False


class Key(Record, frozen=True, kw_only=True):
    """A key without its secret; `hint` is its last four characters. `any_agent` was asked for when it was made."""

    org_id: OrganizationId
    key_id: Annotated[str, meaning("id of the key", frozen=True)]
    name: Annotated[str, meaning("what people call it")]
    role: Annotated[Role, meaning("agent, operator, auditor or admin")]
    agent_id: Annotated[str | None, meaning("the only agent it speaks for, if it is bound to one")]
    hint: Annotated[str, meaning("last four characters of the secret")]
    created_at: RecordedAt
    created_by: Annotated[str, meaning("id of the key that made it, or system")]
    revoked_at: Annotated[datetime | None, meaning("when it was revoked")]
    revoked_by: Annotated[str | None, meaning("id of the key that revoked it")]
    any_agent: Annotated[bool, meaning("whether it was made for any agent")] = False


class CreatedKey(Record, frozen=True, kw_only=True):
    """`api_key` is shown here and never again."""

    key: Key
    api_key: str


class KeyDetail(Record, frozen=True, kw_only=True):
    key: Key


class Keys(Record, frozen=True, kw_only=True):
    keys: list[Key]


class Operator(Record, frozen=True, kw_only=True):
    """A valid key that decides, by its name."""

    key_id: str
    name: str
    role: Role


class Operators(Record, frozen=True, kw_only=True):
    operators: list[Operator]


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
GET_KEY = Endpoint(
    operation="get_key",
    method="GET",
    path="/api/keys/{key_id}",
    summary="One key without its secret, revoked or not.",
    roles=ADMIN,
    response=KeyDetail,
    problems=(Code.KEY_NOT_FOUND,),
)
GET_OWN_KEY = Endpoint(
    operation="get_own_key",
    method="GET",
    path="/api/keys/own",
    summary="The key that asks: its name, its role, its agent.",
    roles=ANYONE,
    response=Key,
)
GET_OPERATORS = Endpoint(
    operation="get_operators",
    method="GET",
    path="/api/operators",
    summary="Who may decide: the valid keys of operators and admins, by name.",
    roles=READING,
    response=Operators,
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
