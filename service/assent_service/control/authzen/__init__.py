"""AuthZEN: enforcement points ask guard by the Authorization API 1.0, and Envoy by its own check."""

from __future__ import annotations

from assent_service.control.actions import Actions
from assent_service.control.approvals import Approvals
from assent_service.control.authzen.access import Access, routes
from assent_service.control.authzen.envoy import check_routes
from assent_service.control.authzen.requests import AccessRequests, request_routes
from assent_service.control.guard import Guard
from assent_service.core.foundation import Foundation

__all__ = ["open_authzen"]


def open_authzen(on: Foundation, guard: Guard, actions: Actions, approvals: Approvals) -> None:
    requests = AccessRequests(on.ledger, on.clock, actions, approvals)
    access = Access(guard, on.ledger, requests)
    named, checks = on.settings, check_routes(access, on.settings.public_url)
    on.bring(routes=(*routes(access, named), *request_routes(requests, named), *checks))
