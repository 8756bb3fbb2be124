"""One tool call into history, exactly once.

Per call, in this order:

1. The creation, as history. The service asks its policies and records verdict and action together, so that a crash
   between the two cannot leave a verdict behind that the next run would record again; that is why guard is not asked
   on its own first. Nothing waits, and an action that policies would have blocked is kept as what it was: it happened.
2. The assumption: what the agent had been told.
3. The outcome: what the tool answered. A call without an answer stays open, since nobody knows how it ended.

Ids are made from the call (see `records`). Where the action is there already, only what it lacks of assumption and
outcome is recorded, and nothing of what is there is touched.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from assent.contract.control.actions import FINAL, ActionDetail
from assent.contract.control.guard import Decision, Source
from assent.contract.problems import Code
from assent.data.calls import TranscriptCall
from assent.data.mapping import Mapping, meaning_of
from assent.data.records import CallIds, Origin, Window, describe_assumption, describe_history, describe_outcome, ids_of
from assent.errors import ApiError

if TYPE_CHECKING:
    from assent import Client


class RecordResult(StrEnum):
    """What was done for a call: all of it, the rest of it, or nothing because it was all there."""

    NEW = "new"
    COMPLETED = "completed"
    PRESENT = "already_there"


class Recorder(Struct, frozen=True, kw_only=True):
    """Records calls of one data set; `resuming` looks for an action before creating it."""

    client: Client
    origin: Origin
    mapping: Mapping
    window: Window
    resuming: bool

    def record(self, call: TranscriptCall, began: datetime, ended: datetime) -> tuple[Decision, RecordResult]:
        """Guard's verdict on the call and what was done. Raises AssentError; repeating it later is safe."""
        ids = ids_of(self.origin.dataset, call.key)
        there = find_action(self.client, ids.action_id) if self.resuming else None
        if there is None:
            verdict = self._create(call, began)
            if verdict is not None:
                self._assume(call, ids, began)
                self._close(call, ids, ended)
                return verdict, RecordResult.NEW
            there = self.client.get_action(ids.action_id)
        return there.action.decision, self._complete(call, ids, there, began, ended)

    def _create(self, call: TranscriptCall, began: datetime) -> Decision | None:
        """The verdict on the new action, or None when there is one already."""
        meaning = meaning_of(call.name, self.mapping)
        try:
            created = self.client.create_action(**describe_history(call, self.origin, meaning, began, self.window))
        except ApiError as error:
            if error.code in (Code.ACTION_EXISTS, Code.IDEMPOTENCY_MISMATCH):
                return None
            raise
        return None if created.idempotent_replay else created.decision.decision

    def _complete(
        self, call: TranscriptCall, ids: CallIds, there: ActionDetail, began: datetime, ended: datetime
    ) -> RecordResult:
        assumed = all(item.assumption_id != ids.assumption_id for item in there.assumptions) and self._assume(
            call, ids, began
        )
        closed = there.action.status not in FINAL and self._close(call, ids, ended)
        return RecordResult.COMPLETED if assumed or closed else RecordResult.PRESENT

    def _assume(self, call: TranscriptCall, ids: CallIds, at: datetime) -> bool:
        members = describe_assumption(call)
        if members is None:
            return False
        try:
            self.client.record_assumption(
                **members,
                action_id=ids.action_id,
                assumption_id=ids.assumption_id,
                agent_id=self.origin.agent_id,
                occurred_at=at,
                source=Source.IMPORT,
            )
        except ApiError as error:
            if error.code is not Code.ASSUMPTION_EXISTS:
                raise
            return False
        return True

    def _close(self, call: TranscriptCall, ids: CallIds, at: datetime) -> bool:
        members = describe_outcome(call)
        if members is None:
            return False
        self.client.update_outcome(ids.action_id, **members, occurred_at=at, source=Source.IMPORT)
        return True


def find_action(client: Client, action_id: str) -> ActionDetail | None:
    """The action, or None when there is none of that id."""
    try:
        return client.get_action(action_id)
    except ApiError as error:
        if error.code is not Code.ACTION_NOT_FOUND:
            raise
        return None
