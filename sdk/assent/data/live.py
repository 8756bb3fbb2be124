"""A transcript acted out: its calls made again by a live agent, one after the other, waiting where it is told to wait.

Every replay is new actions. Per call: the creation, to which guard is applied; a blocked call ends there, and so does
one that an operator denies or that nobody decides on in time; otherwise the assumption and the outcome follow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from assent.contract.control.actions import ActionStatus, CreatedAction
from assent.contract.control.guard import Decision
from assent.data.calls import TranscriptCall
from assent.data.mapping import Mapping, meaning_of
from assent.data.records import Origin, describe_action, describe_assumption, describe_outcome
from assent.errors import ApprovalDeniedError, ApprovalError, GuardBlockedError

if TYPE_CHECKING:
    from assent import Client


class ReplayEnding(StrEnum):
    """How a replayed call ended. `unanswered`: it ran, and the transcript does not say what came of it."""

    COMPLETED = "completed"
    FAILED = "failed"
    UNANSWERED = "unanswered"
    BLOCKED = "blocked"
    DENIED = "denied"
    UNDECIDED = "undecided"


class LiveSummary(Struct, frozen=True, kw_only=True):
    """Counts of calls by guard's verdict and by ending; both add up to `calls`."""

    calls: int
    verdicts: dict[str, int]
    endings: dict[str, int]


def replay_live(
    client: Client,
    calls: Iterable[TranscriptCall],
    origin: Origin,
    mapping: Mapping,
    say: Callable[[str], None],
    timeout: float = 300.0,
) -> LiveSummary:
    """Replay `calls`; each approval is waited for at most `timeout` seconds."""
    verdicts: Counter[Decision] = Counter()
    endings: Counter[ReplayEnding] = Counter()
    for number, call in enumerate(calls, start=1):
        about = partial(_say_about, say, f"{number:>4}  {call.key}  {call.name}")
        decision, ending, note = _act(client, call, origin, mapping, about, timeout)
        verdicts[decision] += 1
        endings[ending] += 1
        about(f"{ending} ({note})" if note else ending)
    return LiveSummary(
        calls=endings.total(),
        verdicts={decision.value: verdicts[decision] for decision in Decision},
        endings={ending.value: endings[ending] for ending in ReplayEnding},
    )


def _say_about(say: Callable[[str], None], head: str, text: str) -> None:
    say(f"{head}: {text}")


def _act(
    client: Client, call: TranscriptCall, origin: Origin, mapping: Mapping, say: Callable[[str], None], timeout: float
) -> tuple[Decision, ReplayEnding, str]:
    try:
        created = client.create_action(**describe_action(call, origin, meaning_of(call.name, mapping)))
    except GuardBlockedError as error:
        return error.decision.decision, ReplayEnding.BLOCKED, "; ".join(error.reasons)
    decision = created.decision.decision
    if created.action.status is ActionStatus.PENDING_APPROVAL:
        refused = _wait(client, created, say, timeout)
        if refused is not None:
            return decision, *refused
    assumption, outcome = describe_assumption(call), describe_outcome(call)
    if assumption is not None:
        client.record_assumption(**assumption, action_id=created.action_id, agent_id=origin.agent_id)
    if outcome is None:
        return decision, ReplayEnding.UNANSWERED, ""
    client.update_outcome(created.action_id, **outcome)
    return decision, ReplayEnding.FAILED if call.failed else ReplayEnding.COMPLETED, ""


def _wait(
    client: Client, created: CreatedAction, say: Callable[[str], None], timeout: float
) -> tuple[ReplayEnding, str] | None:
    """None once an operator has approved; otherwise how the call ends, and why."""
    why = "; ".join(created.decision.reasons) or "guard asks for approval"
    say(f"waits for approval of {created.action_id}: {why}")
    try:
        client.wait_for_approval(created.action_id, timeout=timeout)
    except ApprovalDeniedError as error:
        return ReplayEnding.DENIED, error.reasoning or "no reason given"
    except ApprovalError as error:
        return ReplayEnding.UNDECIDED, str(error)
    return None
