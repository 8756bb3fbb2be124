"""The secrets of webhooks: derived, never stored.

A secret must be had again to sign, so it cannot be kept as a digest. One random master key lies in the data folder, in
`webhooks.key`, for the owner's eyes only; a webhook's secret is HKDF-SHA256 (RFC 5869) of it and of the webhook's
organization, id and version. So no secret stands in the log, in an event, in the tables or in their backups, and
restarts and rebuilds do not change any. A new version is a new secret. For a day after a rotation the one before signs
too, so that a receiver can change over without losing anything.

The address of a notice is a secret that somebody else made, so it cannot be derived: it stands in the log and in the
tables, sealed with AES-GCM under a key that is derived in the same way, of the notice alone.

Whoever moves the data folder moves the file with it. If it is lost, secrets cannot be made again: their fingerprints no
longer fit, deliveries fail and say so, and rotating gives each webhook a new one.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from base64 import b64decode, b64encode
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from assent.contract.problems import Code
from assent_service.base.clock import DAY, microseconds
from assent_service.base.problem import refuse
from assent_service.exchange.webhooks.rows import WebhookRow

FILE = "webhooks.key"
BYTES = 32
NONCE_BYTES = 12
OVERLAP = DAY


class Keyring:
    """`home` is the data folder, which one process owns. Where several services share a log, the master key is derived
    from their `wallet_key`, so that all have the same; a `webhooks.key` in the folder comes first."""

    def __init__(self, home: Path, wallet_key: str | None = None) -> None:
        self._file, self._wallet_key = home / FILE, wallet_key
        self._master: bytes | None = None

    def secret(self, org_id: str, webhook_id: str, version: int) -> bytes:
        """The secret of a webhook, 32 bytes; the master key is made when there is none yet.

        Raises `storage_unavailable` when the file cannot be read or made.
        """
        return self._derive(f"assent webhook secret\0{org_id}\0{webhook_id}\0{version}")

    def seal(self, org_id: str, webhook_id: str, address: str) -> str:
        """The address of a notice as it is stored. Raises `storage_unavailable`."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        sealed = AESGCM(self._address_key(org_id, webhook_id)).encrypt(nonce, address.encode(), None)
        return b64encode(nonce + sealed).decode()

    def address(self, webhook: WebhookRow) -> str | None:
        """Where a notice goes, None when it cannot be opened again. Raises `storage_unavailable`."""
        try:
            sealed = b64decode(webhook.sealed, validate=True)
            key = AESGCM(self._address_key(webhook.org_id, webhook.webhook_id))
            return key.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], None).decode()
        except (InvalidTag, ValueError):
            return None

    def link_key(self) -> bytes:
        """What links in notices are signed with. Raises `storage_unavailable`."""
        return self._derive("assent notice link")

    def _address_key(self, org_id: str, webhook_id: str) -> bytes:
        return self._derive(f"assent notice address\0{org_id}\0{webhook_id}")

    def _derive(self, info: str) -> bytes:
        if self._master is None:
            self._master = self._open()
        return HKDF(algorithm=SHA256(), length=BYTES, salt=None, info=info.encode()).derive(self._master)

    def signing(self, webhook: WebhookRow, now: int) -> list[bytes]:
        """The secrets that sign a delivery, the present one first; none when it cannot be made again."""
        secret = self.secret(webhook.org_id, webhook.webhook_id, webhook.version)
        if fingerprint(secret) != webhook.fingerprint:
            return []
        if webhook.rotated_at is None or now >= microseconds(webhook.rotated_at) + OVERLAP:
            return [secret]
        return [secret, self.secret(webhook.org_id, webhook.webhook_id, webhook.version - 1)]

    def _open(self) -> bytes:
        try:
            found = bytes.fromhex(self._file.read_text(encoding="ascii"))
        except FileNotFoundError:
            return self._make() if self._wallet_key is None else _derived(self._wallet_key)
        except (OSError, ValueError) as error:
            raise refuse(Code.STORAGE_UNAVAILABLE, _unusable(type(error).__name__)) from error
        if len(found) != BYTES:
            raise refuse(Code.STORAGE_UNAVAILABLE, _unusable("it has another length"))
        return found

    def _make(self) -> bytes:
        """Durable under its name before anybody is given what is derived from it."""
        master = secrets.token_bytes(BYTES)
        fresh = self._file.with_suffix(".new")
        try:
            fresh.unlink(missing_ok=True)
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(master.hex().encode())
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self._file)
            folder = os.open(self._file.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            raise refuse(Code.STORAGE_UNAVAILABLE, _unusable(type(error).__name__)) from error
        return master


def _derived(wallet_key: str) -> bytes:
    return HKDF(algorithm=SHA256(), length=BYTES, salt=None, info=b"assent webhooks 1").derive(wallet_key.encode())


def as_text(secret: bytes) -> str:
    """As Standard Webhooks writes it."""
    return "whsec_" + b64encode(secret).decode()


def fingerprint(secret: bytes) -> str:
    """What is stored of a secret, hex; it holds 256 bits, so a plain digest keeps it safe."""
    return hashlib.sha256(secret).hexdigest()


def hint(secret: bytes) -> str:
    """The last four characters before the padding, by which a person tells secrets apart."""
    return b64encode(secret).decode().rstrip("=")[-4:]


def _unusable(why: str) -> str:
    return (
        f"{FILE} in the data folder cannot be used ({why}), and without it no webhook has a secret. Restore it from a "
        "backup; if there is none, remove it and rotate the secret of every webhook."
    )
