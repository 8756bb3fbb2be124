"""The process of a hook: a deadline of its own, and one way to fail for each mode.

A host lets a tool run when its hook ends with any code but 2, runs out of time or cannot be started. So everything that
goes wrong while enforcing ends here with code 2 and the reason on standard error, an answer that cannot be written
included; what goes wrong while observing ends with code 0 and a note. The deadline is far below any that a host has,
and is kept twice: by a signal, which leaves time to say why, and by a thread that ends a process which hears none.
"""

import _thread
import os
import signal
import sys
import time

from assent.hooks import EVENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

    from assent.breaker import Breaker

BLOCK = 2
DEADLINE_SECONDS = 10.0
SLACK_SECONDS = 1.0
"""The service has so much less time than the process, and the thread waits so much longer than the signal."""
USAGE = "usage: assent-hook pre-tool|post-tool [--config FILE] [--host claude|codex]"
STDOUT, STDERR = 1, 2


class OutOfTime(BaseException):
    """No `except Exception` on the way may swallow it."""


class Stopped(BaseException):
    """A signal asked the process to end."""


class _Way:
    """Which way to fail, as far as it is known yet; `seconds` is how long the process has. The breaker is that of who
    observes."""

    __slots__ = ("breaker", "event", "mode", "seconds")

    def __init__(self, event: str, seconds: float) -> None:
        self.event = event
        self.mode = "enforce"
        self.seconds = seconds
        self.breaker: Breaker | None = None

    @property
    def code(self) -> int:
        return BLOCK if self.mode == "enforce" and self.event != "post-tool" else 0


def run(deadline: float = DEADLINE_SECONDS) -> int:
    """Read standard input, decide within `deadline` seconds, answer; the exit code."""
    way = _Way(sys.argv[1] if len(sys.argv) > 1 else "", deadline)
    try:
        _arm(way)
        answer = _answer(way, sys.argv[2:], deadline)
        if answer:
            _say(STDOUT, sys.stdout, answer + "\n")
        return 0
    except BaseException as error:  # noqa: BLE001  # whatever it is, the host must not take it for a yes
        return _fail(way, error)
    finally:
        _disarm()
        way.seconds = float("inf")


def _answer(way: _Way, options: "list[str]", deadline: float) -> str:
    """The line for the host."""
    from assent.hooks import call, settings

    way.mode = settings.mode_of(os.environ)
    config, host = _options(way.event, options)
    try:
        given = settings.read(config, os.environ)
    except settings.BadSettings as error:
        way.mode = error.mode
        raise
    way.mode = given.mode
    if host == "codex":
        given.approvals = settings.APPROVE_IN_ASSENT  # Codex cannot ask
    wait = given.wait if way.event == "pre-tool" else 0.0
    way.seconds = deadline + wait
    _arm(way)
    until = time.monotonic() + way.seconds - min(SLACK_SECONDS, deadline / 10)
    said = call.read(sys.stdin.buffer.read(call.LARGEST + 1))
    if given.mode == settings.OBSERVE:
        from assent.breaker import OBSERVE_SECONDS, Breaker

        breaker = Breaker(given.state, given.base_url, given.api_key)
        if not breaker.allows():
            if way.event == "pre-tool":
                breaker.missed()
            return ""
        way.breaker, way.seconds = breaker, OBSERVE_SECONDS
        _arm(way)
        until = time.monotonic() + OBSERVE_SECONDS * 0.9
    from assent.hooks.journal import Journal
    from assent.hooks.service import Service

    service = Service(given.base_url, given.api_key, until, accept_unbound=given.accept_unbound_answers)
    journal = Journal(given.state)
    if way.event == "pre-tool":
        from assent.hooks.pre_tool import decide

        home = os.path.expanduser("~")  # noqa: PTH111  # pathlib costs more than all of this
        answered = call.before(decide(said, given, service, journal, home, way.breaker), host)
    else:
        from assent.hooks.post_tool import record

        answered = call.after(record(said, given, service, journal))
    if way.breaker is not None:
        way.breaker.succeeded()
    return answered


def _options(event: str, options: "list[str]") -> "tuple[str, str]":
    found = {"--config": "", "--host": "claude"}
    if event not in EVENTS or len(options) % 2 or any(name not in found for name in options[::2]):
        raise ValueError(USAGE)
    found.update(zip(options[::2], options[1::2], strict=True))
    if found["--host"] not in ("claude", "codex"):
        raise ValueError(USAGE)
    return found["--config"], found["--host"]


def _fail(way: _Way, error: BaseException) -> int:
    """Say why, whatever else comes now, and give the exit code."""
    try:
        _disarm()
        if way.breaker is not None:
            _unobserved(way.breaker, way.event, error)
        why = f"out of time after {way.seconds:g} s" if isinstance(error, OutOfTime) else str(error)
        why = " ".join((why or type(error).__name__).split())[:1000]
        _say(STDERR, sys.stderr, f"Assent {'stopped' if way.code else 'could not record'} this call: {why}\n")
    except BaseException:  # noqa: BLE001  # nobody is there to be told; the code says it
        return way.code
    return way.code


def _unobserved(breaker: "Breaker", event: str, error: BaseException) -> None:
    """A call that was to be observed was not."""
    from assent.hooks.service import Unreached

    if isinstance(error, OutOfTime | Unreached):
        breaker.failed()
    if event == "pre-tool":
        breaker.missed()


def _say(number: int, stream: object, text: str) -> None:
    """Write without a buffer: what is left in one is written when the process ends, and failing then changes its code.
    A stream that was closed before the start is None, and its number may belong to another file by now."""
    if stream is None:
        raise OSError(f"nobody can be answered: stream {number} is closed")
    left = text.encode("utf-8", "replace")
    while left:
        left = left[os.write(number, left) :]


def _arm(way: _Way) -> None:
    """Raise OutOfTime when the time is over, wherever the process is then."""
    for name in ("SIGTERM", "SIGHUP", "SIGINT"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _stop)
    _thread.start_new_thread(_end, (way, way.seconds + SLACK_SECONDS))
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _time_is_over)
        signal.setitimer(signal.ITIMER_REAL, way.seconds)


def _disarm() -> None:
    for name in ("SIGTERM", "SIGHUP", "SIGINT", "SIGALRM"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)


def _end(way: _Way, seconds: float) -> None:
    """End a process that hears no signal: one that waits for a name server, for instance."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(max(0.0, until - time.monotonic()))
    if seconds >= way.seconds:
        os._exit(way.code)


def _time_is_over(number: int, frame: "FrameType | None") -> None:
    raise OutOfTime


def _stop(number: int, frame: "FrameType | None") -> None:
    raise Stopped(f"the process was asked to end (signal {number})")
