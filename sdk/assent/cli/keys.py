"""`assent keys`: who may call the service."""

from __future__ import annotations

from typing import Annotated

import typer

from assent.cli.failures import Exit, Failure
from assent.cli.input import identifier
from assent.cli.session import CommandSession, connected
from assent.cli.text import moment
from assent.contract.roles import Role

app = typer.Typer(no_args_is_help=True, help="API keys: list, create, revoke.")

KeyId = Annotated[str, typer.Argument(callback=identifier, help="As `assent keys list` shows it.")]


@app.command("list")
@connected
def list_keys(session: CommandSession) -> None:
    """All keys of the organization, revoked ones included; never their secrets."""
    answer = session.client.get_keys()
    session.output.rows(
        answer,
        ("key_id", "name", "role", "agent_id", "hint", "created_at", "revoked_at"),
        [
            (key.key_id, key.name, key.role, key.agent_id, key.hint, moment(key.created_at), moment(key.revoked_at))
            for key in answer.keys
        ],
        "There are no keys.",
    )


@app.command("create")
@connected
def create_key(
    session: CommandSession,
    name: Annotated[str, typer.Argument(help="What the key is for; it shows as the decider's name.")],
    role: Annotated[Role, typer.Option(help="What the key may do.")] = Role.AGENT,
    agent_id: Annotated[str | None, typer.Option("--agent", "--agent-id", help="Bind the key to one agent.")] = None,
    any_agent: Annotated[bool, typer.Option("--any-agent", help="A key of role agent that many agents share.")] = False,
) -> None:
    """Make a key. Its secret is printed here and can never be read again.

    A key of role agent speaks for one agent (--agent), unless it is meant for any (--any-agent).
    """
    if any_agent and (role is not Role.AGENT or agent_id is not None):
        raise Failure("--any-agent is for a key of role agent without --agent; give one of the two", Exit.USAGE)
    if role is Role.AGENT and agent_id is None and not any_agent:
        raise Failure(
            "whose key is it? Name the agent with --agent, so that it speaks for no other; or say --any-agent, and "
            "whoever has the key speaks for any agent",
            Exit.USAGE,
        )
    created = session.client.create_key(name, role, agent_id, any_agent=any_agent)
    if session.output.terminal:
        session.output.remark(f"Key {created.key.key_id} ({created.key.role}), shown this once:")
    session.output.lines(created, created.api_key)


@app.command("revoke")
@connected
def revoke_key(session: CommandSession, key_id: KeyId) -> None:
    """Revoke a key; the next request with it is refused."""
    answer = session.client.revoke_key(key_id)
    session.output.lines(answer, f"Revoked: {answer.key.key_id} ({answer.key.name})")
