"""A storm of presses on the page of approvals, with an account of every one.

What somebody can have seen is written down by a recorder in the page that knows nothing of the inbox's own: after each
frame that was painted, which request stood beside the list. A decision is misdirected when it is about another one than
what was painted last before its key went down.

- `keys` that the page got outside of fields, each with one outcome: `unanswered` are those without;
- `refused` of them said why they did nothing;
- `decided` were sent; `misdirected` of them were about what was not seen; `lost` have neither counted, nor come too
  late, nor been taken back or refused;
- `said` were questions, comments and requests put off; one about what no key had asked for is misdirected, too.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

from playwright.sync_api import Page

from tests.dashboard.browser.chromium import show_whole
from tests.live import WAIT
from tests.stories.tenant import Tenant

KEYS = "jjjjjkkaaaaddxusem"
RECORDER = """() => {
  const storm = window.storm = {
    keys: [], presses: [], painted: [], sent: [], posted: [], undone: [], said: [], events: [], frames: [], going: 0,
  };
  const shown = () => document.querySelector('.inbox-detail')?.dataset.id || null;
  let last = null;
  const look = () => {
    const id = shown();
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      if (id !== last) storm.painted.push([performance.now(), last = id]);
    };
    channel.port2.postMessage(null);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  const field = 'input, textarea';
  document.addEventListener('keydown', (event) => {
    if (!'jkadxusem'.includes(event.key) || event.ctrlKey || event.target.closest?.(field)) return;
    storm.keys.push([event.timeStamp, event.key]);
    const at = performance.now();
    requestAnimationFrame(() => requestAnimationFrame((now) => storm.frames.push(now - at)));
  }, { capture: true });
  // Above the inbox, which may be another one after a while.
  const hear = (name, act) => document.addEventListener(name, (event) => act(event.detail), { capture: true });
  hear('assent-press', (press) => storm.presses.push(press));
  hear('assent-sent', ({ ids }) => storm.sent.push(...ids));
  const send = window.fetch;
  window.fetch = (path, given) => {
    if (path === '/inbox/decisions') storm.posted.push(...JSON.parse(given.body).decisions);
    else if (given?.body && !/undo|dismissals/.test(path)) storm.said.push(JSON.parse(given.body));
    storm.going += given?.body ? 1 : 0;
    const answer = send(path, given).finally(() => (storm.going -= given?.body ? 1 : 0));
    if (path !== '/inbox/undo') return answer;
    return answer.then(async (found) => {
      const { results } = found.ok ? await found.clone().json() : { results: {} };
      storm.undone.push(...Object.keys(results).filter((key) => results[key].ok));
      return found;
    });
  };
  new PerformanceObserver((list) => {
    for (const each of list.getEntries()) if (each.name === 'keydown') storm.events.push(each.duration);
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });
}"""


@dataclass(frozen=True)
class Account:
    """What became of a storm; times in milliseconds. `events` are the browser's Event Timing of keys, which leaves out
    those below 16; `frames` are from a key to the second animation frame after it."""

    keys: int
    unanswered: int
    refused: int
    decided: int
    misdirected: int
    lost: int
    undone: int
    conflicts: int
    said: int
    outcomes: dict[str, int]
    frames: list[float]
    events: list[float]


@dataclass
class World:
    """Agents that ask, and others who decide and withdraw, while somebody presses."""

    tenant: Tenant
    every: float
    stop: threading.Event = field(default_factory=threading.Event)
    ids: list[str] = field(default_factory=list)
    made: int = 0

    def ask(self, count: int, dice: Random) -> None:
        for _ in range(count):
            self.made += 1
            self.ids.append(
                self.tenant.create(
                    "pay",
                    declared_goal=f"Pay {self.made}",
                    agent_id=f"payer-{self.made % 40}",
                    risk_score=dice.choice([5, 20, 40, 60, 95]),
                    parameters={"amount": self.made},
                )
            )

    def turn(self, seed: int) -> None:
        dice = Random(seed)
        while not self.stop.wait(self.every):
            self.ask(dice.choice([0, 1, 1, 2]), dice)
            if self.ids and dice.random() < 0.5:
                action_id = self.ids.pop(dice.randrange(len(self.ids)))
                way = dice.choice(["approve", "withdraw"])
                body = {"decision": "deny", "reasoning": "Faster"} if way == "approve" else {"reason": "Gone"}
                self.tenant.send("POST", f"/api/actions/{action_id}/{way}", body, key="admin")


def storm(page: Page, world: World, presses: int, seed: int) -> Account:
    """Press so many keys, at up to 20 a second and in bursts, on a page that is ready."""
    dice = Random(seed)
    show_whole(page)
    page.evaluate(RECORDER)
    page.wait_for_function("window.storm.painted.length > 0")  # a key before it would be about what nobody saw
    turning = threading.Thread(target=world.turn, args=(seed,), daemon=True)
    turning.start()
    try:
        _press(page, presses, dice)
    finally:
        world.stop.set()
        turning.join(WAIT)
    page.keyboard.press("Escape")
    _settle(page)
    return account(page.evaluate("window.storm"), world.tenant)


def _press(page: Page, presses: int, dice: Random) -> None:
    made = 0
    while made < presses:
        burst = dice.choice([1, 1, 1, 2, 3, 6])
        for key in dice.choices(KEYS, k=burst):
            page.keyboard.press(key)
            made += 1
        if page.locator(".inbox-form").count():
            if page.locator(".inbox-reason").count() == 0:
                _say(page, dice)
            elif dice.random() < 0.6:
                page.evaluate("document.querySelector('.inbox-reason').value = 'Storm'")
                page.locator(".inbox-reason").focus()
                page.keyboard.press("Control+Enter")
            else:
                page.keyboard.press("Escape")
            # What is said leaves its form by itself when it was taken.
            page.evaluate("document.querySelector('.inbox-cancel')?.click()")
        page.wait_for_timeout(dice.choice([0, 10, 30, 50, 100]))


def _say(page: Page, dice: Random) -> None:
    """Something, or nothing, in the form of a question, of a comment, or of what is put off."""
    if dice.random() < 0.3:
        page.keyboard.press("Escape")
    elif page.locator(".inbox-until-choice").count():
        page.keyboard.press("Enter")
    else:
        page.keyboard.type("Storm")
        page.keyboard.press("Control+Enter")


def _settle(page: Page) -> None:
    """Nothing is held and nothing on its way."""
    deadline = time.monotonic() + WAIT
    while (
        page.evaluate("document.querySelectorAll('.inbox-held, .inbox-sending').length")
        or page.locator(".inbox-undo:visible").count()
    ):
        assert time.monotonic() < deadline, "something is held for ever"
        page.wait_for_timeout(200)
    page.wait_for_timeout(1500)


def account(told: dict[str, Any], tenant: Tenant) -> Account:
    names = {"j": "next", "k": "previous", "a": "allow", "d": "deny", "x": "pick", "u": "undo"}
    names |= {"s": "later", "e": "ask", "m": "comment"}
    answered = Counter((press["at"], press["name"]) for press in told["presses"])
    keys = Counter((at, names[key]) for at, key in told["keys"])
    painted: list[list[Any]] = told["painted"]
    misdirected = 0
    for press in told["presses"]:
        about = press["id"] if press["did"] in ("allow", "asks", "picked", "unpicked") else None
        if about is not None and _seen(painted, press["at"]) != about:
            misdirected += 1
    meant = {press["id"] for press in told["presses"] if press["did"] in ("asks", "picked")}
    misdirected += sum(each not in meant for said in told["said"] for each in said.get("ids", [said.get("id")]))
    posted = {press["key"]: press for press in told["posted"]}
    own, undone, conflicts, lost = 0, 0, 0, 0
    for key, press in posted.items():
        found = tenant.call("GET", f"/api/actions/{press['id']}")["approval"]
        if found["idempotency_key"] == f"decision-{key}":
            own += 1
            wanted = "approved" if press["verdict"] == "allow" else "denied"
            misdirected += found["state"] != wanted
        elif key in told["undone"]:
            undone += 1
        elif found["state"] != "awaiting":
            conflicts += 1
        else:
            lost += 1
    direct = [press["key"] for press in told["presses"] if press["did"] == "allow"]
    lost += sum(key not in posted for key in direct)
    lost += len(direct) + len(told["sent"]) - len(posted)
    return Account(
        keys=keys.total(),
        unanswered=(keys - answered).total() + (answered - keys).total(),
        refused=sum(press["did"] == "refused" for press in told["presses"]),
        decided=len(posted),
        misdirected=misdirected,
        lost=lost,
        undone=undone,
        conflicts=conflicts,
        said=len(told["said"]),
        outcomes=dict(Counter(press["did"] for press in told["presses"])),
        frames=sorted(told["frames"]),
        events=sorted(told["events"]),
    )


def _seen(painted: list[list[Any]], at: float) -> str | None:
    """What was painted last before this moment."""
    before = list(itertools.takewhile(lambda each: each[0] <= at, painted))
    return None if not before else str(before[-1][1])
