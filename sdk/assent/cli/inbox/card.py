"""The card of one waiting action: what is wanted first, then why it was stopped, what it touches, how it went before.

Lines are broken here, not by the screen, so that what follows a label stands below itself. Where the card is longer
than its pane, a goal and each argument take at most `MOST_LINES` of them and say how much is left out, unless it is
wanted whole. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import zip_longest

from assent.arguments import reach_of
from assent.cli.approvals import Waiting
from assent.cli.inbox.inbox_client import PAST, LookedAt
from assent.cli.inbox.rows import (
    HIGH,
    LOW,
    MUTED,
    NO_GOAL,
    PLAIN,
    RAISED,
    STRONG,
    Tone,
    asked,
    risk_tone,
)
from assent.cli.inbox.visibility import Part
from assent.cli.text import ago, clean, expiry, fit, moment, span, wrap
from assent.contract.conditions import in_words
from assent.contract.control.actions import Action, ActionStatus
from assent.contract.control.approvals import Approval, ApprovalState
from assent.contract.control.assignments import Assignment
from assent.contract.control.comments import ApprovalComment
from assent.contract.control.escalations import Escalation
from assent.contract.control.guard import Source
from assent.contract.control.inbox import ActionApproval
from assent.contract.control.questions import ApprovalQuestion, QuestionState
from assent.contract.names import marked_value, quoted_name
from assent.contract.visible import paragraphs, visible
from assent.deciding import asked_by, decided_by, expired, portions, unseen
from assent.nearest import Difference, Nearest, conditions_words
from assent.origins import QUOTED, Origins

LABEL = 10
LONGEST_CONTEXT = 400
MOST_LINES = 3
READING, NOT_THERE = "reading…", "not there"


@dataclass(frozen=True)
class CardLine:
    """`label` stands at its beginning; its room is left where it is empty, and not where it is None. `link` is where
    the text leads. `part` is what it is of that has to be on the screen before the request is allowed, `cut` the piece
    of which such lines are left out here."""

    text: str
    tone: Tone = PLAIN
    label: str | None = ""
    link: str | None = None
    part: Part | None = None
    cut: str | None = None


def card(
    item: Waiting,
    past: Sequence[ActionApproval] | None,
    known: bool,
    replay: str,
    now: datetime,
    width: int,
    questions: Sequence[ApprovalQuestion] = (),
    comments: Sequence[ApprovalComment] = (),
    later: datetime | None = None,
    ended: str | None = None,
    assignment: Assignment | None = None,
    escalation: Escalation | None = None,
    looked_at: LookedAt | None = None,
    nearest: Nearest | None = None,
    whole: bool = False,
    height: int = 0,
) -> list[CardLine]:
    """`past` is None while it is being read, `known` says whether the approval was. `replay` is the link's address.
    `questions` are those that were asked back and `comments` what operators said, as far as they were read. `later` is
    when it is back, where it was put off, `ended` how it ended, where it waits no longer, `assignment` whose it is,
    `escalation` that nobody had decided in time, `looked_at` what guard looked at, once it was read, `nearest` the
    approved call that differs least, where there is one. A `whole` card
    leaves nothing out, and neither does one that then has no more than `height` lines."""
    action = item.action
    above: list[CardLine] = []
    if ended is not None:
        above += _labelled("Ended", ended, width, RAISED)
    if later is not None:
        above += _labelled("Put off", f"until {moment(later)}; s changes that", width, RAISED)
    if escalation is not None:
        above += _labelled("Escalated", escalation_words(escalation), width, HIGH)
    if assignment is not None and assignment.assigned_to is not None:
        above += _labelled("Assigned", assignment_words(assignment), width)
    above += stopped(item, width) if known else _labelled("Stopped", READING, width, MUTED)
    if looked_at is None and ended is None:
        above += _labelled("Arguments", READING, width, MUTED)
    elif looked_at is not None and looked_at.origins is not None:
        above += came_from(looked_at.origins, width)
        reach = looked_at.origins.reach if ended is None else ""
        above += _labelled("Allowing", clean(reach), width) if reach else []
    below = [*facts(item, now, width), *_said(action, questions, comments, now, width)]
    last = [*_labelled("Replay", replay, width, link=replay), *_before(action, past, now, width)]
    last += _labelled("Action", action.action_id, width, MUTED)

    def made(*, whole: bool) -> list[CardLine]:
        given = [] if looked_at is None else arguments(action, looked_at, width, whole=whole)
        context = [
            line for text in _context(action, looked_at, whole=whole) for line in _labelled("Context", text, width)
        ]
        unlike = [] if nearest is None else difference_lines(nearest, now, width, whole=whole)
        return [*goal_lines(action, width, whole=whole), *above, *given, *unlike, *below, *context, *last]

    full = made(whole=True) if whole or _may_fit(action, looked_at, width * height) else None
    return full if full is not None and (whole or len(full) <= height) else made(whole=False)


def _said(
    action: Action,
    questions: Sequence[ApprovalQuestion],
    comments: Sequence[ApprovalComment],
    now: datetime,
    width: int,
) -> list[CardLine]:
    """What was asked and said about it, and what the agent says of it."""
    lines: list[CardLine] = []
    for at, each in enumerate(questions):
        tone = RAISED if each.state is QuestionState.OPEN else PLAIN
        lines += _labelled("" if at else "Question", f"- {question_words(each)}", width, tone, hang=2)
    for at, said in enumerate(comments):
        lines += _labelled("" if at else "Comment", f"- {comment_words(said, now)}", width, hang=2)
    if "replaces" in action:
        lines += _labelled("Replaces", f"{action['replaces']}, which was withdrawn for this one", width)
    if action.reasoning:
        lines += _labelled("It says", visible(action.reasoning), width)
    return lines


def _may_fit(action: Action, looked_at: LookedAt | None, room: int) -> bool:
    """Whether goal and arguments may have room for so many characters: no megabyte is broken into lines for it."""
    given = () if looked_at is None else given_arguments(action, looked_at)
    return len(action.declared_goal or "") + sum(len(name) + len(text) for name, text in given) <= room


def stopped(item: Waiting, width: int) -> list[CardLine]:
    """Why it waits, each reason on its own."""
    return [
        line
        for reason in item.reasons
        for line in _labelled("Stopped", in_words(reason), width, piece=_reason_piece(reason))
    ]


def owed(item: Waiting, looked_at: LookedAt) -> list[str]:
    """The pieces that have to be on the screen before it is allowed: its goal, each reason and each argument, but for
    arguments that are beyond what can be asked for."""
    given = given_arguments(item.action, looked_at)
    asked_for = given[: len(portions(given))]
    said = [_goal_piece(goal_text(item.action)), *map(_reason_piece, item.reasons)]
    return [*said, *(_argument_piece(name, text) for name, text in asked_for)]


def not_owed(item: Waiting, looked_at: LookedAt | None) -> int:
    """How many arguments, as far as they are known, need not be on the screen, or not to their end."""
    return 0 if looked_at is None else unseen(given_arguments(item.action, looked_at))


def goal_text(action: Action) -> str:
    """What it wants, on one line; at most 4,000 characters, since one that is sent has 2,000."""
    return visible(action.declared_goal) or NO_GOAL


def goal_lines(action: Action, width: int, *, whole: bool = False, key: str = "v shows them") -> list[CardLine]:
    text = goal_text(action)
    lines = wrap(text, width) if whole else shortened(text, width, key)
    return [
        CardLine(line, STRONG, part=part, cut=cut) for line, part, cut in _parts(lines, width, _goal_piece(text), text)
    ]


def shortened(text: str, width: int, key: str = "v shows them") -> list[str]:
    """At most `MOST_LINES` lines; the last one says how many characters, spaces aside, it leaves out."""
    begun = text[: width * MOST_LINES * 2]  # all that can fit, and no megabyte is broken into lines for it
    lines = _wrapped(begun, width)
    if len(lines) <= MOST_LINES and len(begun) == len(text):
        return lines
    kept = lines[: MOST_LINES - 1]
    left = len("".join(text.split())) - len("".join("".join(kept).split()))
    return [*kept, fit(f"… {left} more characters; {key}", width)]


def _wrapped(text: str, width: int) -> list[str]:
    """Its lines; a break in it is one."""
    return [line for part in text.split("\n") for line in wrap(part, width)]


def came_from(origins: Origins, width: int) -> list[CardLine]:
    """Where each value came from that a flow policy looked at; what nobody named first, raised where it is doubtful."""
    lines: list[CardLine] = []
    for each in origins.values:
        value = "" if each.text is None else f" {QUOTED.format(visible(each.text))}"
        tone = RAISED if each.doubtful else PLAIN
        lines += _labelled(
            "" if lines else "Values", f"- {visible(each.argument)}{value}: {clean(each.sentence)}", width, tone, hang=2
        )
    if origins.more:
        lines += _labelled("", f"- {origins.more} more values were looked at.", width, hang=2)
    for at, text in enumerate(origins.session):
        lines += _labelled("" if at else "Session", f"- {clean(text)}", width, hang=2)
    return lines


def arguments(action: Action, looked_at: LookedAt | None, width: int, *, whole: bool = False) -> list[CardLine]:
    """The exact arguments, by name, as they were sent; their digest where the agent keeps them."""
    lines: list[CardLine] = []
    given = given_arguments(action, looked_at)
    for (name, text), part in zip_longest(given, portions(given)):
        kept = not name
        said = text if kept else f"- {name}: {text}"
        lines += _labelled(
            "" if lines else "Arguments",
            paragraphs(said),
            width,
            MUTED if kept else PLAIN,
            hang=0 if kept else 2,
            piece=None if part is None else _argument_piece(name, text),
            owed=len(said) if part is None else len(said) - len(name) - len(text) + sum(part),
            whole=whole,
        )
    return lines


def given_arguments(action: Action, looked_at: LookedAt | None) -> list[tuple[str, str]]:
    """Name and value of each argument, in words; of those that the agent keeps their digest, without a name."""
    given = [] if looked_at is None else [(name, marked_value(value)) for name, value in looked_at.arguments]
    if action.parameters_digest is not None and (looked_at is None or looked_at.parameters is None):
        given.append(("", f"kept by the agent; their digest is {action.parameters_digest}"))
    return given


def difference_lines(nearest: Nearest, now: datetime, width: int, *, whole: bool = False) -> list[CardLine]:
    """What is different from the nearest call that was approved: each argument that differs, what it was, muted, and
    what it is now, raised."""
    lines = _labelled("Different", f"{beside_words(nearest, now)} {same_words(nearest)}", width)
    for each in nearest.changes:
        was, becomes = map(paragraphs, difference_words(each))
        lines += _labelled("", f"- {was}", width, MUTED, hang=2, whole=whole)
        below = _labelled("", becomes, width - 2, RAISED, whole=whole)
        lines += [replace(line, text=f"  {line.text}") for line in below]
    if nearest.more:
        lines += _labelled("", f"- {more_words(nearest.more)}", width, RAISED, hang=2)
    return lines


def beside_words(nearest: Nearest, now: datetime) -> str:
    """`from the nearest of 4 that were approved (asked 2h ago, allowed by ana):`."""
    of = "the one that was" if nearest.among == 1 else f"the nearest of {nearest.among} that were"
    by = clean(decided_by(nearest.item.approval))
    conditions = conditions_words(nearest.item.approval)
    when = ago((now - nearest.item.approval.requested_at).total_seconds())
    return f"from {of} approved (asked {when}{f', allowed by {by}{conditions}' if by else ''}):"


def same_words(nearest: Nearest) -> str:
    """`3 arguments are the same`, `no argument is the same`, `nothing; all 4 arguments are the same`."""
    if not nearest.arguments:
        return f"{'' if nearest.changes else 'nothing; '}neither has arguments"
    if not nearest.same:
        return "no argument is the same"
    same = f"{nearest.same} argument{' is' if nearest.same == 1 else 's are'} the same"
    return same if nearest.changes else f"nothing; {'all ' if nearest.same > 1 else ''}{same}"


def difference_words(difference: Difference) -> tuple[str, str]:
    """`amount was 40` and `is 900`, `urgent was not there` and `is true`, `memo was x` and `is not there`."""
    was, now = (NOT_THERE if each is None else each for each in (difference.before, difference.now))
    return f"{difference.name} was {was}", f"is {now}"


def more_words(more: int) -> str:
    return f"{more} more {'differs' if more == 1 else 'differ'} and {'is' if more == 1 else 'are'} not listed"


def _goal_piece(text: str) -> str:
    return f"goal {text}"


def _reason_piece(reason: str) -> str:
    return f"reason {reason}"


def _argument_piece(name: str, text: str) -> str:
    return f"argument {name}: {text}"


def facts(item: Waiting, now: datetime, width: int) -> list[CardLine]:
    """What is touched, the risk, who asks, how long it has waited and still may."""
    action = item.action
    touched = ", ".join(map(quoted_name, action.systems_touched)) or "it names no system"
    undone = "" if action.reversible else "; CANNOT BE UNDONE"
    lines = _labelled("Touches", f"{touched}{undone}", width, PLAIN if action.reversible else RAISED)
    own = action.agent_risk_score
    said = "" if own is None or own == action.risk_score else f"; the agent said {round(own, 1):g}"
    tone = risk_tone(action.risk_score)
    lines += _labelled("Risk", f"{round(action.risk_score, 1):g} of 100, {tone}{said}", width, tone)
    lines += _labelled("By", _who(action), width)
    goes = "; ".join(f"{label.lower()} {value}" for label, value in reach_of(action.externality, span))
    lines += _labelled("Reach", goes, width) if goes else []
    for label, text in (("Allowed", action.authorization_scope), ("Trigger", action.trigger)):
        lines += _labelled(label, visible(text), width) if text else []
    since = ago((now - asked(item)).total_seconds())
    approval = item.approval
    end = "no expiry known" if approval is None else expiry((approval.expires_at - now).total_seconds())
    return lines + _labelled("Asked", f"{since}; {end}", width)


def decided_words(approval: Approval) -> str:
    """`denied by ana at 2026-11-20T14:02:07Z: too much`, `expired: nobody decided in time`, `withdrawn by bot's key at
    2026-11-20T14:02:07Z: the task was cancelled`."""
    if expired(approval):
        return "expired: nobody decided in time"
    did = {ApprovalState.APPROVED: "allowed", ApprovalState.DENIED: "denied"}.get(approval.state, str(approval.state))
    by = f" by {clean(decided_by(approval))}" if approval.decided_by else ""
    at = f" at {moment(approval.decided_at)}" if approval.decided_at else ""
    why = f": {visible(approval.reasoning)}" if approval.reasoning else ""
    return f"{did}{by}{at}{why}"


def question_words(question: ApprovalQuestion) -> str:
    """`ana asked: for whom? (offered: only 50 EUR); answered: for 4711`, `...; no answer yet`."""
    offered = "; ".join(map(visible, question.conditions))
    asked_words = f"{clean(question.asked_by)} asked: {visible(question.text)}" + (
        f" (offered: {offered})" if offered else ""
    )
    match question.state:
        case QuestionState.OPEN:
            return f"{asked_words}; no answer yet"
        case QuestionState.ENDED:
            return f"{asked_words}; ended without an answer"
        case QuestionState.ANSWERED if question.replaced_by is not None:
            return f"{asked_words}; changed to {question.replaced_by}"
        case QuestionState.ANSWERED:
            return f"{asked_words}; answered: {visible(question.answer)}"


def assignment_words(assignment: Assignment) -> str:
    """`to ben, by ana at 2026-11-20T14:02:07Z`."""
    by = f"by {clean(assignment.assigned_by)} at {moment(assignment.updated_at)}"
    return f"to {clean(assignment.assigned_to)}, {by}"


def escalation_words(escalation: Escalation) -> str:
    """`to Leads at 2026-11-20T14:02:07Z: nobody had decided for 15 min`."""
    at = f"{clean(escalation.escalated_to)} at {moment(escalation.created_at)}"
    return f"to {at}: nobody had decided for {escalation.after_minutes} min"


def comment_words(comment: ApprovalComment, now: datetime) -> str:
    """`ana 2h ago: I know them.`"""
    when = ago((now - comment.created_at).total_seconds())
    return f"{clean(comment.written_by)} {when}: {visible(comment.text)}"


def past_words(past: ActionApproval, now: datetime) -> str:
    """`denied by ana 2d ago: too much`, `allowed by ben 3h ago, then failed: no such customer`,
    `allowed by a standing grant of ben 3h ago, then completed`."""
    approval, action = past.approval, past.action
    when = f" {ago((now - approval.decided_at).total_seconds())}" if approval.decided_at else ""
    if expired(approval):
        return f"expired{when}, nobody decided"
    did = "allowed" if approval.state is ApprovalState.APPROVED else str(approval.state)
    by = f" by {clean(decided_by(approval))}" if approval.decided_by else ""
    why = f": {visible(approval.reasoning)}" if approval.reasoning else ""
    return f"{did}{by}{when}{_outcome(action, approval)}{why}"


def _outcome(action: Action, approval: Approval) -> str:
    if approval.state is not ApprovalState.APPROVED:
        return ""
    said = visible(action.error_message if action.status is ActionStatus.FAILED else None)
    return f", {'still ' if action.status is ActionStatus.RUNNING else 'then '}{action.status}" + (
        f" ({fit(said, 80)})" if said else ""
    )


def _before(action: Action, past: Sequence[ActionApproval] | None, now: datetime, width: int) -> list[CardLine]:
    """The last decisions; each says by its word how it ended, and not by its colour alone."""
    if action.agent_id is None:
        return _labelled("Before", "no agent is named, so nothing is known of before", width, MUTED)
    if past is None:
        return _labelled("Before", READING, width, MUTED)
    others = [each for each in past if each.action.action_id != action.action_id][:PAST]
    if not others:
        return _labelled("Before", "nobody has decided on this agent and type yet", width, MUTED)
    lines: list[CardLine] = []
    for at, each in enumerate(others):
        lines += _labelled("" if at else "Before", f"- {past_words(each, now)}", width, _ended(each), hang=2)
    return lines


def _ended(past: ActionApproval) -> Tone:
    if past.approval.state is not ApprovalState.APPROVED:
        return HIGH if past.approval.state is ApprovalState.DENIED else MUTED
    return RAISED if past.action.status is ActionStatus.FAILED else LOW


def _who(action: Action) -> str:
    agent = asked_by(action) or "an agent without a name"
    real = "; simulated" if action.source is Source.SIMULATED else ""
    return f"{agent}, wants {quoted_name(action.action_type)}{real}"


def _context(action: Action, looked_at: LookedAt | None, *, whole: bool) -> list[str]:
    """Metadata are here where they are not among the arguments, since nobody may read what guard looked at."""
    given = [visible(action.input_summary)] if action.input_summary else []
    if action.metadata and (looked_at is None or "metadata" not in looked_at.context):
        given.append(marked_value(action.metadata))
    return given if whole else [fit(each, LONGEST_CONTEXT) for each in given]


def _labelled(
    label: str,
    text: str,
    width: int,
    tone: Tone = PLAIN,
    *,
    link: str | None = None,
    hang: int = 0,
    piece: str | None = None,
    owed: int | None = None,
    whole: bool = True,
) -> list[CardLine]:
    """`piece` is what it is of that has to be on the screen, with its first `owed` characters or all of it; what is not
    wanted whole is shortened."""
    room = max(width - LABEL - hang, 10)
    lines = _wrapped(text, room) if whole else shortened(text, room)
    return [
        CardLine(" " * (hang if at else 0) + line, tone, "" if at else label, link, part, cut)
        for at, (line, part, cut) in enumerate(_parts(lines, room, piece, text[:owed]))
    ]


def _parts(
    lines: Sequence[str], width: int, piece: str | None, owed: str
) -> Iterator[tuple[str, Part | None, str | None]]:
    """Each line with what it is of the piece, of which `owed` has to be on the screen, and the piece where these lines
    leave some of that out."""
    needed = 0 if piece is None else _lines_of(owed, lines)
    parts = [] if piece is None else [Part(piece, width, at, needed) for at in range(needed)]
    for line, part in zip_longest(lines, parts):
        yield line, part, piece if needed == 0 else None


def _lines_of(text: str, lines: Sequence[str]) -> int:
    """How many of these lines it takes to have the whole text; 0 where they leave some of it out."""
    wanted, at = "".join(text.split()), 0
    for number, line in enumerate(lines, 1):
        shown = "".join(line.split())
        if shown.startswith(wanted[at:]):
            return number
        if not wanted.startswith(shown, at):
            return 0
        at += len(shown)
    return 0
