"""`assent flows`: what sessions were told, and labels taken off them."""

from __future__ import annotations

from typing import Annotated

import typer

from assent.cli.failures import Exit, Failure
from assent.cli.session import CommandSession, connected
from assent.cli.text import moment
from assent.contract.control.flows import FlowSession

app = typer.Typer(no_args_is_help=True, help="What sessions were told: list, take labels off.")

SessionId = Annotated[str, typer.Argument(help="The session, as its program names it.")]


@app.command("list")
@connected
def list_flows(
    session: CommandSession,
    session_id: Annotated[str | None, typer.Option("--session", help="Only this session.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many at most, the newest first.")] = 50,
) -> None:
    """Sessions, newest first: how often they were told something, and which labels hold."""
    answer = session.client.get_flows(session_id=session_id, limit=limit)
    session.output.rows(
        answer,
        ("session", "agent", "told", "calls", "complete", "labels", "taken_off", "updated_at"),
        [_row(each) for each in answer.flows],
        "No session was told anything.",
    )


@app.command("remove-labels")
@connected
def remove_labels(
    session: CommandSession,
    session_id: SessionId,
    labels: Annotated[list[str], typer.Argument(help="Labels, as `assent flows list` shows them.")],
    reason: Annotated[str, typer.Option(help="Why they need not hold any more.")],
    if_told: Annotated[
        int | None, typer.Option(min=0, help="`told` as you read it: a label that came later is not taken off.")
    ] = None,
) -> None:
    """Take labels off a session: remove-labels "bill 17" untrusted_seen --reason "The file is our own"."""
    found = session.client.get_flows(session_id=session_id).flows
    if not found:
        raise Failure(f"session {session_id!r} was told nothing; `assent flows list` shows those that were", Exit.USAGE)
    answer = session.client.remove_flow_labels(found[0].flow_id, labels, reason, if_told)
    session.output.lines(answer, f"Labels of {answer.flow.session_id}: {', '.join(answer.flow.labels) or 'none'}")


def _row(flow: FlowSession) -> tuple[object, ...]:
    return (
        flow.session_id,
        flow.agent_id or "",
        flow.told,
        flow.calls,
        "yes" if flow.complete else "no",
        ",".join(flow.labels),
        "; ".join(f"{each.label}: {each.reason}" for each in flow.removed),
        moment(flow.updated_at),
    )
