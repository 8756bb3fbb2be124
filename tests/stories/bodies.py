"""Right bodies for everything that takes one, and what is wrong for each of their members.

The members and their kinds are read from the contract, so that a new member is tested as soon as it is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from msgspec import inspect

from assent.contract.operations import ENDPOINTS
from tests.stories.tenant import Tenant

RULES = {"action_types": ["never"]}
POLICY = {"name": "p", "policy_type": "block_action_type", "rules": RULES}
RIGHT: dict[str, dict[str, Any]] = {
    "guard": {"action_type": "look"},
    "create_action": {"action_type": "look"},
    "update_outcome": {"output_summary": "seen"},
    "record_assumption": {"action_id": "ACTION", "assumption": "it is so"},
    "validate_assumption": {"validated": True},
    "approve_action": {"decision": "allow"},
    "withdraw_action": {"reason": "nobody waits"},
    "create_policy": POLICY,
    "update_policy": {"active": False},
    "import_policies": {"pack": "default"},
    "accept_action_type": {"action_type": "look"},
    "test_policies": {"context": {"action_type": "look"}},
    "halt": {"reason": "a drill"},
    "send_message": {"from_agent_id": "bot", "body": "hello"},
    "mark_messages": {"message_ids": ["msg_nobody"], "action": "read", "agent_id": "bot"},
    "create_message_thread": {"name": "a thread"},
    "create_key": {"name": "one more"},
    "create_org": {"name": "new", "slug": "new"},
    "scan_prompt_injection": {"text": "hello"},
    "allow_text": {"text": "hello", "reason": "ours"},
}
ENDPOINT = {endpoint.operation: endpoint for endpoint in ENDPOINTS}

# By the kind of a member: values that it is not.
WRONG: dict[type[inspect.Type], tuple[Any, ...]] = {
    inspect.StrType: (7, True, ["x"], {"x": 1}),
    inspect.IntType: ("7", 1.5, True, [1], {}),
    inspect.FloatType: ("7", True, [1], {}),
    inspect.BoolType: ("true", 1, 0, [True]),
    inspect.DateTimeType: ("yesterday", 1700000000, "2026-01-01", "2026-01-01T00:00:00", "2026-13-01T00:00:00Z", {}),
    inspect.EnumType: ("nope", 1, "", ["allow"]),
    inspect.ListType: ("x", 1, {"0": "x"}, [1], [None]),
    inspect.VarTupleType: ("x", 1, {"0": "x"}, [1], [None]),
    inspect.DictType: ("x", 1, [["a", 1]], True),
}


@dataclass(frozen=True)
class Member:
    """One member of one body; `kind` is what it holds when it is not null."""

    operation: str
    name: str
    required: bool
    kind: inspect.Type

    def __str__(self) -> str:
        return f"{self.operation}.{self.name}"


def members() -> Iterator[Member]:
    for operation in RIGHT:
        request = ENDPOINT[operation].request
        assert request is not None
        described = inspect.type_info(request)
        assert isinstance(described, inspect.StructType)
        for field in described.fields:
            yield Member(operation, field.encode_name, field.required, _kind(field.type))


def _kind(described: inspect.Type) -> inspect.Type:
    if isinstance(described, inspect.UnionType):
        (described,) = (each for each in described.types if not isinstance(each, inspect.NoneType))
    return described.type if isinstance(described, inspect.Metadata) else described


class Target:
    """Where a body of each operation goes in one organization."""

    def __init__(self, tenant: Tenant) -> None:
        self.tenant = tenant
        tenant.governed()
        self.action_id = tenant.create()
        pending = tenant.create("pay")
        assumption = {"action_id": self.action_id, "assumption": "so"}
        self._ids = {
            "approve_action": ("{action_id}", pending),
            "withdraw_action": ("{action_id}", tenant.create("pay")),
            "update_outcome": ("{action_id}", self.action_id),
            "validate_assumption": (
                "{assumption_id}",
                str(tenant.call("POST", "/api/assumptions", assumption)["assumption_id"]),
            ),
            "update_policy": ("{policy_id}", tenant.policy("mine", "block_action_type", RULES)),
        }

    def path(self, operation: str) -> str:
        name, value = self._ids.get(operation, ("", ""))
        return ENDPOINT[operation].path.replace(name, value) if name else ENDPOINT[operation].path

    def key(self, operation: str) -> str:
        """Of everybody who may, so that only the body is wrong; organizations are made by the first one's admin."""
        return self.tenant.service.admin_key if operation == "create_org" else "admin"

    def right(self, operation: str) -> dict[str, Any]:
        body = dict(RIGHT[operation])
        return body | ({"action_id": self.action_id} if body.get("action_id") == "ACTION" else {})
