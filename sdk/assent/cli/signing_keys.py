"""`assent signing-keys`: what the organization's evidence is signed with."""

from __future__ import annotations

from typing import Annotated

import typer

from assent.cli.input import identifier
from assent.cli.session import CommandSession, connected
from assent.cli.text import moment

app = typer.Typer(no_args_is_help=True, help="Signing keys: list, rotate, revoke, and the public ones as a JWK Set.")


def _organization(given: str | None) -> str | None:
    return None if given is None else identifier(given)


Kid = Annotated[str, typer.Argument(callback=identifier, help="As `assent signing-keys list` shows it.")]


@app.command("list")
@connected
def list_keys(session: CommandSession) -> None:
    """All signing keys of the organization, retired and revoked ones included; never their private parts."""
    answer = session.client.get_signing_keys()
    # A kid is long, and cut off it is of no use: no more columns than fit beside it on 80; --json has all.
    session.output.rows(
        answer,
        ("kid", "status", "not_after"),
        [(key.kid, key.status, moment(key.not_after)) for key in answer.keys],
        "There are no signing keys yet; the first one is made when something is signed.",
    )


@app.command("rotate")
@connected
def rotate_key(
    session: CommandSession,
    reason: Annotated[str | None, typer.Option(help="Why; it is recorded with the key that retires.")] = None,
) -> None:
    """Sign with a new key from now on. What the one before signed stays valid."""
    answer = session.client.rotate_signing_key(reason)
    retired = [f"Retired: {answer.retired.kid}"] if answer.retired is not None else []
    session.output.lines(answer, f"Signing: {answer.key.kid} until {moment(answer.key.not_after)}", *retired)


@app.command("revoke")
@connected
def revoke_key(
    session: CommandSession, kid: Kid, reason: Annotated[str, typer.Option(help="Why; it is published with the key.")]
) -> None:
    """Revoke a signing key, when others may have it: nothing that it ever signed counts any more."""
    answer = session.client.revoke_signing_key(kid, reason)
    session.output.lines(answer, f"Revoked: {answer.key.kid}")


@app.command("jwks")
@connected
def print_jwks(
    session: CommandSession,
    org: Annotated[str | None, typer.Option(callback=_organization, help="Another organization's id.")] = None,
) -> None:
    """The public keys as a JWK Set on standard output, to be given to whoever verifies: `> jwks.json`. Those of the
    key's own organization, unless another is named."""
    session.output.document(session.client.get_jwks(org or session.client.get_own_key().org_id))
