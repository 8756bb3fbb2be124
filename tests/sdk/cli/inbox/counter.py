"""A fake service with what the inbox asks besides, and an inbox over it whose stream the test speaks on."""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import httpx
import msgspec
from textual.pilot import Pilot
from textual.widgets import Static

from assent import Client
from assent.cli.inbox.card import owed
from assent.cli.inbox.forms import Form
from assent.cli.inbox.inbox_client import InboxClient, StreamListener
from assent.cli.inbox.screen import Inbox
from assent.cli.inbox.triage import REPEATED
from assent.contract.events import Event
from assent.contract.problems import Code
from tests.sdk.cli.desk import Desk
from tests.sdk.client.doubles import bound
from tests.sdk.data.fake_service import NOW, URL, Refusal, Route

WAIT = 8.0


class Counter(Desk):
    """`gone` makes every request fail as if nobody listened; `given` are the arguments of actions, as far as known."""

    gone = False
    lose_next = False
    role = "operator"

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.given: dict[str, dict[str, Any]] = {}

    def trace(self, _: httpx.Request, __: object, action_id: str) -> tuple[int, object]:
        """What guard looked at, and nothing else."""
        if action_id not in self.given:
            raise Refusal(Code.ACTION_NOT_FOUND, "nothing is known of it")
        none: dict[str, Any] = {"total": 0, "items": []}
        rest: dict[str, Any] = {"messages": none, "proof": None}
        rest["assumptions"] = none | dict.fromkeys(("validated", "invalidated", "unvalidated"), 0)
        rest["loops"] = none | dict.fromkeys(("open", "resolved", "cancelled"), 0)
        lists = ("parent_chain", "sub_actions", "related_actions", "changes", "root_cause_indicators")
        return 200, {
            "action": self.actions[action_id],
            "approval": self.approvals[action_id],
            "context": {"parameters": self.given[action_id]},
            "trace": {name: [] for name in lists} | rest,
        }

    def client(self, *_: object, **__: object) -> Client:
        http = httpx.Client(transport=httpx.MockTransport(bound(self._reach)))
        return Client(URL, "oc_test", http=http, retries=0)

    def _reach(self, request: httpx.Request) -> httpx.Response:
        if self.gone:
            raise httpx.ConnectError("nobody listens", request=request)
        answer = self._answer(request)
        if self.lose_next and request.method == "POST":
            self.lose_next = False
            raise httpx.ReadError("the line was cut", request=request)
        return answer

    def wait(self, count: int, **more: Any) -> list[str]:
        """So many actions that wait, each a minute younger than the one before."""
        ids = []
        for number in range(count):
            action_id = self.waits("deploy", f"goal {len(self.actions)}")
            at = NOW + timedelta(minutes=len(self.actions))
            self.actions[action_id] |= {"created_at": at, **more}
            self.approvals[action_id] |= {"requested_at": at, "expires_at": at + timedelta(days=1)}
            ids.append(action_id)
            assert number < count
        return ids

    def decided(self, action_id: str) -> Event:
        """The event that tells of a decision."""
        return Event(id=1, event="approval.decided", data=msgspec.to_builtins(self.approvals[action_id]))

    def withdraw(self, action_id: str, by: str, why: str) -> None:
        """Whoever asked takes the question back."""
        self.approvals[action_id] |= {"state": "withdrawn", "decided_by": by, "decided_at": NOW, "reasoning": why}
        self.actions[action_id] |= {"status": "cancelled"}

    def withdrawn(self, action_id: str) -> Event:
        """The event that tells of it."""
        return Event(id=1, event="approval.withdrawn", data=msgspec.to_builtins(self.approvals[action_id]))

    def list_approvals(self, request: httpx.Request, _: object) -> tuple[int, object]:
        """Those of an agent and type that do not wait, newest first."""
        params = request.url.params
        found = [
            {"action": action, "approval": self.approvals[name], "context_digest": None}
            for name, action in reversed(self.actions.items())
            if name in self.approvals
            and self.approvals[name]["state"] != params.get("exclude_state", "awaiting")
            and self.approvals[name]["state"] == params.get("state", self.approvals[name]["state"])
            and (action["agent_id"], action["action_type"]) == (params["agent_id"], params["action_type"])
        ]
        page = found[: int(params["limit"])]
        return 200, {"approvals": page, "total": len(found), "lastUpdated": NOW, "next_cursor": None}

    def own_key(self, _: httpx.Request, __: object) -> tuple[int, object]:
        self.make_key(httpx.Request("GET", URL), {"name": "ana", "role": self.role})
        return 200, self.keys["key_0"]

    def decide_once(self, request: httpx.Request, body: dict[str, Any], action_id: str) -> tuple[int, object]:
        """As the service does: the same key gets the first answer again."""
        key = request.headers["idempotency-key"]
        approval = self.approvals.get(action_id)
        if approval is not None and approval["idempotency_key"] == key:
            return 200, {"success": True, "action": self.actions[action_id], "approval": approval}
        answer = self.approve(request, body, action_id)
        self.approvals[action_id]["idempotency_key"] = key
        return answer[0], {**_members(answer[1]), "approval": self.approvals[action_id]}


def _members(answer: object) -> dict[str, Any]:
    assert isinstance(answer, dict)
    return answer


MORE: list[Route] = [
    ("GET", "/api/actions/([^/]+)/trace", Counter.trace),
    ("GET", "/api/keys/own", Counter.own_key),
    ("GET", "/api/approvals", Counter.list_approvals),
    ("POST", "/api/actions/([^/]+)/approve", Counter.decide_once),
]
Counter.routes = [*MORE, *Desk.routes]


class Wire:
    """The stream of a test: what it is told goes to the inbox from another thread, as the real one's does."""

    def __init__(self) -> None:
        self.listener: StreamListener | None = None
        self._ended = threading.Event()

    def follow(self, listener: StreamListener) -> None:
        self.listener = listener
        self._ended.wait(WAIT)

    def tell(self, event: Event) -> None:
        assert self.listener is not None
        self.listener.heard(event)


class Sitting:
    """An open inbox, and what a person sees of it."""

    def __init__(self, inbox: Inbox, pilot: Pilot[None], wire: Wire) -> None:
        self.inbox, self.pilot, self.wire = inbox, pilot, wire
        self.hasty = False
        """Whether keys are pressed before the card was read to the end."""

    def text(self, selector: str) -> str:
        widget = self.inbox.screen.query_one(selector, Static)
        return str(widget.content) if widget.display else ""

    @property
    def cursor(self) -> str | None:
        return self.inbox.board.cursor

    def line(self, number: int) -> str:
        """A line of the screen as it is drawn."""
        strips = self.inbox.screen._compositor.render_strips()
        return strips[number].text

    def drawn(self) -> str:
        return "\n".join(strip.text.rstrip() for strip in self.inbox.screen._compositor.render_strips())

    async def until(self, holds: Callable[[], bool], what: str = "") -> None:
        """Wait until something is so."""
        end = time.monotonic() + WAIT
        while not holds():
            assert time.monotonic() < end, f"not so within {WAIT} s: {what}\n{self.drawn()}"
            await self.pilot.pause(0.02)

    async def press(self, *keys: str) -> None:
        """Each key once what the cursor is on was shown, as somebody presses who looks and holds no key down."""
        for before, key in zip((None, *keys), keys, strict=False):
            await self.seen()
            if key == before and len(self.inbox.screen_stack) == 1:
                await self.pilot.pause(REPEATED + 0.02)
            await self.pilot.press(key)
        await self.pilot.pause()

    async def seen(self) -> None:
        """Wait until list and card show what the cursor is on, with its arguments, or the form that is open is drawn;
        or there is nothing to be seen."""
        end = time.monotonic() + 1.0
        while self._comes() and time.monotonic() < end:
            await self.pilot.pause(0.01)

    def _comes(self) -> bool:
        """Whether what a key would be about is not on the screen yet."""
        inbox = self.inbox
        if not inbox.screen_stack or inbox.away is not None:
            return False
        if len(inbox.screen_stack) > 1:
            return isinstance(inbox.screen, Form) and inbox.screen.drawn_at is None
        item, now = inbox.board.current(), time.monotonic()
        if item is None:
            return False
        name = item.action.action_id
        looked_at = inbox.board.looked_at.get(name)
        whole = looked_at is not None and not inbox.triage.shown.lacks(name, owed(item, looked_at), now)
        ended = inbox.board.item(name) is None
        return not inbox.triage.seen(now) or not (whole or ended or self.hasty)


@asynccontextmanager
async def sitting(
    counter: Counter, size: tuple[int, int] = (110, 30), may_decide: str | None = None, hold: float = 0.0
) -> AsyncIterator[Sitting]:
    """The inbox, open in front of the fake service. What is decided leaves at once, unless `hold` says otherwise."""
    wire = Wire()
    with counter.client() as client:
        inbox_client = InboxClient(client)
        inbox = Inbox(
            inbox_client, inbox_client.listing(), wire.follow, lambda name: f"{URL}/replay/{name}", may_decide, hold
        )
        async with inbox.run_test(size=size) as pilot:
            await pilot.pause()
            yield Sitting(inbox, pilot, wire)
        wire._ended.set()
