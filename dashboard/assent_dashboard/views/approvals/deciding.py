"""A decision from the first press to the answer. Knows nothing of Streamlit.

The first press opens it, the second sends it. It carries one idempotency key from beginning to end, so that a decision
whose answer was lost, or a button that was pressed twice, is one decision and gets the first answer again. Whoever
comes second is told who was first; then there is nothing left to send.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

import msgspec

from assent import Action, Approval, ApprovalState, ApprovedAction, Client, Verdict
from assent.errors import ApiError, AssentError, Conflict, ConnectionFailed, Gone, NotFound, Unavailable


class Stage(Enum):
    OPEN = "open"
    SENT = "sent"
    OVER = "over"


@dataclass
class Deciding:
    """`stage` is SENT when the decision counts, OVER when it came too late; `settled` is then what stands instead,
    if the service says so. `problem` says why an OPEN one could not be sent yet."""

    action: Action
    approval: Approval | None
    verdict: Verdict
    stage: Stage = Stage.OPEN
    settled: Approval | None = None
    problem: str | None = None
    idempotency_key: str = field(default_factory=lambda: f"dashboard-{uuid.uuid4().hex}")

    def send(self, client: Client, reasoning: str, conditions: Sequence[str] = ()) -> None:
        """Send the decision. A denial without a reason is not sent: the agent is told nothing but the reason. Blank
        `conditions` are left out."""
        said = reasoning.strip()
        self.problem = None
        if self.stage is not Stage.OPEN:
            return
        if self.verdict is Verdict.DENY and not said:
            self.problem = "Say why. The reason is recorded, and it is all that the agent is told."
            return
        try:
            answer = self._ask(client, said or None, [each.strip() for each in conditions if each.strip()])
        except (Conflict, Gone) as error:
            self.stage, self.settled, self.problem = Stage.OVER, approval_of(error), error.detail
        except NotFound as error:
            self.stage, self.problem = Stage.OVER, error.detail
        except ConnectionFailed as error:
            doubt = " It may have been recorded; sending it again is safe." if error.uncertain else ""
            self.problem = f"The service does not answer. Your words are kept: try again in a moment.{doubt}"
        except Unavailable as error:
            self.problem = f"Nothing was recorded. Your words are kept: try again in a moment. ({error.detail})"
        except ApiError as error:
            self.problem = f"The service refused: {error.detail}"
        except AssentError as error:
            self.problem = str(error)
        except RuntimeError:  # the client was closed: somebody signed out in another tab
            self.problem = "Your session has ended. Sign in again; what was not recorded still waits."
        else:
            self.stage, self.settled = Stage.SENT, answer.approval

    def _ask(self, client: Client, reasoning: str | None, conditions: list[str]) -> ApprovedAction:
        return client.approve_action(
            self.action.action_id,
            self.verdict,
            reasoning,
            conditions=conditions or None,
            idempotency_key=self.idempotency_key,
        )


def approval_of(error: ApiError) -> Approval | None:
    """The approval that stands, as the refusal carries it; None when it carries none or one that cannot be read."""
    try:
        return msgspec.convert(error.problem.get("approval"), Approval)
    except msgspec.ValidationError:
        return None


def expired(approval: Approval | None) -> bool:
    """Whether time, and nobody, decided; an overdue one counts before it is recorded as such."""
    return approval is not None and approval.state in (ApprovalState.EXPIRED, ApprovalState.AWAITING)
