"""The scan for prompt injections: of texts that somebody asks about, and of what agents say to guard and each other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from assent_service.control.injection.allowed import ALLOWED_TEXTS
from assent_service.control.injection.findings import INJECTION_FINDINGS, INJECTION_SCANS, Subject
from assent_service.control.injection.injection import Injection, routes
from assent_service.control.injection.screen import NOTHING, Mode, Noticed, Screen
from assent_service.core.foundation import Foundation
from assent_service.core.settings import SettingsError

if TYPE_CHECKING:
    from assent_analytics.injection.classifier import Classifier

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
    """Raises SettingsError for a folder that holds no classifier."""
    mode, folder = Mode(on.settings.prompt_injection_scan), on.settings.injection_model
    classifier = None if folder is None else _classifier(Path(folder))
    scans = Injection(on.ledger, on.clock, on.locks, mode, classifier)
    on.bring(routes=routes(scans), memory=scans.allowed.state, start=scans.start, stop=scans.stop)
    return scans


def _classifier(folder: Path) -> Classifier:
    # Nobody pays for it who has none.
    from assent_analytics.injection.classifier import ClassifierError, read_classifier

    try:
        return read_classifier(folder)
    except ClassifierError as error:
        raise SettingsError(f"injection_model cannot be used: {error}") from None
