"""Whether the workspace is ready: its checks, its shares, and a test from end to end."""

from assent_service.analysis.readiness.connection import ConnectionCheck
from assent_service.analysis.readiness.readiness import Readiness, routes
from assent_service.core.foundation import Foundation

__all__ = ["ConnectionCheck", "Readiness", "bring_readiness"]


def bring_readiness(on: Foundation, readiness: Readiness, connection: ConnectionCheck) -> None:
    on.bring(routes=routes(readiness, connection))
