"""The scan for prompt injections: of texts that somebody asks about, and of what agents say to guard and each other."""

from assent_service.injection.findings import Subject
from assent_service.injection.injection import Injection
from assent_service.injection.routes import routes
from assent_service.injection.screen import NOTHING, Mode, Noticed, Screen
from assent_service.injection.tables import ALLOWED_TEXTS, INJECTION_FINDINGS, INJECTION_SCANS

__all__ = [
    "ALLOWED_TEXTS",
    "INJECTION_FINDINGS",
    "INJECTION_SCANS",
    "NOTHING",
    "Injection",
    "Mode",
    "Noticed",
    "Screen",
    "Subject",
    "routes",
]
