"""A published client in a process of its own, so that versions do not mix: calls come in and answers go out as JSON.

    python tests/stories/published/client.py FOLDER BASE_URL API_KEY AGENT_ID [PRIVATE_KEY_FILE]

FOLDER holds the package. It needs nothing of ours, as the agents that have that client do not either.
"""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

PATIENCE = 20.0
"""Seconds after which a call hangs; an agent has to be unblocked within two."""


ANSWERED: set[tuple[str, str]] = set()
"""Version and method of every call that came back with a result."""


class PublishedError(Exception):
    """What the client raised: its class by name, its text, and the members that it carries."""

    def __init__(self, raised: dict[str, Any]) -> None:
        super().__init__(f"{raised['type']}: {raised['text']}")
        self.type: str = raised["type"]
        self.text: str = raised["text"]
        self.members: dict[str, Any] = raised["members"]


class PublishedClient:
    """The client, seen from the test. `client.guard({...})` calls its method of that name."""

    def __init__(self, version: str, process: subprocess.Popen[str]) -> None:
        self.version = version
        self._process = process
        self._sent = ""

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            self.send(name, *args, **kwargs)
            return self.receive()

        return call

    def send(self, name: str, /, *args: Any, **kwargs: Any) -> None:
        """Begin a call; `receive` gives what it answered."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"name": name, "args": args, "kwargs": kwargs}) + "\n")
        self._process.stdin.flush()
        self._sent = name

    def receive(self) -> Any:
        """Raises PublishedError for what the client raised. A client that does not come back is killed."""
        assert self._process.stdout is not None
        watch = threading.Timer(PATIENCE, self._process.kill)
        watch.start()
        line = self._process.stdout.readline()
        watch.cancel()
        assert line, "the published client has ended, or did not come back and was killed"
        answer = json.loads(line)
        if "raised" in answer:
            raise PublishedError(answer["raised"])
        ANSWERED.add((self.version, self._sent))
        return answer["result"]


@contextmanager
def published_client(
    place: Path, version: str, base_url: str, key: str, agent_id: str, private_key: Path | None = None
) -> Iterator[PublishedClient]:
    """The client of this version; `place` holds a folder for each. With the file of a private key it signs."""
    command = [sys.executable, __file__, str((place / version).resolve()), base_url, key, agent_id]
    command += [] if private_key is None else [str(private_key)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield PublishedClient(version, process)
        finally:
            process.kill()


def _perform(client: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if name == "track":
        failing = kwargs.pop("failing", None)
        with client.track(*args, **kwargs) as tracked:
            if failing:
                raise ValueError(failing)
        return tracked
    if name == "in_context":
        with client.action_context(args[0]) as context:
            return [context.record_assumption(args[1]), context.update_outcome(**kwargs)]
    if name == "said_in_context":
        with client.action_context(args[0]) as context:
            return context.send_message(*args[1:], **kwargs)
    if name == "wrapped":
        # A language model's client, as far as the published one looks into it.
        llm = SimpleNamespace(messages=SimpleNamespace(create=lambda **_: SimpleNamespace(**kwargs)))
        kwargs["usage"] = SimpleNamespace(**kwargs["usage"])
        return client.wrap_client(llm).messages.create(model=kwargs["model"]).model
    if name == "downloaded":
        file = client.get_attachment(*args)
        return {**file, "data": list(file["data"])}
    return getattr(client, name)(*args, **kwargs)


def _answer(client: Any, call: dict[str, Any]) -> dict[str, Any]:
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            return {"result": _perform(client, call["name"], call["args"], call["kwargs"])}
    except Exception as error:  # noqa: BLE001 - whatever the client raises is what the test looks at
        members = {name: value for name, value in vars(error).items() if not name.startswith("_")}
        return {"raised": {"type": type(error).__name__, "text": str(error), "members": members}}


def _signing(private_key: str | None) -> dict[str, Any]:
    """As an agent hands its key over."""
    if private_key is None:
        return {}
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    return {"private_key": load_pem_private_key(Path(private_key).read_bytes(), password=None)}


def _serve(folder: str, base_url: str, key: str, agent_id: str, private_key: str | None = None) -> None:
    sys.path.insert(0, folder)
    import dashclaw  # type: ignore[import-not-found]  # it lies in `folder` only

    assert str(Path(dashclaw.__file__).parent.parent) == folder
    client = dashclaw.DashClaw(base_url=base_url, api_key=key, agent_id=agent_id, **_signing(private_key))
    for line in sys.stdin:
        print(json.dumps(_answer(client, json.loads(line))), flush=True)


if __name__ == "__main__":
    _serve(*sys.argv[1:])
