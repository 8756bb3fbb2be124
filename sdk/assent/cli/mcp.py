"""`assent mcp`: the governed loop as tools for whatever speaks MCP, over standard input and output.

Standard output belongs to the protocol from the first byte on; everything else goes to standard error.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from assent.cli.failures import Exit, Failure, reporting
from assent.cli.serve import extra_module
from assent.cli.session import BaseUrl
from assent.settings import DEFAULT_BASE_URL

AgentKey = Annotated[
    str | None,
    typer.Option("--api-key", envvar="ASSENT_API_KEY", help="An agent's key; `assent keys create` makes one."),
]
AgentId = Annotated[
    str | None,
    typer.Option("--agent-id", envvar="ASSENT_AGENT_ID", help="Under which agent; else the one of the key."),
]


def register(app: typer.Typer) -> None:
    app.command("mcp")(mcp)


def mcp(
    base_url: BaseUrl = DEFAULT_BASE_URL,
    api_key: AgentKey = None,
    agent_id: AgentId = None,
    timeout: Annotated[
        float,
        typer.Option(min=0.1, max=300, help="Seconds that the service has to answer; without one nothing is allowed."),
    ] = 10.0,
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
    with reporting():
        if not api_key or not api_key.strip():
            raise Failure(
                "no key: set ASSENT_API_KEY to an agent's key in the host's configuration (or pass --api-key); "
                '`assent keys create "My agent" --agent my-agent` makes one. The admin key is not taken by itself, '
                "since an agent must not have it",
                Exit.UNAUTHORIZED,
            )
        serving = extra_module("assent.mcp.server", "`assent mcp`", "mcp")
        if sys.stdin is None or sys.stdout is None:
            raise Failure("standard input or output is closed; an MCP host starts this command with both", Exit.USAGE)
        if sys.stdin.isatty():
            print("Waiting for an MCP client on standard input; Ctrl-C ends it.", file=sys.stderr)
        try:
            serving.run(base_url=base_url, api_key=api_key, agent_id=agent_id, timeout=timeout, patience=wait)
        except ValueError as error:  # an address or a key that can be none
            raise Failure(str(error), Exit.USAGE) from None
