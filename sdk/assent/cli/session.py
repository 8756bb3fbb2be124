"""What every command that talks to the service has: the same four options, a client, an output, and errors as codes.

The address: --base-url, else ASSENT_BASE_URL, else the local default. The key: --api-key, else ASSENT_API_KEY, else
the file `admin.key` of the local data folder (--home, ASSENT_HOME or ./.assent), which only its owner can read. That
file is only used for a service on this machine: a key is never sent to a place that it was not made for.

`@connected` takes a function of a `Session` and the command's own parameters, and makes of it one that typer can read:
the session is replaced by the options it is made from.
"""

from __future__ import annotations

import inspect
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, ParamSpec, get_type_hints
from urllib.parse import urlsplit

import typer

from assent.cli.failures import Exit, Failure, reporting
from assent.cli.output import Output
from assent.settings import DEFAULT_BASE_URL

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
    spool: str | None = None,
) -> Client:
    """The real client. What it has to say (an approval that is waited for) goes to standard error."""
    from assent import Client

    return Client(
        connection.base_url,
        connection.api_key,
        say=_say,
        timeout=timeout,
        retries=retries,
        sleep=sleep,
        spool=spool,
    )


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


BaseUrl = Annotated[str, typer.Option("--base-url", envvar="ASSENT_BASE_URL", help="The service.")]
ApiKey = Annotated[
    str | None, typer.Option("--api-key", envvar="ASSENT_API_KEY", help="A key; else the local admin key file.")
]
Home = Annotated[Path, typer.Option("--home", envvar="ASSENT_HOME", help="The data folder.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on standard output and nothing else.")]

P = ParamSpec("P")


@dataclass(frozen=True, kw_only=True)
class CommandSession:
    """One command's client and output."""

    client: Client
    output: Output
    connection: Connection

    def replay(self, action_id: str) -> str:
        """Where a person sees how the action came about."""
        return f"{self.connection.base_url.rstrip('/')}/replay/{action_id}"


_OPTIONS = {
    "context": inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context),
    "base_url": inspect.Parameter(
        "base_url", inspect.Parameter.KEYWORD_ONLY, annotation=BaseUrl, default=DEFAULT_BASE_URL
    ),
    "api_key": inspect.Parameter("api_key", inspect.Parameter.KEYWORD_ONLY, annotation=ApiKey, default=None),
    "home": inspect.Parameter("home", inspect.Parameter.KEYWORD_ONLY, annotation=Home, default=DEFAULT_HOME),
    "json": inspect.Parameter("json", inspect.Parameter.KEYWORD_ONLY, annotation=Json, default=False),
}


def connected(command: Callable[Concatenate[CommandSession, P], None]) -> Callable[..., None]:
    """The command as typer calls it. A test puts its own way of connecting into the context's `obj`."""

    @wraps(command)
    def run(**given: Any) -> None:
        context, base_url, api_key, home, json = (given.pop(name) for name in _OPTIONS)
        with reporting():
            connection = Connection(base_url=base_url, api_key=api_key or find_key(base_url, home))
            with _open(context.obj or make_client, connection) as client:
                session = CommandSession(client=client, output=Output(json=json), connection=connection)
                call: Callable[..., None] = command
                call(session, **given)

    hints = get_type_hints(command, include_extras=True)
    own = [
        parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in list(inspect.signature(command).parameters.items())[1:]
    ]
    run.__signature__ = inspect.Signature([*own, *_OPTIONS.values()])  # type: ignore[attr-defined]  # PEP 362's attribute
    run.__annotations__ = {}
    return run


def _open(connect: Connect, connection: Connection) -> Client:
    try:
        return connect(connection)
    except ValueError as error:  # an address or a key that can be none
        raise Failure(str(error), Exit.USAGE) from None
