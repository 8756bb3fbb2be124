"""What policies that observe would have asked. Needs an operator's or auditor's key."""

from __future__ import annotations

from datetime import datetime

from assent.client.method import Response, sends
from assent.client.operation import Caller, each
from assent.contract.analysis.observed import GET_OBSERVED_DECISIONS, OBSERVED_WINDOW, ObservedDecision
from assent.contract.control.guard import Source


class ObservedOperations(Caller):
    @sends(GET_OBSERVED_DECISIONS, unless_default=("offset",))
    def get_observed_decisions(
        self,
        window: str = OBSERVED_WINDOW,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        policy_id: str | None = None,
        agent_id: str | None = None,
        session_id: str | None = None,
        source: Source | str | None = None,
        limit: int = 50,
        offset: int = 0,
        cursor: str | None = None,
    ) -> Response:
        """Which decisions of the `window` (`<n>d`) policies that observe would have warned about, asked about or
        blocked, newest first, with each policy's reason; `since` and `until` stand in place of a window. With it how
        many of all decisions that are, in all, by tool, and by policy since it observes by its present rules; standing
        grants and triage may let some of these through. `policy_id` leaves the list to one policy. `limit` is 1 to 200;
        for the next page pass `next_cursor` of the page before as `cursor`.

        Raises NotFound for a policy that never was, InvalidRequest for a window that is none.
        """

    iterate_observed_decisions = each(get_observed_decisions, ObservedDecision, lambda page: page.decisions)
