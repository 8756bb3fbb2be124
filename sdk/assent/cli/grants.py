"""`assent grants`: approvals given in advance."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated

import msgspec
import typer

from assent.cli.failures import Exit, Failure
from assent.cli.input import identifier, read_json
from assent.cli.session import CommandSession, connected
from assent.cli.text import clean, moment
from assent.contract.control.grants import MOST_DAYS, MOST_USES, Grant, GrantState, state_of

app = typer.Typer(no_args_is_help=True, help="Standing grants, approvals in advance: list, get, draft, create, revoke.")

GrantId = Annotated[str, typer.Argument(callback=identifier, help="As `assent grants list` shows it.")]
ActionId = Annotated[str, typer.Argument(callback=identifier, help="An action that waits, or waited.")]


@app.command("list")
@connected
def list_grants(
    session: CommandSession,
    state: Annotated[GrantState | None, typer.Option(help="Only those in this state.")] = None,
    action_type: Annotated[str | None, typer.Option("--type", help="Only those for this type of action.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many at most, the newest first.")] = 50,
) -> None:
    """Grants, newest first: whose, for what, how often they were used, and until when."""
    answer = session.client.list_grants(state=state, action_type=action_type, limit=limit)
    session.output.rows(
        answer,
        ("grant_id", "state", "agents", "type", "used", "max_risk", "expires_at", "when", "by", "reason"),
        [_row(grant, answer.at) for grant in answer.grants],
        "There are no grants; try `assent grants draft ACTION_ID`.",
    )


@app.command("get")
@connected
def get_grant(session: CommandSession, grant_id: GrantId) -> None:
    """A grant and each of its uses."""
    answer = session.client.get_grant(grant_id)
    grant = answer.grant
    lines = [
        f"{grant.grant_id} {answer.state}: {', '.join(grant.agent_ids)} may {grant.action_type}",
        f"when {_when(grant)}, risk at most {grant.max_risk:g}",
        f"used {grant.used} of {grant.max_uses}, until {moment(grant.expires_at)}",
        f"given by {grant.created_by_name}: {grant.reason}",
    ]
    if grant.revoked_at is not None:
        lines.append(f"revoked at {moment(grant.revoked_at)}: {grant.revoked_reason or 'no reason given'}")
    uses = [f"{use.number}. {moment(use.at)} {use.action_id}" for use in answer.uses]
    session.output.lines(answer, *lines, *uses)


@app.command("draft")
@connected
def draft_grant(session: CommandSession, action_id: ActionId) -> None:
    """The pattern of an action's request, for `create`: narrow or widen its conditions first."""
    answer = session.client.draft_grant(action_id)
    lines = [
        f"--agent {' --agent '.join(answer.agent_ids)} {answer.action_type} --max-risk {answer.max_risk:g}",
        f"--when '{_json(answer.when)}'" if answer.when is not None else "no conditions: every request of the type",
    ]
    if answer.unbound:
        lines.append(f"no condition can bind {', '.join(map(clean, answer.unbound))}: any value of it passes")
    if answer.unbound_metadata:
        lines.append(f"metadata are not bound, and may be others: {', '.join(map(clean, answer.unbound_metadata))}")
    if answer.why_not is not None:
        lines.append(f"no grant lets this through: {answer.why_not}")
    session.output.lines(answer, *lines)


@app.command("create")
@connected
def create_grant(
    session: CommandSession,
    action_type: Annotated[str, typer.Argument(help="What kind of action.")],
    agent_id: Annotated[list[str], typer.Option("--agent", help="For this agent; may be repeated.")],
    max_risk: Annotated[float, typer.Option(min=0, max=100, help="The highest risk that it lets through.")],
    uses: Annotated[int, typer.Option(min=1, max=MOST_USES, help="How often.")],
    reason: Annotated[str, typer.Option(help="Why; it stands in every approval that it gives.")],
    when: Annotated[str | None, typer.Option(help="Conditions: a JSON object, @FILE, or -.")] = None,
    until: Annotated[str | None, typer.Option(help="When it ends, as 2026-11-27T18:00+01:00.")] = None,
    hours: Annotated[float | None, typer.Option(min=0, help="In how many hours it ends, instead of --until.")] = None,
    from_action: Annotated[
        str | None, typer.Option("--from", help="The action whose request gave the pattern.")
    ] = None,
) -> None:
    """Approve in advance: create refund --agent shop --max-risk 40 --uses 20 --hours 72 --reason "The sale"."""
    if (until is None) is (hours is None):
        raise Failure("give --until or --hours, one of the two", Exit.USAGE)
    answer = session.client.create_grant(
        agent_id,
        action_type,
        max_risk=max_risk,
        max_uses=uses,
        expires_at=_end(until, hours),
        reason=reason,
        when=None if when is None else read_json(when, "when"),
        from_action_id=from_action,
    )
    session.output.lines(answer, f"Created: {answer.grant.grant_id}, until {moment(answer.grant.expires_at)}")


@app.command("revoke")
@connected
def revoke_grant(
    session: CommandSession,
    grant_id: GrantId,
    reason: Annotated[str | None, typer.Option(help="Why it ends.")] = None,
) -> None:
    """End a grant at once; what it let through can be claimed no more."""
    answer = session.client.revoke_grant(grant_id, reason)
    session.output.lines(answer, f"Revoked: {answer.grant.grant_id}, used {answer.grant.used} times")


def _end(until: str | None, hours: float | None) -> datetime:
    if until is None:
        return datetime.now(UTC) + timedelta(hours=min(hours or 0.0, 24.0 * (MOST_DAYS + 1)))
    try:
        found = datetime.fromisoformat(until)
    except ValueError:
        raise Failure(f"--until is {until!r}, expected a time such as 2026-11-27T18:00+01:00", Exit.USAGE) from None
    return found if found.tzinfo is not None else found.astimezone()


def _row(grant: Grant, at: datetime) -> tuple[object, ...]:
    return (
        grant.grant_id,
        state_of(grant, at),
        ",".join(grant.agent_ids),
        grant.action_type,
        f"{grant.used}/{grant.max_uses}",
        f"{grant.max_risk:g}",
        moment(grant.expires_at),
        _when(grant),
        grant.created_by_name,
        grant.reason,
    )


def _when(grant: Grant) -> str:
    return "any" if grant.when is None else _json(grant.when)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
