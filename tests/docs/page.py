"""A page of the documentation, run as a reader would: typed block by block, against a live service on 127.0.0.1.

What a block is, its fence says:

- `console`: what follows `$ ` is typed (and `> ` on the next line goes on), and what follows is printed.
- `sh`: all of it is typed, and each command ends with 0.
- `python`: one session a page. What it prints is in the `text` block that follows, and without one it prints nothing.
  An exception is printed as its name and what it says. `# an agent's key` gives a block a key of that role.
- `title="name.toml"`: the block is the text of this file, which something on the page has to name again.
- `title="Second terminal"`: what is typed there goes on while the page does. A later `text` block of the same
  title is what was printed there since.

In what is shown, `...` stands for anything within a line and a line of `...` for any lines; many spaces are one.
In what is typed, `act_...` stands for the last id of this kind that was printed, and so does `assent_...` for a key.
Two comments, which readers do not see:

- `<!-- not run: why -->` before a block that this machine cannot run.
- `<!-- service: none -->` on a page that starts one itself, `simulated` where there is a simulated workspace; else an
  empty one runs in the folder where the page is typed. `stops` and `starts`, where the page says so.
"""

from __future__ import annotations

import atexit
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from fcntl import ioctl
from functools import cache
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from struct import pack
from threading import Thread
from typing import Any

from tests.forked import COMMAND, Forked, Forks
from tests.live import ROOT, LiveService, start_service

SESSION = Path(__file__).with_name("session.py")
WAIT = 120.0
"""Seconds after which a command hangs."""
WIDTH = 110
PORT, PAGES_PORT = 8484, 8485
"""What the pages name; each page's service listens on a port of its own."""

FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>\w+)(?P<rest>[^\n]*)\n(?P<text>.*?)^(?P=indent)```[ ]*$"
    r"|^ *<!-- *(?P<comment>(?:not run|service): *[^\n]*?) *-->[ ]*$",
    re.MULTILINE | re.DOTALL,
)
TITLE = re.compile(r'\btitle="([^"]+)"')
IDS = re.compile(r"(?<![\w/-])((?:[a-z]{2,5}|goal|idea|loop|pair|conn|assent|whsec)_)[A-Za-z0-9_+/=-]{20,}(?![\w…])")
LAST = re.compile(r"\b([a-z]{2,6}_)\.\.\.")
CODE = re.compile(r"#\s*exit code (\d+)\s*$")
KEY_OF = re.compile(r"# .*?\ban? (agent|operator|auditor|admin)'s key")
SHELL = re.compile(r"[|<>&;`~*?()]|\$\(")


@dataclass(frozen=True)
class Block:
    """One block of a page, or a comment of the two kinds that matter here (`language` is then what it is about)."""

    language: str
    text: str
    line: int
    title: str | None = None
    not_run: str | None = None

    @property
    def is_file(self) -> bool:
        return self.title is not None and " " not in self.title

    @property
    def terminal(self) -> str | None:
        return self.title if self.title is not None and " " in self.title else None


def blocks(page: Path) -> list[Block]:
    """All blocks of a page, in their order."""
    text = page.read_text(encoding="utf-8")
    assert len(re.findall(r"^ *```\w", text, re.MULTILINE)) * 2 == len(re.findall(r"^ *```", text, re.MULTILINE)), page
    found: list[Block] = []
    reason: str | None = None
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        if match["comment"] is not None:
            about, _, said = match["comment"].partition(":")
            assert said.strip(), f"{page}:{line}: the comment says nothing"
            if about == "not run":
                reason = said.strip()
            else:
                found.append(Block("service", said.strip(), line))
            continue
        title = TITLE.search(match["rest"])
        found.append(
            Block(match["language"], textwrap.dedent(match["text"]), line, None if title is None else title[1], reason)
        )
        reason = None
    return found


def pattern(shown: str) -> re.Pattern[str]:
    """What a block shows, as an expression for what is printed."""

    def one(line: str) -> str:
        if line == "...":
            return r"(?:[^\n]*\n)*?"
        parts = [re.escape(part) for part in line.split("...")]
        return "[^\n]*?".join(parts) + "\n"

    return re.compile("".join(one(line) for line in plain(shown).splitlines()))


def plain(text: str) -> str:
    """Any number of spaces is one, none ends a line, and no empty line begins or ends the text."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).replace("\r\n", "\n")
    shown = (line.rpartition("\r")[2] for line in text.split("\n"))  # what a bar was before is painted over
    lines = "\n".join(re.sub(r"[ \t]+", " ", line).rstrip() for line in shown).strip("\n")
    return f"{lines}\n" if lines else ""


def matches(shown: str, printed: str) -> bool:
    return pattern(shown).fullmatch(plain(printed)) is not None


class WrongPage(AssertionError):
    """A block does not do what its page shows."""


@cache
def programs() -> Forks:
    """The process that has the command line and the client ready."""
    return Forks((*COMMAND, "assent", "polars"))


def simulated() -> Path:
    """A folder with a simulated workspace, as a reader has made one a moment ago: its first actions leave the window of
    the last 30 days after a while."""
    if not _SIMULATED or time.monotonic() - _SIMULATED[-1][0] > FRESH:
        _SIMULATED.append((time.monotonic(), _simulate()))
    return _SIMULATED[-1][1]


_SIMULATED: list[tuple[float, Path]] = []
FRESH = 120.0
"""Seconds for which a simulated workspace is given to one reader after the other."""


def _simulate() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="assent-simulated-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    log = folder / "log"
    words = ("simulate", "--home", str(folder / "home"))
    done = programs().start("assent", *words, environment=dict(os.environ), output=log)
    assert done.wait(WAIT * 2) == 0, log.read_text()
    return folder / "home"


class Terminal:
    """A terminal of so many columns, whose output is kept."""

    def __init__(self) -> None:
        self._master, self._slave = os.openpty()
        ioctl(self._slave, termios.TIOCSWINSZ, pack("HHHH", 40, WIDTH, 0, 0))
        attributes = termios.tcgetattr(self._slave)
        attributes[1] &= ~termios.OPOST
        termios.tcsetattr(self._slave, termios.TCSANOW, attributes)
        self.device = Path(os.ttyname(self._slave))
        self._printed = b""
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def printed(self) -> str:
        return self._printed.decode(errors="replace")

    def _read(self) -> None:
        with suppress(OSError):
            while got := os.read(self._master, 65_536):
                self._printed += got

    def close(self) -> str:
        """What was printed, all of it: nobody writes here any more."""
        os.close(self._slave)
        self._reader.join(WAIT)
        os.close(self._master)
        return self.printed


@dataclass
class Elsewhere:
    """What runs in another terminal, and how much of what it printed has been compared."""

    terminal: Terminal
    process: Forked | subprocess.Popen[bytes]
    compared: int = 0

    def end(self) -> None:
        if self.process.poll() is None:
            if isinstance(self.process, Forked):
                self.process.send_signal(signal.SIGTERM)
            else:
                os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait(WAIT)


@dataclass
class Reader:
    """Somebody who follows a page in an empty folder, with a home of their own and what is installed here."""

    page: Path
    folder: Path
    service: LiveService | None = None
    printed: str | None = None
    """What the last Python block printed and no text block has shown yet."""
    ids: dict[str, str] = field(default_factory=dict)
    elsewhere: dict[str, Elsewhere] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    files: dict[str, int] = field(default_factory=dict)
    session: Connection | None = None

    def __post_init__(self) -> None:
        (self.folder / "home").mkdir(parents=True)
        self.work = self.folder / "work"
        self.work.mkdir()
        self.port, self.pages_port = free_port(), free_port()
        self.where = self.work
        self.environment = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(self.folder / "home"),
            "LANG": "C.UTF-8",
            "TERM": "xterm",
            "NO_COLOR": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
            "ASSENT_BASE_URL": f"http://127.0.0.1:{self.port}",
            "ASSENT_PORT": str(self.port),
            "ASSENT_DASHBOARD_URL": f"http://127.0.0.1:{self.pages_port}",
        }

    # the service

    @property
    def home(self) -> Path:
        return self.work / ".assent"

    def start(self, *, furnished: bool = False) -> None:
        assert self.service is None, "it runs already"
        if furnished:
            shutil.copytree(simulated(), self.home)
        self.home.mkdir(exist_ok=True, mode=0o700)
        (self.home / "assent.toml").touch()
        settings: Any = {name: value for name, value in self.environment.items() if name.startswith("ASSENT_")}
        self.service = start_service(self.home, port=self.port, **settings | {"ASSENT_ADMIN_KEY": ""})
        self.service.admin_key = (self.home / "admin.key").read_text().strip()

    def stop(self) -> None:
        assert self.service is not None, "it does not run"
        self.service.stop()
        self.service = None

    # what is typed, and what is printed

    def typed(self, text: str) -> str:
        """What a reader types where the page has this."""

        def last(match: re.Match[str]) -> str:
            assert match[1] in self.ids, f"nothing printed an id that begins with {match[1]}"
            return self.ids[match[1]]

        text = LAST.sub(last, text)
        return text.replace(f":{PORT}", f":{self.port}").replace(f":{PAGES_PORT}", f":{self.pages_port}")

    def seen(self, text: str) -> str:
        """What the page would show of what was printed."""
        for found in IDS.finditer(text):
            self.ids[found[1]] = found[0]
        return text.replace(f":{self.port}", f":{PORT}").replace(f":{self.pages_port}", f":{PAGES_PORT}")

    def run(self, command: str) -> tuple[int, str]:
        """One command, in a shell whose variables and folder are those of the commands before it."""
        typed = self.typed(command)
        terminal = Terminal()
        plain_words = None if SHELL.search(typed) else self._words(typed)
        if plain_words is not None and plain_words[:1] == ["assent"]:
            code = self._forked(plain_words, terminal).wait(WAIT)
        else:
            code = self._shell(typed, terminal)
        return code, self.seen(terminal.close())

    def _words(self, typed: str) -> list[str]:
        words = shlex.split(typed, comments=True)
        return [re.sub(r"\$\{?(\w+)\}?", lambda name: self.environment.get(name[1], ""), word) for word in words]

    def _forked(self, words: list[str], terminal: Terminal) -> Forked:
        return programs().start(
            "assent", *words[1:], environment=self.environment, output=terminal.device, directory=self.where
        )

    def _shell(self, typed: str, terminal: Terminal) -> int:
        kept, where = self.folder / "environment", self.folder / "where"
        script = f'set -a\n{typed}\ncode=$?\nenv -0 > "{kept}"\npwd > "{where}"\nexit $code'
        with terminal.device.open("wb", buffering=0) as printed:
            done = subprocess.run(
                ["bash", "-c", script],
                cwd=self.where,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=printed,
                timeout=WAIT,
            )
        if where.exists():
            pairs = (each.partition("=") for each in kept.read_text().split("\0") if each)
            self.environment = {
                name: value for name, _, value in pairs if name not in {"_", "SHLVL", "PWD", "OLDPWD", "code"}
            }
            self.where = Path(where.read_text().strip())
            kept.unlink()
            where.unlink()
        return done.returncode

    # blocks

    def follow(self, block: Block) -> None:
        """Do what a block says, and see that what it shows comes of it."""
        if block.language != "text":
            self._nothing_left()
        if block.language == "service":
            self._service(block.text)
        elif block.is_file:
            self._write(block)
        elif block.terminal is not None:
            self._elsewhere(block)
        elif block.language == "console":
            for command, shown in commands(block.text):
                self._type(command, shown)
        elif block.language == "sh":
            for command in lines(block.text):
                self._type(command, None)
        elif block.language == "python":
            self.python(block.text)
        elif block.language == "text":
            assert self.printed is not None, "nothing before it prints anything; another text block is no block of code"
            printed, self.printed = self.printed, None
            compare(block.text, printed)
        else:
            raise WrongPage(f"a block of {block.language} needs the name of its file, or why it is not run")

    def finish(self) -> None:
        self._nothing_left()
        for name, named in self.files.items():
            assert named, f"nothing on the page names {name} after it was written"

    def _nothing_left(self) -> None:
        if self.printed:
            raise WrongPage(f"no text block shows what Python printed:\n{self.printed}")
        self.printed = None

    def _service(self, what: str) -> None:
        if what == "stops":
            self.stop()
        elif what == "starts":
            self.start()
        else:
            assert what in {"none", "simulated"}, f"no such comment: service: {what}"

    def _write(self, block: Block) -> None:
        assert block.title is not None
        self._named(block.text)
        file = self.where / block.title
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(self.typed(block.text), encoding="utf-8")
        if block.title == ".assent/assent.toml":
            return self.files.update({block.title: 1})  # the service reads it when it starts
        return self.files.update({block.title: 0})

    def _named(self, text: str) -> None:
        for name in self.files:
            ways = (name, f"from {name.removesuffix('.py')} import", f"--home {Path(name).parent}")
            self.files[name] += any(way in text for way in ways)

    def _type(self, command: str, shown: str | None) -> None:
        self._named(command)
        expected = CODE.search(command)
        code, printed = self.run(command)
        if code != (int(expected[1]) if expected else 0):
            raise WrongPage(f"$ {command}\nended with {code}:\n{printed}")
        if shown is not None:
            compare(shown, printed, command)

    def python(self, code: str) -> None:
        """Run a block; `printed` has what it prints."""
        self._named(code)
        environment = dict(self.environment)
        role = KEY_OF.search(code)
        if role is not None:
            environment["ASSENT_API_KEY"] = self._key(role[1], code)
        if self.session is None:
            self.session = self._session()
        self.session.send((self.typed(code), environment, str(self.where), f"{self.page.name}"))
        assert self.session.poll(WAIT), "a Python block does not end"
        self.printed = self.seen(self.session.recv())

    def _session(self) -> Connection:
        address = str(self.folder / "session")
        with Listener(address, "AF_UNIX") as listener:
            programs().start(
                str(SESSION), address, environment=self.environment, output=self.folder / "python", directory=self.work
            )
            return listener.accept()

    def _key(self, role: str, code: str) -> str:
        assert self.service is not None
        agent = re.search(r'agent_id="([\w-]+)"', code)
        body = {"name": f"A key of role {role}", "role": role}
        if role == "agent":
            body["agent_id"] = agent[1] if agent is not None else "reader-bot"
        name = "/".join(body.values())
        if name not in self.keys:
            status, key = self.service.call("POST", "/api/keys", body, key=self.service.admin_key)
            assert status == 201, key
            self.keys[name] = key["api_key"]
        return self.keys[name]

    def _elsewhere(self, block: Block) -> None:
        title = block.title or ""
        if block.language == "text":
            self._wait_for(title, block.text)
            return
        for command, shown in (
            commands(block.text) if block.language == "console" else ((each, "") for each in lines(block.text))
        ):
            self._named(command)
            if title in self.elsewhere:
                self.elsewhere.pop(title).end()
            self.elsewhere[title] = self._begin(self.typed(command))
            if shown:
                self._wait_for(title, shown)

    def _begin(self, typed: str) -> Elsewhere:
        terminal = Terminal()
        words = None if SHELL.search(typed) else self._words(typed)
        if words is not None and words[:1] == ["assent"] and words[1:2] != ["start"]:
            return Elsewhere(terminal, self._forked(words, terminal))
        with terminal.device.open("wb", buffering=0) as printed:
            process = subprocess.Popen(
                ["bash", "-c", typed],
                cwd=self.where,
                env=self.environment | {"PYTHONUNBUFFERED": "1"},
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=printed,
                start_new_session=True,
            )
        return Elsewhere(terminal, process)

    def _wait_for(self, title: str, shown: str) -> None:
        """Wait until it has printed what is shown, and nothing else since the last time."""
        other = self.elsewhere[title]
        deadline = time.monotonic() + WAIT
        while not matches(shown, printed := self.seen(other.terminal.printed[other.compared :])):
            if time.monotonic() > deadline or other.process.poll() is not None:
                compare(shown, printed, title)
            time.sleep(0.02)
        other.compared = len(other.terminal.printed)

    def leave(self) -> None:
        """End whatever the page has started."""
        if self.session is not None:
            self.session.close()
        for other in self.elsewhere.values():
            other.end()
        if self.service is not None:
            self.stop()


def compare(shown: str, printed: str, command: str = "") -> None:
    if not matches(shown, printed):
        raise WrongPage(f"{command}\nthe page shows:\n{plain(shown)}\nit printed:\n{plain(printed)}")


def commands(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a console, each with what is shown after it."""
    typed: list[str] = []
    shown: list[str] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            if typed:
                yield "\n".join(typed), "\n".join(shown)
            typed, shown = [line[2:]], []
        elif line.startswith("> ") and typed and not shown:
            typed.append(line[2:])
        else:
            assert typed, f"output before a command: {line}"
            shown.append(line)
    assert typed, "a console without a command"
    yield "\n".join(typed), "\n".join(shown)


def lines(text: str) -> Iterator[str]:
    """The commands of a block of `sh`: a line each, unless a backslash or a quote goes on."""
    typed = ""
    for line in text.splitlines():
        typed += line
        if line.endswith("\\") or not complete(typed):
            typed += "\n"
            continue
        if typed.strip() and not typed.lstrip().startswith("#"):
            yield typed
        typed = ""
    assert not typed.strip(), f"not the end of a command: {typed}"


def complete(typed: str) -> bool:
    """Whether no quotation is open at its end."""
    try:
        shlex.split(typed, comments=True)
    except ValueError:
        return False
    return True


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def code(page: Path, language: str) -> list[str]:
    """The texts of all blocks of one language."""
    return [block.text for block in blocks(page) if block.language == language]


@contextmanager
def reading(page: Path, folder: Path, *, furnished: bool = False, service: bool = True) -> Iterator[Reader]:
    """A reader of this page, with whatever it starts ended afterwards."""
    reader = Reader(page, folder)
    try:
        if service:
            reader.start(furnished=furnished)
        yield reader
    finally:
        reader.leave()


def follow(page: Path, folder: Path) -> int:
    """Follow a page from its beginning to its end; how many blocks there were that can be run."""
    done = 0
    found = blocks(page)
    if not any(block.not_run is None and block.language != "service" for block in found):
        return 0
    kinds = {block.text for block in found if block.language == "service"}
    with reading(page, folder, furnished="simulated" in kinds, service="none" not in kinds) as reader:
        line = 0
        try:
            for block in found:
                line = block.line
                if block.not_run is None:
                    reader.follow(block)
                    done += block.language != "service"
            reader.finish()
        except AssertionError as wrong:
            name = page.relative_to(ROOT) if page.is_relative_to(ROOT) else page.name
            raise WrongPage(f"{name}:{line}: {wrong}") from wrong
    return done
