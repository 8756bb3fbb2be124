"""What an admin key given by hand must be, so that it can be sent in a header and is not guessed.

Only its SHA-256 is kept, which is safe for a secret with many random bits and for no other; a short one is warned
about rather than refused, since a trial on one's own machine may do with it.
"""

from __future__ import annotations

import logging

SHORT = 24
"""Characters; 24 random ones of base64 hold 144 bits."""

log = logging.getLogger("assent.organizations")


def check_admin_secret(secret: str) -> None:
    """Raises ValueError unless the secret is visible ASCII without spaces, 1 to 500 characters."""
    if not 1 <= len(secret) <= 500 or not all("!" <= character <= "~" for character in secret):
        raise ValueError(
            f"The admin key must be 1 to 500 visible ASCII characters without spaces, for it is sent in a header; "
            f"the one given has {len(secret)} characters. Leave the setting out to have one made."
        )
    if len(secret) < SHORT:
        log.warning("The admin key has only %d characters; use at least %d random ones.", len(secret), SHORT)
