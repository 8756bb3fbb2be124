"""The scan for prompt injections: of texts that somebody asks about, and of what agents say to guard and each other."""

from __future__ import annotations

from assent_service.control.injection.allowed import ALLOWED_TEXTS
from assent_service.control.injection.findings import INJECTION_FINDINGS, INJECTION_SCANS, Subject
from assent_service.control.injection.injection import Injection, routes
from assent_service.control.injection.screen import NOTHING, Mode, Noticed, Screen
from assent_service.core.foundation import Foundation

__all__ = [
    "ALLOWED_TEXTS",
    "INJECTION_FINDINGS",
    "INJECTION_SCANS",
    "NOTHING",
    "TABLES",
    "Injection",
    "Mode",
    "Noticed",
    "Screen",
    "Subject",
    "open_injection",
]

TABLES = (
    INJECTION_SCANS,
    INJECTION_FINDINGS,
    ALLOWED_TEXTS,
)


def open_injection(on: Foundation) -> Injection:
    scans = Injection(on.ledger, on.clock, on.locks, Mode(on.settings.prompt_injection_scan))
    on.bring(routes=routes(scans), memory=scans.allowed.state, start=scans.start, stop=scans.stop)
    return scans
