"""`assent hooks install|uninstall|test`: govern a coding assistant with one command."""

from __future__ import annotations

import contextlib
import shutil
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from assent.cli.failures import Exit, Failure
from assent.cli.hooks import configuration, document, files, selftest
from assent.cli.output import Output
from assent.cli.session import CommandSession, Json, connected
from assent.contract.roles import Role
from assent.errors import AssentError, Forbidden, Unauthorized
from assent.hooks.settings import (
    ALLOW_PASS,
    ALLOW_SAY,
    ALLOWS,
    APPROVALS,
    LONGEST_WAIT,
    MODES,
    VERSION,
    version_of,
)

app = typer.Typer(no_args_is_help=True, help="Hooks for coding assistants: install, test, uninstall.")
HOST_SECONDS = 600
"""How long the host waits: longer than the hook ever takes, since a host that has given up lets the call run."""
CHECK_HEADER = ("check", "result", "detail")


class Host(StrEnum):
    CLAUDE = "claude"
    CODEX = "codex"


HostName = Annotated[Host, typer.Argument(help="Which coding assistant.")]
Project = Annotated[
    Path | None,
    typer.Option("--project", exists=True, file_okay=False, help="Only for this project's folder; else for the user."),
]
SettingsFile = Annotated[Path | None, typer.Option("--settings", help="Another settings file than the host's own.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask. Needed where nobody sits at a terminal.")]


@dataclass(frozen=True, kw_only=True)
class HostFiles:
    """Where a host's settings are, and our configuration beside them."""

    settings: Path
    configuration: Path


@app.command("install")
@connected
def install(
    session: CommandSession,
    host: HostName,
    project: Project = None,
    settings: SettingsFile = None,
    mode: Annotated[str, typer.Option(help="enforce stops calls and fails closed; observe only records.")] = "enforce",
    approvals: Annotated[
        str, typer.Option(help="Who is asked where guard wants a person: assent (operators) or host (who sits there).")
    ] = "assent",
    wait: Annotated[
        float,
        typer.Option(min=0, max=LONGEST_WAIT, help="Seconds that a call waits for an operator, then it is denied."),
    ] = 0.0,
    allow: Annotated[
        str,
        typer.Option(
            help="What the host hears of a call that guard lets through: pass (nothing, its own rules and questions go "
            "on) or say (to go ahead; never from risk 70 on, nor for what destroys or was warned of)."
        ),
    ] = ALLOW_PASS,
    agent_id: Annotated[str | None, typer.Option(help="Under which agent the calls are recorded.")] = None,
    yes: Yes = False,
) -> None:
    """Write the hooks into the host's settings, after showing the difference, and prove that they block."""
    _one_of("mode", mode, MODES)
    _one_of("approvals", approvals, APPROVALS)
    _one_of("allow", allow, ALLOWS)
    if host is Host.CODEX and approvals == "host":
        raise Failure("Codex cannot ask whoever sits there; install it with --approvals assent", Exit.USAGE)
    if host is Host.CODEX and allow == ALLOW_SAY:
        raise Failure("Codex takes no yes from a hook, only a no; install it with --allow pass", Exit.USAGE)
    at = _place(host, project, settings)
    before, found = files.read(at.settings)
    enforce = mode == "enforce"
    program = configuration.program(Path(shutil.which("assent") or sys.argv[0]).resolve())
    commands = {
        event: configuration.command(program, name, at.configuration, host.value, enforce=enforce)
        for event, name in document.EVENTS.items()
    }
    after = files.written(_changed(at.settings, found, commands, timeout=HOST_SECONDS), before)
    changes = files.difference(before, after, at.settings)
    if changes:
        _show(session, changes)
        _confirm(session, yes)
    members = _members(session, at, agent_id or configuration.AGENTS[host.value], approvals)
    earlier = configuration.read(at.configuration)
    configuration.write(
        at.configuration,
        members | {"version": VERSION, "mode": mode, "approvals": approvals, "wait": wait, "allow": allow},
    )
    try:
        backup = files.replace(at.settings, before, after) if changes else None
    except Failure:
        configuration.restore(at.configuration, earlier)
        raise
    checks = _prove(session, commands[document.PRE], configuration.read(at.configuration), host)
    if earlier and version_of(earlier) < VERSION:
        session.output.remark(f"Upgraded from version {version_of(earlier)} of the hooks to {VERSION}.")
    _report(session, at, checks, backup, installed=bool(changes))
    _warn_of_no_policy(session, at)


@app.command("uninstall")
def uninstall(
    host: HostName, project: Project = None, settings: SettingsFile = None, yes: Yes = False, json: Json = False
) -> None:
    """Take the hooks out again; other people's hooks and settings stay as they are. The key stays valid until it is
    revoked (`assent keys list`, `assent keys revoke`)."""
    from assent.cli.failures import reporting

    with reporting():
        output = Output(json=json)
        at = _place(host, project, settings)
        before, found = files.read(at.settings)
        try:
            after = files.written(document.without_hooks(found), before) if document.ours(found) else before
        except document.NotSettings as error:
            raise Failure(f"{at.settings}: {error}; nothing was changed", Exit.USAGE) from None
        changes = files.difference(before, after, at.settings)
        if not changes:
            output.lines(
                {"uninstalled": False, "settings": str(at.settings)}, f"There is none of ours in {at.settings}."
            )
            return
        for line in changes:
            output.remark(line)
        if not yes and not (output.interactive and typer.confirm("Write this?", default=False)):
            raise Failure("nothing was changed; pass --yes to do it without being asked", Exit.USAGE)
        backup = files.replace(at.settings, before, after)
        with contextlib.suppress(OSError):
            at.configuration.unlink(missing_ok=True)
        output.lines(
            {"uninstalled": True, "settings": str(at.settings), "backup": str(backup)},
            f"Taken out of {at.settings}; as it was: {backup}",
        )


@app.command("test")
@connected
def prove(session: CommandSession, host: HostName, project: Project = None, settings: SettingsFile = None) -> None:
    """Prove that the hooks that are installed block, and leave the host its own questions: code 1 when one
    does not, or is of an older version."""
    at = _place(host, project, settings)
    _, found = files.read(at.settings)
    try:
        command = document.ours(found).get(document.PRE)
    except document.NotSettings as error:
        raise Failure(f"{at.settings}: {error}", Exit.USAGE) from None
    if command is None:
        raise Failure(f"{at.settings} has no hook of ours; {_elsewhere(host, at)}", Exit.USAGE)
    known = configuration.read(at.configuration)
    checks = [_current(known, host), *_prove(session, command, known, host)]
    _report(session, at, checks, backup=None, installed=False)
    _warn_of_no_policy(session, at)


def _elsewhere(host: Host, at: HostFiles) -> str:
    """What to run instead: with the folder that one is in, where that installation is for this project alone."""
    here = _place(host, Path(), None)
    if here != at:
        with contextlib.suppress(Failure, document.NotSettings):
            if document.PRE in document.ours(files.read(here.settings)[1]):
                return f"this folder's {here.settings} has one: run `assent hooks test {host} --project .`"
    return f"run `assent hooks install {host}`"


def _place(host: Host, project: Path | None, settings: Path | None) -> HostFiles:
    file = (settings or files.find(host.value, project, Path.home())).expanduser().absolute()
    return HostFiles(settings=file, configuration=configuration.place(file, host.value))


def _changed(file: Path, found: dict[str, Any], commands: dict[str, str], timeout: int) -> dict[str, Any]:
    try:
        return document.with_hooks(found, commands, timeout)
    except document.NotSettings as error:
        raise Failure(f"{file}: {error}; nothing was changed", Exit.USAGE) from None


def _members(session: CommandSession, at: HostFiles, agent_id: str, approvals: str) -> dict[str, Any]:
    """The service, the agent and its key: the key of an earlier installation while it holds, else a new one."""
    known = configuration.read(at.configuration)
    base_url = session.connection.base_url.rstrip("/")
    same = known.get("base_url") == base_url and known.get("agent_id") == agent_id
    wanted = Role.OPERATOR if approvals == "host" else Role.AGENT
    if same and _role(session, str(known.get("api_key", ""))) is wanted:
        return {"base_url": base_url, "agent_id": agent_id, "api_key": known["api_key"]}
    try:
        # Who may approve may not be bound to one agent; who only acts is.
        made = session.client.create_key(
            f"Hooks of {agent_id}"[:128], wanted, agent_id if wanted is Role.AGENT else None
        )
    except Forbidden:
        raise Failure(
            "installing makes a key for the assistant, which needs an admin key; pass --api-key", Exit.UNAUTHORIZED
        ) from None
    return {"base_url": base_url, "agent_id": agent_id, "api_key": made.api_key}


def _role(session: CommandSession, api_key: str) -> Role | None:
    """The role of a key, None for one that does not hold."""
    from assent.cli.session import Connection, make_client

    if not api_key:
        return None
    try:
        with make_client(Connection(base_url=session.connection.base_url, api_key=api_key)) as client:
            return client.get_own_key().role
    except (Unauthorized, ValueError):
        return None


def _current(known: dict[str, Any], host: Host) -> selftest.HookCheck:
    """Whether this version installed what is there."""
    version = version_of(known)
    detail = f"version {version}"
    if version < VERSION:
        detail += f", and {VERSION} is current; run `assent hooks install {host}`"
    return selftest.HookCheck(name="installed by a current version", passed=version >= VERSION, detail=detail)


def _prove(session: CommandSession, command: str, known: dict[str, Any], host: Host) -> list[selftest.HookCheck]:
    """What was proven of the command, which runs with the configuration `known`."""
    enforce = known.get("mode", "enforce") == "enforce"
    says = enforce and host is not Host.CODEX and known.get("allow") == ALLOW_SAY and version_of(known) >= VERSION
    admin = session.client.get_own_key().role is Role.ADMIN
    try:
        return selftest.prove(
            command, str(known.get("agent_id", "")), session.client, enforce=enforce, says=says, admin=admin
        )
    except AssentError as error:
        return [selftest.HookCheck(name="self-test", passed=False, detail=str(error).splitlines()[0])]


def _show(session: CommandSession, changes: list[str]) -> None:
    for line in changes:
        session.output.remark(line)


def _confirm(session: CommandSession, yes: bool) -> None:
    if yes:
        return
    if not session.output.interactive:
        raise Failure("nothing was changed; pass --yes, since nobody can be asked here", Exit.USAGE)
    if not typer.confirm("Write this?", default=False):
        raise Failure("nothing was changed", Exit.REFUSED)


def _report(
    session: CommandSession, at: HostFiles, checks: list[selftest.HookCheck], backup: Path | None, *, installed: bool
) -> None:
    """Say what was done and what was proven. Raises Failure when the hook does not do what it is there for."""
    words = {True: "pass", False: "FAIL", None: "not made"}
    rows = [(check.name, words[check.passed], check.detail) for check in checks]
    session.output.rows(
        {
            "settings": str(at.settings),
            "configuration": str(at.configuration),
            "backup": None if backup is None else str(backup),
            "changed": installed,
            "checks": [{"name": check.name, "passed": check.passed, "detail": check.detail} for check in checks],
        },
        CHECK_HEADER,
        rows,
        "",
    )
    if session.output.terminal:
        session.output.remark(f"{'Installed in' if installed else 'In'} {at.settings}")
        if backup is not None:
            session.output.remark(f"As it was before: {backup}")
    failed = [check.name for check in checks if check.passed is False]
    if failed:
        raise Failure(f"the hook does not hold: {', '.join(failed)}; see the details above", Exit.REFUSED)


def _warn_of_no_policy(session: CommandSession, at: HostFiles) -> None:
    """One line when the hooks hold and yet have nothing to enforce."""
    known = configuration.read(at.configuration)
    if known.get("mode", "enforce") == "enforce" and not selftest.is_destruction_stopped(
        session.client, str(known.get("agent_id", ""))
    ):
        session.output.remark(
            f"No enforced policy stops `{selftest.DESTRUCTIVE}`: such a call would be recorded and let through. "
            "`assent policies import` takes a pack of policies."
        )


def _one_of(name: str, value: str, possible: tuple[str, ...]) -> None:
    if value not in possible:
        raise Failure(f"--{name} is {value!r}; it can be {' or '.join(possible)}", Exit.USAGE)
