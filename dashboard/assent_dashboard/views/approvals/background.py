"""What stands behind a request, for the card that the cursor is on: guard's decision with what its risk is made of, the
context that guard looked at, and how the same agent fared with the same type before. Knows nothing of Streamlit.

A decision and its context never change, so they are kept, for the last `KEPT` actions that were looked at. What came
before may: it is asked for anew whenever the inbox was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from msgspec import UnsetType

from assent import Action, ActionStatus, ApprovalState, Client, GuardResult
from assent.contract.inbox import ActionApproval
from assent.contract.traces import ActionTrace
from assent_dashboard.views.approvals.inbox import Item
from assent_dashboard.views.side_by_side import both, later

KEPT = 32
LAST = 5
"""So many earlier ones are shown."""


@dataclass(frozen=True)
class Earlier:
    """An earlier action of the same agent and type; `approval` is None where guard decided by itself."""

    action: Action
    approved: ActionApproval | None


@dataclass(frozen=True)
class Background:
    """`decision` is None where it was erased; `earlier` is None where the action names no agent."""

    decision: GuardResult | None
    context: dict[str, Any]
    earlier: list[Earlier] | None


@dataclass
class Backgrounds:
    """Those of one page. `_earlier` holds what came before the last one that was asked for, and when."""

    _decided: dict[str, tuple[GuardResult | None, dict[str, Any]]] = field(default_factory=dict)
    _earlier: tuple[str, float, list[Earlier] | None] | None = None

    def asked(self, client: Client, item: Item, read_at: float) -> Callable[[], Background]:
        """Begin to ask for what is not known; calling it waits. `read_at` is when the inbox was read.

        Raises what the client raises.
        """
        action = item.action
        decided = self._decided.get(action.action_id)
        earlier = (
            self._earlier if self._earlier is not None and self._earlier[:2] == (action.action_id, read_at) else None
        )
        if decided is not None and earlier is not None:
            known = Background(*decided, earlier[2])
            return lambda: known
        coming = later(
            lambda: both(
                lambda: decided or _decided(client.get_action_trace(action.action_id)),
                lambda: earlier or (action.action_id, read_at, earlier_of(client, action)),
            )
        )

        def wait() -> Background:
            found, before = coming()
            self._decided.pop(action.action_id, None)
            self._decided[action.action_id] = found
            for oldest in list(self._decided)[:-KEPT]:
                del self._decided[oldest]
            self._earlier = before
            return Background(*found, before[2])

        return wait

    @property
    def kept(self) -> int:
        """How many decisions are in memory."""
        return len(self._decided)


def earlier_of(client: Client, action: Action) -> list[Earlier] | None:
    """The last five actions of the same agent and type that do not wait, newest first. Whatever of them was decided by
    a person is among the last five such approvals, since both stand in the order in which they were asked for."""
    if action.agent_id is None:
        return None
    actions, approvals = both(
        lambda: client.get_actions(
            agent_id=action.agent_id,
            action_type=action.action_type,
            exclude_status=ActionStatus.PENDING_APPROVAL,
            limit=LAST,
        ),
        lambda: client.get_approvals(
            agent_id=action.agent_id,
            action_type=action.action_type,
            exclude_state=ApprovalState.AWAITING,
            limit=LAST,
        ),
    )
    approved = {each.action.action_id: each for each in approvals.approvals}
    return [
        Earlier(each, approved.get(each.action_id)) for each in actions.actions if each.action_id != action.action_id
    ]


def _decided(trace: ActionTrace) -> tuple[GuardResult | None, dict[str, Any]]:
    decision = None if isinstance(trace.decision, UnsetType) else trace.decision
    return decision, {} if isinstance(trace.context, UnsetType) else trace.context
