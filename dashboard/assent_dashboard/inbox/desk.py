"""What waits for one signed-in operator, as it changes, and the decisions that are held before they are sent.

    desk.snapshot()                      # everything that waits, and the version of it
    desk.watch(told, after)              # every change since, as it happens
    desk.decide([Press(key=..., id=..., verdict=Verdict.DENY, reason="Not on a Friday")])
    desk.undo([key])

It knows nothing of browsers and of HTTP. One lock guards the state; nobody holds it while the service is asked.

What waits:

1. The whole list is read once, when somebody first asks for it. From then on the session's feed says what happened: a
   request that ended is taken out with what its event tells, of a new one the newest page is asked.
2. While the feed is down the whole list is read every few seconds, and once more when it is back.
3. Every change has the next number. Whoever comes back with the number of what they saw last gets the changes since,
   or is told to begin anew when these are no longer kept.

A decision is held and sent as `assent.deciding.Holding` says. Here it is, besides:

1. It is named by a key of whoever pressed. The same key with the same words is the same decision, however often it
   comes, and is answered with how that decision stands now; with other words it is refused.
2. It is held by this process: a browser that goes away changes nothing of it.
3. An approval of a high risk needs a word that is typed, or a reason; a denial needs a reason.
4. A request that ends while a decision on it is held: whoever was faster counts, and is told. What came otherwise
   than was pressed stays to be told to any page of the session, until it is dismissed.
5. When the session ends or the process is stopped in order, what is held is sent at once: it was pressed. A process
   that is killed sends nothing; the request then waits on.

What this operator has put off is the service's (`snooze_action`): it is read with the whole list, and followed. It
stays in the list, with the time at which it is back; whoever shows the list leaves it out until then. Who takes care of
a request (`assign_action`), and what was escalated to which group, is read and followed likewise; who is on shift is
asked again when that changes. What is said about a request is told as it happens, and read with what stands behind it.
"""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import partial
from threading import Event as Signal
from threading import Lock, RLock, Thread
from typing import Any, TypeVar
from uuid import uuid4

import msgspec

from assent import ApprovalState, Client, Event, EventName, Key
from assent.contract.control.approvals import Approval
from assent.contract.control.assignments import Assignment
from assent.contract.control.escalations import Escalation
from assent.contract.control.snoozes import Snooze
from assent.contract.prepared import prepared
from assent.deciding import AGAIN_SECONDS, UNDO_SECONDS, Deciding, DecisionDetails, Held, Holding, Stage
from assent.errors import AssentError, NotFound
from assent_dashboard.feed import APPROVALS, Feed
from assent_dashboard.inbox.changes import (
    NO_ROTA,
    Answer,
    Assigned,
    Back,
    Change,
    Escalated,
    HeldRow,
    Later,
    Press,
    PutOff,
    Settled,
    Snapshot,
    all_pages,
    changes_at,
    shifts_of,
)
from assent_dashboard.inbox.presses import AnsweredPress, AnsweredPresses
from assent_dashboard.inbox.rows import Ending, Item, Row, ending_of, milliseconds, row_of
from assent_dashboard.inbox.talk import TALK, Acceptance, word_of
from assent_dashboard.views import words
from assent_dashboard.views.press import attempt

FALLBACK_SECONDS = 4.0
PAGE, MOST = 200, 5000
"""How many requests a page of the service has, and how many are kept here at most."""
SNOOZES = frozenset({EventName.SNOOZE_CREATED, EventName.SNOOZE_UPDATED})
ESCALATED = frozenset({EventName.APPROVAL_ESCALATED})
ROTA = frozenset({EventName.ROTA_CREATED, EventName.ROTA_UPDATED})
ASSIGNMENTS = frozenset({EventName.ASSIGNMENT_CREATED, EventName.ASSIGNMENT_UPDATED})
CHANGES, ENDINGS, LOOKED_UP = 1000, 10_000, 20
"""How many changes and ended requests are remembered; of how many that vanished it is asked why."""


T = TypeVar("T")
Told = Callable[[Change | None], object]
"""Hears every change, and None at the end."""


class Desk:
    """`client` carries the operator's own key, `hold` is for how many seconds a decision can be taken back. `ticks`
    gives seconds that only grow."""

    def __init__(
        self,
        client: Client,
        feed: Feed,
        key: Key,
        *,
        hold: float = UNDO_SECONDS,
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client, self._feed, self._key, self._ticks = client, feed, key, ticks
        self._name = uuid4().hex[:8]
        self._lock, self._reading = RLock(), Lock()
        self._items: dict[str, Item] = {}
        self._rows: dict[str, Row] = {}
        self._ended: OrderedDict[str, Ending] = OrderedDict()
        self._holding: Holding[Item] = Holding(hold, ticks)
        self._later: dict[str, int] = {}
        self._put_at: dict[str, datetime] = {}
        """When each request was last put off or brought back: an answer may come before the event of an earlier one."""
        self._put_meanwhile: set[str] = set()
        """What was put off or brought back since the list began to be read: what is read may be older."""
        self._assigned: dict[str, Assigned] = {}
        self._assigned_at: dict[str, datetime] = {}
        """When each request was last assigned, as with `_put_at`."""
        self._assigned_meanwhile: set[str] = set()
        self._escalated: dict[str, Escalated] = {}
        self._shifts = NO_ROTA
        self._shifts_end: datetime | None = None
        """When who is on shift changes next."""
        self._given = AnsweredPresses()
        self._changes: deque[Change] = deque(maxlen=CHANGES)
        self._number = self._total = 0
        self._watching: dict[int, Told] = {}
        self._heard: deque[Event] = deque()
        self._wanted: set[str] = set()
        self._settled: set[Settled] = set()
        self._server_time: datetime | None = None
        self._read_at = 0.0
        self._version: int | None = None
        self._live = True
        self._problem: str | None = None
        self._over = False
        self._news, self._presses = Signal(), Signal()
        self._follower: Thread | None = None
        self._sender: Thread | None = None

    # What waits

    def snapshot(self) -> Snapshot:
        """Raises what the client raises where nothing was read yet."""
        if self._server_time is None:
            self._read()
        elif not self._following:
            try:
                self._read()
                self._say_problem(None)
            except AssentError as error:
                self._say_problem(str(error).splitlines()[0])
        with self._lock:
            return Snapshot(
                v=self._v,
                items=list(self._rows.values()),
                held=[self._row(each) for each in self._holding],
                otherwise=self._given.otherwise(),
                total=max(self._total, len(self._rows)),
                now=milliseconds(self.now()),
                hold=round(self._holding.seconds * 1000),
                name=self._key.name,
                key_id=self._key.key_id,
                live=self._live,
                problem=self._problem,
                later=[Later(id=each, until=until) for each, until in self._later.items()],
                assigned=list(self._assigned.values()),
                escalated=list(self._escalated.values()),
                shifts=self._shifts,
            )

    def waiting(self) -> list[Item]:
        """The requests themselves, read anew where nobody follows them and something happened since."""
        if self._server_time is None or (not self._following and self._version != self._feed.version(APPROVALS)):
            self._read()
        with self._lock:
            return list(self._items.values())

    def ended(self, action_id: str) -> Ending | None:
        with self._lock:
            return self._ended.get(action_id)

    def item(self, action_id: str) -> Item | None:
        with self._lock:
            return self._items.get(action_id)

    def now(self) -> datetime:
        """The service's time, as far as it is known."""
        assert self._server_time is not None, "nothing has been read yet"
        return self._server_time + timedelta(seconds=self._ticks() - self._read_at)

    def watch(self, told: Told, after: str) -> list[Change] | None:
        """The changes after this number, after which `told` hears every further one; None where they are not known any
        more, and `told` hears nothing. `told` is called from other threads, and must be quick."""
        with self._lock:
            if self._over:
                return None
            name, _, number = after.partition("-")
            known = self._number - len(self._changes)
            if name != self._name or not number.isdecimal() or not known <= int(number) <= self._number:
                return None
            self._watching[id(told)] = told
            since = [each for each in self._changes if each.number > int(number)]
        self._follow()
        return since

    def leave(self, told: Told) -> None:
        with self._lock:
            self._watching.pop(id(told), None)

    @property
    def watchers(self) -> int:
        return len(self._watching)

    # Deciding

    def decide(self, presses: Iterable[Press]) -> dict[str, Answer]:
        """An answer for each press, by its key; these are pressed together. Raises what the client raises where nothing
        was read yet."""
        if self._server_time is None:
            self._read()
        pressed = list(presses)
        answers = {press.key: self._take(press, pressed[0].key) for press in pressed}
        self._presses.set()
        return answers

    def undo(self, keys: Iterable[str]) -> dict[str, Answer]:
        """Take back what is held. What has left cannot be taken back, and says how it stands."""
        answers: dict[str, Answer] = {}
        with self._lock:
            for key in keys:
                given = self._given.of(key)
                held = None if given is None else self._holding.of(given.press.id)
                if given is None:
                    answers[key] = Answer(id="", ok=False, state=None, why="No such decision is known here.")
                elif held is not None and held.key == key and self._holding.take_back(held):
                    given.answer = answers[key] = Answer(id=held.action_id, ok=True, state="waiting")
                    self._tell(back=[Back(id=held.action_id, key=key)])
                else:
                    answers[key] = msgspec.structs.replace(
                        self._standing(given), ok=given.answer.state == "waiting", why="It has left already."
                    )
        return answers

    def dismiss(self, keys: Iterable[str]) -> None:
        """Somebody has read what came otherwise of these decisions."""
        with self._lock:
            if dismissed := self._given.dismiss(keys):
                self._tell(dismissed=dismissed)

    def _take(self, press: Press, batch: str) -> Answer:
        with self._lock:
            given = self._given.of(press.key)
            if given is not None:
                if given.press != press:
                    return Answer(
                        id=press.id, ok=False, state="refused", why="This key belongs to another decision of yours."
                    )
                return self._standing(given)
            answer = self._refusal(press)
            if answer is None:
                return self._hold(press, batch)
        if answer.state is None:
            answer = self._looked_up(press.id)
        with self._lock:
            self._remember(press, batch, answer)
        return answer

    def _refusal(self, press: Press) -> Answer | None:
        """Why it cannot be held; a state of None is one that has to be asked for. The lock is held."""
        if self._over:
            return Answer(id=press.id, ok=False, state="refused", why="Your session has ended. Sign in again.")
        if (held := self._holding.of(press.id)) is not None:
            why = "You have decided on it already, here or in another tab."
            return Answer(
                id=press.id, ok=False, state="sending" if held.sending else "held", by=self._key.name, why=why
            )
        if (item := self._items.get(press.id)) is None:
            ended = self._ended.get(press.id)
            if ended is None:
                return Answer(id=press.id, ok=False, state=None)
            return Answer(id=press.id, ok=False, state=ended.state, by=ended.by, at=ended.at, why=ended.reason)
        lacks = Deciding(item, press.verdict).lacks(_details(press))
        return None if lacks is None else Answer(id=press.id, ok=False, state="refused", why=lacks)

    def _hold(self, press: Press, batch: str) -> Answer:
        """The lock is held."""
        item = self._items[press.id]
        left = (item.approval.expires_at - self.now()).total_seconds()
        deciding = Deciding(item, press.verdict, idempotency_key=f"decision-{press.key}")
        held = self._holding.take(press.key, deciding, _details(press), left)
        answer = self._remember(press, batch, Answer(id=press.id, ok=True, state="held"))
        self._tell(held=[self._row(held)])
        self._begin_sending()
        return msgspec.structs.replace(answer, left=self._row(held).left)

    def _standing(self, given: AnsweredPress) -> Answer:
        """How an answered press stands now. The lock is held."""
        held = self._holding.of(given.press.id)
        if held is None or held.key != given.press.key:
            return given.answer
        row = self._row(held)
        return msgspec.structs.replace(given.answer, state="sending" if row.sending else "held", left=row.left)

    def _remember(self, press: Press, batch: str, answer: Answer) -> Answer:
        return self._given.remember(press, batch, answer, self._rows.get(press.id))

    def _looked_up(self, action_id: str) -> Answer:
        """How a request ended that is not known here."""
        ending = self._asked_ending(action_id)
        if ending.state == "awaiting":
            return Answer(id=action_id, ok=False, state="refused", why="It is not in the list yet. Press again.")
        why = ending.reason if ending.state is not None else "It does not wait any more."
        return Answer(id=action_id, ok=False, state=ending.state, by=ending.by, at=ending.at, why=why)

    def _asked_ending(self, action_id: str) -> Ending:
        try:
            approval = self._client.get_action(action_id).approval
        except (AssentError, RuntimeError, ValueError):
            return Ending(id=action_id, state=None)
        return ending_of(action_id, approval)

    # Putting off

    def put_off(self, action_ids: Iterable[str], until: datetime | None) -> dict[str, PutOff]:
        """What came of it for each request; None as `until` brings it back. Raises what the client raises where nothing
        was read yet."""
        if self._server_time is None:
            self._read()
        said: dict[str, PutOff] = {}
        for action_id in action_ids:
            put, why = attempt(partial(self._client.snooze_action, action_id, until), "press again")
            if put is not None:
                self._put(put.snooze)
            said[action_id] = PutOff(ok=put is not None, why=why, until=None if put is None else _returns(put.snooze))
        return said

    def _put(self, snooze: Snooze) -> None:
        with self._lock:
            if snooze.updated_at < self._put_at.get(snooze.action_id, snooze.updated_at):
                return
            self._put_at[snooze.action_id] = snooze.updated_at
            if self._reading.locked():
                self._put_meanwhile.add(snooze.action_id)
            returns = _returns(snooze)
            if returns is None or returns <= milliseconds(self.now()):
                found = {each: until for each, until in self._later.items() if each != snooze.action_id}
            else:
                found = self._later | {snooze.action_id: returns}
            self._set_later(found)

    def _set_later(self, found: dict[str, int]) -> None:
        """The lock is held."""
        changed = [each for each in found.keys() | self._later.keys() if found.get(each) != self._later.get(each)]
        self._later = found
        if changed:
            self._tell(later=[Later(id=each, until=found.get(each)) for each in sorted(changed)])

    def _read_later(self) -> dict[str, int]:
        """What this key has put off. A service that does not know of that has nothing. Raises what the client
        raises."""
        found: dict[str, int] = {}
        cursor = None
        while len(found) < MOST:
            try:
                page = self._client.get_snoozes(
                    snoozed_by_key=self._key.key_id, current=True, limit=PAGE, cursor=cursor
                )
            except NotFound:
                return {}
            found |= {each.action_id: milliseconds(each.returns_at) for each in page.snoozes}
            cursor = page.next_cursor
            if cursor is None:
                break
        return found

    # Assigning

    def assign(self, action_ids: Iterable[str], key_id: str | None) -> dict[str, Acceptance]:
        """What came of it for each request; None is nobody in particular. Raises what the client raises where nothing
        was read yet."""
        if self._server_time is None:
            self._read()
        said: dict[str, Acceptance] = {}
        for action_id in action_ids:
            done, why = attempt(partial(self._client.assign_action, action_id, key_id), "press again")
            said[action_id] = Acceptance(ok=done is not None, why=why)
            if done is not None:
                self._take_assignments([done.assignment])
        return said

    def _take_assignments(self, found: Iterable[Assignment]) -> None:
        """Take in those that are newer than what is known."""
        with self._lock:
            changed: list[Assigned] = []
            for each in found:
                name, before = each.action_id, self._assigned_at.get(each.action_id)
                if name in self._ended or (before is not None and each.updated_at <= before):
                    continue
                self._assigned_at[name] = each.updated_at
                self._assigned_meanwhile.add(name)
                known, told = self._assigned.get(name), self._told_of(each)
                self._assigned[name] = told
                if told.to is not None or (known is not None and known.to is not None):
                    changed.append(told)
            if changed:
                self._tell(assigned=changed)

    def _take_all_assignments(self, found: list[Assignment]) -> None:
        """Those that were read. What is not among them is nobody's, unless it was assigned since. The lock is held."""
        read = {each.action_id for each in found} | self._assigned_meanwhile
        self._take_assignments(found)
        if len(found) >= MOST:
            return
        freed = [each for name, each in self._assigned.items() if each.to is not None and name not in read]
        told = [msgspec.structs.replace(each, to=None, own=False, given=False) for each in freed]
        self._assigned |= {each.id: each for each in told}
        if told:
            self._tell(assigned=told)

    def _told_of(self, assignment: Assignment) -> Assigned:
        return Assigned(
            id=assignment.action_id,
            to=words.clean(assignment.assigned_to) or assignment.assigned_to_key,
            own=assignment.assigned_to_key == self._key.key_id,
            given=self._key.key_id == assignment.assigned_to_key != assignment.assigned_by_key,
            by=words.clean(assignment.assigned_by),
            at=milliseconds(assignment.updated_at),
        )

    def _read_assignments(self) -> list[Assignment]:
        """Who takes care of what waits. Raises what the client raises."""

        def read(cursor: str | None) -> tuple[list[Assignment], str | None]:
            page = self._client.get_assignments(current=True, limit=PAGE, cursor=cursor)
            return page.assignments, page.next_cursor

        return all_pages(read, MOST)

    # Escalations

    def _take_escalations(self, found: Iterable[Escalation]) -> None:
        with self._lock:
            changed: list[Escalated] = []
            for each in found:
                if each.action_id not in self._escalated and each.action_id not in self._ended:
                    changed.append(self._escalation(each))
                    self._escalated[each.action_id] = changed[-1]
            if changed:
                self._tell(escalated=changed)

    def _escalation(self, escalation: Escalation) -> Escalated:
        return Escalated(
            id=escalation.action_id,
            to=words.clean(escalation.escalated_to),
            own=self._key.key_id in escalation.operator_keys,
            on_shift=escalation.on_shift,
            after=escalation.after_minutes,
            at=milliseconds(escalation.created_at),
        )

    def _read_escalations(self) -> list[Escalation]:
        """Of what waits. Raises what the client raises."""

        def read(cursor: str | None) -> tuple[list[Escalation], str | None]:
            page = self._client.get_escalations(current=True, limit=PAGE, cursor=cursor)
            return page.escalations, page.next_cursor

        return all_pages(read, MOST)

    # Who is on shift

    def _read_shifts(self) -> None:
        """A service that does not know of that has no rota. Raises what the client raises."""
        try:
            duty = self._client.get_rota()
        except NotFound:
            return
        shifts = shifts_of(duty)
        with self._lock:
            self._shifts_end = changes_at(duty)
            if shifts != self._shifts:
                self._shifts = shifts
                self._tell(shifts=shifts)

    # Sending

    def _begin_sending(self) -> None:
        if self._sender is None:
            self._sender = Thread(target=self._send_all, name="assent-desk-sender", daemon=True)
            self._sender.start()

    def _send_all(self) -> None:
        while True:
            with self._lock:
                wait = self._holding.wait()
                if self._over and wait is None:
                    return
            if wait is None or wait > 0:
                self._presses.wait(wait)
                self._presses.clear()
                continue
            self.send_due()

    def send_due(self) -> None:
        """Send every decision whose time has come, the earliest first."""
        while True:
            with self._lock:
                new = {each for each in self._holding if not each.sending}
                held = self._holding.leaving()
                if held is None:
                    return
                if held in new:
                    self._tell(held=[self._row(held)])
            held.deciding.send(self._client, held.details)
            with self._lock:
                self._sent(held)

    def _sent(self, held: Held[Item]) -> None:
        """What came of an attempt. The lock is held."""
        made, action_id, key = held.deciding, held.action_id, held.key
        if not self._holding.attempted(held, last=self._over):
            self._tell(held=[self._row(held)])
            return
        given = self._given.of(key)
        if made.stage is Stage.OPEN:
            answer = Answer(id=action_id, ok=False, state="refused", why=made.problem)
            self._tell(back=[Back(id=action_id, key=key, why=made.problem)])
        else:
            own = made.stage is Stage.SENT
            ending = ending_of(action_id, made.settled, own=own, key=key)
            why = made.problem if ending.state is None else ending.reason
            answer = Answer(id=action_id, ok=own, state=ending.state, by=ending.by, at=ending.at, why=why)
            self._end(ending)
        if given is not None:
            given.answer = answer

    # Following

    @property
    def _following(self) -> bool:
        return self._follower is not None

    def _follow(self) -> None:
        with self._lock:
            if self._follower is not None or self._over:
                return
            self._follower = Thread(target=self._keep_up, name="assent-desk", daemon=True)
            self._feed.listen(self._hear)
        # What happened between the list that was read and the first event that is heard.
        self._version = None
        self._follower.start()

    def _hear(self, event: Event) -> None:
        if event.event in APPROVALS | TALK | SNOOZES | ASSIGNMENTS | ROTA | ESCALATED:
            self._heard.append(event)
            self._news.set()

    def _keep_up(self) -> None:
        while not self._over:
            live = self._feed.live
            if live != self._live:
                with self._lock:
                    self._live = live
                    self._tell(live=live)
            try:
                if self._version is None or not live or self._has_room:
                    self._read()
                self._take_in()
                if self._shifts_end is not None and self._shifts_end <= self.now():
                    self._read_shifts()
                self._say_problem(None)
            except (AssentError, RuntimeError) as error:
                self._version = None
                self._say_problem(str(error).splitlines()[0])
            self._news.wait(AGAIN_SECONDS if self._problem is not None else FALLBACK_SECONDS)
            self._news.clear()

    @property
    def _has_room(self) -> bool:
        """Whether more wait than are kept here, and a page of them would fit."""
        return len(self._items) + PAGE <= min(self._total, MOST)

    def _say_problem(self, problem: str | None) -> None:
        with self._lock:
            if problem != self._problem and not self._over:
                self._problem = problem
                self._tell(problem=problem or "")

    def _take_in(self) -> None:
        """What the feed has told since. Raises what the client raises."""
        while self._heard:
            event = self._heard.popleft()
            if event.event not in APPROVALS:
                self._take_in_talk(event)
                continue
            approval = _told(event, Approval)
            if approval is None:
                self._version = None
            elif event.event == EventName.APPROVAL_REQUESTED:
                self._wanted.add(approval.action_id)
            else:
                self._wanted.discard(approval.action_id)
                self._settled.add(Settled(agent_id=approval.agent_id, type=approval.action_type))
                self._ended_elsewhere(approval)
        with self._lock:
            self._wanted -= self._items.keys() | self._ended.keys()
            if self._settled:
                self._tell(settled=list(self._settled))
                self._settled.clear()
        if self._wanted:
            page = self._client.get_approvals(state=ApprovalState.AWAITING, limit=min(PAGE, len(self._wanted) + 5))
            with self._lock:
                self._clock(page.lastUpdated)
                self._total = page.total
                self._add(page.approvals)
                missing = self._wanted - self._items.keys() - self._ended.keys()
                self._wanted.clear()
            if missing:
                self._read()

    def _take_in_talk(self, event: Event) -> None:
        """What is said about a request, who takes care of it, that it was escalated, who is on shift, or what this key
        has put off in another session."""
        if event.event in ROTA:
            self._read_shifts()
            return
        if event.event in ESCALATED:
            if (escalation := _told(event, Escalation)) is None:
                self._version = None
            else:
                self._take_escalations([escalation])
            return
        if event.event in ASSIGNMENTS:
            if (assignment := _told(event, Assignment)) is None:
                self._version = None
            else:
                self._take_assignments([assignment])
            return
        if event.event in SNOOZES:
            snooze = _told(event, Snooze)
            if snooze is None:
                self._version = None
            elif snooze.snoozed_by_key == self._key.key_id:
                self._put(snooze)
            return
        word = word_of(event, self._key.key_id)
        if word is not None:
            with self._lock:
                self._tell(talk=[word])

    def _ended_elsewhere(self, approval: Approval) -> None:
        with self._lock:
            held = self._holding.of(approval.action_id)
            if held is not None and not self._holding.take_back(held):
                return  # The answer on its way says whether it was this one.
            ending = ending_of(approval.action_id, approval, key=None if held is None else held.key)
            if held is not None:
                given = self._given.of(held.key)
                if given is not None:
                    given.answer = Answer(
                        id=ending.id, ok=False, state=ending.state, by=ending.by, at=ending.at, why=ending.reason
                    )
            self._end(ending)

    def _read(self) -> None:
        """The whole list. Raises what the client raises."""
        with self._reading:
            version = self._feed.version(APPROVALS)
            with self._lock:
                before = set(self._items)
                self._put_meanwhile.clear()
                self._assigned_meanwhile.clear()
            found: dict[str, Item] = {}
            cursor = None
            while True:
                page = self._client.get_approvals(state=ApprovalState.AWAITING, limit=PAGE, cursor=cursor)
                found |= {item.action.action_id: item for item in page.approvals}
                cursor = page.next_cursor
                if cursor is None or len(found) >= MOST:
                    break
            put_off, assignments = self._read_later(), self._read_assignments()
            escalations = self._read_escalations()
            self._read_shifts()
            with self._lock:
                self._clock(page.lastUpdated)
                self._total, self._version = page.total, version
                self._add(found.values())
                newer = self._put_meanwhile
                known = newer | put_off.keys() | found.keys()
                self._put_at = {each: at for each, at in self._put_at.items() if each in known}
                put_off = {each: until for each, until in put_off.items() if each not in newer}
                self._set_later(put_off | {each: until for each, until in self._later.items() if each in newer})
                self._take_all_assignments(assignments)
                self._take_escalations(escalations)
                lost = [each for each in before - found.keys() if each in self._items] if cursor is None else []
            endings = [self._asked_ending(each) for each in lost[:LOOKED_UP]]
            endings += [Ending(id=each, state=None) for each in lost[LOOKED_UP:]]
            with self._lock:
                for ending in endings:
                    if self._holding.of(ending.id) is None and ending.id in self._items:
                        self._end(ending)

    def _clock(self, told: datetime) -> None:
        self._server_time, self._read_at = told, self._ticks()

    def _add(self, items: Iterable[Item]) -> None:
        """The lock is held."""
        new: list[Row] = []
        for item in items:
            action_id = item.action.action_id
            if action_id not in self._items and action_id not in self._ended and len(self._items) < MOST:
                self._items[action_id] = item
                self._rows[action_id] = row_of(item)
                new.append(self._rows[action_id])
        if new:
            self._tell(add=new)

    def _end(self, ending: Ending) -> None:
        """The lock is held."""
        was = self._items.pop(ending.id, None)
        self._rows.pop(ending.id, None)
        self._later.pop(ending.id, None)
        self._assigned.pop(ending.id, None)
        self._assigned_at.pop(ending.id, None)
        self._escalated.pop(ending.id, None)
        self._ended[ending.id] = ending
        while len(self._ended) > ENDINGS:
            self._ended.popitem(last=False)
        if was is not None or ending.key is not None:
            self._total = max(0, self._total - 1)
            self._tell(gone=[ending])

    # Telling

    @property
    def _v(self) -> str:
        return f"{self._name}-{self._number}"

    def _tell(self, **members: Any) -> None:
        """The lock is held, so that everybody hears changes in their order."""
        self._number += 1
        change = Change(v=self._v, **members)
        self._changes.append(change)
        for told in list(self._watching.values()):
            told(change)

    def _row(self, held: Held[Item]) -> HeldRow:
        given = self._given.of(held.key)
        return HeldRow(
            id=held.action_id,
            key=held.key,
            batch=held.key if given is None else given.batch,
            verdict=held.deciding.verdict,
            left=round(self._holding.left(held) * 1000),
            sending=held.sending,
            problem=held.problem,
        )

    # The end

    def close(self) -> bool:
        """Tell whoever watches that it is over, and send what is held: it leaves now. True where something is still to
        be sent; `finish` waits for it. Does not wait itself."""
        with self._lock:
            self._over = True
            unsent = self._holding.release()
            for told in list(self._watching.values()):
                told(None)
            self._watching.clear()
        self._news.set()
        self._presses.set()
        return unsent

    def finish(self, seconds: float) -> None:
        """Wait until everything was sent, as long as this at most."""
        if self._sender is not None:
            self._sender.join(seconds)


def _details(press: Press) -> DecisionDetails:
    return DecisionDetails(press.reason, tuple(press.conditions), press.valid_minutes, press.typed)


def _returns(snooze: Snooze) -> int | None:
    return None if snooze.until is None else milliseconds(snooze.returns_at)


def _told(event: Event, kind: type[T]) -> T | None:
    """What an event is about; None where it is one of a later service that cannot be read."""
    try:
        return msgspec.convert(event.data, prepared(kind))
    except msgspec.ValidationError:
        return None
