"""`assent mcp`: the governed loop as tools for whatever speaks MCP, over standard input and output; `assent mcp proxy`,
which stands before a server of others and governs its tools; and `assent mcp pins`, what it knows of their tools.

Standard output belongs to the protocol from the first byte on; everything else goes to standard error.
"""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from assent.cli.failures import Exit, Failure, reporting
from assent.cli.output import Output
from assent.cli.serve import extra_module
from assent.cli.session import BaseUrl, Json
from assent.cli.text import clean
from assent.settings import DEFAULT_BASE_URL

if TYPE_CHECKING:
    from assent.mcp_proxy.pins import Definition, PinnedServer

AgentKey = Annotated[
    str | None,
    typer.Option("--api-key", envvar="ASSENT_API_KEY", help="An agent's key; `assent keys create` makes one."),
]
AgentId = Annotated[
    str | None,
    typer.Option("--agent-id", envvar="ASSENT_AGENT_ID", help="Under which agent; else the one of the key."),
]
Timeout = Annotated[
    float,
    typer.Option(min=0.1, max=300, help="Seconds that the service has to answer; without one nothing is allowed."),
]

group = typer.Typer(invoke_without_command=True)


def register(app: typer.Typer) -> None:
    app.add_typer(group, name="mcp")


@group.callback()
def mcp(
    context: typer.Context,
    base_url: BaseUrl = DEFAULT_BASE_URL,
    api_key: AgentKey = None,
    agent_id: AgentId = None,
    timeout: Timeout = 10.0,
    wait: Annotated[
        float, typer.Option(min=0, max=3600, help="Seconds that wait_for_approval waits where the call does not say.")
    ] = 50.0,
) -> None:
    """Serve MCP on standard input and output: guard, create_action, wait_for_approval and more as tools.

    An MCP host starts this command; its configuration needs

    \b
        {"mcpServers": {"assent": {"command": "assent", "args": ["mcp"],
          "env": {"ASSENT_BASE_URL": "http://127.0.0.1:8484", "ASSENT_API_KEY": "...",
                  "ASSENT_AGENT_ID": "my-agent"}}}}

    It ends with 0 when the host closes its input or sends SIGTERM, and with 130 on Ctrl-C.
    """
    if context.invoked_subcommand is not None:
        return
    with reporting():
        key = _key(api_key)
        serving = extra_module("assent.mcp.server", "`assent mcp`", "mcp")
        _look_at_pipes()
        try:
            serving.run(base_url=base_url, api_key=key, agent_id=agent_id, timeout=timeout, patience=wait)
        except ValueError as error:  # an address or a key that can be none
            raise Failure(str(error), Exit.USAGE) from None


class Mode(StrEnum):
    ENFORCE = "enforce"
    OBSERVE = "observe"


class Results(StrEnum):
    SCAN = "scan"
    HOLD = "hold"
    OFF = "off"


class Changes(StrEnum):
    HOLD = "hold"
    TELL = "tell"


@group.command("proxy")
def proxy(
    command: Annotated[
        list[str] | None, typer.Argument(help="What starts the server, behind `--`: a program and its arguments.")
    ] = None,
    url: Annotated[
        str | None, typer.Option("--url", help="Instead of a command: where a server speaks streamable HTTP.")
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option(
            "--header", help="With --url, as often as needed: NAME=VARIABLE, a header whose value is in that variable."
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", help="What policies call the server; else what the command tells.")
    ] = None,
    mode: Annotated[
        Mode, typer.Option(help="`enforce` stops calls and fails closed, `observe` only records.")
    ] = Mode.ENFORCE,
    results: Annotated[
        Results,
        typer.Option(
            help="Prompt injections in results: `scan` records them, `hold` also holds back what should be blocked."
        ),
    ] = Results.SCAN,
    changes: Annotated[
        Changes | None,
        typer.Option(
            help="Tools that are not as they were first seen: `hold` them until `assent mcp pins --accept`, or `tell`; "
            "`hold` unless observing."
        ),
    ] = None,
    base_url: BaseUrl = DEFAULT_BASE_URL,
    api_key: AgentKey = None,
    agent_id: AgentId = None,
    timeout: Timeout = 10.0,
    wait: Annotated[
        float, typer.Option(min=0, max=3600, help="Seconds that a call waits for its approval before it says so.")
    ] = 50.0,
) -> None:
    """Stand before an MCP server: each call of its tools asks guard first, and what came of it is recorded.

    An MCP host starts this command instead of the server's own:

    \b
        {"mcpServers": {"files": {"command": "assent",
          "args": ["mcp", "proxy", "--name", "files", "--",
                   "npx", "-y", "@modelcontextprotocol/server-filesystem", "/tmp"],
          "env": {"ASSENT_API_KEY": "..."}}}}

    Everything else passes through unchanged. The type of an action is mcp.NAME.TOOL. It ends when the host closes its
    input, with 0, or with the server.
    """
    from assent.mcp_proxy.run import ProxySettings, run
    from assent.spool import SpoolRefused

    with reporting():
        if bool(command) == bool(url):
            raise Failure("which server? Give its command behind `--`, or its address with --url", Exit.USAGE)
        if url is not None and not url.startswith(("http://", "https://")):
            raise Failure(f"--url is {url[:80]!r}; give an address that begins with http:// or https://", Exit.USAGE)
        if mode is Mode.OBSERVE and (results is Results.HOLD or changes is Changes.HOLD):
            raise Failure("--mode observe holds nothing; leave out `hold`", Exit.USAGE)
        key = _key(api_key)
        settings = ProxySettings(
            base_url=base_url,
            api_key=key,
            agent_id=agent_id,
            command=command or [],
            url=url,
            headers=dict(_header(each) for each in header or []),
            name=name,
            mode=mode.value,
            timeout=timeout,
            wait=wait,
            results=results.value,
            hold_changes=changes is Changes.HOLD or (changes is None and mode is Mode.ENFORCE),
        )
        _look_at_pipes()
        try:
            code = run(settings)
        except (ValueError, SpoolRefused) as error:
            raise Failure(str(error), Exit.USAGE) from None
        raise typer.Exit(code)


@group.command("pins")
def pins(
    name: Annotated[str | None, typer.Argument(help="One server, and what has changed; else all of them.")] = None,
    accept: Annotated[bool, typer.Option("--accept", help="Take the server's tools as they are now.")] = False,
    json: Json = False,
) -> None:
    """The tools that `assent mcp proxy` has pinned on this machine, and those that are held because they changed."""
    from assent.mcp_proxy import pins as kept
    from assent.spool import SpoolRefused

    with reporting():
        output = Output(json=json)
        if accept and name is None:
            raise Failure("accept what? Name the server", Exit.USAGE)
        try:
            where = kept.folder()
            if name is None:
                _show_all(list(kept.all_pinned(where)), output)
            elif accept:
                server = kept.accept(where, name)
                output.lines(
                    _document(server), f"Accepted: {len(server.tools)} tools of {server.name}, {server.digest}"
                )
            else:
                server = kept.load(where / f"{kept.checked_name(name)}.json")
                output.lines(_document(server), *_lines(server))
        except (kept.PinsRefused, SpoolRefused) as error:
            raise Failure(str(error), Exit.USAGE) from None


def _show_all(servers: list[PinnedServer], output: Output) -> None:
    output.rows(
        {"servers": [_document(server) for server in servers]},
        ("name", "tools", "held", "digest", "server"),
        [(each.name, len(each.tools), len(each.changes), each.digest, each.target) for each in servers],
        "Nothing is pinned yet.",
    )


def _document(server: PinnedServer) -> dict[str, object]:
    return {
        "name": server.name,
        "target": server.target,
        "digest": server.digest,
        "whole": server.whole,
        "tools": server.tools,
        "changes": server.changes,
    }


def _lines(server: PinnedServer) -> list[str]:
    """For people: what is pinned in a line each, and of what changed both readings."""
    lines = [f"{clean(server.name)}: {len(server.tools)} tools, {server.digest}"]
    lines += [f"  {clean(tool)}" for tool in server.tools]
    for tool, now in server.changes.items():
        before = server.tools.get(tool, {})
        lines.append(f"{'changed' if before else 'new'}: {clean(tool)}")
        lines += [line for member in sorted(before.keys() | now.keys()) for line in _difference(member, before, now)]
    if server.changes:
        lines.append(f"Take them as they are now: assent mcp pins {server.name} --accept")
    return lines


def _difference(member: str, before: Definition, now: Definition) -> list[str]:
    if before.get(member) == now.get(member):
        return []
    return [f"  {sign} {member}: {clean(one[member])}" for sign, one in (("-", before), ("+", now)) if member in one]


def _header(given: str) -> tuple[str, str]:
    """Raises Failure."""
    name, _, variable = given.partition("=")
    value = os.environ.get(variable, "") if name and variable else ""
    if not value:
        raise Failure(
            f"--header is {given[:80]!r}; give NAME=VARIABLE, where the environment holds the value in VARIABLE",
            Exit.USAGE,
        )
    if not (name.isascii() and name.replace("-", "").isalnum() and value.isascii() and value.isprintable()):
        raise Failure(f"--header {name[:80]!r} has signs that no header can carry", Exit.USAGE)
    return name, value


def _key(api_key: str | None) -> str:
    """Raises Failure."""
    if not api_key or not api_key.strip():
        raise Failure(
            "no key: set ASSENT_API_KEY to an agent's key in the host's configuration (or pass --api-key); "
            '`assent keys create "My agent" --agent my-agent` makes one. The admin key is not taken by itself, '
            "since an agent must not have it",
            Exit.UNAUTHORIZED,
        )
    return api_key


def _look_at_pipes() -> None:
    """Raises Failure."""
    if sys.stdin is None or sys.stdout is None:
        raise Failure("standard input or output is closed; an MCP host starts this command with both", Exit.USAGE)
    if sys.stdin.isatty():
        print("Waiting for an MCP client on standard input; Ctrl-C ends it.", file=sys.stderr)
