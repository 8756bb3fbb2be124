"""`assent flows`: what sessions were told, and labels taken off them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from assent.cli.failures import Exit, Failure
from assent.cli.session import CommandSession, connected
from assent.cli.text import moment
from assent.contract.control.flows import FlowSession

if TYPE_CHECKING:
    from assent import Client
    from assent.flows.suggest import CallSample

app = typer.Typer(
    no_args_is_help=True, help="What sessions were told: list, take labels off; draft what your own tools are."
)

NOTHING = (
    "No call of the last {window} is recorded, so there is nothing to draft from. Guard is asked about calls with "
    "`guard` or `create_action`, and sees what they are made with in `parameters`; `--window 90d` looks further back."
)

NOTHING_OF = (
    "No call of agent {agent_id} of the last {window} is recorded, so there is nothing to draft from. Leave --agent-id "
    "out to draft from the calls of all agents."
)
PASSES_AGAIN = (
    "A destination that nobody named passes again in this session, until it is told another text of somebody else. "
    "Values of the texts that it was told still ask."
)

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
    from assent.flows.session import UNTRUSTED

    found = session.client.get_flows(session_id=session_id).flows
    if not found:
        raise Failure(f"session {session_id!r} was told nothing; `assent flows list` shows those that were", Exit.USAGE)
    answer = session.client.remove_flow_labels(found[0].flow_id, labels, reason, if_told)
    left = answer.flow.labels
    lines = [f"Labels of {answer.flow.session_id}: {', '.join(left) or 'none'}"]
    if UNTRUSTED in labels and UNTRUSTED not in left:
        lines.append(PASSES_AGAIN)
    session.output.lines(answer, *lines)


@app.command("suggest")
@connected
def suggest_pack(
    session: CommandSession,
    window: Annotated[str, typer.Option(help="How far back, such as 7d or 90d.")] = "30d",
    agent_id: Annotated[str | None, typer.Option(help="Only calls of this agent.")] = None,
    servers: Annotated[
        bool, typer.Option("--mcp", help="Take schemas of the MCP servers that this user's gateway has pinned, too.")
    ] = False,
) -> None:
    """Draft what your own tools are, for `assent policies import`: suggest > flow.yaml.

    Nothing is switched on: it observes, under a name that no policy has. What it says of tools counts for enforced flow
    policies once it is enforced."""
    from assent.contract.control.flows import flow_call
    from assent.contract.control.shared_tools import tools_of
    from assent.flows import joined, read_pack
    from assent.flows.suggest import CallSample, suggest

    simulated = 0

    def calls() -> Iterator[CallSample]:
        nonlocal simulated
        for row in _decisions(session.client, window, agent_id):
            if row["source"] == "simulated":
                simulated += 1
                continue
            context = _decoded(row["context"])
            call = flow_call(str(row["action_type"]), context)
            yield CallSample(call.tool, call.parameters if isinstance(context.get("parameters"), Mapping) else None)

    policies = session.client.get_policies().policies
    # What a policy that only observes says is said, too: it is not drafted again.
    flowing = [each for each in policies if each.policy_type == "flow" and each.active]
    said = joined((read_pack(each.rules.get("pack")), True) for each in flowing)
    taken = [each.name for each in policies]
    # Of two that say something of one pattern, the older one counts.
    by = {pattern: each.name for each in reversed(flowing) for pattern in tools_of(each)}
    found = suggest(calls(), _pinned() if servers else None, said, by)
    if simulated:
        session.output.remark(f"{simulated} calls of a simulator are left out; they never happened.")
    if not found.calls:
        nothing = NOTHING if agent_id is None else NOTHING_OF
        raise Failure(nothing.format(window=window, agent_id=agent_id), Exit.REFUSED)
    if session.output.json:
        session.output.document({"pack": found.text(window, taken), "draft": found})
    else:
        print(found.text(f"the last {window}", taken), end="")


def _decisions(client: Client, window: str, agent_id: str | None) -> Iterator[Mapping[str, Any]]:
    columns = ["action_type", "source", "context"]
    for line in client.get_table("decisions", window, "ndjson", columns, agent_id=agent_id).splitlines():
        yield msgspec.json.decode(line)


def _decoded(context: object) -> Mapping[str, Any]:
    found = msgspec.json.decode(context) if isinstance(context, str) else context
    return found if isinstance(found, Mapping) else {}


def _pinned() -> Mapping[str, Mapping[str, Any]]:
    """The tools of the MCP servers that this user's gateway has pinned, by their names."""
    from assent.mcp_proxy.pins import PinsRefused, all_pinned, folder

    try:
        return {name: each for server in all_pinned(folder()) for name, each in server.tools.items()}
    except PinsRefused as error:
        raise Failure(str(error), Exit.USAGE) from None


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
