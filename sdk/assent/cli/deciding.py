"""`assent approve` and `deny`: one decision, and what is said of it. Whoever comes second is told who was first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assent.cli.exits import Exit
from assent.cli.failures import Failure
from assent.cli.session import Session
from assent.cli.text import clean, moment
from assent.contract.approvals import Verdict

if TYPE_CHECKING:
    from assent.errors import ApiError


def decide(
    session: Session,
    action_id: str,
    verdict: Verdict,
    reasoning: str | None,
    *,
    conditions: Sequence[str] | None = None,
    valid_minutes: int | None = None,
) -> None:
    """Decide and say so. Raises Failure with the winner's name when somebody else was first."""
    from assent.contract.problems import Code
    from assent.errors import ApiError

    try:
        answer = session.client.approve_action(
            action_id, verdict.value, reasoning, conditions=conditions or None, valid_minutes=valid_minutes
        )
    except ApiError as error:
        if error.code != Code.ALREADY_DECIDED:
            raise
        raise Failure(_lost(error) or error.detail, Exit.REFUSED) from None
    approval = answer.approval
    session.output.lines(
        answer,
        f"{'Approved' if verdict is Verdict.ALLOW else 'Denied'}: {answer.action.action_id} "
        f"by {clean(approval.decided_by)} at {moment(approval.decided_at)}",
        *(f"On condition: {clean(each)}" for each in approval.conditions),
        *([f"To be claimed until {moment(approval.valid_until)}"] if approval.valid_until else []),
        f"Replay: {session.replay(answer.action.action_id)}",
    )


def _lost(error: ApiError) -> str | None:
    from assent.deciding import approval_of

    won = approval_of(error)
    if won is None:
        return None
    reason = f": {clean(won.reasoning)}" if won.reasoning else ""
    return f"{won.action_id} was {won.state} already, by {clean(won.decided_by)} at {moment(won.decided_at)}{reason}"
