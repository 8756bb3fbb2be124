"""Standing grants: approvals given in advance. All of it takes an operator's key or an admin's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from assent.client.method import Response, sends
from assent.client.operation import Caller, each
from assent.contract.analysis.grant_previews import PREVIEW_GRANT, SUGGEST_GRANTS
from assent.contract.control.grants import (
    CREATE_GRANT,
    DRAFT_GRANT,
    GET_GRANT,
    LIST_GRANTS,
    REVOKE_GRANT,
    Grant,
    GrantState,
)


class GrantOperations(Caller):
    @sends(CREATE_GRANT)
    def create_grant(
        self,
        agent_ids: Sequence[str],
        action_type: str,
        *,
        max_risk: float,
        max_uses: int,
        expires_at: datetime,
        reason: str,
        when: Mapping[str, Any] | None = None,
        from_action_id: str | None = None,
    ) -> Response:
        """Approve in advance what these agents ask for of this type, where the conditions `when` hold and the risk is
        at most `max_risk`, `max_uses` times, until `expires_at` (within 90 days). `draft_grant` makes the pattern of a
        request, `preview_grant` shows what a pattern would have covered.

        Raises InvalidRequest that names the place in the conditions, Forbidden for a key bound to one of the agents,
        Conflict where 500 grants are live.
        """

    @sends(DRAFT_GRANT)
    def draft_grant(self, action_id: str) -> Response:
        """The pattern of an action's request: a grant of exactly this covers this very request and no other. `exact`
        says what the values are that are bound by their digests, `unbound` which arguments no condition can bind.
        `covers` says whether it would be used, `why_not` why not. Raises NotFound."""

    @sends(PREVIEW_GRANT)
    def preview_grant(
        self,
        agent_ids: Sequence[str],
        action_type: str,
        *,
        max_risk: float,
        when: Mapping[str, Any] | None = None,
        days: int | None = None,
    ) -> Response:
        """What a pattern would have covered of what people were asked in the last `days` (30): how many requests,
        whose, how they ended with a bound of failures, and the near misses that one bound alone leaves out."""

    @sends(SUGGEST_GRANTS)
    def suggest_grants(
        self, *, days: int | None = None, least: int | None = None, most_failures: float | None = None
    ) -> Response:
        """Grants that the history of approvals speaks for: what people decided on at least `least` times (20) in the
        last `days` (30) and always allowed, where the share that fails is bounded by `most_failures` (0.15). No
        conditions are proposed: `unbound` are the names of arguments that a grant of the type alone leaves open."""

    @sends(LIST_GRANTS, without=("agent_id",))
    def list_grants(
        self,
        *,
        state: GrantState | str | None = None,
        action_type: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
    ) -> Response:
        """Standing grants, newest first: `state` is live, used_up, expired or revoked."""

    iterate_grants = each(list_grants, Grant, lambda page: page.grants)

    @sends(GET_GRANT)
    def get_grant(self, grant_id: str) -> Response:
        """A grant and each of its uses. Raises NotFound."""

    @sends(REVOKE_GRANT)
    def revoke_grant(self, grant_id: str, reason: str | None = None) -> Response:
        """End a grant at once. What it let through runs, and can be claimed no more. Again it changes nothing.
        Raises NotFound."""
