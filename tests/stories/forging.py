"""What somebody with the disk can do to a data folder: take away the end of history, or write another one.

All that is made from the log is removed, so that the next start makes it anew and nothing in the folder contradicts
anything else. Hashes are taken here and not by the service's code.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

MADE = ("tables.duckdb", "tables.duckdb.wal", "tree", "heads", "bundles")


def only_log(path: Path) -> Path:
    (log,) = (path / "log").glob("*.log")
    return log


def truncate(home: Path, subject: str) -> int:
    """Take away everything from the first write about `subject` on; how many lines that were."""
    log = only_log(home)
    lines = log.read_bytes().splitlines(keepends=True)
    at = next(at for at, line in enumerate(lines) if f'"subject":"{subject}"'.encode() in line)
    seq = int(lines[at].split(b" ")[1].split(b"+")[0])
    log.write_bytes(b"".join(lines[: seq - 1]))
    _remove_what_is_made(home)
    return len(lines) - seq + 1


def rewrite(home: Path, old: str, new: str) -> int:
    """Write another text into every body that has `old`, with all hashes fresh; how many lines were changed."""
    log = only_log(home)
    lines = log.read_bytes().splitlines(keepends=True)
    after = [_rewritten(line, lambda body: body.replace(old.encode(), new.encode())) for line in lines]
    log.write_bytes(b"".join(after))
    _remove_what_is_made(home)
    return sum(before != now for before, now in zip(lines, after, strict=True))


def _rewritten(line: bytes, change: Callable[[bytes], bytes]) -> bytes:
    seq, write, _, header, body = line.rstrip(b"\n").split(b" ", 4)
    changed = change(body)
    if changed == body:
        return line
    salt = bytes.fromhex(json.loads(changed)["salt"])
    payload = changed[len(b'{"salt":"') + 32 + len(b'","data":') : -1]
    said = json.loads(header) | {"body_digest": "sha256:" + sha256(salt + payload).hexdigest()}
    header = json.dumps(said, separators=(",", ":")).encode()
    leaf = sha256(b"\0" + header).hexdigest().encode()
    return b" ".join((seq, write, leaf, header, changed)) + b"\n"


def _remove_what_is_made(home: Path) -> None:
    for name in MADE:
        path = home / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
