"""The history of rules, and what moved with a change of them. Needs an operator's or auditor's key."""

from __future__ import annotations

from assent.client.method import Response, sends
from assent.client.operation import Caller
from assent.contract.analysis.changes import BEFORE_AFTER, GET_RULE_CHANGES, RuleKind
from assent.contract.control.guard import Source


class ChangeOperations(Caller):
    @sends(GET_RULE_CHANGES)
    def get_rule_changes(
        self, *, kind: RuleKind | str | None = None, id: str | None = None, limit: int = 50, offset: int = 0
    ) -> Response:
        """Who made, changed or removed which policy, risk template or scoring profile when, newest first, with each
        member that differs. It is read from the log: a folder of an earlier release has its history too.
        `assent_analytics.changes.history` makes a frame of it.
        """

    @sends(BEFORE_AFTER)
    def before_after(
        self, change_id: str, window: str = "28d", *, agent_id: str | None = None, source: Source | str | None = None
    ) -> Response:
        """What moved with a change, within `window` before and after it (`<n>d`): the shares of decisions that asked a
        person and that were blocked, minutes of waiting, denials and failures. Season and the mix of agents and types
        are standardised; what the change could not reach is its control. Each measure says its n, its clusters, what
        it rests on, how earlier dates come out, or why nothing can be said.

        Raises NotFound for a change that is not there, InvalidRequest for a window that is none.
        """
