"""A Dockerfile's steps, run without Docker: each stage in a folder of its own that begins as a copy of a Debian root.

What the Dockerfile uses is understood, and whatever else stands in it is an error. `run` does what an engine does with
the image that compose.yaml asks for: the root file system read-only, /tmp and the volume writable, the image's user, no
privileges, and a network that nobody else is in. It needs root, `unshare` and `chroot`.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

UNDERSTOOD = frozenset(
    "FROM WORKDIR COPY RUN ENV USER VOLUME EXPOSE STOPSIGNAL HEALTHCHECK ENTRYPOINT CMD".split()  # noqa: SIM905
)


@dataclass
class Image:
    """A stage, as its instructions leave it."""

    base: str
    steps: list[tuple[str, str]] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    user: str = "0:0"
    folder: str = "/"
    volumes: list[str] = field(default_factory=list)
    ports: list[int] = field(default_factory=list)
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    health: list[str] = field(default_factory=list)
    stop: str = "SIGTERM"


def instructions(text: str) -> list[tuple[str, str]]:
    """Each instruction and what follows it."""
    lines = [line for line in text.replace("\\\n", " ").splitlines() if line.strip() and not line.startswith("#")]
    found = []
    for line in lines:
        word, _, rest = line.partition(" ")
        if word not in UNDERSTOOD:
            raise ValueError(f"{word} is not understood: {line}")
        found.append((word, rest.strip()))
    return found


def read(text: str) -> dict[str, Image]:
    """The stages by their names, in their order; the last one is called "" if it has none."""
    stages: dict[str, Image] = {}
    for word, rest in instructions(text):
        if word == "FROM":
            base, _, name = rest.partition(" AS ")
            image = stages[name] = Image(base)
        elif word in ("RUN", "COPY", "WORKDIR"):
            image.steps.append((word, rest))
            image.folder = rest if word == "WORKDIR" else image.folder
        else:
            _declare(image, word, rest)
    return stages


def _declare(image: Image, word: str, rest: str) -> None:
    match word:
        case "ENV":
            name, _, value = rest.partition("=")
            image.environment[name] = value
        case "USER":
            image.user = rest
        case "VOLUME":
            image.volumes.append(rest)
        case "EXPOSE":
            image.ports = [int(port) for port in rest.split()]
        case "STOPSIGNAL":
            image.stop = rest
        case "HEALTHCHECK":
            image.health = json.loads(rest[rest.index("CMD") + 3 :])
        case "ENTRYPOINT":
            image.entrypoint = json.loads(rest)
        case _:
            image.command = json.loads(rest)


def ignored(path: str, patterns: Sequence[str]) -> bool:
    """Whether .dockerignore leaves a path of the context out: the last pattern that fits it, or a folder over it."""
    found = False
    parts = path.split("/")
    for pattern in patterns:
        kept, plain = pattern.startswith("!"), pattern.removeprefix("!")
        expression = re.escape(plain).replace(r"\*\*/", "(.*/)?").replace(r"\*", "[^/]*")
        if any(re.fullmatch(expression, "/".join(parts[:length])) for length in range(1, len(parts) + 1)):
            found = not kept
    return found


@dataclass(frozen=True)
class Builder:
    """Builds in `work`; every stage begins as a copy of `base`, whatever its FROM names. `outside` are files and
    folders of this machine that a step may read, in the same place: who answers for names, and whose certificates
    hold."""

    context: Path
    base: Path
    work: Path
    outside: Sequence[Path] = (Path("/etc/resolv.conf"), Path("/etc/ssl/certs"))
    environment: Mapping[str, str] = field(default_factory=dict)

    def build(self, text: str) -> tuple[Image, Path]:
        """The last stage, and the folder that is its root."""
        roots: dict[str, Path] = {}
        for name, image in read(text).items():
            root = roots[name] = self.work / (name or "final")
            subprocess.run(["cp", "--archive", self.base, root], check=True)
            folder = "/"
            for word, rest in image.steps:
                if word == "WORKDIR":
                    folder = rest
                    (root / folder[1:]).mkdir(parents=True, exist_ok=True)
                elif word == "RUN":
                    self._shell(root, folder, rest)
                else:
                    self._place(roots, root, folder, rest)
        return image, root

    def _place(self, roots: Mapping[str, Path], root: Path, folder: str, rest: str) -> None:
        if rest.startswith("--from="):
            stage, source, target = rest.removeprefix("--from=").split()
            (root / target[1:]).parent.mkdir(parents=True, exist_ok=True)
            subprocess.run(["cp", "--archive", roots[stage] / source[1:], root / target[1:]], check=True)
        else:
            *sources, target = rest.split()
            for source in sources:
                self._copy(source, root / folder[1:] / (target if target != "./" else source))

    def _copy(self, source: str, target: Path) -> None:
        patterns = (self.context / ".dockerignore").read_text(encoding="utf-8").splitlines()
        patterns = [line for line in patterns if line and not line.startswith("#")]
        top = self.context / source
        for file in [top] if top.is_file() else sorted(each for each in top.rglob("*") if each.is_file()):
            if not ignored(str(file.relative_to(self.context)), patterns):
                place = target if top.is_file() else target / file.relative_to(top)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, place)

    def _shell(self, root: Path, folder: str, command: str) -> None:
        lines = ["set -e", f"mount --bind /dev {root}/dev"]
        for path in self.outside:
            inside = root / str(path)[1:]
            if path.is_dir():
                inside.mkdir(parents=True, exist_ok=True)
            else:
                inside.touch()
            lines.append(f"mount --bind {path} {inside}")
        lines.append(f"mount -t proc proc {root}/proc")
        variables = [f"{name}={value}" for name, value in self.environment.items()]
        start = ["chroot", str(root), "env", "-i", "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", *variables]
        lines.append(shlex.join([*start, "sh", "-ec", f"cd {folder}; {command}"]))
        subprocess.run(["unshare", "--mount", "--pid", "--fork", "bash", "-c", "\n".join(lines)], check=True)


@dataclass(frozen=True)
class Container:
    """A built image and what lies beside it."""

    image: Image
    root: Path
    volume: Path

    def script(self, steps: str, *hosts: str) -> list[str]:
        """The command that runs `steps`, which find `inside COMMAND...`: a command in the container, as its user, with
        its environment; and `become COMMAND...`, which turns into it. `hosts` are
        further names of this very place."""
        uid, _, gid = self.image.user.partition(":")
        variables = [f"{name}={value}" for name, value in self.image.environment.items()]
        enter = [
            *("setpriv", "--reuid", uid, "--regid", gid, "--clear-groups", "--no-new-privs"),
            *("--bounding-set=-all", "--inh-caps=-all", "env", "-i", *variables),
        ]
        # The tools are the base's own: what enters the root is there as well.
        lines = f"""
set -e
mount --make-rprivate /
mount --bind {self.root} {self.root}
mount -t tmpfs tmpfs {self.root}/tmp
chmod 1777 {self.root}/tmp
mount -t proc proc {self.root}/proc
mount --bind /dev {self.root}/dev
mount --bind {self.volume} {self.root}{self.image.volumes[0]}
echo 127.0.0.1 localhost {shlex.join(hosts)} > {self.root}/etc/hosts
mount -o remount,ro,bind {self.root}
ip link set lo up
become() {{ exec chroot {self.root} {shlex.join(enter)} "$@"; }}
inside() {{ (become "$@"); }}
cd /
{steps}
"""
        return ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "bash", "-c", lines]
