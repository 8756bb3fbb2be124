"""Messages in words, as tables, and in the address; without a service."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest

from assent.contract.exchange.attachments import Attachment
from assent.contract.exchange.handoffs import Handoff
from assent.contract.exchange.messages import Message, MessageStatus, MessageType
from assent_dashboard.views.addresses import MessagesAddress
from assent_dashboard.views.export import to_csv
from assent_dashboard.views.messages import words as message_words
from assent_dashboard.views.messages.compose import reply_subject, sender_name
from assent_dashboard.views.messages.data import latest, reader
from assent_dashboard.views.messages.page import of

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
    assert message_words.file_name(file(given)) == saved


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (12_345, "12.3 kB"), (5_242_880, "5.2 MB")]
)
def test_sizes(count: int, said: str) -> None:
    assert message_words.size(count) == said


def test_the_state_is_a_word_and_not_a_colour_alone() -> None:
    assert "unread" in message_words.state(MESSAGE)
    assert "read" in message_words.state(msgspec.structs.replace(MESSAGE, status=MessageStatus.READ, is_read=True))
    everybody = msgspec.structs.replace(MESSAGE, to_agent_id=None, urgent=True)
    assert "to all" in message_words.state(everybody)
    assert "urgent" in message_words.state(everybody)


def test_lines_stay_lines_and_what_steers_is_seen() -> None:
    assert message_words.lines("one\n\ntwo\u202e") == "one\n\ntwo\ufffd"
    assert message_words.notes(["a", {"b": 1}]) == '• a\n• {"b":1}'


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
    assert reader(MessagesAddress(agent_id=chosen), message, own) == found


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
