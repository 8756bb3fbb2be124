"""One call of a tool, as governance sees it, from what it says to what became of it. Pure: the governor asks and runs.

The type of the action is the tool's name, the goal its name and arguments for people to read, and the digest of the
arguments is what an approval is bound to; the arguments themselves stay here. How risky a tool of one's own is, the
service rates by its type and goal, and its owner by risk templates; of a tool behind an MCP server only the name is
known, so there the hooks' table of names gives the estimate, as it does for coding assistants.

An attempt is what is known of a call while it is on its way; a refusal is what a model is told of one that did not run.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from assent.answers import RAISED
from assent.breaker import UNOBSERVED, missed_calls
from assent.client.actions import ActionFields
from assent.client.context import LONGEST_MESSAGE, ContextOperations
from assent.client.permission import check_claim
from assent.contract.control.actions import Action, ActionStatus, CreatedAction
from assent.contract.control.claims import ClaimedAction
from assent.contract.control.guard import Decision, GuardResult
from assent.contract.problems import Code
from assent.errors import (
    ApprovalDeniedError,
    ApprovalExpiredError,
    ApprovalTimeoutError,
    ApprovalWithdrawnError,
    ArgumentsChanged,
    AssentError,
    Conflict,
    GuardBlockedError,
)
from assent.governing.arguments import LONGEST_GOAL, cleaned, cut, digest, line, plain
from assent.governing.gaps import Sessions
from assent.governing.snapshot import snapshot
from assent.hooks.tools import meaning
from assent.secrets import displayed
from assent.tally import Times

LONGEST_TYPE, LONGEST_DESCRIPTION = 128, 300


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """`name` is the tool's, `arguments` are by name. `description` is what the tool says of itself, `server` the MCP
    server that it is called at, if any. `goal`, a text or what makes one of the arguments, replaces the one made of
    name and arguments. `key` tells this call from every other: the same key later finds the same action again (up to
    200 printable ASCII characters)."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    description: str | None = None
    server: str | None = None
    goal: str | Callable[[Mapping[str, Any]], str] | None = None
    key: str | None = None

    @property
    def action_type(self) -> str:
        return self.name[:LONGEST_TYPE] or "tool"

    @property
    def declared_goal(self) -> str:
        if self.goal is None:
            return line(self.name, self.arguments)
        said = self.goal if isinstance(self.goal, str) else self.goal(self.arguments)
        return cut(cleaned(said), LONGEST_GOAL)

    @property
    def parameters_digest(self) -> str:
        """Over the arguments as they are now."""
        return digest(self.arguments)

    def answer_of(self, result: Any) -> Any:
        """What its session is told of a result."""
        return result

    def fields(self) -> ActionFields:
        """Everything but type and goal."""
        metadata: dict[str, Any] = {"tool": self.name[:LONGEST_TYPE]}
        if self.description:
            metadata["tool_description"] = cut(cleaned(self.description), LONGEST_DESCRIPTION)
        fields: ActionFields = {"parameters_digest": self.parameters_digest, "metadata": metadata}
        if self.key is not None:
            fields["idempotency_key"] = self.key
        if self.server is not None:
            meant = meaning(f"mcp__{self.server}__{self.name}", self.arguments, "/", "")
            metadata.update(meant.metadata)
            fields["systems_touched"] = meant.systems
            fields["reversible"], fields["risk_score"] = meant.reversible, meant.risk
        return fields


T = TypeVar("T")

RUNNING: ContextVar[str | None] = ContextVar("assent_running_action", default=None)
"""The action whose call is running here."""
GOES_AHEAD = (Decision.ALLOW, Decision.WARN)
BODIES: set[str] = set()
"""The actions under which something governed runs now, in whatever context."""
SAME = object()


class Ended(Exception):
    """Raised by a body that has a result and yet did not complete: frameworks make results of errors, and stop in the
    middle to go on later. `result` is what the call gives; `status` is what is reported (None: the action stays
    open), `why` goes with it. `answer` is what its session is told, where that is not the result: as an error, where
    the status is that it failed."""

    def __init__(
        self,
        result: Any,
        status: ActionStatus | None,
        why: str | None = None,
        *,
        answer: Any = SAME,
    ) -> None:
        super().__init__(why or "")
        self.result, self.status = result, status
        self.failed = status is ActionStatus.FAILED
        self.answer = result if answer is SAME else answer
        self.why = None if why is None else displayed(why.encode("utf-8", "replace").decode())[:LONGEST_MESSAGE]


class Attempt(Generic[T]):
    """`started` once the body was begun; `results` holds what it gave, once it did, `failure` what it raised. `opens`
    is whether an action is made of it at all. With `tells` the arguments themselves are given, not their digest, unless
    its `sessions` have a gap."""

    def __init__(
        self, call: ToolCall, fields: ActionFields, sessions: Sessions | None = None, *, tells: bool = False
    ) -> None:
        self.sessions, self._own, self._tells = sessions or Sessions(), fields, tells
        self._shows = tells and not {"parameters", "parameters_digest"} & fields.keys() and not self.sessions.have_gap
        self._takes(call)
        self.opens = True
        self.started = False
        self.failure: BaseException | None = None
        self.results: list[T] = []

    def _takes(self, call: ToolCall) -> None:
        """The snapshot is the last that is made of the arguments before anybody is asked: a `repr` may fill caches."""
        self._call = call
        self._goal = call.declared_goal
        said, fields = call.fields(), self._own
        self._before = snapshot(call.arguments)
        self._fields: ActionFields = {**said, **fields}
        self._fields["metadata"] = {**(said.get("metadata") or {}), **(fields.get("metadata") or {})}
        if self._shows:
            self._fields["parameters"] = plain(call.arguments)
        if self._fields.get("parameters") is not None and fields.get("parameters_digest") is None:
            del self._fields["parameters_digest"]  # the service makes its own
        parent = RUNNING.get()
        if parent is not None:
            self._fields.setdefault("parent_action_id", parent)

    def instead(self, call: ToolCall) -> Attempt[T]:
        """An attempt of another call in the place of this one; a key tells only this one."""
        return Attempt(replace(call, key=None), self._own, self.sessions, tells=self._tells)

    def becomes(self, other: Attempt[T]) -> None:
        """It is the other one's call, as that was asked about, from here on."""
        self._call, self._goal, self._fields, self._before = other._call, other._goal, other._fields, other._before
        self._shows = other._shows

    @property
    def name(self) -> str:
        return self._call.name

    @property
    def is_told(self) -> bool:
        """Whether a session hears what the call gives."""
        return self._tells and bool(self.sessions)

    def answer(self, action: Action | None, given: Any, *, failed: bool = False) -> dict[str, Any]:
        """The arguments of `tool_answered`: what the call gave, or raised. Without an action, where none was made.
        `failed` says that what it gave stands for an error."""
        return {
            "tool": self._told_as(given, failed),
            "result": self._call.answer_of(given),
            "arguments": self._call.arguments,
            "action_id": None if action is None else action.action_id,
            **self._whose(action),
        }

    def answer_unsaid(self, action: Action | None, given: object, *, failed: bool = False) -> dict[str, Any]:
        """The arguments of `tell_flow`: that the call gave something, of which nothing is said."""
        return {"tool": self._told_as(given, failed), "cut": True, **self._whose(action)}

    def _told_as(self, given: object, failed: bool) -> str:
        """The tool that a session hears has answered. What a call raised, or gave as an error, is no answer of it: a
        rule that wants one before (`before`) does not take it for one, nor does what a house says of its answers
        hold."""
        return f"{RAISED if failed or isinstance(given, BaseException) else ''}{self._call.name}"[:LONGEST_TYPE]

    def _whose(self, action: Action | None) -> dict[str, Any]:
        """Which session is told, for which agent."""
        if action is None:
            return {"session_id": self._fields.get("session_id"), "agent_id": self._fields.get("agent_id")}
        return {"session_id": action.session_id, "agent_id": action.agent_id}

    def creation(self) -> dict[str, Any]:
        """The arguments of `create_action`; also what guard is asked about, where no action is made yet."""
        return {"action_type": self._call.action_type, "declared_goal": self._goal, **self._fields}

    def tells(self, missed: Times | None) -> None:
        """What is said of the action besides: the calls before it that were not observed."""
        if missed is not None:
            self._fields["metadata"] = {**(self._fields.get("metadata") or {}), UNOBSERVED: missed_calls(missed)}

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
            "parameters": plain(self._call.arguments) if self._shows else self._fields.get("parameters"),
            "parameters_digest": self._call.parameters_digest if ours else digest,
        }

    def runs(self, claimed: ClaimedAction | None, created: CreatedAction | None, action_id: str) -> None:
        """The body may be begun now. Raises UnboundAnswer for a claim of another action, and ArgumentsChanged where
        the arguments are not those any more that guard, or a person, was asked about."""
        if claimed is not None:
            check_claim(claimed, action_id, created)
        if not self._is_unchanged():
            raise ArgumentsChanged(action_id)

    def _is_unchanged(self) -> bool:
        if "parameters_digest" in self._own or "parameters" in self._own:
            return True  # they are the caller's words for it
        if self._before != snapshot(self._call.arguments):
            return False
        if self._shows:
            return self._fields.get("parameters") == plain(self._call.arguments)
        return self._fields.get("parameters_digest") == self._call.parameters_digest

    @contextmanager
    def claiming(self, action: ContextOperations) -> Generator[None]:
        """Around the claim. Each attempt claims for itself: whoever comes second, with the same key or without one,
        does not run, and leaves the action to who came first. Raises ArgumentsChanged where the claim is refused since
        the arguments were changed."""
        try:
            yield
        except Conflict as error:
            action.left = error.code == Code.RECEIPT_USED
            if error.code == Code.RECEIPT_MISMATCH and not self._is_unchanged():
                raise ArgumentsChanged(action.action_id) from error
            raise

    @contextmanager
    def running(self, action_id: str) -> Generator[None]:
        """Around the body, whose own calls have this action as their parent."""
        self.started = True
        outer = RUNNING.set(action_id)
        BODIES.add(action_id)
        try:
            yield
        except BaseException as error:
            self.failure = error
            raise
        finally:
            BODIES.discard(action_id)
            RUNNING.reset(outer)


def refusal(name: str, error: AssentError) -> str:
    """The result that a model gets from the tool `name` instead of the tool's own. What to do now is in the error's own
    words, where it is one of a decision."""
    then = ""
    match error:
        case GuardBlockedError():
            why = "it is not allowed"
        case ApprovalDeniedError():
            why = "a person denied it"
        case ApprovalTimeoutError():
            why = "nobody has approved it yet"
        case ApprovalExpiredError():
            why = "nobody approved it in time"
        case ApprovalWithdrawnError():
            why = "the request was withdrawn"
        case _:
            why, then = "Assent could not allow it", " Nothing was done. Tell the user; do not work around it."
    return f"{name} did not run: {why}. {error}{then}"
