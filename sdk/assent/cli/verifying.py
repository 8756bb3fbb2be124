"""`assent verify`: a bundle checked offline, by whoever holds it. No service is asked, and no key of one is needed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assent.cli.exits import Exit
from assent.cli.failures import Failure, reporting
from assent.cli.output import Output
from assent.cli.session import Json
from assent.cli.text import clean
from assent.contract.prepared import prepared

if TYPE_CHECKING:
    from assent.contract.proofs import ProofCheck, ProofVerification
    from assent.contract.wallet import Jwks

STANDARD_INPUT = "-"
HEADER = ("check", "status", "detail")
LARGEST_SMALL_FILE = 1024 * 1024
"""Bytes of a key set or of a tree head; more is something else."""


def register(app: typer.Typer) -> None:
    app.command("verify")(verify)


def verify(
    file: Annotated[str, typer.Argument(help="A bundle, as `export_proof` gives it; - reads standard input.")],
    key: Annotated[
        Path | None,
        typer.Option("--key", help="A key set (JWKS) that you trust, from the organization's /.well-known/jwks.json."),
    ] = None,
    since: Annotated[
        Path | None, typer.Option("--since", help="A tree head that you kept: did the log grow out of it?")
    ] = None,
    json: Json = False,
) -> None:
    """Check a proof offline: what it says was recorded, was signed, and is in the log. Code 0 or 1."""
    with reporting():
        from assent.contract.proofs import BUNDLE_LIMIT
        from assent.proof.verify import verify as check

        bundle = _read(file, BUNDLE_LIMIT)
        keys = None if key is None else _key_set(key)
        found = check(bundle, keys=keys, since=None if since is None else _head(since))
        _show(Output(json=json), found)
        if not found.ok:
            raise typer.Exit(Exit.REFUSED)


def verdict(found: ProofVerification) -> str:
    """The answer in words, on one line."""
    from assent.contract.proofs import CheckStatus, Signer

    failed = [check.name.value for check in found.checks if check.status is CheckStatus.FAIL]
    about = f"action {found.action_id}" if found.action_id else f"organization {found.org_id}"
    if failed:
        return f"NOT verified: {', '.join(failed)}."
    if found.signer is Signer.UNKNOWN:
        return f"Intact, but the signer is not known: give --key with a key set that you trust ({clean(about)})."
    return f"Verified: {clean(about)}, signed by a key of the given set."


def _show(output: Output, found: ProofVerification) -> None:
    from assent.contract.proofs import CheckStatus

    if output.json:
        output.document(found)
        return
    output.remark(verdict(found))
    output.rows(found, HEADER, [(each.name.value, each.status.value, _detail(each)) for each in found.checks], "")
    if output.terminal:
        # The table cuts long cells, and these are the ones to be read.
        for each in found.checks:
            if each.status in (CheckStatus.FAIL, CheckStatus.WARN):
                output.remark(f"{each.name.value}: {clean(_detail(each))}")


def _detail(check: ProofCheck) -> str:
    if check.expected is None and check.found is None:
        return check.detail
    return f"{check.detail} Expected {check.expected}, found {check.found}."


def _read(file: str, most: int) -> bytes:
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

    from assent.contract.wallet import Jwks
    from assent.proof.strict import read_json

    try:
        given = read_json(_read(str(file), LARGEST_SMALL_FILE))
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
        text = _read(str(file), LARGEST_SMALL_FILE).decode()
        given = read_json(text) if text.startswith("{") else text
    except ValueError as error:
        raise Failure(f"{file} is no tree head: {clean(error)}", Exit.USAGE) from None
    head = given.get("checkpoint") if isinstance(given, dict) else given
    if not isinstance(head, str):
        raise Failure(f"{file} is no tree head: it has no member checkpoint", Exit.USAGE)
    return head if head.endswith("\n") else head + "\n"
