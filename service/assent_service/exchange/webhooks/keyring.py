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
import secrets
from base64 import b64decode, b64encode
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from assent_service.base.clock import DAY, microseconds
from assent_service.core.master_key import MasterKey
from assent_service.exchange.webhooks.rows import WebhookRow

FILE = "webhooks.key"
NONCE_BYTES = 12
OVERLAP = DAY
LOST = (
    "without it no webhook has a secret. Restore it from a backup; if there is none, remove it and rotate the secret "
    "of every webhook."
)


class Keyring:
    """`home` is the data folder, which one process owns. Where several services share a log, the master key is derived
    from their `wallet_key`, so that all have the same; a `webhooks.key` in the folder comes first."""

    def __init__(self, home: Path, wallet_key: str | None = None) -> None:
        self._master = MasterKey(home / FILE, lost=LOST, wallet_key=wallet_key, purpose="assent webhooks 1")

    def secret(self, org_id: str, webhook_id: str, version: int) -> bytes:
        """The secret of a webhook, 32 bytes; the master key is made when there is none yet.

        Raises `storage_unavailable` when the file cannot be read or made.
        """
        return self._master.derive(f"assent webhook secret\0{org_id}\0{webhook_id}\0{version}")

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
        return self._master.derive("assent notice link")

    def _address_key(self, org_id: str, webhook_id: str) -> bytes:
        return self._master.derive(f"assent notice address\0{org_id}\0{webhook_id}")

    def signing(self, webhook: WebhookRow, now: int) -> list[bytes]:
        """The secrets that sign a delivery, the present one first; none when it cannot be made again."""
        secret = self.secret(webhook.org_id, webhook.webhook_id, webhook.version)
        if fingerprint(secret) != webhook.fingerprint:
            return []
        if webhook.rotated_at is None or now >= microseconds(webhook.rotated_at) + OVERLAP:
            return [secret]
        return [secret, self.secret(webhook.org_id, webhook.webhook_id, webhook.version - 1)]


def as_text(secret: bytes) -> str:
    """As Standard Webhooks writes it."""
    return "whsec_" + b64encode(secret).decode()


def fingerprint(secret: bytes) -> str:
    """What is stored of a secret, hex; it holds 256 bits, so a plain digest keeps it safe."""
    return hashlib.sha256(secret).hexdigest()


def hint(secret: bytes) -> str:
    """The last four characters before the padding, by which a person tells secrets apart."""
    return b64encode(secret).decode().rstrip("=")[-4:]
