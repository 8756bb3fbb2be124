"""Agents and operators at all replicas at once, and what they saw.

    workload = Workload(replicas, seed=7)
    workload.begin()
    ...                          # break things
    workload.end()               # after which `history` is whole

Whoever creates tries again at the next replica with the same Idempotency-Key until there is an answer; all else is sent
once, and where no answer came, or one that says that nothing can be said, what became of it is not known.
"""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from itertools import count
from typing import Any, Final

from assent.proof.note import read_checkpoint
from tests.engine.cluster import Replicas, Reply
from tests.engine.history import Created, Decided, Given, History, Read, Stream
from tests.engine.linearizable import ALLOWED, DENIED, NEVER, Call
from tests.live import ADMIN_KEY

WORKERS: Final = 6
READERS: Final = 2
PATIENCE: Final = 30.0
"""Seconds until a creation counts as never answered."""
MOST: Final = 3
"""Actions of an agent with a limit."""
RACED: Final = 5
"""Approvals and receipts of which several want one at once."""
RETRY: Final = (None, 429, 503)
HALT_SECONDS: Final = 0.04
SILENCE: Final = 8.0
"""Seconds that a reader waits for an event that was recorded."""


@dataclass
class Key:
    id: str
    key: str


class Workload:
    def __init__(self, replicas: Replicas, seed: int) -> None:
        self._replicas, self._seed = replicas, seed
        self.history = History()
        self._ended = threading.Event()
        self._resting = threading.Event()
        self._numbers = count(1)
        self._newest: deque[Created] = deque(maxlen=40)
        self._open: deque[Created] = deque(maxlen=RACED)
        self._receipts: deque[Created] = deque(maxlen=RACED)
        self._erasable: deque[str] = deque(maxlen=6)
        self._keys: deque[Key] = deque(maxlen=4)
        self._limited = count(0)
        self._threads: list[threading.Thread] = []
        self._prepare()

    # Before

    def _limited_agent(self, at: int) -> str:
        return f"limited {self._seed} {at}"

    def _asked(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        ends = time.monotonic() + PATIENCE
        while (reply := self._replicas.call(0, method, path, body)).status in RETRY and time.monotonic() < ends:
            time.sleep(0.1)
        assert reply.status in (200, 201), reply
        return reply.body

    def _key(self, name: str, role: str) -> str:
        return str(
            self._asked("POST", "/api/keys", {"name": name, "role": role, "any_agent": role == "agent"})["api_key"]
        )

    def _prepare(self) -> None:
        self._operators = [self._key(f"operator {at}", "operator") for at in range(3)]
        self._agents = [self._key(f"agent {at}", "agent") for at in range(3)]
        ask = {"name": f"ask {self._seed}", "policy_type": "require_approval", "rules": {"action_types": ["deploy"]}}
        self._asked("POST", "/api/policies", ask)
        few = {
            "name": f"few {self._seed}",
            "policy_type": "rate_limit",
            "agent_ids": [self._limited_agent(at) for at in range(200)],
            "rules": {"max_actions": MOST, "window_minutes": 60, "action": "block"},
        }
        policy = self._asked("POST", "/api/policies", few)["policy"]
        self._policy = str(policy["policy_id"])
        self.history.first_version = int(policy["version"])
        self._stream_start = int(self._asked("GET", "/api/log/head")["size"]) - 1

    # While it goes on

    def begin(self) -> None:
        for at in range(WORKERS):
            self._thread(f"worker {at}", self._work)
        self._thread("halts", self._halts)
        self._thread("policies", self._policies)
        self._thread("heads", self._heads)
        for at in range(READERS):
            self._thread(f"reader {at}", self._read_stream)

    def _thread(self, name: str, work: Callable[[random.Random], None]) -> None:
        def run() -> None:
            try:
                work(random.Random(f"{self._seed} {name}"))
            except Exception as error:  # noqa: BLE001 - a worker that fails must not pass for one that saw nothing
                self.history.strange.append(f"{name}: {error!r}")

        self._threads.append(threading.Thread(target=run, name=name, daemon=True))
        self._threads[-1].start()

    def end(self) -> None:
        """Everybody finishes what is under way. Readers go on until they have read a last word, or nobody brings it."""
        self._ended.set()
        for thread in self._threads:
            if not thread.name.startswith("reader"):
                thread.join(PATIENCE + 30)
                if thread.is_alive():
                    self.history.strange.append(f"{thread.name} does not end")
        self._last_word()
        for thread in self._threads:
            thread.join(30)

    def _last_word(self) -> None:
        """An event that the readers get without that anybody asks the replica that they read at; and one more, so that
        they look."""
        self._rest_at = len(self._replicas) - 1
        self._resting.set()
        time.sleep(1.2)
        self._create(random.Random(self._seed), "read", at=0)
        self.history.stream_due = max(int(n) - 1 for (n,) in self._replicas.rows("SELECT n FROM assent.organizations"))
        self._create(random.Random(self._seed), "read", at=0)

    def _any(self, chance: random.Random) -> int:
        return chance.randrange(len(self._replicas))

    def _call(self, at: int, *words: Any, **given: Any) -> Reply:
        reply = self._replicas.call(at, *words, **given)
        self.history.calls += 1
        if reply.status in RETRY:
            self.history.unknown += 1
        return reply

    def _goal(self) -> str:
        """Nobody else's."""
        return f"goal {self._seed} {next(self._numbers)}"

    def _note(self, about: str, reply: Reply, at: int, operation: tuple[str, Any], *, unknown: bool = False) -> None:
        returned = NEVER if unknown else reply.returned
        self.history.registers[about].append(Call(reply.invoked, returned, operation, f"at replica {at}"))

    def _is_strange(self, what: str, reply: Reply) -> None:
        self.history.strange.append(f"{what}: {reply.status} {str(reply.body)[:300]}")

    def _work(self, chance: random.Random) -> None:
        chores: list[tuple[Callable[[random.Random], None], int]] = [
            (self._guard, 6),
            (lambda by: self._create(by, "read") and None, 3),
            (lambda by: self._create(by, "deploy") and None, 3),
            (self._create_limited, 3),
            (self._decide, 5),
            (self._claim, 5),
            (self._look, 5),
            (self._use_key, 4),
            (self._turn_keys, 1),
            (self._make_erasable, 1),
            (self._erase, 1),
        ]
        while not self._ended.is_set():
            [chore] = chance.choices([each for each, _ in chores], [weight for _, weight in chores])
            chore(chance)

    def _guard(self, chance: random.Random) -> None:
        at, goal = self._any(chance), self._goal()
        self.history.tried.append(goal)
        after = time.time()
        body = {"agent_id": "scout", "action_type": "read", "declared_goal": goal}
        reply = self._call(at, "POST", "/api/guard", body, key=chance.choice(self._agents))
        if reply.status == 200:
            halted = "builtin:halt" in reply.body["matched_policies"]
            self._note("halt", reply, at, ("set", halted))
            self._note("policies", reply, at, ("read", int(reply.body["policy_version"])))
            self.history.decided.append(Decided(goal, str(reply.body["decision_id"]), after, time.time()))
        elif reply.status not in RETRY:
            self._is_strange("guard", reply)

    def _create(self, chance: random.Random, kind: str, agent: str = "scout", at: int | None = None) -> Created | None:
        """Try again elsewhere until it is answered."""
        goal = self._goal()
        self.history.tried.append(goal)
        body = {"agent_id": agent, "action_type": kind, "declared_goal": goal}
        at, key, ends = (
            self._any(chance) if at is None else at,
            chance.choice(self._agents),
            time.monotonic() + PATIENCE,
        )
        while True:
            reply = self._call(at, "POST", "/api/actions", body, key=key, headers={"idempotency-key": goal})
            if reply.status not in RETRY:
                break
            if time.monotonic() > ends:
                self.history.strange.append(f"a creation was never answered: {reply.status} {reply.body}")
                return None
            at = (at + 1) % len(self._replicas)
            time.sleep(0.02)
        if reply.status in (200, 201, 202):
            created = Created(goal, str(reply.body["action_id"]), reply.returned)
            self._newest.append(created)
            if reply.status == 202:
                self._note(f"approval {created.id}", reply, at, ("read", "pending_approval"))
                self._open.append(created)
        elif reply.code == "action_blocked":
            created = Created(goal, "", reply.returned)
        else:
            self._is_strange("creation", reply)
            return None
        self.history.created.append(created)
        return created

    def _create_limited(self, chance: random.Random) -> None:
        """Eight tries for each agent that may three, close together."""
        self._create(chance, "read", self._limited_agent(next(self._limited) // 8 % 200))

    def _decide(self, chance: random.Random) -> None:
        if not self._open:
            return
        created = chance.choice(list(self._open))
        at, who = self._any(chance), chance.randrange(len(self._operators))
        verdict = chance.choice(("allow", "allow", "deny"))
        became = ALLOWED if verdict == "allow" else DENIED
        said = {"decision": verdict, "reasoning": "as I see it"}
        path = f"/api/actions/{created.id}/approve"
        reply = self._call(at, "POST", path, said, key=self._operators[who])
        about = f"approval {created.id}"
        if reply.status == 200:
            self._note(about, reply, at, ("decide", became))
            self.history.winners.append(("decided", created.id, str(who)))
            if verdict == "allow":
                self._receipts.append(created)
        elif reply.code == "already_decided":
            self._note(about, reply, at, ("decided", None))
        elif reply.status in RETRY:
            self._note(about, reply, at, ("try", became), unknown=True)
        elif reply.code != "halted":
            self._is_strange("decision", reply)

    def _claim(self, chance: random.Random) -> None:
        several = list(self._receipts) or list(self._open)
        if not several:
            return
        created = chance.choice(several)
        at, who = self._any(chance), chance.randrange(len(self._agents))
        body = {"action_type": "deploy", "declared_goal": created.goal}
        reply = self._call(at, "POST", f"/api/actions/{created.id}/claim", body, key=self._agents[who])
        about = f"approval {created.id}"
        if reply.status == 200:
            self._note(about, reply, at, ("claim", who))
            self.history.winners.append(("claimed", created.id, str(who)))
        elif reply.code == "receipt_used":
            self._note(about, reply, at, ("claimed", None))
        elif reply.code == "not_approved":
            self._note(about, reply, at, ("unclaimable", None))
        elif reply.status in RETRY:
            self._note(about, reply, at, ("grab", who), unknown=True)
        elif reply.code != "halted":
            self._is_strange("claim", reply)

    def _look(self, chance: random.Random) -> None:
        """At something that was acknowledged a moment ago, at any replica."""
        several = [*list(self._newest)[-4:], *self._open, *self._receipts]
        if not several:
            return
        created, at = chance.choice(several), self._any(chance)
        reply = self._call(at, "GET", f"/api/actions/{created.id}")
        if reply.status in (200, 404, 410):
            self.history.reads.append(Read(created.id, created.at, reply.invoked, at, reply.status != 404))
            if reply.status == 200 and reply.body["action"]["action_type"] == "deploy":
                self._note(f"approval {created.id}", reply, at, ("read", reply.body["action"]["status"]))
        elif reply.status not in RETRY:
            self._is_strange("look", reply)

    def _use_key(self, chance: random.Random) -> None:
        if not self._keys:
            return
        key, at = chance.choice(list(self._keys)), self._any(chance)
        if chance.random() < 0.5:
            reply = self._call(at, "GET", "/api/keys/own", key=key.key)
        else:
            body = {"agent_id": "scout", "action_type": "read", "declared_goal": self._goal()}
            self.history.tried.append(body["declared_goal"])
            reply = self._call(at, "POST", "/api/guard", body, key=key.key)
        if reply.status in (200, 401):
            self._note(f"key {key.id}", reply, at, ("read", "revoked" if reply.status == 401 else "live"))
        elif reply.status not in RETRY:
            self._is_strange("key", reply)

    def _turn_keys(self, chance: random.Random) -> None:
        """Make one, or revoke one."""
        at = self._any(chance)
        if len(self._keys) < 2:
            reply = self._call(at, "POST", "/api/keys", {"name": "of a round", "role": "operator"})
            if reply.status == 201:
                self._keys.append(Key(str(reply.body["key"]["key_id"]), str(reply.body["api_key"])))
            return
        key = chance.choice(list(self._keys))
        reply = self._call(at, "DELETE", f"/api/keys/{key.id}")
        if reply.status == 200:
            self._note(f"key {key.id}", reply, at, ("write", "revoked"))
        elif reply.status in RETRY:
            self._note(f"key {key.id}", reply, at, ("write", "revoked"), unknown=True)
        # Whoever has it goes on using it for a while.
        time.sleep(0.2)
        with suppress(ValueError):
            self._keys.remove(key)

    def _make_erasable(self, chance: random.Random) -> None:
        created = self._create(chance, "read")
        if created is None or not created.id:
            return
        ends = time.monotonic() + PATIENCE
        while time.monotonic() < ends:
            reply = self._call(self._any(chance), "PATCH", f"/api/actions/{created.id}", {"status": "completed"})
            if reply.status not in RETRY:
                self._erasable.append(created.id)
                return
            time.sleep(0.02)

    def _erase(self, chance: random.Random) -> None:
        if not self._erasable:
            return
        action_id, at = chance.choice(list(self._erasable)), self._any(chance)
        about = f"erased {action_id}"
        if chance.random() < 0.5:
            reply = self._call(at, "POST", f"/api/actions/{action_id}/erase", {"reason": "ticket 1"})
            if reply.status == 200:
                self._note(about, reply, at, ("write", "erased"))
                self.history.erased.append(action_id)
            elif reply.status in RETRY:
                self._note(about, reply, at, ("write", "erased"), unknown=True)
        else:
            reply = self._call(at, "GET", f"/api/actions/{action_id}")
            if reply.status == 200:
                self._note(about, reply, at, ("read", None))
        if reply.status == 410:
            self._note(about, reply, at, ("read", "erased"))
        elif reply.status != 200 and reply.status not in RETRY:
            self._is_strange("erasure", reply)

    def _halts(self, chance: random.Random) -> None:
        """On for a moment, off for longer, and off at the end."""
        while not self._ended.is_set():
            self._ended.wait(chance.uniform(0.1, 0.3))
            reason = f"stop {next(self._numbers)}"
            at = self._any(chance)
            reply = self._call(at, "POST", "/api/halt", {"reason": reason})
            self._note("halt", reply, at, ("write", reason), unknown=reply.status in RETRY)
            time.sleep(HALT_SECONDS)
            at = self._any(chance)
            reply = self._call(at, "GET", "/api/halt")
            if reply.status == 200:
                self._note("halt", reply, at, ("read", reply.body["reason"]))
            ends = time.monotonic() + PATIENCE
            while time.monotonic() < ends:
                at = self._any(chance)
                reply = self._call(at, "DELETE", "/api/halt")
                self._note("halt", reply, at, ("write", None), unknown=reply.status in RETRY)
                if reply.status not in RETRY:
                    break
                time.sleep(0.05)

    def _policies(self, chance: random.Random) -> None:
        while not self._ended.is_set():
            self._ended.wait(chance.uniform(0.05, 0.2))
            at = self._any(chance)
            reply = self._call(
                at, "PATCH", f"/api/policies/{self._policy}", {"name": f"few {self._seed} {next(self._numbers)}"}
            )
            if reply.status == 200:
                self._note("policies", reply, at, ("raise", int(reply.body["policy"]["version"])))
            elif reply.status in RETRY:
                self._note("policies", reply, at, ("raise", None), unknown=True)
            else:
                self._is_strange("policy", reply)

    def _heads(self, chance: random.Random) -> None:
        while not self._ended.is_set():
            at = self._any(chance)
            reply = self._call(at, "GET", "/api/log/head")
            if reply.status == 200:
                note = str(reply.body["checkpoint"])
                self.history.heads.append(Given(read_checkpoint(note)[0], note, at))
            elif reply.status not in RETRY:
                self._is_strange("head", reply)
            self._ended.wait(chance.uniform(0.0, 0.05))

    # Streams

    def _read_stream(self, chance: random.Random) -> None:
        """A second or less at one replica, then on at another one from the last id. At rest: at the last replica until
        it has brought what was said last, for ten seconds at most."""
        name = threading.current_thread().name
        ids: list[int] = []
        self.history.streams.append(Stream(name, self._stream_start, ids))
        while not self._resting.is_set():
            with suppress(OSError, ValueError):
                self._listen(self._any(chance), ids, time.monotonic() + chance.uniform(0.2, 0.8))
            time.sleep(0.01)
        ends = time.monotonic() + SILENCE
        while time.monotonic() < ends and not self._has_all(ids):
            with suppress(OSError, ValueError):
                self._listen(self._rest_at, ids, ends, quiet=SILENCE)

    def _has_all(self, ids: list[int]) -> bool:
        return bool(ids) and self.history.stream_due is not None and ids[-1] >= self.history.stream_due

    def _listen(self, at: int, ids: list[int], ends: float, quiet: float = 0.3) -> None:
        connection = HTTPConnection("127.0.0.1", self._replicas.links[at].front.port, timeout=quiet)
        try:
            last = str(ids[-1] if ids else self._stream_start)
            connection.request("GET", "/api/stream", headers={"x-api-key": ADMIN_KEY, "last-event-id": last})
            response: HTTPResponse = connection.getresponse()
            if response.status != 200:
                if response.status not in RETRY:
                    self.history.strange.append(f"stream: {response.status} {response.read(300)!r}")
                return
            event: int | None = None
            while time.monotonic() < ends and not self._has_all(ids) and (line := response.readline()):
                if line.startswith(b"id:"):
                    event = int(line[3:])
                elif line == b"\n" and event is not None:
                    # A frame counts when it is whole; one that was cut comes again.
                    ids.append(event)
                    event = None
        except TimeoutError:
            return
        finally:
            connection.close()
