"""What is said about a request: questions to its agent with the answers, and what operators tell each other; and what
an operator does with one besides deciding: asks, comments, gives it to somebody, approves of its like in advance.

None of it decides on the request. In every text of a stranger what is there is seen; the page shows it as text and
nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

from assent import Client, Event, EventName
from assent.contract.control.approvals import Conditions
from assent.contract.control.comments import ApprovalComment
from assent.contract.control.grants import MOST_DAYS, Uses
from assent.contract.control.questions import ApprovalQuestion, QuestionState
from assent.contract.names import quoted_name
from assent.contract.prepared import prepared
from assent.contract.visible import visible
from assent.errors import NotFound
from assent.granting import opened, part_in_words, parts_of, unbound, unbound_metadata, when_of, why_not, would
from assent_dashboard.inbox.rows import milliseconds
from assent_dashboard.views import answers, words
from assent_dashboard.views.press import attempt

SHOWN = 50
"""Questions and comments of one request that are shown, the newest."""
QUESTIONS = frozenset({EventName.QUESTION_CREATED, EventName.QUESTION_UPDATED})
TALK = QUESTIONS | {EventName.COMMENT_CREATED}
"""What the stream tells of it."""

T = TypeVar("T")


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """`answer` are the agent's words, `replaced_by` is the changed request that it made instead."""

    at: int
    by: str
    text: str
    conditions: list[str]
    state: QuestionState
    answer: str | None
    replaced_by: str | None
    answered_by: str | None


class Comment(msgspec.Struct, frozen=True, kw_only=True):
    at: int
    by: str
    text: str


class Talk(msgspec.Struct, frozen=True, kw_only=True):
    """All that is said about one request, the oldest first."""

    questions: list[Question]
    comments: list[Comment]


class Word(msgspec.Struct, frozen=True, kw_only=True):
    """That something was said about a request: `asked`, `answered`, `ended` or `comment`, by whom; `own` by this
    session's key, `replaced_by` where the answer is a changed request."""

    id: str
    kind: str
    by: str | None
    own: bool
    replaced_by: str | None = None


class Acceptance(msgspec.Struct, frozen=True, kw_only=True):
    """Whether what was said was taken; `why` not, for the person."""

    ok: bool
    why: str | None = None


def talk_of(client: Client, action_id: str) -> Talk:
    """Raises what the client raises. A service that knows of neither has none."""
    questions, comments = answers.both(
        lambda: _or_none(lambda: client.get_questions(action_id=action_id, limit=SHOWN).questions),
        lambda: _or_none(lambda: client.get_comments(action_id=action_id, limit=SHOWN).comments),
    )
    return Talk(
        questions=[_question(each) for each in reversed(questions)],
        comments=[
            Comment(at=milliseconds(each.created_at), by=words.clean(each.written_by), text=visible(each.text))
            for each in reversed(comments)
        ],
    )


def _or_none(ask: Callable[[], list[T]]) -> list[T]:
    try:
        return ask()
    except NotFound:
        return []


def _question(question: ApprovalQuestion) -> Question:
    return Question(
        at=milliseconds(question.created_at),
        by=words.clean(question.asked_by),
        text=visible(question.text),
        conditions=[visible(each) for each in question.conditions],
        state=question.state,
        answer=visible(question.answer) or None,
        replaced_by=question.replaced_by,
        answered_by=words.clean(question.answered_by) or None,
    )


def word_of(event: Event, key_id: str) -> Word | None:
    """What an event of `TALK` tells; None where it is one of a later service that cannot be read."""
    try:
        if event.event in QUESTIONS:
            asked = msgspec.convert(event.data, prepared(ApprovalQuestion))
            waits = asked.state is QuestionState.OPEN
            by, by_key = (asked.asked_by, asked.asked_by_key) if waits else (asked.answered_by, asked.answered_by_key)
            kind = "asked" if waits else str(asked.state)
            own = by_key == key_id
            by = words.clean(by) or None
            return Word(id=asked.action_id, kind=kind, by=by, own=own, replaced_by=asked.replaced_by)
        comment = msgspec.convert(event.data, prepared(ApprovalComment))
    except msgspec.ValidationError:
        return None
    own = comment.written_by_key == key_id
    return Word(id=comment.action_id, kind="comment", by=words.clean(comment.written_by), own=own)


# What an operator says.


class Asking(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: str
    text: str
    conditions: Conditions = []


class Commenting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: str
    text: str


def ask(client: Client, said: Asking) -> Acceptance:
    return _said(lambda: client.ask_question(said.id, said.text, conditions=said.conditions or None))


def comment(client: Client, said: Commenting) -> Acceptance:
    return _said(lambda: client.add_comment(said.id, said.text))


def _said(do: Callable[[], object], look: str = "saying the same again is safe") -> Acceptance:
    done, why = attempt(do, look)
    return Acceptance(ok=done is not None, why=why)


# Who takes care of it.


class Colleague(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who may take care of a request; `own` is this session's key."""

    key_id: str
    name: str
    own: bool


def operators_of(client: Client, key_id: str) -> list[Colleague]:
    """The session's own key first. Raises what the client raises."""
    found = client.get_operators().operators
    told = [Colleague(key_id=each.key_id, name=words.clean(each.name), own=each.key_id == key_id) for each in found]
    return sorted(told, key=lambda each: not each.own)


# A standing grant of a request's like: its pattern, and what that would have covered.


class GrantOffer(msgspec.Struct, frozen=True, kw_only=True):
    """`parts` are the pattern's conditions, one by one, and `opened` what is left open without each; those at the
    places `without` are left out. `unbound` says which arguments no condition can bind: then a word is typed. `why_not`
    says why a grant would not be used; `would` are sentences about its metadata and the last 30 days."""

    id: str
    who: str
    type: str
    parts: list[str]
    opened: list[str | None]
    without: list[int]
    unbound: str | None
    max_risk: float
    why_not: str | None
    would: list[str]


class GivingGrant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: str
    days: Annotated[int, Meta(ge=1, le=MOST_DAYS)]
    uses: Uses
    reason: str
    without: list[int] = []


def offer(client: Client, action_id: str, without: Collection[int]) -> GrantOffer:
    """Raises what the client raises."""
    draft = client.draft_grant(action_id)
    parts = parts_of(draft)
    sentences = list(filter(None, [unbound_metadata(draft)]))
    if draft.agent_ids:
        when = when_of(parts, without)
        sentences += would(client.preview_grant(draft.agent_ids, draft.action_type, max_risk=draft.max_risk, when=when))
    return GrantOffer(
        id=action_id,
        who=", ".join(map(quoted_name, draft.agent_ids)),
        type=quoted_name(draft.action_type),
        parts=[part_in_words(each, draft.exact) for each in parts],
        opened=list(map(opened, parts)),
        unbound=unbound(draft),
        without=sorted(each for each in without if each < len(parts)),
        max_risk=draft.max_risk,
        why_not=words.clean(why_not(draft)) or None,
        would=[words.clean(each) for each in sentences],
    )


def give(client: Client, said: GivingGrant, now: datetime) -> Acceptance:
    """Raises what the client raises while the pattern is read."""
    draft = client.draft_grant(said.id)
    return _said(
        lambda: client.create_grant(
            draft.agent_ids,
            draft.action_type,
            max_risk=draft.max_risk,
            max_uses=said.uses,
            expires_at=now + timedelta(days=said.days),
            reason=said.reason,
            when=when_of(parts_of(draft), said.without),
            from_action_id=said.id,
        ),
        "look at the page of policies, which lists standing grants",
    )
