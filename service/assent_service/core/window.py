"""The window of a question, from how it is written to the moments it lies between."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from assent.contract.problems import Code, FieldError
from assent.contract.window import start_of
from assent_service.core.clock import moment
from assent_service.core.principal import Principal
from assent_service.core.problem import refuse
from assent_service.core.rows import Filter, of_caller


@dataclass(frozen=True)
class Window:
    """Both moments are aware and belong to it."""

    text: str
    since: datetime
    until: datetime


def window_of(text: str, now: int) -> Window:
    """The window that ends `now`. Raises `invalid_query` for anything but whole days, as 1d to 3650d."""
    until = moment(now)
    try:
        return Window(text, start_of(text, until), until)
    except ValueError as error:
        raise refuse(Code.INVALID_QUERY, f"{error}.", FieldError(place="window", message="not a window")) from None


def rows_within(window: Window, time: str, principal: Principal, agent_id: str | None) -> Filter:
    """The rows that happened within the window by their column `time`, of the agents that the caller may see."""
    chosen = of_caller(principal)
    chosen.add("agent_id = ?", agent_id)
    since, until = (at.replace(tzinfo=None) for at in (window.since, window.until))
    chosen.add_all(f"{time} >= ? AND {time} <= ?", [since, until])
    return chosen
