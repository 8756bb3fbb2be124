"""Messages in words, as tables, and in the address; without a service."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest

from assent.contract.attachments import Attachment
from assent.contract.handoffs import Handoff
from assent.contract.messages import Direction, Message, MessageStatus, MessageType
from assent_dashboard.views.export import to_csv
from assent_dashboard.views.messages import told
from assent_dashboard.views.messages.data import latest, reader
from assent_dashboard.views.messages.filters import Filters, View, read
from assent_dashboard.views.messages.tables import of
from assent_dashboard.views.messages.writing import reply_subject, sender_name

AT = datetime(2026, 11, 20, 14, 2, 7, tzinfo=UTC)
MESSAGE = Message(
    org_id="org_1",
    id="msg_1",
    message_id="msg_1",
    thread_id=None,
    from_agent_id="payer",
    to_agent_id="desk",
    message_type=MessageType.QUESTION,
    subject="Due?",
    body="Is it due?",
    urgent=False,
    status=MessageStatus.SENT,
    doc_ref=None,
    action_id=None,
    attachments=[],
    is_read=False,
    read_by=[],
    created_at=AT,
    read_at=None,
    archived_at=None,
)


def file(name: str) -> Attachment:
    return Attachment(
        id="att_1", attachment_id="att_1", filename=name, mime_type="text/html", size_bytes=12_345, sha256="ab" * 32
    )


@pytest.mark.parametrize(
    ("given", "saved"),
    [
        ("report.pdf", "report.pdf"),
        ("../../etc/passwd", "passwd"),
        ("C:\\temp\\x.exe", "x.exe"),
        (".bashrc", "bashrc"),
        ("a\u202egnp.exe", "a\ufffdgnp.exe"),
        ("..", "attachment-att_1"),
    ],
)
def test_a_file_is_saved_under_a_name_that_is_one(given: str, saved: str) -> None:
    assert told.file_name(file(given)) == saved


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (12_345, "12.3 kB"), (5_242_880, "5.2 MB")]
)
def test_sizes(count: int, said: str) -> None:
    assert told.size(count) == said


def test_the_state_is_a_word_and_not_a_colour_alone() -> None:
    assert "unread" in told.state(MESSAGE)
    assert "read" in told.state(msgspec.structs.replace(MESSAGE, status=MessageStatus.READ, is_read=True))
    everybody = msgspec.structs.replace(MESSAGE, to_agent_id=None, urgent=True)
    assert "to all" in told.state(everybody)
    assert "urgent" in told.state(everybody)


def test_lines_stay_lines_and_what_steers_is_seen() -> None:
    assert told.lines("one\n\ntwo\u202e") == "one\n\ntwo\ufffd"
    assert told.notes(["a", {"b": 1}]) == '• a\n• {"b":1}'


def test_a_subject_is_answered_once() -> None:
    assert reply_subject(MESSAGE) == "Re: Due?"
    assert reply_subject(msgspec.structs.replace(MESSAGE, subject="re: Due?")) == "re: Due?"
    assert reply_subject(msgspec.structs.replace(MESSAGE, subject=None)) == ""
    assert len(reply_subject(msgspec.structs.replace(MESSAGE, subject="x" * 200))) == 200
    assert len(sender_name("n" * 300)) == 128


@pytest.mark.parametrize(
    ("own", "chosen", "to", "found"),
    [
        ("bound", "other", "desk", "bound"),
        (None, "other", "desk", "other"),
        (None, None, "desk", "desk"),
        (None, None, None, None),
    ],
)
def test_for_whom_a_message_is_marked(own: str | None, chosen: str | None, to: str | None, found: str | None) -> None:
    message = msgspec.structs.replace(MESSAGE, to_agent_id=to)
    assert reader(Filters(agent_id=chosen), message, own) == found


def test_the_address_says_what_is_asked_and_comes_back_the_same() -> None:
    for filters in (
        Filters(),
        Filters(agent_id="desk", direction=Direction.SENT, message_type=MessageType.LESSON, unread=True),
        Filters(message_id="msg_1", cursor="c"),
        Filters(view=View.THREADS, thread_id="t"),
        Filters(view=View.LOOPS, agent_id="desk"),
    ):
        assert read(filters.address()) == (filters, [])


def test_a_box_is_somebodys() -> None:
    assert read({"direction": "sent"})[0] == Filters()
    assert read({"view": "handoffs", "message_id": "msg_1", "status": "nope"}) == (Filters(view=View.HANDOFFS), [])


def test_the_latest_of_each_agent() -> None:
    def handoff(number: int, agent: str | None) -> Handoff:
        return Handoff(
            org_id="org_1",
            handoff_id=f"h{number}",
            agent_id=agent,
            summary="s",
            context={},
            tags=[],
            session_date="2026-11-20",
            key_decisions=None,
            open_tasks=None,
            mood_notes=None,
            next_priorities=None,
            created_by="key_1",
            created_at=AT,
        )

    newest_first = [handoff(4, "a"), handoff(3, None), handoff(2, "a"), handoff(1, "b")]
    assert [each.id for each in latest(newest_first)] == ["h4", "h3", "h1"]


def test_a_table_has_every_member() -> None:
    frame = of([MESSAGE, msgspec.structs.replace(MESSAGE, read_by=["desk"], read_at=AT, subject="=1+1")])
    assert set(frame.columns) == set(Message.__struct_fields__)
    assert frame["read_by"].to_list() == ["[]", '["desk"]']
    assert frame["read_at"].to_list() == [None, AT]
    assert b"'=1+1" in to_csv(frame)
    assert of([]).is_empty()
