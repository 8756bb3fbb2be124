"""Actions as they are given for scoring, read and checked. Pure; many at once take their time, so not on the loop.

An action is an object, or the id of a recorded one. Of an object the members that dimensions look at must be of their
kind; all others are kept for conditions. Rows of the published wire pass as they are: metadata may be JSON text there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from assent.contract.control.guard import ActionType
from assent.contract.prepared import prepared
from assent.contract.problems import Code, FieldError
from assent.contract.record import Id, ShortText
from assent.contract.spelling import respell
from assent_service.base.problem import Refusal, refuse


class ActionInput(Struct, frozen=True, kw_only=True):
    """`metadata` is an object; `members` is everything that was said, None for an action that was only named."""

    action_id: Id | None = None
    agent_id: ShortText | None = None
    action_type: ActionType | None = None
    duration_ms: float | None = None
    cost_estimate: float | None = None
    tokens_in: float | None = None
    tokens_out: float | None = None
    prompt_tokens: float | None = None
    completion_tokens: float | None = None
    tokens_total: float | None = None
    risk_score: float | None = None
    confidence: float | None = None
    eval_score: float | None = None
    metadata: dict[str, Any] | str | None = None
    members: dict[str, Any] | None = None


def read_inputs(listed: Sequence[dict[str, Any] | str], *, many: bool) -> list[ActionInput]:
    """Raises `invalid_body` at the first place that is wrong."""
    return [_read(each, f"actions[{at}]" if many else "action") for at, each in enumerate(listed)]


def _read(given: dict[str, Any] | str, place: str) -> ActionInput:
    if isinstance(given, str):
        return _converted({"action_id": given}, place)
    members = respell(given)
    named = {name: value for name, value in members.items() if name != "members"}
    action = _converted(named | {"metadata": _object(members.get("metadata"), place)}, place)
    return msgspec.structs.replace(action, members=members)


def _converted(members: dict[str, Any], place: str) -> ActionInput:
    try:
        return msgspec.convert(members, prepared(ActionInput))
    except msgspec.ValidationError as error:
        message, _, where = str(error).partition(" - at `$")
        raise _invalid(place + where.rstrip("`"), message) from error


def _object(metadata: object, place: str) -> object:
    if not isinstance(metadata, str):
        return metadata
    try:
        decoded = msgspec.json.decode(metadata)
    except (msgspec.DecodeError, RecursionError):
        decoded = None
    if not isinstance(decoded, dict):
        raise _invalid(f"{place}.metadata", "is text that is no JSON object")
    return decoded


def _invalid(place: str, message: str) -> Refusal:
    return refuse(
        Code.INVALID_BODY, f"The body is not valid: {place}: {message}.", FieldError(place=place, message=message)
    )
