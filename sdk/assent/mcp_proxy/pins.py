"""Which tools a server had when they were seen first, and what has changed since: against a server that shows harmless
tools until it is trusted, and others from then on.

1. What the first list of a server holds is pinned, page by page; the list is whole with the page that has no next one.
2. A tool whose title, description, schemas or annotations differ from the pinned ones has changed. One that comes
   after the list was whole is new. Both are held until somebody accepts them: they are left out of the list, and a call
   of them is refused.
3. A tool that is as it was pinned is not held any more. One that has gone stays pinned.

Pins are kept by the name that the server has here, so that another command line or another address does not begin
anew. A file for each, of this user alone: what is pinned and what waits, as the server said it, and a digest of each.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from assent.contract.prepared import prepared
from assent.spool import state_folder

FOLDER_MODE, FILE_MODE = 0o700, 0o600
MEMBERS = ("title", "description", "inputSchema", "outputSchema", "annotations")
"""What a model is told of a tool, or acts by."""
CHANGED, NEW = "changed", "new"
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]|_(?!_)){0,63}")

Definition = dict[str, Any]


class PinsRefused(ValueError):
    """The pins of a server cannot be used: why, and what to do."""


class PinnedServer(Struct, frozen=True, kw_only=True):
    """What is kept of one server. `target` is how it was started last, or its address. `whole` once a list was seen to
    its end. `changes` are the tools that wait to be accepted."""

    name: str
    target: str
    whole: bool = False
    tools: dict[str, Definition] = {}
    changes: dict[str, Definition] = {}

    @property
    def digest(self) -> str:
        """That of all that is pinned."""
        return digest({name: digest(self.tools[name]) for name in sorted(self.tools)})

    def why_held(self, tool: str) -> str | None:
        """Why a call of this tool is held; None for one that is not. Before a list was seen whole, nobody knows which
        tools there are."""
        if tool in self.changes:
            return CHANGED if tool in self.tools else NEW
        return NEW if self.whole and tool not in self.tools else None

    def with_list(self, listed: Sequence[tuple[str, Definition]], *, last: bool) -> PinnedServer:
        """After one more page of the server's tools."""
        tools, differing = dict(self.tools), dict[str, Definition]()
        for name, definition in listed:
            if name not in tools and not self.whole:
                tools[name] = definition
            elif tools.get(name) != definition:
                differing[name] = definition
        # One that is listed twice, as it was and otherwise, has changed.
        changes = {name: self.changes[name] for name in self.changes.keys() - {name for name, _ in listed}} | differing
        return msgspec.structs.replace(self, tools=tools, changes=changes, whole=self.whole or last)

    def accepted(self) -> PinnedServer:
        """With what waited pinned."""
        return msgspec.structs.replace(self, tools=self.tools | self.changes, changes={})


class _File(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    version: Annotated[int, Meta(ge=1, le=1)]
    server: PinnedServer


class Pins:
    """The pins of one server, in its file; what another process wrote meanwhile is read. Raises PinsRefused for a file
    that cannot be read: as long as nobody knows what was pinned, nothing is."""

    def __init__(self, folder: Path, name: str, target: str) -> None:
        self.file = folder / f"{name}.json"
        self._target = target
        self._server = PinnedServer(name=name, target=target)
        self._stamp: tuple[int, int, int] | None = None
        self.server  # noqa: B018 - a file that cannot be read is known at the start

    @property
    def server(self) -> PinnedServer:
        stamp = _stamp(self.file)
        if stamp != self._stamp:
            self._server = PinnedServer(name=self.file.stem, target=self._target) if stamp is None else load(self.file)
            self._stamp = stamp
        return self._server

    def see(self, listed: Sequence[tuple[str, Definition]], *, last: bool) -> PinnedServer:
        """Pin what may be pinned, and note what has changed."""
        before = self.server
        after = msgspec.structs.replace(before.with_list(listed, last=last), target=self._target)
        if after != before:
            save(self.file, after)
            self._server, self._stamp = after, _stamp(self.file)
        return after


def digest(value: object) -> str:
    """SHA-256 over the value as JSON with sorted names."""
    return "sha256:" + hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()


def definition(tool: Mapping[str, Any]) -> Definition:
    """What is compared of a tool as a list shows it. Halves of characters, which no file can hold, become a mark."""
    found = {name: tool[name] for name in MEMBERS if tool.get(name) is not None}
    whole: Definition = json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    return whole


def folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where this user's pins are. Raises SpoolRefused without a home."""
    return state_folder(environment) / "mcp"


def all_pinned(where: Path) -> Iterator[PinnedServer]:
    """By name. Raises PinsRefused."""
    for file in sorted(where.glob("*.json")):
        yield load(file)


def accept(where: Path, name: str) -> PinnedServer:
    """Pin what waits of this server. Raises PinsRefused."""
    file = where / f"{checked_name(name)}.json"
    server = load(file).accepted()
    save(file, server)
    return server


def load(file: Path) -> PinnedServer:
    try:
        return msgspec.json.decode(file.read_bytes(), type=prepared(_File)).server
    except FileNotFoundError:
        raise PinsRefused(f"nothing is pinned under the name {file.stem!r}") from None
    except (OSError, msgspec.DecodeError, RecursionError) as error:
        raise PinsRefused(
            f"the pinned tools in {file} cannot be read ({error}); mend the file, or remove it to pin what the server "
            "shows next"
        ) from None


def save(file: Path, server: PinnedServer) -> None:
    """Raises PinsRefused."""
    new = file.with_name(f"{file.name}.{os.getpid()}.new")
    try:
        file.parent.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
        handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE_MODE)
        with open(handle, "wb") as stream:  # noqa: PTH123 - of a handle
            stream.write(msgspec.json.encode(_File(version=1, server=server)))
        new.replace(file)
    except OSError as error:
        raise PinsRefused(f"the pinned tools cannot be written to {file}: {error.strerror}") from None


def checked_name(name: str) -> str:
    """Raises PinsRefused for what cannot be a server's name here."""
    if not _NAME.fullmatch(name):
        raise PinsRefused(
            f"the name {name[:80]!r} cannot be one; give letters, digits, dots, dashes and single underscores, at most "
            "64, beginning with a letter or digit"
        )
    return name


RUNNERS = frozenset(
    ("npx", "bunx", "pnpm", "yarn", "npm", "uvx", "uv", "pipx", "node", "deno", "bun", "docker", "podman", "env")
)
WORDS = frozenset(("run", "exec", "x", "tool", "dlx"))
_PYTHON = re.compile(r"python[\d.]*|pypy[\d.]*")
_VARIABLE = re.compile(r"[A-Za-z_]\w*=")


def name_of(command: Sequence[str]) -> str:
    """A name for what a command starts: the package or program behind those that only run it, such as `filesystem` for
    `npx -y @modelcontextprotocol/server-filesystem /tmp`. Raises PinsRefused where there is none."""
    for word in command:
        last = word.rstrip("/").rsplit("/", 1)[-1]
        if word.startswith("-") or _VARIABLE.match(word) or last in RUNNERS or last in WORDS or _PYTHON.fullmatch(last):
            continue
        name = re.sub(r"[@=].*|\.(?:py|js|mjs|cjs|ts|exe)$", "", last)
        name = re.sub(r"[^A-Za-z0-9.-]+", "-", name).strip("-.")
        name = re.sub(r"^(?:mcp-server-|server-|mcp-)|(?:-mcp-server|-mcp|-server)$", "", name)[:64]
        if name:
            return checked_name(name)
    raise PinsRefused("the command does not tell what the server is called; give a name with --name")


def _stamp(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
