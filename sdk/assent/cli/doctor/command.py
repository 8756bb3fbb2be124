"""The command: every check in turn, however far one gets, and a code that says whether something failed."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assent.cli.doctor import machine
from assent.cli.doctor.finding import (
    CheckResult,
    ResultStatus,
    failed,
    lines,
    row,
    skipped,
    workspace_findings,
    workspace_rows,
    workspace_summary,
)
from assent.cli.failures import Exit, Failure, reporting
from assent.cli.output import Output
from assent.cli.serve import extra_module
from assent.cli.session import (
    DEFAULT_HOME,
    KEY_FILE,
    ApiKey,
    BaseUrl,
    Connection,
    Home,
    Json,
    find_key,
    is_local,
    make_client,
)
from assent.cli.text import clean, wrap
from assent.contract.analysis.readiness import ConnectionTest, ReadinessState, WorkspaceReadiness
from assent.settings import DEFAULT_BASE_URL
from assent.spool import OFF

if TYPE_CHECKING:
    from assent import Client
    from assent.contract.people.keys import Key

HEADER = ("what", "name", "status", "detail")


@dataclass(kw_only=True)
class Checkup:
    """Everything that was found; `database` where one holds the log."""

    findings: list[CheckResult]
    database: list[CheckResult] = field(default_factory=list)
    readiness: WorkspaceReadiness | None = None
    test: ConnectionTest | None = None

    @property
    def wrong(self) -> list[str]:
        return [each.name for each in [*self.findings, *self.database] if each.status is ResultStatus.FAIL]


def register(app: typer.Typer) -> None:
    app.command("doctor")(examine)


def examine(
    context: typer.Context,
    test: Annotated[
        bool, typer.Option("--test", help="Also create one action and follow it from guard to its outcome.")
    ] = False,
    log: Annotated[
        str | None,
        typer.Option(
            envvar="ASSENT_LOG",
            help="Also look at the database that holds the log: postgresql://user@host/name, of the role that serves.",
        ),
    ] = None,
    base_url: BaseUrl = DEFAULT_BASE_URL,
    api_key: ApiKey = None,
    home: Home = DEFAULT_HOME,
    json: Json = False,
) -> None:
    """What is right and wrong with service, key, clock, data folder, log, dashboard, outcomes that wait on this
    machine, extras and workspace, and what to do about it. Code 1 when something fails. An agent's key may not read
    log and workspace, which are then skipped. Outcomes that wait are not delivered."""
    with reporting():
        found = _check_all(context, base_url.rstrip("/"), api_key, home, test)
        if log:
            found.database = _check_database(log)
        _show(Output(json=json), found)
        if found.readiness is not None and found.readiness.state is ReadinessState.BLOCKED:
            raise Failure(f"the workspace is blocked. {clean(found.readiness.next_step)}", Exit.REFUSED)
        if found.test is not None and not found.test.passed:
            raise Failure(f"the connection test of action {found.test.action.action_id} did not pass", Exit.REFUSED)
        if found.wrong:
            raise Failure(f"not in order: {', '.join(found.wrong)}", Exit.REFUSED)


def _check_database(dsn: str) -> list[CheckResult]:
    """The database that holds the log, as `assent_service` finds it. Raises MissingExtra without the driver."""
    module = extra_module("assent_service.store.postgresql.examination", "`assent doctor --log`", "service,postgresql")
    return [
        CheckResult(
            name=each.name,
            status=ResultStatus(each.status),
            detail=clean(each.detail),
            todo=None if each.todo is None else clean(each.todo),
        )
        for each in module.examine(dsn)
    ]


def _check_all(context: typer.Context, base_url: str, api_key: str | None, home: Path, test: bool) -> Checkup:
    from assent.cli.doctor import service

    given, key_finding = _find_key(base_url, api_key, home)
    source = "of --api-key or ASSENT_API_KEY" if api_key else f"in {home / KEY_FILE}"
    connection = Connection(base_url=base_url, api_key=given or "none")
    try:
        client = (
            context.obj(connection)
            if context.obj is not None
            else make_client(connection, timeout=service.PATIENCE, retries=0, spool=OFF)  # a look delivers nothing
        )
    except ValueError as error:
        wrong = failed("service", clean(error), "give an address such as http://127.0.0.1:8484 with --base-url")
        return Checkup(findings=[wrong, machine.check_folder(home, local=False, answers=False)])
    with client:
        reach, health, here = service.check_service(client, base_url)
        answers = health is not None
        key: Key | None = None
        if key_finding is None:
            key_finding, key = service.check_key(client, source) if answers else (_untried(source), None)
        folder = machine.check_folder(home, local=is_local(base_url), answers=answers)
        log = _check_log(client, key, home, answers=answers)
        found = [_elsewhere(reach, home, answers), key_finding, service.check_clock(health, here), folder, log]
        if answers:
            found.append(service.check_dashboard(base_url, service.fetch_page))
        else:
            found.append(skipped("dashboard", "No service answers that would say where it is."))
        spool = machine.check_spool(os.environ.get("ASSENT_SPOOL", "").strip(), os.environ)
        checkup = Checkup(findings=[*found, spool, *machine.check_extras()])
        if key is not None and service.may_read(key):
            _ask_workspace(client, checkup, test)
        elif key is not None and test:
            checkup.findings.append(
                failed("test", "An agent's key may not run it.", "use an operator's or admin's key")
            )
    return checkup


def _find_key(base_url: str, api_key: str | None, home: Path) -> tuple[str | None, CheckResult | None]:
    """The key, or the finding that there is none."""
    if api_key:
        return api_key, None
    try:
        return find_key(base_url, home), None
    except Failure as failure:
        return None, failed("key", clean(failure), "give one with --api-key or ASSENT_API_KEY")


def _untried(source: str) -> CheckResult:
    return skipped("key", f"There is one {source}; no service answers that would know it.")


def _elsewhere(reach: CheckResult, home: Path, answers: bool) -> CheckResult:
    """When nothing answers and yet a service runs on the folder, it listens elsewhere."""
    process = None if answers else machine.running_on(home)
    if process is None:
        return reach
    said = f"{reach.detail} Yet process {process} says that it runs on {home}: it may listen on another port."
    return failed(reach.name, said, reach.todo or "")


def _check_log(client: Client, key: Key | None, home: Path, *, answers: bool) -> CheckResult:
    from assent.cli.doctor import service

    if not answers:
        return machine.check_log_offline(home)
    if key is None or not service.may_read(key):
        return skipped("log", "Without a key that may read it, its head cannot be had.")
    return service.check_log(client, key)


def _ask_workspace(client: Client, checkup: Checkup, test: bool) -> None:
    from assent.errors import AssentError

    try:
        if test:
            checkup.test = client.test_connection()
        checkup.readiness = client.get_readiness()
    except AssentError as error:
        checkup.findings.append(failed("workspace", clean(error), "settle what fails above, then look again"))


def _show(output: Output, found: Checkup) -> None:
    if not output.terminal:
        document = {
            "ok": not found.wrong,
            "findings": found.findings,
            "database": found.database,
            "readiness": found.readiness,
            "test": found.test,
        }
        rows = [row("machine", each) for each in found.findings]
        rows += [row("database", each) for each in found.database]
        if found.readiness is not None:
            rows += workspace_rows(found.readiness, found.test)
        output.rows(document, HEADER, rows, "")
        return
    width = shutil.get_terminal_size().columns
    print(*lines(found.findings, width), sep="\n")
    if found.database:
        print("", "The database that holds the log:", sep="\n")
        print(*lines(found.database, width), sep="\n")
    if found.readiness is not None:
        print("", "The workspace, as the service sees it:", sep="\n")
        print(*lines(workspace_findings(found.readiness, found.test), width), sep="\n")
        print("", *wrap(clean(workspace_summary(found.readiness)), width), sep="\n")
