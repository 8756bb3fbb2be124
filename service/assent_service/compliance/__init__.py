"""Compliance: which records would show what a framework's controls ask for."""

from assent_service.compliance.routes import routes

__all__ = ["routes"]
