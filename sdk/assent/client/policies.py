"""Policies: what guard decides by. Reading and trying needs an operator's or auditor's key, changing an admin's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assent.client.flow import Flow, send
from assent.client.method import Response, calls, sends
from assent.client.operation import Caller
from assent.contract.control.policies import (
    ACCEPT_ACTION_TYPE,
    CREATE_POLICY,
    DELETE_POLICY,
    GET_POLICIES,
    GET_POLICY,
    IMPORT_POLICIES,
    TEST_POLICIES,
    UPDATE_POLICY,
    ImportedPolicies,
    ImportPolicies,
    Mode,
    PolicyDraft,
)
from assent.contract.control.rules import AlwaysAsk, PolicyType


class PolicyOperations(Caller):
    @sends(GET_POLICIES)
    def get_policies(self) -> Response:
        """The organization's policies in the order of their creation; `version` counts their changes."""

    @sends(GET_POLICY)
    def get_policy(self, policy_id: str) -> Response:
        """One policy with its rules and version. Raises NotFound."""

    @sends(CREATE_POLICY)
    def create_policy(
        self,
        name: str,
        policy_type: PolicyType | str,
        rules: Mapping[str, Any] | str,
        *,
        active: bool = True,
        agent_ids: Sequence[str] | None = None,
        mode: Mode | str = Mode.ENFORCE,
        explore: float = 0.0,
        always_ask: AlwaysAsk | str = AlwaysAsk.NEVER,
    ) -> Response:
        """Add a policy; the next guard call follows it. `rules` is an object or its JSON text, with what the type
        asks for. In mode observe its verdicts are recorded and reported as `would_decide` only. With `explore` (to
        0.5) it does the other thing in that share of hours, where the organization lets policies explore.
        `always_ask` is never, destructive or always: whether one that asks for approval does so although a standing
        grant covers the request.

        Raises InvalidRequest that names the place in the rules, Conflict for a name that is taken.
        """

    @sends(UPDATE_POLICY, without=("id",))
    def update_policy(
        self,
        policy_id: str,
        *,
        name: str | None = None,
        policy_type: PolicyType | str | None = None,
        rules: Mapping[str, Any] | str | None = None,
        active: bool | None = None,
        agent_ids: Sequence[str] | None = None,
        mode: Mode | str | None = None,
        explore: float | None = None,
        always_ask: AlwaysAsk | str | None = None,
        if_version: int | None = None,
    ) -> Response:
        """Change members of a policy; the others stay. No `agent_ids` (an empty list) means every agent. `if_version`
        is the version that the change is made of: where somebody changed the policy since, nothing is changed. Raises
        NotFound, InvalidRequest, Conflict."""

    @sends(DELETE_POLICY, without=("id",))
    def delete_policy(self, policy_id: str, *, if_version: int | None = None) -> Response:
        """Remove a policy; the next guard call does without it. `if_version` as in `update_policy`.

        Raises NotFound, Conflict.
        """

    @calls(IMPORT_POLICIES)
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

    @sends(TEST_POLICIES)
    def test_policies(
        self,
        context: Mapping[str, Any] | None = None,
        policies: Sequence[PolicyDraft | Mapping[str, Any]] | None = None,
    ) -> Response:
        """What guard would answer to `context`, by the organization's policies or by `policies`; nothing is
        recorded. `result` is the verdict, None without a context; `results` says of each policy whether it can be
        read.
        """

    @sends(ACCEPT_ACTION_TYPE)
    def accept_action_type(self, action_type: str) -> Response:
        """Add an action type to the known ones of every active policy of kind known_types. Takes an operator's key.

        Raises NotFound where the organization has no such policy, InvalidRequest.
        """
