"""Whether the service lives and can do its work, whether the workspace is ready, and a test from end to end."""

from __future__ import annotations

from assent.client.method import Response, sends
from assent.client.operation import Caller
from assent.contract.analysis.readiness import (
    GET_READINESS,
    TEST_CONNECTION,
    CheckConnection,
)
from assent.contract.health import HEALTH, READY

_DEFAULT = CheckConnection()


class ReadinessOperations(Caller):
    @sends(GET_READINESS)
    def get_readiness(self) -> Response:
        """The state of the workspace, with what it rests on and what to do next. Needs an operator's or auditor's
        key; `ready` says less, and needs none."""

    @sends(TEST_CONNECTION, unless_default=("action_type", "declared_goal"))
    def test_connection(
        self, action_type: str = _DEFAULT.action_type, declared_goal: str = _DEFAULT.declared_goal
    ) -> Response:
        """Create one action and follow it through guard, log, tables and stream to its outcome. Needs an operator's
        key. `passed` is false, with the step that says why, where a policy stops this type of action."""

    @sends(HEALTH)
    def health(self) -> Response:
        """The process answers."""

    @sends(READY)
    def ready(self) -> Response:
        """Each check with its finding. A service that is not ready is an answer too, with `ready` false."""
