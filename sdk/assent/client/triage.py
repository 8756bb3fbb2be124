"""Triage: what guard lets pass by itself, below a risk that audits have certified."""

from __future__ import annotations

from collections.abc import Sequence

from assent.client.method import Response, sends
from assent.client.operation import Caller
from assent.contract.control.triage import GET_TRIAGE, SET_TRIAGE, STOP_TRIAGE


class TriageOperations(Caller):
    @sends(SET_TRIAGE)
    def set_triage(
        self,
        action_types: Sequence[str],
        alpha: float,
        *,
        delta: float | None = None,
        room: int | None = None,
        thresholds: Sequence[float] | None = None,
        least_audited: float | None = None,
        horizon_hours: int | None = None,
        reason: str | None = None,
    ) -> Response:
        """Let guard pass actions of these types by itself once audits have certified it: of what passes of each type no
        more than the share `alpha` (0.0001 to 0.2) may be harmful, or `room` actions (`alpha` of 1,000, 10 to 50) while
        that is more, but for a probability of `delta` (0.05, all types together). At least `least_audited` (0.1) of
        what could pass is asked anyway; what has not ended after `horizon_hours` (168) counts as never known.

        A new plan begins anew; the one that is on, given again, changes nothing. Raises InvalidRequest for numbers that
        cannot be kept, Forbidden for any key but an admin's.
        """

    @sends(GET_TRIAGE)
    def get_triage(self) -> Response:
        """The plan that is on, and how each type of action stands: its threshold, audits, bound and alarms. `says` has
        it in words. Raises Forbidden for an agent's key."""

    @sends(STOP_TRIAGE)
    def stop_triage(self) -> Response:
        """Ask people about everything again, at once. Raises Forbidden for a key that may not decide."""
