"""A decision from the first press to the answer, wherever somebody decides: on a page, or at a terminal.

The first press opens it, the second sends it. It carries one idempotency key from beginning to end, so that a decision
whose answer was lost, or a button that was pressed twice, is one decision and gets the first answer again. Whoever
comes second is told who was first; then there is nothing left to send. Nothing here knows what shows it: texts that a
stranger may have written (`problem`, what is in `settled`) are as they came.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import msgspec

from assent.contract.control.approvals import Approval, ApprovalState, Verdict
from assent.contract.prepared import prepared
from assent.errors import (
    ApiError,
    AssentError,
    Conflict,
    ConnectionFailed,
    Gone,
    NotFound,
    ServerError,
    TooManyRequests,
    Unavailable,
)

if TYPE_CHECKING:
    from assent.client.client import Client
    from assent.contract.control.actions import Action, ApprovedAction

LONGEST_REASONING = 4000
NO_REASON = "Say why. The reason is recorded, and it is all that the agent is told."


class Asked(Protocol):
    """What is decided on: an action that waits, and its approval, which may not be known."""

    @property
    def action(self) -> Action: ...

    @property
    def approval(self) -> Approval | None: ...


W = TypeVar("W", bound=Asked)


class Stage(Enum):
    OPEN = "open"
    SENT = "sent"
    OVER = "over"


@dataclass(frozen=True)
class DecisionDetails:
    """What the operator says beside the verdict. Blank conditions are left out; no `valid_minutes` is no limit. Both
    belong to an approval, and are left out of a denial."""

    reasoning: str = ""
    conditions: Sequence[str] = ()
    valid_minutes: int | None = None


@dataclass
class Deciding(Generic[W]):
    """`stage` is SENT when the decision counts, OVER when it came too late; `settled` is then what stands instead,
    if the service says so. `problem` says why an OPEN one could not be sent yet, and `passing` that the same words may
    be taken when they are sent again."""

    item: W
    verdict: Verdict
    stage: Stage = Stage.OPEN
    settled: Approval | None = None
    problem: str | None = None
    idempotency_key: str = field(default_factory=lambda: f"decision-{uuid.uuid4().hex}")
    passing: bool = False

    def lacks(self, said: DecisionDetails) -> str | None:
        """What is missing before it can be sent. A denial has to say why: the agent is told nothing else."""
        reasoning = said.reasoning.strip()
        if self.verdict is Verdict.DENY and not reasoning:
            return NO_REASON
        if len(reasoning) > LONGEST_REASONING:
            return f"The reason is too long: {len(reasoning)} characters, {LONGEST_REASONING} at most."
        return None

    def send(self, client: Client, said: DecisionDetails) -> None:
        """Send it, once it lacks nothing."""
        if self.stage is not Stage.OPEN:
            return
        self.problem, self.passing = self.lacks(said), False
        if self.problem is not None:
            return
        try:
            answer = self._ask(client, said)
        except (Conflict, Gone) as error:
            self.stage, self.settled, self.problem = Stage.OVER, approval_of(error), error.detail
        except NotFound as error:
            self.stage, self.problem = Stage.OVER, error.detail
        except ConnectionFailed as error:
            doubt = " It may have been recorded; sending it again is safe." if error.uncertain else ""
            self.problem = f"The service does not answer. Your words are kept: try again in a moment.{doubt}"
            self.passing = True
        except Unavailable as error:
            self.problem = f"Nothing was recorded. Your words are kept: try again in a moment. ({error.detail})"
            self.passing = True
        except ApiError as error:
            self.problem = f"The service refused: {error.detail}"
            self.passing = isinstance(error, ServerError | TooManyRequests)
        except AssentError as error:
            self.problem = str(error)
        except RuntimeError:  # the client was closed: somebody signed out in another tab
            self.problem = "Your session has ended. Sign in again; what was not recorded still waits."
        else:
            self.stage, self.settled = Stage.SENT, answer.approval

    def overtaken(self, approval: Approval) -> None:
        """Somebody else has decided while this one was open, or its time has run out."""
        if self.stage is Stage.OPEN:
            self.stage, self.settled, self.problem = Stage.OVER, approval, None

    def _ask(self, client: Client, said: DecisionDetails) -> ApprovedAction:
        allows = self.verdict is Verdict.ALLOW
        conditions = [each.strip() for each in said.conditions if each.strip()] if allows else []
        return client.approve_action(
            self.item.action.action_id,
            self.verdict,
            said.reasoning.strip() or None,
            conditions=conditions or None,
            valid_minutes=said.valid_minutes if allows else None,
            idempotency_key=self.idempotency_key,
        )


def approval_of(error: ApiError) -> Approval | None:
    """The approval that stands, as a refusal carries it; None when it carries none or one that cannot be read."""
    try:
        return msgspec.convert(error.problem.get("approval"), prepared(Approval))
    except msgspec.ValidationError:
        return None


def expired(approval: Approval | None) -> bool:
    """Whether time, and nobody, decided; an overdue one counts before it is recorded as such."""
    return approval is not None and approval.state in (ApprovalState.EXPIRED, ApprovalState.AWAITING)


def withdrawn(approval: Approval | None) -> bool:
    """Whether the question was taken back before anybody decided."""
    return approval is not None and approval.state is ApprovalState.WITHDRAWN
