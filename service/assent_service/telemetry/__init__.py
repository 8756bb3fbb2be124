"""What operators see of the service from outside: metrics, traces and an access log."""

from assent_service.telemetry.configuration import Otel, configured
from assent_service.telemetry.telemetry import Gauges, Telemetry, open_telemetry

__all__ = ["Gauges", "Otel", "Telemetry", "configured", "open_telemetry"]
