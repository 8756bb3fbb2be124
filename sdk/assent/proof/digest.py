"""The two digests an event is proven by.

The leaf hash is RFC 9162's (section 2.1.1): a zero byte in front of what is hashed, so that a leaf can never
be passed off as an inner node of the tree, whose hashes start with a one.

The body digest is salted. Without the salt anybody who holds a header could guess a short body ("denied", a
name) and try; with it, once salt and body are erased, the digest tells nothing about them.
"""

from hashlib import sha256


def leaf_hash(header: bytes) -> bytes:
    """The 32 bytes that stand for `header` in its organization's Merkle tree: SHA-256(0x00 || header)."""
    return sha256(b"\0" + header).digest()


def body_digest(salt: bytes, payload: bytes) -> str:
    """`sha256:` and 64 lowercase hex digits of SHA-256(salt || payload); `salt` is the raw 16 bytes, not
    their hex."""
    return "sha256:" + sha256(salt + payload).hexdigest()
