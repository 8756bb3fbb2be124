"""A shift at the inbox: three operators at once, two agents that ask and take back, a service that is restarted in the
middle, and a network that one of the operators loses for a while; with an account of every request and every decision.

Everybody goes on meanwhile: the operator without a network presses keys, and so do the others while the service is
away. What somebody can have seen is written down by the recorder of a storm (`storm.py`).

- Each request ends once: `doubled` ended more than once by the log, `open` not at all.
- Each decision that a page has sent either counts, was taken back, or came too late: `lost` did none of it,
  `misdirected` is about what was not seen, or is recorded for another operator or with another verdict.
- What came too late is told: `untold` is not.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any, TypeVar

import httpx
from playwright.sync_api import Browser, Page

from assent.errors import Conflict, ConnectionFailed, Gone, Unavailable
from tests.dashboard.browser.approval_page import ready
from tests.dashboard.browser.dashboard import Operator, operator_desk
from tests.dashboard.browser.storm import RECORDER, account
from tests.live import WAIT, LiveService, start_service
from tests.stories.tenant import Tenant

T = TypeVar("T")
OPERATORS = {"early shift": "newest", "late shift": "expires", "night shift": "risk"}
"""Names of keys, and the order in which each looks at what waits."""
AGENTS = ("payer", "buyer")
ENDINGS = ("approval.decided", "approval.expired", "approval.withdrawn")
AWAY = 1.0
"""Seconds for which nothing listens on the service's port, besides what an end and a start take."""
PAGE = 200
TAKEN_BACK = 0.2
"""The share of requests that their agent takes back."""
SIGHT = """() => {
  const waits = (e) => !['held', 'sending', 'ended'].some((name) => e.classList.contains(`inbox-${name}`));
  const current = document.querySelector('.inbox-current');
  const other = [...document.querySelectorAll('.inbox-row')].find(waits);
  return { form: document.querySelector('.inbox-form') !== null, ready: current !== null && waits(current),
           other: other?.dataset.id || null };
}"""
"""Whether a form is open, whether the request under the cursor waits, and another one that does."""
NOTICES = """() => {
  const found = [];
  for (let tries = 0; tries < 500; tries += 1) {
    const notice = document.querySelector('.inbox-notice-conflict, .inbox-notice-unsure, .inbox-notice-refused');
    if (!notice) break;
    const link = notice.querySelector('a')?.getAttribute('href') || '';
    found.push([notice.className.split('inbox-notice-')[1], link.split('action_id=')[1] || '']);
    [...notice.querySelectorAll('button')].at(-1).click();
  }
  return found;
}"""
"""What came otherwise, as [kind, id] each, dismissed one by one as somebody does who reads it."""


@dataclass(frozen=True)
class Totals:
    """What became of a shift."""

    seconds: float
    requests: int
    allowed: int
    denied: int
    withdrawn: int
    open: int
    doubled: int
    keys: int
    refused: int
    unanswered: int
    decided: int
    counted: int
    taken_back: int
    too_late: int
    untold: int
    unsure: int
    misdirected: int
    lost: int
    offline: int
    """Decisions that were pressed without a network."""
    down: int
    """Decisions that were pressed while the service was away."""


@dataclass
class Seat:
    """One operator at work."""

    name: str
    desk: Operator
    dice: Random

    @property
    def page(self) -> Page:
        return self.desk.page


@dataclass
class Shift:
    """`every` is the mean time in seconds between two requests of an agent, `offline` how long a network is lost."""

    service: LiveService
    address: str
    browser: Browser
    requests: int
    every: float
    offline: float
    seed: int
    made: list[str] = field(default_factory=list)
    problems: list[BaseException] = field(default_factory=list)
    lost_at: float | None = None
    found_again: bool = False
    restarting: threading.Event = field(default_factory=threading.Event)
    restarted: bool = False

    def work(self) -> Totals:
        with httpx.Client(timeout=WAIT, trust_env=False) as http, ExitStack() as stack:
            tenant = Tenant(self.service, http)
            tenant.governed()
            self.made.append(tenant.create("pay", declared_goal="Pay the first one", agent_id=AGENTS[0]))
            seats = [self._sit(stack, tenant, name, order) for name, order in OPERATORS.items()]
            began = time.monotonic()
            agents = [
                threading.Thread(target=self._guarded, args=(self._ask, tenant, name, number), daemon=True)
                for number, name in enumerate(AGENTS)
            ]
            for agent in agents:
                agent.start()
            pressed = self._press(tenant, seats, agents)
            for agent in agents:
                agent.join(WAIT)
            for seat in seats:
                _settled(seat.page)
            assert not self.problems, self.problems
            return self._account(tenant, seats, time.monotonic() - began, pressed)

    def _sit(self, stack: ExitStack, tenant: Tenant, name: str, order: str) -> Seat:
        desk = stack.enter_context(operator_desk(self.browser, self.address, width=1440, height=900))
        desk.sign_in(tenant.add_key(name, "operator"), f"/approvals?order={order}")
        ready(desk)
        desk.page.evaluate(RECORDER)
        return Seat(name, desk, Random(f"{self.seed} {name}"))

    # Agents

    def _guarded(self, do: Any, *given: Any) -> None:
        try:
            do(*given)
        except BaseException as error:  # noqa: BLE001 - told at the end, whatever it is
            self.problems.append(error)

    def _ask(self, tenant: Tenant, name: str, number: int) -> None:
        dice = Random(f"{self.seed} {name}")
        mine: list[str] = []
        share = (self.requests - 1) // len(AGENTS) + (number < (self.requests - 1) % len(AGENTS))
        with tenant.client("agent", name) as client:
            for at in range(share):
                risk = dice.choice([5, 20, 40, 60, 95])
                key = f"{name}-{at}"
                create = partial(
                    client.create_action, "pay", f"Pay {at} of {name}", risk_score=risk, idempotency_key=key
                )
                mine.append(_heard(create).action_id)
                self.made.append(mine[-1])
                if dice.random() < TAKEN_BACK:
                    action_id = mine.pop(dice.randrange(len(mine)))
                    with suppress(Conflict, Gone):  # somebody has decided
                        _heard(partial(client.withdraw_action, action_id, "Nobody waits for it any more"))
                time.sleep(dice.uniform(0, 2 * self.every))

    def _restart(self) -> None:
        self.service.stop()
        time.sleep(AWAY)
        self.service = start_service(self.service.home, port=self.service.port)
        self.restarting.clear()

    # Operators

    def _press(self, tenant: Tenant, seats: Sequence[Seat], agents: Sequence[threading.Thread]) -> Counter[str]:
        pressed: Counter[str] = Counter()
        deadline = time.monotonic() + 10 * WAIT
        dice = Random(self.seed)
        looked = 0.0
        while True:
            assert time.monotonic() < deadline, "the shift does not end"
            self._disturb(seats[-1], pressed["offline"])
            seat = seats[-1] if self.lost_at is not None and not pressed["offline"] else dice.choice(seats)
            before = _sent(seat.page)
            _turn(seat.page, seat.dice)
            after = _sent(seat.page) - before
            pressed["offline"] += after if self.lost_at is not None and seat is seats[-1] else 0
            pressed["down"] += after if self.restarting.is_set() else 0
            away = self.lost_at is not None or self.restarting.is_set()
            over = not away and not any(agent.is_alive() for agent in agents)
            if over and time.monotonic() - looked > 1:
                looked = time.monotonic()
                if tenant.call("GET", "/api/approvals?state=awaiting&limit=1")["total"] == 0:
                    return pressed

    def _disturb(self, last: Seat, pressed: int) -> None:
        """After a fifth of the requests the last operator loses the network, until they have decided without it, if
        anything is left to be decided; after three fifths the service is restarted."""
        assert not self.problems, self.problems
        now = time.monotonic()
        if self.lost_at is None and not self.found_again and len(self.made) * 5 >= self.requests:
            self.lost_at = now
            last.page.context.set_offline(True)
        elif self.lost_at is not None and now - self.lost_at >= self.offline and (pressed or _idle(last.page)):
            self.lost_at, self.found_again = None, True
            last.page.context.set_offline(False)
        if not self.restarted and len(self.made) * 5 >= 3 * self.requests:
            self.restarted = True
            self.restarting.set()
            threading.Thread(target=self._guarded, args=(self._restart,), daemon=True).start()

    # The account

    def _account(self, tenant: Tenant, seats: Sequence[Seat], seconds: float, pressed: Counter[str]) -> Totals:
        approvals = _approvals(tenant)
        endings = _endings(tenant)
        states = Counter(approval["state"] for approval in approvals.values())
        assert set(approvals) == set(self.made), "a request is not there, or one more is"
        sums: Counter[str] = Counter()
        for seat in seats:
            told = seat.page.evaluate("window.storm")
            found = account(told, tenant)
            for name in ("keys", "refused", "unanswered", "misdirected", "lost", "decided"):
                sums[name] += getattr(found, name)
            sums += _came_of(told, approvals, tenant.key_ids[seat.name])
            late = Counter(_late(told, approvals))
            notices = seat.page.evaluate(NOTICES)
            sums["untold"] += (late - Counter(each for _, each in notices)).total()
            sums["unsure"] += sum(kind == "unsure" for kind, _ in notices)
        decided = states["approved"] + states["denied"]
        assert sums["counted"] == decided, "somebody decided who did not press"
        return Totals(
            seconds=seconds,
            requests=len(self.made),
            allowed=states["approved"],
            denied=states["denied"],
            withdrawn=states["withdrawn"],
            open=sum(endings[each] == 0 for each in approvals),
            doubled=sum(endings[each] > 1 for each in approvals),
            keys=sums["keys"],
            refused=sums["refused"],
            unanswered=sums["unanswered"],
            decided=sums["decided"],
            counted=sums["counted"],
            taken_back=sums["taken_back"],
            too_late=sums["too_late"],
            untold=sums["untold"],
            unsure=sums["unsure"],
            misdirected=sums["misdirected"],
            lost=sums["lost"],
            offline=pressed["offline"],
            down=pressed["down"],
        )


def _heard(ask: Callable[[], T]) -> T:
    """Asked again until the service is back, however long its restart takes: the same question, by its key."""
    deadline = time.monotonic() + 2 * WAIT
    while True:
        try:
            return ask()
        except (ConnectionFailed, Unavailable):
            if time.monotonic() > deadline:
                raise


def _approvals(tenant: Tenant) -> dict[str, dict[str, Any]]:
    """By action."""
    found: dict[str, dict[str, Any]] = {}
    path = f"/api/approvals?limit={PAGE}"
    cursor = ""
    while True:
        page = tenant.call("GET", path + cursor)
        found |= {each["action"]["action_id"]: each["approval"] for each in page["approvals"]}
        if page["next_cursor"] is None:
            return found
        cursor = f"&cursor={page['next_cursor']}"


def _endings(tenant: Tenant) -> Counter[str]:
    """How often each request ended, by the log."""
    found: Counter[str] = Counter()
    for name in ENDINGS:
        offset = 0
        while True:
            logs = tenant.call("GET", f"/api/activity?action={name}&limit={PAGE}&offset={offset}")["logs"]
            found.update(each["action_id"] for each in logs)
            offset += len(logs)
            if len(logs) < PAGE:
                break
    return found


def _posted(told: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Each decision that a page has sent, once, by its key."""
    return {press["key"]: press for press in told["posted"]}


def _came_of(told: dict[str, Any], approvals: dict[str, dict[str, Any]], key_id: str) -> Counter[str]:
    """What became of one operator's decisions. One that counts is recorded for the key that it was pressed with."""
    came: Counter[str] = Counter()
    for key, press in _posted(told).items():
        approval = approvals[press["id"]]
        if approval["idempotency_key"] == f"decision-{key}":
            came["counted"] += 1
            came["misdirected"] += approval["decided_by_key"] != key_id
        elif key in told["undone"]:
            came["taken_back"] += 1
        elif approval["state"] != "awaiting":
            came["too_late"] += 1
    return came


def _late(told: dict[str, Any], approvals: dict[str, dict[str, Any]]) -> list[str]:
    """The requests of the decisions that came too late."""
    return [
        press["id"]
        for key, press in _posted(told).items()
        if key not in told["undone"] and approvals[press["id"]]["idempotency_key"] != f"decision-{key}"
    ]


def _sent(page: Page) -> int:
    """How many decisions were pressed on a page."""
    found = page.evaluate("storm.sent.length + storm.presses.filter((each) => each.did === 'allow').length")
    return int(found)


def _idle(page: Page) -> bool:
    """Whether nothing is left to be decided, as somebody sees it."""
    sight = page.evaluate(SIGHT)
    return not (sight["form"] or sight["ready"] or sight["other"])


def _turn(page: Page, dice: Random) -> None:
    """What somebody does next who has looked."""
    page.wait_for_timeout(dice.choice([60, 100, 160]))
    sight = page.evaluate(SIGHT)
    if sight["form"]:
        page.keyboard.press("Escape")
    elif not sight["ready"]:
        if sight["other"] is None:
            page.wait_for_timeout(150)
        else:
            page.evaluate("(id) => document.getElementById(`inbox-option-${id}`)?.click()", sight["other"])
    else:
        keys = dice.choice(["a", "a", "a", "a", "a", "a", "d", "d", "d", "j", "k", "u", "xjxa", "xjxd"])
        for key in keys:
            page.keyboard.press(key)
            page.wait_for_timeout(50)
        _answer(page, dice)


def _answer(page: Page, dice: Random) -> None:
    """What a form asks for, or out of it again."""
    form = page.locator(".inbox-form")
    if form.count() == 0:
        return
    if dice.random() < 0.1:
        page.keyboard.press("Escape")
        return
    page.evaluate("""() => {
      const [reason, typed] = ['.inbox-reason', '.inbox-typed'].map((name) => document.querySelector(name));
      if (reason) reason.value = 'Said in the shift';
      if (typed) typed.value = 'allow';
      reason?.focus();
    }""")
    page.keyboard.press("Control+Enter")


def _settled(page: Page) -> None:
    """Nothing is held, nothing on its way, and nothing waits."""
    page.keyboard.press("Escape")
    deadline = time.monotonic() + WAIT
    waits = "document.querySelectorAll('.inbox-held, .inbox-sending').length || storm.going"
    while page.evaluate(waits) or page.locator(".inbox-count").inner_text() != "0 waiting":
        assert time.monotonic() < deadline, "something is on its way for ever"
        page.wait_for_timeout(200)
    page.wait_for_timeout(500)
    page.keyboard.press("u")  # is refused, however the shift went
