"""The published clients as tests see them: methods of theirs, performed in processes that run on.

A process holds one version and is handed from test to test; each test gets a client that is made anew in it, with an
address, a key and an agent of its own, since the organization is what keeps tests apart.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.live import PUBLISHED

PATIENCE = 60.0
"""Seconds after which a call hangs; an agent has to be unblocked within two."""
PROGRAM = Path(__file__).with_name("process.py")
BEHIND = {
    "in_context": "action_context",
    "said_in_context": "action_context",
    "downloaded": "get_attachment",
    "wrapped": "wrap_client",
}
"""The method behind what process.py performs, where that gives no JSON of its own."""
ANSWERED: set[tuple[str, str]] = set()
"""Version and method of every call that came back with a result which its test looked at.

What is no object (a text, a list, nothing at all) counts as soon as it is there: one cannot tell who looks at it.
"""


class PublishedError(Exception):
    """What the client raised: its class by name, its text, and the members that it carries."""

    def __init__(self, raised: dict[str, Any]) -> None:
        super().__init__(f"{raised['type']}: {raised['text']}")
        self.type: str = raised["type"]
        self.text: str = raised["text"]
        self.members: dict[str, Any] = raised["members"]


class Answer(dict[str, Any]):
    """A result that tells when a test takes a member of it, or compares it."""

    def __init__(self, members: dict[str, Any], looked: Callable[[], None]) -> None:
        super().__init__(members)
        self._looked = looked

    def __getitem__(self, name: str) -> Any:
        self._looked()
        return super().__getitem__(name)

    def __eq__(self, other: object) -> bool:
        self._looked()
        return super().__eq__(other)

    __hash__ = None  # as a dict has none


class PublishedClient:
    """The client, seen from the test. `client.guard({...})` calls its method of that name."""

    def __init__(self, version: str, process: subprocess.Popen[str]) -> None:
        self.version = version
        self.waiting = False
        self._process = process
        self._sent = ""

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            self.send(name, *args, **kwargs)
            return self.receive()

        return call

    def become(self, **arguments: Any) -> None:
        """A new client, made of these arguments."""
        self._write({"become": arguments})
        assert self._read() == {"result": None}

    def send(self, name: str, /, *args: Any, **kwargs: Any) -> None:
        """Begin a call; `receive` gives what it answered."""
        self._sent = name
        self._write({"name": name, "args": args, "kwargs": kwargs})

    def receive(self) -> Any:
        """Raises PublishedError for what the client raised. A client that does not come back is killed."""
        answer = self._read()
        if "raised" in answer:
            raise PublishedError(answer["raised"])
        result, call = answer["result"], (self.version, BEHIND.get(self._sent, self._sent))
        if isinstance(result, dict):
            return Answer(result, lambda: ANSWERED.add(call))
        ANSWERED.add(call)
        return result

    def _write(self, said: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self.waiting = True
        self._process.stdin.write(json.dumps(said) + "\n")
        self._process.stdin.flush()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        watch = threading.Timer(PATIENCE, self._process.kill)
        watch.start()
        line = self._process.stdout.readline()
        watch.cancel()
        assert line, "the published client has ended, or did not come back and was killed"
        self.waiting = False
        answer: dict[str, Any] = json.loads(line)
        return answer


class Processes:
    """Lends clients out. `place` has a folder for each version."""

    def __init__(self, running: ExitStack, place: Path = PUBLISHED) -> None:
        self._running, self._place = running, place
        self._idle: dict[str, list[subprocess.Popen[str]]] = defaultdict(list)

    @contextmanager
    def client(
        self, version: str, base_url: str, key: str, agent_id: str, private_key: Path | None = None
    ) -> Iterator[PublishedClient]:
        """With the file of a private key it signs."""
        process = self._idle[version].pop() if self._idle[version] else self._start(version)
        client = PublishedClient(version, process)
        signed = None if private_key is None else str(private_key)
        try:
            client.become(base_url=base_url, api_key=key, agent_id=agent_id, private_key=signed)
            yield client
        finally:
            if client.waiting:
                process.kill()
            else:
                self._idle[version].append(process)

    def _start(self, version: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-P", str(PROGRAM), str((self._place / version).resolve())]
        process = self._running.enter_context(
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        )
        self._running.callback(process.kill)
        return process
