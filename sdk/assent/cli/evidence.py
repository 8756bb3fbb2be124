"""What can be shown, checked and taken back: `assent log verify`, `verify` and `erase`.

`log verify` reads the evidence log of a data folder where it lies. `verify` checks a bundle offline, by whoever holds
it: no service is asked, and no key of one is needed. `erase` takes back what was said about an action.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assent.cli.failures import Exit, Failure, reporting
from assent.cli.input import former_option, identifier, under_either
from assent.cli.output import Output, Progress
from assent.cli.serve import extra_module, refusals
from assent.cli.session import DEFAULT_HOME, CommandSession, Home, Json, connected
from assent.cli.text import clean, moment
from assent.contract.control.actions import standing
from assent.contract.prepared import prepared

if TYPE_CHECKING:
    from assent.contract.evidence.proofs import ProofCheck, ProofVerification
    from assent.contract.evidence.wallet import Jwks

app = typer.Typer(no_args_is_help=True, help="The evidence log: verify, copy, adopt.")

KILOBYTE = 1000


def register(top: typer.Typer) -> None:
    """`verify` and `erase` stand at the top."""
    top.command("verify")(verify)
    top.command("erase")(erase)


@app.callback()
def group() -> None:
    """The evidence log of a data folder."""


@app.command("verify")
def verify_log(
    home: Home = DEFAULT_HOME,
    head: Annotated[
        list[Path] | None, typer.Option(help="A signed tree head that was kept: the log must contain it; repeatable.")
    ] = None,
    processes: Annotated[int | None, typer.Option(min=1, max=64, help="Else as many as there are processors.")] = None,
    tables: Annotated[
        bool, typer.Option("--tables", help="Compare every row of the tables, too; the service must not be running.")
    ] = False,
    json: Json = False,
) -> None:
    """Check a whole data folder: every line of the log, the trees, and all signed heads. Exits with 1 when anything is
    wrong. Changes nothing, and but for --tables may be run while the service is running."""
    with reporting():
        module = extra_module("assent_service.store.audit", "`assent log verify`", "service")
        if not home.is_dir():
            raise Failure(f"there is no data folder {home}; give it with --home", Exit.USAGE)
        with refusals():
            extra_module("assent_service.store.folder_version", "`assent log verify`", "service").check_version(home)
        kept = [module.NamedHead(str(path), read_head(path)) for path in head or ()]
        progress, began = Progress("kilobytes", 0), time.monotonic()
        try:
            audit = module.audit(
                home,
                kept=kept,
                processes=processes or os.cpu_count() or 1,
                progress=lambda done, total: progress.reach(done // KILOBYTE, total // KILOBYTE),
            )
        except OSError as error:
            raise Failure(f"the data folder cannot be read: {error}", Exit.USAGE) from error
        finally:
            progress.finish()
        # Tables are compared with a log that is right; what is wrong with another one is said already.
        if tables and audit.ok:
            comparing = extra_module("assent_service.comparing", "`assent log verify --tables`", "service")
            progress = Progress("events", 0)
            with refusals():
                audit = comparing.extend(audit, home, progress.reach)
            progress.finish()
        seconds = time.monotonic() - began
        output = Output(json=json)
        output.rows(
            audit,
            ("check", "status", "detail"),
            [(check.name, check.status.value, check.detail) for check in audit.checks],
            "",
        )
        if output.terminal:
            output.remark(f"{audit.events} events, {audit.bytes // 1_000_000} MB in {seconds:.1f} s")
        if not audit.ok:
            raise typer.Exit(Exit.REFUSED)


def read_head(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(f"the head {path} cannot be read: {error}", Exit.USAGE) from error


STANDARD_INPUT = "-"
HEADER = ("check", "status", "detail")
LONG_DETAIL = 200
"""Characters of a detail that is written out below the table, also where all is well."""
LARGEST_SMALL_FILE = 1024 * 1024
"""Bytes of a key set or of a tree head; more is something else."""


def verify(
    file: Annotated[str, typer.Argument(help="A bundle, as `export_proof` gives it; - reads standard input.")],
    key: Annotated[
        Path | None,
        typer.Option("--key", help="A key set (JWKS) that you trust, from the organization's /.well-known/jwks.json."),
    ] = None,
    head: Annotated[
        Path | None, typer.Option("--head", help="A tree head that you kept: did the log grow out of it?")
    ] = None,
    since: Annotated[
        Path | None, typer.Option("--since", hidden=True, callback=former_option("--since", "--head"))
    ] = None,
    json: Json = False,
) -> None:
    """Check a proof offline: what it says was recorded, was signed, and is in the log. Code 0 or 1."""
    with reporting():
        from assent.contract.evidence.proofs import BUNDLE_LIMIT
        from assent.proof.verify import verify as check

        kept = under_either(head, since, "--head")
        bundle = _read_bytes(file, BUNDLE_LIMIT)
        keys = None if key is None else _key_set(key)
        found = check(bundle, keys=keys, since=None if kept is None else _head(kept))
        _show(Output(json=json), found)
        if not found.ok:
            raise typer.Exit(Exit.REFUSED)


def verdict(found: ProofVerification) -> str:
    """The answer in words, on one line."""
    from assent.contract.evidence.proofs import CheckStatus, Signer

    failed = [check.name.value for check in found.checks if check.status is CheckStatus.FAIL]
    about = f"action {found.action_id}" if found.action_id else f"organization {found.org_id}"
    if failed:
        return f"NOT verified: {', '.join(failed)}."
    if found.signer is Signer.UNKNOWN:
        return f"Intact, but the signer is not known: give --key with a key set that you trust ({clean(about)})."
    return f"Verified: {clean(about)}, signed by a key of the given set."


def _show(output: Output, found: ProofVerification) -> None:
    from assent.contract.evidence.proofs import CheckStatus

    if output.json:
        output.document(found)
        return
    output.remark(verdict(found))
    output.rows(found, HEADER, [(each.name.value, each.status.value, _detail(each)) for each in found.checks], "")
    if output.terminal:
        # The table cuts long cells, and these are the ones to be read.
        for each in found.checks:
            if each.status in (CheckStatus.FAIL, CheckStatus.WARN) or len(each.detail) > LONG_DETAIL:
                output.remark(f"{each.name.value}: {clean(_detail(each))}")


def _detail(check: ProofCheck) -> str:
    if check.expected is None and check.found is None:
        return check.detail
    return f"{check.detail} Expected {check.expected}, found {check.found}."


def _read_bytes(file: str, most: int) -> bytes:
    """One byte more than `most` at the most, which is enough to refuse it."""
    if file == STANDARD_INPUT:
        return sys.stdin.buffer.read(most + 1)
    try:
        with Path(file).open("rb") as opened:
            return opened.read(most + 1)
    except OSError as error:
        raise Failure(f"{file} cannot be read: {error.strerror}", Exit.USAGE) from None


def _key_set(file: Path) -> Jwks:
    import msgspec

    from assent.contract.evidence.wallet import Jwks
    from assent.proof.strict import read_json

    try:
        given = read_json(_read_bytes(str(file), LARGEST_SMALL_FILE))
        if isinstance(given, dict) and "attestation" in given:
            raise ValueError("it is a bundle, and whoever made that chose the keys in it")
        return msgspec.convert(given, prepared(Jwks))
    except (ValueError, msgspec.ValidationError) as error:
        raise Failure(
            f"{file} is no key set of Ed25519 keys ({clean(error)}); give what the organization publishes at "
            "/.well-known/jwks.json",
            Exit.USAGE,
        ) from None


def _head(file: Path) -> str:
    """The text of a checkpoint; also out of the JSON in which the service gives one."""
    from assent.proof.strict import read_json

    try:
        text = _read_bytes(str(file), LARGEST_SMALL_FILE).decode()
        given = read_json(text) if text.startswith("{") else text
    except ValueError as error:
        raise Failure(f"{file} is no tree head: {clean(error)}", Exit.USAGE) from None
    head = given.get("checkpoint") if isinstance(given, dict) else given
    if not isinstance(head, str):
        raise Failure(f"{file} is no tree head: it has no member checkpoint", Exit.USAGE)
    return head if head.endswith("\n") else head + "\n"


@connected
def erase(
    session: CommandSession,
    action: Annotated[str, typer.Option("--action", callback=identifier, help="The action, which must have ended.")],
    reason: Annotated[
        str, typer.Option("--reason", help="Why. Recorded for good, so it must not repeat what is to be erased.")
    ],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask. Needed where nobody sits at a terminal.")] = False,
) -> None:
    """Erase what was said about an action, for good. That it happened, when, and by which key stays proven."""
    if not yes:
        _confirm(session, action)
    answer = session.client.erase_action(action, reason)
    session.output.lines(
        answer,
        f"Erased: {answer.action_id}, {answer.events} events, at {moment(answer.erased_at)} by "
        f"{clean(answer.erased_by)}. Copies that left the service (exports, backups, proofs) are not reached; "
        "`assent rebuild` takes the last traces out of the tables' file.",
    )


def _confirm(session: CommandSession, action: str) -> None:
    """Show what would be erased and have the action's id typed. Raises Failure when that is not what comes."""
    if not session.output.interactive:
        raise Failure("erasing cannot be undone; pass --yes, since nobody can be asked here", Exit.USAGE)
    found = session.client.get_action(action).action
    kind, stands = clean(found.action_type), standing(found)
    session.output.remark(f"{found.action_id}: {kind}, {stands}, {moment(found.created_at)}")
    typed = typer.prompt("This cannot be undone. Type the action's id to erase it", default="", show_default=False)
    if typed.strip() != action:
        raise Failure("nothing was erased: that is not the action's id", Exit.REFUSED)
