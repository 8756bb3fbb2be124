"""Policies: what guard decides by. Reading and trying needs an operator's or auditor's key, changing an admin's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.client.request import members
from assent.contract.policies import (
    CREATE_POLICY,
    DELETE_POLICY,
    GET_POLICIES,
    IMPORT_POLICIES,
    TEST_POLICIES,
    UPDATE_POLICY,
    DeletedPolicy,
    ImportedPolicies,
    ImportPolicies,
    Mode,
    Policies,
    PolicyChange,
    PolicyDetail,
    PolicyDraft,
    PolicyTest,
    TestPolicies,
)
from assent.contract.rules import PolicyType


class PolicyChanges(TypedDict, total=False):
    """Members to change; no `agent_ids` (an empty list) means every agent. `if_version` is the version that the change
    is made of: where somebody changed the policy since, nothing is changed."""

    name: str | None
    policy_type: PolicyType | str | None
    rules: Mapping[str, Any] | str | None
    active: bool | None
    agent_ids: Sequence[str] | None
    mode: Mode | str | None
    if_version: int | None


class PolicyOperations(Caller):
    @operation
    def get_policies(self) -> Flow[Policies]:
        """The organization's policies in the order of their creation; `version` counts their changes."""
        return (yield from send(GET_POLICIES))

    @operation
    def create_policy(
        self,
        name: str,
        policy_type: PolicyType | str,
        rules: Mapping[str, Any] | str,
        *,
        active: bool = True,
        agent_ids: Sequence[str] | None = None,
        mode: Mode | str = Mode.ENFORCE,
    ) -> Flow[PolicyDetail]:
        """Add a policy; the next guard call follows it. `rules` is an object or its JSON text, with what the type
        asks for. In mode observe its verdicts are recorded and reported as `would_decide` only.

        Raises InvalidRequest that names the place in the rules, Conflict for a name that is taken.
        """
        given = {"name": name, "policy_type": policy_type, "rules": rules, "active": active}
        more = {"agent_ids": agent_ids, "mode": mode}
        return (yield from send(CREATE_POLICY, body=members(PolicyDraft, {**given, **more}, "create_policy")))

    @operation
    def update_policy(self, policy_id: str, **changes: Unpack[PolicyChanges]) -> Flow[PolicyDetail]:
        """Change members of a policy; the others stay. Raises NotFound, InvalidRequest, Conflict."""
        body = members(PolicyChange, changes, "update_policy")
        return (yield from send(UPDATE_POLICY, path={"policy_id": policy_id}, body=body))

    @operation
    def delete_policy(self, policy_id: str, *, if_version: int | None = None) -> Flow[DeletedPolicy]:
        """Remove a policy; the next guard call does without it. `if_version` as in `update_policy`.

        Raises NotFound, Conflict.
        """
        query = None if if_version is None else {"if_version": if_version}
        return (yield from send(DELETE_POLICY, path={"policy_id": policy_id}, query=query))

    @operation
    def import_policies(
        self, yaml: str | None = None, *, pack: str | None = None, replace: bool = False
    ) -> Flow[ImportedPolicies]:
        """Add or change the policies of a pack, all or none: `yaml` is its text, or `pack` names one that comes with
        the service (`default`). With `replace`, policies that the pack does not name are deleted.

        Raises ValueError unless exactly one of the two is given, InvalidRequest that names the place in the pack.
        """
        if (yaml is None) is (pack is None):
            raise ValueError("give either yaml, the text of a pack, or pack, the name of one such as 'default'")
        return (yield from send(IMPORT_POLICIES, body=ImportPolicies(yaml=yaml, pack=pack, replace=replace)))

    @operation
    def test_policies(
        self,
        context: Mapping[str, Any] | None = None,
        policies: Sequence[PolicyDraft | Mapping[str, Any]] | None = None,
    ) -> Flow[PolicyTest]:
        """What guard would answer to `context`, by the organization's policies or by `policies`; nothing is
        recorded. `result` is the verdict, None without a context; `results` says of each policy whether it can be
        read.
        """
        given = {"context": context, "policies": policies}
        return (yield from send(TEST_POLICIES, body=members(TestPolicies, given, "test_policies")))
