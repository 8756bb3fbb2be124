"""What the page Proof asks the service for, and what it finds out by itself.

A proof that is shown is the very file that is offered for download, and it is checked twice: here, offline, with
nothing but the organization's public keys, and by the service, which also compares it with its log and its tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from assent import Action, Client
from assent.contract.evidence.proofs import CheckName, CheckStatus, ProofVerification
from assent.contract.evidence.wallet import Jwks, SigningKey
from assent.contract.file import File
from assent.errors import ApiError, AssentError, InvalidRequest, Unauthorized
from assent.proof.note import NoteError, read_checkpoint
from assent.proof.strict import read_json
from assent.proof.verify import verify
from assent_dashboard.views.answers import later

NEWEST = 30
"""Actions that are offered to choose from."""


@dataclass(frozen=True)
class Examination:
    """A bundle's file and what was found out about it. `there` is None where the service was not asked or did not
    answer, and `unasked` says why."""

    file: File
    bundle: Mapping[str, Any]
    here: ProofVerification
    there: ProofVerification | None
    unasked: str | None


@dataclass(frozen=True)
class Proof:
    """A proof that the service made now, with the keys behind it."""

    examination: Examination
    jwks: Jwks
    keys: list[SigningKey]


def load(client: Client, org_id: str, action_id: str | None, since: str | None) -> Proof:
    """The proof of an action, else of the organization. Raises NotFound for an unknown action, Forbidden, Unavailable
    when the signing key cannot be used."""
    file = _export(client, action_id, since)  # signs, and so there is a key from here on
    jwks = client.get_jwks(org_id)
    keys = later(client.get_signing_keys)
    return Proof(examine(client, file, jwks, since), jwks, keys().keys)


def examine(client: Client, file: File, jwks: Jwks, since: str | None) -> Examination:
    """Check a file that may be anything. Nothing is raised for what is wrong with it; what is no bundle is not sent
    to the service."""
    here = verify(file.data, keys=jwks, since=since)
    if not is_read(here):
        return Examination(file, {}, here, None, "It was not sent to the service.")
    bundle = cast("dict[str, Any]", read_json(file.data))
    there, unasked = _ask(client, bundle, since)
    return Examination(file, bundle, here, there, unasked)


def newest(client: Client) -> list[Action]:
    return client.get_actions(limit=NEWEST).actions


def is_own(examination: Examination, org_id: str) -> bool:
    """Whether it says that it is of this organization; nothing that can be read says so neither."""
    return examination.here.org_id in (None, org_id)


def is_read(verification: ProofVerification) -> bool:
    """Whether it is a bundle at all."""
    return not any(check.name is CheckName.SCHEMA and check.status is CheckStatus.FAIL for check in verification.checks)


def size_of(note: str | None) -> int | None:
    """The size of a head that was kept, None for what is none."""
    try:
        size = read_checkpoint(note)[0].size if note else 0
    except NoteError:
        return None
    return size or None


def _export(client: Client, action_id: str | None, since: str | None) -> File:
    """With the step from the reader's head where there can be one; where not, the check of it says why."""
    size = size_of(since)
    if size is not None:
        try:
            return client.export_proof(action_id, since=size)
        except InvalidRequest:
            pass
    return client.export_proof(action_id)


def _ask(client: Client, bundle: Mapping[str, Any], since: str | None) -> tuple[ProofVerification | None, str | None]:
    try:
        return client.verify_governance_proof(bundle=bundle, since=since), None
    except Unauthorized:
        raise
    except AssentError as error:
        why = error.detail if isinstance(error, ApiError) else str(error)
        return None, f"The service did not check it: {why}"
