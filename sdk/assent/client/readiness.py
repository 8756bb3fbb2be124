"""Whether the workspace is ready, and a test of it from end to end."""

from __future__ import annotations

from assent.client.flow import Flow, send
from assent.client.operation import Caller, operation
from assent.contract.readiness import (
    GET_READINESS,
    TEST_CONNECTION,
    CheckConnection,
    ConnectionTest,
    WorkspaceReadiness,
)

_DEFAULT = CheckConnection()


class ReadinessOperations(Caller):
    @operation
    def get_readiness(self) -> Flow[WorkspaceReadiness]:
        """The state of the workspace, with what it rests on and what to do next. Needs an operator's or auditor's
        key; `ready` says less, and needs none."""
        return (yield from send(GET_READINESS))

    @operation
    def test_connection(
        self, action_type: str = _DEFAULT.action_type, declared_goal: str = _DEFAULT.declared_goal
    ) -> Flow[ConnectionTest]:
        """Create one action and follow it through guard, log, tables and stream to its outcome. Needs an operator's
        key. `passed` is false, with the step that says why, where a policy stops this type of action."""
        return (
            yield from send(TEST_CONNECTION, body=CheckConnection(action_type=action_type, declared_goal=declared_goal))
        )
