"""`assent doctor`: whether the workspace is ready, and what to do about it."""

from __future__ import annotations

from typing import Annotated

import typer

from assent.cli.exits import Exit
from assent.cli.failures import Failure
from assent.cli.session import Session, connected
from assent.cli.text import clean, moment
from assent.contract.readiness import ConnectionTest, ReadinessShare, ReadinessState, WorkspaceReadiness

HEADER = ("what", "name", "status", "detail")


def register(app: typer.Typer) -> None:
    app.command("doctor")(examine)


@connected
def examine(
    session: Session,
    test: Annotated[
        bool, typer.Option("--test", help="First create one action and follow it from guard to its outcome.")
    ] = False,
) -> None:
    """Whether the workspace is ready: its state, checks and shares. Code 1 when it is blocked or the test failed."""
    tested = session.client.test_connection() if test else None
    found = session.client.get_readiness()
    session.output.rows({"readiness": found, "test": tested}, HEADER, _rows(found, tested), "")
    if session.output.terminal:
        # The table cuts long cells, and these are the ones to be read.
        for line in _unsettled(found, tested):
            session.output.remark(line)
    if found.state is ReadinessState.BLOCKED:
        raise Failure(f"the workspace is blocked. {clean(found.next_step)}", Exit.REFUSED)
    if tested is not None and not tested.passed:
        raise Failure(f"the connection test of action {tested.action.action_id} did not pass", Exit.REFUSED)


def _rows(found: WorkspaceReadiness, tested: ConnectionTest | None) -> list[tuple[str, str, str, str]]:
    last = found.last_test
    seen = "" if last is None else f"{moment(last.at)}, action {last.action_id}"
    status = "none" if last is None else "pass" if last.passed else "fail"
    return [
        ("workspace", "state", found.state.value, f"{found.title}. {found.next_step}"),
        *(("check", check.name, check.status, check.detail) for check in found.checks),
        *(("share", share.name, _percent(share), share.meaning) for share in found.shares),
        ("test", "newest", status, seen),
        *(("step", step.name, step.status, step.detail) for step in (tested.steps if tested else ())),
        ("workspace", "checked_at", moment(found.checked_at), "the service's time"),
        *([("workspace", "simulated", str(found.simulated), "simulated actions")] if found.simulated else ()),
    ]


def _percent(share: ReadinessShare) -> str:
    if share.percent is None:
        return "no rows" if share.available else "not available"
    return f"{share.percent:.1f} % of {share.n}"


def _unsettled(found: WorkspaceReadiness, tested: ConnectionTest | None) -> list[str]:
    said = [(check.name, check.detail) for check in found.checks if check.status != "pass"]
    said += [(step.name, step.detail) for step in (tested.steps if tested else ()) if step.status != "pass"]
    lines = [f"{clean(name)}: {clean(detail)}" for name, detail in said]
    return [*lines, f"Next: {clean(found.next_step)}"]
