"""Secrets in texts: what they look like, where they are, and the text without them.

The one definition for whatever is shown, sent or stored: the hooks, governed functions and the client use it before
anything leaves the process, the service before anything is stored. It is a net: what looks like nothing in particular
stays.
"""

from assent.secrets.find import displayed, find_secrets, holds_secret, redacted
from assent.secrets.finding import Finding
from assent.secrets.members import redact_members
from assent.secrets.names import hidden, kind_of, names_secret
from assent.secrets.signs import SIGNS

__all__ = (
    "SIGNS",
    "Finding",
    "displayed",
    "find_secrets",
    "hidden",
    "holds_secret",
    "kind_of",
    "names_secret",
    "redact_members",
    "redacted",
)
