"""Telling the session of a call what it gave or raised, before whoever called has it.

What the service refuses to hear, it hears of as an answer of which nothing was kept: the session is not complete then,
and every process that is in it is asked. Where it hears nothing at all, the session has a gap in this process
(`governing.gaps`). So it has where a call is stopped (`KeyboardInterrupt`, `CancelledError`, ...): nobody is told then,
so that it ends at once. None of these changes what the call gives.
"""

from __future__ import annotations

import logging
from typing import Any

from assent.client.client import AsyncClient, Client
from assent.contract.control.actions import CreatedAction
from assent.errors import ConnectionFailed, Unavailable
from assent.governing.call import Attempt

LOG = logging.getLogger("assent.governing")
UNHEARD = (ConnectionFailed, Unavailable)


class Telling:
    """Of one call; `created` is its action, if one was made. Without a client nobody can be told."""

    def __init__(
        self, client: Client | AsyncClient | None, attempt: Attempt[Any] | None, created: CreatedAction | None = None
    ) -> None:
        self._client, self._action = client, None if created is None else created.action
        self._attempt = attempt if attempt is not None and attempt.is_told else None

    def tell(self, given: object, *, failed: bool = False) -> None:
        attempt, client = self._attempt, self._client
        if attempt is None:
            return
        if not isinstance(client, Client):
            return self._leave_gap(attempt, "the service is left alone for a while")
        try:
            try:
                client.tool_answered(**attempt.answer(self._action, given, failed=failed))
            except UNHEARD:
                raise
            except Exception:  # noqa: BLE001 - whatever was wrong with it, there was an answer
                client.tell_flow(**attempt.answer_unsaid(self._action, given, failed=failed))
        except BaseException as error:
            self._leave_gap(attempt, error)
            if not isinstance(error, Exception):
                raise

    async def tell_async(self, given: object, *, failed: bool = False) -> None:
        attempt, client = self._attempt, self._client
        if attempt is None:
            return
        if not isinstance(client, AsyncClient):
            return self._leave_gap(attempt, "the service is left alone for a while")
        try:
            try:
                await client.tool_answered(**attempt.answer(self._action, given, failed=failed))
            except UNHEARD:
                raise
            except Exception:  # noqa: BLE001 - whatever was wrong with it, there was an answer
                await client.tell_flow(**attempt.answer_unsaid(self._action, given, failed=failed))
        except BaseException as error:
            self._leave_gap(attempt, error)
            if not isinstance(error, Exception):
                raise

    def stopped(self, error: BaseException) -> None:
        """The call ended by what stops a task or the program, and perhaps by somebody's words."""
        if self._attempt is not None:
            self._leave_gap(self._attempt, f"it ended by {type(error).__name__}")

    def _leave_gap(self, attempt: Attempt[Any], why: object) -> None:
        attempt.sessions.leave_gap()
        LOG.warning(
            "what a call answered could not be told to its session, so this process keeps arguments back there and "
            "flow policies ask from now on: %s",
            why,
        )
