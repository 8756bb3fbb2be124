"""Which service a command talks to, and with which key.

The address: --base-url, else ASSENT_BASE_URL, else the local default. The key: --api-key, else ASSENT_API_KEY, else
the file `admin.key` of the local data folder (--home, ASSENT_HOME or ./.assent), which only its owner can read. That
file is only used for a service on this machine: a key is never sent to a place that it was not made for.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from assent.cli.exits import Exit
from assent.cli.failures import Failure

if TYPE_CHECKING:
    from assent import Client

DEFAULT_HOME = Path(".assent")
KEY_FILE = "admin.key"
LOCAL = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True, kw_only=True)
class Connection:
    base_url: str
    api_key: str


Connect = Callable[[Connection], "Client"]
"""How a client is made."""


def is_local(base_url: str) -> bool:
    try:
        return urlsplit(base_url).hostname in LOCAL
    except ValueError:
        return False


def find_key(base_url: str, home: Path) -> str:
    """The local admin key. Raises Failure, with the next step, when there is none for this service."""
    if not is_local(base_url):
        raise Failure(f"no key for {base_url}; pass --api-key or set ASSENT_API_KEY", Exit.UNAUTHORIZED)
    file = home / KEY_FILE
    try:
        key = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = "there is none" if isinstance(error, FileNotFoundError) else str(error)
        raise Failure(
            f"no key: --api-key and ASSENT_API_KEY are not set, and the key file {file} cannot be used ({reason}); "
            f"pass --api-key, or --home with the service's data folder",
            Exit.UNAUTHORIZED,
        ) from None
    if not key:
        raise Failure(f"the key file {file} is empty; pass --api-key or set ASSENT_API_KEY", Exit.UNAUTHORIZED)
    return key


def make_client(
    connection: Connection,
    *,
    timeout: float = 30.0,
    retries: int = 3,
    sleep: Callable[[float], object] = time.sleep,
) -> Client:
    """The real client. What it has to say (an approval that is waited for) goes to standard error."""
    from assent import Client

    return Client(connection.base_url, connection.api_key, say=_say, timeout=timeout, retries=retries, sleep=sleep)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
