"""What a check found, how findings are shown, and the workspace as the service judges it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from assent.cli.text import clean, moment, pad, wrap
from assent.contract.analysis.readiness import ConnectionTest, ReadinessShare, WorkspaceReadiness

STATUS, NAME = 6, 12


class ResultStatus(StrEnum):
    """`skip` is a check that could not be made, or is not for this machine; it is neither right nor wrong."""

    PASS = "pass"  # noqa: S105 - a word
    WARN = "warn"
    FAIL = "fail"
    SKIP = "skip"


class CheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """`todo` says what to do about it; nothing for what is right."""

    name: str
    status: ResultStatus
    detail: str
    todo: str | None = None


def passed(name: str, detail: str) -> CheckResult:
    return CheckResult(name=name, status=ResultStatus.PASS, detail=detail)


def skipped(name: str, detail: str) -> CheckResult:
    return CheckResult(name=name, status=ResultStatus.SKIP, detail=detail)


def warned(name: str, detail: str, todo: str) -> CheckResult:
    return CheckResult(name=name, status=ResultStatus.WARN, detail=detail, todo=todo)


def failed(name: str, detail: str, todo: str) -> CheckResult:
    return CheckResult(name=name, status=ResultStatus.FAIL, detail=detail, todo=todo)


def lines(findings: Sequence[CheckResult], width: int) -> list[str]:
    """For a terminal: nothing is cut, and what is to be done stands below what is wrong."""
    shown: list[str] = []
    indent = " " * (STATUS + NAME)
    for each in findings:
        status = each.status.upper() if each.status is ResultStatus.FAIL else each.status.value
        said = [clean(each.detail), *([f"To do: {clean(each.todo)}"] if each.todo else [])]
        text = [line for part in said for line in wrap(part, max(width - STATUS - NAME, 20))]
        head = f"{pad(status, STATUS)}{pad(each.name, NAME)}"
        shown += [(indent if at else head) + line for at, line in enumerate(text)]
    return shown


def row(what: str, each: CheckResult) -> tuple[str, str, str, str]:
    """For a pipe."""
    return what, each.name, each.status.value, f"{each.detail} To do: {each.todo}" if each.todo else each.detail


def workspace_findings(found: WorkspaceReadiness, tested: ConnectionTest | None) -> list[CheckResult]:
    """For a terminal: its checks, the steps of a test, and the state in which it is, which says what is next."""
    checks = [CheckResult(name=each.name, status=_mark(each.status), detail=each.detail) for each in found.checks]
    steps = [] if tested is None else tested.steps
    checks += [CheckResult(name=f"test: {each.name}", status=_mark(each.status), detail=each.detail) for each in steps]
    return checks


def workspace_summary(found: WorkspaceReadiness) -> str:
    shares = "; ".join(f"{share.name} {percent(share)}" for share in found.shares)
    return f"{found.title}. {found.next_step} Shares of the last 7 days: {shares}."


def workspace_rows(found: WorkspaceReadiness, tested: ConnectionTest | None) -> list[tuple[str, str, str, str]]:
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


def _mark(status: str) -> ResultStatus:
    return ResultStatus(status) if status in set(ResultStatus) else ResultStatus.WARN
