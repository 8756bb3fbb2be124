"""The secret of a key. It holds 256 random bits, so a plain SHA-256 keeps it safe at rest."""

from __future__ import annotations

import hashlib
import secrets

PREFIX = "assent_"


def new_secret() -> str:
    return PREFIX + secrets.token_urlsafe(32)


def fingerprint(secret: str) -> str:
    """What is stored of a secret, hex."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def hint(secret: str) -> str:
    """The last four characters, by which a person tells keys apart."""
    return secret[-4:]
