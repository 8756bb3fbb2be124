"""`assent simulate`: a workspace full of history that never happened, to look around in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from assent.cli.connection import DEFAULT_HOME
from assent.cli.exits import Exit
from assent.cli.failures import Failure, reporting
from assent.cli.output import Output
from assent.cli.progress import Progress
from assent.cli.serving import extra_module, refusals
from assent.cli.session import Home, Json

Seed = Annotated[int, typer.Option(min=0, help="The same seed draws the same history.")]
Agents = Annotated[int, typer.Option(min=1, max=1000, help="How many agents act.")]
Days = Annotated[int, typer.Option(min=1, max=3650, help="How far back from now it reaches.")]
Actions = Annotated[int, typer.Option(min=1, max=10_000_000, help="How many actions they take.")]


def register(app: typer.Typer) -> None:
    app.command("simulate")(simulate)


def simulate(
    home: Home = DEFAULT_HOME,
    agents: Agents = 6,
    days: Days = 30,
    actions: Actions = 2000,
    seed: Seed = 7,
    json: Json = False,
) -> None:
    """Fill a new data folder with a simulated history; the service must not be running."""
    with reporting():
        report = fill(home, agents=agents, days=days, actions=actions, seed=seed)
        Output(json=json).lines(report, *report_lines(report))


def fill(home: Path, *, agents: int = 6, days: int = 30, actions: int = 2000, seed: int = 7) -> Any:
    """Simulate into `home`, with progress on standard error; the answer is the service's own report.

    Raises Failure for a folder that is in use or has a history, MissingExtra without the service or the analytics.
    """
    module = extra_module("assent_service.simulate", "`assent simulate`", "service,analytics")
    from assent_service.core.problem import Refusal

    progress = Progress("steps", 0)
    with refusals():
        try:
            return module.run(home, seed=seed, agents=agents, days=days, actions=actions, progress=progress.reach)
        except module.NotEmpty as error:
            raise Failure(str(error), Exit.REFUSED) from None
        except Refusal as error:
            raise Failure(error.detail, Exit.REFUSED) from error
        finally:
            progress.finish()


def report_lines(report: Any) -> list[str]:
    """What was simulated, for people."""
    return [
        f"Simulated {report.actions} actions of {report.agents} agents over {report.days} days into {report.home}",
        f"{report.approvals} approvals, {report.waiting} of them waiting now; {report.assumptions} assumptions; "
        f"{report.events} events in {report.seconds:.1f} s",
        f"Admin key file: {report.admin_key_file}",
        "None of it happened: every action says that it is simulated",
    ]
