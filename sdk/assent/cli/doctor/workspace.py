"""The workspace as the service judges it: state, checks, shares, and the connection test."""

from __future__ import annotations

from assent.cli.doctor.finding import Finding, Mark
from assent.cli.text import moment
from assent.contract.readiness import ConnectionTest, ReadinessShare, WorkspaceReadiness


def findings(found: WorkspaceReadiness, tested: ConnectionTest | None) -> list[Finding]:
    """For a terminal: its checks, the steps of a test, and the state in which it is, which says what is next."""
    checks = [Finding(name=each.name, status=_mark(each.status), detail=each.detail) for each in found.checks]
    steps = [] if tested is None else tested.steps
    checks += [Finding(name=f"test: {each.name}", status=_mark(each.status), detail=each.detail) for each in steps]
    return checks


def summary(found: WorkspaceReadiness) -> str:
    shares = "; ".join(f"{share.name} {percent(share)}" for share in found.shares)
    return f"{found.title}. {found.next_step} Shares of the last 7 days: {shares}."


def rows(found: WorkspaceReadiness, tested: ConnectionTest | None) -> list[tuple[str, str, str, str]]:
    """For a pipe: all of it."""
    last = found.last_test
    seen = "" if last is None else f"{moment(last.at)}, action {last.action_id}"
    status = "none" if last is None else "pass" if last.passed else "fail"
    return [
        ("workspace", "state", found.state.value, f"{found.title}. {found.next_step}"),
        *(("check", check.name, check.status, check.detail) for check in found.checks),
        *(("share", share.name, percent(share), share.meaning) for share in found.shares),
        ("test", "newest", status, seen),
        *(("step", step.name, step.status, step.detail) for step in (tested.steps if tested else ())),
        ("workspace", "checked_at", moment(found.checked_at), "the service's time"),
        *([("workspace", "simulated", str(found.simulated), "simulated actions")] if found.simulated else ()),
    ]


def percent(share: ReadinessShare) -> str:
    if share.percent is None:
        return "no rows" if share.available else "not available"
    return f"{share.percent:.1f} % of {share.n}"


def _mark(status: str) -> Mark:
    return Mark(status) if status in set(Mark) else Mark.WARN
