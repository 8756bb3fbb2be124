"""Private parts of signing keys at rest: one file each, sealed with AES-256-GCM under the key-encryption key.

`wallet/<org_id>/<kid>.key` in the data folder, 0600: the nonce and the sealed 32 bytes, base64. The organization and
the kid are sealed in as associated data, so that a file under another's name cannot be opened, and what comes out is
held against the kid. A file is never written over. Where several services share a log, it is an object of the log's
database instead, so that each of them signs with it.
"""

from __future__ import annotations

import binascii
import secrets
from base64 import b64decode, b64encode
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from assent.contract.problems import Code
from assent.proof.jwk import thumbprint
from assent_service.base.problem import Refusal, refuse
from assent_service.evidence.wallet import secret_file
from assent_service.evidence.wallet.master import Master
from assent_service.evidence.wallet.secret_file import unavailable
from assent_service.store.failures import LogError
from assent_service.store.objects import KEY, Shared

FOLDER = "wallet"
NONCE = 12
_ROTATE = "Put back the one that was there, or rotate, and the next key is a new one; what was signed stays valid"


class Vault:
    """`home` is the data folder. Its methods block and are safe from any thread."""

    def __init__(self, home: Path, master: Master, shared: Shared | None = None) -> None:
        self._folder, self._master, self._shared = home / FOLDER, master, shared

    def seal(self, org_id: str, kid: str, key: Ed25519PrivateKey) -> None:
        """Durable when this returns. Raises `wallet_unavailable` and `storage_unavailable`."""
        try:
            master = self._master.found_or_made()
            nonce = secrets.token_bytes(NONCE)
            sealed = AESGCM(master).encrypt(nonce, key.private_bytes_raw(), _bound(org_id, kid))
            content = b64encode(nonce + sealed) + b"\n"
            if self._shared is not None:
                self._shared.put(KEY, f"{org_id}/{kid}", content)
            else:
                secret_file.write(self._file(org_id, kid), content)
        except LogError as error:
            raise refuse(
                Code.STORAGE_UNAVAILABLE,
                "The signing key could not be kept, so none was made: the evidence log's database does not answer. "
                "Try again in a moment.",
            ) from error
        except OSError as error:
            raise refuse(
                Code.STORAGE_UNAVAILABLE,
                f"The signing key could not be kept ({error.strerror}), so none was made. Free space in the data "
                "folder, see that the service may write there, and try again.",
            ) from error

    def open(self, org_id: str, kid: str) -> Ed25519PrivateKey:
        """Raises `wallet_unavailable`."""
        content = self._content(org_id, kid)
        if content is None:
            raise unavailable(
                f"the file of its private part, {FOLDER}/{org_id}/{kid}.key in the data folder, is missing. {_ROTATE}."
            )
        return self._unsealed(org_id, kid, content)

    def _unsealed(self, org_id: str, kid: str, content: bytes) -> Ed25519PrivateKey:
        master = self._master.found()
        try:
            sealed = b64decode(content.strip(), validate=True)
            seed = AESGCM(master).decrypt(sealed[:NONCE], sealed[NONCE:], _bound(org_id, kid))
            key = Ed25519PrivateKey.from_private_bytes(seed)
        except (InvalidTag, binascii.Error, ValueError):
            raise self._not_opened(kid) from None
        if thumbprint(key.public_key().public_bytes_raw()) != kid:
            raise self._not_opened(kid)
        return key

    def fits(self, shared: Shared, org_id: str, kid: str) -> bool | None:
        """Whether the key-encryption key opens this private part in the log's database; None where there is none.

        Raises LogAway."""
        content = shared.get(KEY, f"{org_id}/{kid}")
        if content is None:
            return None
        try:
            self._unsealed(org_id, kid, content)
        except Refusal:
            return False
        return True

    def _content(self, org_id: str, kid: str) -> bytes | None:
        if self._shared is None:
            return secret_file.read(self._file(org_id, kid))
        try:
            return self._shared.get(KEY, f"{org_id}/{kid}")
        except LogError as error:
            raise unavailable("the evidence log's database, which keeps its private part, does not answer.") from error

    def _file(self, org_id: str, kid: str) -> Path:
        return self._folder / org_id / f"{kid}.key"

    def _not_opened(self, kid: str) -> Refusal:
        return unavailable(
            f"{self._master.place} does not open the private part of {kid}: it is another key, or the file of the "
            f"private part is damaged. {_ROTATE}."
        )


def _bound(org_id: str, kid: str) -> bytes:
    return f"assent signing key 1\0{org_id}\0{kid}".encode()
