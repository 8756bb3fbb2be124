"""What every command that talks to the service has: the same four options, a client, an output, and errors as codes.

`@connected` takes a function of a `Session` and the command's own parameters, and makes of it one that typer can read:
the session is replaced by the options it is made from.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, ParamSpec, get_type_hints

import typer

from assent.cli.connection import DEFAULT_HOME, Connect, Connection, find_key, make_client
from assent.cli.exits import Exit
from assent.cli.failures import Failure, reporting
from assent.cli.output import Output
from assent.settings import DEFAULT_BASE_URL

if TYPE_CHECKING:
    from assent import Client

BaseUrl = Annotated[str, typer.Option("--base-url", envvar="ASSENT_BASE_URL", help="The service.")]
ApiKey = Annotated[
    str | None, typer.Option("--api-key", envvar="ASSENT_API_KEY", help="A key; else the local admin key file.")
]
Home = Annotated[Path, typer.Option("--home", envvar="ASSENT_HOME", help="The data folder.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on standard output and nothing else.")]

P = ParamSpec("P")


@dataclass(frozen=True, kw_only=True)
class Session:
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


def connected(command: Callable[Concatenate[Session, P], None]) -> Callable[..., None]:
    """The command as typer calls it. A test puts its own way of connecting into the context's `obj`."""

    @wraps(command)
    def run(**given: Any) -> None:
        context, base_url, api_key, home, json = (given.pop(name) for name in _OPTIONS)
        with reporting():
            connection = Connection(base_url=base_url, api_key=api_key or find_key(base_url, home))
            with _open(context.obj or make_client, connection) as client:
                session = Session(client=client, output=Output(json=json), connection=connection)
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
