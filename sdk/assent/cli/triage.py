"""`assent triage`: what guard lets pass by itself, below a risk that audits have certified."""

from __future__ import annotations

from typing import Annotated

import typer

from assent.cli.session import CommandSession, connected
from assent.cli.text import clean, moment
from assent.contract.control.triage import Triage, TriageStratum, settles

app = typer.Typer(no_args_is_help=True, help="Triage: let guard pass what audits bound: status, on, off.")


@app.command("status")
@connected
def show_status(session: CommandSession) -> None:
    """The plan that is on, and how each type of action stands: threshold, audits, bound, alarms."""
    _show(session, session.client.get_triage())


@app.command("on")
@connected
def turn_on(
    session: CommandSession,
    action_types: Annotated[list[str], typer.Option("--type", help="A type of action that may pass; once for each.")],
    alpha: Annotated[
        float, typer.Option(help="The share of what passes of each type that may be harmful, 0.0001 to 0.2.")
    ],
    delta: Annotated[float, typer.Option(help="The probability that it is more, to 0.5.")] = 0.05,
    room: Annotated[
        int | None,
        typer.Option(help="How many harmful ones of each type may pass while that share is fewer; by itself 10 to 50."),
    ] = None,
    audited: Annotated[float, typer.Option(help="The least share that is asked anyway, 0.05 to 0.9.")] = 0.1,
    hours: Annotated[int, typer.Option(help="After how many hours nobody will know how it turned out.")] = 168,
    reason: Annotated[str | None, typer.Option(help="Why.")] = None,
) -> None:
    """Give a plan. It begins with asking about everything; another plan than the one that is on begins anew."""
    triage = session.client.set_triage(
        action_types,
        alpha,
        delta=delta,
        room=room,
        least_audited=audited,
        horizon_hours=hours,
        reason=reason,
    )
    _show(session, triage)


@app.command("off")
@connected
def turn_off(session: CommandSession) -> None:
    """Ask people about everything again, at once."""
    _show(session, session.client.stop_triage())


def _show(session: CommandSession, triage: Triage) -> None:
    plan = triage.plan
    if plan is None:
        session.output.lines(triage, "Triage is off: people are asked about everything.")
        return
    reason = f": {clean(plan.reason)}" if plan.reason else ""
    session.output.lines(
        triage,
        f"On since {moment(plan.created_at)} by {clean(plan.created_by_name)}{reason}",
        f"of each type: alpha {plan.alpha:g} from {settles(plan.room, plan.alpha):,} passed on, {plan.room:,} harmful "
        f"before; of all: delta {plan.delta:g}, at least {plan.least_audited:.0%} audited",
        *(line for stratum in triage.strata for line in _lines(stratum)),
    )


def _lines(stratum: TriageStratum) -> list[str]:
    return [
        f"{clean(stratum.action_type)} {stratum.state}: {stratum.says}",
        f"  {stratum.passed} passed, at most {stratum.bound} of them harmful ({int(stratum.budget):,} accepted, "
        f"{stratum.known_harmful} known); {stratum.asked} asked, {stratum.audited} of them audits, {stratum.pending} "
        "not known yet",
    ]
