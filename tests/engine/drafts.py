"""Drafts and submissions of these tests."""

from __future__ import annotations

import time

from assent_service.store.conditions import Condition
from assent_service.store.event import Draft, Event
from assent_service.store.log import Submission
from assent_service.store.postgresql.shared_log import Overtaken


def draft(what: str = "x", org: str = "org_a", *, late: float = 0.0) -> Draft:
    """One of now, or of `late` seconds ago."""
    ts = time.time_ns() // 1000 - round(late * 1e6)
    return Draft(org, "action.created", ts, "act_1", "key_1", b'{"goal":"%b"}' % what.encode())


def submission(
    *what: str,
    org: str = "org_a",
    reads: tuple[str, ...] | str = (),
    after: int = 0,
    moves: tuple[str, ...] | str = (),
    late: float = 0.0,
    own: bool = False,
) -> Submission:
    drafts = tuple(draft(one, org, late=late) for one in what)
    conditions = tuple(Condition(name, after, own) for name in _names(reads))
    return Submission(drafts, conditions=conditions, moves=_names(moves))


def _names(given: tuple[str, ...] | str) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else given


def numbers(outcome: list[Event] | Overtaken) -> list[tuple[int, str, int]] | int:
    """Seq, organization and n of each event, or the seq that overtook the submission."""
    return outcome.seq if isinstance(outcome, Overtaken) else [(each.seq, each.org, each.n) for each in outcome]
