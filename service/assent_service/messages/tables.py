"""Messages, what their readers did with them, and their threads, as rows.

A message is one row that never changes. What readers do is rows of its own, one for each reader, message and mark: so
a broadcast that a thousand agents read costs a thousand small events and not a thousand rewritten lists.
"""

from assent_service.store.tables import CREATED_AT, ORGANIZATION, Table, boolean, integer, json, text, time

MESSAGES = Table(
    name="messages",
    meaning="messages that agents sent, one row each",
    key="message_id",
    columns=(
        ORGANIZATION,
        text("message_id", "id of the message", frozen=True),
        text("from_agent_id", "the agent that sent it", frozen=True),
        text("to_agent_id", "the agent it went to; empty for a broadcast to all", frozen=True),
        text("message_type", "action, info, lesson, question or status"),
        text("subject", "what it is about, in its sender's words"),
        text("body", "what it says"),
        text("thread_id", "the message thread it is in"),
        boolean("urgent", "whether its sender called it urgent"),
        text("doc_ref", "where more is to be found"),
        text("action_id", "the action it is about", frozen=True),
        json("attachments", "its files: ids, names, types, sizes and digests"),
        integer("attachment_count", "how many files it carries"),
        integer("attachment_bytes", "how large they are together", "bytes"),
        json("audience", "ids of the agents that a message to all is for alone; none means every agent"),
        CREATED_AT,
    ),
    created=frozenset({"message.created"}),
    files="attachments",
)
MESSAGE_MARKS = Table(
    name="message_marks",
    meaning="what readers did with messages, one row for the first time that one of them read or archived one",
    key="mark_id",
    columns=(
        ORGANIZATION,
        text("mark_id", "id of the mark", frozen=True),
        text("message_id", "the message", frozen=True),
        text("agent_id", "the agent that read or archived it", frozen=True),
        text("mark", "read or archive"),
        CREATED_AT,
    ),
    created=frozenset({"message.updated"}),
)
MESSAGE_THREADS = Table(
    name="message_threads",
    meaning="threads of messages, one row for each as it stands now",
    key="thread_id",
    columns=(
        ORGANIZATION,
        text("thread_id", "id of the thread", frozen=True),
        text("name", "what it is called"),
        json("participants", "ids of the agents that it is for; none means all"),
        text("status", "open, or resolved: it takes no more messages"),
        text("summary", "what came of it"),
        text("created_by", "the agent that opened it", frozen=True),
        time("resolved_at", "when it was resolved; empty while it is open"),
        CREATED_AT,
        time("updated_at", "when it last changed"),
    ),
    created=frozenset({"message_thread.created"}),
    replaced=frozenset({"message_thread.updated"}),
)
