"""What is known of one governed call while it is on its way. Pure: the governor asks, runs and reports."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Generic, TypeVar

from assent.client.actions import ActionFields
from assent.client.context import LONGEST_MESSAGE, ContextOperations
from assent.contract.actions import ActionStatus, CreatedAction
from assent.contract.guard import Decision, GuardResult
from assent.contract.problems import Code
from assent.errors import Conflict
from assent.governing.call import ToolCall
from assent.secrets import displayed

T = TypeVar("T")

RUNNING: ContextVar[str | None] = ContextVar("assent_running_action", default=None)
"""The action whose call is running here."""
GOES_AHEAD = (Decision.ALLOW, Decision.WARN)


class Ended(Exception):
    """Raised by a body that has a result and yet did not complete: frameworks make results of errors, and stop in the
    middle to go on later. `result` is what the call gives; `status` is what is reported (None: the action stays
    open), `why` goes with it."""

    def __init__(self, result: Any, status: ActionStatus | None, why: str | None = None) -> None:
        super().__init__(why or "")
        self.result, self.status = result, status
        self.why = None if why is None else displayed(why)[:LONGEST_MESSAGE]


class Attempt(Generic[T]):
    """`started` once the body was begun; `results` holds what it gave, once it did. `opens` is whether an action is
    made of it at all."""

    def __init__(self, call: ToolCall, fields: ActionFields) -> None:
        self._call = call
        self._goal = call.declared_goal
        said = call.fields()
        self._fields: ActionFields = {**said, **fields}
        self._fields["metadata"] = {**(said.get("metadata") or {}), **(fields.get("metadata") or {})}
        if self._fields.get("parameters") is not None and fields.get("parameters_digest") is None:
            del self._fields["parameters_digest"]  # the service makes its own
        parent = RUNNING.get()
        if parent is not None:
            self._fields.setdefault("parent_action_id", parent)
        self.opens = True
        self.started = False
        self.results: list[T] = []

    def creation(self) -> dict[str, Any]:
        """The arguments of `create_action`; also what guard is asked about, where no action is made yet."""
        return {"action_type": self._call.action_type, "declared_goal": self._goal, **self._fields}

    def judged(self, decision: GuardResult) -> None:
        """The action is made under this decision, unless it was one that would have stopped it."""
        self.opens = decision.decision in GOES_AHEAD
        self._fields["decision_id"] = decision.decision_id

    def claim(self, created: CreatedAction | None) -> dict[str, Any] | None:
        """The arguments of `claim_action`; None where nobody was asked to approve. The digest is that of the arguments
        as they are now."""
        if created is None or created.approval is None:
            return None
        digest = self._fields.get("parameters_digest")
        ours = digest is not None and digest == created.action.parameters_digest
        return {
            "action_id": created.action_id,
            "action_type": self._call.action_type,
            "declared_goal": self._goal,
            "systems_touched": self._fields.get("systems_touched"),
            "parameters": self._fields.get("parameters"),
            "parameters_digest": self._call.parameters_digest if ours else digest,
        }

    @contextmanager
    def claiming(self, action: ContextOperations) -> Generator[None]:
        """Around the claim. Each attempt claims for itself: whoever comes second, with the same key or without one,
        does not run, and leaves the action to who came first."""
        try:
            yield
        except Conflict as error:
            action.left = error.code == Code.RECEIPT_USED
            raise

    @contextmanager
    def running(self, action_id: str) -> Generator[None]:
        """Around the body, whose own calls have this action as their parent."""
        self.started = True
        outer = RUNNING.set(action_id)
        try:
            yield
        finally:
            RUNNING.reset(outer)
