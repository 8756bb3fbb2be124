"""Trying again: which calls, for how long, and how long to wait in between.

Only what did not get through is tried again: no connection, no answer in time, another request's answer, a 503, or a
proxy's 502 or 504. Only calls that may happen twice without harm are: GET, HEAD, PUT and DELETE, as often as `retries`
says (3 unless told otherwise); and those that carry an idempotency key (questions to guard, creations, claims,
decisions, outcomes), for `retry_seconds`, and no more often than `retries` where that is said. A retry has no longer
than what is left of those seconds, and at least one. The pause doubles from a quarter of a second up to eight and is
drawn from its upper half, so that many agents do not come back at once (the "equal jitter" of exponential backoff); a
longer Retry-After is honoured, up to a minute. A service that asks for more than that is not waited for.

An analysis has its answer waited for longer (ANALYSIS_SECONDS), and is not sent again where none came in time, or where
a proxy had no more patience (504): the service is still at work on the first.

An outcome is on the disk (`assent.spool`) from its first failed attempt on, so that a process that is ended while it
tries again takes nothing with it, and stays there unless the service itself has answered it.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TypeVar

from msgspec.structs import replace

from assent.client.ambient import Ambient
from assent.client.answer import read
from assent.client.flow import Answer, Blocking, Consumed, ExchangeFailure, Flow, Outgoing, Send, Sleep, Transmit
from assent.client.outbox import OutcomeDelivery, is_final, is_uncertain
from assent.client.request import Line, build
from assent.errors import ApiError, AssentError, ConnectionFailed, Unavailable

T = TypeVar("T")

REPEATABLE = frozenset({"GET", "HEAD", "PUT", "DELETE"})
RETRIES = 3
FIRST_PAUSE = 0.25
LONGEST_PAUSE = 8.0
PATIENCE = 60.0
SHORTEST_RETRY = 1.0
PROXIED = frozenset({502, 504})
"""What a proxy answers for a service that is not there."""


def pause(attempt: int, retry_after: float | None, chance: float) -> float | None:
    """Seconds to wait after attempt number `attempt` (from 0); None when the service asks for too long a wait."""
    if retry_after is not None and retry_after > PATIENCE:
        return None
    backoff = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(attempt, 30)) * (0.5 + chance / 2)
    return max(backoff, retry_after or 0.0)


def exchange(call: Send[T], line: Line, ambient: Ambient) -> Flow[T]:
    """Send, and send again as the rules above allow; the endpoint's record, or the last error."""
    if call.outcome_of is not None and "idempotency-key" not in call.headers:
        headers = {**call.headers, "idempotency-key": ambient.new_key()}
        call = replace(call, headers=headers, idempotent=True)
    outgoing = build(call, line)
    if call.outcome_of is None:
        answer = yield from _attempts(call, outgoing, line, ambient, None)
    else:
        report = line.outbox.report(call.outcome_of, outgoing)
        answer = yield from _delivered(call, outgoing, line, ambient, report)
    if line.outbox.is_due(ambient.clock()):
        yield from _deliver(line, ambient)
    return answer


def _delivered(call: Send[T], outgoing: Outgoing, line: Line, ambient: Ambient, report: OutcomeDelivery) -> Flow[T]:
    """The answer to an outcome. Raises what it is refused with, and OutcomeSpooled or OutcomeLost without an answer."""
    if report.is_behind:
        yield from _deliver(line, ambient)
        if report.is_behind:
            yield Blocking(report.keep)
            line.outbox.look_again()
            raise report.undelivered("an earlier outcome of the action still waits", False)
    try:
        answer = yield from _attempts(call, outgoing, line, ambient, report)
    except AssentError as error:
        if is_final(error):
            if report.name is not None:
                yield Blocking(report.forget)
            raise
        if report.off:
            raise
        yield Blocking(report.keep)
        line.outbox.look_again()
        reason = error.reason if isinstance(error, ConnectionFailed) else _first_line(error)
        raise report.undelivered(reason, is_uncertain(error)) from error
    except GeneratorExit:
        report.keep()  # whoever waited was cancelled; the work is done all the same
        line.outbox.look_again()
        raise
    if report.name is not None:
        yield Blocking(report.forget)
    return answer


def _attempts(
    call: Send[T], outgoing: Outgoing, line: Line, ambient: Ambient, report: OutcomeDelivery | None
) -> Flow[T]:
    began, slept, attempt = ambient.clock(), 0.0, 0
    end = None if call.within is None else began + call.within
    while True:
        try:
            answer: Answer | Consumed | ExchangeFailure = yield Transmit(outgoing, call.consume)
            return read(call.endpoint, answer, outgoing.url, ambient.today())
        except (ConnectionFailed, ApiError) as error:
            if not _may_be_repeated(error) or (call.endpoint.analyzes and _took_too_long(error)):
                raise
            retry_after = error.retry_after if isinstance(error, ApiError) else None
            seconds = pause(attempt, retry_after, ambient.chance())
            now = ambient.clock()
            # A test's clock may stand still; what was slept has passed.
            spent = max(now - began, slept) + (seconds or 0.0)
            late = end is not None and seconds is not None and now + seconds >= end
            if seconds is None or late or not _may_try_again(call, line, attempt, spent):
                raise
        if report is not None and report.name is None:
            yield Blocking(report.keep)
        yield Sleep(seconds)
        attempt, slept = attempt + 1, slept + seconds
        if call.idempotent:
            left = max(SHORTEST_RETRY, line.retry_seconds - spent)
            outgoing = replace(outgoing, timeout=min(outgoing.timeout, left))


def _may_be_repeated(error: ConnectionFailed | ApiError) -> bool:
    if isinstance(error, ConnectionFailed):
        return error.passing
    return isinstance(error, Unavailable) or error.status in PROXIED


def _took_too_long(error: ConnectionFailed | ApiError) -> bool:
    return error.late if isinstance(error, ConnectionFailed) else error.status == HTTPStatus.GATEWAY_TIMEOUT


def _may_try_again(call: Send[T], line: Line, attempt: int, spent: float) -> bool:
    """`spent` are the seconds since the first attempt, the next pause included."""
    if call.idempotent:
        return (line.retries is None or attempt < line.retries) and spent < line.retry_seconds
    return call.endpoint.method in REPEATABLE and attempt < (RETRIES if line.retries is None else line.retries)


def _deliver(line: Line, ambient: Ambient) -> Flow[None]:
    yield from line.outbox.deliver(line.base_url, line.headers, line.timeout, ambient.clock, ambient.today)


def _first_line(error: AssentError) -> str:
    return str(error).partition("\n")[0]
