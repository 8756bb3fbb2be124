"""Calibration of a window's actions."""

from assent_service.calibration.routes import routes

__all__ = ["routes"]
