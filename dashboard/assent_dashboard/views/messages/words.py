"""Messages, handoffs and what is left open, in words. Pure; what strangers wrote is made harmless here."""

from __future__ import annotations

from datetime import datetime

import msgspec

from assent.contract.control.loops import LoopPriority, LoopStatus, LoopType, OpenLoop
from assent.contract.exchange.attachments import Attachment
from assent.contract.exchange.message_threads import MessageThread, MessageThreadStatus
from assent.contract.exchange.messages import Message, MessageStatus
from assent_dashboard.views import words

NO_SUBJECT = "No subject"
LONGEST_SUBJECT = 90
_STATES: dict[MessageStatus, str] = {
    MessageStatus.SENT: ":blue-badge[:material/mark_email_unread: unread]",
    MessageStatus.READ: ":gray-badge[:material/drafts: read]",
    MessageStatus.ARCHIVED: ":gray-badge[:material/archive: archived]",
}
_PRIORITIES: dict[LoopPriority, str] = {
    LoopPriority.CRITICAL: ":red-badge[:material/priority_high: critical]",
    LoopPriority.HIGH: ":orange-badge[:material/keyboard_arrow_up: high]",
    LoopPriority.MEDIUM: ":gray-badge[medium]",
    LoopPriority.LOW: ":gray-badge[low]",
}
LOOPS: dict[LoopType, str] = {
    LoopType.FOLLOWUP: "to follow up",
    LoopType.QUESTION: "a question",
    LoopType.DEPENDENCY: "a dependency",
    LoopType.APPROVAL: "an approval",
    LoopType.REVIEW: "a review",
    LoopType.HANDOFF: "a handoff",
    LoopType.OTHER: "something else",
}
_LOOPS: dict[LoopStatus, str] = {
    LoopStatus.OPEN: ":blue-badge[:material/pending: open]",
    LoopStatus.RESOLVED: ":green-badge[:material/check: resolved]",
    LoopStatus.CANCELLED: ":gray-badge[:material/close: cancelled]",
}


def lines(text: str) -> str:
    """A text with its lines, without characters that steer; for `st.text`."""
    return "\n".join(words.clean(line) for line in text.splitlines())


def subject(message: Message) -> str:
    """As plain text; the beginning of the body where there is none."""
    return words.shorten(words.clean(message.subject) or words.clean(message.body) or NO_SUBJECT, LONGEST_SUBJECT)


def between(message: Message) -> str:
    """`payer` to `desk`; Markdown."""
    to = "all agents" if message.to_agent_id is None else words.code(message.to_agent_id)
    return f"{words.code(message.from_agent_id)} to {to}"


def state(message: Message) -> str:
    """Badges: urgent, its type, and how it stands for its reader; Markdown. What went to all has a state for each of
    them, and none where nobody's box is looked at."""
    urgent = ":red-badge[:material/priority_high: urgent] " if message.urgent else ""
    known = message.to_agent_id is not None or message.status is not MessageStatus.SENT or message.is_read
    stands = _STATES[message.status] if known else ":gray-badge[:material/campaign: to all]"
    return f"{urgent}:violet-badge[{message.message_type.value}] {stands}"


def read_by(message: Message) -> str:
    if not message.read_by:
        return "Nobody has read it yet."
    return f"Read by {', '.join(words.code(each) for each in message.read_by)}."


def about(attachment: Attachment) -> str:
    """`report.pdf`, application/pdf, 12.3 kB, SHA-256 and its beginning; Markdown."""
    digest = words.code(attachment.sha256[:16])
    kind = words.plain(attachment.mime_type)
    return f"{words.code(attachment.filename)} · {kind} · {size(attachment.size_bytes)} · SHA-256 {digest}…"


def file_name(attachment: Attachment) -> str:
    """A name that is one, whatever its sender called it: no folders, nothing unseen, not hidden."""
    line = words.clean(attachment.filename).replace("\\", "/").rpartition("/")[2].lstrip(". ")
    return line or f"attachment-{attachment.id}"


def size(count: int) -> str:
    """`812 bytes`, `12.3 kB`, `4.9 MB`; thousands, as file managers count."""
    if count < 1000:
        return words.several(count, "byte")
    return f"{count / 1000:.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def thread_line(thread: MessageThread, now: datetime) -> str:
    """How a message thread stands; Markdown."""
    is_open = thread.status is MessageThreadStatus.OPEN
    badge = ":blue-badge[:material/forum: open]" if is_open else ":green-badge[:material/check: resolved]"
    who = ", ".join(words.code(each) for each in thread.participants) or "all agents"
    last = f" · last {words.ago(thread.last_message_at, now)}" if thread.last_message_at else ""
    return f"{badge} {words.several(thread.message_count, 'message')} · for {who}{last}"


def loop_badges(loop: OpenLoop) -> str:
    return f"{_LOOPS[loop.status]} {_PRIORITIES[loop.priority]} :violet-badge[{LOOPS[loop.loop_type]}]"


def notes(value: object) -> str:
    """A text or a list, as an agent left it, as plain lines."""
    if isinstance(value, str):
        return lines(value)
    if isinstance(value, list):
        return "\n".join(f"• {words.clean(each if isinstance(each, str) else _json(each))}" for each in value)
    return ""


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
