"""Secrets in texts: what they look like, where they are, and the text without them.

The one definition for whatever is shown, sent or stored: the hooks, governed functions and the client use it before
anything leaves the process, the service before anything is stored. It is a net: what looks like nothing in particular
stays.
"""

from assent.secrets.find import Finding, displayed, find_secrets, holds_secret, redacted
from assent.secrets.members import SIGNS, redact_members
from assent.secrets.names import hidden, kind_of, names_secret
from assent.secrets.own_values import forms, keep_out, patterns, without_own

__all__ = (
    "SIGNS",
    "Finding",
    "displayed",
    "find_secrets",
    "forms",
    "hidden",
    "holds_secret",
    "keep_out",
    "kind_of",
    "names_secret",
    "patterns",
    "redact_members",
    "redacted",
    "without_own",
)
