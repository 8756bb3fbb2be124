"""What waits for an operator: reading it, deciding on it, following it."""

from __future__ import annotations

import queue
import shutil
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from threading import Thread

import msgspec

from assent.cli.exits import Exit
from assent.cli.failures import Failure
from assent.cli.inbox import HEADER, HELP, Quit, Refresh, Waiting, list_lines, parse_command, row
from assent.cli.session import Session
from assent.cli.text import clean, moment, tab_separated
from assent.contract.approvals import Approval, Verdict

PAGE = 100
ARRIVAL = "approval.requested"
RELIST = 15.0
"""Seconds after which a follower reads the list again though no event came: one may have come while it connected."""


def find_waiting(session: Session) -> list[Waiting]:
    """Everything that waits, oldest first, so that what expires soonest comes first."""
    waiting: list[Waiting] = []
    offset = 0
    while True:
        page = session.client.get_pending_approvals(limit=PAGE, offset=offset)
        for action in page.actions:
            detail = session.client.get_action(action.action_id)
            if detail.action.status == action.status:  # else somebody has decided since the page was made
                waiting.append(Waiting(action=detail.action, approval=detail.approval))
        offset += len(page.actions)
        if not page.actions or offset >= page.total:
            return sorted(waiting, key=lambda item: item.action.created_at)


def decide(
    session: Session,
    action_id: str,
    verdict: Verdict,
    reasoning: str | None,
    *,
    conditions: Sequence[str] | None = None,
    valid_minutes: int | None = None,
) -> None:
    """Decide and say so. Raises Failure with the winner's name when somebody else was first."""
    from assent.contract.problems import Code
    from assent.errors import ApiError

    try:
        answer = session.client.approve_action(
            action_id, verdict.value, reasoning, conditions=conditions or None, valid_minutes=valid_minutes
        )
    except ApiError as error:
        if error.code != Code.ALREADY_DECIDED:
            raise
        raise Failure(_lost(error.problem.get("approval")) or error.detail, Exit.REFUSED) from None
    approval = answer.approval
    session.output.lines(
        answer,
        f"{'Approved' if verdict is Verdict.ALLOW else 'Denied'}: {answer.action.action_id} "
        f"by {clean(approval.decided_by)} at {moment(approval.decided_at)}",
        *(f"On condition: {clean(each)}" for each in approval.conditions),
        *([f"To be claimed until {moment(approval.valid_until)}"] if approval.valid_until else []),
        f"Replay: {session.replay(answer.action.action_id)}",
    )


def sit(session: Session, *, watch: bool) -> None:
    """The inbox: list, read a line, act, until `q` or the end of input."""
    if watch:
        Thread(target=_announce, args=(session,), daemon=True, name="announcements").start()
    waiting = _show(session)
    print(HELP)
    while True:
        try:
            command = parse_command(input("> "), len(waiting))
        except ValueError as error:
            print(error)
            continue
        except EOFError:
            return
        if isinstance(command, Quit):
            return
        if isinstance(command, Refresh):
            waiting = _show(session)
        else:
            _attempt(session, waiting[command.number - 1].action.action_id, command.verdict, command.reasoning)


def follow(session: Session) -> None:
    """In a pipe: what waits now, then each new one as it comes, until interrupted."""
    shown: set[str] = set()
    if not session.output.json:
        print("\t".join(HEADER), flush=True)
    for _ in _occasions(session):
        for item in find_waiting(session):
            if item.action.action_id in shown:
                continue
            shown.add(item.action.action_id)
            if session.output.json:
                session.output.document(entry(item))
            else:
                print(*tab_separated(HEADER, [row(item)])[1:], flush=True)


def entry(item: Waiting) -> dict[str, object]:
    """One that waits, as JSON output has it."""
    return {"action": item.action, "approval": item.approval}


def _occasions(session: Session) -> Iterator[None]:
    """Whenever the list is worth reading: now, when something arrives, and from time to time."""
    from assent.errors import AssentError

    heard: queue.SimpleQueue[AssentError | None] = queue.SimpleQueue()

    def listen() -> None:
        try:
            for _ in session.client.events(types=[ARRIVAL]):
                heard.put(None)
        except AssentError as error:
            heard.put(error)

    Thread(target=listen, daemon=True, name="arrivals").start()
    yield
    while True:
        try:
            error = heard.get(timeout=RELIST)
        except queue.Empty:
            error = None
        if error is not None:
            raise error
        yield


def _attempt(session: Session, action_id: str, verdict: Verdict, reasoning: str | None) -> None:
    """A decision that is refused is said, and the inbox goes on."""
    from assent.errors import ApiError

    try:
        decide(session, action_id, verdict, reasoning)
    except (ApiError, Failure) as error:
        print(f"Error: {error}")


def _show(session: Session) -> list[Waiting]:
    waiting = find_waiting(session)
    print(*(list_lines(waiting, datetime.now(UTC), shutil.get_terminal_size().columns) or ["Nothing waits."]), sep="\n")
    return waiting


def _announce(session: Session) -> None:
    from assent.errors import AssentError

    try:
        for event in session.client.events(types=[ARRIVAL]):
            agent, kind = clean(event.data.get("agent_id")), clean(event.data.get("action_type"))
            print(f"\nNew: {kind} | {agent or 'no agent'} (r reads the list again)\n> ", end="", flush=True)
    except AssentError as error:
        print(f"\nNew arrivals are no longer announced: {error}", file=sys.stderr)


def _lost(approval: object) -> str | None:
    """Who was first, from the approval that a lost race is answered with."""
    try:
        won = msgspec.convert(approval, Approval)
    except msgspec.ValidationError:
        return None
    reason = f": {clean(won.reasoning)}" if won.reasoning else ""
    return f"{won.action_id} was {won.state} already, by {clean(won.decided_by)} at {moment(won.decided_at)}{reason}"
