"""SHA-256 out of the interpreter itself. `hashlib` loads OpenSSL first, which takes a hook a tenth of all its time."""

try:
    from _sha2 import sha256  # type: ignore[import-not-found, unused-ignore]  # from Python 3.12 on
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found, unused-ignore]  # Python 3.11
    except ImportError:  # an interpreter that was built without its own
        from hashlib import sha256


def hex_digest(text: str) -> str:
    """64 lower-case hex digits of the text in UTF-8; half a surrogate pair has three bytes."""
    return str(sha256(text.encode("utf-8", "surrogatepass")).hexdigest())
