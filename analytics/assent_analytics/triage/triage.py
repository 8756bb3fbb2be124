"""The state machine of one stratum: requests and labels in, choices and alarms out. Pure and exact: the same requests
with the same draws give the same choices, after a restart and in every replica.

1. An epoch begins with asking everything. `thresholds` are tested by fixed sequences with several starts (A.
   Angelopoulos, S. Bates, E. Candes, M. Jordan and L. Lei, "Learn then test", Annals of Applied Statistics 19 (2025),
   1641-1662): from each of `starts` places in the ascending list upwards, until one is not certified. The
   largest certified one counts, and none is given back before an alarm.
2. A request whose risk score is below it passes, unless its draw is below the audit share: then it is asked. All others
   are asked. Below and above, only requests with such a draw count for certificates, or scores that are audited more
   often would count more.
3. Labels say whether an action turned out, or would have turned out, harmful. Certificates take them in the order of
   the requests, each only when those before it are known: a label that comes late because it is bad cannot be missed.
   Who will never know says harmful. What is pending counts as harmful in the bound of what passed.
4. The audit share is the lowest of `AUDITED` at which the bound of what passed, with `SPARE` more harmful audits, is
   within the budget: max(alpha * passed, room). Where none is, it is looked for with one less, and so on. Where none is
   with none more, everything is asked: until pending audits are known, or for good.
5. An alarm ends the epoch: the bound with what is known is above the budget, or the bet on a change is won, or so many
   that passed are known as harmful that they exceed the budget, or the bound that audits give. The next epoch certifies
   anew, with nothing of those before it, but bounds and passed ones of all epochs are added up: what was spent stays
   spent. Where nothing is left, an organization may give a new plan.
6. What was harmful at the beginning would weigh on a certificate for ever. So each time that as many audits are known
   as a new epoch needs at the least, an epoch that has certified nothing, and would need more than `PATIENCE` times as
   many again, gives way to a new one.
7. delta is divided by strata, then by epochs (1/2, 1/6, 1/12, ...: 1 / ((e + 1) (e + 2)), which add up to 1), then in
   halves for certificates and for what passed.

So, with probability 1 - delta, in every stratum and at every time: no more than max(alpha * passed, room) harmful
actions have passed, whatever the world does, provided that a draw neither is foreseen nor changes what is harmful. That
is a share of alpha from `room / alpha` passed ones on. And nothing has passed below a threshold of which alpha or more
was harmful all the while that it was tested.
"""

from __future__ import annotations

from collections import deque
from hashlib import sha256
from itertools import pairwise
from math import log, log1p
from typing import NamedTuple

from msgspec import Struct

from assent.contract.control.guard import TriageAnswer as Answer
from assent.contract.control.triage import LEAST_ALPHA, MOST_ALPHA, room_of
from assent.contract.control.triage import TriageAlarm as Alarm
from assent.contract.control.triage import TriageAlarmKind as AlarmKind
from assent.contract.control.triage import TriageState as State
from assent_analytics.triage.betting import Change, harmless_needed, log_certificate, passed_bound

AUDITED = (0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
SPARE = 3
PATIENCE = 2


class Plan(Struct, frozen=True, kw_only=True):
    """What an organization gives. `room` is how many harmful actions may pass in each stratum while alpha of what
    passed in it is less, by itself `alpha` of 1,000, 10 at least and 50 at most (`room_of`), or what a small delta
    wants; `least_audited` is the least share that is audited. Raises ValueError for what cannot be kept."""

    alpha: float
    delta: float = 0.05
    thresholds: tuple[float, ...] = (20, 35, 50, 65)
    starts: int = 2
    room: int | None = None
    least_audited: float = 0.1
    strata: int = 1

    def __post_init__(self) -> None:
        if not LEAST_ALPHA <= self.alpha <= MOST_ALPHA:
            raise ValueError(f"alpha is {self.alpha!r}; give a share from {LEAST_ALPHA} to {MOST_ALPHA}, such as 0.01")
        if not 0 < self.delta <= 0.5:
            raise ValueError(f"delta is {self.delta!r}; give a probability above 0 and at most 0.5, such as 0.05")
        rising = all(below < above for below, above in pairwise((0.0, *self.thresholds)))
        if not self.thresholds or not rising or self.thresholds[-1] > 100:
            raise ValueError(f"thresholds are {self.thresholds!r}; give risks above 0 and at most 100, lowest first")
        if not 1 <= self.starts <= len(self.thresholds):
            raise ValueError(f"starts is {self.starts}; give 1 to {len(self.thresholds)}, the number of thresholds")
        if not AUDITED[0] <= self.least_audited <= AUDITED[-1]:
            raise ValueError(
                f"least_audited is {self.least_audited!r}; give a share between {AUDITED[0]} and {AUDITED[-1]}"
            )
        if self.strata < 1:
            raise ValueError(f"strata is {self.strata}; give 1 or more")
        if self.room is not None and self.room < self._least_room():
            least = self._least_room()
            raise ValueError(f"room is {self.room}; with this delta and these strata give {least} or more")

    def _least_room(self) -> int:
        """With less nothing could pass."""
        return passed_bound(SPARE, _odds(AUDITED[-1]), self.delta_of(0))

    def budget(self, passed: int) -> float:
        """How many harmful ones are accepted of so many that passed in one stratum."""
        room = max(room_of(self.alpha), self._least_room()) if self.room is None else self.room
        return max(self.alpha * passed, room)

    def delta_of(self, epoch: int) -> float:
        """Of what passed, and of certificates."""
        return self.delta / self.strata / ((epoch + 1) * (epoch + 2)) / 2

    def shares(self) -> tuple[float, ...]:
        """The audit shares, lowest first."""
        return (self.least_audited, *(each for each in AUDITED if each > self.least_audited))


class Choice(NamedTuple):
    """`share` is the audit share at that moment, 1 where nothing may pass; with the draw it tells the answer again."""

    answer: Answer
    share: float
    epoch: int


class Status(Struct, frozen=True, kw_only=True):
    """How it stands: `tested` audits of this epoch that certificates know, `tested_harmful` of them; `pending` labels;
    `needed` further audits below a threshold, none of them harmful, until the next one is certified, None where all
    are. `audit_share` is 1 where everything is asked. `passed` of all epochs, of which `known_harmful` are known to be
    harmful and at most `bound` are, where `budget` are accepted."""

    state: State
    epoch: int
    threshold: float | None
    tested: int
    tested_harmful: int
    pending: int
    needed: int | None
    audit_share: float
    passed: int
    known_harmful: int
    bound: int
    budget: float
    alarms: tuple[Alarm, ...]


class Promise(NamedTuple):
    """Once one more has passed, of so many at most `bound` are harmful, where `budget` are accepted."""

    passed: int
    bound: int
    budget: float


class _Request(NamedTuple):
    epoch: int
    score: float
    answer: Answer
    tested: bool


class _Epoch:
    """What passed and was audited in one epoch; `pending` audits have no label yet."""

    __slots__ = ("audits", "delta", "harmful", "known_harmful", "odds", "passed", "pending")

    def __init__(self, delta: float) -> None:
        self.delta, self.odds = delta, 0.0
        self.passed = self.known_harmful = self.audits = self.harmful = self.pending = 0

    def possible(self) -> int:
        """How many harmful ones passed at most."""
        return passed_bound(self.harmful + self.pending, self.odds, self.delta)


class Triage:
    """One stratum's triage: `decide` each request in its order, and `learn` how it turned out.

    triage = Triage(Plan(alpha=0.01))
    choice = triage.decide("act_1", score=12, draw=draw_of("seed", "act_1"))  # ask: nothing is certified yet
    alarm = triage.learn("act_1", harmful=False)
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._shares = plan.shares()
        self._starts = tuple(place * len(plan.thresholds) // plan.starts for place in range(plan.starts))
        self._open: dict[str, _Request] = {}
        self._alarms: list[Alarm] = []
        self._epochs: list[_Epoch] = []
        self._passed = self._known_harmful = self._spent = 0
        self._begin()

    @property
    def fallen_back(self) -> bool:
        """Whether an alarm came, and nothing is certified since."""
        return self._threshold is None and bool(self._alarms)

    @property
    def threshold(self) -> float | None:
        """The risk below which something may pass; None where nothing may."""
        return self._threshold

    def promise(self, share: float) -> Promise:
        """What holds once one more has passed at this audit share."""
        now, passed = self._now, self._passed + 1
        bound = self._spent + passed_bound(now.harmful + now.pending, max(now.odds, _odds(share)), now.delta)
        return Promise(passed, bound, self.plan.budget(passed))

    def _begin(self) -> None:
        plan, epoch = self.plan, len(self._epochs)
        self._now = _Epoch(plan.delta_of(epoch))
        self._spent = sum(each.possible() for each in self._epochs)
        self._epochs.append(self._now)
        self._level = self._level_of(epoch)
        self._anew = harmless_needed(0, 0, plan.alpha, self._level_of(epoch + 1))
        self._review_at = self._anew
        self._order: deque[str] = deque()
        self._labels: dict[str, tuple[float, bool]] = {}
        self._tested, self._harmful, self._due = ([0] * len(plan.thresholds) for _ in range(3))
        self._tested_all = self._harmful_all = 0
        self._reached = [False] * len(plan.thresholds)
        self._threshold: float | None = None
        self._change = Change(plan.alpha)
        self._share_of = ((-1, 0.0, 0), 1.0)

    # Requests and labels

    def decide(self, key: str, score: float, draw: float) -> Choice:
        """What to do with the next request. `key` names it, `draw` is uniform from 0 to below 1, foreseen by nobody
        (`draw_of`). Raises ValueError for a key that waits for its label, and for a draw that is none."""
        choice = self.choose(score, draw)
        self.note(key, score, draw, choice)
        return choice

    def choose(self, score: float, draw: float) -> Choice:
        """What `decide` would choose; nothing is changed by it. Raises ValueError for a draw that is none."""
        if not 0 <= draw < 1:
            raise ValueError(f"draw is {draw!r}; give a number from 0 to below 1")
        threshold = self._threshold
        share = 1.0 if threshold is None else self._audit_share()
        answer = Answer.ASK
        if threshold is not None and score < threshold and share < 1:
            answer = Answer.AUDIT if draw < share else Answer.ALLOW
        return Choice(answer, share, len(self._epochs) - 1)

    def note(self, key: str, score: float, draw: float, choice: Choice) -> None:
        """Take in the next request with what was chosen for it, such as when it was recorded. Raises ValueError for a
        key that waits for its label."""
        if key in self._open:
            raise ValueError(f"{key} was decided before, and its label is not known yet")
        now, tested = self._now, draw < choice.share
        if choice.answer is not Answer.ASK:
            now.odds = max(now.odds, _odds(choice.share))
        if choice.answer is Answer.ALLOW:
            now.passed += 1
            self._passed += 1
        elif choice.answer is Answer.AUDIT:
            now.pending += 1
        if tested:
            self._order.append(key)
        self._open[key] = _Request(len(self._epochs) - 1, score, choice.answer, tested)

    def learn(self, key: str, *, harmful: bool) -> Alarm | None:
        """How a request turned out, or would have; harmful, too, where that will never be known. Gives the alarm that
        it raises. Unknown keys are passed over; labels of earlier epochs count for what passed in them alone."""
        request = self._open.pop(key, None)
        if request is None:
            return None
        changed, epoch = False, self._epochs[request.epoch]
        if request.answer is Answer.AUDIT:
            epoch.pending -= 1
            epoch.audits += 1
            epoch.harmful += harmful
            changed = epoch is self._now and self._change.step(harmful)
        elif request.answer is Answer.ALLOW:
            epoch.known_harmful += harmful
            self._known_harmful += harmful
        if epoch is not self._now:
            self._spent = sum(each.possible() for each in self._epochs[:-1])
            return None
        if harmful and request.answer is not Answer.ASK:
            alarm = self._alarm(changed)
            if alarm is not None:
                self._alarms.append(alarm)
                self._begin()
                return alarm
        if request.tested:
            self._labels[key] = (request.score, harmful)
            self._certify()
            if self._threshold is None and self._tested_all >= self._review_at and self._is_hopeless():
                self._begin()
        return None

    # Certificates

    def _certify(self) -> None:
        thresholds = self.plan.thresholds
        while self._order and (known := self._labels.pop(self._order[0], None)) is not None:
            self._order.popleft()
            score, harmful = known
            self._tested_all += 1
            self._harmful_all += harmful
            for place, threshold in enumerate(thresholds):
                if score < threshold and not self._reached[place]:
                    self._tested[place] += 1
                    self._harmful[place] += harmful
                    if not harmful and self._tested[place] >= self._due[place]:
                        self._look(place)
        certified = [thresholds[place] for start in self._starts for place in self._chain(start)]
        self._threshold = max(certified, default=None)

    def _look(self, place: int) -> None:
        """Whether a threshold is certified; if not, when it can be at the soonest."""
        n, harmful, alpha = self._tested[place], self._harmful[place], self.plan.alpha
        missing = self._level - log_certificate(n, harmful, alpha)
        self._reached[place] = missing <= 0
        # One audit adds -log(1 - alpha) at most.
        self._due[place] = n + max(1, int(missing / -log1p(-alpha)))

    def _chain(self, start: int) -> range:
        """Places from a start upwards that are certified."""
        end = start
        while end < len(self._reached) and self._reached[end]:
            end += 1
        return range(start, end)

    def _level_of(self, epoch: int) -> float:
        return log(self.plan.starts / self.plan.delta_of(epoch))

    def _is_hopeless(self) -> bool:
        """Rule 6."""
        self._review_at = self._tested_all + self._anew
        return (self._needed() or 0) > PATIENCE * self._anew

    def _needed(self) -> int | None:
        thresholds, above = self.plan.thresholds, self._threshold or 0.0
        ends = {self._chain(start).stop for start in self._starts}
        following = [
            harmless_needed(self._tested[place], self._harmful[place], self.plan.alpha, self._level)
            for place in ends
            if place < len(thresholds) and thresholds[place] > above
        ]
        return min(following, default=None)

    # What passed

    def _audit_share(self) -> float:
        """Rule 4, of the next request."""
        now = self._now
        known = (now.harmful + now.pending, now.odds, int(self.plan.budget(self._passed + 1)) - self._spent)
        if self._share_of[0] != known:
            self._share_of = (known, self._lowest_share(*known))
        return self._share_of[1]

    def _lowest_share(self, harmful: int, odds: float, left: int) -> float:
        for spare in range(SPARE, -1, -1):
            for share in self._shares:
                if passed_bound(harmful + spare, max(odds, _odds(share)), self._now.delta) <= left:
                    return share
        return 1.0

    def _alarm(self, changed: bool) -> Alarm | None:
        """Rule 5."""
        now, budget = self._now, self.plan.budget(self._passed)
        bound = self._spent + passed_bound(now.harmful, now.odds, now.delta)
        seen = f"{now.harmful} of {now.audits} audits were harmful"
        if self._known_harmful > budget or now.known_harmful > now.possible():
            kind = AlarmKind.FOUND
            says = f"{self._known_harmful} of {self._passed} that passed are known to be harmful, while {seen}"
        elif bound > budget:
            kind = AlarmKind.BOUND
            says = (
                f"{seen}, which bounds the harmful ones among {self._passed} that passed by {bound} alone, where "
                f"{int(budget)} are accepted"
            )
        elif changed:
            kind = AlarmKind.CHANGE
            says = f"{seen}, lately more than {100 * self.plan.alpha:.4g} %"
        else:
            return None
        return Alarm(
            kind=kind,
            epoch=len(self._epochs) - 1,
            threshold=self._threshold or 0.0,
            audits=now.audits,
            harmful=now.harmful,
            passed=self._passed,
            known_harmful=self._known_harmful,
            bound=bound,
            budget=budget,
            says=f"{says}. Everything is asked again.",
        )

    # How it stands

    def status(self) -> Status:
        share = 1.0 if self._threshold is None else self._audit_share()
        if self._threshold is None:
            state = State.FALLEN_BACK if self.fallen_back else State.LEARNING
        else:
            state = State.PASSING if share < 1 else State.WAITING
        return Status(
            state=state,
            epoch=len(self._epochs) - 1,
            threshold=self._threshold,
            tested=self._tested_all,
            tested_harmful=self._harmful_all,
            pending=len(self._order) - len(self._labels),
            needed=self._needed(),
            audit_share=share,
            passed=self._passed,
            known_harmful=self._known_harmful,
            bound=self._spent + self._now.possible(),
            budget=self.plan.budget(self._passed),
            alarms=tuple(self._alarms),
        )


def says(status: Status) -> str:
    """How it stands, in words."""
    match status.state:
        case State.PASSING:
            words = f"Below a risk of {status.threshold:g} one of {1 / status.audit_share:.3g} is asked, others pass."
        case State.WAITING:
            words = (
                f"A risk below {status.threshold:g} is certified, but the bound leaves no room: everything is asked."
            )
        case State.LEARNING | State.FALLEN_BACK:
            words = f"Everything is asked; {status.needed} more without harm would certify a threshold."
    return f"{status.alarms[-1].says} {words}" if status.alarms else words


def draw_of(seed: str, key: str) -> float:
    """The draw of a request, from a seed that nobody outside knows: the first 53 bits of a SHA-256."""
    digest = sha256(f"{seed}\n{key}".encode()).digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / 2**53


def _odds(share: float) -> float:
    return (1 - share) / share
