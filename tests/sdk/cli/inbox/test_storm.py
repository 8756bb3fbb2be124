"""Bursts of keys on the whole screen while requests come and go: each is about what the list showed when it went down,
and each has an outcome."""

from __future__ import annotations

import re
from collections import Counter as Count
from random import Random

import pytest
from textual.content import Content
from textual.events import Key as Pressed

from assent.cli.inbox.panes import ListPane
from assent.cli.inbox.screen import PRESSES, Inbox
from assent.cli.inbox.triage import Did, Key, Outcome
from tests.sdk.cli.inbox.counter import Counter, sitting
from tests.tiers import deep

CURSOR = re.compile(r"^> .*(goal \d+)", re.MULTILINE)


@pytest.mark.parametrize(("bursts", "seed"), [(20, 3), pytest.param(250, 4, marks=deep("a minute of bursts"))])
async def test_bursts_of_keys_decide_on_what_the_list_showed(
    monkeypatch: pytest.MonkeyPatch, bursts: int, seed: int
) -> None:
    random, counter = Random(seed), Counter()
    showed: list[str | None] = [None]
    outcomes: list[tuple[Key, float, Outcome]] = []
    render, press = ListPane.render, Inbox.press

    def drawn(pane: ListPane) -> object:
        content = render(pane)
        assert isinstance(content, Content)
        found = CURSOR.search(content.plain)
        showed.append(found[1] if found else None)
        return content

    def pressed(inbox: Inbox, key: Key, at: float) -> Outcome:
        outcomes.append((key, at, press(inbox, key, at)))
        return outcomes[-1][2]

    monkeypatch.setattr("assent.cli.inbox.screen.REST", 0.01)  # else no card is read within a burst
    monkeypatch.setattr(ListPane, "render", drawn)
    monkeypatch.setattr(Inbox, "press", pressed)
    counter.wait(12)
    posted: list[tuple[float, Key, str | None]] = []
    async with sitting(counter, hold=0.4) as desk:
        await desk.seen()
        for burst in range(5 * bursts):
            if burst >= bursts and sum(each.did is Did.DECIDED for _, _, each in outcomes) >= bursts // 10:
                break  # how many decide is up to the machine's haste: what comes before its row was seen is refused
            for _ in range(random.choice((1, 1, 2, 3, 5))):
                letter = random.choice("jjjkkaaau")
                event = Pressed(letter, letter)
                posted.append((event.time, PRESSES[letter], showed[-1]))
                desk.inbox.post_message(event)
                if random.random() < 0.3:
                    await desk.pilot.pause(random.choice((0.0, 0.005)))
            waiting = [name for name, each in counter.approvals.items() if each["state"] == "awaiting"]
            if random.random() < 0.5 and len(waiting) > 3:
                gone = random.choice(waiting)
                counter.settle(gone, "deny", "ben", "mine")
                desk.wire.tell(counter.decided(gone))
            if random.random() < 0.5 and len(waiting) < 16:
                counter.wait(1)
                desk.inbox.action_read()
            await desk.pilot.pause(random.choice((0.0, 0.02, 0.4)))
        await desk.until(lambda: len(outcomes) >= len(posted), "every key has an outcome")
        await desk.until(lambda: not desk.inbox.triage.holding, "all that is held has left")
    assert [(key, at) for key, at, _ in outcomes] == [(key, at) for at, key, _ in posted], (
        "none is lost, in their order"
    )
    goals = {name: each["declared_goal"] for name, each in counter.actions.items()}
    decided = [
        (goals[outcome.ids[0]], shown)
        for (_, _, outcome), (_, _, shown) in zip(outcomes, posted, strict=True)
        if outcome.did is Did.DECIDED
    ]
    assert [goal for goal, _ in decided] == [shown for _, shown in decided], "none is misdirected"
    counts = Count(outcome.did for _, _, outcome in outcomes)
    assert counts[Did.DECIDED] >= bursts // 10, counts
    assert counts[Did.REFUSED] > 0, counts
    taken = [name for name, each in counter.approvals.items() if each["decided_by"] == "operator-key"]
    told = [each for each in desk.inbox.triage.notices if "was not allowed by you" in each]
    assert len(taken) + len(told) + counts[Did.TAKEN_BACK] == len(decided), (
        "each decision counts, is taken back, or is told"
    )
