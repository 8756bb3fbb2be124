"""A decision from the first press to the answer, wherever somebody decides: on a page, or at a terminal.

The first press opens it, the second sends it. It carries one idempotency key from beginning to end, so that a decision
whose answer was lost, or a button that was pressed twice, is one decision and gets the first answer again. Whoever
comes second is told who was first; then there is nothing left to send. Nothing here knows what shows it: texts that a
stranger may have written (`problem`, what is in `settled`) are as they came.

Between the two it may be held for some seconds, in which it can be taken back. Whoever holds decisions has the client,
the threads and the lock:

    holding = Holding(5.0)
    holding.take("k1", Deciding(item, Verdict.ALLOW), DecisionDetails(), left=3600.0)
    holding.take_back(held)                      # as long as it has not begun to leave
    held = holding.leaving()                     # the next one whose time has come; now it has begun
    held.deciding.send(client, held.details)
    holding.attempted(held)                      # over, or to be sent again in a moment
    holding.release()                            # whoever holds them ends in order: everything leaves now
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import msgspec

from assent.contract.control.approvals import Approval, ApprovalState, Verdict
from assent.contract.names import quoted_name
from assent.contract.prepared import prepared
from assent.contract.problems import Code
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
HIGH_RISK = 90.0
WORD = "allow"
"""What is typed to approve of a high risk without a reason."""
UNDO_SECONDS, LONGEST_UNDO_SECONDS = 5.0, 60.0
UNDO_VARIABLE = "ASSENT_UNDO_SECONDS"
EXPIRES_SOON_SECONDS = 15.0
"""What expires within so many seconds after the decision would leave is decided at once."""
AGAIN_SECONDS = 2.0
"""Between two attempts to send."""
MOST_ARGUMENTS, LONGEST_NAME, LONGEST_ARGUMENT, MOST_CHARACTERS = 200, 400, 4000, 20_000
"""So many arguments have to be seen before an approval, of so many characters each and in all."""
NOT_ALL = "Not all of its arguments had to be seen:"
NO_REASON = "Say why. The reason is recorded, and it is all that the agent is told."


class Asked(Protocol):
    """What is decided on: an action that waits, and its approval, which may not be known."""

    @property
    def action(self) -> Action: ...

    @property
    def approval(self) -> Approval | None: ...


W = TypeVar("W", bound=Asked)


def portions(arguments: Sequence[tuple[str, str]]) -> list[tuple[int, int]]:
    """How much of name and value of each argument, as they are shown, has to be seen before an approval: to its end, as
    long as they are not too many or too long. None of those at the end that have no part."""
    found, left = list[tuple[int, int]](), MOST_CHARACTERS
    for name, value in arguments[:MOST_ARGUMENTS]:
        if left <= 0:
            break
        part = min(len(name), LONGEST_NAME), min(len(value), LONGEST_ARGUMENT, left)
        left -= sum(part)
        found.append(part)
    return found


def unseen(arguments: Sequence[tuple[str, str]]) -> int:
    """How many arguments an approval goes by that need not be seen, or not to their end."""
    whole = [(len(name), len(value)) for name, value in arguments]
    parts = portions(arguments)
    return len(whole) - sum(part == size for part, size in zip(parts, whole, strict=False))


def word_for(risk: float, beyond: int) -> str | None:
    """Why the typed word is asked for before a request, or its like from now on, is allowed; None where it is not.
    `beyond` is how many of its arguments were not seen to their end."""
    if risk >= HIGH_RISK:
        return f"Its risk is {risk:g}:"
    return NOT_ALL if beyond else None


class Stage(Enum):
    OPEN = "open"
    SENT = "sent"
    OVER = "over"


@dataclass(frozen=True)
class DecisionDetails:
    """What the operator says beside the verdict. Blank conditions are left out; no `valid_minutes` is no limit. Both
    belong to an approval, and are left out of a denial. `typed` is the word that is asked for where the risk is high or
    not all was seen."""

    reasoning: str = ""
    conditions: Sequence[str] = ()
    valid_minutes: int | None = None
    typed: str = ""


@dataclass
class Deciding(Generic[W]):
    """`stage` is SENT when the decision counts, OVER when it came too late; `settled` is then what stands instead,
    if the service says so. `problem` says why an OPEN one could not be sent yet, and `passing` that the same words may
    be taken when they are sent again. `unseen` is how many of its arguments were not seen to their end."""

    item: W
    verdict: Verdict
    stage: Stage = Stage.OPEN
    settled: Approval | None = None
    problem: str | None = None
    idempotency_key: str = field(default_factory=lambda: f"decision-{uuid.uuid4().hex}")
    passing: bool = False
    unseen: int = 0

    def lacks(self, said: DecisionDetails) -> str | None:
        """What is missing before it can be sent. A denial has to say why: the agent is told nothing else. An approval
        of a high risk, or of what was not seen, takes the typed word, or a reason."""
        reasoning = said.reasoning.strip()
        if self.verdict is Verdict.DENY and not reasoning:
            return NO_REASON
        if len(reasoning) > LONGEST_REASONING:
            return f"The reason is too long: {len(reasoning)} characters, {LONGEST_REASONING} at most."
        if self.verdict is Verdict.DENY or reasoning or said.typed.strip().casefold() == WORD:
            return None
        cause = word_for(self.item.action.risk_score, self.unseen)
        return None if cause is None else f"{cause} type {WORD}, or say why."

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
            if error.code == Code.HALTED:  # nothing has decided on it: it waits on
                self.problem = error.detail
                return
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


@dataclass(eq=False)
class Held(Generic[W]):
    """A decision on its way, known by its `key`. `due` is when it leaves, by the clock of whoever holds it; `sending`
    says that it has begun to, `problem` why it is not there yet."""

    key: str
    deciding: Deciding[W]
    details: DecisionDetails
    due: float
    sending: bool = False
    problem: str | None = None

    @property
    def action_id(self) -> str:
        return self.deciding.item.action.action_id


class Holding(Generic[W]):
    """Decisions that can still be taken back, or are on their way; at most one for each action.

    1. A decision is held for `seconds`. It leaves at once where the request expires too soon for that.
    2. From the moment in which it leaves it cannot be taken back: the service may have recorded it, whatever becomes
       of the answer.
    3. Where the service does not answer it is sent again, under one idempotency key, until it counts, is too late, or
       is refused.
    4. A request that ends while a decision on it is held ends the decision. Of one that has begun to leave, its own
       answer says what became of it.

    `ticks` gives seconds that only grow.
    """

    def __init__(self, seconds: float = UNDO_SECONDS, ticks: Callable[[], float] = time.monotonic) -> None:
        self.seconds, self._ticks = seconds, ticks
        self._held: dict[str, Held[W]] = {}

    def __iter__(self) -> Iterator[Held[W]]:
        """In the order in which they were pressed."""
        return iter(list(self._held.values()))

    def __len__(self) -> int:
        return len(self._held)

    def of(self, action_id: str) -> Held[W] | None:
        """The decision on this action that is on its way."""
        return self._held.get(action_id)

    def take(self, key: str, deciding: Deciding[W], details: DecisionDetails, left: float | None) -> Held[W]:
        """Hold it. `left` is in how many seconds the request expires; None where nobody knows of an end."""
        soon = left is not None and left - self.seconds <= EXPIRES_SOON_SECONDS
        held = Held(key, deciding, details, self._ticks() + (0.0 if soon else self.seconds))
        self._held[held.action_id] = held
        return held

    def left(self, held: Held[W]) -> float:
        """In how many seconds it leaves."""
        return max(0.0, held.due - self._ticks())

    def take_back(self, held: Held[W]) -> bool:
        """Whether it was taken back; what has begun to leave is not."""
        if held.sending or self._held.get(held.action_id) is not held:
            return False
        del self._held[held.action_id]
        return True

    def wait(self) -> float | None:
        """In how many seconds the next one leaves, 0 or less for now; None where none is held."""
        return min((each.due for each in self._held.values()), default=self._ticks()) - self._ticks() if self else None

    def leaving(self) -> Held[W] | None:
        """The earliest one whose time has come, which has begun to leave with this."""
        now = self._ticks()
        ready = min((each for each in self._held.values() if each.due <= now), key=lambda each: each.due, default=None)
        if ready is not None:
            ready.sending = True
        return ready

    def attempted(self, held: Held[W], *, last: bool = False) -> bool:
        """An attempt to send it has ended: whether it is over. One that the service did not answer leaves again in a
        moment, unless this attempt was the last."""
        made = held.deciding
        if made.stage is Stage.OPEN and made.passing and not last:
            held.due, held.problem = self._ticks() + AGAIN_SECONDS, made.problem
            return False
        self._held.pop(held.action_id, None)
        return True

    def release(self) -> bool:
        """Everything leaves now. Whether there is anything."""
        for held in self._held.values():
            held.due = self._ticks()
        return bool(self._held)


def undo_seconds(environment: Mapping[str, str]) -> float:
    """For how long a decision can be taken back; 0 sends it at once. Raises ValueError naming what is allowed."""
    given = environment.get(UNDO_VARIABLE, "")
    try:
        seconds = float(given or UNDO_SECONDS)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= LONGEST_UNDO_SECONDS:
        raise ValueError(f"{UNDO_VARIABLE} is {given!r}; give seconds from 0 to {LONGEST_UNDO_SECONDS:g}.")
    return seconds


def approval_of(error: ApiError) -> Approval | None:
    """The approval that stands, as a refusal carries it; None when it carries none or one that cannot be read."""
    try:
        return msgspec.convert(error.problem.get("approval"), prepared(Approval))
    except msgspec.ValidationError:
        return None


def asked_by(action: Action) -> str | None:
    """Who asks, within a sentence: `Billing bot (billing)`, the name that the agent says and its id. None where nobody
    is named."""
    names = names_of(action)
    return f"{names[0]} ({names[1]})" if len(names) > 1 else next(iter(names), None)


def names_of(action: Action) -> list[str]:
    """The name that the agent says and its id, where both are there and differ; else the one or none."""
    return [quoted_name(each) for each in dict.fromkeys((action.agent_name, action.agent_id)) if each]


def decided_by(approval: Approval) -> str | None:
    """Who decided, or withdrew it: the operator by name, or `a standing grant of ana` where nobody was asked."""
    if approval.grant_id is not None and approval.decided_by:
        return f"a standing grant of {approval.decided_by}"
    return approval.decided_by


def expired(approval: Approval | None) -> bool:
    """Whether time, and nobody, decided; an overdue one counts before it is recorded as such."""
    return approval is not None and approval.state in (ApprovalState.EXPIRED, ApprovalState.AWAITING)


def withdrawn(approval: Approval | None) -> bool:
    """Whether the question was taken back before anybody decided."""
    return approval is not None and approval.state is ApprovalState.WITHDRAWN
