"""Cassettes: what a real service answered once, for tests that run without one.

The first run records, each later one replays. A cassette is JSON to be kept beside the test: method, address, body and
answer of each call, without headers but the answer's content type, and without what looks like a secret
(`assent.secrets`). A call is found by its method, its address and its body; what is another one in each run (how long
something took, keys of repetitions) is not compared, and neither is what was taken out: another secret of the same kind
in the same place is the same question. A reading that comes more often than it was recorded, as polling does, gets its
last answer again. The action of a creation has the key of the creation that asks now, in all later answers too, so that
a governed call finds its own. Anything that was not recorded fails: a cassette never asks a service by itself.

The event stream is not recorded: whoever waits polls instead.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import httpx

from assent.client.answer import bare
from assent.contract.control.actions import CREATE_ACTION
from assent.contract.events import STREAM
from assent.secrets import displayed, redact_members

KEY = "idempotency_key"
NOT_COMPARED = frozenset({"duration_ms", "timestamp_start", "timestamp_end", "occurred_at", KEY})


class NotRecorded(AssertionError):
    """The code asks something else than it did when the cassette was recorded; or the cassette is missing, and there is
    no service to record it from."""


class Cassette:
    """The cassette of this file, which is recorded where the file is missing. `http_client` and `async_http_client` are
    for `Client` and `AsyncClient`; recording, they go to the service that these name. `save` writes what was recorded,
    and leaving `with` does."""

    def __init__(self, file: str | os.PathLike[str]) -> None:
        self.file = Path(file)
        self.records = not self.file.exists()
        """Whether this run records."""
        self._lock = threading.Lock()
        self._calls: list[dict[str, Any]] = [] if self.records else json.loads(self.file.read_text(encoding="utf-8"))
        self._played: set[int] = set()
        self._keys: dict[str, str] = {}
        """The key of each creation as it was recorded, and as it is in this run."""

    def http_client(self) -> httpx.Client:
        return httpx.Client(transport=_Recorder(self))

    def async_http_client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=_AsyncRecorder(self))

    def save(self) -> None:
        if self.records:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self.file.write_text(json.dumps(self._calls, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def __enter__(self) -> Cassette:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.save()

    def record(self, request: httpx.Request, response: httpx.Response, content: bytes) -> httpx.Response:
        """Keep an exchange, and give the answer on."""
        said = {
            **_asked(request),
            "status": response.status_code,
            "content_type": response.headers.get("content-type", ""),
            "answer": _plain(content),
        }
        with self._lock:
            self._calls.append(said)
        headers = {"content-type": response.headers.get("content-type", ""), **_bound(request)}
        return httpx.Response(response.status_code, headers=headers, content=content)

    def no_service(self, request: httpx.Request, error: httpx.TransportError) -> None:
        """Raises NotRecorded where nothing is recorded yet, so that a service that is not there is told at once."""
        if not self._calls:
            raise NotRecorded(
                f"the cassette {self.file} is missing, so this run records, and needs the service at "
                f"{bare(str(request.url.join('/')))}, which gives no answer ({error}). Start it, or put the file there"
            ) from error

    def replay(self, request: httpx.Request) -> httpx.Response:
        """Raises NotRecorded."""
        asked = _asked(request)
        with self._lock:
            alike = [at for at, call in enumerate(self._calls) if _compared(call) == _compared(asked)]
            fresh = [at for at in alike if at not in self._played]
            if not fresh and not (alike and request.method == "GET"):
                left = [
                    f"{call['method']} {call['path']}" for at, call in enumerate(self._calls) if at not in self._played
                ]
                raise NotRecorded(
                    f"{self.file.name} has no {'other ' if alike else ''}{asked['method']} {asked['path']} with this "
                    f"body; next there is {left[0] if left else 'nothing'}. Delete the file to record it anew"
                )
            at = fresh[0] if fresh else alike[-1]
            self._played.add(at)
            call = self._calls[at]
            recorded, current = _key_of_action(call), _key(request)
            if recorded is not None and current is not None:
                self._keys[recorded] = current
            answer = _with_keys(call["answer"], self._keys)
        content = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
        headers = {"content-type": call["content_type"], **_bound(request)}
        return httpx.Response(call["status"], headers=headers, content=content)


class _Recorder(httpx.BaseTransport):
    def __init__(self, cassette: Cassette) -> None:
        self._cassette = cassette
        self._real = httpx.HTTPTransport() if cassette.records else None

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        if _is_stream(request):
            return _no_stream(request)
        if self._real is None:
            return self._cassette.replay(request)
        try:
            response = self._real.handle_request(request)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            self._cassette.no_service(request, error)
            raise
        try:
            return self._cassette.record(request, response, response.read())
        finally:
            response.close()

    def close(self) -> None:
        if self._real is not None:
            self._real.close()


class _AsyncRecorder(httpx.AsyncBaseTransport):
    def __init__(self, cassette: Cassette) -> None:
        self._cassette = cassette
        self._real = httpx.AsyncHTTPTransport() if cassette.records else None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        if _is_stream(request):
            return _no_stream(request)
        if self._real is None:
            return self._cassette.replay(request)
        try:
            response = await self._real.handle_async_request(request)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            self._cassette.no_service(request, error)
            raise
        try:
            return self._cassette.record(request, response, await response.aread())
        finally:
            await response.aclose()

    async def aclose(self) -> None:
        if self._real is not None:
            await self._real.aclose()


def _is_stream(request: httpx.Request) -> bool:
    return request.method == STREAM.method and request.url.path.endswith(STREAM.path)


def _no_stream(request: httpx.Request) -> httpx.Response:
    return httpx.Response(404, headers=_bound(request), json={"code": "not_served", "detail": "no stream is recorded"})


def _bound(request: httpx.Request) -> dict[str, str]:
    """An answer is bound to its question; the one of before carried another id."""
    return {"x-request-id": request.headers.get("x-request-id", "")}


def _asked(request: httpx.Request) -> dict[str, Any]:
    return {
        "method": request.method,
        "path": displayed(request.url.raw_path.decode()),
        "body": _plain(request.content) if request.content else None,
    }


def _key(request: httpx.Request) -> str | None:
    """By which the question can be repeated: its header's, else its body's."""
    body = _plain(request.content) if request.content else None
    own = cast("dict[str, Any]", body).get(KEY) if isinstance(body, dict) else None
    key: str | None = request.headers.get("idempotency-key", own)
    return key


def _key_of_action(call: Mapping[str, Any]) -> str | None:
    """The key of the action that this call created, if it did."""
    if (call["method"], call["path"].partition("?")[0]) != (CREATE_ACTION.method, CREATE_ACTION.path):
        return None
    answer = call["answer"]
    action = answer.get("action") if isinstance(answer, dict) else None
    key: str | None = cast("dict[str, Any]", action).get(KEY) if isinstance(action, dict) else None
    return key


def _with_keys(answer: Any, keys: Mapping[str, str]) -> Any:
    if isinstance(answer, list):
        return [_with_keys(each, keys) for each in answer]
    if not isinstance(answer, dict):
        return answer
    members = cast("dict[str, Any]", answer)
    return {
        name: keys.get(value, value) if name == KEY and isinstance(value, str) else _with_keys(value, keys)
        for name, value in members.items()
    }


def _plain(content: bytes) -> Any:
    """JSON as it is, anything else as text; without secrets."""
    try:
        return redact_members(json.loads(content))
    except ValueError:
        return displayed(content.decode("utf-8", "replace"))


def _compared(call: Mapping[str, Any]) -> tuple[str, str, str]:
    body = call["body"]
    if isinstance(body, dict):
        members = cast("dict[str, Any]", body)
        body = {name: value for name, value in members.items() if name not in NOT_COMPARED}
    return call["method"], call["path"], json.dumps(body, sort_keys=True)
