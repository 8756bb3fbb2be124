"""What a desk is told by its page and tells it: presses and how they stand, the list, and every change of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

import msgspec

from assent import Verdict
from assent.contract.control.approvals import Conditions, ValidMinutes
from assent.contract.people.rota import Duty
from assent.errors import NotFound
from assent_dashboard.inbox.rows import Ending, Row, milliseconds
from assent_dashboard.inbox.talk import Word
from assent_dashboard.views import words

T = TypeVar("T")


class Press(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A decision as somebody pressed it. `typed` is the word that a high risk asks for."""

    key: str
    id: str
    verdict: Verdict
    reason: str = ""
    conditions: Conditions = []
    valid_minutes: ValidMinutes | None = None
    typed: str = ""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """How a decision stands. `state` is `held`, `sending`, `waiting` (it was taken back), `refused`, or how the request
    ended; `by` and `at` say by whom and when, `why` is for the person. `left` is how many milliseconds it is still
    held."""

    id: str
    ok: bool
    state: str | None
    by: str | None = None
    at: int | None = None
    why: str | None = None
    left: int | None = None


class Otherwise(msgspec.Struct, frozen=True, kw_only=True):
    """A decision of which came something else than was pressed, or nothing: `answer` says what. `row` is the request as
    it was when it was pressed, None where it was not in the list."""

    key: str
    row: Row | None
    answer: Answer


class HeldRow(msgspec.Struct, frozen=True, kw_only=True):
    """A decision on its way; `problem` says why it is not there yet. Decisions that were pressed together have the same
    `batch`: the key of the first."""

    id: str
    key: str
    batch: str
    verdict: Verdict
    left: int
    sending: bool
    problem: str | None = None


class Back(msgspec.Struct, frozen=True, kw_only=True):
    """A request that waits again: its decision was taken back, or refused for the reason `why`."""

    id: str
    key: str
    why: str | None = None


class Later(msgspec.Struct, frozen=True, kw_only=True):
    """A request that this operator has put off, and when it is back, in milliseconds; None where it is back."""

    id: str
    until: int | None


class PutOff(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a request was put off or brought back; `why` not, for the person. `until` is when the service says that
    it is back, in milliseconds, which may be sooner than was asked for; None where it is back."""

    ok: bool
    why: str | None = None
    until: int | None = None


class Assigned(msgspec.Struct, frozen=True, kw_only=True):
    """Who takes care of a request, by name; None is nobody in particular. `own` where it is this session's key, `given`
    where another key gave it to that; `by` and `at` say who said so, and when."""

    id: str
    to: str | None
    own: bool
    given: bool
    by: str
    at: int


class Escalated(msgspec.Struct, frozen=True, kw_only=True):
    """A request that was escalated to a group; `own` where this session's key is one of the group's, `on_shift` where
    the group was on shift."""

    id: str
    to: str
    own: bool
    on_shift: bool
    after: int
    at: int


class OnShift(msgspec.Struct, frozen=True, kw_only=True):
    """A group that is on shift, until when, in milliseconds, and whose keys are its members'."""

    group: str
    operators: list[str]
    until: int | None


class Shifts(msgspec.Struct, frozen=True, kw_only=True):
    """Who is on shift. Nobody is in a gap, which ends at `next`, in milliseconds; `known` where there is a rota."""

    known: bool
    groups: list[OnShift]
    next: int | None


class Settled(msgspec.Struct, frozen=True, kw_only=True):
    """That a request of this agent and type was decided or ended, whether it stood in the list or not."""

    agent_id: str | None
    type: str


class Change(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`v` is its number, with the name of this desk before it. `dismissed` are keys of decisions."""

    v: str
    add: list[Row] = []
    gone: list[Ending] = []
    settled: list[Settled] = []
    held: list[HeldRow] = []
    back: list[Back] = []
    later: list[Later] = []
    assigned: list[Assigned] = []
    escalated: list[Escalated] = []
    talk: list[Word] = []
    dismissed: list[str] = []
    shifts: Shifts | None = None
    problem: str | None = None
    live: bool | None = None

    @property
    def number(self) -> int:
        """Counted from the start of the desk."""
        return int(self.v.partition("-")[2])


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """`now` is the service's time in milliseconds, `hold` for how long decisions are held. `otherwise` is what came
    otherwise and nobody has dismissed, the latest last. `key_id` and `name` are of the session's key."""

    v: str
    items: list[Row]
    held: list[HeldRow]
    otherwise: list[Otherwise]
    total: int
    now: int
    hold: int
    name: str
    key_id: str
    live: bool
    problem: str | None
    later: list[Later]
    assigned: list[Assigned]
    escalated: list[Escalated]
    shifts: Shifts


NO_ROTA = Shifts(known=False, groups=[], next=None)


def shifts_of(duty: Duty) -> Shifts:
    """For the page. A group without a valid key covers nothing."""
    on = [each for each in duty.groups if each.on_shift and each.operators]
    return Shifts(
        known=duty.rota is not None,
        groups=[
            OnShift(
                group=words.clean(each.name),
                operators=[words.clean(operator.name) for operator in each.operators],
                until=None if each.until is None else milliseconds(each.until),
            )
            for each in on
        ],
        next=None if duty.next_at is None else milliseconds(duty.next_at),
    )


def changes_at(duty: Duty) -> datetime | None:
    """When a group comes on shift or goes off it next."""
    ends = [end for each in duty.groups for end in (each.until, each.next_at) if end is not None]
    return min(ends, default=None)


def all_pages(read: Callable[[str | None], tuple[list[T], str | None]], most: int) -> list[T]:
    """Every page, until there are `most` rows; `read` gives the page at a cursor, and the next cursor. A service that
    does not know of it has none. Raises what the client raises."""
    found: list[T] = []
    cursor: str | None = None
    while len(found) < most:
        try:
            rows, cursor = read(cursor)
        except NotFound:
            return []
        found += rows
        if cursor is None:
            break
    return found
