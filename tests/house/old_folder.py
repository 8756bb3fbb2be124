"""A data folder that commit 6a49c10 wrote, and today's service over a copy of it, at a time that stands still.

`folder.tar.xz` holds `home` (the folder: every noun, erased rows, signed heads, webhooks, a sealed segment, three
organizations), `bundles` (proofs that were given out then, with key sets and heads), `keys.json` (API keys by whose
they are) and `requests.jsonl`: what the service of then was asked, in this order, as [key, method, path, body,
status].

`answers.jsonl.xz` is what commit 6704f3d answered to every GET over it. After a deliberate change of the API run
`python -m tests.house.old_folder`: it asks everything anew, shows what is different, and writes that.
"""

from __future__ import annotations

import asyncio
import difflib
import json
import lzma
import re
import sys
import tarfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from litestar.testing import TestClient

from assent_service.app import build
from assent_service.core.settings import Settings

HOUSE = Path(__file__).parent
FOLDER = HOUSE / "folder.tar.xz"
ANSWERS = HOUSE / "answers.jsonl.xz"
NOW = 1_795_404_206_000_000
"""Microseconds since 1970, a minute after the folder's last event: the service's clock says nothing else."""
VARYING = (
    (re.compile(r"[0-9.]+% of the data folder's disk is free \([0-9]+ MB\)"), "DISK"),
    (re.compile(r'"state":"[0-9a-f]{32}"'), "TABLE"),  # of a table's days: another one after each start
)
"""What no clock decides. Everything else of an answer is compared byte for byte."""


_DIGITS = re.compile(r"[0-9]+\.[0-9]{10,}(e-?[0-9]+)?")


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """`key` is whose key asked (a name of `keys.json`, or "nobody"); `body` is text."""

    key: str
    path: str
    status: int
    content_type: str
    body: str


def unpack(into: Path) -> Path:
    """The archive's content in `into`, which is given back; its files are new, since the service drops old bundles."""

    def new(member: tarfile.TarInfo, path: str) -> tarfile.TarInfo:
        return tarfile.data_filter(member, path).replace(mtime=time.time(), deep=False)

    with tarfile.open(FOLDER) as archive:
        archive.extractall(into, filter=new)
    return into


class House:
    """The service, and the API keys by whose they are."""

    def __init__(self, client: TestClient[Any], keys: dict[str, str]) -> None:
        self.client, self.keys = client, keys

    def again(self, before: Sequence[Answer]) -> list[Answer]:
        """What the same questions are answered now, one after the other; of a stream as much as there was."""

        async def again_one(each: Answer) -> Answer:
            for _ in range(500):
                answer = await self.ask(each.key, each.path, length=len(each.body.encode()))
                if answer.status != 503:
                    break
                await asyncio.sleep(0.01)  # the tables that were streamed before are not closed yet
            return answer

        async def again_all() -> list[Answer]:
            return [await again_one(each) for each in before]

        return self.client.blocking_portal.call(again_all)

    async def ask(self, key: str, path: str, *, length: int | None = None) -> Answer:
        """The answer to one GET; of a stream, which has no end, `length` bytes, or what comes within two seconds.

        By ASGI: a client of HTTP would wait for the stream's end, and would take longer than all the answers.
        """
        headers = [(b"host", b"127.0.0.1")]
        if key in self.keys:
            headers.append((b"x-api-key", self.keys[key].encode()))
        where, _, query = path.partition("?")
        scope = {
            "type": "http",
            "method": "GET",
            "path": where,
            "raw_path": where.encode(),
            "query_string": query.encode(),
            "headers": headers,
            "http_version": "1.1",
            "scheme": "http",
            "server": ("127.0.0.1", 80),
            "client": ("127.0.0.1", 50000),
            "root_path": "",
            "asgi": {"version": "3.0"},
        }
        stream, start = path.startswith("/api/stream"), dict[str, Any]()
        words = bytearray()
        enough, left = asyncio.Event(), [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive() -> dict[str, Any]:
            if not left:
                await enough.wait()
            return left.pop() if left else {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
            words.extend(message.get("body", b""))
            ended = message["type"] == "http.response.body" and not message.get("more_body")
            if ended or (stream and length is not None and len(words) >= length):
                enough.set()

        running = asyncio.ensure_future(self.client.app(scope, receive, send))
        if stream:
            with suppress(TimeoutError):
                await asyncio.wait_for(enough.wait(), 2 if length is None else 20)
            enough.set()
        await running
        body = words.decode()
        for varying, name in VARYING:
            body = varying.sub(name, body)
        content_type = dict(start["headers"])[b"content-type"].decode()
        return Answer(key=key, path=path, status=start["status"], content_type=content_type, body=body)


@contextmanager
def serving(unpacked: Path) -> Iterator[House]:
    """The service on the folder. What it writes by itself, who was there and heads, it writes when it is closed."""
    settings = Settings(
        home=str(unpacked / "home"),
        presence_write_seconds=3600,
        head_seconds=3600,
        verify_hours=0,
        segment_megabytes=1,
        drift_false_alarms=1e-12,
    )
    keys: dict[str, str] = json.loads((unpacked / "keys.json").read_bytes())
    with TestClient(build(settings, clock=lambda: NOW).app) as client:
        yield House(client, keys)


def recorded() -> list[Answer]:
    """The answers of then, in the order in which they were asked for."""
    with lzma.open(ANSWERS) as lines:
        return [msgspec.json.decode(line, type=Answer) for line in lines]


def record(answers: Iterable[Answer]) -> None:
    ANSWERS.write_bytes(lzma.compress(b"".join(msgspec.json.encode(each) + b"\n" for each in answers), preset=9))


def difference(before: Answer, now: Answer) -> str:
    """Where the two are not the same, a line for each piece; empty where they are. Numbers are compared to twelve
    digits: a sum's last ones depend on the order in which parallel readers bring its parts."""
    before, now = (msgspec.structs.replace(each, body=_DIGITS.sub(_twelve, each.body)) for each in (before, now))
    if before == now:
        return ""
    first, second = (
        f"{each.status} {each.content_type}\n{each.body}".replace(',"', ',\n"').splitlines() for each in (before, now)
    )
    lines = list(difflib.unified_diff(first, second, "then", "now", n=1, lineterm=""))[2:]
    return "\n".join([f"{before.key}: GET {before.path}", *(lines or ["(only in its line breaks)"])])


def _twelve(number: re.Match[str]) -> str:
    return f"{float(number[0]):.12g}"


def main() -> int:
    """Ask everything anew and write the answers; 1 where any is another than before."""
    with TemporaryDirectory() as folder, serving(unpack(Path(folder))) as house:
        before = recorded()
        now = house.again(before)
    found = [text for each in map(difference, before, now) if (text := each)]
    print("\n\n".join(found))
    record(now)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
